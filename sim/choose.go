package sim

import "slices"

// choose answers who moves next, or nil when it is the clock: nobody is enabled, or it was decided so.
func (k *Kernel) choose() *Task {
	k.enabled = k.enabled[:0]
	for _, t := range k.tasks {
		if t.enabled() {
			k.enabled = append(k.enabled, t)
		}
	}
	if len(k.enabled) == 0 {
		return nil
	}
	plain := k.plain()
	t := plain
	if len(k.enabled) > 1 || k.config.Clock {
		t = k.then(plain)
	}
	if k.config.Moves && t != nil {
		k.keep(t, plain)
	}
	k.at.Address.Nth = 0
	if t == nil {
		return nil
	}
	if t != k.sticky {
		k.sticky, k.streak = t, 0
	}
	k.streak++
	k.lastID = t.id
	return t
}

// plain is the choice of the plain run: the same again, else whose timer fired first, else round robin.
func (k *Kernel) plain() *Task {
	if k.sticky != nil && k.streak < k.config.K && k.sticky.enabled() {
		return k.sticky
	}
	for _, t := range k.fired {
		if t.enabled() {
			return t
		}
	}
	for _, t := range k.enabled {
		if t.id > k.lastID {
			return t
		}
	}
	return k.enabled[0]
}

// theClock as the choice of a question of class Then: time moves to the next timer though tasks could go on, which
// all dawdle.
var (
	theClock    = Value{Verb: "clock"}
	clockStands = Gate{Address: Address{Actor: Bare("clock"), Label: "next timer"}, Kind: Tick, Foot: Footprint{Writes: []string{"time"}}}
)

// clockMay says that the clock can be chosen. What was granted in the server is served before time moves: a slow
// server is a decision of its own (Config.Grants).
func (k *Kernel) clockMay() bool {
	if !k.config.Clock || slices.ContainsFunc(k.enabled, func(t *Task) bool { return t.served }) {
		return false
	}
	next := k.clock.next()
	return next != nil && next.at <= k.until
}

// then asks who moves instead of the plain choice. Each place is asked once.
func (k *Kernel) then(plain *Task) *Task {
	if k.at.Address.Nth == 0 || k.decider == nil {
		return plain
	}
	k.offers, k.standing = k.offers[:0], k.standing[:0]
	for _, t := range k.enabled {
		k.standing = append(k.standing, Standing{Actor: t.actor, Text: t.text, Gate: &t.gate, Plain: t == plain})
		if t != plain {
			k.offers = append(k.offers, Offer{Then, Value{Verb: t.text}})
		}
	}
	clock := k.clockMay()
	if clock {
		k.standing = append(k.standing, Standing{Actor: Bare("clock"), Text: theClock.Verb, Gate: &clockStands})
		k.offers = append(k.offers, Offer{Then, theClock})
	}
	if len(k.offers) == 0 {
		return plain
	}
	g := k.at
	g.Offers, g.Standing = k.offers, k.standing
	v := k.decide(g, Then)
	if clock && v == theClock {
		return nil
	}
	if i := slices.IndexFunc(k.enabled, func(t *Task) bool { return t.text == v.Verb }); i >= 0 {
		return k.enabled[i]
	}
	return plain
}

// keep writes down the move that is about to be made, and who could have moved instead.
func (k *Kernel) keep(t, plain *Task) {
	m := Move{Actor: t.actor, Gate: t.gate.Address, Kind: t.gate.Kind, Foot: t.foot()}
	if len(k.enabled) > 1 {
		if k.at.Address.Nth > 0 && !k.healed {
			m.At = k.at.Address
		}
		for _, o := range k.enabled {
			if o != t {
				m.Enabled = append(m.Enabled, Alternative{Actor: o.actor, Gate: o.gate.Address, Foot: o.foot(), Plain: o == plain})
			}
		}
	}
	k.history.Moves = append(k.history.Moves, m)
}
