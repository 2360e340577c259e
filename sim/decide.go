package sim

import (
	"crypto/sha256"
	"encoding/binary"
)

// Decider answers from the gate alone: no stream of chance, so one answer never moves another. The kernel asks each
// (address, class) at most once and treats a value that is not offered there as the plain one.
type Decider interface {
	Decide(g Gate, c Class) Value
}

type plain struct{}

func (plain) Decide(Gate, Class) Value { return Value{} }

// Plain is the run without deviations.
func Plain() Decider { return plain{} }

// Weighted is a value and its share in ten thousand. What a list leaves of ten thousand is the plain run's.
type Weighted struct {
	Value  Value
	Per10k int
}

// Split gives every offer of a class at g an equal part of per10k.
func Split(g Gate, c Class, per10k int) []Weighted {
	values := g.Values(c)
	out := make([]Weighted, len(values))
	for i, v := range values {
		// The remainder goes to the first ones, so that the parts sum to per10k.
		share := per10k / len(values)
		if i < per10k%len(values) {
			share++
		}
		out[i] = Weighted{v, share}
	}
	return out
}

type seeded struct {
	seed  uint64
	left  int
	weigh func(g Gate, c Class) []Weighted
	buf   []byte
}

// Seeded sets each value by the first eight bytes of SHA-256(seed, address, class) and the weights of weigh, which
// must be a function of the gate (nil: the plain run). At most `most` deviations of classes fault and outcome are made in one run. A
// Seeded decider counts them, so it serves one run.
func Seeded(seed uint64, most int, weigh func(g Gate, c Class) []Weighted) Decider {
	return &seeded{seed: seed, left: most, weigh: weigh}
}

func (s *seeded) Decide(g Gate, c Class) Value {
	breaks := c == Fault || c == Outcome
	if s.weigh == nil || breaks && s.left <= 0 {
		return Value{}
	}
	weighted := s.weigh(g, c)
	if len(weighted) == 0 {
		return Value{}
	}
	draw := int(s.hash(g.Address, c) % 10000)
	for _, w := range weighted {
		if draw -= w.Per10k; draw >= 0 {
			continue
		}
		if w.Value == (Value{}) || !g.Offered(c, w.Value) {
			return Value{}
		}
		if breaks {
			s.left--
		}
		return w.Value
	}
	return Value{}
}

func (s *seeded) hash(a Address, c Class) uint64 {
	s.buf = binary.BigEndian.AppendUint64(s.buf[:0], s.seed)
	s.buf = a.append(s.buf)
	s.buf = append(s.buf, 0, byte(c))
	sum := sha256.Sum256(s.buf)
	return binary.BigEndian.Uint64(sum[:8])
}

// RecordedDecider answers from a script's deviations only.
type RecordedDecider struct {
	deviations []Deviation
	index      map[question]int
	used       []bool
}

// Recorded replays a script: its set of deviations and nothing else.
func Recorded(s Script) *RecordedDecider {
	r := &RecordedDecider{deviations: s.Deviations, index: map[question]int{}, used: make([]bool, len(s.Deviations))}
	for i, d := range s.Deviations {
		r.index[question{d.At, d.Class}] = i
	}
	return r
}

// Decide answers the script's value where it is offered.
func (r *RecordedDecider) Decide(g Gate, c Class) Value {
	i, ok := r.index[question{g.Address, c}]
	if !ok || !g.Offered(c, r.deviations[i].Value) {
		return Value{}
	}
	r.used[i] = true
	return r.deviations[i].Value
}

// Unused lists the deviations that met nothing: an address that was never reached, or a value that was not enabled
// there. A script that has some is stale; a regression that has some is vacuous.
func (r *RecordedDecider) Unused() []Deviation {
	var out []Deviation
	for i, d := range r.deviations {
		if !r.used[i] {
			out = append(out, d)
		}
	}
	return out
}
