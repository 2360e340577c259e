package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
)

// Fingerprint tells runs apart by what matters: 32 hex digits of the order of the moves whose footprints meet, and of
// what came of each. Two runs that differ only in the order of independent moves, or in when something happened, have
// the same; two orders of moves that meet have two. It is no proof of sameness, as History.Hash is: a footprint that is
// too small, or an outcome nobody told (Entry.Outcome), makes it too coarse.
func (k *Kernel) Fingerprint() string {
	k.trail.end()
	return fmt.Sprintf("%016x%016x", k.trail.sum[0], k.trail.sum[1])
}

// Touch widens the footprint of the move that is made now: what it does besides what its gate said. It may have let go
// of locks.
func (k *Kernel) Touch(f Footprint) {
	k.touched = true
	k.trail.foot = k.trail.foot.With(f)
	if n := len(k.history.Moves); n > 0 && k.trail.open {
		m := &k.history.Moves[n-1]
		m.Foot = m.Foot.With(f)
	}
}

// trail is how a fingerprint grows. Each move is hashed with the hashes of the moves before it that it meets, which
// says their order and, through them, that of all before; the sum over the moves does not say more. So it costs a
// hash a move and a look-up a name, and nothing is kept but the last moves at each thing.
type trail struct {
	things map[string]*thing
	all    thing // written by moves that may touch anything, read by all that touch something
	sum    digest

	// the move that is being made
	open  bool
	task  *Task
	place Address
	kind  Kind
	foot  Footprint
	told  []byte

	line []byte
}

// thing is what moves meet at.
type thing struct {
	written digest // the last move that wrote it
	read    digest // the sum of those that have read it since
}

type digest [2]uint64

func (d *digest) add(o digest) {
	d[0] += o[0]
	d[1] += o[1]
}

func (d digest) append(b []byte) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, d[0]), d[1])
}

func (r *trail) thing(name string) *thing {
	t := r.things[name]
	if t == nil {
		t = &thing{}
		r.things[name] = t
	}
	return t
}

// begin opens the move of t from where it stands.
func (r *trail) begin(t *Task) {
	r.end()
	r.open, r.task, r.place, r.kind, r.foot, r.told = true, t, t.gate.Address, t.gate.Kind, t.foot(), r.told[:0]
	if t.fault != (Value{}) {
		r.outcome("fault", plainer(t.fault))
	}
	if t.answer != nil {
		r.outcome("ended by", t.answer.Error())
	}
}

// outcome adds to what the move came to.
func (r *trail) outcome(what, text string) {
	if r.open && text != "" {
		r.told = append(append(append(append(r.told, 0), what...), 0), text...)
	}
}

// end closes the move: all that belongs to it has been told.
func (r *trail) end() {
	if !r.open {
		return
	}
	r.open = false
	b := append(append(r.line[:0], r.task.text...), 0)
	b = append(r.place.appendPlace(b), 0, byte(r.kind))
	b = append(b, r.told...)
	b = append(b, 0)
	// Tasks of one process share memory, so their moves always meet, from one life to the next as well.
	own := r.task.chain
	b = own.written.append(b)
	f := r.foot
	if !f.Empty() {
		b = r.all.written.append(b)
	}
	if f.All {
		b = r.all.read.append(b)
	}
	for _, name := range f.Writes {
		t := r.thing(name)
		b = t.read.append(t.written.append(b))
	}
	for _, name := range f.Reads {
		b = r.thing(name).written.append(b)
	}
	r.line = b
	sum := sha256.Sum256(b)
	h := digest{binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])}
	r.sum.add(h)
	own.written = h
	r.touch(f, h)
}

// touch leaves the hash of a move at what it touched. What it both reads and writes it has written.
func (r *trail) touch(f Footprint, h digest) {
	switch {
	case f.All:
		r.all = thing{written: h}
	case !f.Empty():
		r.all.read.add(h)
	}
	for _, name := range f.Reads {
		r.thing(name).read.add(h)
	}
	for _, name := range f.Writes {
		*r.thing(name) = thing{written: h}
	}
}

// plainer is a value's text without a duration that is its last word: when is no outcome.
func plainer(v Value) string {
	if words, _, ok := timed(v); ok {
		return strings.TrimSpace(words)
	}
	return v.String()
}
