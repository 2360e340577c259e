package pg

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUsage_SeesWhatGrows(t *testing.T) {
	y := openToy(t)
	before, err := y.server.Usage()
	require.NoError(t, err)
	require.Positive(t, before.Processes)
	require.Positive(t, before.Memory)
	const size = 3 << 20
	file := filepath.Join(filepath.Dir(y.server.endpoint.address), "data", "recondrill-grows")
	require.NoError(t, os.WriteFile(file, make([]byte, size), 0o600))
	t.Cleanup(func() { require.NoError(t, os.Remove(file)) })
	after, err := y.server.Usage()
	require.NoError(t, err)
	require.GreaterOrEqual(t, after.Data, before.Data+size)
	require.Equal(t, before.Log, after.Log)

	require.NoError(t, after.Grown(before))
	after.Data += growth
	require.ErrorContains(t, after.Grown(before), "the server's data")

	_, err = (&Server{how: "given"}).Usage()
	require.ErrorContains(t, err, "accepted is a local one")
}
