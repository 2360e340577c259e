package simtest

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/pg"
)

// Program is a Go program on pgx, and what must be true of it. Only Start and Check have to be given.
type Program struct {
	// Schema is the SQL that makes the program's tables and the rows that are there before it starts. An unqualified
	// now() in it (a default of a column) is the simulated one.
	Schema string
	// Migrate, where it is given, is called once after Schema: for programs that bring a migration tool of their own.
	Migrate func(ctx context.Context, db *pgxpool.Pool) error
	// Start makes the processes of one run; it is called once a run and must keep nothing from the run before.
	Start func(r *Run)
	// Check says what is wrong in the database, nil when nothing is. While faults may still strike it is asked at any
	// moment for what must never be visible; at the end (State.Settled) also for what must have been finished by then.
	// Breaks and State.None make its errors; a failure is shrunk under the same claim.
	Check func(s *State) error

	Lasts     time.Duration   // simulated time in which faults may strike; 5 min
	Settles   time.Duration   // simulated time without faults after it; 15 min
	Durations []time.Duration // how long delays and stalls may last: around the program's leases and timeouts; 5 s, 90 s
	Without   []string        // what is not wanted: a class (then latency hold outcome fault) or the verb of a fault (kill cut late commit stall suspend …)

	Runs   int           // at most so many runs; 2,000
	For    time.Duration // at most so much real time; 10 s
	Seed   uint64        // of the random rungs; 1
	Search string        // the rung of package search; ladder

	Server *pg.Server // nil: the nearest, for this test only. With TestMain and pg.RunTests a package shares one
	Name   string     // in scripts and stories; Check takes the test's name
}

// Start of every run in simulated time.
var epoch = time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)

const (
	restartAfter = 5 * time.Second // simulated, of a process that was killed or ended with an error
	connsMax     = 8               // of one process
	movesMax     = 50              // of one task in a row
	instantMax   = 5000            // moves without time moving: a livelock
	watchdogMax  = 30 * time.Second
)

// withDefaults fills in what was left zero.
func (p Program) withDefaults() Program {
	p.Lasts, p.Settles = cmp.Or(p.Lasts, 5*time.Minute), cmp.Or(p.Settles, 15*time.Minute)
	p.Runs, p.For, p.Seed = cmp.Or(p.Runs, 2000), cmp.Or(p.For, 10*time.Second), cmp.Or(p.Seed, 1)
	p.Search, p.Name = cmp.Or(p.Search, "ladder"), cmp.Or(p.Name, "program")
	if p.Durations == nil {
		p.Durations = []time.Duration{5 * time.Second, 90 * time.Second}
	}
	return p
}

// Run is one run that is being set up.
type Run struct {
	// Kernel is for what stands outside of the program: Call for a service it calls, World for a clock or a person.
	Kernel *sim.Kernel

	bench *Bench
	ended []error // what bodies returned
}

// Process makes a process of the program: body is its main function, p its only way to time, chance and order (Sleep,
// Spawn, WithTimeout …), pool its connections, of which up to 8 tasks may use one each. A process that is killed, or
// whose body returns an error, starts again 5 s later, with a new pool and none of its memory. One whose body returns
// nil has done its work.
func (r *Run) Process(name string, body func(ctx context.Context, p *sim.Process, pool *pgxpool.Pool) error) {
	r.Kernel.Process(name, restartAfter, func(ctx context.Context, p *sim.Process) error {
		pool, err := r.bench.sessions.Pool(ctx, p, r.bench.role, connsMax)
		if err != nil {
			return err
		}
		err = body(ctx, p, pool)
		if err == nil || errors.Is(err, sim.ErrKilled) {
			return err
		}
		r.ended = append(r.ended, err)
		return r.Kernel.Die(ctx, "its main function returned an error")
	})
}

// Person makes a task of the world with connections of its own, of which nothing breaks: who asks the program for
// things through its database. An error it returns makes the run worthless.
func (r *Run) Person(name string, body func(ctx context.Context, pool *pgxpool.Pool) error) {
	r.Kernel.World(name, func(ctx context.Context) error {
		pool, err := r.bench.sessions.Pool(ctx, nil, r.bench.role, connsMax)
		if err != nil {
			return err
		}
		return body(ctx, pool)
	})
}
