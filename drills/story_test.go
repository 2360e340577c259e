package drills

import (
	"testing"

	"github.com/recondrill/recondrill/sim"
	"github.com/stretchr/testify/require"
)

func TestStory_SaysEachDeviationInWordsOfTheDomain(t *testing.T) {
	for line, want := range map[string]string{
		"worker-1#0/reconcile  sql:FinishJob/2  fault  kill after":                         "worker-1 dies right after FinishJob (number 2)",
		"worker-1#0/reconcile  sql:ClaimJobs/1  then  worker-2#0/email":                    "reconcile of worker-1 waits before ClaimJobs and email of worker-2 goes first",
		"worker-1#0/reconcile  sql:FinishJob/1  latency  91s":                              "worker-1 (reconcile) takes 91s before FinishJob",
		"worker-1#0/reconcile  sql:FinishJob/1  fault  stall 270s":                         "worker-1 stands still for 270s before FinishJob",
		"worker-1#0/reconcile  sql:commit/1  fault  commit late 100s":                      "worker-1 loses its connection at COMMIT, which lands 100s later",
		"worker-1#0/reconcile  sql:ClaimJobs/1  fault  late statement":                     "worker-1 dies at ClaimJobs, whose bytes reach the server later",
		"provider  refund(ch_1,2100,refund/acct_1/ch_1/1)/1  outcome  timeout, effect now": "provider accepts the refund of 2100 on ch_1 and its answer is lost",
		"sms  send(con_1,k)/1  outcome  timeout, effect later 45s":                         "sms gives no answer to the message to con_1 and carries it out 45s later",
		"email  send(con_1,k)/1  outcome  timeout, no effect":                              "email never gets the message to con_1, and the caller can't tell",
		"provider  statement(acct_1,2026-03-01)/1  outcome  throttled 30s":                 "provider puts off the request for the statement of acct_1 for 2026-03-01 for 30s",
		"cron-1  tick 2026-03-02T02:00:00Z/1  fault  duplicate 40s":                        "cron-1 fires tick 2026-03-02T02:00:00Z twice, 40s apart",
		"cron-1  tick 2026-03-02T02:00:00Z/1  fault  missing":                              "cron-1 never fires tick 2026-03-02T02:00:00Z",
	} {
		s, err := sim.ParseScript("drill  x\nseed  1\nversion  1\nbounds  K=1 S=1 D=1\n\n" + line + "\n")
		require.NoError(t, err)
		require.Equal(t, want, inWords(s.Deviations[0]))
	}
}
