package ledger

// Payout is money that left the provider for our bank.
type Payout struct {
	Head
	ProviderRef string // the payout's object
	Amount      Money
}

// Post: in_transit + · clearing −. Key: payout/<payout>.
func (f Payout) Post() (Transaction, error) { return f.step(KindPayout, InTransit, Clearing) }

// PayoutBanked is the bank's line for a payout.
type PayoutBanked Payout

// Post: bank + · in_transit −. Key: payout_bank/<payout>.
func (f PayoutBanked) Post() (Transaction, error) {
	return Payout(f).step(KindPayoutBank, Bank, InTransit)
}

// PayoutFailed is a payout that came back to the provider, which may happen days after it was called paid.
type PayoutFailed Payout

// Post: clearing + · in_transit −. Key: payout_failed/<payout>.
func (f PayoutFailed) Post() (Transaction, error) {
	return Payout(f).step(KindPayoutFailed, Clearing, InTransit)
}

func (f Payout) step(kind Kind, to, from Book) (Transaction, error) {
	d := begin(f.Head, kind, string(kind), f.ProviderRef)
	d.positive("amount", f.Amount.Minor)
	d.t.ProviderRef, d.t.PayoutRef = f.ProviderRef, f.ProviderRef
	d.move(to, from, Debt{}, f.Amount)
	return d.done()
}
