package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/ledger"
	"github.com/recondrill/recondrill/engine/postgres"
)

func post(t *testing.T, f ledger.Fact) ledger.Transaction {
	t.Helper()
	tx, err := f.Post()
	require.NoError(t, err)
	return tx
}

var (
	head = ledger.Head{Account: "a", OccurredAt: enginetest.Morning}
	debt = ledger.Debt{Customer: "c", Invoice: "inv_1"}
)

func usd(minor int64) ledger.Money { return ledger.Money{Currency: "USD", Minor: minor} }

func owing(t *testing.T) *enginetest.Stage {
	t.Helper()
	return owes(t, server.Open(t))
}

func owes(t *testing.T, s *enginetest.Stage) *enginetest.Stage {
	t.Helper()
	require.NoError(t, s.DB.AddAccounts(s.Ctx, []postgres.Account{{ID: "a", Zone: "UTC", ProviderLag: time.Hour}}))
	require.NoError(t, s.DB.AddCustomers(s.Ctx, []postgres.Customer{{ID: "c", Account: "a"}}))
	require.NoError(t, s.DB.AddContacts(s.Ctx, []postgres.Contact{{ID: "m", Customer: "c", Channel: "email", Address: "x@example.test"}}))
	require.NoError(t, s.DB.AddInvoices(s.Ctx, []postgres.Invoice{{ID: "inv_1", Account: "a", Customer: "c", Currency: "USD", Amount: 1000, Tax: 200,
		IssuedAt: enginetest.Morning, DueAt: enginetest.Morning, Steps: []postgres.Step{{Name: "due-0", DueAt: enginetest.Morning}, {Name: "due+7", DueAt: enginetest.Morning.Add(168 * time.Hour)}}}}))
	return s
}

func invoiceOf(s *enginetest.Stage) string {
	return s.Text("select state, paid_minor from recon.invoice")
}

func TestBook_EachFactOnceAndItsInvoiceMovesOnce(t *testing.T) {
	s := owing(t)
	require.Equal(t, "receivable 1000\nrevenue -800\ntax -200", s.Text("select book, amount_minor from recon.posting order by 1"))
	part := post(t, ledger.Payment{Head: head, Debt: debt, ProviderRef: "ch_1", Gross: usd(400)})
	for range 3 {
		require.NoError(t, s.DB.BookFacts(s.Ctx, []ledger.Transaction{part}))
	}
	require.Equal(t, "open 400", invoiceOf(s))
	rest := post(t, ledger.Payment{Head: head, Debt: debt, ProviderRef: "ch_2", Gross: usd(700)})
	require.NoError(t, s.DB.BookFacts(s.Ctx, []ledger.Transaction{rest, part}))
	require.Equal(t, "paid 1100", invoiceOf(s))
	require.NoError(t, s.DB.BookFacts(s.Ctx, []ledger.Transaction{post(t, ledger.Refund{Head: head, Debt: debt, ProviderRef: "re_1", Overpaid: true, Amount: usd(100)})}))
	require.Equal(t, "paid 1000", invoiceOf(s))
}

// The server may sort a < B < c: what Go looks up in its answers must not depend on that.
func TestBook_WhateverTheServersCollationEachPaymentMovesItsInvoice(t *testing.T) {
	s := owes(t, server.OpenSorted(t))
	require.Equal(t, "a\nB\nc\nD", s.Text("select k from unnest(array['a', 'B', 'c', 'D']) as g (k) order by k"), "the stage sorts otherwise than by bytes")
	var all []ledger.Transaction
	var keys []engine.Key
	for _, charge := range []string{"ch_a", "ch_B", "ch_c", "ch_D"} {
		all = append(all, post(t, ledger.Payment{Head: head, Debt: debt, ProviderRef: charge, Gross: usd(250)}))
		keys = append(keys, engine.Key("payment/"+charge))
	}
	require.NoError(t, s.DB.BookFacts(s.Ctx, all))
	require.Equal(t, "paid 1000", invoiceOf(s))
	books := must(s.DB.LoadBooks(s.Ctx, postgres.Job{Account: "a"}, postgres.Asked{Keys: append(keys, "payment/ch_b")}))
	require.Equal(t, map[engine.Key]bool{"payment/ch_a": true, "payment/ch_B": true, "payment/ch_c": true, "payment/ch_D": true}, books.Booked)
}

func TestBook_ADisputeIsOfItsInvoiceOnlyAndGivesItBackAsThePaidSumSays(t *testing.T) {
	s := owing(t)
	require.NoError(t, s.DB.AddInvoices(s.Ctx, []postgres.Invoice{{ID: "inv_2", Account: "a", Customer: "c", Currency: "USD", Amount: 500,
		IssuedAt: enginetest.Morning, DueAt: enginetest.Morning}}))
	other := ledger.Debt{Customer: "c", Invoice: "inv_2"}
	dispute := func(of ledger.Debt, ref string, minor int64) ledger.Dispute {
		return ledger.Dispute{Head: head, Debt: of, ProviderRef: ref, Amount: usd(minor)}
	}
	book := func(want string, facts ...ledger.Fact) {
		t.Helper()
		var all []ledger.Transaction
		for _, f := range facts {
			all = append(all, post(t, f))
		}
		require.NoError(t, s.DB.BookFacts(s.Ctx, all))
		require.Equal(t, want, s.Text("select invoice_id, state, paid_minor from recon.invoice order by invoice_id"))
	}
	part, full := dispute(debt, "dp_1", 400), dispute(other, "dp_2", 500)
	book("inv_1 open 400\ninv_2 disputed 500", ledger.Payment{Head: head, Debt: debt, ProviderRef: "ch_1", Gross: usd(400)},
		ledger.Payment{Head: head, Debt: other, ProviderRef: "ch_2", Gross: usd(500)}, full)
	book("inv_1 disputed 400\ninv_2 paid 500", part, ledger.DisputeWon(full))
	again := dispute(debt, "dp_3", 100)
	book("inv_1 disputed 400\ninv_2 paid 500", again)
	book("inv_1 disputed 400\ninv_2 paid 500", ledger.DisputeWon(part))
	book("inv_1 open 400\ninv_2 paid 500", ledger.DisputeWon(again))
	lost := dispute(other, "dp_4", 500)
	book("inv_1 open 400\ninv_2 disputed 500", lost, ledger.DisputeLost(lost))
	late := dispute(debt, "dp_5", 300)
	book("inv_1 open 400\ninv_2 disputed 500", ledger.DisputeWon(late))
	book("inv_1 open 400\ninv_2 disputed 500", late)
}

func TestBook_AKeyWithOtherPostingsIsRefused(t *testing.T) {
	s := owing(t)
	require.NoError(t, s.DB.BookFacts(s.Ctx, []ledger.Transaction{post(t, ledger.Payment{Head: head, Debt: debt, ProviderRef: "ch_1", Gross: usd(400)})}))
	err := s.DB.BookFacts(s.Ctx, []ledger.Transaction{
		post(t, ledger.Payment{Head: head, Debt: debt, ProviderRef: "ch_2", Gross: usd(1)}),
		post(t, ledger.Payment{Head: head, Debt: debt, ProviderRef: "ch_1", Gross: usd(500)}),
	})
	require.ErrorIs(t, err, postgres.ErrBookedOtherwise)
	require.ErrorContains(t, err, "payment/ch_1")
	require.Equal(t, "open 400", invoiceOf(s), "nothing of the batch")
}

func TestBook_ARefundedSaleLeavesNoDebt(t *testing.T) {
	s := owing(t)
	require.NoError(t, s.DB.BookFacts(s.Ctx, []ledger.Transaction{post(t, ledger.Payment{Head: head, Debt: debt, ProviderRef: "ch_1", Gross: usd(1000)})}))
	both, err := ledger.RefundOfSale(ledger.Refund{Head: head, Debt: debt, ProviderRef: "re_1", Amount: usd(1000)},
		ledger.CreditNote{Head: head, Debt: debt, Note: "n1", Net: usd(800), Tax: 200})
	require.NoError(t, err)
	require.NoError(t, s.DB.BookFacts(s.Ctx, both))
	require.Equal(t, "refunded 1000", invoiceOf(s))
	require.Equal(t, "0", s.Text("select sum(amount_minor)::bigint from recon.posting where book = 'receivable'"))
}

func TestBook_ACreditNoteOfAnUnpaidInvoiceCancelsIt(t *testing.T) {
	s := owing(t)
	require.NoError(t, s.DB.BookFacts(s.Ctx, []ledger.Transaction{post(t, ledger.CreditNote{Head: head, Debt: debt, Note: "n1", Net: usd(800), Tax: 200})}))
	require.Equal(t, "cancelled 1000", invoiceOf(s))
}

func TestConservation_CountsEverythingAndNamesWhatIsMissing(t *testing.T) {
	s := owing(t)
	jobs(s, "a", "b")
	c := must(s.DB.Conserve(s.Ctx))
	require.Empty(t, c.Differences())
	require.Equal(t, postgres.Conservation{WindowsDue: 2, Jobs: 2, JobsMoving: 2, Planned: 2, PlannedNotYetDue: 1, PlannedWaiting: 1}, c)
	claimed := must(s.DB.ClaimJobs(s.Ctx, 5))
	must(s.DB.BuryJob(s.Ctx, claimed[0].Claim, "x"))
	s.Exec("update recon.window set skipped_by = 'person:ann' where account_id = 'b'")
	s.Exec("insert into recon.window (account_id, window_id, starts_at, ends_at, due_at) values ('b', '2026-02-01', '2026-02-01', '2026-02-02', '2026-02-02')")
	c = must(s.DB.Conserve(s.Ctx))
	require.Empty(t, c.Differences())
	require.EqualValues(t, 1, c.WindowsWaiting)
	require.EqualValues(t, 1, c.LettersOpen)
	s.Exec("update recon.lane set used = 2 where lane = 'jobs'")
	s.Exec("update recon.window set due_at = recon.now() + interval '1 day' where account_id = 'a'")
	require.Equal(t, []string{
		"due windows = jobs + waiting for a slot + skipped by a person: 2 is not 3",
		"places taken in the lanes = letters that wait: 2 is not 1",
	}, must(s.DB.Conserve(s.Ctx)).Differences())
}
