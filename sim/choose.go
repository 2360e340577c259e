package sim

import "slices"

// choose answers who moves next, or nil when nobody is enabled.
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
	t := k.plain()
	if len(k.enabled) > 1 {
		t = k.then(t)
	}
	k.at.Address.Nth = 0
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

// then asks who moves instead of the plain choice. Each place is asked once.
func (k *Kernel) then(plain *Task) *Task {
	if k.at.Address.Nth == 0 || k.decider == nil {
		return plain
	}
	k.offers = k.offers[:0]
	for _, t := range k.enabled {
		if t != plain {
			k.offers = append(k.offers, Offer{Then, Value{Verb: t.text}})
		}
	}
	k.at.Offers = k.offers
	v := k.decide(k.at, Then)
	if i := slices.IndexFunc(k.enabled, func(t *Task) bool { return t.text == v.Verb }); i >= 0 {
		return k.enabled[i]
	}
	return plain
}
