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

// Kinds is THE list.
func Kinds() []Kind {
	return []Kind{
		tick("duplicate-tick", "duplicate", "fired", func(n int, _ time.Duration) bool { return n == 1 }),
		tick("early-tick", "early", "fired", func(_ int, off time.Duration) bool { return off < 0 }),
		tick("late-tick", "late", "fired", func(_ int, off time.Duration) bool { return off > 0 }),
		tick("missing-tick", "missing", "missed", func(int, time.Duration) bool { return true }),
		crash(), lateStatement(),
		stall(), expiredLease(),
		timeoutBefore("provider-timeout-before", isProvider), timeoutAfter("provider-timeout-after", isProvider),
		timeoutBefore("channel-timeout-before", isChannel), timeoutAfter("channel-timeout-after", isChannel),
		answer("throttled", "throttled", true), answer("pending", "pending", false), answer("unavailable", "unavailable", false),
		answer("failed", "failed", false), answer("rejected", "rejected", false), answer("truncated-statement", "truncated", false),
		cut("cut-before", "before"), cut("cut-after", "after"), commitLate(),
		skew(),
		lettersFull{},
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

func bitten(k Kind, h *sim.History) bool {
	if _, setUp := k.(lettersFull); setUp { // nobody decides it at a gate
		return k.Bit(sim.Deviation{}, h)
	}
	return slices.ContainsFunc(h.Used, func(d sim.Deviation) bool { return k.Bit(d, h) })
}

// kind is a Kind made of data: which offered values are its own, and its postcondition.
type kind struct {
	name     string
	forms    []form
	at       func(sim.Address) bool // nil: everywhere
	bit      func(d sim.Deviation, r run) bool
	accepted string // what Check accepts, for people
}

// form is a value's fixed words, or those and a duration.
type form struct {
	class    sim.Class
	words    string
	duration sign
}

type sign uint8

const (
	none sign = iota
	positive
	signed // a skew may be negative
)

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
	return fmt.Errorf("%s: value %q; accepted: %s", k.name, v, k.accepted)
}

// fits is asked at every gate of a run, so it prints nothing. Any duration will do: a script written by hand may say
// 2m.
func (f form) fits(v sim.Value) bool {
	verb, rest, _ := strings.Cut(f.words, " ")
	text := v.Arg
	switch {
	case f.duration == none:
		return v.Verb == verb && v.Arg == rest
	case f.words == "":
		text = v.Verb
		if v.Arg != "" {
			return false
		}
	case v.Verb != verb:
		return false
	case rest != "":
		var ok bool
		if text, ok = strings.CutPrefix(text, rest+" "); !ok {
			return false
		}
	}
	d, err := time.ParseDuration(text)
	return err == nil && (d > 0 || f.duration == signed && d != 0)
}

// printed: a duration is spelled as values spell it, 120s.
func (f form) printed(v sim.Value) bool {
	return f.duration == none || strings.HasSuffix(" "+v.String(), " "+sim.Seconds(length(v)))
}

func (k kind) Bit(d sim.Deviation, h *sim.History) bool {
	ours := slices.ContainsFunc(k.forms, func(f form) bool { return f.class == d.Class && f.fits(d.Value) })
	if !ours || k.at != nil && !k.at(d.At) {
		return false
	}
	r, ok := since(d, h)
	return ok && k.bit(d, r)
}
