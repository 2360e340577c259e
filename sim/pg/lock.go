package pg

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// A wait for a lock is a fact, not a guess: log_lock_waits makes the waiting backend say so itself, on its own connection, as
// soon as its deadlock check is over. Then it is stopped. Whoever grants the lock later does so in shared memory, where
// pg_locks shows it; but the stopped backend goes on only when the kernel lets it. So two backends woken by one COMMIT
// never race inside the server.
//
// The line must come first: a backend stopped inside its deadlock check would hold the lock manager's own locks.

// harnessNotice says that a NoticeResponse is there for us and not for the program: lines of the server's log.
func harnessNotice(body []byte) bool {
	severity := readField(body, 'V')
	return severity == "LOG" || strings.HasPrefix(severity, "DEBUG")
}

// waitNotice is the backend's own word that it waits for a lock.
func waitNotice(body []byte) bool {
	return readField(body, 'V') == "LOG" && strings.Contains(readField(body, 'M'), " still waiting for ")
}

// wait stops the backend and stands still until the kernel lets it go on. An error means that the answer never comes to
// this client: sim.ErrKilled (the session has been released already), or a deadline.
func (s *Sessions) wait(ctx context.Context, x *exchange) error {
	if s.server.CanStop() {
		if err := s.server.Stop(x.on.pid); err != nil {
			return s.broken(fmt.Errorf("stop the backend that waits for a lock: %w", err))
		}
	}
	x.on.blocked, x.on.waits = true, x
	s.mu.Lock()
	s.run.count.Blocks++
	if s.run.record != nil {
		s.run.record.waits++
	}
	s.mu.Unlock()
	return s.standBlocked(ctx, x)
}

// standBlocked stands still, with a backend that waits and is stopped, until the kernel lets it go on.
func (s *Sessions) standBlocked(ctx context.Context, x *exchange) error {
	err := s.kernel().Block(ctx, sim.Backend{Session: x.on, PID: x.on.pid, Name: x.f.label(), Offers: whileWaiting})
	if err != nil {
		return err
	}
	return s.resume(x.on)
}

// resume lets a backend that was stopped go on.
func (s *Sessions) resume(x *session) error {
	x.blocked, x.waits = false, nil
	s.setMoved()
	if !s.server.CanStop() {
		return nil
	}
	if err := s.server.Continue(x.pid); err != nil && !(x.ended && errors.Is(err, ErrNoBackend)) {
		return s.broken(fmt.Errorf("continue a backend: %w", err))
	}
	return nil
}

// Granted implements sim.Locks: which of the waiting backends wait no longer. The server is asked only when something
// happened since that can have let go of a lock.
func (s *Sessions) Granted(waiting []sim.Backend) ([]sim.Backend, error) {
	s.mu.Lock()
	moved := s.moved
	s.moved = false
	s.mu.Unlock()
	if !moved || len(waiting) == 0 {
		return nil, nil
	}
	pids := make([]int32, len(waiting))
	for i, b := range waiting {
		pids[i] = int32(b.PID)
	}
	s.count(func(c *Counts) { c.Asked++ })
	still := map[int]bool{}
	err := s.ask(func(ctx context.Context) error {
		rows, err := s.monitor.Query(ctx, "select distinct pid from pg_locks where not granted and pid = any($1)", pids)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var pid int
			if err := rows.Scan(&pid); err != nil {
				return err
			}
			still[pid] = true
		}
		return rows.Err()
	})
	if err != nil {
		return nil, s.broken(fmt.Errorf("ask who waits for locks: %w", err))
	}
	var granted []sim.Backend
	for _, b := range waiting {
		if !still[b.PID] {
			granted = append(granted, b)
		}
	}
	return granted, nil
}

// cancel asks the server to cancel what the backend does, and returns when the signal has been sent: the server closes
// the connection of a cancel request only then.
func (s *Sessions) cancel(x *session) error {
	network, address := s.server.Network()
	wire, err := net.DialTimeout(network, address, s.options.Patience)
	if err != nil {
		return fmt.Errorf("cancel a statement: %w", err)
	}
	defer wire.Close()
	_ = wire.SetDeadline(time.Now().Add(s.options.Patience))
	if _, err := wire.Write(cancelRequest(x.pid, x.secret)); err != nil {
		return fmt.Errorf("cancel a statement: %w", err)
	}
	_, _ = wire.Read(make([]byte, 1)) // its end is the answer
	return nil
}

// lockWait asks whether a backend waits for a lock: where backends can't be stopped, and so do not tell, this is polled.
func (s *Sessions) lockWait(x *session) (waits bool, err error) {
	err = s.ask(func(ctx context.Context) error {
		return s.monitor.QueryRow(ctx, "select cardinality(pg_blocking_pids($1)) > 0", x.pid).Scan(&waits)
	})
	return waits, err
}

// ask runs f with the monitor, bounded by the patience.
func (s *Sessions) ask(f func(ctx context.Context) error) error {
	s.watch.Lock()
	defer s.watch.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), s.options.Patience)
	defer cancel()
	return f(ctx)
}

func (s *Sessions) kernel() *sim.Kernel {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run.kernel
}

func (s *Sessions) setMoved() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved = true
}

func (s *Sessions) count(add func(*Counts)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	add(&s.run.count)
}

// broken fails the run and gives the error back.
func (s *Sessions) broken(err error) error {
	s.fail(err)
	return err
}
