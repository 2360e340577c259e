package simtest_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/recondrill/recondrill/sim/simtest"
)

var server *pg.Server

func TestMain(m *testing.M) {
	os.Exit(pg.RunTests(m, "simtest", func(_ context.Context, s *pg.Server) error {
		server = s
		return nil
	}))
}

// counter is a program of two processes that each add one to a counter, once.
func counter(add func(ctx context.Context, p *sim.Process, db *pgxpool.Pool) error) simtest.Program {
	return simtest.Program{
		Name:   "counter",
		Server: server,
		Schema: "create table counter (id int primary key, n int not null); insert into counter values (1, 0)",
		Start: func(r *simtest.Run) {
			r.Process("ann", add)
			r.Process("bob", add)
		},
		Check: func(s *simtest.State) error {
			if !s.Settled {
				return s.None("it counted too far", "select n from counter where n > 2")
			}
			return s.None("an increment is lost", "select n from counter where n < 2")
		},
		Without: []string{"kill", "late", "cut", "commit", "terminated"},
		Runs:    120,
	}
}

// readThenWrite is the lost update.
func readThenWrite(ctx context.Context, _ *sim.Process, db *pgxpool.Pool) error {
	var n int
	if err := db.QueryRow(ctx, "-- name: Read :one\nselect n from counter where id = 1").Scan(&n); err != nil {
		return err
	}
	_, err := db.Exec(ctx, "-- name: Write :exec\nupdate counter set n = $1 where id = 1", n+1)
	return err
}

// inOne is right as long as nobody dies.
func inOne(ctx context.Context, _ *sim.Process, db *pgxpool.Pool) error {
	_, err := db.Exec(ctx, "-- name: Add :exec\nupdate counter set n = n + 1 where id = 1")
	return err
}

// recorder is a test that may fail.
type recorder struct {
	testing.TB
	lines   []string
	cleanup []func()
	failed  bool
}

// record runs do as a test of its own, with a directory of its own to write to.
func record(t *testing.T, do func(t testing.TB)) *recorder {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() { // Fatalf ends the goroutine
		defer close(done)
		defer func() {
			for _, f := range r.cleanup {
				f()
			}
		}()
		do(r)
	}()
	<-done
	return r
}

func (r *recorder) say(s string)                { r.lines = append(r.lines, s) }
func (r *recorder) Helper()                     {}
func (r *recorder) Name() string                { return "TestRecorded" }
func (r *recorder) Cleanup(f func())            { r.cleanup = append(r.cleanup, f) }
func (r *recorder) Failed() bool                { return r.failed }
func (r *recorder) Fail()                       { r.failed = true }
func (r *recorder) FailNow()                    { r.failed = true; runtime.Goexit() }
func (r *recorder) Log(a ...any)                { r.say(fmt.Sprint(a...)) }
func (r *recorder) Logf(f string, a ...any)     { r.say(fmt.Sprintf(f, a...)) }
func (r *recorder) Error(a ...any)              { r.say(fmt.Sprint(a...)); r.Fail() }
func (r *recorder) Errorf(f string, a ...any)   { r.say(fmt.Sprintf(f, a...)); r.Fail() }
func (r *recorder) Fatal(a ...any)              { r.say(fmt.Sprint(a...)); r.FailNow() }
func (r *recorder) Fatalf(f string, a ...any)   { r.say(fmt.Sprintf(f, a...)); r.FailNow() }
func (r *recorder) Setenv(string, string)       {}
func (r *recorder) text() string                { return strings.Join(r.lines, "\n") }
func (r *recorder) Deadline() (time.Time, bool) { return time.Time{}, false }
