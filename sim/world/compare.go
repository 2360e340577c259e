package world

import "slices"

// compare finds the differences between a provider's rows and the books the plain way: by the provider's object, then
// by our reference and amount, then by the object under another name, then what is left over. It knows no windows and
// no grace, and it shares no code with the engine, whose matching it is there to judge.
func compare(rows []row, books []Fact) []Planted {
	var found []Planted
	paired := make([]int, len(rows)) // the fact of each row, -1 none
	taken := make([]bool, len(books))
	pair := func(same func(row, Fact) bool) {
		for i, r := range rows {
			for j, f := range books {
				if paired[i] < 0 && !taken[j] && r.Currency == f.Currency && same(r, f) {
					paired[i], taken[j] = j, true
				}
			}
		}
	}
	for i := range paired {
		paired[i] = -1
	}
	object := func(r row, f Fact) bool { return r.Source != "" && r.Source == f.ProviderRef }
	pair(func(r row, f Fact) bool {
		return r.Category == f.RowKind && object(r, f) && r.Gross == f.AmountMinor
	})
	pair(func(r row, f Fact) bool { return r.Category == f.RowKind && object(r, f) })
	pair(func(r row, f Fact) bool {
		return r.Category == f.RowKind && r.Invoice != "" && r.Invoice == f.BusinessRef && r.Gross == f.AmountMinor
	})
	pair(object) // the same movement under another name
	for i, r := range rows {
		p := Planted{Account: r.Account, RowKind: r.Category, Currency: r.Currency, ProviderRef: r.Source, RowID: r.ID, BusinessRef: r.Invoice, At: r.At, Asks: "task"}
		if paired[i] < 0 {
			if r.Category == "fee" || r.Category == "payout" || r.Category == "payout_reversal" {
				continue // the statement itself proves it: whoever reads it books it, and nothing differs
			}
			p.Kind, p.Residual = PlantMissingInLedger, r.net()
			if slices.ContainsFunc(rows, func(o row) bool { return twinRows(r, o) }) {
				p.Kind = PlantPaidTwice
			}
			found = append(found, p)
			continue
		}
		f := books[paired[i]]
		p.Key = f.Key
		if r.Category != f.RowKind {
			p.Kind, p.Residual = PlantState, r.net()-f.Net()
			found = append(found, p)
			continue
		}
		if d := r.Gross - f.AmountMinor; d != 0 {
			p.Kind, p.Residual = PlantAmount, d
			found = append(found, p)
		}
		if d := f.FeeMinor - r.Fee; f.HasFee && d != 0 {
			p.Kind, p.Residual = PlantFee, d
			found = append(found, p)
		}
	}
	for j, f := range books {
		if taken[j] {
			continue
		}
		p := Planted{Account: f.Account, Kind: PlantMissingAtProvider, RowKind: f.RowKind, Currency: f.Currency, Residual: -f.Net(),
			ProviderRef: f.ProviderRef, Key: f.Key, BusinessRef: f.BusinessRef, At: f.OccurredAt, Asks: "task"}
		for k, other := range books {
			if taken[k] && twinFacts(f, other) {
				p.Kind = PlantBookedTwice
			}
		}
		found = append(found, p)
	}
	return found
}

// twinRows: another charge of the same reference and amount.
func twinRows(a, b row) bool {
	return a.ID != b.ID && a.Category == "charge" && b.Category == "charge" && a.Invoice != "" && a.Invoice == b.Invoice &&
		a.Currency == b.Currency && a.Gross == b.Gross
}

func twinFacts(a, b Fact) bool {
	same := a.ProviderRef != "" && a.ProviderRef == b.ProviderRef || a.BusinessRef != "" && a.BusinessRef == b.BusinessRef
	return same && a.RowKind == b.RowKind && a.Currency == b.Currency && a.AmountMinor == b.AmountMinor
}
