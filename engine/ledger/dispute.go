package ledger

import "cmp"

// Dispute is a payment the customer's bank took back, until it is decided. Its fee is a Fee.
type Dispute struct {
	Head
	Debt
	ProviderRef string // the dispute's object
	BusinessRef string // empty = the invoice
	Amount      Money
}

// Post: disputed + · clearing −. Key: dispute_opened/<dispute>.
func (f Dispute) Post() (Transaction, error) { return f.step(KindDisputeOpened, Disputed, Clearing) }

// DisputeWon is the dispute decided for us.
type DisputeWon Dispute

// Post: clearing + · disputed −. Key: dispute_won/<dispute>.
func (f DisputeWon) Post() (Transaction, error) {
	return Dispute(f).step(KindDisputeWon, Clearing, Disputed)
}

// DisputeLost is the dispute decided against us; nothing moves at the provider any more.
type DisputeLost Dispute

// Post: losses + · disputed −. Key: dispute_lost/<dispute>.
func (f DisputeLost) Post() (Transaction, error) {
	return Dispute(f).step(KindDisputeLost, Losses, Disputed)
}

func (f Dispute) step(kind Kind, to, from Book) (Transaction, error) {
	d := begin(f.Head, kind, string(kind), f.ProviderRef)
	d.positive("amount", f.Amount.Minor)
	d.t.ProviderRef, d.t.BusinessRef = f.ProviderRef, cmp.Or(f.BusinessRef, string(f.Invoice))
	d.move(to, from, f.Debt, f.Amount)
	return d.done()
}
