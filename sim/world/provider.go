package world

import (
	"time"
)

// ProviderName is the provider's actor in scripts and histories.
const ProviderName = "provider"

// Provider is the payment provider. Its rows are the truth; a statement is what it says of one window of them.
type Provider struct {
	service
	rows    []row
	exports map[string]export // by account: given files instead of generated rows
}

func newProvider(w *World, t Terms) *Provider {
	return &Provider{service: newService(w, ProviderName, t), exports: map[string]export{}}
}

// charge books a payment at the provider.
func (p *Provider) charge(account string, inv Invoice, ref, id string, at time.Time) row {
	r := row{ID: id, Account: account, Category: "charge", At: at, Currency: inv.Currency, Gross: inv.AmountMinor,
		Fee: feeOf(inv.AmountMinor, inv.Currency), Source: ref, Charge: ref, Customer: inv.Customer, Invoice: inv.ID, About: "Payment"}
	p.rows = append(p.rows, r)
	p.pay(r)
	return r
}

// pay lists a charge among the payments of the truth.
func (p *Provider) pay(r row) {
	w := p.w.windowAt(r.Account, r.At)
	p.w.truth.Payments = append(p.w.truth.Payments, Payment{Ref: r.Source, Account: r.Account, Customer: r.Customer, Invoice: r.Invoice,
		Currency: r.Currency, AmountMinor: r.Gross, FeeMinor: r.Fee, At: r.At, SettledAt: w.End, Window: w.ID})
}

// sweep puts all rows of a window and currency into one payout and says what they come to. A balance that is not
// positive is not paid out: its rows stay where they are.
func (p *Provider) sweep(account string, w Window, currency, payout string) (net int64) {
	var rows []*row
	for i := range p.rows {
		r := &p.rows[i]
		if r.Account == account && r.Currency == currency && !r.At.Before(w.Start) && r.At.Before(w.End) {
			rows = append(rows, r)
			net += r.net()
		}
	}
	if net <= 0 {
		return 0
	}
	for _, r := range rows {
		r.Payout = payout
	}
	return net
}

func (p *Provider) payoutOf(id string) string {
	for _, r := range p.rows {
		if r.ID == id && id != "" {
			return r.Payout
		}
	}
	return ""
}
