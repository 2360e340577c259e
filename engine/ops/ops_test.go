package ops_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/advice"
	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/ops"
	"github.com/recondrill/recondrill/engine/postgres"
)

func open(t *testing.T) *enginetest.Stage {
	t.Parallel()
	s := server.Open(t)
	s.Books()
	return s
}

func act(expect int64) ops.Act { return ops.Act{By: "person:ann", Expect: expect, Why: "because"} }

// put forces an intent into a state.
func put(s *enginetest.Stage, intent string, state engine.IntentState) {
	s.Exec(`update recon.intent set state = $2 where intent_id = $1`, intent, string(state))
}

// correctionIn adds the stage's refund in a state.
func correctionIn(s *enginetest.Stage, state string) engine.Key {
	id := s.Refund()
	s.Exec(`update recon.correction set state = $1, first_submitted_at = recon.now(), approved_by = null`, state)
	return engine.Key(id)
}

func TestAct_OnARecordThatMovedIsRefusedAndWritesNothing(t *testing.T) {
	s := open(t)
	correction := s.Refund()
	s.Exec(`update recon.correction set state = 'proposed', approved_by = null`)
	err := ops.Approve(s.Ctx, s.DB, ops.Settings{}, act(1), engine.Key(correction))
	var moved *ops.MovedError
	require.ErrorAs(t, err, &moved)
	require.Equal(t, ops.MovedError{Record: "correction:" + correction, Expect: 1, Version: 2, State: "proposed"}, *moved)
	require.Equal(t, "proposed", s.CorrectionState(correction))
	require.Equal(t, "0", s.Text(`select count(*) from recon.audit`))
	require.NoError(t, ops.Approve(s.Ctx, s.DB, ops.Settings{}, act(moved.Version), engine.Key(correction)))
	require.Equal(t, "approved person:ann 3", s.Text(`select state, approved_by, version from recon.correction`))
	require.Equal(t, "person:ann approve correction:"+correction+" 2 because", s.Text(`select actor, act, record, version, detail from recon.audit`))
	require.ErrorAs(t, ops.Approve(s.Ctx, s.DB, ops.Settings{}, act(2), engine.Key(correction)), &moved, "a click twice approves once")
}

func TestApprove_AboveTheLimitTakesTwoPersons(t *testing.T) {
	s := open(t)
	correction := engine.Key(s.Refund())
	s.Exec(`update recon.correction set state = 'proposed', approved_by = null`)
	limit := ops.Settings{FourEyes: 2013}
	require.NoError(t, ops.Approve(s.Ctx, s.DB, limit, act(2), correction))
	require.Equal(t, "proposed", s.CorrectionState(string(correction)))
	require.ErrorIs(t, ops.Approve(s.Ctx, s.DB, limit, act(3), correction), ops.ErrNotAllowed, "the same person twice is one person")
	require.NoError(t, ops.Approve(s.Ctx, s.DB, limit, ops.Act{By: "person:bob", Expect: 3}, correction))
	require.Equal(t, "approved person:ann person:bob", s.Text(`select state, approved_by from recon.correction`))
}

// Who only follows advice cannot let a large sum go alone, and is told why nothing more is to be done.
func TestDo_AdviceDoesNotApproveALargeSumByOnePersonAlone(t *testing.T) {
	s := open(t)
	correction := engine.Key(s.Refund())
	s.Exec(`update recon.correction set state = 'proposed', approved_by = null, amount_minor = 500001`)
	follow := func(by string) advice.Advice {
		r, err := ops.Look(s.Ctx, s.DB, ops.Correction, correction)
		require.NoError(t, err)
		a := ops.Advise(r, ops.Outside{})
		require.NoError(t, ops.Do(s.Ctx, s.DB, ops.Settings{}, a.Act, ops.Act{By: by, Expect: a.Version, Why: a.Why}, r.Kind, r.Key))
		return a
	}
	require.Equal(t, advice.Approve, follow("person:ann").Act)
	require.Equal(t, "proposed person:ann", s.Text(`select state, approved_by from recon.correction`))
	second := follow("person:ann")
	require.Equal(t, advice.Review, second.Act)
	require.Contains(t, second.Why, "person:ann approved it, and its amount takes two persons")
	require.NoError(t, ops.Approve(s.Ctx, s.DB, ops.Settings{}, ops.Act{By: "person:bob", Expect: second.Version}, correction))
	require.Equal(t, "approved person:ann person:bob", s.Text(`select state, approved_by from recon.correction`))

	s.Exec(`update recon.correction set state = 'proposed', approved_by = null, amount_minor = 500000`)
	require.Equal(t, advice.Approve, follow("person:ann").Act)
	require.Equal(t, "approved person:ann", s.Text(`select state, approved_by from recon.correction`))
}

func TestApprove_ATaskIsNeverApproved(t *testing.T) {
	s := open(t)
	correction := engine.Key(s.Refund())
	s.Exec(`update recon.correction set state = 'proposed', act = 'task'`)
	require.ErrorIs(t, ops.Approve(s.Ctx, s.DB, ops.Settings{}, act(2), correction), ops.ErrNotAllowed)
	require.NoError(t, ops.Refuse(s.Ctx, s.DB, act(2), correction))
}

func TestRedrive_GivesTheLetterItsPlaceBackOnce(t *testing.T) {
	s := open(t)
	s.Invoice("in_9", 1)
	intent := s.Intent("email", "in_9")
	s.Exec(`update recon.intent set state = 'dead', deaths = 1, attempts = 8, crashes = 2`)
	s.Exec(`update recon.lane set used = 1 where lane = 'email'`)
	s.Exec(`insert into recon.letter (lane, record, death, reason, died_at) values ('email', 'intent:' || $1, 1, '500', recon.now())`, intent)
	require.NoError(t, ops.Redrive(s.Ctx, s.DB, act(1), ops.Intent, engine.Key(intent)))
	require.Equal(t, "ready 0 0 1", s.Text(`select state, attempts, crashes, act_number from recon.intent`))
	require.Equal(t, "0", s.Text(`select used from recon.lane where lane = 'email'`))
	require.Equal(t, "person:ann", s.Text(`select redriven_by from recon.letter`))
	var moved *ops.MovedError
	require.ErrorAs(t, ops.Redrive(s.Ctx, s.DB, act(1), ops.Intent, engine.Key(intent)), &moved)
	require.Equal(t, "0", s.Text(`select used from recon.lane where lane = 'email'`))
}

func TestRedrive_ARejectedIntentTakesTheNextActNumberAndForgetsItsBytes(t *testing.T) {
	s := open(t)
	s.Invoice("in_9", 1)
	intent := s.Intent("email", "in_9")
	s.Exec(`update recon.intent set state = 'rejected', body = 'b', body_hash = 'h', first_submitted_at = recon.now(), submitted_at = recon.now()`)
	require.NoError(t, ops.Redrive(s.Ctx, s.DB, act(1), ops.Intent, engine.Key(intent)))
	require.Equal(t, "ready "+intent+"/2  <nil>", s.Text(`select state, idempotency_key, body_hash, first_submitted_at from recon.intent`))
}

func TestRedrive_TakesTheContentThatIsApprovedNowWhereNoneWasFixed(t *testing.T) {
	s := open(t)
	s.Invoice("in_9", 1)
	intent := s.Intent("email", "in_9")
	put(s, intent, engine.IntentDead)
	fixed, err := s.DB.ApproveTemplates(s.Ctx, "person:ann", []postgres.Template{{Channel: "email", Kind: "reminder", Subject: "s", Body: "b"}})
	require.NoError(t, err)
	require.NoError(t, ops.Redrive(s.Ctx, s.DB, act(1), ops.Intent, engine.Key(intent)))
	require.Equal(t, fixed[0], s.Text(`select template_version from recon.intent`))
	s.Exec(`update recon.intent set state = 'dead', body_hash = 'h', template_version = 't-email'`)
	require.NoError(t, ops.Redrive(s.Ctx, s.DB, act(2), ops.Intent, engine.Key(intent)))
	require.Equal(t, "t-email", s.Text(`select template_version from recon.intent`), "what was submitted keeps its bytes and its version")
}

func TestRedrive_NeverFromUnknown(t *testing.T) {
	s := open(t)
	s.Invoice("in_9", 1)
	intent := s.Intent("email", "in_9")
	put(s, intent, engine.IntentUnknown)
	require.ErrorIs(t, ops.Redrive(s.Ctx, s.DB, act(1), ops.Intent, engine.Key(intent)), ops.ErrNotAllowed)
	correction := correctionIn(s, "unknown")
	require.ErrorIs(t, ops.Redrive(s.Ctx, s.DB, act(2), ops.Correction, correction), ops.ErrNotAllowed)
	_, err := ops.NextAct(s.Ctx, s.DB, act(2), correction)
	require.ErrorIs(t, err, ops.ErrNotAllowed)
}

func TestNextAct_IsAnotherRecordWithAnotherKeyProposedAnew(t *testing.T) {
	s := open(t)
	correction := engine.Key(s.Refund())
	s.Exec(`update recon.correction set state = 'rejected'`)
	next, err := ops.NextAct(s.Ctx, s.DB, act(2), correction)
	require.NoError(t, err)
	require.Equal(t, "proposed refund/acct_1/ch_2/2 2014", s.Text(`select state, idempotency_key, amount_minor from recon.correction where correction_id = $1`, string(next)))
	require.Equal(t, "rejected", s.CorrectionState(string(correction)))
}

func TestConfirmDone_BooksTheRefundAndResolvesItsBreak(t *testing.T) {
	s := open(t)
	correction := engine.Key(s.Refund())
	s.Exec(`update recon.correction set state = 'unknown'`)
	require.Error(t, ops.ConfirmDone(s.Ctx, s.DB, act(2), ops.Correction, correction, ""), "money without a reference is not believed")
	var moved *ops.MovedError
	require.ErrorAs(t, ops.ConfirmDone(s.Ctx, s.DB, act(1), ops.Correction, correction, "re_1"), &moved)
	require.Equal(t, "0", s.Text(`select count(*) from recon.transaction where kind = 'refund_overpayment'`))
	require.NoError(t, ops.ConfirmDone(s.Ctx, s.DB, act(2), ops.Correction, correction, "re_1"))
	require.Equal(t, "applied re_1", s.Text(`select state, ref from recon.correction`))
	require.Equal(t, "refund/re_1", s.Text(`select business_key from recon.transaction where kind = 'refund_overpayment'`))
	require.Equal(t, "resolved", s.Text(`select state from recon.break`))
}

func TestPause_IsInForceUntilItsTimeOrAResume(t *testing.T) {
	s := open(t)
	pause := postgres.Pause{Scope: "channel", Name: "email", Why: "outage", By: "person:ann", Lasts: time.Hour}
	paused := func() string { return s.Text(`select recon.channel_pause('acct_1', 'email', 't')`) }
	require.NoError(t, ops.Pause(s.Ctx, s.DB, pause))
	require.Equal(t, "channel paused by person:ann: outage", paused())
	resumed, err := ops.Resume(s.Ctx, s.DB, pause)
	require.NoError(t, err)
	require.True(t, resumed)
	require.Empty(t, paused())
	require.NoError(t, ops.Pause(s.Ctx, s.DB, pause))
	require.NoError(t, s.DB.AlarmPauses(s.Ctx, 30*time.Minute))
	require.Equal(t, "0", s.Text(`select count(*) from recon.alarm`))
	s.Advance(40 * time.Minute)
	require.NoError(t, s.DB.AlarmPauses(s.Ctx, 30*time.Minute))
	require.Equal(t, "forgotten_pause channel:email", s.Text(`select kind, subject from recon.alarm`))
	s.Advance(20 * time.Minute)
	require.Empty(t, paused())
	require.NoError(t, s.DB.AlarmPauses(s.Ctx, 30*time.Minute))
	require.Empty(t, raised(s), "it ended by itself")
	require.Equal(t, "pause resume pause", s.Text(`select string_agg(act, ' ' order by audit_id) from recon.audit`))
	require.Error(t, ops.Pause(s.Ctx, s.DB, postgres.Pause{Scope: "channel", Lasts: time.Hour}))
}

// raised are the alarms that nobody and nothing cleared.
func raised(s *enginetest.Stage) string {
	return s.Text(`select kind, subject from recon.alarm where cleared_at is null`)
}

func TestPause_OneForgottenAgainAlarmsAgain(t *testing.T) {
	s := open(t)
	pause := postgres.Pause{Scope: "channel", Name: "email", Why: "outage", By: "person:ann", Lasts: 9 * time.Hour}
	for range 2 {
		require.NoError(t, ops.Pause(s.Ctx, s.DB, pause))
		s.Advance(time.Hour)
		require.NoError(t, s.DB.AlarmPauses(s.Ctx, time.Hour))
		require.Equal(t, "forgotten_pause channel:email", raised(s))
		_, err := ops.Resume(s.Ctx, s.DB, pause)
		require.NoError(t, err)
		require.Empty(t, raised(s))
	}
	require.NoError(t, ops.Pause(s.Ctx, s.DB, pause))
	s.Advance(time.Hour)
	require.NoError(t, s.DB.AlarmPauses(s.Ctx, time.Hour))
	require.NoError(t, ops.Pause(s.Ctx, s.DB, pause), "renewed by somebody who remembers it")
	require.NoError(t, s.DB.AlarmPauses(s.Ctx, time.Hour))
	require.Empty(t, raised(s))
}

func TestAct_ClearsTheAlarmThatAskedForIt(t *testing.T) {
	s := open(t)
	s.Invoice("in_9", 1)
	intent := engine.Key(s.Intent("email", "in_9"))
	alarm := func(kind, subject string) {
		require.NoError(t, s.DB.RaiseAlarms(s.Ctx, []postgres.Alarm{{Kind: kind, Subject: subject, Detail: "x"}}))
	}
	alarm("lane_full", "sms")
	put(s, string(intent), engine.IntentReview)
	alarm("held_too_long", "intent:"+string(intent))
	require.NoError(t, ops.ReleaseHold(s.Ctx, s.DB, act(1), intent))
	require.Equal(t, "lane_full sms", raised(s))

	s.Exec(`update recon.intent set state = 'dead', deaths = 1`)
	s.Exec(`update recon.lane set capacity = 1, used = 1 where lane in ('email', 'sms')`)
	s.Exec(`insert into recon.letter (lane, record, death, reason, died_at) values ('email', 'intent:' || $1, 1, '500', recon.now())`, string(intent))
	alarm("lane_full", "email")
	require.NoError(t, ops.Redrive(s.Ctx, s.DB, act(2), ops.Intent, intent))
	require.Equal(t, "lane_full sms", raised(s), "the place that was given back is the e-mail lane's")
	require.NoError(t, ops.SetLaneCapacity(s.Ctx, s.DB, postgres.LaneCapacity{Lane: "sms", Capacity: 1, By: "person:ann", Why: "x"}))
	require.Equal(t, "lane_full sms", raised(s))
	require.NoError(t, ops.SetLaneCapacity(s.Ctx, s.DB, postgres.LaneCapacity{Lane: "sms", Capacity: 2, By: "person:ann", Why: "x"}))
	require.Empty(t, raised(s))
	require.Equal(t, "person:ann set_capacity 1: x\nperson:ann set_capacity 2: x", s.Text("select actor, act, detail from recon.audit where record = 'lane:sms' order by audit_id"))
	require.Error(t, ops.SetLaneCapacity(s.Ctx, s.DB, postgres.LaneCapacity{Lane: "sms", Capacity: 0, By: "person:ann", Why: "x"}))
}

// Every act that advice names for a person is a legal exit of the state it was named for, and can be carried out.
func TestAdvise_WhatItNamesCanBeDoneInEveryState(t *testing.T) {
	s := open(t)
	outside := ops.Outside{Provider: engine.Terms{Keyed: true, KeyRetention: time.Hour},
		Channels: map[engine.ChannelName]engine.Terms{"email": {}, "sms": {LookUp: true}, "push": {Keyed: true, KeyRetention: time.Hour}}}
	s.Invoice("in_9", 1)
	for _, channel := range []string{"email", "sms", "push"} {
		for _, state := range engine.IntentStates() {
			intent := s.Intent(channel, "in_9")
			put(s, intent, state)
			s.Exec(`update recon.intent set lease_until = recon.now() + interval '1 minute', leased_by = 'w' where intent_id = $1
				and state in ('leased', 'submitting')`, intent)
			s.Exec(`update recon.intent set first_submitted_at = recon.now() where intent_id = $1 and state in ('submitting', 'unknown')`, intent)
			s.Exec(`delete from recon.intent_step`)
		}
	}
	s.Exec(`insert into recon.intent_step (invoice_id, step, channel, contact_id, intent_id) select 'in_9', 'due-3', channel, contact_id, intent_id from recon.intent`)
	correctionIn(s, "proposed")
	for i, state := range engine.CorrectionStates() {
		s.Exec(`insert into recon.break (break_key, job_id, generation, account_id, window_id, kind, state, row_kind, currency, residual_minor, business_ref, since)
			select 'b' || $1, job_id, generation, account_id, window_id, kind, 'resolved', row_kind, currency, residual_minor, 'in_2', recon.now()
			from recon.break limit 1`, fmt.Sprint(i))
		s.Exec(`insert into recon.correction (correction_id, break_key, job_id, account_id, act, act_number, idempotency_key, payment_ref, currency, amount_minor,
			state, next_at, since) values ('b' || $1 || '/refund/1', 'b' || $1, 'acct_1/2026-03-01', 'acct_1', 'refund', 1, 'k' || $1, 'pay_' || $1, 'USD', 1, $2,
			recon.now(), recon.now())`, fmt.Sprint(i), string(state))
	}
	records, err := ops.Unsettled(s.Ctx, s.DB)
	require.NoError(t, err)
	done := map[advice.Act]int{}
	for _, r := range records {
		a := ops.Advise(r, outside)
		require.Equal(t, r.Version, a.Version)
		require.NoError(t, ops.Do(s.Ctx, s.DB, ops.Settings{}, a.Act, ops.Act{By: "person:drill", Expect: a.Version, Why: a.Why}, r.Kind, r.Key), "%v %v", r, a)
		done[a.Act]++
	}
	for _, want := range []advice.Act{advice.Wait, advice.Redrive, advice.LookUp, advice.ResendSameKey, advice.ReleaseHold, advice.Approve, advice.Refuse, advice.GiveUp} {
		require.Positive(t, done[want], "%v of %v", want, done)
	}
}

func TestLook_SaysThatARecordIsAtAnEnd(t *testing.T) {
	s := open(t)
	_, err := ops.Look(s.Ctx, s.DB, ops.Job, "acct_1/2026-03-01")
	require.ErrorIs(t, err, ops.ErrNoRecord)
	require.ErrorIs(t, ops.Cancel(s.Ctx, s.DB, act(1), "nonsense"), ops.ErrNoRecord)
	require.ErrorIs(t, ops.Cancel(s.Ctx, s.DB, act(1), "acct_1/2026-03-01"), ops.ErrNotAllowed)
	s.Exec(`update recon.job set state = 'review'`)
	record, err := ops.Look(s.Ctx, s.DB, ops.Job, "acct_1/2026-03-01")
	require.NoError(t, err)
	require.Equal(t, advice.Review, ops.Advise(record, ops.Outside{}).Act)
	require.NoError(t, ops.Review(s.Ctx, s.DB, act(record.Version), ops.Job, record.Key))
	require.NoError(t, ops.Redrive(s.Ctx, s.DB, act(record.Version), ops.Job, record.Key))
	require.Equal(t, "review redrive", s.Text(`select string_agg(act, ' ' order by audit_id) from recon.audit`))
}

// What may have been sent about two invoices can't be sent again once one of them is paid: the worker never would, and so no
// advice may say so.
func TestAdvise_AnUnknownTextOfWhichAPartIsSettledIsGivenUp(t *testing.T) {
	s := open(t)
	s.Invoice("in_8", 5)
	s.Invoice("in_9", 5)
	intent := engine.Key(s.Intent("email", "in_8", "in_9"))
	s.Exec(`update recon.intent set state = 'unknown', first_submitted_at = recon.now()`)
	outside := ops.Outside{Channels: map[engine.ChannelName]engine.Terms{"email": {Keyed: true, KeyRetention: time.Hour}}}
	advised := func() advice.Advice {
		r, err := ops.Look(s.Ctx, s.DB, ops.Intent, intent)
		require.NoError(t, err)
		return ops.Advise(r, outside)
	}
	require.Equal(t, advice.ResendSameKey, advised().Act)
	s.Exec(`update recon.invoice set paid_minor = amount_minor where invoice_id = 'in_9'`)
	require.Equal(t, advice.GiveUp, advised().Act)
	require.Contains(t, advised().Why, "in_9 paid")
	s.Exec(`update recon.invoice set paid_minor = amount_minor where invoice_id = 'in_8'`)
	require.Equal(t, advice.GiveUp, advised().Act)
	require.Contains(t, advised().Why, "nothing is left")
}
