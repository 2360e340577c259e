package world

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// exportLag is the provider's lag of accounts that come from exports.
const exportLag = time.Hour

// EpochFor is when a run over a setup should begin: five minutes before the night in which its newest window is due.
// Without exports that is DefaultEpoch; exports of other days move it.
func EpochFor(s Setup) (time.Time, error) {
	if s.Statements == "" {
		return DefaultEpoch, nil
	}
	all, err := readExports(s.Statements)
	if err != nil {
		return time.Time{}, err
	}
	newest := DefaultEpoch.AddDate(0, 0, -1)
	for _, e := range all {
		for _, at := range e.instants() {
			if at.After(newest) {
				newest = at
			}
		}
	}
	w, err := dayAt("UTC", exportLag, newest, 0)
	return night(w.DueAt).Add(-5 * time.Minute), err
}

func (e *export) instants() []time.Time {
	var all []time.Time
	for _, r := range e.rows {
		all = append(all, r.At)
	}
	for _, f := range e.books {
		all = append(all, f.OccurredAt)
	}
	return all
}

// exports makes one account of each exported statement. Who owes what is derived from the references in it; one open
// invoice an account is added, for a statement tells of payments only.
func (b *builder) exports() error {
	all, err := readExports(b.s.Statements)
	if err != nil {
		return err
	}
	for i := range all {
		if err := b.export(&all[i]); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) export(e *export) error {
	acc := Account{ID: "acct_" + e.name, Zone: "UTC", ProviderLag: exportLag}
	w, err := lastDay(acc.Zone, acc.ProviderLag, night(b.s.Epoch))
	if err != nil {
		return err
	}
	for _, at := range e.instants() {
		if !at.Before(w.End) {
			return fmt.Errorf("statements: %s has a movement at %s, after the window %s that the run begins with; accepted are older ones, or a later epoch (EpochFor)",
				e.name, at.Format(time.RFC3339), w.ID)
		}
	}
	for _, r := range e.rows {
		for r.At.Before(w.Start) { // the file's own span is its window
			w.Start = w.Start.AddDate(0, 0, -1)
		}
	}
	acc.Windows, e.window = []Window{w}, w.ID
	b.w.Accounts = append(b.w.Accounts, acc)
	var customers []Customer
	for n := range b.s.CustomersPer {
		customers = append(customers, b.customer(acc, n+1))
	}
	owes, err := b.derive(acc, e, customers)
	if err != nil {
		return err
	}
	for i := range e.rows {
		r := &e.rows[i]
		r.Customer = owes[r.Invoice]
		b.w.Provider.rows = append(b.w.Provider.rows, *r)
		switch r.Category {
		case "charge":
			b.w.Provider.pay(*r)
		case "refund":
			b.w.truth.Refunds = append(b.w.truth.Refunds, Refund{Ref: r.Source, PaymentRef: r.Charge, Account: acc.ID, Currency: r.Currency,
				AmountMinor: -r.Gross, At: r.At, Before: true})
		}
	}
	e.feeKeys()
	for _, f := range e.books {
		if f.Customer = owes[f.BusinessRef]; f.Customer != "" {
			f.Invoice = f.BusinessRef
		}
		b.book(f)
	}
	for _, p := range compare(e.rows, e.books) {
		p.Window = w.ID
		b.list(p)
	}
	b.w.Provider.exports[acc.ID] = *e
	return nil
}

// feeKeys gives each fact what its fee is booked under: the transaction of the same object, once, else its own key.
func (e *export) feeKeys() {
	used := map[string]bool{}
	for i := range e.books {
		f := &e.books[i]
		f.RowID = f.Key
		for _, r := range e.rows {
			if r.Source != "" && r.Source == f.ProviderRef && r.Category == f.RowKind && !used[r.ID] {
				f.RowID, used[r.ID] = r.ID, true
				break
			}
		}
	}
}

// derive issues the invoices that charges refer to, round robin over the customers, and says whose each is.
func (b *builder) derive(acc Account, e *export, customers []Customer) (owes map[string]string, err error) {
	owes = map[string]string{}
	currency := b.s.Currencies[0]
	issue := func(ref, currency string, amount int64, at time.Time) {
		if ref == "" || amount <= 0 || owes[ref] != "" {
			return
		}
		if i := slices.IndexFunc(b.w.Invoices, func(i Invoice) bool { return i.ID == ref }); i >= 0 {
			err = fmt.Errorf("statements: %s and %s both refer to an invoice %q; accepted are references that are one account's", b.w.Invoices[i].Account, acc.ID, ref)
			return
		}
		inv := b.invoice(acc, customers[len(owes)%len(customers)], strconv.Itoa(len(owes)+1))
		inv.ID, inv.Currency, inv.AmountMinor = ref, currency, amount
		if issued := at.AddDate(0, 0, -10); issued.Before(inv.IssuedAt) {
			inv.IssuedAt = issued
		}
		owes[ref] = inv.Customer
		b.w.Invoices[len(b.w.Invoices)-1] = inv
	}
	for _, f := range e.books {
		if currency = f.Currency; f.RowKind == "charge" {
			issue(f.BusinessRef, f.Currency, f.AmountMinor, f.OccurredAt)
		}
	}
	for _, r := range e.rows {
		if currency = r.Currency; r.Category == "charge" {
			issue(r.Invoice, r.Currency, r.Gross, r.At)
		}
	}
	open := b.invoice(acc, customers[0], "open")
	open.Currency = currency
	b.w.Invoices[len(b.w.Invoices)-1] = open
	return owes, err
}
