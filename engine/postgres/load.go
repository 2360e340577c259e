package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/ledger"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// Books is what an account has open when a reconciliation begins. It is read in several statements; FinishJob takes
// Reconciled back and refuses when another reconciliation of the account ended meanwhile.
type Books struct {
	Now        time.Time // the database's
	Reconciled int64
	Capped     bool                // an earlier envelope was above a cap, and its alarm is still raised
	Closing    []Closing           // where the account's last envelope closed
	Rows       []KnownRow          // open rows of earlier statements, and what is known of the rows that were asked for
	Items      []OpenItem          // open entries of the clearing book up to the window's end
	Breaks     []OpenBreak         // earlier breaks that still stand
	Due        []DuePair           // due steps that no intent covers
	Invoices   []OurInvoice        // behind the business references of the statement and of the open rows
	Booked     map[engine.Key]bool // those of the ledger keys asked for that are booked
}

// Closing is one currency's closing sums in minor units.
type Closing struct {
	Currency         engine.Currency
	Provider, Ledger int64
}

// KnownRow is a stored statement row; Closed: some reconciliation closed it.
type KnownRow struct {
	engine.Row
	Closed bool
}

// OpenItem is an entry of the clearing book, with the fee bookings that belong to it.
type OpenItem struct {
	engine.Item
	FeeKeys []engine.Key
}

// OpenBreak is an earlier break that is not resolved. Acting: a correction of it is on its way.
type OpenBreak struct {
	Key engine.Key
	engine.Break
	Acting bool
}

// DuePair is a due step of an open invoice for one contact. Template is empty where no content is approved.
type DuePair struct {
	Pair
	Customer engine.CustomerID
	Contact  engine.ContactID
	Channel  engine.ChannelName
	Template string
}

// OurInvoice is an invoice behind a business reference.
type OurInvoice struct {
	ID           engine.InvoiceID
	Customer     engine.CustomerID
	Currency     engine.Currency
	Amount, Paid int64
	State        string
}

// Automatic is what policy approved, in number and money.
type Automatic struct {
	Currency engine.Currency
	Number   int
	Money    int64
}

// Asked is what a statement names.
type Asked struct {
	Rows       []string     // row ids
	References []string     // business references
	Keys       []engine.Key // of ledger facts that its rows would be
}

// LoadBooks reads what an account has open for a window.
func (d *DB) LoadBooks(ctx context.Context, j Job, asked Asked) (b Books, err error) {
	err = d.one(ctx, "LoadBooks", func(ctx context.Context, q *queries.Queries) error {
		b = Books{}
		// First, so that whatever the others miss makes FinishJob stale.
		if err := b.loadAccount(ctx, q, string(j.Account)); err != nil {
			return err
		}
		if err := b.loadRows(ctx, q, string(j.Account), asked.Rows); err != nil {
			return err
		}
		if err := b.loadItems(ctx, q, j); err != nil {
			return err
		}
		if err := b.loadBreaks(ctx, q, string(j.Account)); err != nil {
			return err
		}
		if err := b.loadInvoices(ctx, q, string(j.Account), asked.References); err != nil {
			return err
		}
		if err := b.loadBooked(ctx, q, asked.Keys); err != nil {
			return err
		}
		return b.loadDue(ctx, q, string(j.Account))
	})
	return b, err
}

func (b *Books) loadAccount(ctx context.Context, q *queries.Queries, account string) error {
	rows, err := q.LoadAccount(ctx, account)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return fmt.Errorf("%w: account %s is not there", ErrUnreadable, account)
	}
	b.Now, b.Reconciled, b.Capped = rows[0].Now.UTC(), rows[0].Reconciled, rows[0].Capped
	for _, r := range rows {
		if r.Currency != "" {
			b.Closing = append(b.Closing, Closing{engine.Currency(r.Currency), r.ProviderClosingMinor, r.LedgerClosingMinor})
		}
	}
	return nil
}

func (b *Books) loadRows(ctx context.Context, q *queries.Queries, account string, ids []string) error {
	if b.Reconciled == 0 {
		return nil // the first envelope of the account: no row was ever stored
	}
	rows, err := q.OpenRows(ctx, queries.OpenRowsParams{AccountID: account, RowIds: ids})
	for _, r := range rows {
		b.Rows = append(b.Rows, KnownRow{Closed: r.Matched, Row: engine.Row{
			ID: r.RowID, Window: r.WindowID, Kind: engine.RowKind(r.Kind), OccurredAt: r.OccurredAt.UTC(),
			ProviderRef: r.ProviderRef, BusinessRef: r.BusinessRef, PayoutRef: r.PayoutRef,
			Currency: engine.Currency(r.Currency), Amount: r.AmountMinor, Fee: r.FeeMinor,
		}})
	}
	return err
}

// loadItems makes open items of open ledger facts. The fee of a payment is not an item of its own: it belongs to the
// item with the same provider's object, where there is one; several fees go to several such items in turn.
func (b *Books) loadItems(ctx context.Context, q *queries.Queries, j Job) error {
	rows, err := q.OpenItems(ctx, queries.OpenItemsParams{WindowID: j.Window.ID, AccountID: string(j.Account), EndsAt: j.Window.End})
	if err != nil {
		return err
	}
	var fees []queries.OpenItemsRow
	for _, r := range rows {
		if r.Kind == string(ledger.KindFee) {
			fees = append(fees, r)
			continue
		}
		kind, ok := ledger.Kind(r.Kind).ClearingKind()
		if !ok {
			return fmt.Errorf("%w: %s is a %s with clearing postings, and nothing that a statement shows", ErrUnreadable, r.BusinessKey, r.Kind)
		}
		b.Items = append(b.Items, OpenItem{Item: itemOf(r, kind)})
	}
	for _, fee := range fees {
		owns := func(i OpenItem) bool {
			return fee.ProviderRef != "" && i.Kind != engine.Fee && i.ProviderRef == fee.ProviderRef && string(i.Currency) == fee.Currency
		}
		owner := slices.IndexFunc(b.Items, func(i OpenItem) bool { return owns(i) && i.Fee == nil })
		if owner < 0 {
			owner = slices.IndexFunc(b.Items, owns)
		}
		if owner < 0 {
			b.Items = append(b.Items, OpenItem{Item: itemOf(fee, engine.Fee)})
			continue
		}
		item, booked := &b.Items[owner], -fee.AmountMinor
		if item.Fee != nil {
			booked += *item.Fee
		}
		item.Fee = &booked
		item.FeeKeys = append(item.FeeKeys, engine.Key(fee.BusinessKey))
	}
	return nil
}

func itemOf(r queries.OpenItemsRow, kind engine.RowKind) engine.Item {
	return engine.Item{
		Key: engine.Key(r.BusinessKey), Kind: kind, OccurredAt: r.OccurredAt.UTC(), ProviderRef: r.ProviderRef,
		BusinessRef: r.BusinessRef, PayoutRef: r.PayoutRef, Currency: engine.Currency(r.Currency), Amount: r.AmountMinor,
		Window: r.CarriedFrom,
	}
}

func (b *Books) loadBreaks(ctx context.Context, q *queries.Queries, account string) error {
	if b.Reconciled == 0 {
		return nil
	}
	rows, err := q.UnresolvedBreaks(ctx, account)
	for _, r := range rows {
		b.Breaks = append(b.Breaks, OpenBreak{Key: engine.Key(r.BreakKey), Acting: r.Acting, Break: engine.Break{
			Kind: engine.BreakKind(r.Kind), State: engine.BreakState(r.State), Currency: engine.Currency(r.Currency),
			Residual: r.ResidualMinor, RowKind: engine.RowKind(r.RowKind), RowID: r.RowID, ItemKey: engine.Key(r.ItemKey),
			ProviderRef: r.ProviderRef, BusinessRef: r.BusinessRef,
		}})
	}
	return err
}

func (b *Books) loadInvoices(ctx context.Context, q *queries.Queries, account string, references []string) error {
	references = slices.Clone(references)
	for _, r := range b.Rows {
		references = append(references, r.BusinessRef)
	}
	slices.Sort(references)
	references = slices.DeleteFunc(slices.Compact(references), func(ref string) bool { return ref == "" })
	if len(references) == 0 {
		return nil
	}
	rows, err := q.InvoicesByReference(ctx, queries.InvoicesByReferenceParams{AccountID: account, InvoiceIds: references})
	for _, r := range rows {
		b.Invoices = append(b.Invoices, OurInvoice{
			ID: engine.InvoiceID(r.InvoiceID), Customer: engine.CustomerID(r.CustomerID), Currency: engine.Currency(r.Currency),
			Amount: r.AmountMinor, Paid: r.PaidMinor, State: r.State,
		})
	}
	return err
}

func (b *Books) loadBooked(ctx context.Context, q *queries.Queries, keys []engine.Key) error {
	if len(keys) == 0 {
		return nil
	}
	asked := make([]string, len(keys))
	for i, key := range keys {
		asked[i] = string(key)
	}
	rows, err := q.BookedKeys(ctx, asked)
	b.Booked = keySet(rows)
	return err
}

func (b *Books) loadDue(ctx context.Context, q *queries.Queries, account string) error {
	rows, err := q.DueSteps(ctx, account)
	for _, r := range rows {
		b.Due = append(b.Due, DuePair{
			Pair:     Pair{Invoice: engine.InvoiceID(r.InvoiceID), Step: engine.StepName(r.Step)},
			Customer: engine.CustomerID(r.CustomerID), Contact: engine.ContactID(r.ContactID),
			Channel: engine.ChannelName(r.Channel), Template: r.TemplateVersion,
		})
	}
	return err
}

// AutomaticToday is what policy approved for an account in the last 24 hours.
func (d *DB) AutomaticToday(ctx context.Context, account engine.AccountID) (all []Automatic, err error) {
	err = d.one(ctx, "AutomaticToday", func(ctx context.Context, q *queries.Queries) error {
		rows, err := q.AutomaticToday(ctx, string(account))
		all = nil
		for _, r := range rows {
			all = append(all, Automatic{engine.Currency(r.Currency), int(r.Number), r.Money})
		}
		return err
	})
	return all, err
}
