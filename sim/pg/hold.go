package pg

import (
	"context"
	"errors"
	"os"

	"github.com/recondrill/recondrill/sim"
)

// Inside the server one flush is several steps between which others may move: a statement that commits by itself has done its
// work before it commits, and a SELECT that locks rows or calls functions has its snapshot before it runs. Where it is
// decided so (class hold), the gate sends the flush in two parts and stands between them.

// split says where a flush is cut in two.
type split uint8

const (
	unsplit split = iota
	beforeSync
	beforeExecute
)

var (
	holdSync   = sim.Value{Verb: "sync"}
	holdBind   = sim.Value{Verb: "bind"}
	syncOnly   = []sim.Value{holdSync}
	syncOrBind = []sim.Value{holdSync, holdBind}
	bindOnly   = []sim.Value{holdBind}
)

// splits says whether the flush can be sent in two parts: one Sync, or one simple query of one statement.
func (f *flush) splits() bool {
	n := 0
	for _, s := range f.steps {
		switch s.kind {
		case 'Q':
			return len(f.steps) == 1 && s.execution.single && !s.execution.copies
		case 'S':
			n++
		}
	}
	return n == 1 && f.steps[len(f.steps)-1].kind == 'S' && !f.prepares
}

// holds are the ways in which this flush may be held. A SELECT that only reads gives the same rows whether it runs at its
// Bind or later under the snapshot of then: nothing to hold.
func (f *flush) holds(status byte) []sim.Value {
	if status == 'E' || f.reads() || !f.splits() || f.any(func(s *statement) bool { return s.begins || s.commits || s.aborts || s.sets }) {
		return nil
	}
	binds := len(f.executes) == 1 && f.executes[0].selects && f.steps[0].kind != 'Q'
	switch {
	case status == 'I' && binds:
		return syncOrBind
	case status == 'I':
		return syncOnly
	case binds:
		return bindOnly
	}
	return nil
}

// holding asks whether the flush is held.
func (c *conn) holding(ctx context.Context, f *flush) split {
	if c.process == nil {
		return unsplit
	}
	values := f.holds(c.status)
	if values == nil {
		return unsplit
	}
	switch c.kernel.Choose(ctx, sim.Hold, values) {
	case holdSync:
		return beforeSync
	case holdBind:
		return beforeExecute
	}
	return unsplit
}

// standHeld stands between the two parts of a flush. It answers what breaks there, and false when the second part does not
// go out.
func (c *conn) standHeld(ctx context.Context, f *flush, at split) (chosen sim.Value, goes bool) {
	word, foot := "sync ", c.tx.touch.end()
	if at == beforeExecute {
		word, foot = "execute ", c.tx.touch.now().With(foot)
	}
	chosen, err := c.kernel.Pass(ctx, sim.Gate{
		Address: sim.Address{Label: word + f.label()},
		Kind:    sim.Statement,
		Offers:  c.sessions.offered.always,
		Commit:  at == beforeSync,
		InTx:    true,
		Foot:    foot,
	})
	switch {
	case err != nil:
		c.lost(err)
		return chosen, false
	case c.isFallen():
		c.perish(ctx)
		return chosen, false
	case chosen == cutBefore:
		c.vanish(errCut, sim.TaskOf(ctx).Actor())
		return chosen, false
	case chosen == terminatedBefore:
		c.shootIdle(ctx, f)
		return chosen, false
	}
	return chosen, true
}

// lost: Pass said that nothing goes out.
func (c *conn) lost(err error) {
	if errors.Is(err, sim.ErrDeadlineNotSent) {
		err = os.ErrDeadlineExceeded // as the driver's own handling of a context that ended
	}
	c.end(err)
}

// extended is a simple query in the words of the extended protocol, where the Sync stands by itself.
func (f *flush) extended() []step {
	q := f.steps[0].execution
	p := parseMessage{sql: q.sql}
	make := func(kind byte, parts ...string) step {
		raw := appendMessage(nil, kind, parts...)
		return step{message: message{kind: kind, body: raw[5:], raw: raw}}
	}
	parse := make('P', "\x00", q.sql, "\x00", "\x00\x00")
	parse.prepared = p
	bind := make('B', "\x00", "\x00", "\x00\x00", "\x00\x00", "\x00\x00")
	bind.prepared = p
	execute := make('E', "\x00", "\x00\x00\x00\x00")
	execute.executes, execute.execution = true, q
	return []step{parse, bind, make('D', "P\x00"), execute, make('S')}
}
