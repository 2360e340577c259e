package drills

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/recondrill/recondrill/sim"
	"github.com/stretchr/testify/require"
)

func TestStory_SaysEachDeviationInWordsOfTheDomain(t *testing.T) {
	for line, want := range map[string]string{
		"worker-1#0/acct_1/2026-03-01  sql:FinishJob/2  fault  kill after":                 "worker-1 dies right after finishing acct_1/2026-03-01 (the 2nd time)",
		"worker-1#0/reconcile  sql:ClaimJobs/1  then  worker-2#0/email":                    "worker-1 (reconcile) waits before claiming jobs, and worker-2 (email) goes first",
		"clock  at 540s/1  then  worker-2#0/email":                                         "of those who are due at this instant, worker-2 (email) goes first",
		"worker-1#0/acct_1/2026-03-01  sql:FinishJob/1  latency  91s":                      "worker-1 takes 91s before finishing acct_1/2026-03-01",
		"worker-1#0/acct_1/2026-03-01  sql:FinishJob/1  fault  stall 270s":                 "worker-1 stands still for 270s before finishing acct_1/2026-03-01",
		"worker-1#0/reconcile  sql:commit/1  fault  commit late 100s":                      "worker-1 loses its connection at COMMIT, which lands 100s later",
		"worker-1#0/reconcile  sql:ClaimJobs/3  fault  late statement":                     "worker-1 dies at claiming jobs (the 3rd time), and its bytes reach the server later",
		"worker-1#0/push  sql:Unheard/1  fault  cut before":                                "worker-1 loses its connection before Unheard",
		"worker-1#0/push  call:push send(con_1,k)/1  fault  kill before":                   "worker-1 dies before asking push for the message to con_1",
		"worker-1#0/push/drain  start/1  fault  kill before":                               "worker-1 dies before the start of its task push/drain",
		"worker-1#0/push  sync sql:Beat/1  hold  sync":                                     "worker-1 has carried out its heartbeat, and others go on before it is committed",
		"worker-1  skew/1  fault  skew -90s":                                               "worker-1's clock is 90s behind",
		"server  acts/1  fault  failover 60s":                                              "a standby takes over that lacks the last 60s",
		"provider  refund(ch_1,2100,refund/acct_1/ch_1/1)/1  outcome  timeout, effect now": "provider carries out the refund of 2100 on ch_1, and its answer is lost",
		"sms  send(con_1,k)/1  outcome  timeout, effect later 45s":                         "sms gives no answer to the message to con_1 and carries it out 45s later",
		"email  send(con_1,k)/2  outcome  timeout, no effect":                              "email never gets the message to con_1 (asked for the 2nd time), and the caller can't tell",
		"provider  statement(acct_1,2026-03-01)/1  outcome  throttled 30s":                 "provider puts off the statement of acct_1 for 2026-03-01 for 30s",
		"cron-1  tick 2026-03-02T02:00:00Z/1  fault  duplicate 40s":                        "cron-1 fires the tick of 2026-03-02T02:00:00Z twice, 40s apart",
		"cron-1  tick 2026-03-02T02:00:00Z/1  fault  missing":                              "cron-1 never fires the tick of 2026-03-02T02:00:00Z",
	} {
		s, err := sim.ParseScript("drill  x\nseed  1\nversion  1\nbounds  K=1 S=1 D=1\n\n" + line + "\n")
		require.NoError(t, err)
		require.Equal(t, want, inWords(s.Deviations[0], newRecords().inHand(s.Deviations[0].At.Actor)))
	}
}

func TestStory_KeepsWhatTurnsItBeforeWhatIsOnlyNear(t *testing.T) {
	facts := []told{{entry: 1, text: "claims"}, {entry: 2, text: "another claims", turn: true}, {entry: 3, text: "writes all the same", turn: true}, {entry: 4, text: "goes on"}}
	require.Equal(t, []told{facts[1], facts[2]}, weightiest(slices.Clone(facts), 2))
	require.Equal(t, []told{facts[1], facts[2], facts[3]}, weightiest(slices.Clone(facts), 3))
	require.Equal(t, []told{facts[2]}, weightiest(slices.Clone(facts), 1))
	require.Empty(t, weightiest(slices.Clone(facts), -1))
}

func TestStory_TellsOneRoundOfALoop(t *testing.T) {
	loop := []told{{entry: 1, text: "claims"}, {entry: 2, text: "fails"}}
	for n := range 5 {
		loop = append(loop, told{entry: 3 + 2*n, text: "claims"}, told{entry: 4 + 2*n, text: "hands back"})
	}
	require.Equal(t, []told{{entry: 1, text: "claims (6 times in all)", turn: true}, {entry: 2, text: "fails"}, {entry: 4, text: "hands back (5 times in all)", turn: true}}, rounds(loop))
}

func TestStory_OfALivelockNamesWhoTurns(t *testing.T) {
	require.Equal(t, "worker-2 (email) is before claiming reminders (the 501st time)", standing([]string{
		"worker-1#0/main waits at join/1", "worker-2#0/email stands at sql:ClaimIntents/501", "worker-2#0/sms sleeps at sleep/700",
	}))
}

func TestStory_SaysFindingsWithoutTheKernelsNames(t *testing.T) {
	require.Equal(t, "worker-1 (sms) made the call to sms for the message to con_1 with a transaction open",
		inPlainWords("worker-1#0/sms made the call call:sms send(con_1,acct_1/2026-03-01/reminder/sms/con_1/1) with a transaction open"))
}

func TestStory_EveryStatementOfTheEngineThatDrillsSendHasWords(t *testing.T) {
	files, err := filepath.Glob("../engine/postgres/queries/*.sql")
	require.NoError(t, err)
	setUp := []string{"AddAccounts", "AddContacts", "AddCustomers", "AddInvoices", "AddSteps", "AddWindows", "AlarmPauses", "ApproveTemplates",
		"AuditOf", "InDoubt", "RetireTemplates"}
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, name := range regexp.MustCompile(`-- name: (\w+) `).FindAllStringSubmatch(string(text), -1) {
			require.True(t, acts[name[1]].doing != "" || slices.Contains(setUp, name[1]), name[1])
		}
	}
}
