package reconcile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine/match"
	"github.com/recondrill/recondrill/engine/ops"
	"github.com/recondrill/recondrill/engine/postgres"
	"github.com/recondrill/recondrill/engine/reconcile"
)

// breaks are kind, state and residual of every break of a window, by key.
func (tn *town) breaks(window string) string {
	tn.T.Helper()
	return tn.Text("select kind, state, residual_minor from recon.break where window_id = $1 order by break_key", window)
}

func (tn *town) corrections() string {
	tn.T.Helper()
	return tn.Text("select act, state, coalesce(approved_by, '-'), idempotency_key, amount_minor from recon.correction order by correction_id")
}

// holds checks what must always hold after a reconciliation.
func (tn *town) holds() {
	tn.T.Helper()
	require.Equal(tn.T, "0", tn.Text(`select count(*) from recon.envelope_total t where t.residual_minor <>
		(select coalesce(sum(b.residual_minor), 0) from recon.break b where b.job_id = t.job_id and b.currency = t.currency)`), "Σ residuals")
	require.Equal(tn.T, "0", tn.Text(`select count(*) from recon.envelope_total t where provider_opening_minor + provider_new_minor <> provider_minor
		or ledger_opening_minor + ledger_new_minor <> ledger_minor`))
	require.Equal(tn.T, tn.Text(`select coalesce(sum(amount_minor - fee_minor), 0)::bigint from recon.provider_row where matched_job is null`),
		tn.Text(`select coalesce(sum(t.provider_closing_minor), 0)::bigint from recon.envelope_total t join recon.envelope e using (job_id, generation)
			join recon.job j using (job_id) join recon.account a using (account_id) where e.ordinal = a.reconciled`), "closing is what is open at the provider")
	c, err := tn.DB.Conserve(tn.Ctx)
	require.NoError(tn.T, err)
	require.Empty(tn.T, c.Differences())
}

func TestBreak_APaymentWeMissedIsBookedFromItsReference(t *testing.T) {
	tn := open(t, reconcile.Config{})
	tn.invoice("inv_1", 2100)
	tn.provider.lines["2026-03-01"] = charge("txn_1", "ch_1", "inv_1", "21.00", "0.86", "20.14")
	tn.admit(2)
	tn.pass()
	tn.holds()
	require.Equal(t, "missing_in_ledger resolved 2014", tn.breaks("2026-03-01"))
	require.Equal(t, "local applied policy:auto-local local/acct_1/txn_1/1 2100", tn.corrections())
	require.Equal(t, "paid 2100", tn.Text("select state, paid_minor from recon.invoice"))
	require.Equal(t, "0", tn.Text("select count(*) from recon.intent"), "paid is not reminded")
	require.Equal(t, "policy:auto-local approve correction:acct_1/2026-03-01/1/missing_in_ledger/txn_1/local/1 1",
		tn.Text("select actor, act, record, version from recon.audit"))
	require.Equal(t, "clearing 2014\nfees 86\nreceivable 0\nrevenue -1680\ntax -420",
		tn.Text("select book, sum(amount_minor)::bigint from recon.posting group by 1 order by 1"))
}

func TestBreak_ADoubledPaymentIsRefundedAndItsMoneyBooked(t *testing.T) {
	tn := open(t, reconcile.Config{})
	tn.invoice("inv_1", 2100)
	tn.invoice("inv_2", 500)
	tn.paid("ch_1", "inv_1", 2100)
	tn.provider.lines["2026-03-01"] = charge("txn_1", "ch_1", "inv_1", "21.00", "0.86", "20.14") + charge("txn_2", "ch_2", "inv_1", "21.00", "0.86", "20.14")
	tn.admit(2)
	tn.pass()
	tn.holds()
	require.Equal(t, "duplicate_at_provider open 2014", tn.breaks("2026-03-01"))
	require.Equal(t, "refund approved policy:auto-refund refund/acct_1/ch_2/1 2100", tn.corrections())
	require.Equal(t, "paid 4200", tn.Text("select state, paid_minor from recon.invoice where invoice_id = 'inv_1'"), "over-paid until the refund")
	require.Equal(t, "ready", tn.Text("select distinct state from recon.intent"), "the break names another invoice: inv_2 may be reminded")
}

// The statement says that ch_1 paid inv_2, our ledger that it paid inv_1. Nothing is moved, and nobody is reminded of inv_2
// before a person has looked and said so.
func TestBreak_OneChargeForTwoInvoicesIsAPersonsTaskAndHoldsTheReminder(t *testing.T) {
	tn := open(t, reconcile.Config{})
	tn.invoice("inv_1", 2100)
	tn.invoice("inv_2", 2100)
	tn.paid("ch_1", "inv_1", 2100)
	tn.provider.lines["2026-03-01"] = charge("txn_1", "ch_1", "inv_2", "21.00", "0.86", "20.14")
	tn.admit(2)
	tn.pass()
	tn.holds()
	require.Equal(t, "state_differs open 0", tn.breaks("2026-03-01"))
	const key = "acct_1/2026-03-01/1/state_differs/txn_1"
	require.Equal(t, "task proposed - task/acct_1/state_differs/txn_1/1 0", tn.corrections())
	require.Equal(t, "held open break "+key, tn.Text("select distinct state, held_why from recon.intent"))
	tn.Advance(24 * time.Hour)
	tn.admit(3)
	tn.pass()
	require.Equal(t, "open", tn.Text("select state from recon.break where break_key = $1", key), "it goes by no machine")
	act := ops.Act{By: "person:ann", Expect: 2, Why: "the payer wrote the wrong number"}
	var moved *ops.MovedError
	require.ErrorAs(t, ops.AcceptBreak(tn.Ctx, tn.DB, act, key), &moved)
	act.Expect = 1
	require.NoError(t, ops.AcceptBreak(tn.Ctx, tn.DB, act, key))
	require.Equal(t, "accepted person:ann", tn.Text("select state, closed_by from recon.break where break_key = $1", key))
	require.Equal(t, "task refused", tn.Text("select act, state from recon.correction"))
	require.Equal(t, "person:ann accept_break break:"+key+" 1 the payer wrote the wrong number", tn.Text("select actor, act, record, version, detail from recon.audit"))
	_, err := tn.DB.SettleHeld(tn.Ctx, postgres.HeldMax{Reminder: time.Hour, Invoice: time.Hour, Confirmation: time.Hour}, 10)
	require.NoError(t, err)
	require.Equal(t, "ready", tn.Text("select distinct state from recon.intent"))
	require.ErrorIs(t, ops.AcceptBreak(tn.Ctx, tn.DB, ops.Act{By: "person:ann", Expect: 2}, key), ops.ErrNotAllowed)
}

func TestBreak_AnEqualInstalmentOfWhatIsStillOwedIsNoDuplicate(t *testing.T) {
	tn := open(t, reconcile.Config{})
	tn.invoice("inv_1", 4200)
	tn.paid("ch_1", "inv_1", 2100)
	tn.provider.lines["2026-03-01"] = charge("txn_1", "ch_1", "inv_1", "21.00", "0.86", "20.14") + charge("txn_2", "ch_2", "inv_1", "21.00", "0.86", "20.14")
	tn.admit(2)
	tn.pass()
	tn.holds()
	require.Equal(t, "paid 4200", tn.Text("select state, paid_minor from recon.invoice where invoice_id = 'inv_1'"))
	require.Equal(t, "0", tn.Text("select count(*) from recon.correction where act = 'refund'"))
}

func TestBreak_ASecondPaymentInALaterWindowIsADuplicateToo(t *testing.T) {
	tn := open(t, reconcile.Config{})
	tn.invoice("inv_1", 2100)
	tn.paid("ch_1", "inv_1", 2100)
	tn.provider.lines["2026-03-01"] = charge("txn_1", "ch_1", "inv_1", "21.00", "0.86", "20.14")
	tn.provider.lines["2026-03-02"] = charge("txn_2", "ch_2", "inv_1", "21.00", "0.86", "20.14")
	tn.admit(2)
	tn.pass()
	tn.Advance(24 * time.Hour)
	tn.admit(3)
	tn.pass()
	tn.holds()
	require.Equal(t, "duplicate_at_provider open 2014", tn.breaks("2026-03-02"))
	require.Equal(t, "refund approved policy:auto-refund refund/acct_1/ch_2/1 2100", tn.corrections())
}

func TestBreak_WhatWeDoNotKnowIsAPersonsTaskAndHoldsReminders(t *testing.T) {
	tn := open(t, reconcile.Config{})
	tn.invoice("inv_1", 2100)
	tn.provider.lines["2026-03-01"] = charge("txn_1", "ch_1", "", "5.00", "0.00", "5.00")
	tn.admit(2)
	tn.pass()
	tn.holds()
	require.Equal(t, "missing_in_ledger open 500", tn.breaks("2026-03-01"))
	require.Equal(t, "task proposed - task/acct_1/missing_in_ledger/txn_1/1 500", tn.corrections())
	require.Equal(t, "held open break acct_1/2026-03-01/1/missing_in_ledger/txn_1", tn.Text("select distinct state, held_why from recon.intent"))
}

func TestBreak_AnUnknownCategoryGoesToSuspenseAndStaysABreak(t *testing.T) {
	tn := open(t, reconcile.Config{})
	tn.provider.lines["2026-03-01"] = ",txn_1,2026-03-01 09:00:00,usd,-3.00,0.00,-3.00,from_the_future,x_1,\n"
	tn.admit(2)
	tn.pass()
	tn.holds()
	require.Equal(t, "missing_in_ledger open -300", tn.breaks("2026-03-01"))
	require.Equal(t, "clearing -300\nsuspense 300", tn.Text("select book, sum(amount_minor)::bigint from recon.posting group by 1 order by 1"))
	require.Equal(t, "0", tn.Text("select count(*) from recon.provider_row where matched_job is null"))
}

func TestBreak_PayoutsAndTheProvidersOwnFeesAreFactsOfTheStatement(t *testing.T) {
	tn := open(t, reconcile.Config{})
	tn.invoice("inv_1", 2100)
	tn.paid("ch_1", "inv_1", 2100)
	tn.provider.lines["2026-03-01"] = "po_1,txn_1,2026-03-01 09:00:00,usd,21.00,0.86,20.14,charge,ch_1,inv_1\n" +
		"po_1,txn_3,2026-03-01 09:00:00,usd,-1.00,0.00,-1.00,fee,,\n" +
		",txn_2,2026-03-01 10:00:00,usd,-19.14,0.00,-19.14,payout,po_1,\n"
	tn.provider.unproved = true // the payout ties: that is proof enough
	tn.admit(2)
	tn.pass()
	tn.holds()
	require.Equal(t, "", tn.breaks("2026-03-01"))
	require.Equal(t, "fees 186\nin_transit 1914\nreceivable 0\nrevenue -1680\ntax -420", tn.Text("select book, sum(amount_minor)::bigint from recon.posting group by 1 having sum(amount_minor) <> 0 or book = 'receivable' order by 1"))
}

func TestBreak_WhatMayStillComeIsTimingUntilItsGraceIsOver(t *testing.T) {
	tn := open(t, reconcile.Config{Grace: []match.KindGrace{{Kind: "charge", For: 36 * time.Hour}}})
	tn.invoice("inv_1", 2100)
	tn.invoice("inv_2", 900)
	tn.paid("ch_1", "inv_1", 2100)
	tn.admit(2)
	tn.pass()
	tn.holds()
	require.Equal(t, "missing_at_provider timing -2100", tn.breaks("2026-03-01"))
	require.Equal(t, "", tn.corrections())
	require.Equal(t, "ready", tn.Text("select distinct state from recon.intent"), "the doubt is about the paid invoice")
	tn.Advance(24 * time.Hour)
	tn.admit(3)
	tn.pass()
	tn.holds()
	require.Equal(t, "missing_at_provider resolved -2100", tn.breaks("2026-03-01"), "carried into the next envelope")
	require.Equal(t, "missing_at_provider open -2100", tn.breaks("2026-03-02"))
	require.Equal(t, "task proposed - task/acct_1/missing_at_provider/payment/ch_1/1 -2100", tn.corrections(), "never an act outside")
	tn.provider.lines["2026-03-03"] = charge("txn_1", "ch_1", "inv_1", "21.00", "0.86", "20.14")
	tn.Advance(24 * time.Hour)
	tn.admit(4)
	tn.pass()
	tn.holds()
	require.Equal(t, "other_window resolved 0", tn.breaks("2026-03-03"))
	require.Equal(t, "missing_at_provider resolved -2100", tn.breaks("2026-03-02"), "the late row closed it")
	require.Equal(t, "task superseded - task/acct_1/missing_at_provider/payment/ch_1/1 -2100", tn.corrections())
}

func TestBreak_AnOpenDifferenceIsCarriedAndAskedForOnce(t *testing.T) {
	tn := open(t, reconcile.Config{Policy: reconcile.Policy{Nothing: true}})
	tn.invoice("inv_1", 2100)
	tn.provider.lines["2026-03-01"] = charge("txn_1", "ch_1", "inv_1", "21.00", "0.86", "20.14")
	tn.admit(2)
	tn.pass()
	for day := 3; day <= 5; day++ {
		tn.Advance(24 * time.Hour)
		tn.admit(day)
		tn.pass()
		tn.holds()
	}
	require.Equal(t, "missing_in_ledger resolved 2014", tn.breaks("2026-03-03"))
	require.Equal(t, "missing_in_ledger open 2014", tn.breaks("2026-03-04"))
	require.Equal(t, "local proposed - local/acct_1/txn_1/1 2100", tn.corrections())
	require.Equal(t, "2014 0 0 2014", tn.Text(`select provider_opening_minor, provider_new_minor, provider_matched_minor, provider_closing_minor
		from recon.envelope_total where job_id = 'acct_1/2026-03-04'`))
}

func TestCaps_AboveOneNothingAutomaticHappensAndOneAlarmRises(t *testing.T) {
	for name, policy := range map[string]reconcile.Policy{
		"number in a window": {WindowNumberMax: 1}, "money in a window": {WindowMoneyMax: 4199},
		"number in a day": {DayNumberMax: 1}, "money in a day": {DayMoneyMax: 4199}, "share of rows": {BrokenFrom: 1, BrokenPercentMax: 66},
	} {
		tn := open(t, reconcile.Config{Policy: policy})
		tn.invoice("inv_1", 2100)
		tn.invoice("inv_2", 2100)
		tn.provider.lines["2026-03-01"] = charge("txn_1", "ch_1", "inv_1", "21.00", "0.86", "20.14") + charge("txn_2", "ch_2", "inv_2", "21.00", "0.86", "20.14")
		tn.admit(2)
		tn.pass()
		tn.holds()
		require.Equal(t, "proposed 2", tn.Text("select state, count(*) from recon.correction group by 1"), name)
		require.Equal(t, "corrections_capped acct_1", tn.Text("select kind, subject from recon.alarm"), name)
		require.Equal(t, "0", tn.Text("select count(*) from recon.transaction where kind = 'payment'"), name)

		tn.Advance(24 * time.Hour)
		tn.admit(3)
		tn.pass()
		tn.holds()
		require.Equal(t, "done", tn.Text("select state from recon.job where window_id = '2026-03-02'"))
		require.Equal(t, "0", tn.Text("select count(*) from recon.alarm where cleared_at is null"), "%s: the next envelope is under the caps", name)
	}
}

func TestCaps_AnActAboveItsLimitWaitsForAPersonAlone(t *testing.T) {
	tn := open(t, reconcile.Config{Policy: reconcile.Policy{LocalMax: 2000}})
	tn.invoice("inv_1", 2100)
	tn.invoice("inv_2", 2000)
	tn.provider.lines["2026-03-01"] = charge("txn_1", "ch_1", "inv_1", "21.00", "0.86", "20.14") + charge("txn_2", "ch_2", "inv_2", "20.00", "0.86", "19.14")
	tn.admit(2)
	tn.pass()
	tn.holds()
	require.Equal(t, "local proposed - local/acct_1/txn_1/1 2100\nlocal applied policy:auto-local local/acct_1/txn_2/1 2000", tn.corrections())
}

func TestRows_TheSameIdWithOtherContentIsRefused(t *testing.T) {
	tn := open(t, reconcile.Config{})
	tn.provider.lines["2026-03-01"] = charge("txn_1", "ch_1", "", "21.00", "0.86", "20.14")
	tn.provider.lines["2026-03-02"] = charge("txn_1", "ch_1", "", "22.00", "0.86", "21.14")
	tn.admit(2)
	tn.pass()
	tn.Advance(24 * time.Hour)
	tn.admit(3)
	tn.pass()
	require.Equal(t, "review refused", tn.Text("select state, last_outcome from recon.job where window_id = '2026-03-02'"))
	require.Contains(t, tn.Text("select last_error from recon.job where window_id = '2026-03-02'"), "transaction txn_1: the same transaction id with other content")
}

func TestRows_TheSameIdWithTheSameContentCountsOnce(t *testing.T) {
	tn := open(t, reconcile.Config{})
	tn.invoice("inv_1", 2100)
	line := charge("txn_1", "ch_1", "inv_1", "21.00", "0.86", "20.14")
	tn.paid("ch_1", "inv_1", 2100)
	tn.provider.lines["2026-03-01"], tn.provider.lines["2026-03-02"] = line, line
	tn.admit(2)
	tn.pass()
	tn.Advance(24 * time.Hour)
	tn.admit(3)
	tn.pass()
	tn.holds()
	require.Equal(t, "done", tn.Text("select state from recon.job where window_id = '2026-03-02'"))
	require.Equal(t, "", tn.breaks("2026-03-02"))
	require.Equal(t, "1", tn.Text("select count(*) from recon.provider_row"))
}
