package queue

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// errLost is a job that somebody else has taken over meanwhile.
var errLost = errors.New("the job is somebody else's by now")

// FixedWorker runs each job once, whatever happens: taking a job locks its row, a job whose worker is gone can be taken
// again after a minute, and its effect and its end are one transaction that only the last taker can commit.
func FixedWorker(ctx context.Context, db *pgxpool.Pool, clock Clock) error {
	for {
		id, taken, err := take(ctx, db)
		if errors.Is(err, pgx.ErrNoRows) {
			if done, err := allDone(ctx, db); done || err != nil {
				return err
			}
			if err := clock.Sleep(ctx, 20*time.Second); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if err := clock.Sleep(ctx, time.Second); err != nil { // the work
			return err
		}
		if err := finish(ctx, db, id, taken); err != nil && !errors.Is(err, errLost) {
			return err
		}
	}
}

func take(ctx context.Context, db *pgxpool.Pool) (id int, taken time.Time, err error) {
	err = db.QueryRow(ctx, `-- name: Take :one
		update jobs set status = 'running', started_at = now() where id = (
			select id from jobs where status = 'pending' or status = 'running' and started_at < now() - interval '1 minute'
			order by created_at, id limit 1 for update skip locked)
		returning id, started_at`).Scan(&id, &taken)
	return id, taken, err
}

func finish(ctx context.Context, db *pgxpool.Pool, id int, taken time.Time) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `-- name: Finish :exec
			update jobs set status = 'done' where id = $1 and status = 'running' and started_at = $2`, id, taken)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return errLost
		}
		_, err = tx.Exec(ctx, `-- name: Send :exec
			insert into sent (job_id) values ($1)`, id)
		return err
	})
}

func allDone(ctx context.Context, db *pgxpool.Pool) (done bool, err error) {
	err = db.QueryRow(ctx, `-- name: AllDone :one
		select count(*) = 0 from jobs where status <> 'done'`).Scan(&done)
	return done, err
}
