package pg

import (
	"maps"
	"slices"

	"github.com/recondrill/recondrill/sim"
)

// Things of footprints that are no relations.
const (
	thingAdvisory     = "advisory"     // advisory locks
	thingCatalogue    = "catalogue"    // the server's
	thingClock        = "time"         // what recon.now() says
	thingTables       = "tables"       // locks on whole tables: an end of a transaction reads it, who must wait for those locks writes it
	thingSnapshots    = "snapshots"    // written by what fixes a snapshot for longer than a statement, read by every commit that changes something
	thingSerializable = "serializable" // the server's bookkeeping of who read what
)

// touch is what statements touch: of one text, or of a transaction so far. Row locks are a write of their relation, so SKIP
// LOCKED, NOWAIT and waits meet them there; a foreign key's lock on the parent's row, which its likes do not mind, is a share.
type touch struct {
	reads, writes, shares set
	ends                  set // read at the end of the transaction, by what was deferred
	all                   bool

	known *sim.Footprint // what now answers, where nothing will be added any more
}

type set map[string]struct{}

func (s *set) add(thing string) {
	if *s == nil {
		*s = set{}
	}
	(*s)[thing] = struct{}{}
}

func (s *set) join(o set) {
	for thing := range o {
		s.add(thing)
	}
}

func (s set) sorted() []string {
	if len(s) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(s))
}

// join adds o to t.
func (t *touch) join(o *touch) {
	t.reads.join(o.reads)
	t.writes.join(o.writes)
	t.shares.join(o.shares)
	t.ends.join(o.ends)
	t.all = t.all || o.all
}

// now is the footprint of carrying it out.
func (t *touch) now() sim.Footprint {
	if t.known != nil {
		return *t.known
	}
	read := set{}
	read.join(t.reads)
	read.join(t.shares)
	for thing := range t.writes {
		delete(read, thing)
	}
	return sim.Footprint{Reads: read.sorted(), Writes: t.writes.sorted(), All: t.all}
}

// end is the footprint of a COMMIT or ROLLBACK after it: others see what was written, or get the locks.
func (t *touch) end() sim.Footprint {
	if t == nil {
		return sim.Footprint{}
	}
	e := touch{reads: set{thingTables: {}}, writes: set{}, shares: t.shares, all: t.all}
	e.writes.join(t.writes)
	delete(e.writes, thingTables) // what was locked as a whole is among the writes by its own name
	delete(e.writes, thingSnapshots)
	e.reads.join(t.ends)
	if t.changes() {
		e.reads.add(thingSnapshots)
	}
	return e.now()
}

func (t *touch) changes() bool { return t.all || len(t.writes) > 0 }

// toucher finds out what names touch, in a catalogue.
type toucher struct {
	*catalogue
	touch
	followed map[*relation]access
	entered  map[*function]bool
	deferred bool // what is found now happens at the end of the transaction as well
}

// touchOf is what a text touches whose names are n.
func (c *catalogue) touchOf(n names) *touch {
	t := &toucher{catalogue: c, followed: map[*relation]access{}, entered: map[*function]bool{}}
	t.names(n)
	for _, f := range c.always {
		t.function(f)
	}
	foot := t.now()
	t.known = &foot
	return &t.touch
}

func (t *toucher) names(n names) {
	t.all = t.all || n.unknown
	if n.advisory {
		t.writes.add(thingAdvisory)
	}
	if n.clock {
		t.reads.add(thingClock)
	}
	if n.catalogue {
		t.reads.add(thingCatalogue)
	}
	for _, m := range n.relations {
		for _, r := range t.named(m.objectName) {
			t.relation(r, m.of(r))
		}
	}
	for _, q := range n.sequences {
		for _, r := range t.named(q) {
			t.relation(r, updates)
		}
	}
	for _, l := range n.literals {
		for _, r := range t.named(l) {
			t.relation(r, reads)
		}
	}
	for _, f := range n.functions {
		for _, f := range t.called(f) {
			t.function(f)
		}
	}
}

// of is the access to a relation that a mention may mean: with keys, where it may change some.
func (m mention) of(r *relation) access {
	if m.access&updates == 0 {
		return m.access
	}
	for _, column := range m.set {
		if _, key := r.keys[column]; key {
			return m.access | keys
		}
	}
	if r.unsure || len(m.set) == 0 || r.kind != "r" {
		return m.access | keys
	}
	return m.access
}

func (t *toucher) each(list []names) {
	for _, n := range list {
		t.names(n)
	}
}

func (t *toucher) function(f *function) {
	if t.entered[f] {
		return
	}
	t.entered[f] = true
	t.all = t.all || f.unknown
	t.names(f.body)
}

// relation follows an access to everything that it may set off.
func (t *toucher) relation(r *relation, a access) {
	if before := t.followed[r]; before|a == before {
		return
	}
	if a&updates != 0 && (len(r.below) > 0 || len(r.above) > 0) {
		a |= merges // a row may move to another partition
	}
	t.followed[r] |= a
	t.thing(r, a)
	for _, up := range r.above {
		t.thing(up, reads)
	}
	for _, part := range r.below {
		t.relation(part, a)
	}
	t.each(r.policies)
	for _, n := range r.view {
		t.behind(n, a)
	}
	if a&writes == 0 {
		return
	}
	t.each(r.checks)
	for _, n := range r.rules {
		t.behind(n, merges)
	}
	t.keys(r, a)
	t.fire(r, a)
}

// thing names a relation in the footprint.
func (t *toucher) thing(r *relation, a access) {
	t.all = t.all || r.kind == "f" // a foreign table is anywhere
	if a&writes != 0 {
		t.writes.add(r.thing)
	} else {
		t.reads.add(r.thing)
	}
	if a&truncates != 0 {
		t.writes.add(thingTables)
	}
	if t.deferred {
		t.ends.add(r.thing)
	}
}

// behind is what a view or a rule stands for: a write of it may be one of anything it names.
func (t *toucher) behind(n names, a access) {
	t.names(n)
	if a&writes == 0 {
		return
	}
	if a&updates != 0 {
		a |= keys // its columns go by other names
	}
	for _, m := range n.relations {
		for _, r := range t.named(m.objectName) {
			t.relation(r, a)
		}
	}
}

// keys follows defaults, sequences and foreign keys.
func (t *toucher) keys(r *relation, a access) {
	if a&(inserts|updates) != 0 {
		t.each(r.defaults)
		for _, q := range r.sequences {
			t.relation(q, updates)
		}
	}
	if a&(inserts|keys) != 0 {
		for _, parent := range r.parents {
			t.share(parent)
		}
	}
	if a&(keys|deletes|truncates) == 0 {
		return
	}
	for _, k := range r.children {
		t.share(k.child)
		if a&deletes != 0 && k.onDelete != 0 {
			t.relation(k.child, k.onDelete)
		}
		if a&keys != 0 && k.onUpdate != 0 {
			t.relation(k.child, k.onUpdate)
		}
		if a&truncates != 0 {
			t.relation(k.child, truncates) // CASCADE, or not: then it fails
		}
	}
}

func (t *toucher) share(r *relation) {
	t.shares.add(r.thing)
	for _, part := range r.below {
		t.shares.add(part.thing)
	}
	for _, up := range r.above {
		t.shares.add(up.thing)
	}
}

// fire follows triggers. What a deferred one reads is read at the end of the transaction at the latest.
func (t *toucher) fire(r *relation, a access) {
	for _, g := range r.triggers {
		switch {
		case g.on&a == 0:
		case g.deferred && !t.deferred:
			later := &toucher{catalogue: t.catalogue, followed: map[*relation]access{}, entered: map[*function]bool{}, deferred: true}
			later.function(g.function)
			t.touch.join(&later.touch)
		default:
			t.function(g.function)
		}
	}
}
