package postgres

import (
	"context"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/ledger"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// Invoice is what a customer owes, with the plan of its reminders.
type Invoice struct {
	ID       engine.InvoiceID
	Account  engine.AccountID
	Customer engine.CustomerID
	Currency engine.Currency
	Amount   int64 // minor units, what is owed; the tax is part of it
	Tax      int64
	IssuedAt time.Time
	DueAt    time.Time
	Steps    []Step
}

// Step is one planned reminder.
type Step struct {
	Name  engine.StepName
	DueAt time.Time
}

// AddInvoices makes invoices with their steps and books each in the ledger, in one transaction. Those that exist stay
// as they are.
func (d *DB) AddInvoices(ctx context.Context, all []Invoice) error {
	var p queries.AddInvoicesParams
	var s queries.AddStepsParams
	var facts []ledger.Transaction
	for _, i := range all {
		p.InvoiceIds = append(p.InvoiceIds, string(i.ID))
		p.AccountIds = append(p.AccountIds, string(i.Account))
		p.CustomerIds = append(p.CustomerIds, string(i.Customer))
		p.Currencies = append(p.Currencies, string(i.Currency))
		p.Amounts = append(p.Amounts, i.Amount)
		p.Dues = append(p.Dues, i.DueAt)
		for _, step := range i.Steps {
			s.InvoiceIds = append(s.InvoiceIds, string(i.ID))
			s.Steps = append(s.Steps, string(step.Name))
			s.Dues = append(s.Dues, step.DueAt)
		}
		fact, err := ledger.Invoice{
			Head: ledger.Head{Account: i.Account, OccurredAt: i.IssuedAt},
			Debt: ledger.Debt{Customer: i.Customer, Invoice: i.ID},
			Net:  ledger.Money{Currency: i.Currency, Minor: i.Amount - i.Tax}, Tax: i.Tax,
		}.Post()
		if err != nil {
			return err
		}
		facts = append(facts, fact)
	}
	return d.inTx(ctx, txOptions{Name: "AddInvoices"}, func(ctx context.Context, q *queries.Queries) error {
		if _, err := q.AddInvoices(ctx, p); err != nil {
			return err
		}
		if len(s.Steps) > 0 {
			if _, err := q.AddSteps(ctx, s); err != nil {
				return err
			}
		}
		return bookAll(ctx, q, facts)
	})
}
