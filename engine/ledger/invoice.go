package ledger

import "math"

// Invoice is what a customer owes from now on.
type Invoice struct {
	Head
	Debt
	Net Money
	Tax int64 // in Net's currency; zero = none
}

// Post: receivable + · revenue − · tax −. Key: invoice/<invoice>.
func (f Invoice) Post() (Transaction, error) {
	d := begin(f.Head, KindInvoice, "invoice", string(f.Invoice))
	gross := d.gross(f.Debt, f.Net, f.Tax)
	d.t.BusinessRef = string(f.Invoice)
	d.post(Receivable, f.Debt, f.Net.Currency, gross)
	d.post(Revenue, f.Debt, f.Net.Currency, -f.Net.Minor)
	d.post(Tax, f.Debt, f.Net.Currency, -f.Tax)
	return d.done()
}

// CreditNote takes an invoice, or a part of it, back.
type CreditNote struct {
	Head
	Debt
	Note string // its own number: an invoice may have several
	Net  Money
	Tax  int64
}

// Post: revenue + · tax + · receivable −. Key: credit_note/<note>.
func (f CreditNote) Post() (Transaction, error) {
	d := begin(f.Head, KindCreditNote, "credit_note", f.Note)
	gross := d.gross(f.Debt, f.Net, f.Tax)
	d.t.BusinessRef = string(f.Invoice)
	d.post(Revenue, f.Debt, f.Net.Currency, f.Net.Minor)
	d.post(Tax, f.Debt, f.Net.Currency, f.Tax)
	d.post(Receivable, f.Debt, f.Net.Currency, -gross)
	return d.done()
}

func (d *draft) gross(debt Debt, net Money, tax int64) int64 {
	d.positive("net", net.Minor)
	switch {
	case debt.Customer == "" || debt.Invoice == "":
		d.fail("customer %q and invoice %q; accepted: both", debt.Customer, debt.Invoice)
	case tax < 0:
		d.fail("tax is %d; accepted: zero or more minor units", tax)
	case tax > math.MaxInt64-net.Minor:
		d.fail("net %d and tax %d are too large together", net.Minor, tax)
	}
	return net.Minor + tax
}
