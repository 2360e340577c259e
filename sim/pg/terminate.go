package pg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/recondrill/recondrill/sim"
)

// adminShutdown is the error of a backend that was told to end.
const adminShutdown = "57P01"

// terminate ends a backend, as an administrator does, and returns when it has ended, its locks released. It answers the
// server's last words.
func (s *Sessions) terminate(x *session) (lastWords []byte, err error) {
	err = s.ask(func(ctx context.Context) error {
		_, err := s.monitor.Exec(ctx, "select pg_terminate_backend($1)", x.pid)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("terminate a session: %w", err)
	}
	if s.server.CanStop() { // also where we only tried to stop it: a stopped backend never hears that it has to go
		if err := s.server.Continue(x.pid); err != nil && !errors.Is(err, ErrNoBackend) {
			return nil, fmt.Errorf("terminate a session: %w", err)
		}
	}
	x.blocked = false
	if lastWords, err = x.awaitEnd(); err != nil {
		return nil, fmt.Errorf("terminate a session: wait for its end: %w", err)
	}
	return lastWords, nil
}

// awaitEnd reads until the server closes the socket. It does so only when the backend has ended, its locks released. The
// errors on the way are its last words.
func (s *session) awaitEnd() (lastWords []byte, err error) {
	for {
		m, err := s.next()
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, err
		case err != nil: // an end by reset is an end as well
			_, _ = io.Copy(io.Discard, s.wire)
			return lastWords, nil
		case m.kind == 'E':
			lastWords = append(lastWords, m.raw...)
		}
	}
}

// shoot ends the backend of this connection under it. The client reads why, and then the end.
func (c *conn) shoot(ctx context.Context, on *session, f *flush) {
	c.mu.Lock()
	if c.session == on {
		c.session = nil
	}
	c.mu.Unlock()
	s := c.sessions
	words, err := s.terminate(on)
	s.lose(on)
	if err != nil {
		c.refuse(err)
		return
	}
	s.note(ctx, "gone", f, &answer{tags: []string{"ERROR " + adminShutdown}})
	c.deliver(words)
	c.end(errCut)
}

// Values of class fault: an administrator's pg_terminate_backend, before the server reads the flush or when it has done it
// and the answer is not out.
var (
	terminatedBefore = sim.Value{Verb: "terminated", Arg: "before"}
	terminatedAfter  = sim.Value{Verb: "terminated", Arg: "after"}
)

// whileWaiting is what the wire can carry out while a statement waits for a lock.
var whileWaiting = []sim.Offer{{Class: sim.Fault, Value: sim.Value{Verb: "cut", Arg: "waiting"}}, {Class: sim.Fault, Value: terminatedBefore}}
