package pg

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/recondrill/recondrill/sim"
)

// SessionOptions has a good default for everything left zero.
type SessionOptions struct {
	// CommitLate are the delays offered for a COMMIT whose client is cut off before it lands.
	CommitLate []time.Duration
	// AnswerLate are the delays offered until an answer that the server has given arrives.
	AnswerLate []time.Duration
	// Linger are the delays offered until the server notices that a client is gone which held locks or waited for one.
	Linger []time.Duration
	// Down is how long Restart refuses connections, in virtual time.
	Down time.Duration
	// SetupTime is what recon.now() says to sessions that do not go through the gate, once InstallClock has run.
	// Zero: recon.now() is an error there.
	SetupTime time.Time
	// Shadowed are functions of the server's clock and chance (now, random) that this database has made its own: its
	// search_path finds functions of these names before pg_catalog's. Unqualified calls of them are let through.
	Shadowed []string
	// Serializable lets transactions be SERIALIZABLE. Reset truncates then, which is slower: what the server locks for them
	// are pages, so that files must be the same anew.
	Serializable bool
	// Keyless accepts tables without a primary key. Dumps order their rows by all they hold. Without it such a table is an
	// error of Snapshot and Dump.
	Keyless bool
	// Patience is the real time within which the server must answer. It can only fail a run.
	Patience time.Duration
}

// Sessions are the warm sessions of one database under a kernel, and all that the harness itself asks of that database.
// A worker process has one and uses it run after run: Attach, the run, Dump, Reset. It implements sim.Locks.
type Sessions struct {
	server   *Server
	database string
	options  SessionOptions
	offered  offered
	lingers  []sim.Value // offered where a client vanished

	watch   sync.Mutex // held while the monitor is in use; guards the block
	monitor *pgx.Conn
	janitor *session // nil: to be opened
	replica bool     // the monitor may switch triggers and foreign keys off
	layout  *layout  // tables and sequences, found in the catalogue; nil: to be looked for
	base    *base    // what Reset restores; nil: nothing
	standby *base    // what Failover restores; nil: nothing was remembered in this run

	pool *pgxpool.Config // for Pool, parsed once

	mu           sync.Mutex             // below; never held while the server is asked
	idle         map[startup][]*session // the one given back last is taken first
	hellos       map[startup][]byte     // what the server says to a new client, without pid and key
	busy         map[*session]struct{}
	texts        map[string]*statement
	touches      map[*statement]*touch
	descriptions map[descriptionKey]description
	run          *run
	shake        *shaking
	checking     bool // footprints are held against the server's locks
	moved        bool // something may have let go of a lock since Granted asked last
	releasing    int  // sessions that are being rolled back or terminated now
	calm         *sync.Cond
}

// run is what belongs to one run of a kernel.
type run struct {
	kernel  *sim.Kernel
	failure error // the first thing that makes the run prove nothing
	dials   int
	pools   []*pgxpool.Pool
	record  *Recording
	count   Counts
	conns   map[*conn]struct{} // that the program has open
	asked   map[sim.Actor]int  // when the server notices

	// the server, as the run has it
	down     bool
	stops    int // how often it stopped
	readOnly bool
	timeline int
}

func newRun(k *sim.Kernel) *run {
	return &run{kernel: k, conns: map[*conn]struct{}{}, asked: map[sim.Actor]int{}, timeline: timelineFirst}
}

// Counts say what a run did on the wire.
type Counts struct {
	Flushes  int // that reached the server, gated
	Executes int // statements in them
	Blocks   int // waits for a lock
	Asked    int // questions about locks
	Clocks   int // settings of the clock that went before a flush
	Checked  int // footprints held against the server's locks
}

// textsMax bounds what is remembered of statements, for programs that write values into their SQL.
const textsMax = 4096

// NewSessions connects to the database and looks at its tables. The database must be there.
func NewSessions(server *Server, database string, options SessionOptions) (*Sessions, error) {
	if options.CommitLate == nil {
		options.CommitLate = []time.Duration{2 * time.Second, 100 * time.Second}
	}
	if options.AnswerLate == nil {
		options.AnswerLate = []time.Duration{45 * time.Second}
	}
	if options.Linger == nil {
		options.Linger = []time.Duration{2 * time.Second, 100 * time.Second}
	}
	if options.Down == 0 {
		options.Down = downDefault
	}
	if options.Patience == 0 {
		options.Patience = 20 * time.Second
	}
	s := &Sessions{
		server: server, database: database, options: options, offered: newOffered(options.AnswerLate, options.CommitLate),
		idle: map[startup][]*session{}, hellos: map[startup][]byte{}, busy: map[*session]struct{}{},
		texts: map[string]*statement{}, touches: map[*statement]*touch{}, descriptions: map[descriptionKey]description{},
		run: newRun(nil),
	}
	for _, d := range options.Linger {
		s.lingers = append(s.lingers, sim.Value{Verb: sim.Seconds(d)})
	}
	s.calm = sync.NewCond(&s.mu)
	ctx, cancel := context.WithTimeout(context.Background(), options.Patience)
	defer cancel()
	config, err := pgx.ParseConfig(server.ConnString(database))
	if err != nil {
		return nil, fmt.Errorf("monitor of database %s: %w", database, err)
	}
	config.RuntimeParams = map[string]string{"client_min_messages": "warning", "application_name": "recondrill monitor"}
	if s.pool, err = pgxpool.ParseConfig(server.ConnString(database)); err != nil {
		return nil, fmt.Errorf("monitor of database %s: %w", database, err)
	}
	if s.monitor, err = pgx.ConnectConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("monitor of database %s: %w", database, err)
	}
	_, err = s.monitor.Exec(ctx, "begin; "+replicaRole+"; commit")
	if s.replica = err == nil; !s.replica {
		_, _ = s.monitor.Exec(ctx, "rollback")
	}
	return s, nil
}

// Attach makes k the kernel of the run to come. Whatever an earlier run left in use is rolled back.
func (s *Sessions) Attach(k *sim.Kernel) {
	s.Detach()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run = newRun(k)
	s.standby = nil
	s.moved = true
}

// Detach ends the run: pools are closed, sessions still in use (an open transaction, a late COMMIT that never landed) are
// rolled back and go back to the warm ones. It comes after the kernel's Close.
func (s *Sessions) Detach() {
	s.mu.Lock()
	pools := s.run.pools
	s.run.pools = nil
	s.mu.Unlock()
	for _, pool := range pools {
		closePool(pool)
	}
	s.sweep()
}

// Err is why the run proves nothing: a refused statement, a server that did not answer. nil when there is nothing.
// The run's verdict is `error` then, whatever the program under test made of the failure.
func (s *Sessions) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run.failure
}

// Counts of the run so far.
func (s *Sessions) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run.count
}

// fail remembers the first failure and ends the run.
func (s *Sessions) fail(err error) {
	s.mu.Lock()
	first := s.run.failure == nil
	if first {
		s.run.failure = err
	}
	k := s.run.kernel
	s.mu.Unlock()
	if first && k != nil {
		k.Stop()
	}
}

// Close ends all sessions. The database stays.
func (s *Sessions) Close() error {
	s.Detach()
	s.mu.Lock()
	for _, list := range s.idle {
		for _, x := range list {
			x.close()
		}
	}
	clear(s.idle)
	s.mu.Unlock()
	s.watch.Lock()
	defer s.watch.Unlock()
	if s.janitor != nil {
		s.janitor.close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.options.Patience)
	defer cancel()
	return s.monitor.Close(ctx)
}

func (s *Sessions) permits() permits {
	return permits{shadowed: s.options.Shadowed, serializable: s.options.Serializable}
}

// statement is read once a text.
func (s *Sessions) statement(sql string) *statement {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.texts[sql]; ok {
		return known
	}
	if len(s.texts) >= textsMax {
		clear(s.texts)
		clear(s.touches)
	}
	read := s.permits().read(sql)
	s.texts[sql] = read
	return read
}
