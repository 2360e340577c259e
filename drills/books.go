package drills

import (
	"context"
	"fmt"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/ledger"
	"github.com/recondrill/recondrill/engine/postgres"
	"github.com/recondrill/recondrill/sim/world"
)

// openBooks tells the engine's database what it is to know before the run: who is who, what is owed, and what our own
// ledger holds. It is the world's truth with the planted differences.
func openBooks(ctx context.Context, db *postgres.DB, w *world.World) error {
	if err := addParties(ctx, db, w); err != nil {
		return err
	}
	if err := db.AddInvoices(ctx, invoices(w)); err != nil {
		return err
	}
	facts, err := ledgerFacts(w.Books)
	if err != nil {
		return err
	}
	return db.BookFacts(ctx, facts)
}

func addParties(ctx context.Context, db *postgres.DB, w *world.World) error {
	var accounts []postgres.Account
	var windows []postgres.Window
	for _, a := range w.Accounts {
		accounts = append(accounts, postgres.Account{ID: engine.AccountID(a.ID), Zone: a.Zone, ProviderLag: a.ProviderLag})
		first := a.Windows[0]
		windows = append(windows, postgres.Window{Account: engine.AccountID(a.ID),
			Window: engine.Window{ID: first.ID, Start: first.Start, End: first.End, DueAt: first.DueAt}})
	}
	var customers []postgres.Customer
	for _, c := range w.Customers {
		customers = append(customers, postgres.Customer{ID: engine.CustomerID(c.ID), Account: engine.AccountID(c.Account)})
	}
	var contacts []postgres.Contact
	for _, c := range w.Contacts {
		contacts = append(contacts, postgres.Contact{ID: engine.ContactID(c.ID), Customer: engine.CustomerID(c.Customer),
			Channel: engine.ChannelName(c.Channel), Address: c.Address, OptedOut: c.OptedOut})
	}
	if err := db.AddAccounts(ctx, accounts); err != nil {
		return err
	}
	if err := db.AddCustomers(ctx, customers); err != nil {
		return err
	}
	if err := db.AddContacts(ctx, contacts); err != nil {
		return err
	}
	return db.AddWindows(ctx, windows)
}

func invoices(w *world.World) []postgres.Invoice {
	var all []postgres.Invoice
	for _, i := range w.Invoices {
		v := postgres.Invoice{ID: engine.InvoiceID(i.ID), Account: engine.AccountID(i.Account), Customer: engine.CustomerID(i.Customer),
			Currency: engine.Currency(i.Currency), Amount: i.AmountMinor, IssuedAt: i.IssuedAt, DueAt: i.DueAt}
		for _, s := range i.Steps {
			v.Steps = append(v.Steps, postgres.Step{Name: engine.StepName(s.Name), DueAt: s.DueAt})
		}
		all = append(all, v)
	}
	return all
}

// ledgerFacts turns what our ledger is told into its transactions; a fee that is known is a fact of its own.
func ledgerFacts(books []world.Fact) ([]ledger.Transaction, error) {
	var all []ledger.Transaction
	for _, f := range books {
		posted, err := post(f)
		if err != nil {
			return nil, fmt.Errorf("books: %s: %w", f.Key, err)
		}
		posted[0].Key = engine.Key(f.Key) // two of one provider's object are what a duplicate in the ledger is
		all = append(all, posted...)
		if f.HasFee && f.FeeMinor != 0 && f.RowKind != "fee" {
			fee, err := ledger.Fee{Head: head(f), TransactionID: f.RowID, ProviderRef: f.ProviderRef, BusinessRef: f.BusinessRef,
				PayoutRef: f.PayoutRef, Fee: ledger.Money{Currency: engine.Currency(f.Currency), Minor: f.FeeMinor}}.Post()
			if err != nil {
				return nil, fmt.Errorf("books: fee of %s: %w", f.Key, err)
			}
			all = append(all, fee)
		}
	}
	return all, nil
}

// post makes the transactions of one fact. A refund in the books is of a sale: the credit note that belongs to it
// leaves no debt open.
func post(f world.Fact) ([]ledger.Transaction, error) {
	fact := ledgerFact(f)
	if refund, ok := fact.(ledger.Refund); ok && refund.Invoice != "" {
		return ledger.RefundOfSale(refund, ledger.CreditNote{Head: refund.Head, Debt: refund.Debt, Note: "of " + f.ProviderRef, Net: refund.Amount})
	}
	posted, err := fact.Post()
	return []ledger.Transaction{posted}, err
}

func head(f world.Fact) ledger.Head {
	return ledger.Head{Account: engine.AccountID(f.Account), OccurredAt: f.OccurredAt}
}

// ledgerFact is a fact in the words of our ledger.
func ledgerFact(f world.Fact) ledger.Fact {
	debt := ledger.Debt{Customer: engine.CustomerID(f.Customer), Invoice: engine.InvoiceID(f.Invoice)}
	money := func(minor int64) ledger.Money {
		return ledger.Money{Currency: engine.Currency(f.Currency), Minor: minor}
	}
	switch f.RowKind {
	case "charge":
		return ledger.Payment{Head: head(f), Debt: debt, ProviderRef: f.ProviderRef, BusinessRef: f.BusinessRef, PayoutRef: f.PayoutRef,
			Gross: money(f.AmountMinor)}
	case "refund":
		return ledger.Refund{Head: head(f), Debt: debt, ProviderRef: f.ProviderRef, BusinessRef: f.BusinessRef, Overpaid: f.Invoice == "",
			Amount: money(-f.AmountMinor)}
	case "dispute":
		return ledger.Dispute{Head: head(f), Debt: debt, ProviderRef: f.ProviderRef, BusinessRef: f.BusinessRef, Amount: money(-f.AmountMinor)}
	case "dispute_reversal":
		return ledger.DisputeWon{Head: head(f), Debt: debt, ProviderRef: f.ProviderRef, BusinessRef: f.BusinessRef, Amount: money(f.AmountMinor)}
	case "payout":
		return ledger.Payout{Head: head(f), ProviderRef: f.ProviderRef, Amount: money(-f.AmountMinor)}
	case "payout_reversal":
		return ledger.PayoutFailed{Head: head(f), ProviderRef: f.ProviderRef, Amount: money(f.AmountMinor)}
	case "fee":
		return ledger.Fee{Head: head(f), TransactionID: f.RowID, ProviderRef: f.ProviderRef, BusinessRef: f.BusinessRef, PayoutRef: f.PayoutRef,
			Fee: money(f.FeeMinor - f.AmountMinor)}
	default:
		return ledger.Local{Head: ledger.Head{Account: engine.AccountID(f.Account), OccurredAt: f.OccurredAt, BreakKey: engine.Key(f.Key)},
			ProviderRef: f.ProviderRef, BusinessRef: f.BusinessRef, Clearing: money(f.AmountMinor)}
	}
}
