package pg

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// What becomes of the server is decided by somebody else, a task of the world; here it is carried out. Sessions end for
// real, in the middle of whatever they do, with the server's own words. The process postgres goes on: what a restart shows
// to clients is the end of their sessions and a while without new ones.

// cannotConnectNow is the error of a server that starts.
const cannotConnectNow = "57P03"

// timelineFirst is the timeline of a server that was never set back.
const timelineFirst = 1

// Restart ends every session and refuses new ones (57P03) for SessionOptions.Down of virtual time. Then the server is up.
// It is called by a task of the world; called from elsewhere it does not wait.
func (s *Sessions) Restart(ctx context.Context) error {
	if err := s.Stop(); err != nil {
		return err
	}
	defer s.Start()
	if sim.TaskOf(ctx) == nil {
		return nil
	}
	return s.kernel().SleepWorld(ctx, s.options.Down)
}

// Stop ends every session: transactions are rolled back, what waits ends, what was on its way is lost. Clients find the end
// when they next use their connection, and until Start find no new one.
func (s *Sessions) Stop() error {
	s.mu.Lock()
	s.run.down = true
	s.run.stops++
	s.mu.Unlock()
	if err := s.endAll(); err != nil {
		return s.broken(fmt.Errorf("end all sessions: %w", err))
	}
	if k := s.kernel(); k != nil {
		k.Touch(sim.Footprint{All: true})
	}
	return nil
}

// Start lets clients connect again.
func (s *Sessions) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run.down = false
}

// ReadOnly makes the server refuse writes (25006) in transactions that begin from now on, or accept them again. Those that
// are open go on as they began.
func (s *Sessions) ReadOnly(on bool) {
	s.mu.Lock()
	k := s.run.kernel
	s.run.readOnly = on
	s.mu.Unlock()
	if k != nil {
		k.Touch(sim.Footprint{All: true})
	}
}

// Standby remembers what is committed now, in every table and sequence: a standby that stopped receiving, or a backup.
func (s *Sessions) Standby(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.options.Patience)
	defer cancel()
	s.watch.Lock()
	defer s.watch.Unlock()
	var b *base
	l, err := s.look(ctx)
	if err == nil {
		b, err = s.copyOf(ctx, l)
	}
	if err != nil {
		return s.broken(fmt.Errorf("standby of database %s: %w", s.database, err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.standby = b
	return nil
}

// Failover puts what Standby remembered in the place of what there is. All sessions end, and recon.server_identity() names
// the next timeline from now on. The rows are put in by primary key into tables emptied and vacuumed, as Reset does, so that
// every replay finds the same physical state. Read-only, where it was on, it is no longer.
func (s *Sessions) Failover(ctx context.Context) error {
	s.mu.Lock()
	b := s.standby
	s.mu.Unlock()
	if b == nil {
		return errors.New("failover without a standby; accepted is Standby before it")
	}
	if err := s.Stop(); err != nil {
		return err
	}
	defer s.Start()
	s.ReadOnly(false)
	ctx, cancel := context.WithTimeout(ctx, s.options.Patience)
	defer cancel()
	s.watch.Lock()
	defer s.watch.Unlock()
	l, err := s.look(ctx)
	if err == nil {
		err = s.restore(ctx, l, b, false)
	}
	if err != nil {
		return s.broken(fmt.Errorf("failover of database %s: %w", s.database, err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run.timeline++
	s.moved = true
	return nil
}

// endAll terminates every session of the run. All are told before any of those that are stopped goes on, so that none gets
// what another one lets go of.
func (s *Sessions) endAll() error {
	s.mu.Lock()
	var ending []*session
	for x := range s.busy {
		if !x.ended {
			ending = append(ending, x)
		}
	}
	for c := range s.run.conns {
		c.fell()
	}
	s.mu.Unlock()
	if len(ending) == 0 {
		return nil
	}
	slices.SortFunc(ending, func(a, b *session) int { return a.pid - b.pid })
	pids := make([]int32, len(ending))
	for i, x := range ending {
		pids[i] = int32(x.pid)
	}
	err := s.ask(func(ctx context.Context) error {
		_, err := s.monitor.Exec(ctx, "select pg_terminate_backend(pid) from unnest($1::int[]) as pid", pids)
		return err
	})
	for _, x := range ending {
		if err != nil {
			return err
		}
		if s.server.CanStop() {
			if err = s.server.Continue(x.pid); errors.Is(err, ErrNoBackend) {
				err = nil
			}
		}
		if err == nil {
			err = x.readEnd()
		}
	}
	s.setMoved()
	return err
}

// readEnd waits for the end of a session that was terminated, and keeps its last words for whoever reads next.
func (s *session) readEnd() error {
	words, err := s.awaitEnd()
	s.in, s.at, s.ended = words, 0, true
	return err
}

// fell: the server ended the session under this connection, or the connection while it had none.
func (c *conn) fell() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fallen = true
}

// fallenWords is what the client of a connection that fell reads: why, and then the end.
func fallenWords() []byte {
	return appendError(nil, adminShutdown, "terminating connection due to administrator command")
}

// isFallen answers once that this connection fell; its session is of no more use then.
func (c *conn) isFallen() bool {
	c.mu.Lock()
	fallen := c.fallen
	c.mu.Unlock()
	return fallen
}

// perish lets the client find out.
func (c *conn) perish(ctx context.Context) {
	c.kernel.Note(ctx, sim.Entry{What: "gone", Text: "ERROR " + adminShutdown, Outcome: "ERROR " + adminShutdown})
	c.deliver(fallenWords())
	c.end(errCut)
}

// awaitUp is a gate for who wants a connection of a server that is down, so that trying again for ever is seen.
func (s *Sessions) awaitUp(ctx context.Context) {
	s.mu.Lock()
	down := s.run.down
	s.mu.Unlock()
	if down {
		_, _ = s.kernel().Pass(ctx, sim.Gate{Address: sim.Address{Label: "sql:connect"}, Kind: sim.Statement, Foot: sim.Footprint{All: true}})
	}
}

// refused is the answer to a start-up message while the server is down, nil while it is up.
func (s *Sessions) refused() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.run.down {
		return nil
	}
	return appendError(nil, cannotConnectNow, "the database system is starting up")
}

func appendError(dst []byte, code, text string) []byte {
	return appendMessage(dst, 'E', "SFATAL\x00VFATAL\x00C", code, "\x00M", text, "\x00\x00")
}

// downDefault is how long a restart takes.
const downDefault = 2 * time.Second
