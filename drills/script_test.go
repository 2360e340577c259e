package drills

import (
	"flag"
	"strings"
	"testing"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/recondrill/recondrill/sim/search"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawnRuns is how many scripts are drawn; a run is a whole night on a real server.
const drawnRuns = "12"

// TestEngine_HoldsWhateverScriptIsDrawn draws whole scripts before their runs: up to four deviations among all that
// the plans could choose at the places of the plain run. What a deviation makes unreachable is no deviation then.
func TestEngine_HoldsWhateverScriptIsDrawn(t *testing.T) {
	require.NoError(t, flag.Set("rapid.checks", drawnRuns))
	defer func() { require.NoError(t, flag.Set("rapid.checks", "100")) }()
	b, err := openBench(t.Context(), benchSetup{postgres: pg.NearestHow(), run: runID(), core: -1, log: t.Logf})
	require.NoError(t, err)
	defer b.close()
	const seed = 1
	var drills []Drill
	places := map[string][]sim.Deviation{}
	for _, d := range Catalogue() {
		if d.Canary {
			continue
		}
		trial := search.Trial{How: search.Scripted, Seed: seed, Need: search.Need{Points: true}}
		plain := trial.Decider(search.Weights{Most: d.most(), Weigh: d.weigh()})
		b.moves = plain.Moves()
		r := b.run(t.Context(), d, seed, plain)
		b.moves = false
		require.Equal(t, reports.Pass, r.run.Verdict, "%s plain: %s %v", d.Name, r.run.Error, r.run.Story)
		var o search.Outcome
		plain.Fill(&o, r.history)
		drills = append(drills, d)
		for _, p := range o.Points {
			places[d.Name] = append(places[d.Name], p.Deviation)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := drills[rapid.IntRange(0, len(drills)-1).Draw(rt, "drill")]
		all := places[d.Name]
		script := sim.Script{Header: d.header(seed)}
		asked := map[sim.Deviation]bool{} // a place has one value of a class
		for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(all)-1), 0, 4, rapid.ID[int]).Draw(rt, "deviations") {
			if at := (sim.Deviation{At: all[i].At, Class: all[i].Class}); !asked[at] {
				asked[at] = true
				script.Deviations = append(script.Deviations, all[i])
			}
		}
		r := b.run(t.Context(), d, seed, sim.Recorded(script))
		if r.run.Verdict != reports.Pass {
			t.Logf("%s\n%s\n%s", script, r.run.Error, strings.Join(r.run.Story, "\n"))
			rt.Fatalf("%s: %s", r.run.Verdict, r.run.Oracle)
		}
	})
}
