package oracle_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
	"github.com/recondrill/recondrill/sim/world"
)

func history(entries ...sim.Entry) edit {
	return func(v *oracle.View) { v.History.Entries = append(v.History.Entries, entries...) }
}

func TestFence(t *testing.T) {
	t.Parallel()
	finds(t, "fence", "written under fence 1/1, and the last claim is 1/2", set("envelope", 0, "fence_number", "1"))
	accepts(t, "fence", set("envelope", 0, "fence_number", "1"), set("job", 0, "generation", "2"))
}

// Whichever task of a process writes, and whatever kind of record: who claimed last may write.
func TestFence_AWriteAfterALaterClaimIsSeenInTheHistory(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct{ claim, task, record, writes string }{
		{"ClaimJobs", "acct_9/2026-03-01", "acct_9/2026-03-01", "BeginJob RenewJob HandBackJob RetryJob ReviewJob FinishJob BuryJob"},
		{"ClaimIntents", "email", "acct_9/2026-03-01/reminder/email/e9", "SubmitIntent FinishIntent BuryIntent HandBackIntents"},
		{"ClaimCorrections", "refund", "b9/refund/1", "SubmitCorrection FinishCorrection BuryCorrection HandBackCorrections"},
	} {
		for _, write := range strings.Fields(kind.writes) {
			stolen := []sim.Entry{
				answered("worker-1", "claims", "sql:"+kind.claim, kind.record),
				answered("worker-2", "claims", "sql:"+kind.claim, "another", kind.record),
			}
			late := answered("worker-1", kind.task, "sql:"+write, kind.record)
			found := finds(t, "fence", "worker-1#0 wrote "+write+" to "+kind.record+" although worker-2#0 had claimed it since", history(append(stolen, late)...))
			require.Equal(t, kind.record, found.Record)
			refused := late
			refused.Keys, refused.Rows = nil, 0
			accepts(t, "fence", history(append(stolen, refused)...))
			accepts(t, "fence", history(append(stolen, answered("worker-2", kind.task, "sql:"+write, kind.record))...))
			accepts(t, "fence", history(stolen[0], late, stolen[1]))

			again := stolen[0] // the same process, started anew
			again.Actor.Life = 1
			sent, landed := late, late // of its life before, on its way when that ended
			sent.What, sent.Keys, sent.Rows = "statement", nil, 0
			landed.What, landed.Actor = "landed", sim.Bare("net")
			finds(t, "fence", "worker-1#0 wrote "+write+" to "+kind.record+" although worker-1#1 had claimed it since", history(stolen[0], sent, again, landed))
			accepts(t, "fence", history(stolen[0], sent, landed, again))
			sent.Actor.Life = 1
			accepts(t, "fence", history(stolen[0], again, sent, landed))
		}
	}
}

func TestFence_AClaimOfMoreThanTheHistoryNamesAccusesNobody(t *testing.T) {
	t.Parallel()
	many := answered("worker-2", "email", "sql:ClaimIntents", "another")
	many.Rows = 17
	accepts(t, "fence", history(answered("worker-1", "email", "sql:ClaimIntents", "i9"), many, answered("worker-2", "email", "sql:FinishIntent", "i9")))
}

// The fence is read from statements by name, and from what they return first: a query that changes must change here too.
func TestFence_KnowsStatementsThatExistAndAnswerTheRecordFirst(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../engine/postgres/queries/*.sql")
	require.NoError(t, err)
	queries := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, query := range strings.Split(string(text), "-- name: ")[1:] {
			name, body, _ := strings.Cut(query, " :")
			queries[name] = body
		}
	}
	first := regexp.MustCompile(`(?s).*(?:^|\n)(?:returning|select) (?:\w\.)?(\*|\w+)`)
	for _, name := range slices.Concat(oracle.Claims(), oracle.FencedWrites()) {
		require.Contains(t, queries, name, "no such query")
		column := first.FindStringSubmatch(queries[name])
		require.NotNil(t, column, name)
		if column[1] == "*" { // of what the claim itself returned
			column = regexp.MustCompile(`(?s)returning \w\.(\w+).*`).FindStringSubmatch(queries[name])
		}
		require.Contains(t, []string{"job_id", "intent_id", "correction_id"}, column[1], name)
	}
	for _, name := range oracle.ReadBacks() {
		require.Contains(t, queries, name, "no such query")
	}
	require.Subset(t, oracle.FencedWrites(), oracle.AsksLease())
}

func TestTold_ThatNothingWasCommittedIsSaidOnlyWhereItIsSo(t *testing.T) {
	t.Parallel()
	said := sim.Entry{Actor: sim.Bare("worker-1"), What: oracle.NotCommitted, Text: "email"}
	committed := answered("worker-1", "email", "sql:commit")
	finds(t, "told", "the server did commit it", history(committed, asked("worker-1", "email", "sql:begin"), asked("worker-1", "email", "sql:ReadBackIntent"), said))
	accepts(t, "told", history(committed, asked("worker-1", "email", "sql:FinishIntent"), said))
	accepts(t, "told", history(committed, asked("worker-1", "email", "sql:commit"), said))
	seen := answered("worker-1", "email", "sql:ReadBackIntent", "submitting")
	finds(t, "told", "the server did commit it", history(committed, seen, said))
	accepts(t, "told", history(committed, seen, seen, said)) // the second one asks after a write that never left
	refused := committed
	refused.Text = "ERROR 40001"
	accepts(t, "told", history(refused, said))
	accepts(t, "told", history(answered("worker-1", "sms", "sql:commit"), asked("worker-1", "email", "sql:begin"), refused, said))
}

func TestLeaseKept(t *testing.T) {
	t.Parallel()
	claim := func(process, record string) sim.Entry { return answered(process, "email", "sql:ClaimIntents", record) }
	done := answered("worker-1", "email", "sql:FinishIntent", "x")
	drained := sim.Entry{Actor: sim.Bare("worker-1"), What: "drained"}
	finds(t, "lease-kept", "worker-2#0 claimed it at", history(claim("worker-1", "x"), claim("worker-2", "x")))
	accepts(t, "lease-kept", history(claim("worker-1", "x"), done, claim("worker-2", "x")))
	accepts(t, "lease-kept", history(claim("worker-1", "x"), after(5*time.Minute, claim("worker-2", "x"))))
	finds(t, "lease-kept", "worker-1#0 was drained at", history(claim("worker-1", "x"), drained))
	accepts(t, "lease-kept", history(claim("worker-1", "x"), done, drained))
	job := func(process, window string) sim.Entry {
		return answered(process, "reconcile", "sql:ClaimJobs", "acct_1/"+window)
	}
	finds(t, "lease-kept", "acct_1/2026-03-01", history(job("worker-1", "2026-03-01"), job("worker-2", "2026-03-02")))
}

func TestOneText(t *testing.T) {
	t.Parallel()
	call := world.Call{At: at("02:01:00"), Service: "email", What: "send", Label: "send(e1,k)", Key: "k", Asked: "one"}
	other := call
	other.Asked = "another"
	calls := func(all ...world.Call) edit { return func(v *oracle.View) { v.Truth.Calls = all } }
	finds(t, "one-text", "for something else under k", calls(call, other))
	accepts(t, "one-text", calls(call, call))
}

func TestSlotKept(t *testing.T) {
	t.Parallel()
	finds(t, "slot-kept", "has come and was never admitted", drop("admission", 0))
	accepts(t, "slot-kept", drop("admission", 0), func(v *oracle.View) { v.Settled = false })
}

func TestLease_IsOverInTheInstantInWhichItEnds(t *testing.T) {
	t.Parallel()
	const job = "acct_9/2026-03-01"
	claim := answered("worker-1", "claims", "sql:ClaimJobs", job)
	write := func(name string, at time.Duration) []sim.Entry {
		return []sim.Entry{after(at, asked("worker-1", job, "sql:"+name)), after(at+time.Second, answered("worker-1", job, "sql:"+name, job))}
	}
	for _, name := range oracle.AsksLease() {
		finds(t, "lease-over", "worker-1#0/"+job+" wrote sql:"+name+" to it at 1m30s, and its lease ended at 1m30s", history(claim), history(write(name, 90*time.Second)...))
		accepts(t, "lease-over", history(claim), history(write(name, 89*time.Second)...))
		accepts(t, "lease-over", history(write(name, 90*time.Second)...))
	}
	accepts(t, "lease-over", history(claim), history(write("RenewJob", 60*time.Second)...), history(write("FinishJob", 149*time.Second)...))
	accepts(t, "lease-over", history(claim), history(write("HandBackJob", 100*time.Second)...))
	many := answered("worker-2", "claims", "sql:ClaimJobs", "another")
	many.Rows = 2
	accepts(t, "lease-over", history(claim, many), history(write("FinishJob", 100*time.Second)...))
}

func truth(change func(t *world.Truth)) edit { return func(v *oracle.View) { change(v.Truth) } }

func TestEffects_ARefundDoneTwiceIsMoney(t *testing.T) {
	t.Parallel()
	again := func(key string) edit {
		return truth(func(t *world.Truth) {
			second := t.Refunds[0]
			second.Ref, second.Key = "re_2", key
			t.Refunds = append(t.Refunds, second)
		})
	}
	for _, key := range []string{"refund/acct_1/ch_2/1", "refund/acct_1/ch_2/2"} {
		require.Equal(t, map[string]int64{"USD": 2100}, finds(t, "effects", "was refunded again", again(key)).Double.Money)
	}
}

func TestEffects_RecordAndRefundAgree(t *testing.T) {
	t.Parallel()
	none := truth(func(t *world.Truth) { t.Refunds = nil })
	require.Equal(t, map[string]int64{"USD": 2100}, finds(t, "effects", "the provider never refunded ch_2", none).Lost.Money)
	finds(t, "effects", "which means surely not done", set("correction", 0, "state", "rejected"))
	finds(t, "effects", "no correction asked for it", drop("correction", 0))
	finds(t, "effects", "the ledger has it 0 times", set("transaction", 3, "provider_ref", ""))
	finds(t, "effects", "and 2000 USD were refunded", truth(func(t *world.Truth) { t.Refunds[0].AmountMinor = 2000 }))
	accepts(t, "effects", none, set("correction", 0, "state", "unknown"))
	accepts(t, "effects", none, set("correction", 0, "state", "refused"))
	accepts(t, "effects", set("correction", 0, "state", "unknown"))
	accepts(t, "effects", truth(func(t *world.Truth) {
		t.Refunds = append([]world.Refund{{Ref: "re_0", PaymentRef: "ch_7", Currency: "USD", AmountMinor: 5, Before: true}}, t.Refunds...)
	}))
}

func TestEffects_LocalCorrectionsAreInTheLedgerOnce(t *testing.T) {
	t.Parallel()
	local := also("correction", 0, "correction_id", "b2/1", "break_key", "b2", "act", "local", "idempotency_key", "local/b2/1", "payment_ref", "")
	booked := also("transaction", 2, "business_key", "local/b2", "break_key", "b2")
	accepts(t, "effects", local, booked)
	finds(t, "effects", "has its posting 0 times", local)
	finds(t, "effects", "has its posting 2 times", local, booked, booked)
	billed := also("transaction", 2, "business_key", "payment/ch_3", "break_key", "")
	accepts(t, "effects", local, set("correction", 1, "payment_ref", "ch_3"), billed)
	finds(t, "effects", "has its posting 0 times", local, set("correction", 1, "payment_ref", "ch_4"), billed)
	finds(t, "effects", "it is proposed, and the ledger has its posting", local, booked, set("correction", 1, "state", "proposed"))
}

func TestEffects_AMessageSentTwiceOrNotAtAll(t *testing.T) {
	t.Parallel()
	again := func(key string) edit {
		return truth(func(t *world.Truth) {
			second := t.Messages[0]
			second.MessageID, second.Key = "m2", key
			t.Messages = append(t.Messages, second)
		})
	}
	for _, key := range []string{"acct_1/2026-03-01/reminder/email/e1/1", "acct_1/2026-03-01/reminder/email/e1/2", "acct_1/2026-03-01/reminder/email/e1/1/again"} {
		require.Equal(t, 1, finds(t, "effects", "e1 got it again", again(key)).Double.Messages)
	}
	require.Equal(t, 1, finds(t, "effects", "no intent asked for it", again("a1b2c3")).Double.Messages)
	require.Equal(t, 1, finds(t, "effects", "nothing reached e1", truth(func(t *world.Truth) { t.Messages = nil })).Lost.Messages)
	finds(t, "effects", "which means surely not sent", set("intent", 0, "state", "rejected"))
	finds(t, "effects", "no intent asked for it", set("intent", 0, "contact_id", "e2"))
	accepts(t, "effects", set("intent", 0, "state", "unknown"))
	accepts(t, "effects", truth(func(t *world.Truth) { t.Messages = nil }), set("intent", 0, "state", "given_up"))
}

func TestDunning_NobodyIsRemindedOfWhatWasPaidLongAgo(t *testing.T) {
	t.Parallel()
	paid := func(ago time.Duration) edit {
		return truth(func(t *world.Truth) {
			t.Payments = append(t.Payments, world.Payment{Ref: "ch_5", Invoice: "i1", Currency: "USD", AmountMinor: 600, At: at("02:01:30").Add(-ago - time.Hour)},
				world.Payment{Ref: "ch_6", Invoice: "i1", Currency: "USD", AmountMinor: 400, At: at("02:01:30").Add(-ago)})
		})
	}
	require.Equal(t, 1, finds(t, "dunning", "of invoice i1, paid at", paid(37*time.Hour)).Double.Messages)
	accepts(t, "dunning", paid(36*time.Hour))
	accepts(t, "dunning", paid(37*time.Hour), set("intent_step", 0, "dropped_why", "paid"))
	accepts(t, "dunning", truth(func(t *world.Truth) {
		t.Payments = append(t.Payments, world.Payment{Ref: "ch_5", Invoice: "i1", Currency: "USD", AmountMinor: 999, At: at("00:00:00").Add(-100 * time.Hour)})
	}))
}

func TestDunning_NobodyIsRemindedOfWhatIsInDoubt(t *testing.T) {
	t.Parallel()
	names := set("break", 0, "business_ref", "i1")
	finds(t, "dunning", `which break "b1" put in doubt since 2026-03-02 02:01:00`, names)
	accepts(t, "dunning", names, set("break", 0, "state", "resolved"), set("break", 0, "since", "2026-03-02 02:01:00+00"))
	finds(t, "dunning", "put in doubt", names, set("break", 0, "state", "resolved"), set("break", 0, "since", "2026-03-02 02:02:00+00"))
	other := []edit{names, set("break", 0, "job_id", "other"), also("envelope", 0, "job_id", "other")}
	accepts(t, "dunning", other...) // the other reconciliation may have been in its commit
	finds(t, "dunning", "put in doubt", append(other, set("envelope", 1, "recorded_at", "2026-03-02 01:50:00+00"))...)
}

func TestRoomsApart(t *testing.T) {
	t.Parallel()
	by := func(task, service string) edit {
		return truth(func(t *world.Truth) {
			t.Calls = append(t.Calls, world.Call{Caller: sim.Actor{Process: "worker-1", Task: task}, Service: service, Label: "x"})
		})
	}
	finds(t, "rooms-apart", "worker-1#0/email called provider", by("email", "provider"))
	finds(t, "rooms-apart", "called sms", by("email/acct_1/i", "sms"))
	finds(t, "rooms-apart", "called push", by("reconcile/acct_1/2026-03-01", "push"))
	finds(t, "rooms-apart", "called email", by("heartbeat", "email"))
	finds(t, "rooms-apart", "called email", by("acct_1/2026-03-01", "email"))
	finds(t, "rooms-apart", "called sms", by("acct_1/2026-03-01/reminder/email/e1", "sms"))
	finds(t, "rooms-apart", "called push", by("b1/1", "push"))
	accepts(t, "rooms-apart", by("main", "provider"), by("sms", "sms"), by("acct_1/2026-03-01", "provider"), by("b1/1", "provider"))
}

// sends are calls for the SMS intent of the good run, one after the other.
func sends(calls ...world.Call) edit {
	return truth(func(t *world.Truth) {
		for _, c := range calls {
			if c.Service == "" {
				c.Service = "sms"
			}
			if c.What == "" {
				c.What = "send"
			}
			if c.Key == "" {
				c.Key = "acct_1/2026-03-01/reminder/sms/s1/1"
			}
			t.Calls = append(t.Calls, c)
		}
	})
}

func TestSubmitting_NothingIsSentAgainBlindly(t *testing.T) {
	t.Parallel()
	lost := world.Call{At: at("03:00:00"), Outcome: "timeout, no effect", Answer: "unknown timeout"}
	next := world.Call{At: at("03:10:00"), Key: "acct_1/2026-03-01/reminder/sms/s1/2", Answer: "accepted"}
	finds(t, "submitting", "under a new key without proof", sends(lost, next))
	same := next
	same.Key = ""
	finds(t, "submitting", "under a key that sms does not know", sends(lost, same))
	put := world.Call{At: at("03:05:00"), Answer: "throttled rate_limited", Outcome: "throttled 5s"}
	accepts(t, "submitting", sends(put, next))
	finds(t, "submitting", "under a new key without proof", sends(lost, put, next))

	absent := world.Call{At: at("03:06:00"), What: "look-up", Answer: "rejected absent"}
	accepts(t, "submitting", sends(lost, absent, next))
	absent.At = at("03:04:00") // before the settling time it proves nothing
	finds(t, "submitting", "under a new key without proof", sends(lost, absent, next))
	vouched := func(clock string) edit {
		return also("audit", 0, "at", "2026-03-02 "+clock+"+00", "act", "confirm_absent", "record", "intent:acct_1/2026-03-01/reminder/sms/s1")
	}
	accepts(t, "submitting", vouched("03:08:00"), sends(lost, next))
	finds(t, "submitting", "under a new key without proof", vouched("02:59:00"), sends(lost, next))
}

func TestSubmitting_TheSameKeyIsGoodWhileItIsRemembered(t *testing.T) {
	t.Parallel()
	const key = "acct_1/2026-03-01/reminder/email/e1/1"
	again := func(clock string) edit {
		return sends(world.Call{At: at(clock), Service: "email", Key: key, Answer: "accepted"})
	}
	accepts(t, "submitting", again("03:00:00"))
	finds(t, "submitting", "under a key that email has forgotten", again("03:02:00"))
	finds(t, "submitting", "it was called again", sends(world.Call{At: at("02:10:00"), Service: "provider", What: "refund", Key: "other", Label: "refund(ch_2,2100,other)"}))
}

func TestSubmitting_ACallWaitsForItsCommit(t *testing.T) {
	t.Parallel()
	finds(t, "submitting", "with a transaction open", history(
		answered("worker-2", "sms", "sql:begin"), answered("worker-2", "sms", "sql:SubmitIntent", "x"), called("worker-2", "sms", "call:sms send(s1)")))
	finds(t, "submitting", "before `submitting` was written", history(
		called("worker-2", "sms", "call:sms send(s1)"), answered("worker-2", "sms", "sql:begin"), answered("worker-2", "sms", "sql:SubmitIntent", "x")))
	finds(t, "submitting", "with a transaction open", history(answered("worker-2", "sms", "sql:begin"), called("worker-2", "sms", "call:sms look-up(k)")))
	again := sim.Entry{Actor: task("worker-2", "sms"), What: "start"}
	accepts(t, "submitting", history(answered("worker-2", "sms", "sql:begin"), again, called("worker-2", "sms", "call:sms look-up(k)")))
	lost := []sim.Entry{ // a COMMIT without an answer, read back in another transaction
		answered("worker-2", "sms", "sql:begin"), answered("worker-2", "sms", "sql:SubmitIntent", "x"),
		{Actor: task("worker-2", "sms"), What: "statement", Label: "sql:commit"}, {Actor: task("worker-2", "sms"), What: "gone", Label: "sql:commit"},
		answered("worker-2", "sms", "sql:begin"), answered("worker-2", "sms", "sql:ReadBackIntent", "submitting"), answered("worker-2", "sms", "sql:rollback"),
		called("worker-2", "sms", "call:sms send(s1)"),
	}
	accepts(t, "submitting", history(lost...))
	finds(t, "submitting", "before `submitting` was written", history(append(slices.Clone(lost[:2]), lost[6:]...)...))
	unheard := sim.Entry{Actor: task("worker-2", "sms"), What: "deviation", Label: "sql:begin", Nth: 1,
		Deviation: &sim.Deviation{Class: sim.Fault, Value: sim.Value{Verb: "cut", Arg: "after"}}}
	accepts(t, "submitting", history(unheard, answered("worker-2", "sms", "sql:begin"), called("worker-2", "sms", "call:sms look-up(k)")))
	unheard.Label = "sql:SubmitIntent"
	finds(t, "submitting", "before `submitting` was written", history(answered("worker-2", "sms", "sql:begin"), unheard,
		answered("worker-2", "sms", "sql:SubmitIntent", "x"), called("worker-2", "sms", "call:sms send(s1)")))
	cut := sim.Entry{Actor: task("worker-2", "sms"), What: "cut"}
	accepts(t, "submitting", history(answered("worker-2", "sms", "sql:begin"), cut, called("worker-2", "sms", "call:sms look-up(k)")))
}

func TestTogether_ALostCommitIsReadBackUnderItsLock(t *testing.T) {
	t.Parallel()
	commit := sim.Deviation{Class: sim.Fault, Value: sim.Value{Verb: "commit", Arg: "late 2s"}}
	later := func(at time.Duration, what, label string) sim.Entry {
		return sim.Entry{At: at, Actor: task("worker-1", "email"), What: what, Label: label}
	}
	lost := later(10*time.Second, "deviation", "sql:commit")
	lost.Deviation = &commit
	finds(t, "together", "had an answer 2s before it landed", history(lost, later(10*time.Second, "answer", "sql:ReadBackIntent")))
	accepts(t, "together", history(lost, later(12*time.Second, "answer", "sql:ReadBackIntent")))
	healed := sim.Entry{Actor: sim.Bare("kernel"), What: "healed"}
	accepts(t, "together", history(lost, healed, later(10*time.Second, "answer", "sql:ReadBackIntent")))
}

func TestNoted(t *testing.T) {
	t.Parallel()
	finds(t, "noted", "email sent none of that id", set("receipt", 0, "receipt_id", ""))
	finds(t, "noted", "as bounced of", set("receipt", 0, "kind", "bounced"))
	finds(t, "noted", "email sent delivered of 2026-03-02 02:01:50", set("receipt", 0, "at", "2026-03-02 02:01:51+00"))
	another := func(v *oracle.View) {
		v.Truth.Receipts = append(v.Truth.Receipts, world.Brought{Receipt: world.Receipt{Channel: "sms", ID: "r1", Key: "k/1"}, BroughtAt: at("05:54:59")})
	}
	finds(t, "noted", "sms sent the receipt r1 of k/1, and it is not on record", another)
	accepts(t, "noted", another, func(v *oracle.View) { v.Settled = false })
	accepts(t, "noted", another, func(v *oracle.View) { v.Truth.Receipts[1].BroughtAt = at("05:55:00") })
}

func TestCovered(t *testing.T) {
	t.Parallel()
	const most = 60 * time.Second // of a lease of 90
	submits := func(late time.Duration, more ...sim.Entry) edit {
		return func(v *oracle.View) {
			terms := v.Limits.Terms["email"]
			terms.CallTimeout = most
			v.Limits.Terms["email"] = terms
			v.History = &sim.History{Entries: append([]sim.Entry{answered("worker-1", "email", "sql:SubmitIntent", "i"),
				after(late, answered("worker-1", "email", "sql:commit"))}, append(more, after(late, called("worker-1", "email", "call:email send(e1)")))...)}
		}
	}
	finds(t, "covered", "for up to 1m0s, and its lease ended at 2026-03-02 00:01:30", submits(31*time.Second))
	accepts(t, "covered", submits(30*time.Second))
	accepts(t, "covered", submits(40*time.Second, after(35*time.Second, answered("worker-1", "email", "sql:ClaimIntents", "i"))))
	accepts(t, "covered", submits(40*time.Second, sim.Entry{Actor: sim.Actor{Process: "worker-1"}, What: "suspended"}))
	accepts(t, "covered", submits(30*time.Second, after(40*time.Second, sim.Entry{Actor: task("worker-1", "email"), What: "deviation"})))
	drift := func(host string) sim.Entry {
		return sim.Entry{Actor: sim.Bare(host), What: "deviation", Label: "clock", Nth: 1,
			Deviation: &sim.Deviation{Class: sim.Fault, Value: sim.Value{Verb: "drift", Arg: "-400000ppm"}}}
	}
	accepts(t, "covered", submits(40*time.Second, drift("worker-1")))
	finds(t, "covered", "for up to 1m0s", submits(40*time.Second, drift("worker-2")))
	sleeps := func(what string) edit {
		return func(v *oracle.View) {
			v.History.Entries = append([]sim.Entry{{Actor: sim.Actor{Process: "worker-1"}, What: "suspended"}, {Actor: sim.Actor{Process: "worker-1"}, What: what}}, v.History.Entries...)
		}
	}
	accepts(t, "covered", submits(40*time.Second), sleeps("suspended"))
	finds(t, "covered", "for up to 1m0s", submits(40*time.Second), sleeps("resumed"))
}
