package pg

import (
	"context"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/recondrill/recondrill/sim"
)

// life is one life of a process as its pools see it. The kernel abandons it like a connection, and so tells it of the end.
type life struct {
	sessions *Sessions
	process  *sim.Process // nil: the world's, which has no end
	over     atomic.Bool
}

// Abandon implements sim.Session.
func (l *life) Abandon() { l.over.Store(true) }

// tracer is life's, after the program's own.
func (l *life) tracer(own pgx.QueryTracer) pgx.QueryTracer {
	if own == nil {
		return tracer{l}
	}
	return multitracer.New(own, tracer{l})
}

// tracer is called by the driver in the task's own goroutine, and so learns what the connection can't: whose query runs
// under which context, and when a connection goes back dirty.
type tracer struct{ life *life }

func (t tracer) TraceAcquireStart(ctx context.Context, pool *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	t.life.sessions.closeLater(pool)
	if t.life.over.Load() { // a loop that retries forever must find its end even when it never gets a connection
		_, _ = t.life.sessions.kernel().Pass(ctx, sim.Gate{Address: sim.Address{Label: "sql:connect"}, Kind: sim.Statement})
	}
	t.life.sessions.awaitUp(ctx)
	return ctx
}

func (t tracer) TraceAcquireEnd(context.Context, *pgxpool.Pool, pgxpool.TraceAcquireEndData) {}

// TraceRelease closes at once what the pool would close later in a goroutine of its own.
func (t tracer) TraceRelease(_ *pgxpool.Pool, data pgxpool.TraceReleaseData) {
	c := data.Conn.PgConn()
	if c.IsClosed() || c.IsBusy() || c.TxStatus() != 'I' {
		gate(data.Conn).end(errCut)
	}
}

func (t tracer) TraceQueryStart(ctx context.Context, c *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	gate(c).begin(ctx)
	return ctx
}

func (t tracer) TraceQueryEnd(_ context.Context, c *pgx.Conn, _ pgx.TraceQueryEndData) {
	gate(c).begin(nil)
}

func (t tracer) TraceBatchStart(ctx context.Context, c *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	gate(c).begin(ctx)
	return ctx
}

func (t tracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (t tracer) TraceBatchEnd(_ context.Context, c *pgx.Conn, _ pgx.TraceBatchEndData) {
	gate(c).begin(nil)
}

// begin says under which context the driver works from now on; nil: the owner's. A rollback deferred with
// context.Background() is still the owner's, only without its deadline.
func (c *conn) begin(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx != nil && sim.TaskOf(ctx) == nil {
		ctx = context.WithoutCancel(c.owner)
	}
	c.query = ctx
}
