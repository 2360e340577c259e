package faults

import "testing"

const tickAt = "0 | cron-1 | deviation | tick 2026-03-02T02:00:00Z/1 | fault "

func TestTicks_BiteWhenTheyReallyCameSo(t *testing.T) {
	bites(t, "duplicate-tick",
		[]string{tickAt + `duplicate 40s
			300 | cron-1 | fired | | 2026-03-02T02:00:00Z 0 0s
			340 | cron-1 | fired | | 2026-03-02T02:00:00Z 1 40s`},
		[]string{tickAt + `duplicate 40s
			300 | cron-1 | fired | | 2026-03-02T02:00:00Z 0 0s`, // the run ended before the second
			tickAt + `duplicate 40s
			340 | cron-2 | fired | | 2026-03-02T02:00:00Z 1 40s`,
			tickAt + `duplicate 40s
			340 | cron-1 | fired | | 2026-03-03T02:00:00Z 1 40s`})
	bites(t, "early-tick",
		[]string{tickAt + "early 40s\n260 | cron-1 | fired | | 2026-03-02T02:00:00Z 0 -40s"},
		[]string{tickAt + "early 40s", tickAt + "early 40s\n300 | cron-1 | fired | | 2026-03-02T02:00:00Z 0 0s"})
	bites(t, "late-tick",
		[]string{tickAt + "late 40s\n340 | cron-1 | fired | | 2026-03-02T02:00:00Z 0 40s"},
		[]string{tickAt + "late 40s", tickAt + "early 40s\n340 | cron-1 | fired | | 2026-03-02T02:00:00Z 0 40s"})
	bites(t, "missing-tick",
		[]string{tickAt + "missing\n300 | cron-1 | missed | | 2026-03-02T02:00:00Z"},
		[]string{tickAt + "missing"})
}

func TestCrash_BitesWhenTheLifeEnded(t *testing.T) {
	at := "1 | worker-1#0/reconcile | deviation | sql:FinishJob/1 | fault "
	bites(t, "crash",
		[]string{at + "kill before\n1 | worker-1#0 | killed", at + "kill after\n1 | worker-1#0 | killed"},
		[]string{at + "kill before", at + "kill after\n1 | worker-2#0 | killed", at + "kill after\n1 | worker-1#1 | killed"})
}

func TestLateStatement_BitesWhenItLandsAfterTheDeath(t *testing.T) {
	at := "1 | worker-1#0/reconcile | deviation | sql:FinishJob/1 | fault late statement\n"
	bites(t, "late-statement",
		[]string{at + "1 | worker-1#0 | killed\n9 | net | landed | sql:FinishJob/1", at + "1 | worker-1#0 | killed\n9 | net/2 | landed | sql:FinishJob/4"},
		[]string{at + "1 | worker-1#0 | killed", at + "9 | net | landed | sql:FinishJob/1",
			at + "1 | worker-1#0 | killed\n9 | net | gone | sql:FinishJob/1"})
}

func TestStall_BitesWhenOthersMovedOnMeanwhile(t *testing.T) {
	at := "1 | worker-1#0/reconcile | deviation | sql:FinishJob/1 | fault stall 120s\n1 | worker-1#0 | stalled | | 120s\n"
	bites(t, "stall",
		[]string{at + "50 | worker-2#0/reconcile | answer | sql:ClaimJobs/1 | |\n121 | worker-1#0 | resumed"},
		[]string{at + "121 | worker-1#0 | resumed", at + "50 | worker-2#0/reconcile | answer | sql:ClaimJobs/1",
			at + "50 | worker-1#0/email | answer | sql:ClaimJobs/1\n121 | worker-1#0 | resumed"})
}

func TestExpiredLease_BitesWhenAnotherClaimedWhatTheLivingHolderHeld(t *testing.T) {
	mine := "0 | worker-1#0/reconcile | answer | sql:ClaimJobs/1 | | acct_1/2026-03-01\n"
	stall := "1 | worker-1#0/reconcile | deviation | sql:FinishJob/1 | fault stall 120s\n"
	latency := "1 | worker-1#0/reconcile | deviation | sql:FinishJob/1 | latency 120s\n"
	theirs := "100 | worker-2#0/reconcile | answer | sql:ClaimJobs/1 | | acct_2/2026-03-01,acct_1/2026-03-01\n"
	bites(t, "expired-lease",
		[]string{mine + stall + theirs, mine + latency + theirs},
		[]string{
			mine + stall, // nobody noticed
			mine + "0.5 | worker-1#0/reconcile | answer | sql:ClaimJobs/2\n" + stall + theirs, // it was done with that one
			stall + theirs,
			mine + stall + "90 | worker-1#0 | killed\n" + theirs,
			mine + stall + "130 | worker-2#0/reconcile | answer | sql:ClaimJobs/1 | | acct_1/2026-03-01\n",
			mine + stall + "100 | worker-2#0/reconcile | answer | sql:ClaimJobs/1 | | acct_2/2026-03-01\n",
			mine + stall + "100 | worker-2#0/reconcile | answer | sql:LockJob/1 | | acct_1/2026-03-01\n",
			mine + "1 | worker-1#0/reconcile | deviation | sql:FinishJob/1 | latency 120s\n100 | worker-1#0/reconcile | answer | sql:ClaimJobs/2 | | acct_1/2026-03-01\n",
			mine + "0.5 | worker-2#0/reconcile | answer | sql:ClaimJobs/1 | | acct_1/2026-03-01\n" + stall + "100 | worker-3#0/reconcile | answer | sql:ClaimJobs/1 | | acct_1/2026-03-01\n",
		})
}

func TestTimeouts_NeedTheUnknownAndWhatIsTrueAtTheOtherEnd(t *testing.T) {
	for _, c := range []struct{ kind, service, call string }{
		{"provider-timeout-", "provider", "refund(p1,2100,k1)"}, {"channel-timeout-", "email", "send(con_1,k1)"},
	} {
		at := "1 | " + c.service + " | deviation | " + c.call + "/2 | outcome timeout, "
		gaveUp := "31 | " + c.service + " | gave up | | " + c.call + "/2\n"
		effect := func(when, nth string) string {
			return when + " | " + c.service + " | effect | | " + c.call + "/" + nth + "\n"
		}
		bites(t, c.kind+"before",
			[]string{at + "no effect\n" + gaveUp, at + "no effect\n" + gaveUp + effect("60", "3")},
			[]string{at + "no effect\n", at + "effect now\n" + gaveUp, effect("0", "1") + at + "no effect\n" + gaveUp})
		bites(t, c.kind+"after",
			[]string{at + "effect now\n" + effect("1", "2") + gaveUp, at + "effect later 45s\n" + gaveUp + effect("46", "2"),
				effect("0", "1") + at + "effect now\n" + gaveUp},
			[]string{at + "effect now\n" + effect("1", "2"), at + "effect later 45s\n" + gaveUp,
				at + "no effect\n" + gaveUp + effect("60", "2"), at + "effect now\n" + gaveUp + "1 | sms | effect | | " + c.call + "/2"})
	}
	bites(t, "channel-timeout-before", nil, []string{"1 | provider | deviation | refund(p,1,k)/1 | outcome timeout, no effect\n31 | provider | gave up | | refund(p,1,k)/1"})
}

func TestAnswers_BiteWhenTheCallWasAnsweredSo(t *testing.T) {
	for kind, value := range map[string]string{"throttled": "throttled 5s", "pending": "pending", "unavailable": "unavailable",
		"failed": "failed", "rejected": "rejected", "truncated-statement": "truncated"} {
		at := "1 | provider | deviation | refund(p1,2100,k1)/1 | outcome " + value + "\n"
		bites(t, kind, []string{at + "1 | provider | outcome | refund(p1,2100,k1)/1 | " + value}, []string{at})
	}
}

func TestCuts_BiteWhenTheClientLivedOnWithTheBrokenConnection(t *testing.T) {
	at := func(v string) string {
		return "1 | worker-1#0/reconcile | deviation | sql:FinishJob/1 | fault cut " + v + "\n"
	}
	sent := "1 | worker-1#0/reconcile | statement | sql:FinishJob/1\n"
	done := "1 | worker-1#0/reconcile | answer | sql:FinishJob/1\n"
	on := "2 | worker-1#0/reconcile | statement | sql:LockJob/1\n"
	bites(t, "cut-before", []string{at("before") + sent + on},
		[]string{at("before"), at("before") + sent, at("before") + sent + done + on, at("before") + sent + "1 | worker-1#0 | killed"})
	bites(t, "cut-after", []string{at("after") + sent + done + on},
		[]string{at("after") + sent + on, at("after") + sent + done, at("before") + sent + done + on})
}

func TestCommitLate_BitesWhenItLandsAfterTheReconnect(t *testing.T) {
	at := "1 | worker-1#0/reconcile | deviation | sql:commit/1 | fault commit late 5s\n1 | worker-1#0/reconcile | statement | sql:commit/1\n"
	back := "2 | worker-1#0/reconcile | statement | sql:LockJob/1\n"
	lands := "6 | net | landed | sql:commit/1\n"
	bites(t, "commit-late", []string{at + back + lands}, []string{at + back, at + lands + back, at + lands})
}

func TestSkew_BitesWhenTheHostClaimedOrAdmitted(t *testing.T) {
	at := "0 | worker-1 | deviation | skew/1 | fault skew -180s\n"
	bites(t, "skew",
		[]string{at + "1 | worker-1#0/reconcile | answer | sql:ClaimJobs/1 | | acct_1/2026-03-01", at + "1 | worker-1#3/admission | answer | sql:AdmitBatch/1"},
		[]string{at, at + "1 | worker-1#0/reconcile | answer | sql:ClaimJobs/1", at + "1 | worker-2#0/reconcile | answer | sql:ClaimJobs/1 | | acct_1/2026-03-01"})
}

func TestLettersFull_BitesWhenARecordWasParked(t *testing.T) {
	bites(t, "letters-full",
		[]string{"1 | letters | parked | | intent x"},
		[]string{"1 | worker-1#0/email | answer | sql:BuryIntent/1 | | intent x", "1 | worker-1#0/email | answer | sql:LockIntent/1 | | parked"})
}
