package reports_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/reports"
)

// night is a campaign with one of everything: passes with a sample, a violation that cost money, what could not be
// checked, a run that went two ways, and a canary.
func night() []reports.Event {
	server := reports.Postgres{How: "local", Version: "15.18"}
	events := []reports.Event{reports.Start{StartedAt: "2026-12-01T02:00:00Z", Command: "recondrill drill --runs 3", Commit: "0a1b2c3", Go: "go1.26.8",
		Zones: "2026c", Seed: 1, Runs: 3, Search: "random", Servers: 2, Postgres: server, Drills: []reports.DrillInfo{
			{Name: "lost-lease", Claim: "A worker whose lease was lost writes nothing any more.", Faults: []string{"stall", "expired-lease"}},
			{Name: "timeout-after-acceptance", Claim: "What may have been done is never done again blindly.", Faults: []string{"provider-timeout-after"}},
			{Name: "canary", Claim: "A message is sent twice on purpose.", Canary: true},
		}}}
	for seed := uint64(1); seed <= 3; seed++ {
		run := reports.Run{Drill: "lost-lease", Seed: seed, Verdict: reports.Pass, Hash: "aa0" + string(rune('0'+seed)), Fingerprint: "f" + string(rune('0'+seed)),
			Gates: 120, Statements: 66, Deviations: []string{"worker-1#0/reconcile sql:FinishJob/1 fault stall 120s"}, Faults: []string{"expired-lease", "stall"},
			SimSeconds: 1800, WallMS: 12, Checked: map[string]int{"fence": 9},
			Bites:   []reports.Bite{{Kind: "expired-lease", At: "sql:FinishJob", State: "job begun"}, {Kind: "stall", At: "sql:FinishJob", State: "job begun"}, {Kind: "stall", At: "tick"}},
			Spoiled: reports.Spoiled{"fence": true}}
		if seed == 1 {
			run.Sample = true
			events = append(events, marksOf("lost-lease", 1)...)
		}
		events = append(events, run)
	}
	events = append(events, marksOf("timeout-after-acceptance", 1)...)
	events = append(events,
		reports.Run{Drill: "timeout-after-acceptance", Seed: 1, Verdict: reports.Violation, Hash: "bb01", Fingerprint: "g1", Gates: 140, Statements: 70,
			Deviations: []string{"worker-1#0/refund sleep/1 latency 5s", "provider refund(ch_1,2100,k1)/1 outcome timeout, effect now"},
			Faults:     []string{"provider-timeout-after"}, SimSeconds: 1800, WallMS: 14,
			Oracle: "effects", Story: []string{"worker-1 asked for a refund of 21.00 EUR on ch_1", "the provider did it, but the answer never came",
				"worker-1 asked again under another key", "effects: payment ch_1 was refunded twice"},
			Replay: "recondrill replay --drill timeout-after-acceptance --seed 1", ScriptFile: "out/failures/timeout-after-acceptance-1.script",
			Script: "drill     timeout-after-acceptance\nversion   1\n\nprovider  refund(ch_1,2100,k1)/1  outcome  timeout, effect now\n", Lost: &reports.Damage{},
			Doubled: &reports.Damage{Messages: 1, Money: map[string]int64{"EUR": 2100, "JPY": 500}}},
		reports.Run{Drill: "timeout-after-acceptance", Seed: 2, Verdict: reports.Error, Fingerprint: "g2", Error: "the server was gone: connection refused", WallMS: 3},
		reports.Run{Drill: "timeout-after-acceptance", Seed: 3, Verdict: reports.Nondeterministic, Fingerprint: "g3", WallMS: 9,
			Story: []string{"line 12 differs: sql:ClaimJobs against sql:Beat"}, Replay: "recondrill replay --drill timeout-after-acceptance --seed 3"},
		reports.Run{Drill: "canary", Seed: 1, Verdict: reports.Violation, Hash: "cc01", Fingerprint: "h1", Canary: true, Faults: []string{"crash"}, Oracle: "effects", WallMS: 8,
			Story: []string{"email sent one message twice"}, Replay: "recondrill replay --drill canary --seed 1", Doubled: &reports.Damage{Messages: 1}})
	tally := reports.NewTally(events[0].(reports.Start))
	for _, e := range events {
		if run, ok := e.(reports.Run); ok {
			tally.Add(run)
		}
	}
	summary := tally.Summary()
	summary.WallMS, summary.RunsPerSecond = 90, 77.8
	summary.Search = []reports.Search{{Drill: "lost-lease", Rung: "random", Bound: "every value by its own weight, a seed a run",
		Frontier: "next run is new with 100.0 % (3 of 3 runs came to a fingerprint seen once)", Trials: 3, Distinct: 3}}
	return append(events, summary)
}

func marksOf(drill string, seed uint64) []reports.Event {
	mark := func(lane, row, kind, fault, text string, at, until int64) reports.Event {
		return reports.Mark{Drill: drill, Seed: seed, Lane: lane, Row: row, Kind: kind, Fault: fault, Text: text, AtMS: at, UntilMS: until}
	}
	return []reports.Event{
		mark("ticks", "cron-1", "tick", "", "slot 02:00", 0, 0),
		mark("ticks", "cron-1", "tick", "duplicate-tick", "slot 02:00 again", 40_000, 0),
		mark("workers", "worker-1", "life", "", "first life", 0, 130_000),
		mark("workers", "worker-1", "stall", "stall", "stood still for 2 min", 9_000, 129_000),
		mark("workers", "worker-2", "life", "", "first life", 0, 1_800_000),
		mark("leases", "acct_1/2026-03-01", "lease", "", "worker-1, fence 1.1", 9_000, 99_000),
		mark("leases", "acct_1/2026-03-01", "lease", "", "worker-2, fence 1.2", 100_000, 100_400),
		mark("provider", "acct_1", "call", "", "statement of 2026-03-01", 9_000, 0),
		mark("provider", "acct_1", "effect", "provider-timeout-after", "refund of 21.00 EUR done, answer lost", 110_000, 0),
		mark("channels", "email", "effect", "", "reminder to ct_1", 1_200_000, 0),
		mark("ledger", "acct_1/2026-03-01", "commit", "", "envelope, 2 breaks, 3 intents", 100_400, 0),
		mark("workers", "worker-1", "killed", "crash", "its late finish was refused", 130_000, 0),
	}
}

func TestRun_LineHasTheContractsFields(t *testing.T) {
	t.Parallel()
	line, err := reports.Encode(reports.Run{Drill: "lost-lease", Seed: 7, Verdict: reports.Pass, Hash: "ab", Fingerprint: "cd", Gates: 123, Statements: 66,
		Deviations: []string{"worker-1#0/reconcile sql:FinishJob/2 latency lease+1s"}, Faults: []string{"stall"}, SimSeconds: 1800, WallMS: 12})
	require.NoError(t, err)
	require.Equal(t, `{"type":"run","drill":"lost-lease","seed":7,"verdict":"pass","hash":"ab","fingerprint":"cd","gates":123,"statements":66,`+
		`"deviations":["worker-1#0/reconcile sql:FinishJob/2 latency lease+1s"],"faults":["stall"],"sim_seconds":1800,"wall_ms":12}`, string(line))
}

func TestRun_FailureLineHasListsAndMapsWhereTheContractHasThem(t *testing.T) {
	t.Parallel()
	line, err := reports.Encode(reports.Run{Drill: "canary", Verdict: reports.Violation, Canary: true, Oracle: "effects", Story: []string{"a"},
		Lost: &reports.Damage{}, Doubled: &reports.Damage{Messages: 1, Money: map[string]int64{"USD": 5}}})
	require.NoError(t, err)
	require.Equal(t, `{"type":"run","drill":"canary","seed":0,"verdict":"violation","fingerprint":"","gates":0,"statements":0,"deviations":[],"faults":[],`+
		`"sim_seconds":0,"wall_ms":0,"canary":true,"oracle":"effects","story":["a"],"lost":{"messages":0,"money":{}},"doubled":{"messages":1,"money":{"USD":5}}}`, string(line))
}

func TestSummary_LineHasTheContractsFields(t *testing.T) {
	t.Parallel()
	line, err := reports.Encode(reports.Summary{Verdict: reports.Pass, Postgres: reports.Postgres{How: "local", Version: "15.18"}})
	require.NoError(t, err)
	require.Equal(t, `{"type":"summary","verdict":"pass","runs":0,"distinct":0,"runs_per_second":0,"faults_bitten":{},"canaries":{},`+
		`"postgres":{"how":"local","version":"15.18"}}`, string(line))
}

func TestEvent_DecodeIsTheInverseOfEncode(t *testing.T) {
	t.Parallel()
	for _, e := range night() {
		line, err := reports.Encode(e)
		require.NoError(t, err)
		back, err := reports.Decode(line)
		require.NoError(t, err)
		again, err := json.Marshal(back)
		require.NoError(t, err)
		require.JSONEq(t, string(line), string(again))
		require.IsType(t, e, back)
	}
}

func TestEvent_DecodeNamesWhatItAccepts(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"type":"walk"}`:              `type "walk": accepted are start, run, mark and summary`,
		`{}`:                           `type "": accepted are start, run, mark and summary`,
		`run`:                          "not a JSON object",
		`{"type":"run","seed":"many"}`: "run: ",
	} {
		_, err := reports.Decode([]byte(line))
		require.ErrorContains(t, err, want)
	}
}
