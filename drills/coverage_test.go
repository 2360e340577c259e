package drills

import (
	"testing"

	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
	"github.com/stretchr/testify/require"
)

func TestReports_HaveWordsForEveryKindAndOracle(t *testing.T) {
	for _, k := range faults.Kinds() {
		require.NotEmpty(t, reports.FaultWords(k.Name()), k.Name())
	}
	for _, o := range oracle.All() {
		require.NotEmpty(t, reports.OracleWords(o.Name()), o.Name())
	}
}

func TestCoverage_SaysWhereAFaultBitAndWhatTheRecordWasIn(t *testing.T) {
	worker := sim.Actor{Process: "worker-1", Task: "push"}
	other := sim.Actor{Process: "worker-2", Task: "push"}
	id := "acct_1/2026-03-01/reminder/push/con_1"
	answer := func(who sim.Actor, label string, keys ...string) sim.Entry {
		return sim.Entry{Actor: who, What: "answer", Label: label, Nth: 1, Keys: keys, Rows: len(keys)}
	}
	kill := sim.Deviation{At: sim.Address{Actor: worker, Label: "call:push send(con_1," + id + "/1)", Nth: 1}, Class: sim.Fault, Value: sim.Value{Verb: "kill", Arg: "after"}}
	h := &sim.History{Used: []sim.Deviation{kill}, Entries: []sim.Entry{
		answer(worker, "sql:ClaimIntents", id), answer(worker, "sql:SubmitIntent", id),
		{Actor: kill.At.Actor, What: "deviation", Label: kill.At.Label, Nth: 1, Deviation: &kill},
		{Actor: sim.Actor{Process: "worker-1"}, What: "killed"}, answer(other, "sql:ClaimIntents", id),
	}}
	require.Equal(t, []reports.Bite{{Kind: "deadlock", At: nowhere}, {Kind: "crash", At: "call:push send", State: "intent submitting"}},
		bites(h, []string{"crash", "deadlock"}))
}

func TestCoverage_ACallIsWorkedOnByWhoeverMadeIt(t *testing.T) {
	worker := sim.Actor{Process: "worker-1", Task: "refund"}
	seen := newRecords()
	seen.follow(&sim.Entry{Actor: worker, What: "answer", Label: "sql:SubmitCorrection", Keys: []string{"c1"}, Rows: 1})
	seen.follow(&sim.Entry{Actor: worker, What: "call", Label: "call:provider refund(ch_1,2100,k)"})
	require.Equal(t, "correction submitting", seen.state(sim.Address{Actor: sim.Bare("provider"), Label: "refund(ch_1,2100,k)", Nth: 1}))
	require.Equal(t, "provider refund", labelOf(sim.Address{Actor: sim.Bare("provider"), Label: "refund(ch_1,2100,k)", Nth: 1}))
	require.Empty(t, seen.state(sim.Address{Actor: worker, Label: "sql:ClaimCorrections", Nth: 2}), "between two records there is none in hand")
}
