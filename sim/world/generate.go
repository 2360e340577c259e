package world

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// builder makes the accounts, who owes, who paid, and the books.
type builder struct {
	w    *World
	s    Setup
	f    prf
	free map[string][]Invoice // by account: paid invoices on which nothing is planted yet
}

// account makes one generated account with its customers, invoices, payments and payouts.
func (b *builder) account(n int) error {
	id := "acct_" + strconv.Itoa(n)
	home := pick(b.f, "zone/"+id, homes)
	acc := Account{ID: id, Zone: home.zone, ProviderLag: pick(b.f, "lag/"+id, home.lags)}
	last, err := lastDay(acc.Zone, acc.ProviderLag, night(b.s.Epoch))
	if err != nil {
		return err
	}
	for back := b.s.Windows - 1; back >= 0; back-- {
		w, err := dayAt(acc.Zone, acc.ProviderLag, last.Start, -back)
		if err != nil {
			return err
		}
		acc.Windows = append(acc.Windows, w)
	}
	b.w.Accounts = append(b.w.Accounts, acc)
	flip, total := b.f.n("paid/"+id, 2), b.s.CustomersPer*b.s.InvoicesPer
	for c := range b.s.CustomersPer {
		customer := b.customer(acc, c+1)
		for i := range b.s.InvoicesPer {
			inv := b.invoice(acc, customer, strconv.Itoa(i+1))
			if (c*b.s.InvoicesPer+i+flip)%2 == 1 && total > 1 {
				b.free[id] = append(b.free[id], inv)
			}
		}
	}
	return nil
}

func (b *builder) customer(acc Account, n int) Customer {
	suffix := acc.ID[len("acct_"):] + "_" + strconv.Itoa(n)
	c := Customer{ID: "cus_" + suffix, Account: acc.ID}
	b.w.Customers = append(b.w.Customers, c)
	for _, ch := range b.s.Channels {
		id := "con_" + suffix + "_" + ch.Name
		b.w.Contacts = append(b.w.Contacts, Contact{ID: id, Customer: c.ID, Channel: ch.Name,
			Address: address(ch.Name, suffix, b.f), OptedOut: b.f.chance("opted out/"+id, b.s.OptedOut)})
	}
	return c
}

func address(channel, suffix string, f prf) string {
	switch channel {
	case "email":
		return "owner-" + suffix + "@example.test"
	case "sms":
		return fmt.Sprintf("+1555%07d", f.n("phone/"+suffix, 10_000_000))
	default:
		return f.id(channel, suffix)
	}
}

// dueIn are days from the window's end to an invoice's due date: with steps 7, 3 and 0 days before it, all but the
// last have one or two due at once; the last becomes due while a longer run goes on.
var dueIn = []int{0, 1, 2, 3, 5, 6, 7, 9}

func (b *builder) invoice(acc Account, c Customer, name string) Invoice {
	id := "inv_" + c.ID[len("cus_"):] + "_" + name
	currency := pick(b.f, "currency/"+id, b.s.Currencies)
	end := acc.Windows[len(acc.Windows)-1].End
	loc, _ := time.LoadLocation(acc.Zone) // day has loaded it
	local := end.In(loc)
	due := time.Date(local.Year(), local.Month(), local.Day()+pick(b.f, "due/"+id, dueIn), 0, 0, 0, 0, loc)
	inv := Invoice{ID: id, Account: acc.ID, Customer: c.ID, Currency: currency, AmountMinor: int64(1000 + b.f.n("amount/"+id, 24_000)),
		IssuedAt: due.AddDate(0, 0, -30).UTC(), DueAt: due.UTC()}
	for _, before := range []int{7, 3, 0} {
		inv.Steps = append(inv.Steps, Step{Name: "due-" + strconv.Itoa(before), DueAt: due.AddDate(0, 0, -before).UTC()})
	}
	b.w.Invoices = append(b.w.Invoices, inv)
	return inv
}

// feeOf is what the provider takes of a payment.
func feeOf(amount int64, currency string) int64 {
	if currency == "JPY" {
		return amount * 36 / 1000
	}
	return amount*29/1000 + 30
}

// charge lets the provider see a payment of an invoice. The name tells several of one invoice apart.
func (b *builder) charge(inv Invoice, name string) row {
	acc := b.w.account(inv.Account)
	who := inv.ID + "/" + name
	w := pick(b.f, "window/"+who, acc.Windows)
	at := w.Start.Add(time.Hour + time.Duration(b.f.n("at/"+who, 20*3600))*time.Second)
	return b.w.Provider.charge(acc.ID, inv, b.f.id("ch", who), b.f.id("txn", who), at)
}

// plain is the fact of a charge as our ledger has it when all is well. A fee is booked already or not; now and then
// the payment came by another way and carries our reference only.
func (b *builder) plain(r row, customer string) Fact {
	f := factOf(r, customer)
	f.HasFee = b.f.chance("fee booked/"+r.ID, 5000)
	if !f.HasFee {
		f.FeeMinor = 0
		if r.Invoice != "" && b.f.chance("no ref/"+r.ID, 2500) {
			f.ProviderRef = ""
		}
	}
	return f
}

// factOf is the fact that says exactly what a row says.
func factOf(r row, customer string) Fact {
	return Fact{Key: ledgerKind(r.Category) + "/" + r.Source, Kind: ledgerKind(r.Category), RowKind: r.Category, Account: r.Account,
		Customer: customer, Invoice: r.Invoice, Currency: r.Currency, ProviderRef: r.Source, BusinessRef: r.Invoice,
		PayoutRef: r.Payout, RowID: r.ID, AmountMinor: r.Gross, FeeMinor: r.Fee, HasFee: true, OccurredAt: r.At}
}

// ledgerKind is our ledger's word for a statement's.
func ledgerKind(category string) string {
	if category == "charge" {
		return "payment"
	}
	return category
}

// payouts closes each settled window: per currency one automatic payout of all that moved, which our ledger knows.
func (b *builder) payouts(acc Account) {
	for _, w := range acc.Windows {
		for _, currency := range b.s.Currencies {
			ref := b.f.id("po", acc.ID+"/"+w.ID+"/"+currency)
			net := b.w.Provider.sweep(acc.ID, w, currency, ref)
			if net == 0 {
				continue
			}
			r := row{ID: b.f.id("txn", ref), Account: acc.ID, Category: "payout", At: w.End.Add(-time.Minute), Currency: currency,
				Gross: -net, Source: ref, Payout: ref, About: "STRIPE PAYOUT"}
			b.w.Provider.rows = append(b.w.Provider.rows, r)
			b.book(factOf(r, ""))
		}
		for i := range b.w.Books {
			b.paidOut(acc, &b.w.Books[i])
		}
		for i := range b.w.Late {
			b.paidOut(acc, &b.w.Late[i].Fact)
		}
	}
}

// paidOut names the payout that a fact of the account went into, where there is one by now.
func (b *builder) paidOut(acc Account, f *Fact) {
	if f.Account == acc.ID && f.PayoutRef == "" {
		f.PayoutRef = b.w.Provider.payoutOf(f.RowID)
	}
}

func (b *builder) book(f Fact) { b.w.Books = append(b.w.Books, f) }

// all makes every generated account: paid invoices carry the planted differences first, the rest are plain.
func (b *builder) all() error {
	for n := range b.s.Accounts {
		if err := b.account(n + 1); err != nil {
			return err
		}
	}
	for i, kind := range b.plants() {
		b.plant(kind, b.w.Accounts[i%len(b.w.Accounts)], i)
	}
	for _, acc := range b.w.Accounts {
		for _, inv := range b.free[acc.ID] {
			b.book(b.plain(b.charge(inv, "1"), inv.Customer))
		}
		b.payouts(acc)
	}
	return nil
}

// next is a paid invoice that nothing else is planted on; one more is issued where none is left.
func (b *builder) next(acc Account, n int) Invoice {
	if free := b.free[acc.ID]; len(free) > 0 {
		b.free[acc.ID] = free[1:]
		return free[0]
	}
	of := slices.DeleteFunc(slices.Clone(b.w.Customers), func(c Customer) bool { return c.Account != acc.ID })
	return b.invoice(acc, of[n%len(of)], "x"+strconv.Itoa(n+1))
}
