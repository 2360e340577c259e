package match

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/recondrill/recondrill/engine"
)

// reference is the slow, obvious twin: it knows no groups and no maps, goes through the rules one after the other, and
// looks at everything again for each row.
type reference struct {
	in     Input
	rows   []engine.Row
	items  []engine.Item
	fees   []int64 // of items, as booked in the end
	known  []bool
	row    []string // what became of each row: "", "pair" or "doubt"
	item   []string
	breaks []string
	pairs  []string
	booked []string
}

func newReference(in Input) *reference {
	r := &reference{in: in, rows: slices.Clone(in.Provider), items: slices.Clone(in.Ledger)}
	sort.Slice(r.rows, func(i, j int) bool {
		a, b := r.rows[i], r.rows[j]
		return a.OccurredAt.Before(b.OccurredAt) || a.OccurredAt.Equal(b.OccurredAt) && a.ID < b.ID
	})
	sort.Slice(r.items, func(i, j int) bool {
		a, b := r.items[i], r.items[j]
		return a.OccurredAt.Before(b.OccurredAt) || a.OccurredAt.Equal(b.OccurredAt) && a.Key < b.Key
	})
	r.row, r.item = make([]string, len(r.rows)), make([]string, len(r.items))
	for _, t := range r.items {
		if t.Fee == nil {
			r.fees, r.known = append(r.fees, 0), append(r.known, false)
		} else {
			r.fees, r.known = append(r.fees, *t.Fee), append(r.known, true)
		}
	}
	return r
}

func (r *reference) openRows(like func(engine.Row) bool) []int {
	var found []int
	for i, row := range r.rows {
		if r.row[i] == "" && like(row) {
			found = append(found, i)
		}
	}
	return found
}

func (r *reference) openItems(like func(engine.Item) bool) []int {
	var found []int
	for j, item := range r.items {
		if r.item[j] == "" && like(item) {
			found = append(found, j)
		}
	}
	return found
}

func (r *reference) run() {
	// 1. the provider's object: first what is equal, one by one; then all that is left of the object together
	for i, a := range r.rows {
		same := func(b engine.Item) bool {
			return a.ProviderRef != "" && b.ProviderRef == a.ProviderRef && b.Kind == a.Kind && b.Currency == a.Currency
		}
		if js := r.openItems(func(b engine.Item) bool { return same(b) && b.Amount == a.Amount }); len(js) > 0 {
			r.pair(ByObject, []int{i}, js[:1])
		}
	}
	for _, a := range r.rows {
		is := r.openRows(func(b engine.Row) bool {
			return a.ProviderRef != "" && b.ProviderRef == a.ProviderRef && b.Kind == a.Kind && b.Currency == a.Currency
		})
		js := r.openItems(func(b engine.Item) bool {
			return a.ProviderRef != "" && b.ProviderRef == a.ProviderRef && b.Kind == a.Kind && b.Currency == a.Currency
		})
		if len(is) > 0 && len(js) > 0 {
			r.pair(ByObject, is, js)
		}
	}
	// 2. our reference and amount
	for _, a := range r.rows {
		is := r.openRows(func(b engine.Row) bool {
			return a.BusinessRef != "" && b.BusinessRef == a.BusinessRef && b.Kind == a.Kind && b.Currency == a.Currency && b.Amount == a.Amount
		})
		js := r.openItems(func(b engine.Item) bool {
			return a.BusinessRef != "" && b.BusinessRef == a.BusinessRef && b.Kind == a.Kind && b.Currency == a.Currency && b.Amount == a.Amount
		})
		r.inTurnOrDoubt(ByBusiness, is, js, true)
	}
	// 3. payout membership: equal numbers of equal amounts, then by sum, then doubt
	inPayout := func(a, b engine.Row) bool {
		return a.PayoutRef != "" && b.PayoutRef == a.PayoutRef && b.Kind == a.Kind && b.Currency == a.Currency
	}
	asRow := func(b engine.Item) engine.Row {
		return engine.Row{PayoutRef: b.PayoutRef, Kind: b.Kind, Currency: b.Currency}
	}
	for _, a := range r.rows {
		is := r.openRows(func(b engine.Row) bool { return inPayout(a, b) && b.Amount == a.Amount })
		js := r.openItems(func(b engine.Item) bool { return inPayout(a, asRow(b)) && b.Amount == a.Amount })
		if len(is) == len(js) {
			r.inTurnOrDoubt(ByPayout, is, js, false)
		}
	}
	for _, a := range r.rows {
		is := r.openRows(func(b engine.Row) bool { return inPayout(a, b) })
		js := r.openItems(func(b engine.Item) bool { return inPayout(a, asRow(b)) })
		rowSum, itemSum := int64(0), int64(0)
		for _, i := range is {
			rowSum += r.rows[i].Amount
		}
		for _, j := range js {
			itemSum += r.items[j].Amount
		}
		if len(is) > 0 && len(js) > 0 && rowSum == itemSum {
			r.pair(ByPayout, is, js)
		}
	}
	for _, a := range r.rows {
		is := r.openRows(func(b engine.Row) bool { return inPayout(a, b) && b.Amount == a.Amount })
		js := r.openItems(func(b engine.Item) bool { return inPayout(a, asRow(b)) && b.Amount == a.Amount })
		if len(is) > 0 && len(js) > 0 {
			r.doubt(is, js)
		}
	}
	// 4. one and one of a reference, not of two objects
	for _, a := range r.rows {
		is := r.openRows(func(b engine.Row) bool {
			return a.BusinessRef != "" && b.BusinessRef == a.BusinessRef && b.Kind == a.Kind && b.Currency == a.Currency
		})
		js := r.openItems(func(b engine.Item) bool {
			return a.BusinessRef != "" && b.BusinessRef == a.BusinessRef && b.Kind == a.Kind && b.Currency == a.Currency
		})
		if len(is) == 1 && len(js) == 1 && (r.rows[is[0]].ProviderRef == "" || r.items[js[0]].ProviderRef == "") {
			r.pair(ByReference, is, js)
		}
	}
	// 5. one and one of an object
	for _, a := range r.rows {
		is := r.openRows(func(b engine.Row) bool {
			return a.ProviderRef != "" && b.ProviderRef == a.ProviderRef && b.Currency == a.Currency
		})
		js := r.openItems(func(b engine.Item) bool {
			return a.ProviderRef != "" && b.ProviderRef == a.ProviderRef && b.Currency == a.Currency
		})
		if len(is) == 1 && len(js) == 1 {
			i, j := is[0], js[0]
			r.row[i], r.item[j] = "pair", "pair"
			r.say(engine.StateDiffers, engine.BreakOpen, i, j, r.rows[i].Net()-(r.items[j].Amount-r.fees[j]))
			r.pairs = append(r.pairs, fmt.Sprint(ByState, " ", r.rows[i].ID, " ", r.items[j].Key))
		}
	}
	r.rest()
}

func (r *reference) inTurnOrDoubt(rule Rule, is, js []int, orDoubt bool) {
	if len(is) == 0 || len(js) == 0 {
		return
	}
	if orDoubt && len(is) != len(js) && len(is) > 1 && len(js) > 1 {
		r.doubt(is, js)
		return
	}
	for k := 0; k < len(is) && k < len(js); k++ {
		r.pair(rule, is[k:k+1], js[k:k+1])
	}
}

func (r *reference) pair(rule Rule, is, js []int) {
	amount, fee, booked, anyKnown, early := int64(0), int64(0), int64(0), false, false
	name := string(rule)
	for _, i := range is {
		r.row[i] = "pair"
		amount += r.rows[i].Amount
		fee += r.rows[i].Fee
		early = early || r.rows[i].Window != "" && r.rows[i].Window != r.in.Window.ID
		name += " " + r.rows[i].ID
	}
	for _, j := range js {
		r.item[j] = "pair"
		amount -= r.items[j].Amount
		booked += r.fees[j]
		anyKnown = anyKnown || r.known[j]
		early = early || r.items[j].Window != "" && r.items[j].Window != r.in.Window.ID
		name += " " + string(r.items[j].Key)
	}
	r.pairs = append(r.pairs, name)
	if amount != 0 {
		r.say(engine.AmountDiffers, engine.BreakOpen, is[0], js[0], amount)
	}
	if !anyKnown {
		for _, i := range is {
			if r.rows[i].Fee != 0 {
				r.booked = append(r.booked, fmt.Sprint(r.rows[i].ID, " ", r.items[js[0]].Key, " ", r.rows[i].Fee))
			}
		}
		r.fees[js[0]] = fee
	} else if fee != booked {
		r.say(engine.FeeDiffers, engine.BreakOpen, is[0], js[0], booked-fee)
	}
	if kind := r.rows[is[0]].Kind; kind == engine.Charge || kind == engine.RefundRow {
		r.compareInvoices(is, js)
	}
	if early {
		r.say(engine.OtherWindow, engine.BreakResolved, is[0], js[0], 0)
	}
}

// compareInvoices: where every row and every item names an invoice, a name that the other side lacks is a break.
func (r *reference) compareInvoices(is, js []int) {
	rowNames, itemNames := "|", "|"
	for _, i := range is {
		if r.rows[i].BusinessRef == "" {
			return
		}
		rowNames += r.rows[i].BusinessRef + "|"
	}
	for _, j := range js {
		if r.items[j].BusinessRef == "" {
			return
		}
		itemNames += r.items[j].BusinessRef + "|"
	}
	ours := -1
	for _, j := range js {
		if ours < 0 && !strings.Contains(rowNames, "|"+r.items[j].BusinessRef+"|") {
			ours = j
		}
	}
	said := false
	for _, i := range is {
		if !strings.Contains(itemNames, "|"+r.rows[i].BusinessRef+"|") {
			r.say(engine.StateDiffers, engine.BreakOpen, i, max(ours, js[0]), 0)
			said = true
		}
	}
	if !said && ours >= 0 {
		r.say(engine.StateDiffers, engine.BreakOpen, is[0], ours, 0)
	}
}

func (r *reference) doubt(is, js []int) {
	for _, i := range is {
		r.row[i] = "doubt"
		r.say(engine.Ambiguous, engine.BreakOpen, i, -1, r.rows[i].Net())
	}
	for _, j := range js {
		r.item[j] = "doubt"
		r.say(engine.Ambiguous, engine.BreakOpen, -1, j, -(r.items[j].Amount - r.fees[j]))
	}
}

func (r *reference) rest() {
	onceAnObject := []engine.RowKind{engine.Charge, engine.RefundRow, engine.Dispute, engine.DisputeReversal, engine.Payout,
		engine.PayoutReversal, engine.RefundFailure}
	onceADebt := []engine.RowKind{engine.Charge, engine.RefundRow}
	for i, a := range r.rows {
		if r.row[i] != "" {
			continue
		}
		twice := false
		for k, b := range r.rows {
			if r.row[k] == "pair" && b.Kind == a.Kind && b.Currency == a.Currency && b.Amount == a.Amount {
				twice = twice || a.ProviderRef != "" && b.ProviderRef == a.ProviderRef && slices.Contains(onceAnObject, a.Kind)
				twice = twice || a.BusinessRef != "" && b.BusinessRef == a.BusinessRef && slices.Contains(onceADebt, a.Kind)
			}
		}
		if twice {
			r.say(engine.DuplicateAtProvider, engine.BreakOpen, i, -1, a.Net())
		} else {
			r.say(engine.MissingInLedger, r.timing(a.Kind, a.OccurredAt), i, -1, a.Net())
		}
	}
	for j, a := range r.items {
		if r.item[j] != "" {
			continue
		}
		twice := false
		for k, b := range r.items {
			if r.item[k] == "pair" && b.Kind == a.Kind && b.Currency == a.Currency && b.Amount == a.Amount {
				twice = twice || a.ProviderRef != "" && b.ProviderRef == a.ProviderRef && slices.Contains(onceAnObject, a.Kind)
				twice = twice || a.BusinessRef != "" && b.BusinessRef == a.BusinessRef && slices.Contains(onceADebt, a.Kind) && a.ProviderRef == ""
			}
		}
		residual := -(a.Amount - r.fees[j])
		if twice {
			r.say(engine.DuplicateInLedger, engine.BreakOpen, -1, j, residual)
		} else {
			r.say(engine.MissingAtProvider, r.timing(a.Kind, a.OccurredAt), -1, j, residual)
		}
	}
}

func (r *reference) timing(kind engine.RowKind, at time.Time) engine.BreakState {
	for _, g := range r.in.Rules.Grace {
		if g.Kind == kind && at.Add(g.For).After(r.in.Rules.AsOf) {
			return engine.BreakTiming
		}
	}
	return engine.BreakOpen
}

func (r *reference) say(kind engine.BreakKind, state engine.BreakState, i, j int, residual int64) {
	row, item := "-", "-"
	if i >= 0 {
		row = r.rows[i].ID
	}
	if j >= 0 {
		item = string(r.items[j].Key)
	}
	r.breaks = append(r.breaks, fmt.Sprint(kind, " ", state, " ", row, " ", item, " ", residual))
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func TestItems_IsTheSlowObviousTwin(t *testing.T) {
	seen := map[engine.BreakKind]int{}
	compareOne := func(t *rapid.T) {
		in := drawInput(t)
		got := Items(in)
		want := newReference(in)
		want.run()

		var breaks, pairs, booked []string
		for _, b := range got.Breaks {
			seen[b.Kind]++
			breaks = append(breaks, fmt.Sprint(b.Kind, " ", b.State, " ", orDash(b.RowID), " ", orDash(string(b.ItemKey)), " ", b.Residual))
		}
		for _, p := range got.Pairs {
			name := string(p.Rule)
			for _, id := range p.Rows {
				name += " " + id
			}
			for _, key := range p.Items {
				name += " " + string(key)
			}
			pairs = append(pairs, name)
		}
		for _, f := range got.FeeBookings {
			booked = append(booked, fmt.Sprint(f.RowID, " ", f.Item, " ", f.Fee))
		}
		require.ElementsMatch(t, want.breaks, breaks)
		require.ElementsMatch(t, want.pairs, pairs)
		require.ElementsMatch(t, want.booked, booked)
	}
	kinds := []engine.BreakKind{engine.MissingInLedger, engine.MissingAtProvider, engine.AmountDiffers, engine.FeeDiffers,
		engine.DuplicateAtProvider, engine.DuplicateInLedger, engine.OtherWindow, engine.StateDiffers, engine.Ambiguous}
	drawn := func() bool {
		return !slices.ContainsFunc(kinds, func(kind engine.BreakKind) bool { return seen[kind] == 0 })
	}
	// A hundred draws take milliseconds. One draw in a thousand is ambiguous, so a fixed number would lack one now and then;
	// the limit is for a drawing that can no longer make a kind.
	for round := 0; round < 20 || !drawn() && round < 1000; round++ {
		rapid.Check(t, compareOne)
	}
	for _, kind := range kinds {
		require.Positive(t, seen[kind], "the drawn inputs never had %s", kind)
	}
}

// Written without the package's own totals: each side's money, and the fees booked, straight from the input.
func TestItems_ProviderMinusLedgerIsTheSumOfResiduals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		got := Items(in)
		difference := map[engine.Currency]int64{}
		for _, r := range in.Provider {
			difference[r.Currency] += r.Amount - r.Fee
		}
		for _, i := range in.Ledger {
			difference[i.Currency] -= i.Amount
			if i.Fee != nil {
				difference[i.Currency] += *i.Fee
			}
		}
		for _, f := range got.FeeBookings {
			difference[f.Currency] += f.Fee
		}
		for _, b := range got.Breaks {
			difference[b.Currency] -= b.Residual
		}
		for c, left := range difference {
			require.Zero(t, left, c)
			require.Equal(t, got.Residual[c], got.ProviderTotal[c]-got.LedgerTotal[c])
		}
		rowsLeft, itemsLeft := len(in.Provider), len(in.Ledger)
		for _, p := range got.Pairs {
			rowsLeft -= len(p.Rows)
			itemsLeft -= len(p.Items)
		}
		require.Len(t, got.CarriedRows, rowsLeft)
		require.Len(t, got.Carried, itemsLeft)
	})
}

func TestItems_TheOrderOfTheInputNeverMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		want := Items(in)
		chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "shuffle"), 1))
		chance.Shuffle(len(in.Provider), func(i, j int) { in.Provider[i], in.Provider[j] = in.Provider[j], in.Provider[i] })
		chance.Shuffle(len(in.Ledger), func(i, j int) { in.Ledger[i], in.Ledger[j] = in.Ledger[j], in.Ledger[i] })
		require.Equal(t, want, Items(in))
	})
}

// drawInput draws from few values, so that everything meets everything.
func drawInput(t *rapid.T) Input {
	currency := rapid.SampledFrom([]engine.Currency{"USD", "USD", "JPY"})
	kind := rapid.SampledFrom([]engine.RowKind{engine.Charge, engine.Charge, engine.RefundRow, engine.Fee, engine.Payout})
	object := rapid.SampledFrom([]string{"", "o1", "o2", "o3"})
	business := rapid.SampledFrom([]string{"", "b1", "b2"})
	payout := rapid.SampledFrom([]string{"", "", "p1"})
	amount := rapid.SampledFrom([]int64{5, 5, 7, 10, -5, 0})
	fee := rapid.SampledFrom([]int64{0, 1, 2})
	hour := rapid.IntRange(0, 3)
	window := rapid.SampledFrom([]string{"", "", "2026-02-28", "2026-03-01"})
	in := Input{Account: "acme", Window: march1(), Rules: Rules{AsOf: march1().End}}
	if rapid.Bool().Draw(t, "grace") {
		in.Rules.Grace = []KindGrace{{engine.Charge, 22 * time.Hour}, {engine.Payout, 48 * time.Hour}}
	}
	for n := range rapid.IntRange(0, 7).Draw(t, "rows") {
		in.Provider = append(in.Provider, engine.Row{ID: fmt.Sprint("t", n), Kind: kind.Draw(t, "kind"),
			OccurredAt:  in.Window.Start.Add(time.Duration(hour.Draw(t, "hour")) * time.Hour),
			ProviderRef: object.Draw(t, "object"), BusinessRef: business.Draw(t, "business"), PayoutRef: payout.Draw(t, "payout"),
			Currency: currency.Draw(t, "currency"), Amount: amount.Draw(t, "amount"), Fee: fee.Draw(t, "fee"), Window: window.Draw(t, "window")})
	}
	for n := range rapid.IntRange(0, 7).Draw(t, "items") {
		item := engine.Item{Key: engine.Key(fmt.Sprint("k", n)), Kind: kind.Draw(t, "kind"),
			OccurredAt:  in.Window.Start.Add(time.Duration(hour.Draw(t, "hour")) * time.Hour),
			ProviderRef: object.Draw(t, "object"), BusinessRef: business.Draw(t, "business"), PayoutRef: payout.Draw(t, "payout"),
			Currency: currency.Draw(t, "currency"), Amount: amount.Draw(t, "amount"), Window: window.Draw(t, "window")}
		if rapid.Bool().Draw(t, "booked") {
			f := fee.Draw(t, "fee")
			item.Fee = &f
		}
		in.Ledger = append(in.Ledger, item)
	}
	return in
}

func march1() engine.Window {
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	return engine.Window{ID: "2026-03-01", Start: start, End: start.AddDate(0, 0, 1), DueAt: start.AddDate(0, 0, 1)}
}
