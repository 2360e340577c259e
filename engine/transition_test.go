package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tables of ENGINE.md section 8, written a second time by hand: state: exits in any order.
const (
	jobSpec = `
ready: leased cancelled
leased: ready done review parked dead
done: ready
review: ready cancelled
parked: ready cancelled
dead: ready cancelled
cancelled:`
	intentSpec = `
ready: leased suppressed held unknown sent
held: ready suppressed review sent
review: ready suppressed given_up sent
leased: ready submitting suppressed held parked dead unknown sent
submitting: sent rejected unknown ready parked dead
unknown: sent rejected ready submitting review given_up
rejected: ready given_up
parked: ready given_up
dead: ready given_up
sent:
suppressed:
given_up:`
	correctionSpec = `
proposed: approved refused superseded
approved: submitting unknown superseded parked dead
submitting: applied rejected unknown approved parked dead
unknown: applied rejected approved submitting
parked: approved refused
dead: approved refused
applied:
rejected:
refused:
superseded:`
)

func TestTables_AreThoseOfTheDesignLineByLine(t *testing.T) {
	checkTable(t, jobSpec, Jobs(), JobStates(), JobsBorn(), "cancelled")
	checkTable(t, intentSpec, Intents(), IntentStates(), IntentsBorn(), "sent suppressed given_up")
	checkTable(t, correctionSpec, Corrections(), CorrectionStates(), CorrectionsBorn(),
		"applied rejected refused superseded")
}

func checkTable[S ~string](t *testing.T, spec string, table []Transition[S], states, born []S, terminal string) {
	t.Helper()
	want := map[S]map[S]bool{}
	for _, line := range strings.Split(strings.TrimSpace(spec), "\n") {
		from, exits, _ := strings.Cut(line, ":")
		want[S(from)] = map[S]bool{}
		for _, to := range strings.Fields(exits) {
			want[S(from)][S(to)] = true
		}
	}
	require.Len(t, states, len(want))
	for _, from := range states {
		require.Contains(t, want, from)
		for _, to := range states {
			require.Equal(t, want[from][to], Allowed(table, from, to), "%s → %s", from, to)
		}
		require.Equal(t, len(want[from]) == 0, strings.Contains(" "+terminal+" ", " "+string(from)+" "), "%s terminal", from)
	}
	reached := map[S]bool{}
	for _, s := range born {
		reached[s] = true
	}
	for range states {
		for _, tr := range table {
			if reached[tr.From] {
				reached[tr.To] = true
			}
		}
	}
	require.Len(t, reached, len(states), "every state can be reached from birth")
	for _, tr := range table {
		require.NotEmpty(t, tr.By, "%s → %s", tr.From, tr.To)
		require.NotEmpty(t, tr.Why, "%s → %s", tr.From, tr.To)
	}
	type row struct {
		from, to S
		burns    bool
	}
	seen := map[row]bool{}
	for _, tr := range table {
		r := row{tr.From, tr.To, tr.Burns}
		require.False(t, seen[r], "two rows for %v", r)
		seen[r] = true
	}
}

func TestTables_NoWorkerLeavesAStateThatWaitsForAPerson(t *testing.T) {
	for _, tr := range Jobs() {
		if tr.From == JobReview || tr.From == JobParked || tr.From == JobDead {
			require.Equal(t, []Role{RolePerson}, tr.By, "%s → %s", tr.From, tr.To)
		}
	}
	require.False(t, MayTake(Intents(), IntentUnknown, IntentGivenUp, RoleWorker))
	require.True(t, MayTake(Intents(), IntentUnknown, IntentGivenUp, RolePerson))
	require.False(t, MayTake(Corrections(), CorrectionProposed, CorrectionApproved, RoleWorker))
}

func TestTables_UnknownIsNeverADeadLetterAndNeverBurns(t *testing.T) {
	require.False(t, Allowed(Intents(), IntentUnknown, IntentDead))
	require.False(t, Allowed(Intents(), IntentUnknown, IntentParked))
	require.False(t, Allowed(Corrections(), CorrectionUnknown, CorrectionDead))
	require.False(t, Allowed(Corrections(), CorrectionUnknown, CorrectionParked))
	for _, tr := range Intents() {
		require.False(t, tr.Burns && tr.From == IntentUnknown)
	}
}
