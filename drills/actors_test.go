package drills

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/stretchr/testify/require"
)

// Each thing that a server, a host, a deploy or a person can do in a drill is done once, alone: it bites as its kind, and
// the engine stands it.
func TestActors_WhatEachDoesBitesAndIsStood(t *testing.T) {
	b, err := openBench(t.Context(), benchSetup{postgres: pg.NearestHow(), run: runID(), core: -1, log: t.Logf})
	require.NoError(t, err)
	defer b.close()
	late := firstJob + "  sql:FinishJob/1  latency  271s"
	for _, c := range []struct {
		drill Drill
		kind  string
		lines []string
	}{
		{serverTrouble(), "server-restart", []string{"server  acts/4  fault  restart"}},
		{serverTrouble(), "read-only", []string{"server  acts/1  fault  read-only 60s"}},
		{failover(), "lost-tail", []string{"server  acts/2  fault  failover 60s"}},
		{failover(), "restore", []string{"server  acts/1  fault  restore 400s"}},
		{clocks(), "database-step", []string{"server  acts/1  fault  database step 90s"}},
		{clocks(), "database-step", []string{"server  acts/9  fault  database step -90s"}},
		{clocks(), "wall-step", []string{"worker-1  clock/1  fault  wall step -7200s", "worker-2  clock/1  fault  wall step 90s"}},
		{clocks(), "mono-drift", []string{"worker-1  clock/11  fault  drift -400000ppm", "worker-1#0/acct_1/2026-02-28  sql:FinishJob/1  latency  271s"}},
		{clocks(), "suspend", []string{"worker-1#0/acct_1/2026-02-28  sql:FinishJob/1  fault  suspend 271s"}},
		{daylightGap(), "dst-gap", []string{"cron-1  tick 2026-03-29T01:00:00Z/1  fault  gap missed"}},
		{daylightGap(), "dst-gap", []string{"cron-1  tick 2026-03-29T01:00:00Z/1  fault  gap late 3600s"}},
		{daylightRepeat(), "dst-repeat", []string{"cron-1  tick 2026-10-25T00:50:00Z/1  fault  repeat 3600s"}},
		{rollingDeploy(), "slow-drain", []string{"worker-1  drain/9  fault  drain 271s"}},
		{rollingDeploy(), "two-versions", []string{"worker-2  version/1  fault  version previous", late}},
		{operatorErrs(), "forgotten-pause", []string{"operator  act/1  fault  pause forgotten"}},
		{operatorErrs(), "redrive-all", []string{"operator  act/3  fault  redrive everything"}},
		{operatorErrs(), "approve-stale", []string{"operator  act/3  fault  approve stale"}},
	} {
		script, err := sim.ParseScript("version 1\n\n" + strings.Join(c.lines, "\n"))
		require.NoError(t, err)
		decider := sim.Recorded(script)
		r := b.run(t.Context(), c.drill, 1, decider)
		require.Equal(t, reports.Pass, r.run.Verdict, "%v: %s %s", c.lines, r.run.Error, strings.Join(r.run.Story, "\n"))
		require.Empty(t, decider.Unused(), "%v", c.lines)
		require.Contains(t, r.run.Faults, c.kind, "%v", c.lines)
		require.Contains(t, c.drill.Faults.Expected(), c.kind)
	}
}

// notDrilled are kinds that no drill plans, each with why.
var notDrilled = map[string]string{
	"completes-anyway":      "a statement would have to wait in the server for longer than anybody waits for one, which nothing here does; sim/pg's tests have it",
	"deadlock":              "it comes from the order of statements, and the engine takes its locks in one order",
	"serialization-failure": "no transaction of the engine asks for more than read committed",
	"unique-violation":      "the engine's inserts say what a conflict means",
}

func TestCatalogue_EveryKindOfFaultIsInADrill(t *testing.T) {
	planned := map[string]bool{}
	for _, d := range Catalogue() {
		for _, kind := range d.Faults.Expected() {
			planned[kind] = true
		}
	}
	for _, k := range faults.Kinds() {
		require.NotEqual(t, planned[k.Name()], notDrilled[k.Name()] != "", "%s", k.Name())
	}
}

func TestSlots_AreInstantsAlsoInTheNightsOfAChangedClock(t *testing.T) {
	for _, c := range []struct {
		drill Drill
		want  []string
	}{
		{lostLease(), []string{"02:00", "02:05", "02:10"}},
		{daylightGap(), []string{"01:00", "01:30", "02:00"}},
		{daylightRepeat(), []string{"00:50", "01:25", "02:00"}},
	} {
		var got []string
		for _, slot := range c.drill.slots(c.drill.epoch(time.Date(2026, 3, 2, 1, 55, 0, 0, time.UTC))) {
			got = append(got, slot.Format("15:04"))
		}
		require.Equal(t, c.want, got, c.drill.Name)
	}
	require.True(t, slices.ContainsFunc(Catalogue(), func(d Drill) bool { return !d.World.Epoch.IsZero() }))
}
