package drills

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/stretchr/testify/require"
)

// failing makes a run of the canary that fails.
func failing(t *testing.T, b *bench) *result {
	t.Helper()
	d := canary()
	for seed := uint64(1); seed <= 20; seed++ {
		r := b.run(t.Context(), d, seed, sim.Seeded(seed, d.most(), d.weigh()))
		if r.run.Verdict == reports.Violation && len(r.script.Deviations) > 1 {
			return r
		}
	}
	t.Fatal("no run of the canary failed")
	return nil
}

func TestShrink_TheSameScriptShrinksToTheSame(t *testing.T) {
	b, err := openBench(t.Context(), benchSetup{postgres: pg.NearestHow(), run: runID(), core: -1, log: t.Logf})
	require.NoError(t, err)
	defer b.close()
	r := failing(t, b)
	one := b.shrink(t.Context(), canary(), r.script, shrinkTries, shrinkGates)
	two := b.shrink(t.Context(), canary(), r.script, shrinkTries, shrinkGates)
	require.Less(t, len(one.script.Deviations), len(r.script.Deviations))
	require.Equal(t, r.run.Oracle, one.run.Oracle)
	require.Equal(t, one.script, two.script)
	require.Equal(t, one.run.Story, two.run.Story)
	require.Equal(t, one.tries, two.tries)

	cut := b.shrink(t.Context(), canary(), r.script, 1, shrinkGates)
	require.True(t, cut.partly)
	require.Contains(t, cut.run.Story[0], "perhaps not all of it is needed")
}

func TestShrink_TheGoTestCompilesAndFailsAsLongAsTheBugIsThere(t *testing.T) {
	b, err := openBench(t.Context(), benchSetup{postgres: pg.NearestHow(), run: runID(), core: -1, log: t.Logf})
	require.NoError(t, err)
	r := failing(t, b)
	b.close()
	dir := t.TempDir()
	given := filepath.Join(dir, "given.script")
	require.NoError(t, os.WriteFile(given, []byte(r.script.String()), 0o644))
	small, err := Shrink(t.Context(), ShrinkOptions{File: given, Postgres: pg.NearestHow(), Log: t.Logf})
	require.NoError(t, err)
	require.Equal(t, reports.Violation, small.Run.Verdict, small.Run.Error)
	require.Less(t, len(small.Script.Deviations), small.Before)
	require.Positive(t, small.Tries)
	require.False(t, small.Partly)
	path, err := small.WriteRegression(filepath.Join(dir, "found.script"), given)
	require.NoError(t, err)

	source, overlay := filepath.Join(dir, "found_test.go"), filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(source, []byte(small.GoTest(path)), 0o644))
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "found_test.go"): source}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, replace, 0o644))
	test := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-vet=off", "-overlay", overlay, "-run", "^TestRegression_Found$", ".")
	test.Dir = root
	out, err := test.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "--- FAIL: TestRegression_Found")
	require.Contains(t, string(out), small.Run.Story[len(small.Run.Story)-1], "it tells the story")
}
