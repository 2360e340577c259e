package faults

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/recondrill/recondrill/sim"
)

// The naive engine is written as one writes who has not met a fault yet: it runs well for as long as nothing goes wrong.
// A scheduler turns ticks into jobs; workers claim them, pay, write to people, keep the books; callbacks are noted; an
// operator helps. Which of its habits breaks by which kind stands in naive_test.go.
const naiveSchema = `
create schema recon;
create function recon.now() returns timestamptz language sql stable as 'select statement_timestamp()';
create table job (id text primary key, slot text, state text not null default 'ready', worker text, lease_until timestamptz);
create table event (job text primary key, paid int not null default 0, charged int not null default 0, last text);
create table report (job text primary key, paid int not null);
create table statement (job text primary key, total int not null);
create table ledger (n serial primary key, job text not null);
create table audit (n serial primary key, job text not null);
create table serial (n int primary key);
create table account (id text primary key, balance int not null default 0);
create table correction (id text primary key, amount int not null, approved int);
create table letter (job text primary key);
create table control (id int primary key, paused boolean not null);
insert into account (id) values ('a'), ('b'), ('c'), ('sent'), ('count');
insert into control values (1, false);
insert into correction values ('c1', 5, null);
insert into job (id, state) values ('job-0', 'failed');`

// naive is one process of the engine, or (p nil) the part of it that callbacks and the operator reach.
type naive struct {
	p    *sim.Process
	pool *pgxpool.Pool
	out  *outside
	how  habits
}

// habits are ways to build it that not every reader would choose. The zero value is how it is mostly run.
type habits struct {
	batch    bool // workers end when they find no work after the last slot
	renews   bool // a worker renews the leases of all jobs that bear its name
	sweeps   bool // a second task in each worker, which needs two connections at a time as the first does
	together bool // two workers begin two jobs at the same instant, whatever the seed
	deploys  bool // worker-1 is replaced in the middle of its first job
	fresh    bool // each life has a name of its own
	letters  int  // room for jobs that failed
	previous bool // this process runs the version before, which knows no leases
}

const naiveLease = 30 * time.Second

func (n *naive) name() string {
	if n.how.fresh {
		return n.p.Actor().String()
	}
	return n.p.Name()
}

func (n *naive) exec(ctx context.Context, sql string, args ...any) error {
	_, err := n.pool.Exec(ctx, sql, args...)
	return err
}

// schedule makes a job of each tick, of the slot that its own clock says, and reports when the night is over.
func (n *naive) schedule(ctx context.Context) error {
	for n.p.Mono() < 10*time.Minute {
		for n.out.takeTick() {
			_ = n.exec(ctx, `-- name: AdmitSlot :one
				insert into job (id, slot) select 'job-' || count(*), $1 from job returning id`, n.p.Now().UTC().Truncate(naiveSlot).Format("15:04"))
		}
		if n.p.Mono() > 8*time.Minute {
			_ = n.exec(ctx, "-- name: Report :exec\ninsert into report select job, paid from event order by job on conflict do nothing")
			return nil
		}
		if err := n.p.Sleep(ctx, 5*time.Second); err != nil {
			return err
		}
	}
	return nil
}

// work is a worker: one job after the other.
func (n *naive) work(ctx context.Context) error {
	if n.how.renews {
		n.p.Spawn(ctx, "renew", n.renew)
	}
	if n.how.sweeps {
		n.p.Spawn(ctx, "sweep", n.sweep)
	}
	permits := n.p.Semaphore("connections", 2)
	n.out.permits[n.p] = permits
	for n.p.Mono() < 13*time.Minute && !n.out.gone[n.p.Name()] {
		id, err := n.claim(ctx)
		switch {
		case err == nil:
			n.handle(ctx, id)
			continue
		case errors.Is(err, pgx.ErrNoRows) && n.how.batch && n.p.Mono() > 5*time.Minute:
			return nil
		}
		if err := n.p.Sleep(ctx, 10*time.Second); err != nil {
			return err
		}
	}
	return nil
}

func (n *naive) claim(ctx context.Context) (id string, err error) {
	sql := `-- name: ClaimJob :one
		with c as (select id from job where state not in ('done', 'failed', 'redriven') and coalesce(lease_until, '-infinity') <= recon.now()
			and not exists (select 1 from control where paused) order by id limit 1 for update skip locked)
		update job set state = 'leased', worker = $1, lease_until = recon.now() + $2::interval from c where job.id = c.id returning job.id`
	if n.how.previous {
		sql = `-- name: ClaimJob :one
			with c as (select id from job where state = 'ready' and $2::interval is not null order by id limit 1 for update skip locked)
			update job set state = 'working', worker = $1 from c where job.id = c.id returning job.id`
	}
	err = pgx.BeginFunc(ctx, n.pool, func(tx pgx.Tx) error { return tx.QueryRow(ctx, sql, n.name(), naiveLease.String()).Scan(&id) })
	return id, err
}

// handle does a job, 22 seconds of work under a lease of 30.
func (n *naive) handle(ctx context.Context, id string) {
	if n.p.Sleep(ctx, 20*time.Second) != nil {
		return
	}
	switch err := n.outsideActs(ctx, id); {
	case errors.Is(err, errAgain):
		_ = n.exec(ctx, "-- name: HandBack :exec\nupdate job set state = 'ready', lease_until = null where id = $1", id)
		return
	case err != nil:
		n.fail(ctx, id)
		return
	}
	if err := n.reads(ctx); err != nil {
		n.fail(ctx, id)
		return
	}
	n.insideActs(ctx, id)
	if err := n.book(ctx, id); err != nil { // so it can't have happened
		_ = n.exec(ctx, "-- name: HandBack :exec\nupdate job set state = 'ready', lease_until = null where id = $1", id)
		_ = n.p.Sleep(ctx, time.Second)
	}
}

var (
	errFailed = errors.New("failed for good")
	errAgain  = errors.New("try again some time")
)

func (n *naive) outsideActs(ctx context.Context, id string) error {
	if err := n.act(ctx, provider, "pay", id, true); err != nil {
		return err
	}
	if err := n.exec(ctx, "-- name: Expect :exec\ninsert into event (job) values ($1) on conflict do nothing", id); err != nil {
		return errAgain
	}
	for _, a := range []struct {
		service, what string
		assume        bool
	}{{provider, "hold", false}, {provider, "hold", false}, {provider, "charge", false}, {"email", "send", false}, {"sms", "send", true}} {
		if err := n.act(ctx, a.service, a.what, id, a.assume); err != nil {
			return err
		}
	}
	rows := n.out.statement(ctx, id)
	total := 0
	for _, amount := range rows {
		total += amount
	}
	return n.exec(ctx, "-- name: Total :exec\ninsert into statement values ($1, $2) on conflict do nothing", id, total)
}

// act calls outside. Without an answer it assumes that it was done, or does it again.
func (n *naive) act(ctx context.Context, service, what, id string, assume bool) error {
	for range 3 {
		r := n.out.act(ctx, service, what, id)
		wait := time.Second
		switch {
		case r.kind == "accepted" || r.kind == "rejected" && r.code != "duplicate" || r.kind == "unknown" && assume:
			return n.p.Sleep(ctx, wait/2)
		case r.kind == "throttled" && r.after == 0 || r.kind == "failed" || r.kind == "rejected":
			return errFailed
		case r.kind == "poisoned":
			return errAgain
		case r.kind == "throttled":
			wait = r.after
		}
		if err := n.p.Sleep(ctx, wait); err != nil {
			return err
		}
	}
	return errFailed
}

func (n *naive) fail(ctx context.Context, id string) {
	_ = n.exec(ctx, "-- name: FailJob :exec\nupdate job set state = 'failed' where id = $1", id)
	if n.how.letters > 0 {
		tag, err := n.pool.Exec(ctx, "-- name: Bury :exec\ninsert into letter select $1 where (select count(*) from letter) < $2", id, n.how.letters)
		if err == nil && tag.RowsAffected() == 0 {
			n.out.mark("letters", "parked", id)
		}
	}
}

// insideActs are bookkeeping without which the job counts as done all the same.
func (n *naive) insideActs(ctx context.Context, id string) {
	n.count(ctx, id)
	for range 10 { // under a deadline, and again when that has passed; of another error it is thought that it was done all the same
		c, cancel := n.p.WithTimeout(ctx, 500*time.Millisecond)
		_ = n.exec(c, "-- name: Spend :exec\nupdate account set balance = balance + 1 where id = 'sent'")
		over := c.Err() == nil
		cancel()
		if over || n.p.Sleep(ctx, 300*time.Millisecond) != nil {
			break
		}
	}
	c, cancel := n.p.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_ = n.exec(c, "-- name: Audit :exec\ninsert into audit (job) values ($1)", id)
}

// count is what happens to meet others at it: two rows in the order of the moment, a number read and written back under
// a snapshot, the next number of a series.
func (n *naive) count(ctx context.Context, id string) {
	order := []string{"b", "c"}
	if n.p.Name() == "worker-2" {
		order = []string{"c", "b"}
	}
	_ = pgx.BeginFunc(ctx, n.pool, func(tx pgx.Tx) error {
		for _, account := range order {
			if _, err := tx.Exec(ctx, "-- name: Transfer :exec\nupdate account set balance = balance + 1 where id = $1", account); err != nil {
				return err
			}
		}
		return nil
	})
	_ = pgx.BeginTxFunc(ctx, n.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		var balance int
		if err := tx.QueryRow(ctx, "-- name: ReadCount :one\nselect balance from account where id = 'count'").Scan(&balance); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "-- name: WriteCount :exec\nupdate account set balance = $1 where id = 'count'", balance+1)
		return err
	})
	_ = pgx.BeginFunc(ctx, n.pool, func(tx pgx.Tx) error {
		var next int
		if err := tx.QueryRow(ctx, "-- name: LastNumber :one\nselect coalesce(max(n), 0) + 1 from serial").Scan(&next); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "-- name: TakeNumber :exec\ninsert into serial values ($1)", next)
		return err
	})
}

// reads needs a second connection while it holds the first.
func (n *naive) reads(ctx context.Context) error {
	permits := n.out.permits[n.p]
	ctx, cancel := n.p.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for range 2 {
		if err := permits.Acquire(ctx); err != nil {
			return err
		}
		defer permits.Release()
		if err := n.exec(ctx, "-- name: Look :exec\nselect count(*) from job"); err != nil {
			return err
		}
	}
	return nil
}

// book closes the job, in one transaction in which it waits for something.
func (n *naive) book(ctx context.Context, id string) error {
	return pgx.BeginFunc(ctx, n.pool, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue("-- name: LockAccounts :exec\nselect id from account where id in ('a', 'sent') order by id for update")
		b.Queue("-- name: Post :exec\nupdate account set balance = balance - 10 where id = 'a'")
		b.Queue("-- name: Ledger :exec\ninsert into ledger (job) values ($1)", id)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		if err := n.p.Sleep(ctx, time.Second); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "-- name: FinishJob :exec\nupdate job set state = 'done', lease_until = null where id = $1", id)
		return err
	})
}

func (n *naive) renew(ctx context.Context) error {
	for n.p.Sleep(ctx, naiveLease/3) == nil {
		_ = n.exec(ctx, `-- name: RenewJobs :many
			with u as (update job set lease_until = recon.now() + $2::interval where worker = $1 and state = 'leased' returning id) select id from u order by id`,
			n.name(), naiveLease.String())
	}
	return nil
}

func (n *naive) sweep(ctx context.Context) error {
	for n.p.Sleep(ctx, 23*time.Second) == nil {
		if err := n.reads(ctx); errors.Is(err, sim.ErrKilled) {
			return err
		}
	}
	return nil
}

// succeed takes over from a process that is told to go, and so is gone.
func (n *naive) succeed(ctx context.Context, from string) {
	_ = n.exec(ctx, "-- name: TakeOver :exec\nupdate job set state = 'ready', lease_until = null where worker = $1 and state = 'leased'", from)
}

// hear notes a callback; the last one is what is true now.
func (n *naive) hear(ctx context.Context, what, id string) error {
	return n.exec(ctx, `-- name: Hear :exec
		update event set paid = paid + ($2 = 'pay')::int, charged = charged + ($2 = 'charge')::int, last = $2 where job = $1`, id, what)
}

// redrive makes a new job of one that failed.
func (n *naive) redrive(ctx context.Context, id string) error {
	if err := n.exec(ctx, "-- name: Redrive :exec\ninsert into job (id) select $1 || '-again-' || count(*) from job", id); err != nil {
		return err
	}
	return n.exec(ctx, "-- name: Redriven :exec\nupdate job set state = 'redriven' where id = $1", id)
}
