// Package queue is a job queue as people write them: a table, a worker that takes the oldest job, does it, and marks
// it done. It is here because it is wrong.
package queue

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Schema is a queue with three jobs, and the log of what was run.
const Schema = `
create table jobs (
	id         serial primary key,
	name       text not null,
	status     text not null default 'pending',
	created_at timestamptz not null default now(),
	started_at timestamptz
);
create table sent (id serial primary key, job_id int not null, at timestamptz not null default now());
insert into jobs (name) values ('welcome mail'), ('invoice'), ('reminder');
`

// Clock is how a worker waits: time.Sleep in production.
type Clock interface {
	Sleep(ctx context.Context, d time.Duration) error
}

// Worker runs jobs until none is left.
func Worker(ctx context.Context, db *pgxpool.Pool, clock Clock) error {
	for {
		id, err := next(ctx, db)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := clock.Sleep(ctx, time.Second); err != nil { // the work
			return err
		}
		if _, err := db.Exec(ctx, "insert into sent (job_id) values ($1)", id); err != nil {
			return err
		}
		if _, err := db.Exec(ctx, "update jobs set status = 'done' where id = $1", id); err != nil {
			return err
		}
	}
}

// next takes the oldest pending job.
func next(ctx context.Context, db *pgxpool.Pool) (id int, err error) {
	tx, err := db.Begin(ctx)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback(ctx)
	err = tx.QueryRow(ctx, "select id from jobs where status = 'pending' order by created_at limit 1").Scan(&id)
	if err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, "update jobs set status = 'running', started_at = now() where id = $1", id)
	if err != nil {
		return 0, err
	}
	return id, tx.Commit(ctx)
}
