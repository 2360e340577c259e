package ledger

// Local corrects the clearing book for a break whose reason is not known yet.
type Local struct {
	Head                            // BreakKey is required
	ProviderRef, BusinessRef string // what the statement's row carried
	Clearing                 Money  // by how much clearing changes, signed
}

// Post: clearing ± · suspense ∓. Key: local/<break>.
func (f Local) Post() (Transaction, error) {
	d := f.begin(KindLocal, "local", f.Clearing)
	d.t.ProviderRef, d.t.BusinessRef = f.ProviderRef, f.BusinessRef
	d.move(Clearing, Suspense, Debt{}, f.Clearing)
	return d.done()
}

// Resolution moves what a local correction left in suspense to where it belongs.
type Resolution struct {
	Head // BreakKey is required
	Debt
	To       Book  // receivable for a customer's payment
	Suspense Money // by how much suspense changes, signed: the correction's own sign
}

// Post: suspense ± · to ∓. Key: resolved/<break>.
func (f Resolution) Post() (Transaction, error) {
	d := f.begin(KindLocal, "resolved", f.Suspense)
	d.move(Suspense, f.To, f.Debt, f.Suspense)
	return d.done()
}

// Rounding is a tolerated cent.
type Rounding struct {
	Head           // BreakKey is required
	Clearing Money // by how much clearing changes, signed
}

// Post: clearing ± · rounding ∓. Key: rounding/<break>.
func (f Rounding) Post() (Transaction, error) {
	d := f.begin(KindRounding, "rounding", f.Clearing)
	d.move(Clearing, RoundingBook, Debt{}, f.Clearing)
	return d.done()
}

func (h Head) begin(kind Kind, word string, m Money) *draft {
	d := begin(h, kind, word, string(h.BreakKey))
	if m.Minor == 0 {
		d.fail("the amount is zero; accepted: signed minor units")
	}
	return d
}

// Conversion is money the provider changed into another currency.
type Conversion struct {
	Head
	ProviderRef string
	From, To    Money // both above zero
}

// Post: clearing − · fx + in the one currency, clearing + · fx − in the other. Key: conversion/<object>.
func (f Conversion) Post() (Transaction, error) {
	d := begin(f.Head, KindConversion, "conversion", f.ProviderRef)
	d.positive("from", f.From.Minor)
	d.positive("to", f.To.Minor)
	if f.From.Currency == f.To.Currency {
		d.fail("from %s to %s; accepted: two currencies", f.From.Currency, f.To.Currency)
	}
	d.t.ProviderRef = f.ProviderRef
	d.move(FX, Clearing, Debt{}, f.From)
	d.move(Clearing, FX, Debt{}, f.To)
	return d.done()
}

var _ = []Fact{Invoice{}, CreditNote{}, Payment{}, Fee{}, Refund{}, Dispute{}, DisputeWon{}, DisputeLost{}, Payout{},
	PayoutBanked{}, PayoutFailed{}, Local{}, Resolution{}, Rounding{}, Conversion{}}
