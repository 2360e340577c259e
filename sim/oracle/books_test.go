package oracle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim/oracle"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/recondrill/recondrill/sim/world"
)

func TestReconciledOnce(t *testing.T) {
	t.Parallel()
	finds(t, "reconciled-once", "have two jobs", also("job", 0, "job_id", "other"))
	finds(t, "reconciled-once", "was reconciled twice", also("envelope", 0, "generation", "2"))
	finds(t, "reconciled-once", "has two envelopes", also("envelope", 0, "statement_hash", "bb"))
	accepts(t, "reconciled-once", also("envelope", 0, "generation", "2", "statement_hash", "bb"))
}

func TestIntentOnce(t *testing.T) {
	t.Parallel()
	finds(t, "intent-once", "are one decision", also("intent", 0, "intent_id", "other", "idempotency_key", "k"))
	finds(t, "intent-once", "leave under one key", also("intent", 0, "intent_id", "other", "kind", "invoice"))
}

func TestStepOnce(t *testing.T) {
	t.Parallel()
	finds(t, "step-once", "is covered by", also("intent_step", 0, "intent_id", "acct_1/2026-03-01/reminder/sms/s1"))
	finds(t, "step-once", "does not exist", set("intent_step", 0, "intent_id", "nobody"))
	finds(t, "step-once", "goes to sms/s1", set("intent_step", 0, "intent_id", "acct_1/2026-03-01/reminder/sms/s1"))
}

func TestTogether(t *testing.T) {
	t.Parallel()
	finds(t, "together", "has no envelope", drop("envelope", 0))
	finds(t, "together", "although the envelope of its generation exists", set("job", 0, "state", "leased"))
	finds(t, "together", "its reconciliation acct_1/2026-03-01/1 has no envelope", drop("envelope", 0))
	accepts(t, "together", set("job", 0, "state", "ready"), set("job", 0, "generation", "2"))
}

func TestTogether_ADoneJobWithoutItsIntentsIsALostMessage(t *testing.T) {
	t.Parallel()
	lost := finds(t, "together", "without an intent for i1/due-3/email/e1", drop("intent_step", 0))
	require.Equal(t, 1, lost.Lost.Messages)
	finds(t, "together", "was covered only at", also("job", 1, "job_id", "later", "state", "done"), also("envelope", 0, "job_id", "later", "recorded_at", "2026-03-02 04:00:00+00"),
		set("intent", 0, "job_id", "later"))
	for _, excused := range []edit{
		set("invoice", 0, "state", "paid"), set("contact", 0, "opted_out", "t"), set("template", 0, "retired_at", "2026-03-02 00:00:00+00"),
		set("step", 0, "due_at", "2026-03-02 02:00:00+00"), set("invoice", 0, "paid_minor", "1000"),
	} {
		accepts(t, "together", drop("intent_step", 0), excused)
	}
}

func TestConservation(t *testing.T) {
	t.Parallel()
	finds(t, "conservation", "which does not exist", drop("window", 0))
	finds(t, "conservation", "the window before it ends at", set("window", 1, "starts_at", "2026-03-02 01:00:00+00"))
	finds(t, "conservation", "was skipped by ann", set("window", 0, "skipped_by", "ann"))
	finds(t, "conservation", "closed at 2026-03-02 02:00:10.5+00 without it", drop("job", 2))
	finds(t, "conservation", `its state is "limbo"`, set("job", 0, "state", "limbo"))
	finds(t, "conservation", "no such step is planned", drop("step", 0))
	finds(t, "conservation", "no such contact on this channel", set("contact", 0, "channel", "push"))
	finds(t, "conservation", "another customer's", set("contact", 0, "customer_id", "c2"))
	finds(t, "conservation", "it covers nothing", drop("intent_step", 0))
	accepts(t, "conservation", set("window", 0, "skipped_by", "ann"), set("job", 0, "state", "cancelled"))
}

func TestZeroSum(t *testing.T) {
	t.Parallel()
	finds(t, "zero-sum", "sum to 1 minor units USD", set("posting", 4, "amount_minor", "2101"))
	finds(t, "zero-sum", "sum to", set("posting", 4, "currency", "EUR"))
	finds(t, "zero-sum", "has no postings", drop("posting", 7), drop("posting", 6))
	finds(t, "zero-sum", "which does not exist", drop("transaction", 3))
	finds(t, "zero-sum", "its postings say 1000", set("invoice", 0, "paid_minor", "10"))
	finds(t, "zero-sum", "it is paid, though it says 1000 minor units USD are owed and its postings say 1000", set("invoice", 0, "state", "paid"))
	finds(t, "zero-sum", "it is paid, though it says 0 minor units USD are owed and its postings say 2100", drop("posting", 9), drop("posting", 8), drop("transaction", 4))
	accepts(t, "zero-sum", set("invoice", 0, "state", "disputed"))
}

func TestAppendOnly(t *testing.T) {
	t.Parallel()
	earlier := func(v *oracle.View) {
		kept := good()
		v.Earlier = pg.Tables{"recon.envelope": kept.Tables["recon.envelope"], "recon.posting": kept.Tables["recon.posting"]}
	}
	finds(t, "append-only", "was changed or is gone", earlier, set("posting", 4, "amount_minor", "2101"))
	finds(t, "append-only", "was changed or is gone", earlier, drop("envelope", 0))
	finds(t, "append-only", "holds 0 of its 1000 minor units USD", drop("posting", 0))
	accepts(t, "append-only", earlier, also("envelope", 0, "generation", "2"))
}

func TestResidual(t *testing.T) {
	t.Parallel()
	finds(t, "residual", "its breaks explain 2000", set("break", 0, "residual_minor", "2000"))
	finds(t, "residual", "is not its residual", set("envelope_total", 0, "ledger_minor", "2000"))
	finds(t, "residual", "opening 5 + new 4028 is not its total", set("envelope_total", 0, "provider_opening_minor", "5"))
	finds(t, "residual", "is not closing", set("envelope_total", 0, "ledger_closing_minor", "1"))
	finds(t, "residual", "the provider's statement comes to 4029", func(v *oracle.View) { v.Truth.Statement[0].NetMinor = 4029 })
	finds(t, "residual", "has 2 rows in EUR", func(v *oracle.View) { v.Truth.Statement[0].Currency = "EUR" })
	finds(t, "residual", "has nothing in this currency", func(v *oracle.View) { v.Truth.Statement = nil })
	finds(t, "residual", "it has no total", also("break", 0, "break_key", "b2", "currency", "JPY"))
}

func TestPlanted(t *testing.T) {
	t.Parallel()
	missed := finds(t, "planted", "is there and was not found", drop("break", 0))
	require.Equal(t, map[string]int64{"USD": 2014}, missed.Lost.Money)
	finds(t, "planted", "is there and was not found; found: fee_differs 2014 USD", set("break", 0, "kind", "fee_differs"))
	finds(t, "planted", "there is no such difference", also("break", 0, "break_key", "b2", "residual_minor", "7"))
	accepts(t, "planted", drop("break", 0), drop("envelope", 0)) // not finished: nothing is promised yet
}

func TestPlanted_WhatOurLedgerLearnsOfMeanwhileMayBeFoundOrNot(t *testing.T) {
	t.Parallel()
	passing := truth(func(t *world.Truth) {
		p := t.Planted[0]
		p.Residual, p.Passing = 99, true
		t.Planted = append(t.Planted, p)
	})
	accepts(t, "planted", passing)
	accepts(t, "planted", passing, truth(func(t *world.Truth) { t.Planted[0].Passing = true }))
}

func TestPlanted_LaterWindowsMayHaveWhatHappenedMeanwhile(t *testing.T) {
	t.Parallel()
	later := func(changes ...string) []edit {
		return []edit{
			also("job", 0, "job_id", "acct_1/2026-03-02", "window_id", "2026-03-02"), also("envelope", 0, "job_id", "acct_1/2026-03-02", "ordinal", "2"),
			also("break", 0, append([]string{"break_key", "b2", "job_id", "acct_1/2026-03-02", "window_id", "2026-03-02"}, changes...)...),
		}
	}
	accepts(t, "planted", later("residual_minor", "7", "row_id", "txn_9")...)
	before := func(v *oracle.View) { v.Limits.Epoch = v.Limits.Epoch.Add(48 * time.Hour) }
	accepts(t, "planted", append(later(), before)...) // carried from the window before
	// Out of its turn it may miss what an earlier one would have matched; and what one side missed may find the other.
	accepts(t, "planted", append(later("residual_minor", "7"), before, set("envelope", 0, "ordinal", "3"))...)
	accepts(t, "planted", append(later("kind", "other_window", "residual_minor", "0", "item_key", "payment/ch_1"), before)...)
	finds(t, "planted", "there is no such difference", append(later("residual_minor", "7", "row_id", "txn_9"), before)...)
}

func TestSlotOnce(t *testing.T) {
	t.Parallel()
	finds(t, "slot-once", "was admitted twice", also("admission", 0))
	finds(t, "slot-once", "it says it made 4 jobs, and 3 have its slot", set("admission", 0, "inserted", "4"))
	finds(t, "slot-once", "its bound is 2", set("admission", 0, "bound", "2"))
	finds(t, "slot-once", "which was not admitted", set("job", 0, "slot", "2026-03-02 03:00:00+00"))
	finds(t, "slot-once", "was never admitted", drop("job", 2))
	accepts(t, "slot-once", drop("job", 2), set("admission", 0, "inserted", "2"), func(v *oracle.View) { v.Settled = false })
}

func TestLetters(t *testing.T) {
	t.Parallel()
	finds(t, "letters", "it counts 2, and 1 of its letters are open", set("lane", 0, "used", "2"))
	finds(t, "letters", "at most 0 letters", set("lane", 0, "capacity", "0"))
	finds(t, "letters", "has no letter for that", set("job", 1, "deaths", "2"))
	finds(t, "letters", "was redriven at", set("letter", 0, "redriven_at", "2026-03-02 03:00:00+00"), set("lane", 0, "used", "0"))
	finds(t, "letters", "lies in lane email", set("letter", 0, "lane", "email"))
	finds(t, "letters", "while lane jobs held 0 of 1 letters", set("letter", 0, "died_at", "2026-03-02 02:30:00+00"))
	finds(t, "letters", "it died 2 times and is parked, and people acted on it 0 times", set("job", 2, "deaths", "2"))
	finds(t, "letters", "it died 1 times and is ready", set("job", 2, "state", "ready"))
	redriven := func(v *oracle.View) {
		v.Tables["recon.audit"] = tabled("audit_id | actor | act | record\n1 | person:ann | redrive | job:acct_3/2026-03-01")
	}
	accepts(t, "letters", set("job", 2, "state", "ready"), redriven)
	accepts(t, "letters", set("job", 2, "deaths", "2"), redriven)
	accepts(t, "letters", also("letter", 0, "record", "job:x", "redriven_at", "2026-03-02 02:03:00+00"))
}

func TestLaneFull(t *testing.T) {
	t.Parallel()
	finds(t, "lane-full", "was ended at 2026-03-02 04:00:00, when it held 1 of 1 letters", set("alarm", 0, "cleared_at", "2026-03-02 04:00:00+00"))
	finds(t, "lane-full", "no alarm was raised", drop("alarm", 0))
	finds(t, "lane-full", "no alarm was raised", set("alarm", 0, "raised_at", "2026-03-02 02:02:59+00"))
	finds(t, "lane-full", `was set to "many"`, set("audit", 2, "detail", "many"))
	more := also("audit", 2, "at", "2026-03-02 04:00:00+00", "detail", "2: x")
	accepts(t, "lane-full", more, set("alarm", 0, "cleared_at", "2026-03-02 04:00:00+00"))
	finds(t, "letters", "held 1 of 2 letters", set("audit", 2, "detail", "2: x"))
	accepts(t, "letters", more, set("lane", 0, "capacity", "2"))
}

func TestDeadUndone(t *testing.T) {
	t.Parallel()
	const sent = "intent:acct_1/2026-03-01/reminder/email/e1"
	finds(t, "dead-undone", "it died at 2026-03-02 03:00:00+00 as what surely did nothing, and its call at 2026-03-02 02:01:31",
		also("letter", 0, "record", sent, "died_at", "2026-03-02 03:00:00+00"))
	finds(t, "dead-undone", "its call at 2026-03-02 02:04:00", also("letter", 0, "record", "correction:b1/1", "died_at", "2026-03-02 03:00:00+00"))
	accepts(t, "dead-undone", also("letter", 0, "record", sent, "died_at", "2026-03-02 02:01:31+00"))
	accepts(t, "dead-undone", also("letter", 0, "record", "intent:acct_1/2026-03-01/reminder/sms/s1", "died_at", "2026-03-02 03:00:00+00"))
}

func TestSettled(t *testing.T) {
	t.Parallel()
	finds(t, "settled", "it is still leased", set("job", 0, "state", "leased"))
	finds(t, "settled", "it is still submitting", set("intent", 0, "state", "submitting"))
	finds(t, "settled", "it is still approved", set("correction", 0, "state", "approved"))
	finds(t, "settled", "did not come to rest", func(v *oracle.View) { v.Settled = false })
	accepts(t, "settled", set("correction", 0, "state", "approved"), set("correction", 0, "act", "task"))
	accepts(t, "settled", set("intent", 0, "state", "held"))
}
