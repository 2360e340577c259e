package races_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/examples/races"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/recondrill/recondrill/sim/simtest"
)

var server *pg.Server

func TestMain(m *testing.M) {
	os.Exit(pg.RunTests(m, "races", func(_ context.Context, s *pg.Server) error {
		server = s
		return nil
	}))
}

// persons are processes that do one thing each.
func persons(names []string, do func(ctx context.Context, db *pgxpool.Pool, name string) error) func(*simtest.Run) {
	return func(r *simtest.Run) {
		for _, name := range names {
			r.Process(name, func(ctx context.Context, _ *sim.Process, db *pgxpool.Pool) error { return do(ctx, db, name) })
		}
	}
}

// race is a program that is wrong, or put right.
type race struct {
	name  string
	make  func(fixed bool) simtest.Program
	claim string
	story string // a word of what happens
}

func choose[T any](fixed bool, right, wrong T) T {
	if fixed {
		return right
	}
	return wrong
}

var all = []race{
	{"cap", func(fixed bool) simtest.Program {
		take := choose(fixed, races.TakeSeatLocked, races.TakeSeat)
		return simtest.Program{
			Schema: races.CapSchema,
			Start:  persons([]string{"ann", "bob"}, take),
			Check: func(s *simtest.State) error {
				return s.None("more seats are taken than there are", "select id from event where seats < (select count(*) from seat where event = id)")
			},
		}
	}, "more seats are taken than there are", "Sync"},
	{"phantom", func(fixed bool) simtest.Program {
		book := choose(fixed, races.BookLocked, races.Book)
		return simtest.Program{
			Schema: races.PhantomSchema,
			Start: func(r *simtest.Run) {
				persons([]string{"ann"}, func(ctx context.Context, db *pgxpool.Pool, name string) error { return book(ctx, db, name, 9, 11) })(r)
				persons([]string{"bob"}, func(ctx context.Context, db *pgxpool.Pool, name string) error { return book(ctx, db, name, 10, 12) })(r)
			},
			Check: func(s *simtest.State) error {
				return s.None("the room is booked twice", `select a.person, b.person from booking a join booking b
					on a.person < b.person and a.room = b.room and a.from_hour < b.to_hour and b.from_hour < a.to_hour`)
			},
		}
	}, "the room is booked twice", "goes first"},
	{"onconflict", func(fixed bool) simtest.Program {
		post := choose(fixed, races.PostFixed, races.Post)
		return simtest.Program{
			Schema: races.TagSchema,
			Start: persons([]string{"ann", "bob"}, func(ctx context.Context, db *pgxpool.Pool, name string) error {
				return post(ctx, db, "post of "+name, "go")
			}),
			Check: func(s *simtest.State) error {
				return s.None("a post lost its tag", "select title from post where tag is null order by 1")
			},
		}
	}, "a post lost its tag", "waits for a lock"},
	{"skiplocked", func(fixed bool) simtest.Program {
		drain := choose(fixed, races.DrainFixed, races.Drain)
		return simtest.Program{
			Schema: races.BatchSchema,
			Start: func(r *simtest.Run) { // a single worker: only its own dead self can hold a lock
				r.Process("worker", func(ctx context.Context, p *sim.Process, db *pgxpool.Pool) error { return drain(ctx, db, p) })
			},
			Check: func(s *simtest.State) error {
				return s.None("the batch was closed with work left in it", "select t.id from task t join batch b on b.id = t.batch where closed and not done order by 1")
			},
		}
	}, "the batch was closed with work left in it", "the server does not notice that for"},
	{"lostcommit", func(fixed bool) simtest.Program {
		pay := choose(fixed, races.PayOnce, races.Pay)
		return simtest.Program{
			Schema: races.PaymentSchema,
			Start: persons([]string{"shop"}, func(ctx context.Context, db *pgxpool.Pool, _ string) error {
				return pay(ctx, db, 1)
			}),
			Check: func(s *simtest.State) error {
				return s.None("an order was paid twice", "select order_id from payment group by 1 having count(*) > 1")
			},
		}
	}, "an order was paid twice", "only now the server gets commit"},
}

func TestRaces_TheWrongOneIsFoundAndItsStoryTold(t *testing.T) {
	for _, r := range all {
		t.Run(r.name, func(t *testing.T) {
			p := r.make(false)
			p.Name, p.Server = r.name, server
			result, err := simtest.Search(context.Background(), p)
			require.NoError(t, err)
			require.NotNil(t, result.Failure, "%d runs, %d different ones\n%s", result.Runs, result.Distinct, strings.Join(result.Told, "\n"))
			f := result.Failure
			story := strings.Join(f.Story, "\n")
			t.Logf("run %d by %s, shrunk in %d runs\n%s\n%s", f.Found, f.Rung, f.Shrunk, story, f.Script)
			require.Equal(t, r.claim, f.Claim)
			require.Contains(t, story, r.story)
			require.LessOrEqual(t, len(f.Story), 10)
			require.LessOrEqual(t, len(f.Script.Deviations), 2)
		})
	}
}

func TestRaces_TheRightOneHolds(t *testing.T) {
	for _, r := range all {
		t.Run(r.name, func(t *testing.T) {
			p := r.make(true)
			p.Name, p.Server, p.Runs = r.name, server, 60
			result, err := simtest.Search(context.Background(), p)
			require.NoError(t, err)
			if f := result.Failure; f != nil {
				t.Fatal(strings.Join(f.Story, "\n"), f.Script)
			}
			t.Logf("%d runs, %d different ones\n%s", result.Runs, result.Distinct, strings.Join(result.Told, "\n"))
		})
	}
}
