package faults

import (
	"fmt"
	"testing"
)

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

func TestDaylightSaving_BitesWhenTheTickCameAsTheLocalTimeHadIt(t *testing.T) {
	bites(t, "dst-gap",
		[]string{tickAt + "gap missed\n300 | cron-1 | missed | | 2026-03-02T02:00:00Z",
			tickAt + "gap late 3600s\n3900 | cron-1 | fired | | 2026-03-02T02:00:00Z 0 3600s"},
		[]string{tickAt + "gap missed", tickAt + "gap late 3600s\n300 | cron-1 | fired | | 2026-03-02T02:00:00Z 0 0s",
			tickAt + "missing\n300 | cron-1 | missed | | 2026-03-02T02:00:00Z"})
	bites(t, "dst-repeat",
		[]string{tickAt + "repeat 3600s\n300 | cron-1 | fired | | 2026-03-02T02:00:00Z 0 0s\n3900 | cron-1 | fired | | 2026-03-02T02:00:00Z 1 3600s"},
		[]string{tickAt + "repeat 3600s\n300 | cron-1 | fired | | 2026-03-02T02:00:00Z 0 0s"})
}

func TestSteps_BiteWhenTheWrongTimeWasUsedAfterThem(t *testing.T) {
	wall := "5 | worker-1 | deviation | clock/1 | fault wall step 90s\n"
	bites(t, "wall-step",
		[]string{wall + "6 | worker-1#0/reconcile | answer | sql:ClaimJobs/1 | | a", wall + "6 | worker-1#1/admission | answer | sql:AdmitBatch/1"},
		[]string{wall, wall + "6 | worker-2#0/reconcile | answer | sql:ClaimJobs/1 | | a",
			"1 | worker-1#0/reconcile | answer | sql:ClaimJobs/1 | | a\n" + wall})
	database := "5 | server | deviation | acts/1 | fault database step -90s\n"
	bites(t, "database-step",
		[]string{database + "6 | worker-2#0/reconcile | answer | sql:ClaimJobs/1 | | a"},
		[]string{database, database + "6 | worker-2#0/reconcile | answer | sql:ClaimJobs/1 | | |", database + "6 | worker-2#0/reconcile | answer | sql:LockJob/1 | | a"})
}

func TestDrift_BitesWhenAnotherClaimedWhatALivingProcessOfTheHostHeld(t *testing.T) {
	at := "1 | worker-1 | deviation | clock/1 | fault drift -50000ppm\n"
	mine := "2 | worker-1#1/reconcile | answer | sql:ClaimJobs/1 | | a\n"
	theirs := "100 | worker-2#0/reconcile | answer | sql:ClaimJobs/1 | | a\n"
	bites(t, "mono-drift", []string{at + mine + theirs, mine + at + theirs},
		[]string{at + mine, at + theirs, mine + theirs + at, at + mine + "9 | worker-1#1 | killed\n" + theirs,
			at + mine + "9 | worker-1#1/reconcile | answer | sql:ClaimJobs/2\n" + theirs})
}

func TestSuspend_BitesWhenTheLeaseWasOverWhileItsHoldersClockStood(t *testing.T) {
	mine := "0 | worker-1#0/reconcile | answer | sql:ClaimJobs/1 | | a\n"
	at := "1 | worker-1#0/reconcile | deviation | sql:FinishJob/1 | fault suspend 120s\n1 | worker-1#0 | suspended | | 120s\n"
	theirs := "100 | worker-2#0/reconcile | answer | sql:ClaimJobs/1 | | a\n"
	back := "121 | worker-1#0 | resumed\n"
	bites(t, "suspend", []string{mine + at + theirs + back},
		[]string{mine + at + back + theirs, at + theirs + back, mine + at + theirs, mine + at + "100 | worker-2#0/reconcile | answer | sql:ClaimJobs/1 | | b\n" + back})
	bites(t, "stall", nil, []string{mine + at + theirs + back})
}

func TestDelay_BitesWhenOthersWereAnsweredMeanwhile(t *testing.T) {
	at := "1 | worker-1#0/reconcile | deviation | sql:FinishJob/1 | latency "
	other := "20 | worker-2#0/reconcile | answer | sql:LockJob/1\n"
	went := "46 | worker-1#0/reconcile | statement | sql:FinishJob/1\n"
	bites(t, "delay", []string{at + "45s\n" + other + went, at + "next timer\n" + other + went},
		[]string{at + "45s\n" + other, at + "45s\n" + went + other, at + "45s\n20 | worker-1#0/reconcile | answer | sql:LockJob/1\n" + went,
			"1 | worker-1#0 | deviation | noticed/1 | latency 45s\n" + other + "46 | worker-1#0 | noticed | noticed/1"})
}

func TestAnswerLate_BitesWhenItsClientWentOnByAnOldOne(t *testing.T) {
	at := "1 | worker-1#0/email | deviation | sql:SubmitIntent/1 | fault answer late 45s\n"
	given := "1 | worker-1#0/email | answer | sql:SubmitIntent/1\n"
	other := "20 | worker-2#0/email | answer | sql:ClaimIntents/1\n"
	went := "46 | worker-1#0/email | statement | sql:commit/1\n"
	heard := "46 | worker-1#0/email | sleep | sleep/1 | 45s\n"
	gaveUp := "21 | worker-1#0/email | sleep | sleep/1 | 45s ended by: context deadline exceeded\n"
	bites(t, "answer-late", []string{at + given + other + went, at + given + other + heard + went},
		[]string{at + given + other, at + given + went + other, at + other + given + went, at + given + went, at + given + other + gaveUp + went})
}

func TestSameName_BitesWhenTheNextLifeGotARecordOfTheFormer(t *testing.T) {
	mine := "0 | worker-1#0/reconcile | answer | sql:ClaimJobs/1 | | a\n5 | worker-1#0 | killed\n"
	bites(t, "same-name", []string{mine + "10 | worker-1#1/heart | answer | sql:RenewJobs/1 | | a"},
		[]string{mine + "10 | worker-2#0/heart | answer | sql:RenewJobs/1 | | a", mine + "10 | worker-1#1/heart | answer | sql:RenewJobs/1 | | b",
			mine + "8 | worker-2#0/reconcile | answer | sql:ClaimJobs/1 | | a\n10 | worker-1#1/heart | answer | sql:RenewJobs/1 | | a"})
}

func TestSlowDrain_BitesWhenItWorkedBesideItsSuccessor(t *testing.T) {
	at := "1 | worker-1 | deviation | drain/1 | fault drain 90s\n1 | worker-1 | draining | | 90s\n"
	next := "2 | worker-4#0/reconcile | answer | sql:ClaimJobs/1 | | a\n"
	still := "3 | worker-1#0/reconcile | answer | sql:FinishJob/1 | | a\n"
	bites(t, "slow-drain", []string{at + next + still},
		[]string{at + still + next, at + next, at + next + "2 | worker-1 | drained\n" + still, still + next + at})
}

func TestTwoVersions_BiteWhenBothClaimed(t *testing.T) {
	at := func(p string) string { return "0 | " + p + " | deviation | version/1 | fault version previous\n" }
	claim := func(p string) string { return "1 | " + p + "#0/reconcile | answer | sql:ClaimJobs/1 | | a\n" }
	bites(t, "two-versions", []string{at("worker-1") + claim("worker-1") + claim("worker-2")},
		[]string{at("worker-1") + claim("worker-1"), at("worker-1") + claim("worker-2"),
			at("worker-1") + at("worker-2") + claim("worker-1") + claim("worker-2")})
}

func TestCutDuring_BitesWhenTheClientWentOnElsewhere(t *testing.T) {
	waits := "1 | worker-1#0/reconcile | blocked | wait sql:LockJob/1\n"
	at := "2 | worker-1#0/reconcile | deviation | wait sql:LockJob/1 | fault cut waiting\n"
	on := "3 | worker-1#0/reconcile | statement | sql:LockJob/2\n"
	bites(t, "cut-during", []string{waits + at + on}, []string{waits + at, at + on, waits + at + "3 | worker-2#0/reconcile | statement | sql:LockJob/2"})
}

func TestCommitLost_IsACutAtACommit(t *testing.T) {
	at := func(label, v string) string {
		return "1 | worker-1#0/reconcile | deviation | " + label + "/1 | fault cut " + v + "\n1 | worker-1#0/reconcile | statement | " + label + "/1\n"
	}
	done := "1 | worker-1#0/reconcile | answer | sql:commit/1\n"
	on := "2 | worker-1#0/reconcile | statement | sql:LockJob/1\n"
	bites(t, "commit-lost", []string{at("sql:commit", "before") + on, at("sql:commit", "after") + done + on},
		[]string{at("sql:FinishJob", "before") + on, at("sql:commit", "after") + on, at("sql:commit", "before") + done + on})
}

func TestBackendKilled_BitesWhenTheClientLivedOn(t *testing.T) {
	at := func(v string) string {
		return "1 | worker-1#0/reconcile | deviation | sql:FinishJob/1 | fault terminated " + v + "\n1 | worker-1#0/reconcile | statement | sql:FinishJob/1\n"
	}
	done := "1 | worker-1#0/reconcile | answer | sql:FinishJob/1 | UPDATE 1\n"
	gone := "1 | worker-1#0/reconcile | gone | sql:FinishJob/1 | ERROR 57P01\n"
	on := "2 | worker-1#0/reconcile | statement | sql:LockJob/1\n"
	bites(t, "backend-killed", []string{at("before") + on, at("before") + gone + on, at("after") + done + gone + on},
		[]string{at("before"), at("before") + done + on, at("after") + on, at("after") + gone + on, at("before") + gone})
}

func TestDeadlines_BiteByWhatBecameOfTheStatement(t *testing.T) {
	at := "5 | worker-1#0/reconcile | deviation | deadline/1 | outcome "
	gave := func(text string) string {
		return "5 | worker-1#0/reconcile | deadline | wait sql:LockJob/1 | " + text + "\n"
	}
	bites(t, "completes-anyway", []string{at + "completes anyway\n" + gave("completes anyway") + "9 | net | landed | sql:LockJob/1"},
		[]string{at + "completes anyway\n" + gave("completes anyway"), at + "completes anyway\n" + gave("completes anyway") + "9 | net | landed | sql:FinishJob/1"})
	on := "6 | worker-1#0/reconcile | statement | sql:LockJob/2\n"
	bites(t, "not-sent", []string{at + "not sent\n" + gave("not sent") + on}, []string{at + "not sent\n" + gave("not sent"), at + "not sent\n" + gave("cancelled") + on})
}

func TestLingeringLocks_BiteWhenSomebodyMetThem(t *testing.T) {
	at := "1 | worker-1#0 | killed\n1 | worker-1#0 | deviation | noticed/1 | latency 120s\n"
	waits := "2 | worker-2#0/reconcile | blocked | wait sql:LockJob/1\n"
	seen := "121 | worker-1#0 | noticed | noticed/1\n"
	granted := func(at string) string { return at + " | worker-2#0/reconcile | granted | wait sql:LockJob/1\n" }
	skips := "2 | worker-2#0/reconcile | statement | sql:ClaimJobs/1 | select … for update SKIP LOCKED #00\n"
	found := "2 | worker-2#0/reconcile | answer | sql:ClaimJobs/1\n"
	bites(t, "lingering-locks", []string{at + waits + seen + granted("121"), at + skips + found + seen, at + waits},
		[]string{at + seen, at + seen + waits, at + waits + granted("3") + seen, at + skips + seen + found, at + seen + skips + found})
}

func TestSlowCommit_BitesWhenSomebodyMetItsLocks(t *testing.T) {
	at := "1 | worker-1#0/refund | deviation | sql:ClaimCorrections/1 | hold sync\n"
	did, none := "1 | worker-1#0/refund | held | sql:ClaimCorrections/1 | SELECT 1 #00\n", "1 | worker-1#0/refund | held | sql:ClaimCorrections/1 | SELECT 0\n"
	done := "91 | worker-1#0/refund | answer | sql:ClaimCorrections/1 | SELECT 1 #00\n"
	waits := "2 | worker-2#0/refund | blocked | wait sql:BuryCorrection/1\n"
	skips := "2 | worker-2#0/refund | statement | sql:ClaimCorrections/1 | select … for update SKIP LOCKED #00\n2 | worker-2#0/refund | answer | sql:ClaimCorrections/1\n"
	bites(t, "slow-commit", []string{at + did + waits + done, at + did + skips + done},
		[]string{at + did + done, at + did + done + waits, at + none + waits + done, at + none + skips + done})
}

func TestCollisions_BiteByTheServersOwnWord(t *testing.T) {
	for kind, state := range map[string]string{"deadlock": "40P01", "serialization-failure": "40001", "unique-violation": "23505"} {
		bites(t, kind, []string{"1 | worker-1#0/main | answer | sql:FinishJob/1 | ERROR " + state + " job_pkey"},
			[]string{"1 | worker-1#0/main | answer | sql:FinishJob/1 | ERROR 25P02", "1 | worker-1#0/main | statement | sql:FinishJob/1 | ERROR " + state})
	}
	bites(t, "pool-exhausted", []string{"1 | worker-1#0/main | wait | semaphore:connections/1"}, []string{"1 | worker-1#0/main | wait | semaphore:turn/1"})
}

func TestServer_BitesByWhatItsClientsMet(t *testing.T) {
	at := func(v string) string { return "1 | server | deviation | acts/1 | fault " + v + "\n" }
	gone := "3 | worker-1#0/main | gone | sql:FinishJob/1\n"
	bites(t, "server-restart", []string{at("restart") + "2 | server | restarted\n" + gone, at("restart") + "2 | server | restarted\n3 | worker-1#0/main | answer | sql:commit/1 | ERROR 57P01"},
		[]string{at("restart") + "2 | server | restarted", at("restart") + gone, gone + at("restart") + "4 | server | restarted"})
	bites(t, "read-only", []string{at("read-only 300s") + "2 | worker-1#0/main | answer | sql:FinishJob/1 | ERROR 25006"}, []string{at("read-only 300s")})

	from, to := "2 | server | standby stopped\n", "9 | server | failed over\n"
	line := func(what, label, text string) string {
		return "3 | worker-1#0/main | " + what + " | " + label + "/1 | " + text + "\n"
	}
	update := line("statement", "sql:FinishJob", "update job set state = 'done' #0") + line("answer", "sql:FinishJob", "UPDATE 1")
	none := line("statement", "sql:FinishJob", "update job set state = 'done' #0") + line("answer", "sql:FinishJob", "UPDATE 0")
	read := line("statement", "sql:LockJob", "select 1 from job for update #0") + line("answer", "sql:LockJob", "SELECT 1 #00")
	begin, commit := line("answer", "sql:begin", "BEGIN"), line("answer", "sql:commit", "COMMIT")
	bites(t, "lost-tail", []string{at("failover 60s") + from + update + to, at("failover 60s") + from + begin + update + commit + to,
		begin + update + at("failover 60s") + from + commit + to},
		[]string{at("failover 60s") + from + update, at("failover 60s") + update + from + to, at("failover 60s") + from + to + update,
			at("failover 60s") + from + begin + update + to + commit, at("failover 60s") + from + none + begin + read + commit + read + to,
			at("failover 60s") + from + "3 | worker-1#0/main | deviation | sql:FinishJob/1 | fault cut after\n" + update + to})
	held := line("statement", "sql:FinishJob", "update job set state = 'done' #0") + line("held", "sql:FinishJob", "UPDATE 1") + "%s" +
		line("statement", "sync sql:FinishJob", "") + "3 | worker-1#0/main | answer | | UPDATE 1\n"
	bites(t, "lost-tail", []string{at("failover 60s") + from + fmt.Sprintf(held, "") + to},
		[]string{at("failover 60s") + from + fmt.Sprintf(held, "3 | worker-1#0/main | deviation | sync sql:FinishJob/1 | fault cut after\n") + to})
	bites(t, "restore", []string{at("restore 1800s") + "2 | server | backed up\n" + update + "9 | server | restored"}, []string{at("restore 1800s") + from + update + to})
}

func TestKeys_BiteWhenTheActHadHappened(t *testing.T) {
	effect := func(when, nth string) string {
		return when + " | provider | effect | | refund(p1,2100,k1)/" + nth + "\n"
	}
	at := "5 | provider | deviation | refund(p1,2100,k1)/2 | outcome "
	said := "5 | provider | outcome | refund(p1,2100,k1)/2 | other answer\n"
	bites(t, "other-answer", []string{effect("1", "1") + at + "other answer\n" + said},
		[]string{at + "other answer\n" + said, effect("1", "1") + at + "other answer\n", "1 | sms | effect | | refund(p1,2100,k1)/1\n" + at + "other answer\n" + said})
	forgot := "86400 | provider | forgot | | refund(p1,2100,k1)/1\n"
	bites(t, "key-forgotten", []string{effect("1", "1") + at + "key forgotten\n" + effect("5", "2"), "31 | provider | gave up | | refund(p1,2100,k1)/1\n" + forgot},
		[]string{at + "key forgotten\n" + effect("5", "2"), effect("1", "1") + at + "key forgotten\n" + effect("5", "1"), forgot})
}

func TestAnswerLost_NeedsTheUnknownAndTheEffect(t *testing.T) {
	at := "1 | email | deviation | send(con_1,k1)/1 | outcome answer lost\n"
	effect, gaveUp := "1 | email | effect | | send(con_1,k1)/1\n", "1 | email | gave up | | send(con_1,k1)/1\n"
	bites(t, "answer-lost", []string{at + effect + gaveUp}, []string{at + effect, at + gaveUp})
}

func TestPageShift_BitesWhenARowWasMissedOrCameTwice(t *testing.T) {
	at := "1 | provider | deviation | statement(a,w)/1 | outcome page shift\n"
	bites(t, "page-shift", []string{at + "1 | provider | shifted | | statement(a,w)/1"}, []string{at, at + "1 | provider | shifted | | statement(a,w)/2"})
}

func TestOutageAndPoison_BiteWhenTheyMetMoreThanOneCall(t *testing.T) {
	at := "1 | email | deviation | send(c,k)/1 | outcome outage 600s\n"
	down := func(call string) string { return "2 | email | down | | " + call + "\n" }
	bites(t, "outage", []string{at + down("send(c,k)/1") + down("send(d,l)/1")}, []string{at + down("send(c,k)/1"), down("send(d,l)/1") + at + down("send(c,k)/1")})
	at = "1 | email | deviation | send(c,k)/1 | outcome poison\n"
	poisoned := func(call string) string { return "2 | email | poisoned | | " + call + "\n" }
	bites(t, "poison-message", []string{at + poisoned("send(c,k)/1") + poisoned("send(c,k)/2")}, []string{at + poisoned("send(c,k)/1"), at + poisoned("send(c,k)/1") + poisoned("send(c,kk)/1")})
}

func TestCallbacks_BiteByHowTheyWereHeard(t *testing.T) {
	at := func(v string) string { return "1 | email | deviation | callback send(c,k)/1/1 | fault " + v + "\n" }
	heard := func(when, act, rest string) string { return when + " | email | heard | | " + act + " " + rest + "\n" }
	const act = "send(c,k)/1"
	bites(t, "callback-late", []string{at("callback late 300s") + heard("331", act, "0 300s")},
		[]string{at("callback late 300s"), at("callback late 300s") + heard("31", act, "0 0s"), at("callback late 300s") + heard("331", "send(d,k)/1", "0 300s")})
	bites(t, "callback-doubled", []string{at("callback doubled 90s") + heard("31", act, "0 0s") + heard("121", act, "1 90s")},
		[]string{at("callback doubled 90s") + heard("31", act, "0 0s"), at("callback doubled 90s") + heard("121", act, "1 90s")})
	bites(t, "callback-reordered", []string{at("callback reordered 300s") + heard("60", "send(d,k)/1", "0 0s") + heard("331", act, "0 300s")},
		[]string{at("callback reordered 300s") + heard("331", act, "0 300s"), at("callback reordered 300s") + heard("20", "send(d,k)/1", "0 0s") + heard("331", act, "0 300s"),
			at("callback reordered 300s") + heard("331", act, "0 300s") + heard("400", "send(d,k)/1", "0 0s")})
	bites(t, "delayed-ack", []string{at("ack late 90s") + heard("31", act, "0 0s") + "31 | email | taken | | " + act + "\n" + heard("121", act, "1 90s")},
		[]string{at("ack late 90s") + heard("31", act, "0 0s") + heard("121", act, "1 90s")})
	bites(t, "callback-nameless", []string{at("callback nameless 90s") + "31 | email | nameless | | " + act},
		[]string{at("callback nameless 90s"), at("callback nameless 90s") + "31 | sms | nameless | | " + act})
	bites(t, "bounce", []string{at("bounced") + "31 | email | bounced | | " + act}, []string{at("bounced"), at("bounced") + "31 | sms | bounced | | " + act})
}

func TestCallbackEarly_BitesWhenItCameBeforeItsCallersCommit(t *testing.T) {
	call := "1 | worker-1#0/email | call | call:email send(c,k)/1\n1 | email | effect | | send(c,k)/1\n"
	at := "1 | email | deviation | callback send(c,k)/1/1 | fault callback early\n"
	heard := "1 | email | heard | | send(c,k)/1 0 -30s\n"
	commit := "2 | worker-1#0/email | statement | sql:SettleIntent/1 | update intent #0\n2 | worker-1#0/email | answer | sql:SettleIntent/1 | UPDATE 1\n"
	others := "2 | worker-2#0/email | statement | sql:SettleIntent/1 | update intent #0\n2 | worker-2#0/email | answer | sql:SettleIntent/1 | UPDATE 1\n"
	bites(t, "callback-early", []string{call + at + heard + commit, call + at + others + heard}, []string{call + at + commit + heard, call + at + commit, at + heard})
}

func TestOperator_BitesByWhatWasDone(t *testing.T) {
	at := func(v string) string { return "1 | operator | deviation | look/1 | fault " + v + "\n" }
	redriven := func(key string) string { return "2 | operator | redriven | | " + key + "\n" }
	bites(t, "redrive-twice", []string{at("redrive twice") + redriven("job a") + redriven("job a")},
		[]string{at("redrive twice") + redriven("job a") + redriven("job b"), redriven("job a") + at("redrive twice") + redriven("job a")})
	all := "2 | operator | redrove everything | | 2\n"
	bites(t, "redrive-all", []string{at("redrive everything") + redriven("job a") + redriven("job b") + all},
		[]string{at("redrive everything") + redriven("job a") + all, at("redrive everything") + redriven("job a") + redriven("job b")})
	bites(t, "approve-stale", []string{at("approve stale") + "2 | operator | approved stale | | cor_1"}, []string{at("approve stale")})
	paused, none := "2 | operator | paused | | all\n", "3 | worker-1#0/reconcile | answer | sql:ClaimJobs/1 | SELECT 0\n"
	bites(t, "forgotten-pause", []string{at("pause forgotten") + paused + none},
		[]string{at("pause forgotten") + none, at("pause forgotten") + paused, at("pause forgotten") + paused + "2 | operator | unpaused\n" + none,
			at("pause forgotten") + paused + "2 | kernel | healed\n" + none, at("pause forgotten") + paused + "3 | worker-1#0/reconcile | answer | sql:ClaimJobs/1 | | a"})
}
