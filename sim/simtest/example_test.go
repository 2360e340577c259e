package simtest_test

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/simtest"
)

// A service outside is called through the kernel, which decides what comes of it; what it really did is kept beside.
func ExampleRun_outside() {
	var mails int // the truth of the world
	result, err := simtest.Search(context.Background(), simtest.Program{
		Name:   "mails",
		Server: server,
		Schema: "create table mail (id int primary key, sent boolean not null default false); insert into mail values (1)",
		Start: func(r *simtest.Run) {
			mails = 0
			r.Process("sender", func(ctx context.Context, p *sim.Process, db *pgxpool.Pool) error {
				var sent bool
				if err := db.QueryRow(ctx, "-- name: Look :one\nselect sent from mail where id = 1").Scan(&sent); err != nil || sent {
					return err
				}
				if _, err := r.Kernel.Call(ctx, sim.Call{Actor: "smtp", Label: "send(1)", Do: func(sim.Value, time.Time) { mails++ }}); err != nil {
					return err
				}
				_, err := db.Exec(ctx, "-- name: MarkSent :exec\nupdate mail set sent = true where id = 1")
				return err
			})
		},
		Check: func(s *simtest.State) error {
			if mails > 1 {
				return simtest.Breaks("a mail was sent twice", "%d times", mails)
			}
			return nil
		},
		Without: []string{"cut", "late", "terminated"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range result.Failure.Story {
		fmt.Println(line)
	}
	// Output:
	// mails: everything goes in turn and nothing fails, but for this:
	// 02:00:00 smtp: gets send(1)
	// 02:00:00 sender: dies right after the call of smtp send(1)
	// 02:00:05 sender: starts again
	// 02:00:05 sender: Look → false
	// 02:00:05 smtp: gets send(1)
	// => a mail was sent twice: 2 times
}

// Two clerks sell the last ticket.
func ExampleSearch() {
	sell := func(ctx context.Context, _ *sim.Process, db *pgxpool.Pool) error {
		var left int
		if err := db.QueryRow(ctx, "-- name: Look :one\nselect left_over from tickets where id = 1").Scan(&left); err != nil || left == 0 {
			return err
		}
		_, err := db.Exec(ctx, "-- name: Sell :exec\nupdate tickets set left_over = left_over - 1 where id = 1")
		return err
	}
	result, err := simtest.Search(context.Background(), simtest.Program{
		Name:   "tickets",
		Server: server, // left out: the nearest one, for this call only
		Schema: "create table tickets (id int primary key, left_over int not null); insert into tickets values (1, 1)",
		Start: func(r *simtest.Run) {
			r.Process("clerk-1", sell)
			r.Process("clerk-2", sell)
		},
		Check: func(s *simtest.State) error {
			return s.None("a ticket was sold that was not there", "select left_over from tickets where left_over < 0")
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range result.Failure.Story {
		fmt.Println(line)
	}
	// Output:
	// tickets: everything goes in turn and nothing fails, but for this:
	// 02:00:00 clerk-1: Look → 1
	// 02:00:00 clerk-1: stops before Sell, and clerk-2 goes first
	// 02:00:00 clerk-2: Look → 1; Sell
	// 02:00:00 clerk-1: Sell
	// => a ticket was sold that was not there: -1
}
