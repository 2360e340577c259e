package ops_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/advice"
	"github.com/recondrill/recondrill/engine/delivery"
	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/ops"
	"github.com/recondrill/recondrill/engine/reconcile"
)

// wreck is a stage whose server is another one now, with everything that acts on it.
type wreck struct {
	*enginetest.Stage
	outside   *enginetest.Outside
	deliverer *delivery.Worker
	refunder  *reconcile.Refunder
}

func failedOver(t *testing.T, channel string) wreck {
	s := open(t)
	out := enginetest.NewOutside(channel)
	w := wreck{s, out, delivery.New(s.Runtime, s.DB, out, delivery.Config{}), reconcile.NewRefunder(s.Runtime, s.DB, out, reconcile.RefundConfig{})}
	note := func(record engine.Key, err error) { t.Errorf("%s: %v", record, err) }
	w.deliverer.Note(note)
	w.refunder.Note(note)
	return w
}

// lost is the instant since when acts are lost: a minute before the failover.
func (w wreck) lost() time.Time { return enginetest.Morning.Add(-time.Minute) }

func (w wreck) recover() ops.Recovered {
	w.T.Helper()
	r, err := ops.Recover(w.Ctx, w.DB, ops.Recovery{Since: w.lost(), By: "person:ann", Why: "the primary burnt"})
	require.NoError(w.T, err)
	return r
}

func (w wreck) pass() {
	w.T.Helper()
	_, err := w.deliverer.Pass(w.Ctx)
	require.NoError(w.T, err)
	_, err = w.refunder.Pass(w.Ctx)
	require.NoError(w.T, err)
}

// settle passes until nothing moves any more.
func (w wreck) settle() {
	w.T.Helper()
	for range 8 {
		w.pass()
		w.Advance(4 * time.Minute)
	}
}

// known is an outside that knows some keys.
func known(keys ...engine.Key) func(engine.Key) (engine.Outcome, error) {
	return func(k engine.Key) (engine.Outcome, error) {
		for _, have := range keys {
			if k == have {
				return engine.Outcome{Kind: engine.Accepted, Ref: "found"}, nil
			}
		}
		return engine.Outcome{}, engine.ErrAbsent
	}
}

func (w wreck) advice(kind ops.Kind, record string) advice.Advice {
	w.T.Helper()
	r, err := ops.Look(w.Ctx, w.DB, kind, engine.Key(record))
	require.NoError(w.T, err)
	return ops.Advise(r, ops.Outside{Provider: w.outside.Promise, Channels: map[engine.ChannelName]engine.Terms{w.outside.Called: w.outside.Promise}})
}

func TestFailover_NothingActsUntilItIsRecovered(t *testing.T) {
	w := failedOver(t, "email")
	w.Invoice("in_7", 700)
	refund, intent := w.Refund(), w.Intent("email", "in_7")
	w.Failover("promoted")
	require.Equal(t, "1 true\n2 false", w.Text(`select incarnation, opened_at is not null from recon.incarnation order by 1`))
	require.Equal(t, "incarnation server", raised(w.Stage))
	w.settle()
	require.Empty(t, w.outside.Sent)
	require.Empty(t, w.outside.Refunds)
	require.Equal(t, "ready", w.IntentState(intent))
	require.Equal(t, "approved", w.CorrectionState(refund))
	e, err := ops.Standing(w.Ctx, w.DB)
	require.NoError(t, err)
	require.Contains(t, e.Stopped, "incarnation 2 began at 2026-03-02 09:00:00Z (failover or restore) and is not recovered: recond ops recover")
	for _, a := range []advice.Advice{w.advice(ops.Intent, intent), w.advice(ops.Correction, refund)} {
		require.Equal(t, advice.Wait, a.Act)
		require.Contains(t, a.Why, "recond ops recover")
	}
	w.recover()
	w.settle()
	require.Len(t, w.outside.Sent, 1)
	require.Len(t, w.outside.Refunds, 1)
	require.Equal(t, "sent", w.IntentState(intent))
	require.Equal(t, "applied", w.CorrectionState(refund))
	require.Empty(t, raised(w.Stage))
}

func TestFailover_BeforeAnyProcessNoticedNothingIsClaimedAndNothingActs(t *testing.T) {
	w := failedOver(t, "email")
	w.Invoice("in_7", 700)
	refund, intent := w.Refund(), w.Intent("email", "in_7")
	w.Exec(`create or replace function recon.server_identity(out system_identifier text, out timeline integer) language sql stable as $$ select 'promoted', 2 $$`)
	w.pass()
	require.Equal(t, "ready 0", w.Text(`select state, fence_number from recon.intent where intent_id = $1`, intent))
	require.Equal(t, "approved 0", w.Text(`select state, fence_number from recon.correction where correction_id = $1`, refund))
	require.Empty(t, w.outside.Sent)
	require.Empty(t, w.outside.Refunds)
}

// What was claimed and what was submitted before the failover ends as it can: a claim submits nothing any more, and an
// answer that a process still holds is the truth.
func TestFailover_AnOldClaimSubmitsNothing(t *testing.T) {
	w := failedOver(t, "email")
	w.Invoice("in_7", 700)
	intent := w.Intent("email", "in_7")
	w.outside.Before = func() { w.outside.Before = nil; w.Failover("promoted") }
	w.pass() // the failover comes during the call
	require.Equal(t, "sent", w.IntentState(intent))

	w.Invoice("in_8", 800)
	later := w.Intent("email", "in_8")
	w.recover()
	w.settle()
	require.Equal(t, "sent", w.IntentState(later))
	require.Len(t, w.outside.Sent, 2)
}

func TestRecover_WhatTheTailSentIsNotSentAgain(t *testing.T) {
	for name, state := range map[string]string{"ready": "ready", "held": "held", "dead": "dead", "in review": "review"} {
		t.Run(name, func(t *testing.T) {
			w := failedOver(t, "email")
			w.Invoice("in_7", 700)
			refund, intent := w.Refund(), w.Intent("email", "in_7")
			w.Exec(`update recon.intent set state = $1, held_why = case when $1 = 'held' then 'doubt' else '' end`, state)
			w.outside.Look = known(engine.Key(intent+"/1"), "refund/acct_1/ch_2/1")
			w.Failover("promoted")
			w.recover()
			if state == "dead" {
				require.NoError(t, ops.Redrive(w.Ctx, w.DB, act(1), ops.Intent, engine.Key(intent)))
			} else if state != "ready" {
				require.NoError(t, ops.ReleaseHold(w.Ctx, w.DB, act(1), engine.Key(intent)))
			}
			w.settle()
			require.Empty(t, w.outside.Sent)
			require.Empty(t, w.outside.Refunds)
			require.Equal(t, "sent found", w.Text(`select state, ref from recon.intent`))
			require.Equal(t, "applied found", w.Text(`select state, ref from recon.correction where correction_id = $1`, refund))
			require.Equal(t, "1", w.Text(`select count(*) from recon.transaction where kind = 'refund_overpayment'`), "it is booked")
		})
	}
}

func TestRecover_AbsentCountsOnlyWhenTheLastCallOfTheOldExistenceHasEndedAndSettled(t *testing.T) {
	w := failedOver(t, "email")
	w.Invoice("in_7", 700)
	intent := w.Intent("email", "in_7")
	w.Failover("promoted")
	w.recover()
	w.pass()
	require.Equal(t, "unknown", w.IntentState(intent))
	require.Equal(t, advice.LookUp, w.advice(ops.Intent, intent).Act)
	w.Advance(90*time.Second + 10*time.Minute - time.Second) // the lease, the settling time
	w.pass()
	require.Equal(t, "unknown", w.IntentState(intent))
	// A process that was cut off called at the last instant of its lease.
	w.outside.Look = known(engine.Key(intent + "/1"))
	w.Advance(time.Second)
	w.pass()
	require.Equal(t, "sent", w.IntentState(intent))
	require.Empty(t, w.outside.Sent)
}

func TestRecover_ALaterActOfTheTailIsFoundToo(t *testing.T) {
	w := failedOver(t, "email")
	w.Invoice("in_7", 700)
	intent := w.Intent("email", "in_7")
	refund := w.Refund()
	// Text changed after a failure, and the next act went out; a refund was refused and a person asked anew.
	w.outside.Look = known(engine.Key(intent+"/2"), "refund/acct_1/ch_2/2")
	w.Failover("promoted")
	w.recover()
	w.settle()
	require.Equal(t, "sent 2 "+intent+"/2", w.Text(`select state, act_number, idempotency_key from recon.intent`))
	require.Equal(t, "rejected", w.CorrectionState(refund))
	r, err := ops.Look(w.Ctx, w.DB, ops.Correction, engine.Key(refund))
	require.NoError(t, err)
	next, err := ops.NextAct(w.Ctx, w.DB, act(r.Version), engine.Key(refund))
	require.NoError(t, err)
	require.NoError(t, ops.Approve(w.Ctx, w.DB, ops.Settings{}, act(1), next))
	w.settle()
	require.Equal(t, "applied", w.CorrectionState(string(next)))
	require.Empty(t, w.outside.Sent)
	require.Empty(t, w.outside.Refunds)
}

// A record that the tail lost is made again under its key, and a window that comes later has nothing in doubt.
func TestRecover_WhatIsMadeAgainIsAskedAboutAndWhatIsNewIsNot(t *testing.T) {
	w := failedOver(t, "email")
	w.Failover("promoted")
	w.recover()
	w.Advance(time.Hour)
	w.Invoice("in_7", 700)
	again := w.Intent("email", "in_7")
	w.outside.Look = known(engine.Key(again + "/1"))
	w.settle()
	require.Equal(t, "sent", w.IntentState(again))
	require.Empty(t, w.outside.Sent)

	w.Exec(`insert into recon.job (job_id, account_id, window_id, state, slot, next_at, since)
		values ('acct_1/2026-03-02', 'acct_1', '2026-03-02', 'done', '2026-03-02 03:00Z', recon.now(), recon.now())`)
	w.Invoice("in_8", 800)
	fresh := w.Intent("email", "in_8")
	w.Exec(`update recon.intent set job_id = 'acct_1/2026-03-02' where intent_id = $1`, fresh)
	w.outside.Asked = nil
	w.pass()
	require.Equal(t, "sent", w.IntentState(fresh))
	require.Empty(t, w.outside.Asked)
}

// The tail reconciled one window and reminded; here another window is reconciled first and covers the same step.
func TestRecover_AnotherWindowsLostMessageStopsThisOne(t *testing.T) {
	w := failedOver(t, "email")
	w.Exec(`insert into recon.window (account_id, window_id, starts_at, ends_at, due_at) values ('acct_1', '2026-02-28', '2026-02-27 23:00Z', '2026-02-28 23:00Z', '2026-03-01 03:00Z')`)
	w.Invoice("in_7", 700)
	intent := w.Intent("email", "in_7")
	w.outside.Look = known("acct_1/2026-02-28/reminder/email/c-email/1")
	w.Failover("promoted")
	w.recover()
	w.settle()
	require.Empty(t, w.outside.Sent)
	require.Equal(t, "review lost: the channel knows acct_1/2026-02-28/reminder/email/c-email/1, which may have said the same",
		w.Text(`select state, held_why from recon.intent`))
	a := w.advice(ops.Intent, intent)
	require.Equal(t, advice.Review, a.Act)
	require.NoError(t, ops.ReleaseHold(w.Ctx, w.DB, act(a.Version), engine.Key(intent)))
	w.Exec(`update recon.account set payment_lag_max = '9 days'`)
	w.settle()
	require.Len(t, w.outside.Sent, 1, "a person looked and let it go")
}

func TestRecover_WhereTheOutsideCannotBeAskedAPersonTells(t *testing.T) {
	w := failedOver(t, "sms")
	w.outside.Promise.LookUp = false
	w.Invoice("in_7", 700)
	w.Invoice("in_8", 800)
	first, second := w.Intent("sms", "in_7"), w.Intent("sms", "in_8")
	refund := w.Refund()
	w.Failover("promoted")
	w.recover()
	w.settle()
	require.Empty(t, w.outside.Sent)
	require.Empty(t, w.outside.Refunds)
	for _, intent := range []string{first, second} {
		require.Equal(t, "unknown", w.IntentState(intent))
		require.Equal(t, advice.Review, w.advice(ops.Intent, intent).Act)
	}
	require.Equal(t, "unknown", w.CorrectionState(refund))
	require.Equal(t, advice.Review, w.advice(ops.Correction, refund).Act)
	version := w.advice(ops.Intent, first).Version
	require.NoError(t, ops.ConfirmAbsent(w.Ctx, w.DB, act(version), ops.Intent, engine.Key(first)))
	require.NoError(t, ops.ConfirmDone(w.Ctx, w.DB, act(w.advice(ops.Intent, second).Version), ops.Intent, engine.Key(second), ""))
	require.NoError(t, ops.ConfirmAbsent(w.Ctx, w.DB, act(w.advice(ops.Correction, refund).Version), ops.Correction, engine.Key(refund)))
	w.settle()
	require.Len(t, w.outside.Sent, 1)
	require.Len(t, w.outside.Refunds, 1)
	require.Equal(t, "sent", w.IntentState(first))
}

func TestRecover_AForgottenKeyIsNotBelievedAbsent(t *testing.T) {
	w := failedOver(t, "email")
	w.Exec(`update recon.account set payment_lag_max = '9 days'`)
	w.Invoice("in_7", 700)
	intent := w.Intent("email", "in_7")
	w.Failover("promoted")
	w.Advance(24 * time.Hour)
	w.recover()
	w.settle()
	require.Equal(t, "unknown looked up: absent, but the key may be forgotten by now", w.Text(`select state, outcome_code from recon.intent`))
	require.Equal(t, advice.Review, w.advice(ops.Intent, intent).Act)
	require.Empty(t, w.outside.Sent)
}

func TestRecover_AReceiptTellsWhatTheTailSent(t *testing.T) {
	w := failedOver(t, "push")
	w.outside.Promise.LookUp = false
	w.Invoice("in_7", 700)
	intent := w.Intent("push", "in_7")
	receipt := engine.Receipt{Channel: "push", ID: "r-1", Kind: engine.Delivered, Key: engine.Key(intent + "/1"), At: enginetest.Morning}
	require.NoError(t, delivery.Receipt(w.Ctx, w.DB, receipt))
	require.Equal(t, "ready", w.IntentState(intent), "nothing is in doubt yet")
	w.Failover("promoted")
	receipt.ID = "r-2"
	require.NoError(t, delivery.Receipt(w.Ctx, w.DB, receipt))
	require.Equal(t, "sent", w.IntentState(intent))
}

func TestRecover_IsSaidOnceAndTruly(t *testing.T) {
	w := failedOver(t, "email")
	word := ops.Recovery{Since: w.lost(), By: "person:ann", Why: "the primary burnt"}
	_, err := ops.Recover(w.Ctx, w.DB, word)
	require.ErrorIs(t, err, ops.ErrNothingToRecover)
	w.Invoice("in_7", 700)
	w.Intent("email", "in_7")
	w.Failover("promoted")
	w.Advance(time.Minute)
	for says, wrong := range map[string]ops.Recovery{
		"by \"\"":              {Since: w.lost(), Why: "x"},
		"because \"\"":         {Since: w.lost(), By: "person:ann"},
		"before now":           {Since: enginetest.Morning.Add(time.Hour), By: "person:ann", Why: "x"},
		"acts lost since 0001": {By: "person:ann", Why: "x"},
	} {
		_, err := ops.Recover(w.Ctx, w.DB, wrong)
		require.ErrorIs(t, err, ops.ErrRecovery)
		require.ErrorContains(t, err, says)
	}
	dry := word
	dry.DryRun = true
	would, err := ops.Recover(w.Ctx, w.DB, dry)
	require.NoError(t, err)
	require.Equal(t, []ops.Count{{Kind: "intent", Channel: "email", State: "ready", Number: 1}}, would.InDoubt)
	e, err := ops.Standing(w.Ctx, w.DB)
	require.NoError(t, err)
	require.NotEmpty(t, e.Stopped, "nothing was done")
	done := w.recover()
	require.Equal(t, ops.Recovered{Incarnation: 2, InDoubt: would.InDoubt}, done)
	_, err = ops.Recover(w.Ctx, w.DB, word)
	require.ErrorIs(t, err, ops.ErrNothingToRecover)
	require.Equal(t, "person:ann recover incarnation:2 lost since 2026-03-02 08:59:00Z: the primary burnt",
		w.Text(`select actor, act, record, detail from recon.audit`))
}

// A snapshot of the disk keeps the identity: only a person can know, and says so.
func TestRecover_AServerThatWasSetBackTakesTheNextNumber(t *testing.T) {
	w := failedOver(t, "email")
	w.Invoice("in_7", 700)
	intent := w.Intent("email", "in_7")
	w.outside.Look = known(engine.Key(intent + "/1"))
	done, err := ops.Recover(w.Ctx, w.DB, ops.Recovery{Since: w.lost(), By: "person:ann", Why: "snapshot of 08:59", RolledBack: true})
	require.NoError(t, err)
	require.Equal(t, int32(2), done.Incarnation)
	w.settle()
	require.Equal(t, "sent 2", w.Text(`select state, fence_incarnation from recon.intent`))
	require.Empty(t, w.outside.Sent)
}

// A second failover loses what was asked after the first.
func TestRecover_AgainAfterTheNextFailoverAsksAgain(t *testing.T) {
	w := failedOver(t, "email")
	w.Exec(`update recon.account set payment_lag_max = '9 days'`)
	w.Invoice("in_7", 700)
	intent := w.Intent("email", "in_7")
	w.Failover("second")
	w.recover()
	w.pass()
	w.Advance(12 * time.Minute)
	w.pass()
	require.Equal(t, "2", w.Text(`select asked_incarnation from recon.intent`), "asked, and nothing there")
	w.Exec(`update recon.intent set state = 'ready', next_at = recon.now()`) // the tail sent it, and is lost
	w.outside.Sent = nil
	w.outside.Look = known(engine.Key(intent + "/1"))
	w.Failover("third")
	w.recover()
	w.settle()
	require.Empty(t, w.outside.Sent)
	require.Equal(t, "sent", w.IntentState(intent))
}
