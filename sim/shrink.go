package sim

// Shrinker makes a failing script smaller: ddmin over its deviations, what breaks first, then the switches.
// A candidate is accepted only when it fails by the same oracle with a strictly smaller set.
type Shrinker struct {
	Tries int         // runs it may spend; 0 means 200
	Stop  func() bool // asked before every run; nil never stops
	// Fails runs a candidate and answers the script it really used (a subset of the candidate's deviations, with
	// the run's header) and whether it failed.
	Fails func(Script) (used Script, failed bool)
}

// Shrink is Shrinker with its defaults.
func Shrink(s Script, fails func(Script) (Script, bool)) Script {
	return Shrinker{Fails: fails}.Shrink(s)
}

// Shrink answers the smallest script it found; s itself where nothing smaller fails in the same way.
func (r Shrinker) Shrink(s Script) Script {
	if r.Tries == 0 {
		r.Tries = 200
	}
	breaks := func(c Class) bool { return c != Then && c != Hold }
	switches := func(c Class) bool { return !breaks(c) }
	for best := s; ; s = best {
		best = r.reduce(best, breaks)
		best = r.reduce(best, switches)
		// A switch that went may have made a fault superfluous: until a whole round finds nothing.
		if len(best.Deviations) == len(s.Deviations) {
			return best
		}
	}
}

// reduce leaves out parts of one group of classes, in ever smaller pieces.
func (r *Shrinker) reduce(best Script, group func(Class) bool) Script {
	for pieces := 1; ; {
		members := positions(best, group)
		if len(members) == 0 {
			return best
		}
		pieces = min(pieces, len(members))
		smaller, found := r.without(best, members, pieces)
		switch {
		case found:
			best, pieces = smaller, max(pieces-1, 1)
		case pieces == len(members) || r.Tries <= 0:
			return best
		default:
			pieces *= 2
		}
	}
}

// without tries to leave out each of n pieces of members.
func (r *Shrinker) without(best Script, members []int, n int) (Script, bool) {
	for i := range n {
		from, to := i*len(members)/n, (i+1)*len(members)/n
		if r.Tries <= 0 || r.Stop != nil && r.Stop() {
			r.Tries = 0
			return best, false
		}
		r.Tries--
		used, failed := r.Fails(except(best, members[from:to]))
		if failed && used.Header.Oracle == best.Header.Oracle && len(used.Deviations) < len(best.Deviations) {
			return used, true
		}
	}
	return best, false
}

func positions(s Script, group func(Class) bool) []int {
	var out []int
	for i, d := range s.Deviations {
		if group(d.Class) {
			out = append(out, i)
		}
	}
	return out
}

// except is s without the deviations at these ascending positions.
func except(s Script, gone []int) Script {
	out := Script{Header: s.Header}
	for i, d := range s.Deviations {
		if len(gone) > 0 && gone[0] == i {
			gone = gone[1:]
			continue
		}
		out.Deviations = append(out.Deviations, d)
	}
	return out
}
