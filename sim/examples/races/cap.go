package races

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// CapSchema is an event with one seat.
const CapSchema = `
create table event (id int primary key, seats int not null);
create table seat (person text primary key, event int not null references event);
insert into event values (1, 1);
`

// TakeSeat takes a seat if one is free. One statement looks and inserts, and still two persons get the last seat: each
// counts what was committed when it began.
func TakeSeat(ctx context.Context, db *pgxpool.Pool, person string) error {
	_, err := db.Exec(ctx, `-- name: TakeSeat :exec
		insert into seat (person, event) select $1, id from event
		where id = 1 and (select count(*) from seat where event = 1) < seats on conflict do nothing`, person)
	return err
}

// TakeSeatLocked lets one person look at a time, and look only when the one before is done.
func TakeSeatLocked(ctx context.Context, db *pgxpool.Pool, person string) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "-- name: LockEvent :exec\nselect seats from event where id = 1 for update"); err != nil {
			return fmt.Errorf("lock the event: %w", err)
		}
		_, err := tx.Exec(ctx, `-- name: TakeSeat :exec
			insert into seat (person, event) select $1, id from event
			where id = 1 and (select count(*) from seat where event = 1) < seats on conflict do nothing`, person)
		return err
	})
}
