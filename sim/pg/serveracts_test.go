package pg

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// at lets the world do something at an instant.
func at(d time.Duration, do func(ctx context.Context, s *Sessions) error) program {
	return func(k *sim.Kernel, s *Sessions) {
		k.World("server", func(ctx context.Context) error {
			if err := k.SleepWorld(ctx, d); err != nil {
				return err
			}
			return do(ctx, s)
		})
	}
}

func together(list ...program) program {
	return func(k *sim.Kernel, s *Sessions) {
		for _, p := range list {
			p(k, s)
		}
	}
}

// asking does one thing after the other with its pool and keeps what came of each: when, and the error's code.
func asking(got *[]string, sleep time.Duration, times int, sql string) program {
	return func(k *sim.Kernel, s *Sessions) {
		k.Process("asker", -1, func(ctx context.Context, p *sim.Process) error {
			pool, err := s.Pool(ctx, p, "toy", 2)
			if err != nil {
				return err
			}
			for range times {
				_, err := pool.Exec(ctx, sql, 1)
				code := sqlState(err)
				if err != nil && code == "" {
					code = err.Error()
				}
				*got = append(*got, fmt.Sprint(p.Mono().Seconds(), " ", code))
				if err := p.Sleep(ctx, sleep); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

func TestRestart_EndsEverySessionAndRefusesNewOnesForAWhile(t *testing.T) {
	y := openToyAlone(t)
	var got []string
	var waited error
	var when time.Duration
	run := func() outcome {
		got = nil
		return y.run(t, sim.Plain(), together(
			acts(holder, giver(&when, &waited)),
			asking(&got, 3*time.Second, 4, "-- name: Ask :exec\nselect $1::int"),
			at(4*time.Second, func(ctx context.Context, s *Sessions) error { return s.Restart(ctx) }),
		))
	}
	o := run()
	require.NoError(t, o.err)
	require.Equal(t, []string{"0 ", "3 ", "6 57P01", "9 "}, got)
	require.Equal(t, adminShutdown, sqlState(waited))
	require.Equal(t, 4*time.Second, when, "who waits finds out at once")
	require.Equal(t, "100", o.balance(), "what was not committed is gone")
	require.Equal(t, []string{adminShutdown}, states(o.bootErrors), "the holder's COMMIT")
	first := got
	requireSame(t, "again", o, run())
	require.Equal(t, first, got)
}

func states(list []error) (out []string) {
	for _, err := range list {
		out = append(out, sqlState(err))
	}
	return out
}

func TestRestart_ConnectionsAreRefusedUntilTheServerIsUp(t *testing.T) {
	y := openToyAlone(t)
	var got []string
	o := y.run(t, sim.Plain(), together(
		at(500*time.Millisecond, func(ctx context.Context, s *Sessions) error { return s.Restart(ctx) }),
		asking(&got, 700*time.Millisecond, 5, "-- name: Ask :exec\nselect $1::int"),
	))
	require.NoError(t, o.err)
	require.Equal(t, []string{"0 ", "0.7 57P01", "1.4 57P03", "2.1 57P03", "2.8 "}, got)
}

// A program may store what an error says: the names in it must be those of every campaign.
func TestRestart_TheErrorOfARefusedConnectionNamesNothingOfThisCampaign(t *testing.T) {
	y := openToyAlone(t)
	var said error
	o := y.run(t, sim.Plain(), together(
		at(500*time.Millisecond, func(ctx context.Context, s *Sessions) error { return s.Restart(ctx) }),
		func(k *sim.Kernel, s *Sessions) {
			k.Process("asker", -1, func(ctx context.Context, p *sim.Process) error {
				pool, err := s.Pool(ctx, p, "toy", 1)
				if err != nil {
					return err
				}
				if err := p.Sleep(ctx, time.Second); err != nil {
					return err
				}
				_, said = pool.Exec(ctx, "select 1")
				return nil
			})
		},
	))
	require.NoError(t, o.err)
	require.ErrorContains(t, said, "failed to connect to `user=sim database=sim`: /sim/.s.PGSQL.5432")
}

func TestReadOnly_IsTheServersOwnAnswer(t *testing.T) {
	y := openToyAlone(t)
	var got []string
	o := y.run(t, sim.Plain(), together(
		acts(holder), // it began before, and commits after
		asking(&got, 10*time.Second, 4, strings.Replace(give, "id = 1", "id = 2", 1)),
		at(5*time.Second, func(_ context.Context, s *Sessions) error { s.ReadOnly(true); return nil }),
		at(25*time.Second, func(_ context.Context, s *Sessions) error { s.ReadOnly(false); return nil }),
	))
	require.NoError(t, o.err)
	require.Empty(t, o.bootErrors)
	require.Equal(t, []string{"0 ", "10 25006", "20 25006", "30 "}, got)
	require.Equal(t, "101", o.balance())
}

const identityOfServer = `create function recon.server_identity(out system_identifier text, out timeline integer) language sql stable as $$ select 'real', 7 $$`

func openWithIdentity(t *testing.T) *toy {
	t.Helper()
	y := openToyAlone(t)
	ctx := context.Background()
	require.NoError(t, y.sessions.ask(func(ctx context.Context) error {
		_, err := y.sessions.monitor.Exec(ctx, identityOfServer)
		return err
	}))
	require.NoError(t, y.sessions.InstallClock(ctx))
	require.NoError(t, y.sessions.Snapshot(ctx))
	return y
}

func TestFailover_LosesTheTailAndIsAnotherServer(t *testing.T) {
	y := openWithIdentity(t)
	var identities []string
	var got []string
	program := together(
		func(k *sim.Kernel, s *Sessions) {
			k.Process("identity", -1, func(ctx context.Context, p *sim.Process) error {
				pool, err := s.Pool(ctx, p, "toy", 2)
				if err != nil {
					return err
				}
				for range 3 {
					var name string
					var timeline int
					if err := pool.QueryRow(ctx, "select system_identifier, timeline from recon.server_identity() where $1::int = 1", 1).Scan(&name, &timeline); err != nil {
						name = sqlState(err)
					}
					identities = append(identities, fmt.Sprint(name, " ", timeline))
					if err := p.Sleep(ctx, 20*time.Second); err != nil {
						return err
					}
				}
				return nil
			})
		},
		asking(&got, 10*time.Second, 5, "-- name: Enter :exec\ninsert into ledger (job, fence) values ('j', $1)"),
		acts(holder),
		at(15*time.Second, func(ctx context.Context, s *Sessions) error { return s.Standby(ctx) }),
		at(35*time.Second, func(ctx context.Context, s *Sessions) error { return s.Failover(ctx) }),
	)
	run := func() outcome {
		identities, got = nil, nil
		return y.run(t, sim.Plain(), program)
	}
	o := run()
	require.NoError(t, o.err)
	require.Equal(t, []string{"simulated 1", "simulated 1", "57P01 0"}, identities)
	require.Equal(t, []string{"0 ", "10 ", "20 ", "30 ", "40 57P01"}, got)
	require.Len(t, o.tables["public.ledger"].Rows, 2, "those of 20 s and 30 s were acknowledged, and are lost")
	require.Equal(t, "100", o.balance())
	first := identities
	y.run(t, sim.Plain(), toyWorkers(true)) // another run between
	requireSame(t, "again", o, run())
	require.Equal(t, first, identities)
}

// After a failover, where a row lies is the same whatever ran before: rows without an order come back in the same one.
func TestFailover_ThePhysicalStateIsTheSameInEveryReplay(t *testing.T) {
	y := openToyAlone(t)
	place := func() (out []string) {
		require.NoError(t, y.sessions.ask(func(ctx context.Context) error {
			rows, err := y.sessions.monitor.Query(ctx, `select 'job ' || ctid::text || id from job union all select 'account ' || ctid::text || id from account`)
			if err != nil {
				return err
			}
			out, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		}))
		return out
	}
	program := together(toyWorkers(true),
		at(15*time.Second, func(ctx context.Context, s *Sessions) error { return s.Standby(ctx) }),
		at(25*time.Second, func(ctx context.Context, s *Sessions) error { return s.Failover(ctx) }))
	o := y.run(t, sim.Plain(), program)
	require.NoError(t, o.err)
	first := place()
	require.Greater(t, len(first), 3)
	for i := range 5 {
		y.run(t, sim.Seeded(uint64(i), 3, toyWeights), toyWorkers(true))
		requireSame(t, "again", o, y.run(t, sim.Plain(), program))
		require.Equal(t, first, place())
	}
}

func TestFailover_ALateCommitDoesNotOutliveItsServer(t *testing.T) {
	y := openToyAlone(t)
	o := y.run(t, deviations(t, "a#0/main sql:commit/1 | fault | commit late 100s"), together(acts(holder),
		at(70*time.Second, func(ctx context.Context, s *Sessions) error { return s.Restart(ctx) })))
	require.NoError(t, o.err)
	require.Equal(t, "100", o.balance())
	require.Zero(t, o.whats("landed"))
	o = y.run(t, deviations(t, "a#0/main sql:Give/1 | fault | late statement"), together(
		acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
			_, err := c.Exec(ctx, give, 10)
			return err
		})))
	require.NoError(t, o.err)
	require.Equal(t, "110", o.balance())
}

// serverActs draws what becomes of the server every 20 seconds.
func serverActs(k *sim.Kernel, s *Sessions) {
	offers := []sim.Value{{Verb: "restart"}, {Verb: "read-only"}, {Verb: "writable"}, {Verb: "standby"}, {Verb: "failover"}}
	k.World("acts", func(ctx context.Context) error {
		kept := false
		for range 15 {
			if err := k.SleepWorld(ctx, 20*time.Second); err != nil {
				return err
			}
			var err error
			switch v := k.Tick("server", "acts", offers); {
			case v.Verb == "restart":
				err = s.Restart(ctx)
			case v.Verb == "read-only", v.Verb == "writable":
				s.ReadOnly(v.Verb == "read-only")
			case v.Verb == "standby":
				kept = true
				err = s.Standby(ctx)
			case v.Verb == "failover" && kept:
				err = s.Failover(ctx)
			}
			if err != nil {
				return err
			}
		}
		s.ReadOnly(false)
		return nil
	})
}

// acting draws them beside all the rest.
func acting(g sim.Gate, c sim.Class) []sim.Weighted {
	if g.Address.Actor == sim.Bare("server") {
		return sim.Split(g, c, 6000)
	}
	return toyWeights(g, c)
}

func TestServerActs_SameSeedSameHashInTheMiddleOfEverything(t *testing.T) {
	y := openWithIdentity(t)
	kinds := map[string]int{}
	n := runsFor(40)
	first := make([]outcome, n)
	run := func(i int) outcome {
		o := y.run(t, sim.Seeded(uint64(i), 8, acting), together(toyWorkers(true), serverActs))
		require.NoError(t, o.err, "seed %d", i)
		return o
	}
	for i := range n {
		first[i] = run(i)
		for _, d := range first[i].history.Used {
			if d.Class == sim.Fault || d.At.Label == noticed {
				kinds[d.Value.Verb]++
			}
		}
	}
	for i := n - 1; i >= 0; i-- {
		requireSame(t, fmt.Sprintf("seed %d, again after other runs", i), first[i], run(i))
	}
	t.Logf("%d seeds, faults met: %v", n, kinds)
	for _, verb := range []string{"restart", "read-only", "failover", "terminated"} {
		require.NotZero(t, kinds[verb], "no %s among %v", verb, kinds)
	}
}
