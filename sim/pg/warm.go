package pg

import (
	"context"
	"fmt"
	"slices"
)

// hello is the greeting of a start-up; a session that has to be opened for it is kept.
func (s *Sessions) hello(start startup) ([]byte, error) {
	s.mu.Lock()
	known, ok := s.hellos[start]
	s.mu.Unlock()
	if !ok {
		x, err := s.take(context.Background(), start)
		if err != nil {
			return nil, err
		}
		known = x.hello
		s.release(x)
		s.mu.Lock()
		s.hellos[start] = known
		s.mu.Unlock()
	}
	return slices.Clone(known), nil
}

// take hands out a warm session, or opens one.
func (s *Sessions) take(ctx context.Context, start startup) (*session, error) {
	s.mu.Lock()
	if list := s.idle[start]; len(list) > 0 {
		i := len(list) - 1 - s.shake.below(len(list))
		x := list[i]
		s.idle[start] = slices.Delete(list, i, i+1)
		s.busy[x] = struct{}{}
		s.mu.Unlock()
		return x, nil
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.options.Patience)
	defer cancel()
	x, err := openSession(ctx, s.server.ConnString(start.database), start, s.options.Patience, !s.server.CanStop())
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.busy[x] = struct{}{}
	s.mu.Unlock()
	return x, nil
}

// give puts back a session that is clean; freed says that cleaning may have let go of locks.
func (s *Sessions) give(x *session, freed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle[x.start] = append(s.idle[x.start], x)
	s.moved = s.moved || freed
}

// release carries out "the server notices that the client is gone". When it returns, the transaction is rolled back and
// every lock of the session is free. A session that waits for a lock would not notice: it is terminated, and lost.
func (s *Sessions) release(x *session) {
	s.mu.Lock()
	_, busy := s.busy[x]
	delete(s.busy, x)
	s.mu.Unlock()
	if !busy { // swept already
		return
	}
	switch {
	case x.ended:
		s.lose(x)
	case x.blocked:
		if _, err := s.terminate(x); err != nil {
			s.fail(err)
		}
		s.lose(x)
	case !x.flushed: // in the middle of an answer: only after a failure of the harness
		_, _ = s.terminate(x)
		s.lose(x)
	default:
		s.recordClean(x)
		held := x.status != 'I' || x.soiled || x.held
		if err := x.clean(); err != nil {
			s.fail(fmt.Errorf("session of %s: %w", x.start.user, err))
			_, _ = s.terminate(x)
			s.lose(x)
			return
		}
		s.give(x, held)
	}
}

// lose forgets a session that has ended.
func (s *Sessions) lose(x *session) {
	s.mu.Lock()
	delete(s.busy, x)
	s.mu.Unlock()
	x.close()
	s.setMoved()
}

// freshen lets every warm session plan anew: which of them a connection gets must make no difference. All are told before
// any answer is read. One that does not answer has ended, and is forgotten.
func (s *Sessions) freshen() {
	s.mu.Lock()
	idle := s.idle
	s.idle = map[startup][]*session{}
	s.mu.Unlock()
	wire := appendQuery(nil, "DISCARD PLANS")
	for _, list := range idle {
		for _, x := range list {
			_ = x.send(wire) // whether it failed shows in the answer
		}
	}
	for start, list := range idle {
		fresh := slices.DeleteFunc(list, func(x *session) bool {
			ended := x.await(1) != nil
			if ended {
				x.close()
			}
			return ended
		})
		s.mu.Lock()
		s.idle[start] = append(fresh, s.idle[start]...)
		s.mu.Unlock()
	}
}

// sweep rolls back what a run left in use.
func (s *Sessions) sweep() {
	s.mu.Lock()
	var left []*session
	for x := range s.busy {
		left = append(left, x)
	}
	s.mu.Unlock()
	for _, x := range left { // the order does not show: each is rolled back whole
		s.release(x)
	}
}
