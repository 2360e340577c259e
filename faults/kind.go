package faults

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// Kind is one way to go wrong.
type Kind interface {
	// Name is its word in plans, reports and run lines.
	Name() string
	// Draw lists what it would do at this gate, mildest first: some of what the gate offers, nothing where it makes no
	// sense.
	Draw(g sim.Gate) []sim.Value
	// Check accepts exactly what Draw can print.
	Check(v sim.Value) error
	// Bit says whether this deviation of a run did the damage that the kind stands for.
	Bit(d sim.Deviation, h *sim.History) bool
}

// Kinds is THE list, in the order of the design: clocks, processes, database, provider, channels, queue, operator. Where
// one deviation is of several kinds, the first is what a picture calls it.
func Kinds() []Kind {
	return []Kind{
		tick("duplicate-tick", "duplicate", func(n int, _ time.Duration) bool { return n == 1 }),
		tick("early-tick", "early", func(_ int, off time.Duration) bool { return off < 0 }),
		tick("late-tick", "late", func(_ int, off time.Duration) bool { return off > 0 }),
		missingTick(), dstGap(), dstRepeat(),
		skew(), wallStep(), monoDrift(), databaseStep(),

		crash(), lateStatement(), sameName(), slowDrain(), twoVersions(),
		stall(), expiredLease(), suspend(), delay(), answerLate(),

		cut("cut-before", "before"), cut("cut-after", "after"), cutDuring(), commitLost(), commitLate(),
		completesAnyway(), notSent(), lingeringLocks(), slowCommit(),
		collision("deadlock", "40P01"), collision("serialization-failure", "40001"), collision("unique-violation", "23505"),
		backendKilled(), poolExhausted(),
		serverRestart(), readOnly(), lostTail(), restore(),

		timeoutBefore("provider-timeout-before", isProvider), timeoutAfter("provider-timeout-after", isProvider),
		throttled(), answer("throttled-bare", "throttled"), answer("pending", "pending"), answer("unavailable", "unavailable"),
		answer("failed", "failed"), answer("rejected", "rejected"), otherAnswer(), keyForgotten(),
		answer("truncated-statement", "truncated"), answer("empty-statement", "empty"), pageShift(),
		callbackLate(), callbackDoubled(), callbackReordered(), callbackEarly(), callbackNameless(),

		timeoutBefore("channel-timeout-before", isChannel), timeoutAfter("channel-timeout-after", isChannel),
		answerLost(), answer("contact-invalid", "contact invalid"), bounce(), outage(),

		delayedAck(), lettersFull(), poisonMessage(),
		redriveTwice(), redriveAll(), approveStale(), forgottenPause(),
	}
}

// Find is the kind of this name.
func Find(name string) (Kind, error) {
	var names []string
	for _, k := range Kinds() {
		if k.Name() == name {
			return k, nil
		}
		names = append(names, k.Name())
	}
	return nil, fmt.Errorf("fault kind %q is unknown; accepted are %s", name, strings.Join(names, ", "))
}

// Bitten are the kinds that bit in a run, sorted.
func Bitten(h *sim.History) []string {
	var names []string
	for _, k := range Kinds() {
		if bitten(k, h) {
			names = append(names, k.Name())
		}
	}
	slices.Sort(names)
	return names
}

// comesAbout is a kind that can bite without anybody's decision.
type comesAbout interface {
	came(list []sim.Entry) bool
}

func bitten(k Kind, h *sim.History) bool {
	if c, ok := k.(comesAbout); ok && c.came(h.Entries) {
		return true
	}
	return slices.ContainsFunc(h.Used, func(d sim.Deviation) bool { return k.Bit(d, h) })
}

// kind is a Kind made of data: which offered values are its own, and its postcondition.
type kind struct {
	name  string
	forms []form
	at    func(sim.Address) bool // nil: everywhere
	bit   func(d sim.Deviation, r run) bool
}

func (k kind) Name() string { return k.name }

func (k kind) Draw(g sim.Gate) []sim.Value {
	var own []sim.Value
	if k.at != nil && !k.at(g.Address) {
		return nil
	}
	for _, o := range g.Offers {
		if slices.ContainsFunc(k.forms, func(f form) bool { return f.class == o.Class && f.fits(o.Value) }) {
			own = append(own, o.Value)
		}
	}
	return own
}

func (k kind) Check(v sim.Value) error {
	if slices.ContainsFunc(k.forms, func(f form) bool { return f.fits(v) && f.printed(v) }) {
		return nil
	}
	var accepted []string
	for _, f := range k.forms {
		accepted = append(accepted, f.String())
	}
	return fmt.Errorf("%s: value %q; accepted: %s", k.name, v, strings.Join(accepted, ", or "))
}

func (k kind) Bit(d sim.Deviation, h *sim.History) bool {
	ours := slices.ContainsFunc(k.forms, func(f form) bool { return f.class == d.Class && f.fits(d.Value) })
	if !ours || k.at != nil && !k.at(d.At) {
		return false
	}
	r, ok := since(d, h)
	return ok && k.bit(d, r)
}
