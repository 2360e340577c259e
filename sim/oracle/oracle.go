package oracle

import (
	"cmp"
	"slices"
	"time"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/recondrill/recondrill/sim/world"
)

// Oracle is one claim about the engine.
type Oracle interface {
	Name() string
	ExcusedBy() []string // fault kinds under which it makes no claim
	Check(v View) Finding
	// Spoil answers a copy of a good view that is damaged on purpose, so that Check must object to it: whoever runs
	// oracles sees with it that they are not blind. False: there is nothing here that this one could see damaged.
	Spoil(v View) (View, bool)
}

// View is all that oracles see of a run.
type View struct {
	Tables  pg.Tables    // at the end
	Earlier pg.Tables    // of the same run at an earlier moment: what is append-only must still be there; nil = none
	Truth   *world.Truth // what really happened outside
	History *sim.History
	Settled bool // the runner's word: nothing moves any more and nothing waits but for a person
	Limits  Limits
}

// Limits are the numbers of the drill that a claim depends on.
type Limits struct {
	Epoch       time.Time              // world time at the history's zero
	Now         time.Time              // world time of Tables
	Lease       time.Duration          // of a record
	LeaseMin    time.Duration          // the shortest that a version of the engine takes
	LeaseMargin time.Duration          // by how much sooner a worker stops itself
	Silent      time.Duration          // a process that was not heard for so long counts as dead
	Slots       []time.Time            // of the schedule, those that the drill waits for
	PaymentLag  time.Duration          // how far our knowledge of payments may be behind when we remind
	Caps        *Caps                  // on what policy does alone; nil: not known
	Terms       map[string]world.Terms // what each service promises: provider, email, sms, push
}

// Finding is what a check saw.
type Finding struct {
	Checked    int // things that could have been wrong
	Violations []Violation
}

// Violation is one thing that is wrong.
type Violation struct {
	Oracle string
	Record string // job:…, intent:…, correction:…, payment:…
	Text   string // one line for people
	Lost   Damage
	Double Damage
}

// Damage is what a violation costs: messages, and money in minor units per currency.
type Damage struct {
	Messages int
	Money    map[string]int64
}

// All is THE list. What costs most comes first: a run is told by the first claim it broke.
func All() []Oracle {
	return []Oracle{
		effects(), dunning(), unwanted(), reconciledOnce(), intentOnce(), stepOnce(), slotOnce(), slotKept(), fence(), leaseOver(), covered(), leaseKept(), together(),
		submitting(), oneText(), residual(), planted(), breaks(), account(), owed(), noted(), lastLine(), zeroSum(), appendOnly(), conservation(), letters(), laneFull(),
		deadUndone(), told(), roomsApart(), corrected(), actOnce(), overruled(), capped(), advised(), shown(), settled(),
	}
}

// claim is an Oracle from its parts.
type claim struct {
	name    string
	excused []string
	check   func(v View, s *seen)
	spoil   func(v *View) bool // damages a view that is its own; false: nothing to damage
}

func (c claim) Name() string        { return c.name }
func (c claim) ExcusedBy() []string { return c.excused }

func (c claim) Check(v View) Finding {
	s := &seen{oracle: c.name}
	c.check(v, s)
	// Checks walk over maps; what they report must not depend on the order.
	slices.SortFunc(s.Violations, func(a, b Violation) int { return cmp.Or(cmp.Compare(a.Record, b.Record), cmp.Compare(a.Text, b.Text)) })
	return s.Finding
}

func (c claim) Spoil(v View) (View, bool) {
	spoiled := v.copied()
	if !c.spoil(&spoiled) {
		return View{}, false
	}
	return spoiled, true
}
