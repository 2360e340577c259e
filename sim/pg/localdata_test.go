package pg

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLocal_AFreshClusterIsKeptForTheNextServer(t *testing.T) {
	if !offers(t, "local") {
		return
	}
	cluster := func() string {
		s := openForTest(t, Options{How: "local", Core: -1})
		identity := query(t, s.ConnString("postgres"), "select system_identifier::text from pg_control_system()")
		require.NoError(t, s.Close(t.Context()))
		require.Len(t, identity, 1)
		return identity[0]
	}
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	first := cluster()
	kept, err := filepath.Glob(filepath.Join(cache, "recondrill", "*"))
	require.NoError(t, err)
	require.Len(t, kept, 1, "and no part of one")
	require.Equal(t, first, cluster())

	dead := runOwner{place: thisPlace(), pid: 1 << 30, start: 1}
	part := filepath.Join(cache, "recondrill", dead.directoryName("part"))
	require.NoError(t, os.Mkdir(part, 0o700))
	require.Equal(t, first, cluster())
	require.NoDirExists(t, part, "left by a process that was killed in the middle of it")

	t.Setenv("XDG_CACHE_HOME", filepath.Join(kept[0], "PG_VERSION")) // a file: nothing can be kept there
	require.NotEqual(t, first, cluster())
}
