package search

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/pg"
)

// sessions of the database in which the small programs run; TestMain opens it.
var sessions *pg.Sessions

func TestMain(m *testing.M) {
	os.Exit(pg.RunTests(m, "search", func(ctx context.Context, s *pg.Server) error {
		if err := s.CreateDatabase(ctx, "small"); err != nil {
			return err
		}
		admin, err := pgx.Connect(ctx, s.ConnString("small"))
		if err != nil {
			return err
		}
		defer admin.Close(ctx)
		if _, err := admin.Exec(ctx, smallSchema); err != nil {
			return err
		}
		if sessions, err = pg.NewSessions(s, "small", pg.SessionOptions{}); err != nil {
			return err
		}
		if err := sessions.InstallClock(ctx); err != nil {
			return err
		}
		return sessions.Snapshot(ctx)
	}))
}

const smallSchema = `
create schema recon;
create function recon.now() returns timestamptz language sql stable as 'select statement_timestamp()';
create table guest (name text primary key);
create table account (id int primary key, balance int not null);
create table parent (id int primary key);
create table child (id int primary key, parent int not null references parent);
create table ticket (nr bigserial primary key, who text not null);
create table job (id int primary key, worker text, lease_until timestamptz);
create role small nologin;
grant usage on schema recon, public to small;
grant all on all tables in schema public to small;
grant all on all sequences in schema public to small;
insert into account values (1, 100), (2, 100);
insert into parent values (1);
insert into job values (1, null, '2026-03-01 00:00:01Z'), (2, null, '2026-03-01 00:00:01Z');
`

// small is a program of a few processes, each a list of statements with one connection; "~" sleeps a second. At its
// first error a process rolls back and ends.
type small struct {
	name      string
	processes [][]string
	hold      bool // Sync may be held back once
}

var smalls = []small{
	{name: "phantom", processes: [][]string{
		{"insert into guest select 'a' where (select count(*) from guest) < 1", "select count(*) from guest"},
		{"insert into guest select 'b' where (select count(*) from guest) < 1", "select count(*) from guest"}}, hold: true},
	{name: "unique", processes: [][]string{
		{"begin", "insert into guest values ('x')", "commit"},
		{"insert into guest values ('x')", "select count(*) from account"}}},
	{name: "on conflict", processes: [][]string{
		{"begin", "insert into account values (3, 1) on conflict (id) do nothing returning balance", "commit"},
		{"insert into account values (3, 10) on conflict (id) do update set balance = account.balance + 10 returning balance", "select count(*) from guest"}}},
	{name: "foreign key", processes: [][]string{
		{"begin", "delete from parent where id = 1", "commit"},
		{"insert into child values (1, 1)", "select count(*) from job"}}},
	{name: "sequence", processes: [][]string{
		{"begin", "insert into ticket (who) values ('a') returning nr", "rollback"},
		{"select count(*) from guest", "insert into ticket (who) values ('b') returning nr"}}},
	{name: "skip locked", processes: [][]string{
		{"begin", "select id from job where worker is null order by id limit 1 for update skip locked", "commit"},
		{"select count(*) from guest", "update job set worker = 'b' where id = (select id from job where worker is null order by id limit 1 for update skip locked) returning id"}}},
	{name: "clock", processes: [][]string{
		{"~", "update job set worker = 'a', lease_until = recon.now() + '1 s' where id = 1 and lease_until <= recon.now() returning id", "select count(*) from guest"},
		{"select count(*) from account", "~", "update job set worker = 'b', lease_until = recon.now() + '1 s' where id = 1 and lease_until <= recon.now() returning id"}}},
	{name: "repeatable read", processes: [][]string{
		{"begin isolation level repeatable read", "select count(*) from guest", "select sum(balance) from account", "commit"},
		{"update account set balance = balance + 1 where id = 1"}}},
	{name: "advisory", processes: [][]string{
		{"select pg_try_advisory_lock(7)", "select pg_advisory_unlock(7)"},
		{"select count(*) from guest", "select pg_try_advisory_lock(7)"}}},
	{name: "deadlock", processes: [][]string{
		{"begin", "update account set balance = balance + 1 where id = 1", "update account set balance = balance * 2 where id = 2", "commit"},
		{"begin", "update account set balance = balance + 3 where id = 2", "update account set balance = balance * 4 where id = 1", "commit"}}},
}

// play makes the run of a trial and answers what it came to: the final tables, and what every task was answered.
func (p small) play(tb testing.TB, t Trial) (Outcome, string) {
	ctx := context.Background()
	require.NoError(tb, sessions.Reset(ctx))
	d := t.Decider(Weights{})
	k := sim.New(sim.Config{Epoch: epoch, Seed: 1, Decider: d, Moves: d.Moves(), Locks: sessions})
	sessions.Attach(k)
	heard := make([][]string, len(p.processes))
	for i, statements := range p.processes {
		k.Process(string(rune('a'+i)), 5*time.Second, func(ctx context.Context, life *sim.Process) error {
			pool, err := sessions.Pool(ctx, life, "small", 1)
			if err != nil {
				return err
			}
			err = pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
				return carryOut(ctx, life, c, statements, &heard[i])
			})
			if err != nil {
				return err
			}
			return life.Sleep(ctx, time.Hour) // an end would let go of the session, which everything depends on
		})
	}
	require.NoError(tb, k.Run(ctx, time.Minute))
	o := Outcome{Checked: true, Fingerprint: k.Fingerprint()}
	d.Fill(&o, k.History())
	k.Close()
	sessions.Detach()
	require.NoError(tb, sessions.Err())
	tables, err := sessions.Dump(ctx)
	require.NoError(tb, err)
	return o, fmt.Sprint(tables.Hash(), heard)
}

func carryOut(ctx context.Context, life *sim.Process, c *pgxpool.Conn, statements []string, heard *[]string) error {
	for _, sql := range statements {
		if sql == "~" {
			if err := life.Sleep(ctx, time.Second); err != nil {
				return err
			}
			continue
		}
		answer, err := ask(ctx, c, sql)
		*heard = append(*heard, answer)
		if err != nil {
			_, err = c.Exec(ctx, "rollback")
			return err
		}
	}
	return nil
}

// ask answers what the server answered, as text: rows, a tag, or the code of an error.
func ask(ctx context.Context, c *pgxpool.Conn, sql string) (string, error) {
	rows, err := c.Query(ctx, sql)
	if err != nil {
		return "", err
	}
	var out []string
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return "", err
		}
		out = append(out, fmt.Sprint(values))
	}
	rows.Close()
	out = append(out, rows.CommandTag().String())
	if e := (*pgconn.PgError)(nil); errors.As(rows.Err(), &e) {
		out = append(out, e.Code)
	}
	return strings.Join(out, " "), rows.Err()
}

// exhaust makes every trial of a rung and counts what they came to.
func (p small) exhaust(tb testing.TB, r Rung) map[string]int {
	finals := map[string]int{}
	for {
		t, ok := r.Next()
		if !ok {
			require.True(tb, r.Told().Done)
			return finals
		}
		o, final := p.play(tb, t)
		finals[final]++
		r.Took(t, o)
	}
}

// Soundness: the same set of ends with fewer runs, on a real server.
func TestExhaustive_ReductionLosesNoEndOnPostgreSQL(t *testing.T) {
	table := []string{fmt.Sprintf("%-16s %5s %8s %6s %5s", "program", "full", "reduced", "orders", "ends")}
	for _, p := range smalls {
		set := -1
		if p.hold {
			set = 1
		}
		full := NewExhaustive(Options{Switches: -1, Set: set, Full: true})
		want := p.exhaust(t, full)
		reduced := NewExhaustive(Options{Switches: -1, Set: set})
		got := p.exhaust(t, reduced)
		require.Zero(t, full.astray+reduced.astray, p.name)
		require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)), p.name)
		require.Less(t, reduced.trials, full.trials, p.name)
		require.Greater(t, len(want), 1, p.name)
		require.Equal(t, full.Told().Distinct, reduced.Told().Distinct, "%s: it leaves out no order of moves that meet", p.name)
		table = append(table, fmt.Sprintf("%-16s %5d %8d %6d %5d", p.name, full.trials, reduced.trials, full.Told().Distinct, len(want)))
	}
	t.Log("runs, and ends they came to\n" + strings.Join(table, "\n"))
}

func TestDecider_WhatARunUsedReplaysItOnPostgreSQL(t *testing.T) {
	p := smalls[len(smalls)-1]
	for _, name := range Names() {
		r, err := New(name, Options{Seed: 11})
		require.NoError(t, err)
		deviated := 0
		for range 8 {
			trial, ok := r.Next()
			if !ok {
				break
			}
			o, final := p.play(t, trial)
			again, same := p.play(t, Trial{How: Scripted, Deviations: o.Used})
			require.Equal(t, o.Fingerprint, again.Fingerprint, "%+v", trial)
			require.Equal(t, final, same, "%+v", trial)
			require.Equal(t, o.Used, again.Used)
			deviated += len(o.Used)
			r.Took(trial, o)
		}
		require.NotZero(t, deviated, name)
	}
}

func TestExhaustive_FindsTheOverfilledCapOnlyWithAHeldSync(t *testing.T) {
	p := smalls[0]
	overfilled := func(set int) bool {
		for final := range p.exhaust(t, NewExhaustive(Options{Switches: -1, Set: set})) {
			if strings.Count(final, "INSERT 0 1") == 2 {
				return true
			}
		}
		return false
	}
	require.False(t, overfilled(-1))
	require.True(t, overfilled(1))
}
