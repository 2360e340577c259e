package drills

import (
	"testing"
	"time"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/stretchr/testify/require"
)

func TestPlainly_TheUntouchedEnginePasses(t *testing.T) {
	runs := 0
	err := Plainly(t.Context(), []string{"lost-lease", "two-accounts"}, 1, time.Second, pg.NearestHow(), func(r reports.Run) error {
		runs++
		t.Logf("%s %d %s %s %v sim %d s, %d ms, %v", r.Drill, r.Seed, r.Verdict, r.Oracle, r.Checked, r.SimSeconds, r.WallMS, r.Error)
		if r.Verdict != reports.Pass {
			t.Log(r.Story)
		}
		require.Equal(t, reports.Pass, r.Verdict, "%s seed %d: %s", r.Drill, r.Seed, r.Oracle)
		return nil
	})
	require.NoError(t, err)
	require.Positive(t, runs)
}
