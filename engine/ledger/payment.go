package ledger

import "cmp"

// Payment is money a provider took for us.
type Payment struct {
	Head
	Debt
	ProviderRef string // the provider's object: the charge; empty where the payment came with our reference only
	BusinessRef string // our reference as the payment carried it; empty = the invoice
	PayoutRef   string // empty = not known yet
	Gross       Money
}

// Post: clearing + · receivable −. Key: payment/<provider's object>, or our reference where nobody named the object.
func (f Payment) Post() (Transaction, error) {
	reference := cmp.Or(f.BusinessRef, string(f.Invoice))
	d := begin(f.Head, KindPayment, "payment", cmp.Or(f.ProviderRef, reference))
	d.positive("gross", f.Gross.Minor)
	d.t.ProviderRef, d.t.PayoutRef, d.t.BusinessRef = f.ProviderRef, f.PayoutRef, reference
	d.move(Clearing, Receivable, f.Debt, f.Gross)
	return d.done()
}

// Fee is what the provider took of it, or by itself. Below zero: given back.
type Fee struct {
	Head
	TransactionID string // the provider's transaction id: its identity
	ProviderRef   string // the object it was taken for; empty = none
	BusinessRef   string
	PayoutRef     string
	Fee           Money
}

// Post: fees + · clearing −. Key: fee/<provider's transaction id>.
func (f Fee) Post() (Transaction, error) {
	d := begin(f.Head, KindFee, "fee", f.TransactionID)
	if f.Fee.Minor == 0 {
		d.fail("the fee is zero; accepted: minor units, below zero when given back")
	}
	d.t.ProviderRef, d.t.PayoutRef, d.t.BusinessRef = f.ProviderRef, f.PayoutRef, f.BusinessRef
	d.move(Fees, Clearing, Debt{}, f.Fee)
	return d.done()
}
