package drills

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/stretchr/testify/require"
)

var rehash = flag.Bool("rehash", false, "write the hashes of testdata/regressions anew; the verdicts must still hold")

var hashLine = regexp.MustCompile(`(?m)^hash +[0-9a-f]+\n`)

// TestRehash is for whoever changed a statement of the engine: every run that sends it has another hash then, and
// says so as nondeterministic. The verdicts and the places of the faults must be as they were.
func TestRehash(t *testing.T) {
	if !*rehash {
		return // go test ./drills -run TestRehash -rehash
	}
	files, err := filepath.Glob("../testdata/regressions/*.script")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		bare := filepath.Join(t.TempDir(), filepath.Base(f))
		require.NoError(t, os.WriteFile(bare, hashLine.ReplaceAll(text, nil), 0o644))
		script, err := ReplayOptions{File: bare}.script()
		require.NoError(t, err)
		run, err := Replay(t.Context(), ReplayOptions{File: bare, Postgres: pg.NearestHow(), Log: t.Logf})
		require.NoError(t, err)
		require.Equal(t, reports.Verdict(script.Header.Verdict), run.Verdict, "%s: %s %v", f, run.Error, run.Story)
		require.NoError(t, os.WriteFile(f, hashLine.ReplaceAll(text, []byte("hash      "+run.Hash+"\n")), 0o644))
	}
}
