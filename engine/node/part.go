package node

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/admission"
	"github.com/recondrill/recondrill/engine/delivery"
	"github.com/recondrill/recondrill/engine/postgres"
	"github.com/recondrill/recondrill/engine/reconcile"
)

// Part is something a process does. The channels are parts by their name.
type Part string

// The parts.
const (
	Admission Part = "admission"
	Reconcile Part = "reconcile"
	Refund    Part = "refund"
	Email     Part = "email"
	SMS       Part = "sms"
	Push      Part = "push"
)

// Parts is the list of them.
func Parts() []Part { return []Part{Admission, Reconcile, Refund, Email, SMS, Push} }

// Ports are the outside things that the parts need.
type Ports struct {
	Provider engine.Provider  // for reconcile and refund
	Channels []engine.Channel // for the parts named after them
}

// Config are all settings of a process. Zero values mean the production defaults; those of the database side (lease,
// heartbeat dead-after) are postgres.Options.
type Config struct {
	Parts     []Part
	Admission admission.Config // needed with the part
	Reconcile reconcile.Config
	Refund    reconcile.RefundConfig
	Delivery  delivery.Config

	Heartbeat time.Duration    // between two beats; 3 s, and less than HeartbeatDead
	SilentMax time.Duration    // beats that fail for so long stop everything; the lease less its margin
	Maintain  time.Duration    // between two looks at held intents; 1 min
	Conserve  time.Duration    // between two counts of everything; 5 min
	PauseMax  time.Duration    // a stop that is in force for longer may be forgotten, and alarms; 24 h
	HeldMax   postgres.HeldMax // reminder 72 h, invoice and confirmation 24 h
	HeldBatch int              // held intents moved at once; 200

	// Note hears of what went wrong and is tried again: the part, the record where it is one's, the error. Nil: nobody.
	Note func(part Part, record engine.Key, err error)
}

// Checked is the configuration with its defaults, or what is wrong with it.
func (c Config) Checked(o postgres.Options) (Config, error) {
	if len(c.Parts) == 0 {
		return c, fmt.Errorf("node: no parts; accepted are %v", Parts())
	}
	for i, p := range c.Parts {
		if !slices.Contains(Parts(), p) || slices.Contains(c.Parts[:i], p) {
			return c, fmt.Errorf("node: part %q is unknown or named twice; accepted are %v", p, Parts())
		}
	}
	if c.Heartbeat == 0 {
		c.Heartbeat = 3 * time.Second
	}
	for _, d := range []struct {
		name  string
		value *time.Duration
		usual time.Duration
	}{
		{"Heartbeat", &c.Heartbeat, 0},
		{"SilentMax", &c.SilentMax, max(o.Lease-o.LeaseMargin, 2*c.Heartbeat)},
		{"Maintain", &c.Maintain, time.Minute},
		{"Conserve", &c.Conserve, 5 * time.Minute},
		{"PauseMax", &c.PauseMax, 24 * time.Hour},
		{"HeldMax.Reminder", &c.HeldMax.Reminder, 72 * time.Hour},
		{"HeldMax.Invoice", &c.HeldMax.Invoice, 24 * time.Hour},
		{"HeldMax.Confirmation", &c.HeldMax.Confirmation, 24 * time.Hour},
	} {
		if *d.value == 0 {
			*d.value = d.usual
		}
		if *d.value < 0 {
			return c, fmt.Errorf("node: %s is %v; accepted is a positive duration", d.name, *d.value)
		}
	}
	if c.HeldBatch == 0 {
		c.HeldBatch = 200
	}
	if c.Heartbeat >= o.HeartbeatDead {
		return c, fmt.Errorf("node: Heartbeat %v is not less than HeartbeatDead %v: every process would look dead", c.Heartbeat, o.HeartbeatDead)
	}
	if c.Note == nil {
		c.Note = func(Part, engine.Key, error) {}
	}
	return c, nil
}

// part is one of them, ready to run.
type part struct {
	name Part
	run  func(ctx context.Context, drain engine.Event) error
	wake func() // spares it an idle wait; nil where it has none
}

// fits refuses an outside whose longest call may outlive a lease: nobody would ever begin one.
func fits(what string, terms engine.Terms, o postgres.Options) error {
	if terms.CallTimeout+o.LeaseMargin > o.Lease {
		return fmt.Errorf("node: %s: calls of up to %v and a margin of %v do not fit a lease of %v; accepted is a longer lease or a shorter call",
			what, terms.CallTimeout, o.LeaseMargin, o.Lease)
	}
	return nil
}

// build makes the parts and wires who wakes whom.
func (n *Node) build(ports Ports) error {
	for _, name := range n.config.Parts {
		p, err := n.part(name, ports)
		if err != nil {
			return err
		}
		n.parts = append(n.parts, p)
	}
	return nil
}

func (n *Node) part(name Part, ports Ports) (part, error) {
	note := func(record engine.Key, err error) { n.config.Note(name, record, err) }
	switch name {
	case Admission:
		t, err := admission.NewTimer(n.rt, n.db, n.config.Admission)
		if err != nil {
			return part{}, err
		}
		t.Note(func(err error) { note("", err) })
		t.Admitted(func(postgres.Admission) { n.wake(Reconcile) })
		return part{name: name, run: t.Run}, nil
	case Reconcile, Refund:
		if ports.Provider == nil {
			return part{}, fmt.Errorf("node: part %s needs a provider", name)
		}
		if err := fits("the provider", ports.Provider.Terms(), n.db.Options()); err != nil {
			return part{}, err
		}
		if name == Refund {
			r := reconcile.NewRefunder(n.rt, n.db, ports.Provider, n.config.Refund)
			r.Note(note)
			return part{name, r.Run, r.Wake}, nil
		}
		w := reconcile.New(n.rt, n.db, ports.Provider, n.config.Reconcile)
		w.Note(note)
		w.Finished(func(engine.AccountID) { n.wake(Refund, Email, SMS, Push) })
		return part{name, w.Run, w.Wake}, nil
	}
	for _, channel := range ports.Channels {
		if Part(channel.Name()) == name {
			if err := fits("channel "+string(name), channel.Terms(), n.db.Options()); err != nil {
				return part{}, err
			}
			w := delivery.New(n.rt, n.db, channel, n.config.Delivery)
			w.Note(note)
			return part{name, w.Run, w.Wake}, nil
		}
	}
	return part{}, fmt.Errorf("node: part %s needs the channel of that name", name)
}

// wake spares the named parts their idle wait, where this process has them.
func (n *Node) wake(names ...Part) {
	for _, p := range n.parts {
		if p.wake != nil && slices.Contains(names, p.name) {
			p.wake()
		}
	}
}
