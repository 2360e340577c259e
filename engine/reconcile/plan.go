package reconcile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/ledger"
	"github.com/recondrill/recondrill/engine/match"
	"github.com/recondrill/recondrill/engine/postgres"
)

// errOtherContent refuses a statement that says something else of a transaction than an earlier one did.
var errOtherContent = errors.New("the same transaction id with other content")

// plan is a reconciliation on its way from a statement and the account's books to what FinishJob writes. It is pure.
type plan struct {
	job      postgres.Job
	st       engine.Statement
	books    postgres.Books
	result   match.Result
	rows     map[string]engine.Row         // all rows that were matched
	items    map[engine.Key]engine.Item    // all items
	feeKeys  map[engine.Key][]engine.Key   // bookings that are an item's fee
	fresh    []engine.Row                  // rows that are new to the account
	opening  engine.Totals                 // of open rows of earlier statements, net
	closed   map[string]bool               // rows
	done     map[engine.Key]bool           // items
	bookings []ledger.Transaction          // facts the statement proves, fees of pairs, local postings
	breaks   []postgres.FoundBreak         // sorted by key
	wishes   []wish                        // what the breaks ask for
	paid     map[engine.InvoiceID]int64    // by what this plan books
	owed     map[engine.InvoiceID]*invoice // our invoices by id
	promised map[engine.Key]bool           // payments that a wish already books or gives back
	err      error                         // the first refused fact
}

type invoice = postgres.OurInvoice

// asked is what the books must tell of a statement.
func asked(st engine.Statement) postgres.Asked {
	var a postgres.Asked
	for _, r := range st.Rows {
		a.Rows = append(a.Rows, r.ID)
		a.References = append(a.References, r.BusinessRef)
		if key := factKey(r); key != "" {
			a.Keys = append(a.Keys, key)
		}
	}
	return a
}

// newPlan checks the rows against what is known of them, books what the statement itself proves, matches, and finds
// what the breaks ask for. An error refuses the statement: a person must look.
func newPlan(j postgres.Job, st engine.Statement, books postgres.Books, c Config) (*plan, error) {
	p := &plan{
		job: j, st: st, books: books,
		rows: map[string]engine.Row{}, items: map[engine.Key]engine.Item{}, feeKeys: map[engine.Key][]engine.Key{},
		opening: engine.Totals{}, closed: map[string]bool{}, done: map[engine.Key]bool{},
		paid: map[engine.InvoiceID]int64{}, owed: map[engine.InvoiceID]*invoice{}, promised: map[engine.Key]bool{},
	}
	for i := range books.Invoices {
		p.owed[books.Invoices[i].ID] = &books.Invoices[i]
	}
	rows, err := p.openRows()
	if err != nil {
		return nil, err
	}
	p.result = match.Items(match.Input{
		Account: j.Account, Window: j.Window, Provider: rows, Ledger: p.openItems(),
		Rules: match.Rules{AsOf: books.Now, Grace: c.Grace},
	})
	p.settlePairs()
	p.nameBreaks(c.LedgerGrace)
	p.propose()
	return p, p.err
}

// openRows are the rows to match: those of the statement that no reconciliation closed, and the open ones of earlier
// statements.
func (p *plan) openRows() ([]engine.Row, error) {
	known := map[string]postgres.KnownRow{}
	var rows []engine.Row
	for _, k := range p.books.Rows {
		known[k.ID] = k
		if !k.Closed {
			rows = append(rows, k.Row)
			p.opening.Add(k.Currency, k.Net())
		}
	}
	for _, r := range p.st.Rows {
		k, seen := known[r.ID]
		if !seen {
			rows = append(rows, r)
			p.fresh = append(p.fresh, r)
			continue
		}
		same := k.Row
		same.Window = r.Window
		if !same.OccurredAt.Equal(r.OccurredAt) {
			return nil, otherContent(k.Row, r)
		}
		same.OccurredAt = r.OccurredAt
		if same != r {
			return nil, otherContent(k.Row, r)
		}
	}
	slices.SortFunc(p.fresh, func(a, b engine.Row) int { return strings.Compare(a.ID, b.ID) })
	for _, r := range rows {
		p.rows[r.ID] = r
	}
	return rows, nil
}

func otherContent(was, is engine.Row) error {
	return fmt.Errorf("transaction %s: %w: window %s had %+v, this statement has %+v", is.ID, errOtherContent, was.Window, was, is)
}

// openItems are the ledger's open entries, and the facts that the statement itself proves: a payout that left the
// provider and a fee the provider took by itself are booked from their rows, because nobody else tells us of them.
func (p *plan) openItems() []engine.Item {
	var items []engine.Item
	for _, open := range p.books.Items {
		items = append(items, open.Item)
		p.feeKeys[open.Key] = open.FeeKeys
	}
	for _, r := range p.fresh {
		key := factKey(r)
		if key == "" || r.Kind == engine.Charge || p.booked(key) || slices.ContainsFunc(items, func(i engine.Item) bool { return sameThing(r, i) }) {
			continue
		}
		if t, err := provenFact(p.head(r, ""), r); err == nil {
			p.bookings = append(p.bookings, t)
			fee := int64(0)
			items = append(items, engine.Item{
				Key: t.Key, Kind: r.Kind, OccurredAt: r.OccurredAt, ProviderRef: t.ProviderRef, BusinessRef: r.BusinessRef,
				PayoutRef: r.PayoutRef, Currency: r.Currency, Amount: r.Amount, Fee: &fee,
			})
		}
	}
	for _, i := range items {
		p.items[i.Key] = i
	}
	return items
}

// sameThing tells a fact of the books that a row is likely to be matched with.
func sameThing(r engine.Row, i engine.Item) bool {
	return r.Kind == i.Kind && r.Currency == i.Currency && r.ProviderRef != "" && r.ProviderRef == i.ProviderRef
}

func (p *plan) booked(key engine.Key) bool {
	return p.books.Booked[key] || slices.ContainsFunc(p.bookings, func(t ledger.Transaction) bool { return t.Key == key })
}

func (p *plan) head(r engine.Row, breakKey engine.Key) ledger.Head {
	return ledger.Head{Account: p.job.Account, OccurredAt: r.OccurredAt, BreakKey: breakKey}
}

// factKey is the ledger key of the fact that a row would be, for the kinds we book from rows.
func factKey(r engine.Row) engine.Key {
	switch {
	case r.Kind == engine.Fee && r.Fee == 0:
		return engine.Key("fee/" + r.ID)
	case r.ProviderRef == "":
		return ""
	case r.Kind == engine.Charge:
		return engine.Key("payment/" + r.ProviderRef)
	case r.Kind == engine.Payout && r.Amount < 0 && r.Fee == 0:
		return engine.Key("payout/" + r.ProviderRef)
	case r.Kind == engine.PayoutReversal && r.Amount > 0 && r.Fee == 0:
		return engine.Key("payout_failed/" + r.ProviderRef)
	}
	return ""
}

// provenFact is what a payout's or a fee's row says by itself.
func provenFact(h ledger.Head, r engine.Row) (ledger.Transaction, error) {
	money := ledger.Money{Currency: r.Currency, Minor: r.Amount}
	switch r.Kind {
	case engine.Payout:
		money.Minor = -r.Amount
		return ledger.Payout{Head: h, ProviderRef: r.ProviderRef, Amount: money}.Post()
	case engine.PayoutReversal:
		return ledger.PayoutFailed{Head: h, ProviderRef: r.ProviderRef, Amount: money}.Post()
	default:
		money.Minor = -r.Amount
		return ledger.Fee{Head: h, TransactionID: r.ID, ProviderRef: r.ProviderRef, BusinessRef: r.BusinessRef, PayoutRef: r.PayoutRef, Fee: money}.Post()
	}
}

// settlePairs closes what was matched and books the fees that only the statement knew.
func (p *plan) settlePairs() {
	for _, pair := range p.result.Pairs {
		for _, id := range pair.Rows {
			p.closed[id] = true
		}
		for _, key := range pair.Items {
			p.done[key] = true
		}
	}
	for _, f := range p.result.FeeBookings {
		p.bookFee(p.rows[f.RowID], f.Fee)
	}
}

// bookFee books what the provider took of a row; it is closed with the row.
func (p *plan) bookFee(r engine.Row, fee int64) {
	p.book(ledger.Fee{
		Head: p.head(r, ""), TransactionID: r.ID, ProviderRef: r.ProviderRef, BusinessRef: r.BusinessRef, PayoutRef: r.PayoutRef,
		Fee: ledger.Money{Currency: r.Currency, Minor: fee},
	})
}

// book adds a fact whose clearing entry is closed by this reconciliation.
func (p *plan) book(f ledger.Fact) engine.Key {
	t, err := f.Post()
	if err != nil {
		p.err = errors.Join(p.err, err)
		return ""
	}
	p.bookings = append(p.bookings, t)
	p.done[t.Key] = true
	return t.Key
}

// nameBreaks gives each break its identity within the envelope. A row that our ledger lacks has a grace of its own: the
// statement is finished, so nothing more is to come from the other side.
func (p *plan) nameBreaks(ours []match.KindGrace) {
	for _, b := range p.result.Breaks {
		if b.Kind == engine.MissingInLedger {
			b.State, b.GraceUntil = engine.BreakOpen, time.Time{}
			if until := p.rows[b.RowID].OccurredAt.Add(graceOf(ours, b.RowKind)); p.books.Now.Before(until) {
				b.State, b.GraceUntil = engine.BreakTiming, until
			}
		}
		p.breaks = append(p.breaks, postgres.FoundBreak{Key: p.breakKey(b), Break: b, ClosedBy: p.closedBy(b)})
	}
	p.sortBreaks()
}

func graceOf(all []match.KindGrace, kind engine.RowKind) time.Duration {
	for _, g := range all {
		if g.Kind == kind {
			return g.For
		}
	}
	return 0
}

func (p *plan) sortBreaks() {
	slices.SortFunc(p.breaks, func(a, b postgres.FoundBreak) int { return strings.Compare(string(a.Key), string(b.Key)) })
}

func (p *plan) breakKey(b engine.Break) engine.Key {
	about := b.RowID
	if about == "" {
		about = string(b.ItemKey)
	}
	return engine.Key(fmt.Sprintf("%s/%d/%s/%s", p.job.Claim.Record, p.job.Generation, b.Kind, about))
}

func (p *plan) closedBy(b engine.Break) string {
	if b.State == engine.BreakResolved || b.State == engine.BreakAccepted {
		return "job:" + string(p.job.Claim.Record)
	}
	return ""
}
