package node_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/admission"
	"github.com/recondrill/recondrill/engine/calendar"
	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/node"
	"github.com/recondrill/recondrill/engine/postgres"
	"github.com/recondrill/recondrill/engine/reconcile"
)

// reader is a provider whose statement is read until it is let through or its context ends.
type reader struct {
	shop
	reading chan struct{} // gets one for every read that begins
	through chan struct{} // closed: reads end well
}

func (r *reader) Statement(ctx context.Context, a engine.AccountID, _ engine.Window) (engine.RawStatement, error) {
	r.reading <- struct{}{}
	select {
	case <-r.through:
		return engine.RawStatement{Name: string(a), Body: []byte(header), Completed: true}, nil
	case <-ctx.Done():
		return engine.RawStatement{}, ctx.Err()
	}
}

// deployed is a process that only reconciles, with a poll of 10 ms, on the real runtime.
func deployed(t *testing.T, s *enginetest.Stage, name string, r *reader, c node.Config) (*node.Node, chan error) {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(running.ConnString(s.Text("select current_database()")))
	require.NoError(t, err)
	cfg.MaxConns = 4
	cfg.ConnConfig.RuntimeParams["role"] = "recon_engine"
	rt := node.NewRuntime()
	db, err := postgres.Open(s.Ctx, rt, cfg, postgres.Options{Member: name})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	c.Parts = []node.Part{node.Reconcile}
	c.Reconcile = reconcile.Config{PollIdle: 10 * time.Millisecond, AttemptsMax: 3}
	n, err := node.New(rt, db, node.Ports{Provider: r}, c)
	require.NoError(t, err)
	return n, start(t, n)
}

// due opens accounts with one job each.
func due(t *testing.T, s *enginetest.Stage, accounts ...engine.AccountID) {
	t.Helper()
	plan := calendar.Plan{Zone: time.UTC, Unit: calendar.Daily, Anchor: calendar.Date{Year: 2026, Month: 3, Day: 1}}
	for _, a := range accounts {
		require.NoError(t, s.DB.AddAccounts(s.Ctx, []postgres.Account{{ID: a, Zone: "UTC"}}))
		require.NoError(t, s.DB.AddWindows(s.Ctx, []postgres.Window{{Account: a, Window: plan.First()}}))
	}
	slot := enginetest.Morning
	if s.Text("select count(*) from recon.admission") != "0" {
		slot = slot.Add(-time.Hour)
	}
	_, err := admission.Admit(s.Ctx, s.Runtime, s.DB, admission.Config{Token: "nightly",
		Schedule: calendar.Schedule{Zone: time.UTC, At: "08:00", Every: time.Hour, Count: 2}}, slot)
	require.NoError(t, err)
}

func newReader() *reader {
	return &reader{reading: make(chan struct{}, 16), through: make(chan struct{})}
}

// B43: three deploys in the middle of one job, which may fail three times.
// B44: each hands it on in the same stop, and the process beside it has it at its next poll.
func TestDrain_ARollingDeployHandsAJobOnAndBurnsNothing(t *testing.T) {
	s := server.Open(t)
	due(t, s, "a")
	r := newReader()
	running, ended := deployed(t, s, "build-0", r, node.Config{})
	<-r.reading
	for deploy := range 3 {
		next, nextEnded := deployed(t, s, fmt.Sprintf("build-%d", deploy+1), r, node.Config{})
		running.Drain()
		require.NoError(t, <-ended)
		<-r.reading // by the other one; no lease was waited for, for the database's clock stands still
		running, ended = next, nextEnded
	}
	require.Equal(t, "leased 0 0  4", s.Text("select state, attempts, crashes, last_error, fence_number from recon.job"))
	close(r.through)
	until(t, s, "select state, attempts, crashes from recon.job", "done 0 0")
	running.Drain()
	require.NoError(t, <-ended)
}

// B23: the beats of a process fail for longer than its leases last.
func TestHeart_WhoIsNotHeardClaimsNothingMore(t *testing.T) {
	s := server.Open(t)
	due(t, s, "a")
	r := newReader()
	silent := make(chan struct{})
	var once sync.Once
	n, ended := deployed(t, s, "worker-2", r, node.Config{Heartbeat: 50 * time.Millisecond, SilentMax: 500 * time.Millisecond,
		Note: func(p node.Part, _ engine.Key, err error) {
			if p == "heartbeat" && strings.Contains(err.Error(), "not heard") {
				once.Do(func() { close(silent) })
			}
		}})
	<-r.reading
	// A sequence keeps what a refused statement has counted.
	s.Exec(`create sequence public.beats`)
	s.Exec(`grant usage on sequence public.beats to public`)
	s.Exec(`create function public.refuse() returns trigger language plpgsql as
		$$ begin perform nextval('public.beats'); raise exception 'the beat is not heard'; end $$`)
	s.Exec(`create trigger refuse before update on recon.member for each row execute function public.refuse()`)
	<-silent // its read is aborted by then
	due(t, s, "b")
	tried := s.Text("select last_value + 5 from public.beats")
	until(t, s, "select last_value >= "+tried+" from public.beats", "true") // 25 polls would have passed
	require.Equal(t, "ready 0", s.Text("select state, fence_number from recon.job where account_id = 'b'"))
	require.Equal(t, "0", s.Text("select count(*) from recon.envelope"))
	close(r.through)
	s.Exec(`drop trigger refuse on recon.member`)
	until(t, s, "select count(*) from recon.job where state = 'done'", "2")
	n.Drain()
	require.NoError(t, <-ended)
}
