package pg_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/pg"
)

// A program's process gets its pool from the Sessions and dies after its statement was carried out, before it knows.
// (Package sim/simtest does all of this, and searches.)
func Example() {
	if err := example(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// life 0 pays
	// life 1 pays
	// paid: 2
}

func example(ctx context.Context) error {
	server, err := pg.OpenNearest(ctx, pg.Options{Run: fmt.Sprintf("example-%d", os.Getpid()), Core: -1})
	if err != nil {
		return err
	}
	defer server.Close(ctx)
	if err := migrate(ctx, server); err != nil {
		return err
	}
	epoch := time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	sessions, err := pg.NewSessions(server, "shop", pg.SessionOptions{SetupTime: epoch})
	if err != nil {
		return err
	}
	defer sessions.Close()
	if err := sessions.InstallClock(ctx); err != nil {
		return err
	}
	if err := sessions.Snapshot(ctx); err != nil {
		return err
	}

	// From here on for every run.
	if err := sessions.Reset(ctx); err != nil {
		return err
	}
	script, err := sim.ParseScript("version  1\n\nshop#0/main  sql:Pay/1  fault  kill after\n")
	if err != nil {
		return err
	}
	k := sim.New(sim.Config{Epoch: epoch, Seed: 1, Decider: sim.Recorded(script), Locks: sessions})
	sessions.Attach(k)
	k.Process("shop", time.Second, func(ctx context.Context, p *sim.Process) error {
		db, err := sessions.Pool(ctx, p, "", 1)
		if err != nil {
			return err
		}
		fmt.Println("life", p.Life(), "pays")
		return pay(ctx, db)
	})
	err = k.Run(ctx, time.Minute)
	k.Close()
	sessions.Detach()
	if err != nil {
		return err
	}
	if err := sessions.Err(); err != nil {
		return err
	}
	tables, err := sessions.Dump(ctx)
	if err != nil {
		return err
	}
	fmt.Println("paid:", len(tables["public.payment"].Rows))
	return nil
}

func pay(ctx context.Context, db *pgxpool.Pool) error {
	_, err := db.Exec(ctx, "-- name: Pay :exec\ninsert into payment (order_id) values (1)")
	return err
}

func migrate(ctx context.Context, server *pg.Server) error {
	if err := server.CreateDatabase(ctx, "shop"); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, server.ConnString("shop"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `
		create schema recon;
		create function recon.now() returns timestamptz language sql stable as 'select statement_timestamp()';
		create table payment (id serial primary key, order_id int not null)`)
	return err
}
