package world

import (
	"cmp"
	"slices"
)

// totals are what the statements and the cash of all accounts come to.
func (p *Provider) totals() ([]StatementTotal, []CashTotal) {
	var statements []StatementTotal
	var cash []CashTotal
	for _, r := range p.rows {
		window := p.w.windowAt(r.Account, r.At).ID
		i := slices.IndexFunc(statements, func(t StatementTotal) bool {
			return t.Account == r.Account && t.Window == window && t.Currency == r.Currency
		})
		if i < 0 {
			statements = append(statements, StatementTotal{Account: r.Account, Window: window, Currency: r.Currency})
			i = len(statements) - 1
		}
		t := &statements[i]
		t.Rows++
		t.NetMinor += r.net()
		j := slices.IndexFunc(cash, func(t CashTotal) bool { return t.Account == r.Account && t.Currency == r.Currency })
		if j < 0 {
			cash = append(cash, CashTotal{Account: r.Account, Currency: r.Currency})
			j = len(cash) - 1
		}
		cash[j].add(r)
		if r.Category != "payout" {
			t.PayoutMinor += r.net()
		}
	}
	sortTotals(statements)
	slices.SortFunc(cash, func(a, b CashTotal) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Currency, b.Currency))
	})
	return statements, cash
}

func (c *CashTotal) add(r row) {
	c.FeeMinor += r.Fee
	switch r.Category {
	case "charge":
		c.PaidMinor += r.Gross
	case "refund":
		c.RefundedMinor -= r.Gross
	case "dispute":
		c.DisputedMinor -= r.Gross
	case "payout":
		c.PaidOutMinor -= r.Gross
	default:
		c.OtherMinor += r.Gross
	}
}

func sortTotals(all []StatementTotal) {
	slices.SortFunc(all, func(a, b StatementTotal) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Window, b.Window), cmp.Compare(a.Currency, b.Currency))
	})
}
