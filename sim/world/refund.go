package world

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// RefundRequest asks to give AmountMinor of a payment back. Empty Key: no deduplication.
type RefundRequest struct {
	Account, PaymentRef, Currency, Key string
	AmountMinor                        int64
}

// Refund gives money of a payment back.
func (p *Provider) Refund(ctx context.Context, r RefundRequest) Answer {
	return p.act(ctx, request{
		what: "refund", key: r.Key,
		label:   fmt.Sprintf("refund(%s,%d,%s)", r.PaymentRef, r.AmountMinor, r.Key),
		detail:  fmt.Sprintf("%s %s %s %d", r.Account, r.PaymentRef, r.Currency, r.AmountMinor),
		touches: []string{"account " + r.Account, keyed(r.Key)},
		refuse:  func() string { return p.refuses(r) },
		effect:  func(_ string, now time.Time, late bool) string { return p.refunded(r, now, late) },
	})
}

// refuses says why a refund can never be done, or nothing. A second full refund of a payment is not refused: its
// damage must show.
func (p *Provider) refuses(r RefundRequest) string {
	charge, ok := p.chargeOf(r)
	switch {
	case !ok:
		return "charge_not_found"
	case charge.Currency != r.Currency:
		return "currency_mismatch"
	case r.AmountMinor <= 0 || r.AmountMinor > charge.Gross:
		return "amount_invalid"
	}
	return ""
}

func (p *Provider) chargeOf(r RefundRequest) (row, bool) {
	i := slices.IndexFunc(p.rows, func(c row) bool {
		return c.Account == r.Account && c.Category == "charge" && c.Source == r.PaymentRef
	})
	if i < 0 {
		return row{}, false
	}
	return p.rows[i], true
}

// refunded makes it true: a row of a later statement, and an effect that the truth counts.
func (p *Provider) refunded(r RefundRequest, now time.Time, late bool) string {
	name := fmt.Sprintf("%s/%d", r.PaymentRef, len(p.w.truth.RefundsOf(r.PaymentRef)))
	charge, _ := p.chargeOf(r) // refuses has found it
	ref := p.w.f.id("re", name)
	p.rows = append(p.rows, row{ID: p.w.f.id("txn", "refund/"+name), Account: r.Account, Category: "refund",
		At: now.UTC().Truncate(time.Second), Currency: r.Currency, Gross: -r.AmountMinor, Source: ref, Charge: r.PaymentRef,
		Customer: charge.Customer, Invoice: charge.Invoice, About: "REFUND FOR CHARGE"})
	p.w.truth.Refunds = append(p.w.truth.Refunds, Refund{Ref: ref, PaymentRef: r.PaymentRef, Account: r.Account, Currency: r.Currency,
		AmountMinor: r.AmountMinor, Key: r.Key, At: now, Late: late})
	return ref
}
