package match

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/recondrill/recondrill/engine"
)

// Input is one account's window: the statement's rows (with rows carried from earlier windows) and all open items of
// its clearing book up to the window's end. The sum of all magnitudes on a side is at most engine.StatementMax.
type Input struct {
	Account  engine.AccountID
	Window   engine.Window
	Provider []engine.Row
	Ledger   []engine.Item
	Rules    Rules
}

// Rules are the account's settings.
type Rules struct {
	AsOf  time.Time   // the database's time, or the window's end: what grace is judged by
	Grace []KindGrace // a kind that is not listed has none
}

// KindGrace is how long after it occurred something of a kind may be missing on the other side.
type KindGrace struct {
	Kind engine.RowKind
	For  time.Duration
}

// Result is what Items found, everything sorted.
type Result struct {
	Pairs       []Pair
	FeeBookings []FeeBooking
	Breaks      []engine.Break
	CarriedRows []engine.Row  // rows that found no item; Window says where each was first seen
	Carried     []engine.Item // items that found no row; likewise
	Late        []string      // ids of rows that occurred before this window began
	Balances    []Balance

	ProviderTotal, LedgerTotal, Residual engine.Totals // net; LedgerTotal after fee bookings
}

// Rule is by what a pair was found.
type Rule string

// The rules in their order.
const (
	ByObject    Rule = "object"
	ByBusiness  Rule = "business"
	ByPayout    Rule = "payout"
	ByReference Rule = "reference"
	ByState     Rule = "state"
)

// Pair is n rows and m items that are the same thing.
type Pair struct {
	Rule  Rule
	Rows  []string     // ids
	Items []engine.Key //
	Clean bool         // it left no difference
}

// FeeBooking is a fee the statement knows and the ledger does not; the posting's key is the row's id.
type FeeBooking struct {
	RowID    string
	Item     engine.Key
	Currency engine.Currency
	Fee      int64
}

// Items matches. It panics only where the equation fails, which would be a defect here.
func Items(in Input) Result {
	m := newMatcher(in)
	m.byObject()
	m.byBusiness()
	m.byPayout()
	m.byReference()
	m.byState()
	m.leftovers()
	return m.result()
}

// entry is a row or an item in the same dress.
type entry struct {
	id                       string // row id or item key
	kind                     engine.RowKind
	currency                 engine.Currency
	object, business, payout string
	amount                   int64
	fee                      int64
	feeKnown                 bool // always for a row
	at                       time.Time
	carried                  bool
	paired, ambiguous        bool
	row                      *engine.Row
	item                     *engine.Item
}

func (e *entry) open() bool { return !e.paired && !e.ambiguous }

// net is what the entry contributes; a fee that is not booked yet counts from the moment it is.
func (e *entry) net() int64 { return e.amount - e.fee }

type matcher struct {
	in          Input
	rows, items []*entry // sorted by time, then id
	pairs       []Pair
	fees        []FeeBooking
	breaks      []engine.Break
}

func newMatcher(in Input) *matcher {
	m := &matcher{in: in}
	for i := range in.Provider {
		r := in.Provider[i]
		m.rows = append(m.rows, &entry{id: r.ID, kind: r.Kind, currency: r.Currency, object: r.ProviderRef,
			business: r.BusinessRef, payout: r.PayoutRef, amount: r.Amount, fee: r.Fee, feeKnown: true, at: r.OccurredAt,
			carried: r.Window != "" && r.Window != in.Window.ID, row: &r})
	}
	for i := range in.Ledger {
		t := in.Ledger[i]
		e := &entry{id: string(t.Key), kind: t.Kind, currency: t.Currency, object: t.ProviderRef,
			business: t.BusinessRef, payout: t.PayoutRef, amount: t.Amount, at: t.OccurredAt,
			carried: t.Window != "" && t.Window != in.Window.ID, item: &t}
		if t.Fee != nil {
			e.fee, e.feeKnown = *t.Fee, true
		}
		m.items = append(m.items, e)
	}
	slices.SortFunc(m.rows, compare)
	slices.SortFunc(m.items, compare)
	return m
}

// compare orders by time, then by everything else that could tell two entries apart, so that the input's order
// cannot.
func compare(a, b *entry) int {
	return cmp.Or(a.at.Compare(b.at), strings.Compare(a.id, b.id), strings.Compare(string(a.kind), string(b.kind)),
		strings.Compare(string(a.currency), string(b.currency)), cmp.Compare(a.amount, b.amount),
		cmp.Compare(a.fee, b.fee), strings.Compare(a.object, b.object), strings.Compare(a.business, b.business),
		strings.Compare(a.payout, b.payout), boolCompare(a.feeKnown, b.feeKnown), boolCompare(a.carried, b.carried))
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}
