package races

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// PhantomSchema is a room and its bookings by the hour.
const PhantomSchema = `
create table room (id int primary key);
create table booking (person text primary key, room int not null references room, from_hour int not null, to_hour int not null);
insert into room values (1);
`

// Book books the room if it is free. REPEATABLE READ does not help: it keeps what was seen as it was, and a booking that
// was not seen is no conflict.
func Book(ctx context.Context, db *pgxpool.Pool, person string, from, to int) error {
	return pgx.BeginTxFunc(ctx, db, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		return book(ctx, tx, person, from, to)
	})
}

// BookLocked locks the room, and looks in a statement that begins after that.
func BookLocked(ctx context.Context, db *pgxpool.Pool, person string, from, to int) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "-- name: LockRoom :exec\nselect id from room where id = 1 for no key update"); err != nil {
			return err
		}
		return book(ctx, tx, person, from, to)
	})
}

func book(ctx context.Context, tx pgx.Tx, person string, from, to int) error {
	var taken int
	err := tx.QueryRow(ctx, `-- name: CountBookings :one
		select count(*) from booking where room = 1 and from_hour < $2 and $1 < to_hour`, from, to).Scan(&taken)
	if err != nil || taken > 0 {
		return err
	}
	_, err = tx.Exec(ctx, `-- name: InsertBooking :exec
		insert into booking values ($1, 1, $2, $3)`, person, from, to)
	return err
}
