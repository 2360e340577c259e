package sim

import "slices"

// Footprint is what a move touches that a move of another task could notice: names of things, each list sorted and
// without doubles. What a thing is, is for whoever makes the footprint: sim/pg names relations, advisory locks and
// snapshots, sim/world its services. Moves of tasks of one process always depend on each other, whatever their
// footprints say: they share memory that nobody sees.
type Footprint struct {
	Reads, Writes []string
	All           bool // may touch anything: nothing is known about it
}

// Meets says that the order of two moves with these footprints can matter: one writes what the other reads or writes.
func (f Footprint) Meets(o Footprint) bool {
	if f.All || o.All {
		return !f.Empty() && !o.Empty()
	}
	return overlap(f.Writes, o.Writes) || overlap(f.Writes, o.Reads) || overlap(f.Reads, o.Writes)
}

// Empty says that a move with this footprint touches nothing that another process could notice.
func (f Footprint) Empty() bool { return !f.All && len(f.Reads) == 0 && len(f.Writes) == 0 }

// With is the union of two footprints.
func (f Footprint) With(o Footprint) Footprint {
	return Footprint{Reads: union(f.Reads, o.Reads), Writes: union(f.Writes, o.Writes), All: f.All || o.All}
}

func union(a, b []string) []string {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// overlap walks two sorted lists.
func overlap(a, b []string) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			return true
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return false
}

// Standing is a task that could move next, as a Decider sees it at a question of class Then.
type Standing struct {
	Actor Actor
	Text  string // of Actor: the value that chooses it
	Gate  *Gate  // where it stands; not to be kept
	Plain bool   // it is the plain choice
}

// Move is one move of the run, as a search sees it afterwards.
type Move struct {
	Actor   Actor
	Gate    Address // where it stood
	Kind    Kind
	Foot    Footprint
	At      Address       // where it was asked who moves; Nth 0 where nobody was asked
	Enabled []Alternative // who else could have moved, in order of creation, asked or not
}

// Alternative is a task that could have moved and did not.
type Alternative struct {
	Actor Actor
	Gate  Address
	Foot  Footprint
	Plain bool // it would have been the plain choice
}
