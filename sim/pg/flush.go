package pg

import (
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// flush is what the driver writes at once, read.
type flush struct {
	steps    []step
	executes []execution // what is carried out, in order
	local    []byte      // the answer, where memory has it and nothing goes to the server
	ends     bool        // the driver says goodbye
	prepares bool        // a Prepare whose answer only the server knows: its parse will fail, most likely
}

// step is one message of a flush.
type step struct {
	message
	prepared  parseMessage // Parse: what it prepares. Bind: what must be prepared. Close: the name
	wanted    bool         // Bind of a statement that the driver has declared
	executes  bool         // Execute, or a simple query
	execution execution
}

// execution is one Execute of a flush, or a simple query.
type execution struct {
	*statement
	digest [6]byte // of the parameters
	column uint32  // type of the first column of the result, 0 when it comes with the answer
	binary bool    // and whether it comes in binary
}

// label names the flush by its first Execute; those after it are named in the detail.
func (f *flush) label() string { return f.executes[0].label }

// detail is what is hashed of the question: squeezed SQL and parameters, each Execute under its own label.
func (f *flush) detail() string {
	var b strings.Builder
	for i, e := range f.executes {
		if i > 0 {
			b.WriteString(" | ")
			b.WriteString(e.label)
			b.WriteByte(' ')
		}
		b.WriteString(e.squeezed)
		b.WriteString(" #")
		b.WriteString(hex.EncodeToString(e.digest[:]))
	}
	if f.prepares {
		b.WriteString(" (prepare)")
	}
	return b.String()
}

func (f *flush) all(is func(*statement) bool) bool {
	for _, e := range f.executes {
		if !is(e.statement) {
			return false
		}
	}
	return true
}

func (f *flush) any(is func(*statement) bool) bool {
	return slices.ContainsFunc(f.executes, func(e execution) bool { return is(e.statement) })
}

func (f *flush) commits() bool { return f.any(func(s *statement) bool { return s.commits }) }
func (f *flush) begins() bool  { return f.all(func(s *statement) bool { return s.begins }) }
func (f *flush) aborts() bool  { return f.all(func(s *statement) bool { return s.aborts }) }
func (f *flush) keeps() bool   { return f.any(func(s *statement) bool { return s.keeps }) }
func (f *flush) copies() bool  { return f.any(func(s *statement) bool { return s.copies }) }
func (f *flush) reads() bool   { return f.all(func(s *statement) bool { return s.reads }) }

// offers lists what the wire can carry out at this gate, where it makes a difference: nothing late of a statement that
// changes nothing, no late COMMIT where no transaction is open.
func (f *flush) offers(status byte, o offered) []sim.Offer {
	changes := !f.begins() && !f.aborts() && !f.reads() && !f.prepares && !f.copies() && status != 'E'
	commits := f.commits()
	switch {
	case !changes || commits && status != 'T':
		return o.always
	case commits:
		return o.commit
	}
	return o.change
}

// offered is what is offered at any statement, at one that changes something, and at a COMMIT that ends a transaction.
type offered struct{ always, change, commit []sim.Offer }

func newOffered(answersLate, commitsLate []time.Duration) offered {
	var o offered
	for _, v := range []sim.Value{killAfter, cutBefore, cutAfter, terminatedBefore, terminatedAfter} {
		o.always = append(o.always, sim.Offer{Class: sim.Fault, Value: v})
	}
	for _, d := range answersLate {
		o.always = append(o.always, sim.Offer{Class: sim.Fault, Value: answerLate(d)})
	}
	o.change = append(slices.Clip(o.always), sim.Offer{Class: sim.Fault, Value: lateStatement})
	o.commit = slices.Clip(o.change)
	for _, d := range commitsLate {
		o.commit = append(o.commit, sim.Offer{Class: sim.Fault, Value: commitLate(d)})
	}
	return o
}

// detach makes the flush its own owner of its bytes: the driver writes the next one into the same buffer.
func (f *flush) detach() {
	for i := range f.steps {
		f.steps[i].raw = slices.Clone(f.steps[i].raw)
	}
}
