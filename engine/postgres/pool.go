package postgres

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// Options are the settings of a process's database side. Zero durations mean the production defaults.
type Options struct {
	Member        string        // the process's name, for people: worker-1; the member id is made unique at each start
	Lease         time.Duration // of a claimed record: longest call timeout + margin; 90 s
	LeaseMargin   time.Duration // a worker stops itself this long before its lease can have ended; 5 s
	HeartbeatDead time.Duration // a process silent this long has what it merely leased taken over; 10 s
	StatementMax  time.Duration // deadline of one transaction or lone statement; 30 s
	ReadBackMax   time.Duration // how long a COMMIT without an answer is asked after; 60 s
	ReadBackPause time.Duration // between two tries of that; 250 ms
}

func (o Options) withDefaults() (Options, error) {
	for _, d := range []struct {
		name  string
		value *time.Duration
		usual time.Duration
	}{
		{"Lease", &o.Lease, 90 * time.Second},
		{"LeaseMargin", &o.LeaseMargin, 5 * time.Second},
		{"HeartbeatDead", &o.HeartbeatDead, 10 * time.Second},
		{"StatementMax", &o.StatementMax, 30 * time.Second},
		{"ReadBackMax", &o.ReadBackMax, 60 * time.Second},
		{"ReadBackPause", &o.ReadBackPause, 250 * time.Millisecond},
	} {
		if *d.value == 0 {
			*d.value = d.usual
		}
		if *d.value < 0 {
			return o, fmt.Errorf("postgres: %s is %v; accepted is a positive duration", d.name, *d.value)
		}
	}
	switch {
	case o.Member == "":
		return o, errors.New("postgres: Member is empty; accepted is the name of this process, like worker-1")
	case o.LeaseMargin >= o.Lease:
		return o, fmt.Errorf("postgres: LeaseMargin %v is not shorter than Lease %v", o.LeaseMargin, o.Lease)
	}
	return o, nil
}

// DB is one process's way into the database. Its semaphore of MaxConns stands before the pool, so that who gets a
// connection is decided by the Runtime.
type DB struct {
	rt      engine.Runtime
	pool    *pgxpool.Pool
	permits engine.Semaphore
	options Options
	member  string
}

// Open connects, and registers this start of the process as a member and the server as an incarnation: another server than
// the newest incarnation's is the next one, and acts nowhere outside until a person recovers it. An error means that
// nothing was started; the caller may try again.
func Open(ctx context.Context, rt engine.Runtime, cfg *pgxpool.Config, o Options) (*DB, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	id := rt.ID()
	d := &DB{
		rt: rt, pool: pool, options: o,
		permits: rt.Semaphore("connections", int(cfg.MaxConns)),
		member:  o.Member + "/" + hex.EncodeToString(id[:]),
	}
	if err := d.register(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return d, nil
}

// Close ends the pool. Connections that are in use are waited for.
func (d *DB) Close() { d.pool.Close() }

// Member is this start of the process: its name and what makes it unique.
func (d *DB) Member() string { return d.member }

// Options are the settings in force.
func (d *DB) Options() Options { return d.options }

// one runs statements on one connection, each a transaction of its own: a single write, or reads that need no common
// snapshot. When it fails the last of them may still have been executed.
func (d *DB) one(ctx context.Context, name string, work func(ctx context.Context, q *queries.Queries) error) error {
	ctx, cancel := d.rt.WithTimeout(ctx, d.options.StatementMax)
	defer cancel()
	conn, release, err := d.connection(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer release()
	if err := work(ctx, queries.New(conn)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// connection takes a permit and a connection; release gives both back.
func (d *DB) connection(ctx context.Context) (conn *pgxpool.Conn, release func(), err error) {
	if err := d.permits.Acquire(ctx); err != nil {
		return nil, nil, err
	}
	conn, err = d.pool.Acquire(ctx)
	if err != nil {
		d.permits.Release()
		return nil, nil, err
	}
	return conn, func() {
		conn.Release()
		d.permits.Release()
	}, nil
}
