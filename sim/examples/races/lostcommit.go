package races

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// PaymentSchema is orders and what was paid for them.
const PaymentSchema = `
create table payment (id serial primary key, order_id int not null);
create table paid (order_id int primary key);
`

// Pay pays an order if it is not paid yet, and looks again where COMMIT got no answer. Absent is not never: the COMMIT
// may be still on its way.
func Pay(ctx context.Context, db *pgxpool.Pool, order int) error {
	for {
		var there bool
		err := db.QueryRow(ctx, "-- name: LookForPayment :one\nselect exists (select from payment where order_id = $1)", order).Scan(&there)
		if err != nil || there {
			return err
		}
		_ = pay(ctx, db, order, "-- name: Pay :exec\ninsert into payment (order_id) values ($1)") // we shall see
	}
}

// PayOnce lets the key decide: what is still on its way holds it, and who comes second waits to see what became of it.
func PayOnce(ctx context.Context, db *pgxpool.Pool, order int) error {
	return pay(ctx, db, order, `-- name: Pay :exec
		with key as (insert into paid values ($1) on conflict do nothing returning order_id)
		insert into payment (order_id) select order_id from key`)
}

func pay(ctx context.Context, db *pgxpool.Pool, order int, sql string) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sql, order)
		return err
	})
}
