package reconcile_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/ops"
	"github.com/recondrill/recondrill/engine/postgres"
	"github.com/recondrill/recondrill/engine/reconcile"
)

// play is a stage with one approved refund, the provider and a refunder.
type play struct {
	*enginetest.Stage
	provider   *enginetest.Outside
	refunder   *reconcile.Refunder
	correction string
}

func openRefund(t *testing.T) play {
	t.Parallel()
	s := server.Open(t)
	s.Books()
	correction := s.Refund()
	provider := enginetest.NewOutside("provider")
	return play{s, provider, newRefunder(t, s.Runtime, s.DB, provider), correction}
}

func newRefunder(t *testing.T, rt engine.Runtime, db *postgres.DB, p engine.Provider) *reconcile.Refunder {
	r := reconcile.NewRefunder(rt, db, p, reconcile.RefundConfig{Limits: engine.Limits{AttemptsMax: 2, CrashesMax: 2}})
	r.Note(func(record engine.Key, err error) { t.Logf("%s: %v", record, err) })
	return r
}

func (p play) pass() int {
	p.T.Helper()
	n, err := p.refunder.Pass(p.Ctx)
	require.NoError(p.T, err)
	return n
}

// booked is what the ledger says of the refund, and of the break.
func (p play) booked() string {
	p.T.Helper()
	return p.Text(`select p.business_key, p.book, p.invoice_id, p.amount_minor from recon.posting p
		join recon.transaction t on t.business_key = p.business_key and t.kind = 'refund_overpayment' order by 1, p.line`)
}

const refundBooked = "refund/re_1 receivable in_1 2014\nrefund/re_1 clearing in_1 -2014"

func TestRefund_IsPaidOnceAndBookedWithTheProvidersReference(t *testing.T) {
	p := openRefund(t)
	require.Equal(t, 1, p.pass())
	require.Zero(t, p.pass())
	require.Equal(t, []engine.Refund{{Account: "acct_1", PaymentRef: "ch_2", Currency: "USD", Amount: 2014, Key: "refund/acct_1/ch_2/1"}}, p.provider.Refunds)
	require.Equal(t, "applied", p.CorrectionState(p.correction))
	require.Equal(t, refundBooked, p.booked())
	require.Equal(t, "resolved correction:"+p.correction, p.Text(`select state, closed_by from recon.break`))
	require.Equal(t, "paid 2014", p.Text(`select state, paid_minor from recon.invoice`))
}

func TestRefund_TimeoutAfterAcceptanceIsNotPaidTwice(t *testing.T) {
	p := openRefund(t)
	p.provider.Answers = []engine.Outcome{{Kind: engine.Unknown, Code: "timeout"}}
	p.pass()
	require.Equal(t, "unknown", p.CorrectionState(p.correction))
	require.Empty(t, p.booked())
	p.provider.Look = func(engine.Key) (engine.Outcome, error) {
		return engine.Outcome{Kind: engine.Accepted, Ref: "re_1"}, nil
	}
	p.Advance(time.Minute)
	p.pass()
	require.Equal(t, "applied", p.CorrectionState(p.correction))
	require.Len(t, p.provider.Refunds, 1)
	require.Equal(t, []engine.Key{"refund/acct_1/ch_2/1"}, p.provider.Asked)
	require.Equal(t, refundBooked, p.booked())
}

func TestRefund_AbsentCountsOnlyAfterTheSettlingTime(t *testing.T) {
	p := openRefund(t)
	p.provider.Answers = []engine.Outcome{{Kind: engine.Unknown}}
	p.pass()
	p.Advance(9 * time.Minute)
	p.pass()
	require.Equal(t, "unknown", p.CorrectionState(p.correction))
	p.Advance(time.Minute)
	p.pass()
	require.Equal(t, "approved", p.CorrectionState(p.correction))
	p.pass()
	require.Equal(t, "applied", p.CorrectionState(p.correction))
	require.Len(t, p.provider.Refunds, 2)
	require.Equal(t, p.provider.Refunds[0], p.provider.Refunds[1], "the same key, the same refund")
}

func TestRefund_TheSameKeyAgainOnlyWhileItIsSurelyRemembered(t *testing.T) {
	p := openRefund(t)
	p.provider.Promise.LookUp = false
	p.provider.Answers = []engine.Outcome{{Kind: engine.Unknown}, {Kind: engine.Throttled}}
	p.pass()
	p.Advance(time.Minute)
	p.pass()
	require.Len(t, p.provider.Refunds, 2)
	require.Equal(t, "unknown", p.CorrectionState(p.correction), "a throttled resend says nothing of the first call")
	p.Advance(24*time.Hour - 2*time.Minute)
	require.Zero(t, p.pass())
	require.Len(t, p.provider.Refunds, 2)
}

func TestRefund_ARejectionIsFinal(t *testing.T) {
	p := openRefund(t)
	p.provider.Answers = []engine.Outcome{{Kind: engine.Rejected, Code: "charge_disputed"}}
	p.pass()
	p.Advance(48 * time.Hour)
	require.Zero(t, p.pass())
	require.Equal(t, "rejected charge_disputed", p.Text(`select state, outcome_code from recon.correction`))
	require.Equal(t, "open", p.Text(`select state from recon.break`))
}

func TestRefund_IsSupersededWhenItsBreakIsGone(t *testing.T) {
	p := openRefund(t)
	p.Exec(`update recon.break set state = 'resolved'`)
	p.pass()
	require.Equal(t, "superseded", p.CorrectionState(p.correction))
	require.Empty(t, p.provider.Refunds)
}

func TestRefund_IsWantedWhileALaterEnvelopeHasItsDifference(t *testing.T) {
	p := openRefund(t)
	p.Exec(`insert into recon.break (break_key, job_id, generation, account_id, window_id, kind, state, row_kind, currency, residual_minor, row_id, item_key, since)
		select 'carried', job_id, generation, account_id, window_id, kind, state, row_kind, currency, residual_minor, row_id, item_key, since from recon.break`)
	p.Exec(`update recon.break set state = 'resolved', closed_by = 'job:' || job_id where break_key <> 'carried'`)
	p.Exec(`update recon.correction set state = 'proposed'`)
	seen, err := ops.Look(p.Ctx, p.DB, ops.Correction, engine.Key(p.correction))
	require.NoError(t, err)
	require.True(t, seen.Correction.BreakOpen, "what it is for stands")
	p.Exec(`update recon.correction set state = 'approved'`)
	p.pass()
	require.Equal(t, "applied", p.CorrectionState(p.correction))
	require.Len(t, p.provider.Refunds, 1)
	require.Equal(t, "resolved", p.Text(`select distinct state from recon.break`))
}

func TestRefund_AnotherOfTheSamePaymentInDoubtMakesItWait(t *testing.T) {
	p := openRefund(t)
	p.Exec(`insert into recon.break (break_key, job_id, generation, account_id, window_id, kind, state, row_kind, currency, residual_minor, since)
		select 'other', job_id, generation, account_id, window_id, kind, state, row_kind, currency, residual_minor, since from recon.break`)
	p.Exec(`insert into recon.correction (correction_id, break_key, job_id, account_id, act, act_number, idempotency_key, payment_ref, currency, amount_minor,
		state, next_at, since) select 'other/refund/1', 'other', job_id, account_id, act, 2, 'k2', payment_ref, currency, amount_minor, 'unknown',
		recon.now() + interval '1 year', recon.now() from recon.correction`)
	p.pass()
	require.Equal(t, "approved another refund of payment ch_2 is in doubt", p.Text(`select state, outcome_code from recon.correction where act_number = 1`))
	require.Empty(t, p.provider.Refunds)
}

func TestRefund_AboveTheDaysCapNothingAutomaticHappens(t *testing.T) {
	p := openRefund(t)
	refunder := reconcile.NewRefunder(p.Runtime, p.DB, p.provider, reconcile.RefundConfig{DayMoneyMax: 2013})
	_, err := refunder.Pass(p.Ctx)
	require.NoError(t, err)
	require.Equal(t, "approved", p.CorrectionState(p.correction))
	require.Empty(t, p.provider.Refunds)
	p.Exec(`update recon.correction set approved_by = 'person:ann', next_at = recon.now()`)
	_, err = refunder.Pass(p.Ctx)
	require.NoError(t, err)
	require.Len(t, p.provider.Refunds, 1, "a person's approval is bounded by the person")
}

func TestRefund_FullLaneParksAndPassesTheAccountOver(t *testing.T) {
	p := openRefund(t)
	p.Exec(`update recon.lane set capacity = 0 where lane = 'corrections'`)
	p.provider.Answers = []engine.Outcome{{Kind: engine.Failed}, {Kind: engine.Failed, Code: "500"}}
	p.pass()
	p.Advance(time.Hour)
	p.pass()
	require.Equal(t, "parked 2 1", p.Text(`select state, attempts, deaths from recon.correction`))
	require.Equal(t, "lane_full corrections", p.Text(`select kind, subject from recon.alarm`))
	require.Zero(t, p.pass())
}

func TestRefund_TwoRefundersNeverSubmitOneCorrection(t *testing.T) {
	p := openRefund(t)
	rt, db := p.Process("worker-2")
	other := enginetest.NewOutside("provider")
	var all sync.WaitGroup
	for _, r := range []*reconcile.Refunder{p.refunder, newRefunder(t, rt, db, other)} {
		all.Go(func() {
			for range 3 {
				_, _ = r.Pass(p.Ctx)
			}
		})
	}
	all.Wait()
	require.Len(t, append(p.provider.Refunds, other.Refunds...), 1)
	require.Equal(t, "applied", p.CorrectionState(p.correction))
}

func TestRefund_ALeaseThatEndsInTheCallIsUnknownAndTheStaleAnswerIsRefused(t *testing.T) {
	p := openRefund(t)
	_, dead := p.Process("worker-2")
	claimed, err := dead.ClaimCorrections(p.Ctx, postgres.ClaimCorrections{Batch: 1})
	require.NoError(t, err)
	_, err = dead.SubmitCorrection(p.Ctx, claimed[0].Claim, engine.CorrectionApproved, func(postgres.CorrectionFacts) postgres.CorrectionDecision {
		return postgres.CorrectionDecision{To: engine.CorrectionSubmitting}
	})
	require.NoError(t, err)
	p.Advance(time.Minute)
	require.Zero(t, p.pass())
	p.Advance(time.Minute)
	p.provider.Look = func(engine.Key) (engine.Outcome, error) { return engine.Outcome{}, context.DeadlineExceeded }
	p.pass()
	require.Equal(t, "unknown", p.CorrectionState(p.correction))
	require.Empty(t, p.provider.Refunds)
	err = dead.FinishCorrection(p.Ctx, claimed[0].Claim, postgres.CorrectionFinish{From: engine.CorrectionSubmitting, To: engine.CorrectionApplied, Ref: "re_9"})
	require.ErrorIs(t, err, engine.ErrLeaseLost)
	require.Empty(t, p.booked())
}

func TestLocal_AnApprovedPostingIsBookedWithoutACall(t *testing.T) {
	p := openRefund(t)
	p.Exec(`update recon.break set kind = 'missing_in_ledger', provider_ref = 'ch_3', row_id = 'txn_ch_3'`)
	p.Exec(`insert into recon.provider_row (account_id, row_id, window_id, kind, occurred_at, provider_ref, business_ref, payout_ref, currency,
		amount_minor, fee_minor) values ('acct_1', 'txn_ch_3', '2026-03-01', 'charge', '2026-03-01 12:00Z', 'ch_3', 'in_1', '', 'USD', 100, 1)`)
	p.Exec(`update recon.correction set act = 'local', payment_ref = '', amount_minor = 100`)
	require.Equal(t, 1, p.pass())
	require.Empty(t, p.provider.Refunds)
	require.Equal(t, "applied", p.CorrectionState(p.correction))
	require.Equal(t, "clearing 100\nreceivable -100", p.Text(`select book, amount_minor from recon.posting where business_key = 'payment/ch_3' order by line`))
	require.Equal(t, "resolved", p.Text(`select state from recon.break`))
}
