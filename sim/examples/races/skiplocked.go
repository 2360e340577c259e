package races

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// BatchSchema is a batch of two tasks, which is closed when they are done.
const BatchSchema = `
create table batch (id int primary key, closed boolean not null default false);
create table task (id int primary key, batch int not null references batch, done boolean not null default false);
insert into batch values (1);
insert into task values (1, 1), (2, 1);
`

// Clock is how a worker waits.
type Clock interface {
	Sleep(ctx context.Context, d time.Duration) error
}

// Drain does the tasks of the batch, each under its row's lock, and closes the batch when no task is left. That
// SKIP LOCKED finds none does not say that none is left: one may be locked, also by a client that is dead and whose end
// the server has not noticed.
func Drain(ctx context.Context, db *pgxpool.Pool, clock Clock) error {
	return drain(ctx, db, clock, "-- name: CloseBatch :exec\nupdate batch set closed = true where id = 1")
}

// DrainFixed asks before it closes, without regard to locks, and comes back as long as something is left.
func DrainFixed(ctx context.Context, db *pgxpool.Pool, clock Clock) error {
	return drain(ctx, db, clock, "-- name: CloseBatch :exec\nupdate batch set closed = true where id = 1 and not exists (select from task where batch = 1 and not done)")
}

func drain(ctx context.Context, db *pgxpool.Pool, clock Clock, closeBatch string) error {
	for {
		err := doTask(ctx, db, clock)
		if err == nil {
			continue
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		tag, err := db.Exec(ctx, closeBatch)
		if err != nil || tag.RowsAffected() > 0 {
			return err
		}
		if err := clock.Sleep(ctx, 30*time.Second); err != nil {
			return err
		}
	}
}

// doTask does the next task. ErrNoRows: there is none to be had.
func doTask(ctx context.Context, db *pgxpool.Pool, clock Clock) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		var id int
		err := tx.QueryRow(ctx, `-- name: TakeTask :one
			select t.id from task t join batch b on b.id = t.batch
			where not t.done and not b.closed order by t.id limit 1 for update of t skip locked`).Scan(&id)
		if err != nil {
			return err
		}
		if err := clock.Sleep(ctx, time.Second); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "-- name: FinishTask :exec\nupdate task set done = true where id = $1", id)
		return err
	})
}
