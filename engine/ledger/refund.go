package ledger

import (
	"cmp"
	"fmt"
)

// Refund is money the provider gave back for us. The fee of the payment stays lost.
type Refund struct {
	Head
	Debt
	ProviderRef string // the refund's own object, or our key where the provider named none
	BusinessRef string // empty = the invoice
	Overpaid    bool   // of an over-payment: no credit note belongs to it
	Amount      Money
}

// Post: receivable + · clearing −. Key: refund/<refund's object>.
func (f Refund) Post() (Transaction, error) {
	kind := KindRefund
	if f.Overpaid {
		kind = KindRefundOverpayment
	}
	d := begin(f.Head, kind, "refund", f.ProviderRef)
	d.positive("amount", f.Amount.Minor)
	d.t.ProviderRef, d.t.BusinessRef = f.ProviderRef, cmp.Or(f.BusinessRef, string(f.Invoice))
	d.move(Receivable, Clearing, f.Debt, f.Amount)
	return d.done()
}

// RefundOfSale posts a refund and the credit note that goes with it, so that the customer owes nothing afterwards.
// The two must be of the same debt, currency and amount.
func RefundOfSale(refund Refund, note CreditNote) ([]Transaction, error) {
	switch {
	case refund.Overpaid:
		return nil, fmt.Errorf("ledger: refund %s: of an over-payment; accepted here: of a sale", refund.ProviderRef)
	case refund.Debt != note.Debt || refund.Account != note.Account:
		return nil, fmt.Errorf("ledger: refund %s is of %v, credit note %s of %v; accepted: the same", refund.ProviderRef,
			refund.Debt, note.Note, note.Debt)
	case refund.Amount.Currency != note.Net.Currency || refund.Amount.Minor-note.Tax != note.Net.Minor:
		return nil, fmt.Errorf("ledger: refund %s is %v, credit note %s is %v + %d tax; accepted: the same", refund.ProviderRef,
			refund.Amount, note.Note, note.Net, note.Tax)
	}
	out, err := refund.Post()
	if err != nil {
		return nil, err
	}
	credit, err := note.Post()
	if err != nil {
		return nil, err
	}
	return []Transaction{out, credit}, nil
}
