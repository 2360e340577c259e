package postgres_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/postgres"
)

// pauseBeforeClaim runs once between the decision to claim and the statement's way to the server.
type pauseBeforeClaim struct{ pause func() }

func (p *pauseBeforeClaim) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if pause := p.pause; pause != nil && strings.Contains(q.SQL, "ClaimJobs") {
		p.pause = nil
		pause()
	}
	return ctx
}

func (*pauseBeforeClaim) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// paused is a process that stands still for longer than a lease just before its claim is sent.
func paused(t *testing.T, s *enginetest.Stage, meanwhile func()) (*enginetest.Runtime, *postgres.DB) {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(running.ConnString(s.Text("select current_database()")))
	require.NoError(t, err)
	cfg.ConnConfig.RuntimeParams["role"] = "recon_engine"
	rt := enginetest.NewRuntime(200)
	cfg.ConnConfig.Tracer = &pauseBeforeClaim{func() {
		rt.Advance(100 * time.Second)
		s.Exec("update public.clock set at = at + interval '100 seconds'")
		s.Exec("update recon.member set beat_at = recon.now()") // hearts are tasks of their own
		meanwhile()
	}}
	db, err := postgres.Open(s.Ctx, rt, cfg, postgres.Options{Member: "paused", HeartbeatDead: time.Hour})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return rt, db
}

// B36: a pause between the wish to claim and the write never makes a lease that is over when it is written.
func TestClaim_AfterAPauseItsLeaseIsCountedFromTheWriteAndItsOwnStopFromTheWish(t *testing.T) {
	s := server.Open(t)
	jobs(s, "a")
	rt, db := paused(t, s, func() {})
	got := claimOne(t, db)
	require.Equal(t, enginetest.Morning.Add(190*time.Second), got.Claim.Until.UTC(), "the whole lease")
	_, other := s.Process("worker-2")
	require.Empty(t, claim(t, other, 1), "one winner")
	require.Less(t, got.Claim.StopAt, rt.Mono(), "and who paused does not trust the time it had")
}

// B36: the other half; who writes first in the pause has it.
func TestClaim_WhoWritesInThePauseOfAnotherHasTheJob(t *testing.T) {
	s := server.Open(t)
	jobs(s, "a")
	_, other := s.Process("worker-2")
	_, db := paused(t, s, func() { require.Len(t, claim(t, other, 1), 1) })
	require.Empty(t, claim(t, db, 1))
	require.Equal(t, other.Member()+" 1", s.Text("select leased_by, fence_number from recon.job"))
}
