package postgres

import (
	"context"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// Account is the unit for which the provider gives a statement.
type Account struct {
	ID            engine.AccountID
	Zone          string        // IANA; its windows are local days of it
	ProviderLag   time.Duration // a window is due this long after its end
	PaymentLagMax time.Duration // no dunning when payments are known less far than this; 0 = 36 h
}

// Customer owes invoices.
type Customer struct {
	ID      engine.CustomerID
	Account engine.AccountID
}

// Contact is a customer's address on one channel.
type Contact struct {
	ID       engine.ContactID
	Customer engine.CustomerID
	Channel  engine.ChannelName
	Address  string
	OptedOut bool // it wants to hear nothing
}

// Window is the first window of an account; admission writes the following ones.
type Window struct {
	Account engine.AccountID
	engine.Window
}

// paymentLagMax is how far behind our knowledge of payments may be where an account says nothing.
const paymentLagMax = 36 * time.Hour

// AddAccounts makes accounts; those that exist stay as they are. It may be repeated.
func (d *DB) AddAccounts(ctx context.Context, all []Account) error {
	var p queries.AddAccountsParams
	for _, a := range all {
		lag := a.PaymentLagMax
		if lag == 0 {
			lag = paymentLagMax
		}
		p.AccountIds = append(p.AccountIds, string(a.ID))
		p.Zones = append(p.Zones, a.Zone)
		p.ProviderLags = append(p.ProviderLags, a.ProviderLag)
		p.PaymentLagsMax = append(p.PaymentLagsMax, lag)
	}
	return d.one(ctx, "AddAccounts", func(ctx context.Context, q *queries.Queries) error {
		_, err := q.AddAccounts(ctx, p)
		return err
	})
}

// AddCustomers makes customers; those that exist stay as they are.
func (d *DB) AddCustomers(ctx context.Context, all []Customer) error {
	var p queries.AddCustomersParams
	for _, c := range all {
		p.CustomerIds = append(p.CustomerIds, string(c.ID))
		p.AccountIds = append(p.AccountIds, string(c.Account))
	}
	return d.one(ctx, "AddCustomers", func(ctx context.Context, q *queries.Queries) error {
		_, err := q.AddCustomers(ctx, p)
		return err
	})
}

// AddContacts makes contacts and their addresses; those that exist stay as they are.
func (d *DB) AddContacts(ctx context.Context, all []Contact) error {
	var p queries.AddContactsParams
	for _, c := range all {
		p.ContactIds = append(p.ContactIds, string(c.ID))
		p.CustomerIds = append(p.CustomerIds, string(c.Customer))
		p.Channels = append(p.Channels, string(c.Channel))
		p.Addresses = append(p.Addresses, c.Address)
		p.OptedOuts = append(p.OptedOuts, c.OptedOut)
	}
	return d.one(ctx, "AddContacts", func(ctx context.Context, q *queries.Queries) error {
		_, err := q.AddContacts(ctx, p)
		return err
	})
}

// AddWindows makes the first windows of accounts; those that exist stay as they are.
func (d *DB) AddWindows(ctx context.Context, all []Window) error {
	var p queries.AddWindowsParams
	for _, w := range all {
		p.AccountIds = append(p.AccountIds, string(w.Account))
		p.WindowIds = append(p.WindowIds, w.ID)
		p.Starts = append(p.Starts, w.Start)
		p.Ends = append(p.Ends, w.End)
		p.Dues = append(p.Dues, w.DueAt)
	}
	return d.one(ctx, "AddWindows", func(ctx context.Context, q *queries.Queries) error {
		_, err := q.AddWindows(ctx, p)
		return err
	})
}
