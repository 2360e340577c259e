package pg

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// errGone: the server ended the session.
var errGone = errors.New("the server closed the connection")

// exchange is one flush on its way through the server and back.
type exchange struct {
	s        *Sessions
	on       *session
	f        *flush
	compiled      // the flush for this session, and what the gate put before
	before   byte // transaction status when it was sent
	answer   *answer
	copies   bool // the server waits for the data of a COPY
	held     bool // the first part is out and answered, the second is not out

	// where the reading stands
	group          int
	answers        int // to single messages, seen so far
	parses, closes int // of the group, seen so far
	execute        int
	column         uint32 // type of the first column, from a RowDescription
	binary         bool
	described      bool
}

func (s *Sessions) newExchange(on *session, f *flush, at split) *exchange {
	return &exchange{s: s, on: on, f: f, compiled: f.compile(on, at), before: on.status, answer: &answer{}}
}

// send puts the flush on the wire, or the first part of it, and before it what the session has to be told.
func (x *exchange) send() error {
	out := x.wire
	if x.first > 0 {
		out = appendMessage(slices.Clone(x.wire[:x.first]), 'H')
	}
	groups := len(x.groups)
	if prefix := x.s.prefix(x.on, x.f); prefix != nil {
		out = append(prefix, out...)
		x.groups = append([]*group{{silent: true}}, x.groups...)
		x.s.recordFlush(x.on, x.f, append(slices.Clone(prefix), x.wire...), groups+1)
	} else {
		x.s.recordFlush(x.on, x.f, x.wire, groups)
	}
	x.on.soiled = x.on.soiled || x.f.keeps()
	if err := x.on.send(out); err != nil {
		return errGone
	}
	return nil
}

// sendRest puts the second part on the wire.
func (x *exchange) sendRest() error {
	rest := x.wire[x.first:]
	x.first, x.held, x.on.held = 0, false, false
	if err := x.on.send(rest); err != nil {
		return errGone
	}
	return nil
}

// read reads until all of the answer is there, or, held then, all of the answer to a first part, or until data is wanted. After an error the second
// part goes at once. On the way the backend may wait for locks. Errors: those of wait (the reading can be taken up again
// then), errGone, or a failure of the harness.
func (x *exchange) read(ctx context.Context) error {
	for x.group < len(x.groups) {
		if x.first > 0 && x.answer.failed {
			if err := x.sendRest(); err != nil {
				return err
			}
		}
		// What the session had to be told before may have as many answers: they are no part of the flush.
		if x.first > 0 && x.group == len(x.groups)-1 && x.answers == x.compiled.answers {
			x.held, x.on.held, x.on.flushed = true, true, true
			return nil
		}
		m, err := x.s.receive(x.on)
		switch {
		case errors.Is(err, errWaits), err == nil && m.kind == 'N' && x.s.server.CanStop() && waitNotice(m.body):
			x.answer.waited = true
			if x.group > 1 || len(x.f.executes) > 1 {
				x.s.setMoved() // what it did before it waited may have let go of something
			}
			err = x.s.wait(ctx, x)
		case err != nil:
			err = x.s.unanswered(err, x.f)
		case m.kind == 'N' && harnessNotice(m.body):
		default:
			if err = x.take(m, x.groups[x.group]); err != nil {
				err = x.s.broken(err)
			}
		}
		if err != nil || x.copies {
			return err
		}
	}
	x.on.flushed = true
	x.s.after(x)
	return nil
}

// readOut is read to the very end, be it that only the first part is out.
func (x *exchange) readOut(ctx context.Context) error {
	if !x.held {
		if err := x.read(ctx); err != nil || !x.held {
			return err
		}
	}
	if err := x.sendRest(); err != nil {
		return err
	}
	return x.read(ctx)
}

// unanswered tells the end of the session from a server that stands still.
func (s *Sessions) unanswered(err error, f *flush) error {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return s.broken(fmt.Errorf("no answer within %v to %s (a wait for something else than a lock?)", s.options.Patience, f.label()))
	}
	return errGone
}

// take looks at one message and passes it to the driver unless it is the harness's own.
func (x *exchange) take(m message, g *group) error {
	silent := g.silent
	a := x.answer
	switch m.kind {
	case 'Z':
		x.on.status = m.body[0]
		x.group, x.answers, x.parses, x.closes, x.execute, x.described = x.group+1, 0, 0, 0, 0, false
	case 'S':
		silent = false // a parameter status is for the driver, whoever caused it
	case '1':
		x.answers++
		silent = silent || g.simple
		if x.parses < len(g.parses) {
			p := g.parses[x.parses]
			x.on.prepared[p.name] = p.parseMessage
			silent = silent || p.silent
			x.parses++
		}
	case '2', 'n':
		x.answers++
		silent = silent || g.simple
	case '3':
		x.answers++
		if x.closes < len(g.closes) {
			c := g.closes[x.closes]
			delete(x.on.prepared, c.name)
			silent = silent || c.silent
			x.closes++
		}
	case 'T':
		x.column, x.binary = firstColumnType(m.body), firstColumnBinary(m.body)
		x.described = true
		x.answers++
	case 'D':
		x.row(m, g)
	case 'C':
		tag, _, err := cutText(m.body)
		if err != nil {
			return err
		}
		if !silent {
			a.tags = append(a.tags, tag)
		}
		x.execute++
		x.answers++
		x.described = false
	case 'I', 's':
		x.execute++
		x.answers++
		x.described = false
	case 'E':
		if g.silent {
			return fmt.Errorf("set the clock and the like of a session: %s %s", readField(m.body, 'C'), readField(m.body, 'M'))
		}
		x.error(m)
	case 'G':
		x.copies = true
	case 'd':
		x.copied(m)
	case 'W':
		return &RefusedStatementError{SQL: x.f.executes[0].sql, Why: "this COPY is not carried by the gate; accepted is COPY … FROM STDIN"}
	}
	if !silent {
		a.bytes = append(a.bytes, m.raw...)
	}
	return nil
}

func (x *exchange) row(m message, g *group) {
	a := x.answer
	if g.silent {
		return
	}
	if a.digest == nil {
		a.digest = sha256.New()
	}
	a.digest.Write(m.raw)
	a.rows++
	if len(a.keys) >= keysMax {
		return
	}
	column, binary := x.column, x.binary
	if !x.described && x.execute < len(g.executes) {
		column, binary = g.executes[x.execute].column, g.executes[x.execute].binary
	}
	if value, ok := firstColumn(m.body); ok {
		a.keys = append(a.keys, keyText(value, column, binary))
	} else {
		a.keys = append(a.keys, null)
	}
}

// copied is a row of a COPY to the client.
func (x *exchange) copied(m message) {
	if x.answer.digest == nil {
		x.answer.digest = sha256.New()
	}
	x.answer.digest.Write(m.raw)
	x.answer.rows++
}

func (x *exchange) error(m message) {
	a := x.answer
	code := readField(m.body, 'C')
	a.failed = true
	a.tags = append(a.tags, strings.TrimSpace("ERROR "+code+" "+readField(m.body, 'n')))
	if code == "0A000" || code == "26000" { // the plan of a prepared statement is void, or it is not there
		clear(x.on.prepared)
	}
	if name, ok := strings.CutPrefix(readField(m.body, 'M'), "permission denied for function "); ok && code == "42501" && slices.Contains(bypassing, name) {
		x.s.fail(&RefusedStatementError{SQL: x.current().sql,
			Why: "it calls " + name + "() somewhere (a default, a trigger, a function), the server's own clock or chance; accepted is recon.now(), or an id of the Runtime"})
	}
}

// current is the execution that the reading stands at.
func (x *exchange) current() execution {
	done := 0
	for _, g := range x.groups[:x.group] {
		done += len(g.executes)
	}
	return x.f.executes[min(done+x.execute, len(x.f.executes)-1)]
}

// after keeps the books: what may have let go of locks, what is unknown about the session now.
func (s *Sessions) after(x *exchange) {
	on, f, a := x.on, x.f, x.answer
	for _, e := range f.executes {
		if e.defines {
			s.forget()
			s.relayout()
		}
	}
	rolledBack := false
	for _, tag := range a.tags {
		rolledBack = rolledBack || tag == "ROLLBACK"
	}
	if rolledBack || a.failed && x.before != 'I' {
		on.clock = clockUnknown // SET is transactional
	}
	released := on.status == 'I' || a.waited || a.failed || f.any(func(st *statement) bool { return st.releases })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved = s.moved || released
	s.run.count.Flushes++
	s.run.count.Executes += len(f.executes)
}

// note writes the result of a move into the history.
func (s *Sessions) note(ctx context.Context, what string, f *flush, a *answer) {
	e := sim.Entry{What: what, Text: a.String(), Keys: a.keys, Rows: a.rows, Outcome: a.outcome()}
	if a.waited || a.held { // it stands at a gate of its own now, but what came back is the statement's
		e.Label = f.label()
	}
	s.kernel().Note(ctx, e)
}
