package pg

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/recondrill/recondrill/sim"
)

// never is longer than any run: nothing of the pool's background work comes due.
const never = 1000 * time.Hour

// Pool is Configure and a pool of up to maxConns connections for one life of a process. MaxConns must be as many as the
// tasks that use it at a time, or a semaphore of the Runtime must stand before it: a task that waited inside the pool for
// another one would stand where the kernel can't see it. The pool is closed by Detach; who closes it in a life that may
// have been killed would wait for tasks that never run again.
func (s *Sessions) Pool(ctx context.Context, p *sim.Process, role string, maxConns int) (*pgxpool.Pool, error) {
	config := s.pool.Copy()
	config.MaxConns = int32(maxConns)
	s.Configure(config, p, role)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("pool of process %s: %w", p.Name(), err)
	}
	s.closeLater(pool)
	return pool, nil
}

// Configure points a pool's configuration at the gate: connections of this life of p, as role ("" = none set); p nil is for
// tasks of the world (an operator), of which nothing breaks. What the
// configuration says about where to connect, as whom, and about the pool's background work, is replaced; MaxConns, hooks
// and tracers of the program stay.
func (s *Sessions) Configure(config *pgxpool.Config, p *sim.Process, role string) {
	life := &life{sessions: s, process: p}
	if p != nil {
		p.Attach(life)
	}
	s.address(&config.ConnConfig.Config, role)
	config.ConnConfig.DialFunc = life.dial
	config.ConnConfig.Tracer = life.tracer(config.ConnConfig.Tracer)
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement

	config.MinConns, config.MinIdleConns = 0, 0
	config.MaxConnLifetime, config.MaxConnIdleTime, config.HealthCheckPeriod = never, never, never
	config.MaxConnLifetimeJitter = 0
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	config.AfterRelease = nil // the pool would run it in a goroutine of its own
	prepare := config.PrepareConn
	config.PrepareConn = func(ctx context.Context, c *pgx.Conn) (bool, error) {
		if ok, err := gate(c).checkOut(ctx); !ok || err != nil || prepare == nil {
			return ok, err
		}
		return prepare(ctx, c)
	}
}

// address fills in where to connect and as whom.
func (s *Sessions) address(config *pgconn.Config, role string) {
	config.Host, config.Port = "/sim", 5432 // a path: nobody looks up a name
	// Names that are the same in every campaign: the driver's errors give them, and a program may store those.
	config.User, config.Password, config.Database = "sim", "", "sim"
	config.TLSConfig, config.Fallbacks = nil, nil
	config.ConnectTimeout = never
	config.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn()}
	}
	if config.RuntimeParams == nil {
		config.RuntimeParams = map[string]string{}
	}
	if role != "" {
		config.RuntimeParams["role"] = role
	}
}

// gate is the connection under a connection of the driver.
func gate(c *pgx.Conn) *conn { return c.PgConn().Conn().(*conn) }

// checkOut tells the connection which task has it now. It answers false for one that has ended, which the pool then
// replaces.
func (c *conn) checkOut(ctx context.Context) (bool, error) {
	c.mu.Lock()
	gone := c.gone
	c.owner, c.query = ctx, nil
	c.mu.Unlock()
	if gone != nil {
		return false, nil
	}
	if c.status != 'I' {
		err := fmt.Errorf("a connection was checked out in the middle of a transaction (status %q)", c.status)
		c.refuse(err)
		return false, err
	}
	return true, nil
}

// closeLater remembers a pool for Detach.
func (s *Sessions) closeLater(pool *pgxpool.Pool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.run.pools, pool) {
		s.run.pools = append(s.run.pools, pool)
	}
}

// closePool waits a little. A task that was ended where it stood may have taken a connection with it, and for that one
// the pool would wait forever.
func closePool(pool *pgxpool.Pool) {
	closed := make(chan struct{})
	go func() {
		pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(time.Second):
	}
}
