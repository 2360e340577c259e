package pg

import (
	"context"
	"fmt"
	"time"
)

// Recording holds the bytes that a run sent to the server, so that they can be sent again without the gate: what the gate
// costs is measured against that.
type Recording struct {
	flushes []recorded
	waits   int // for locks
}

type recorded struct {
	session *session // only to tell sessions apart
	start   startup
	wire    []byte
	ready   int            // how many ReadyForQuery come back
	needs   []parseMessage // what was prepared there already
	count   int            // statements in it
}

// Record starts recording the run that is attached.
func (s *Sessions) Record() *Recording {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run.record = &Recording{}
	return s.run.record
}

func (s *Sessions) recordFlush(on *session, f *flush, wire []byte, ready int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run.record != nil {
		s.run.record.add(on, wire, ready, len(f.executes))
	}
}

func (s *Sessions) recordClean(on *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run.record == nil {
		return
	}
	if wire, ready := on.cleaningBytes(); ready > 0 {
		s.run.record.add(on, wire, ready, 0)
	}
}

func (r *Recording) add(on *session, wire []byte, ready, count int) {
	x := recorded{session: on, start: on.start, wire: append([]byte(nil), wire...), ready: ready, count: count}
	for _, p := range on.prepared {
		x.needs = append(x.needs, p)
	}
	r.flushes = append(r.flushes, x)
}

// Statements in the recording.
func (r *Recording) Statements() int {
	n := 0
	for _, f := range r.flushes {
		n += f.count
	}
	return n
}

// Bare sends the bytes of a recording again, back to back, each on a session that stands for the one of the run, and
// answers how long that took. It resets the database first, untimed. A recording of a run in which something waited for a
// lock is an error: back to back nobody would let go of it.
func (s *Sessions) Bare(ctx context.Context, r *Recording) (time.Duration, error) {
	if r.waits > 0 {
		return 0, fmt.Errorf("replay bare: %d statements of the recorded run waited for a lock; accepted is a run without waits", r.waits)
	}
	if err := s.Reset(ctx); err != nil {
		return 0, err
	}
	stand := map[*session]*session{}
	defer func() {
		for _, x := range stand {
			x.flushed = true
			s.release(x)
		}
	}()
	for _, f := range r.flushes {
		if stand[f.session] != nil {
			continue
		}
		x, err := s.take(ctx, f.start)
		if err != nil {
			return 0, err
		}
		stand[f.session] = x
		for _, p := range f.needs {
			if x.prepared[p.name] == p || p.name == "" {
				continue
			}
			wire := appendSync(appendParse(appendCloseStatement(nil, p.name), p))
			if err := x.replay(wire, 1); err != nil {
				return 0, err
			}
			x.prepared[p.name] = p
		}
	}
	start := time.Now()
	for _, f := range r.flushes {
		if err := stand[f.session].replay(f.wire, f.ready); err != nil {
			return 0, fmt.Errorf("replay bare: %w", err)
		}
	}
	return time.Since(start), nil
}

// replay sends bytes and reads past the answers.
func (s *session) replay(wire []byte, ready int) error {
	if err := s.send(wire); err != nil {
		return err
	}
	for ready > 0 {
		m, err := s.next()
		if err != nil {
			return err
		}
		if m.kind == 'Z' {
			s.status = m.body[0]
			ready--
		}
	}
	return nil
}
