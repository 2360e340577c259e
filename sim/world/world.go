package world

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// World is everything outside of one run.
type World struct {
	Accounts  []Account
	Customers []Customer
	Contacts  []Contact
	Invoices  []Invoice
	Books     []Fact // by time, then key
	Late      []Late // by when they are told
	Provider  *Provider
	Channels  []*Channel
	Crons     []*Cron

	setup Setup // with defaults
	f     prf
	truth Truth
	k     *sim.Kernel
}

// New makes the world of a seed. The kernel may be nil where only the generated data is wanted; nothing of it can be
// called then. Setup.Epoch counts where it is set, else the kernel's time.
func New(k *sim.Kernel, seed uint64, s Setup) (*World, error) {
	s = s.WithDefaults()
	if err := s.validate(); err != nil {
		return nil, err
	}
	if s.Epoch.IsZero() && k != nil {
		s.Epoch = k.Now()
	}
	if s.Epoch.IsZero() {
		s.Epoch = DefaultEpoch
	}
	w := &World{setup: s, f: prf(seed), k: k}
	w.Provider = newProvider(w, s.Provider)
	for _, c := range s.Channels {
		w.Channels = append(w.Channels, newChannel(w, c))
	}
	for _, c := range s.Crons {
		w.Crons = append(w.Crons, newCron(w, c))
	}
	b := &builder{w: w, s: s, f: w.f, free: map[string][]Invoice{}}
	make := b.all
	if s.Statements != "" {
		make = b.exports
	}
	if err := make(); err != nil {
		return nil, err
	}
	slices.SortFunc(w.Books, func(a, b Fact) int { return cmp.Or(a.OccurredAt.Compare(b.OccurredAt), cmp.Compare(a.Key, b.Key)) })
	slices.SortFunc(w.Late, func(a, b Late) int { return cmp.Or(cmp.Compare(a.After, b.After), cmp.Compare(a.Key, b.Key)) })
	if s.PayersDuring && k != nil {
		w.payers()
	}
	return w, nil
}

// DefaultEpoch is when a run begins: five minutes before the night of 2 March 2026.
var DefaultEpoch = time.Date(2026, 3, 2, 1, 55, 0, 0, time.UTC)

// Setup is what the world was made from, with its defaults.
func (w *World) Setup() Setup { return w.setup }

// Channel is the channel of this name, nil where there is none.
func (w *World) Channel(name string) *Channel {
	for _, c := range w.Channels {
		if c.name == name {
			return c
		}
	}
	return nil
}

// Cron is the cron host of this name, nil where there is none.
func (w *World) Cron(name string) *Cron {
	for _, c := range w.Crons {
		if c.setup.Name == name {
			return c
		}
	}
	return nil
}

// later starts a task of the world after a while, also when the run is healed meanwhile.
func (w *World) later(actor, label string, after time.Duration, do func(ctx context.Context)) {
	w.k.After(actor, after, label, func(time.Time) {
		w.k.World(actor, func(ctx context.Context) error { do(ctx); return nil })
	})
}

// mark writes a line of the world into the history: what fault kinds judge whether they have bitten.
func (w *World) mark(actor, what, text string) { w.k.History().Mark(actor, what, text) }

// account panics for an account that is not of this world: the caller made the name up.
func (w *World) account(id string) Account {
	for _, a := range w.Accounts {
		if a.ID == id {
			return a
		}
	}
	panic(fmt.Sprintf("world: no account %q", id))
}

func (w *World) invoice(id string) Invoice {
	for _, i := range w.Invoices {
		if i.ID == id {
			return i
		}
	}
	panic(fmt.Sprintf("world: no invoice %q", id))
}

// windowAt is the window of an account an instant lies in: one of its own, else the local day.
func (w *World) windowAt(account string, at time.Time) Window {
	acc := w.account(account)
	for _, known := range acc.Windows {
		if !at.Before(known.Start) && at.Before(known.End) {
			return known
		}
	}
	found, err := dayAt(acc.Zone, acc.ProviderLag, at, 0)
	if err != nil {
		panic(err) // the zone was loaded when the account was made
	}
	return found
}

// Truth is what has really happened so far. It is a copy: later effects do not show in it.
func (w *World) Truth() *Truth {
	t := w.truth
	t.Payments, t.Refunds, t.Messages = slices.Clone(t.Payments), slices.Clone(t.Refunds), slices.Clone(t.Messages)
	t.Receipts, t.Planted, t.Calls = slices.Clone(t.Receipts), slices.Clone(t.Planted), slices.Clone(t.Calls)
	t.Statement, t.Cash = w.Provider.totals()
	return &t
}
