package drills

import (
	"strings"
	"testing"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/stretchr/testify/require"
)

// struck is a run of the whole engine with the faults that a test chose, and what it left.
type struck struct {
	oracle.View
	t *testing.T
}

// strike makes one run of a drill with exactly these faults, each a script's line. Every oracle must be content and
// every fault must have met its place.
func strike(t *testing.T, d Drill, lines ...string) struck {
	t.Helper()
	script, err := sim.ParseScript("version 1\n\n" + strings.Join(lines, "\n"))
	require.NoError(t, err)
	b, err := openBench(t.Context(), benchSetup{postgres: pg.NearestHow(), run: runID(), core: -1, log: t.Logf})
	require.NoError(t, err)
	defer b.close()
	s := struck{t: t}
	d.Facts = []Fact{{"what is left is kept for the test", func(v oracle.View) error { s.View = v; return nil }}}
	decider := sim.Recorded(script)
	r := b.run(t.Context(), d, 1, decider)
	require.Equal(t, reports.Pass, r.run.Verdict, "%s %s", r.run.Error, strings.Join(r.run.Story, "\n"))
	require.Empty(t, decider.Unused())
	return s
}

// column is one column of a table, in the table's order.
func (s struck) column(table, name string) []string {
	var all []string
	for _, row := range s.Tables[table].Each() {
		all = append(all, row.Text(name))
	}
	return all
}

// answers are what a task's statement of that name was told, in order.
func (s struck) answers(actor, label string) []string {
	var all []string
	for _, e := range s.History.Entries {
		if e.What == "answer" && e.Actor.String() == actor && e.Label == "sql:"+label {
			said, _, _ := strings.Cut(e.Text, " #")
			all = append(all, said)
		}
	}
	return all
}

const firstJob = "worker-1#0/acct_1/2026-03-01"

// B04 B05 B07: one cron host fires 8 ms early, another one 59.8 s late, and the engine's own timer dies in between.
func TestEngine_TicksOnBothSidesOfASlotReleaseItOnceAndTheNextOnesFire(t *testing.T) {
	d := duplicateTick()
	d.World.Crons = d.World.Crons[:2] // without the host that makes up for the night before
	s := strike(t, d,
		"cron-1  tick 2026-03-02T02:00:00Z/1  fault  early 8ms",
		"cron-2  tick 2026-03-02T02:00:00Z/1  fault  late 59.8s",
		"admit-1#0/admission  sql:Watermark/2  fault  kill before")
	require.Equal(t, []string{"SELECT 2"}, s.answers("cron-1.0200.0#0/main", "AdmitBatch"))
	require.Equal(t, []string{"SELECT 0"}, s.answers("cron-2.0200.0#0/main", "AdmitBatch"))
	require.Len(t, s.column("recon.admission", "slot"), slotCount, "one admission a slot, also for the two after it")
	require.Len(t, s.column("recon.job", "job_id"), 3, "one job an account")
}

// B21 B25: the holder stands still before its last write, and another one takes the job over and ends it.
func TestEngine_WhoComesBackAfterItsLeaseIsRefused(t *testing.T) {
	s := strike(t, lostLease(), firstJob+"  sql:FinishJob/1  fault  stall 421s")
	require.Equal(t, []string{"SELECT 0"}, s.answers(firstJob, "FinishJob"))
	require.Equal(t, []string{"SELECT 1"}, s.answers("worker-2#0/acct_1/2026-03-01", "FinishJob"))
	require.Equal(t, []string{"acct_1/2026-03-01", "acct_2/2026-03-01"}, s.column("recon.envelope", "job_id"))
	require.Equal(t, []string{"1", "1"}, s.column("recon.envelope", "attempt"))
}

// B24: one beat takes seven minutes, and what the worker claims meanwhile is not its own for long.
func TestEngine_AWorkerWhoseBeatHangsWritesNothing(t *testing.T) {
	s := strike(t, lostLease(), "worker-1#0/heartbeat  sql:Beat/1  latency  421s")
	require.Equal(t, []string{"UPDATE 0"}, s.answers(firstJob, "BeginJob"), "taken over before it began")
	require.Empty(t, s.answers(firstJob, "FinishJob"))
	require.Equal(t, []string{"0", "0"}, s.column("recon.job", "crashes"))
	require.Len(t, s.column("recon.envelope", "job_id"), 2)
}

// B24: a read inside the work outlasts the lease; nobody else has noticed, and the worker stops by its own clock.
func TestEngine_AWorkerThatOutlastsItsLeaseBeginsNoWrite(t *testing.T) {
	s := strike(t, lostLease(), firstJob+"  sql:OpenItems/1  latency  91s")
	require.Equal(t, []string{"UPDATE 1", "UPDATE 1"}, s.answers(firstJob, "BeginJob"))
	require.Equal(t, []string{"SELECT 1"}, s.answers(firstJob, "FinishJob"))
	require.Equal(t, []string{"2", "1"}, s.column("recon.envelope", "fence_number"), "what it wrote, it wrote under another claim")
}

// B39 B51: every process that takes the job up dies over it; it never fails by itself.
func TestEngine_AJobThatKillsFourProcessesIsALetterAndTheOthersAreDone(t *testing.T) {
	const read = "/acct_1/2026-03-01  call:provider statement(acct_1,2026-03-01)/1  fault  kill before"
	s := strike(t, lostLease(), "worker-1#0"+read, "worker-2#0"+read, "worker-2#1"+read, "worker-1#1"+read)
	require.Equal(t, []string{"job:acct_1/2026-03-01"}, s.column("recon.letter", "record"))
	require.Equal(t, []string{"4 processes died while they worked on it"}, s.column("recon.letter", "reason"))
	require.Equal(t, []string{"done", "done"}, s.column("recon.job", "state"), "the operator's redrive, when nothing kills any more, ends it")
	require.Equal(t, []string{"SELECT 1"}, s.answers("worker-1#1/acct_2/2026-03-01", "FinishJob"), "between two deaths the healthy one is done")
}
