package postgres_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/postgres"
)

// jobs makes accounts a, b, c … with one ready job each for 1 March.
func jobs(s *enginetest.Stage, accounts ...string) {
	s.Exec(`insert into recon.night (night_id, state, opened_at) values ('2026-03-02', 'open', recon.now()) on conflict do nothing`)
	s.Exec(`insert into recon.admission (slot, night_id, token, request_id, correlation_id, bound, selected, inserted, late, admitted_by, admitted_at)
		values ('2026-03-02 03:00Z', '2026-03-02', 'nightly', 'r', 'c', 10, 1, 1, false, 'test', recon.now()) on conflict do nothing`)
	for _, a := range accounts {
		s.Exec(`insert into recon.account (account_id, zone, provider_lag, created_at) values ($1, 'UTC', '0', recon.now()) on conflict do nothing`, a)
		job(s, a, "2026-03-01")
	}
}

func job(s *enginetest.Stage, account, window string) {
	s.Exec(`insert into recon.window (account_id, window_id, starts_at, ends_at, due_at) values ($1, $2::text, $2::text::date - 1, $2::text::date, $2::text::date)`, account, window)
	s.Exec(`insert into recon.job (job_id, account_id, window_id, state, slot, next_at, since)
		values ($1::text || '/' || $2::text, $1::text, $2::text, 'ready', '2026-03-02 03:00Z', recon.now(), recon.now())`, account, window)
}

func claim(t *testing.T, db *postgres.DB, batch int) []string {
	t.Helper()
	claimed, err := db.ClaimJobs(t.Context(), batch)
	require.NoError(t, err)
	var ids []string
	for _, j := range claimed {
		ids = append(ids, string(j.Claim.Record))
	}
	return ids
}

func claimOne(t *testing.T, db *postgres.DB) postgres.Job {
	t.Helper()
	claimed, err := db.ClaimJobs(t.Context(), 1)
	require.NoError(t, err)
	require.Len(t, claimed, 1)
	return claimed[0]
}

func TestClaim_EachJobHasOneOwnerAndALeaseByTheDatabasesClock(t *testing.T) {
	s := server.Open(t)
	jobs(s, "c", "a", "b")
	rt, other := s.Process("worker-2")
	rt.Advance(time.Hour) // the hosts' clocks are nobody's business
	require.Equal(t, []string{"a/2026-03-01", "b/2026-03-01"}, claim(t, s.DB, 2))
	got := claimOne(t, other)
	require.Equal(t, engine.Key("c/2026-03-01"), got.Claim.Record)
	require.Equal(t, engine.Fence{Incarnation: 1, Number: 1}, got.Claim.Fence)
	require.Equal(t, enginetest.Morning.Add(90*time.Second), got.Claim.Until.UTC())
	require.Equal(t, time.Hour+85*time.Second, got.Claim.StopAt)
	_, third := s.Process("worker-3")
	require.Empty(t, claim(t, third, 5))
	require.NotEqual(t, s.DB.Member(), other.Member())
}

// B34: a job that is due in six hours is held by nobody until then.
func TestClaim_JobsNotYetDueAreNeverLeased(t *testing.T) { // B34
	s := server.Open(t)
	jobs(s, "a")
	s.Exec("update recon.job set next_at = recon.now() + interval '6 hours'")
	require.Empty(t, claim(t, s.DB, 5))
	s.Advance(6 * time.Hour)
	require.Len(t, claim(t, s.DB, 5), 1)
}

// What an earlier window has not told yet would be missing in a later one: a try that waits holds the account up.
func TestClaim_ALaterWindowWaitsForTheNextTryOfAnEarlierOne(t *testing.T) { // B68
	s := server.Open(t)
	jobs(s, "a")
	job(s, "a", "2026-03-02")
	s.Exec("update recon.job set next_at = recon.now() + interval '1 minute' where job_id = 'a/2026-03-01'")
	require.Empty(t, claim(t, s.DB, 5))
	s.Advance(time.Minute)
	require.Equal(t, []string{"a/2026-03-01"}, claim(t, s.DB, 5))
}

// B28: the name of a dead process is alive again; the age of the lease counts.
func TestClaim_TheSameNameAfterARestartIsAnotherOwner(t *testing.T) { // B02 B28
	s := server.Open(t)
	jobs(s, "a")
	claimOne(t, s.DB)
	_, again := s.Process("worker-1")
	require.NotEqual(t, s.DB.Member(), again.Member())
	require.Empty(t, claim(t, again, 1), "the lease lasts, whoever holds it")
	s.Advance(90 * time.Second)
	require.Equal(t, int64(2), claimOne(t, again).Claim.Fence.Number, "rescued by the age of the lease")
}

func TestClaim_ASilentHolderIsTakenOverBeforeItsLeaseEnds(t *testing.T) {
	s := server.Open(t)
	jobs(s, "a")
	_, other := s.Process("worker-2")
	claimOne(t, s.DB)
	s.Exec("update public.clock set at = at + interval '9 seconds'")
	require.Empty(t, claim(t, other, 1))
	s.Exec("update public.clock set at = at + interval '1 second'")
	got := claimOne(t, other)
	require.Equal(t, 0, got.Crashes, "it had not begun")
}

func TestClaim_ADrainedHolderIsTakenOverAtOnce(t *testing.T) { // B44
	s := server.Open(t)
	jobs(s, "a")
	_, other := s.Process("worker-2")
	claimOne(t, s.DB)
	require.NoError(t, s.DB.Deregister(t.Context()))
	require.Len(t, claim(t, other, 1), 1)
	_, err := s.DB.Beat(t.Context())
	require.ErrorIs(t, err, postgres.ErrDeregistered)
}

// B37: a host three hours ahead of the database looks for leases that have ended.
func TestClaim_AHostsClockNeverEndsALease(t *testing.T) { // B36 B37
	s := server.Open(t)
	jobs(s, "a")
	claimOne(t, s.DB)
	rt, skewed := s.Process("worker-2")
	rt.Advance(3 * time.Hour)
	require.Empty(t, claim(t, skewed, 1))
}

func TestFence_AnOldHolderMayWriteNothingMore(t *testing.T) { // B21 B25
	s := server.Open(t)
	jobs(s, "a")
	old := claimOne(t, s.DB)
	require.NoError(t, s.DB.BeginJob(t.Context(), old.Claim))
	s.Advance(90 * time.Second)
	_, other := s.Process("worker-2")
	fresh := claimOne(t, other)
	require.Equal(t, 1, fresh.Crashes)
	before := s.Text("select * from recon.job")
	ctx := t.Context()
	require.ErrorIs(t, s.DB.BeginJob(ctx, old.Claim), engine.ErrLeaseLost)
	_, err := s.DB.RenewJob(ctx, old.Claim)
	require.ErrorIs(t, err, engine.ErrLeaseLost)
	require.ErrorIs(t, s.DB.HandBackJob(ctx, old.Claim, 0, "drained", ""), engine.ErrLeaseLost)
	require.ErrorIs(t, s.DB.RetryJob(ctx, old.Claim, 0, "x"), engine.ErrLeaseLost)
	require.ErrorIs(t, s.DB.ReviewJob(ctx, old.Claim, "x", "x"), engine.ErrLeaseLost)
	_, err = s.DB.BuryJob(ctx, old.Claim, "x")
	require.ErrorIs(t, err, engine.ErrLeaseLost)
	require.ErrorIs(t, s.DB.FinishJob(ctx, old, postgres.Finished{StatementHash: "h"}), engine.ErrLeaseLost)
	require.Equal(t, before, s.Text("select * from recon.job"))
	require.NoError(t, other.FinishJob(ctx, fresh, postgres.Finished{StatementHash: "h"}))
	require.ErrorIs(t, other.FinishJob(ctx, fresh, postgres.Finished{StatementHash: "h"}), engine.ErrLeaseLost)
	require.Equal(t, "1", s.Text("select count(*) from recon.envelope"))
}

func TestFence_AnEndedLeaseFinishesNothingEvenUnclaimed(t *testing.T) {
	s := server.Open(t)
	jobs(s, "a")
	late := claimOne(t, s.DB)
	s.Advance(90 * time.Second)
	require.ErrorIs(t, s.DB.FinishJob(t.Context(), late, postgres.Finished{StatementHash: "h"}), engine.ErrLeaseLost)
	require.Equal(t, "0", s.Text("select count(*) from recon.envelope"))
}

func TestRenew_MovesBothEnds(t *testing.T) {
	s := server.Open(t)
	jobs(s, "a")
	c := claimOne(t, s.DB).Claim
	s.Advance(time.Minute)
	renewed, err := s.DB.RenewJob(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, c.Until.Add(time.Minute), renewed.Until)
	require.Equal(t, c.StopAt+time.Minute, renewed.StopAt)
	require.Equal(t, c.Fence, renewed.Fence)
}

func TestClaim_AnAccountHasOneJobInWorkAndItsOldestFirst(t *testing.T) {
	s := server.Open(t)
	jobs(s, "a", "b")
	job(s, "a", "2026-02-28")
	_, other := s.Process("worker-2")
	require.Equal(t, []string{"a/2026-02-28", "b/2026-03-01"}, claim(t, s.DB, 5))
	require.Empty(t, claim(t, other, 5))
}

func TestClaim_ALostAnswerIsClaimedAgainByTheSameMember(t *testing.T) {
	s := server.Open(t)
	jobs(s, "a")
	require.NoError(t, s.DB.BeginJob(t.Context(), claimOne(t, s.DB).Claim))
	got := claimOne(t, s.DB)
	require.Equal(t, int64(2), got.Claim.Fence.Number)
	require.Equal(t, 0, got.Crashes, "this process lives")
}

func TestClaim_AJobThatSawACrashIsClaimedAlone(t *testing.T) { // B51
	s := server.Open(t)
	jobs(s, "a", "b", "c")
	_, first := s.Process("worker-2")
	for _, j := range must(first.ClaimJobs(t.Context(), 3)) {
		if j.Account == "a" {
			require.NoError(t, first.BeginJob(t.Context(), j.Claim))
		}
	}
	require.NoError(t, first.Deregister(t.Context()))
	require.Equal(t, []string{"a/2026-03-01"}, claim(t, s.DB, 3), "the suspect is first, and alone")
	_, third := s.Process("worker-3")
	require.Equal(t, []string{"b/2026-03-01", "c/2026-03-01"}, claim(t, third, 3))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestBury_AFullLaneParksAndPassesTheAccountOver(t *testing.T) {
	s := server.Open(t)
	jobs(s, "a", "b")
	job(s, "b", "2026-03-02")
	require.NoError(t, s.DB.SetLaneCapacity(t.Context(), postgres.LaneCapacity{Lane: postgres.JobLane, Capacity: 1, By: "person:ann", Why: "x"}))
	claimed := must(s.DB.ClaimJobs(t.Context(), 2))
	require.Equal(t, engine.JobDead, must(s.DB.BuryJob(t.Context(), claimed[0].Claim, "why a")))
	require.Equal(t, engine.JobParked, must(s.DB.BuryJob(t.Context(), claimed[1].Claim, "why b")))
	require.Equal(t, "jobs job:a/2026-03-01 1 why a", s.Text("select lane, record, death, reason from recon.letter"))
	require.Equal(t, "1 1", s.Text("select capacity, used from recon.lane where lane = 'jobs'"))
	require.Equal(t, []postgres.Alarm{{Kind: "lane_full", Subject: "jobs", Detail: "parked: job:b/2026-03-01"}}, must(s.DB.Alarms(t.Context())))
	require.Equal(t, "dead 1 1\nparked 1 1", s.Text("select state, attempts, deaths from recon.job where state <> 'ready' order by job_id"))
	require.Empty(t, claim(t, s.DB, 5), "b has parked work")
	jobs(s, "c")
	require.Equal(t, []string{"c/2026-03-01"}, claim(t, s.DB, 5), "healthy accounts go on")
	require.ErrorContains(t, s.DB.SetLaneCapacity(t.Context(), postgres.LaneCapacity{Lane: postgres.JobLane, Capacity: 0, By: "person:ann", Why: "x"}), "holds more than 0")
}

func TestBury_ManyAtOnceNeverOverfillALane(t *testing.T) {
	s := server.Open(t)
	var accounts []string
	for i := range 8 {
		accounts = append(accounts, fmt.Sprintf("a%d", i))
	}
	jobs(s, accounts...)
	require.NoError(t, s.DB.SetLaneCapacity(t.Context(), postgres.LaneCapacity{Lane: postgres.JobLane, Capacity: 3, By: "person:ann", Why: "x"}))
	claimed := must(s.DB.ClaimJobs(t.Context(), 8))
	states := make(chan engine.JobState, len(claimed))
	for _, j := range claimed {
		go func() {
			state, err := s.DB.BuryJob(s.Ctx, j.Claim, "x")
			if err != nil {
				state = engine.JobState(err.Error())
			}
			states <- state
		}()
	}
	count := map[engine.JobState]int{}
	for range claimed {
		count[<-states]++
	}
	require.Equal(t, map[engine.JobState]int{engine.JobDead: 3, engine.JobParked: 5}, count)
	require.Equal(t, "3 3", s.Text("select used, (select count(*) from recon.letter) from recon.lane where lane = 'jobs'"))
}

func TestClaim_APauseStopsItUntilItEnds(t *testing.T) {
	for _, scope := range []string{"all", "provider", "account"} {
		s := server.Open(t)
		jobs(s, "a")
		name := ""
		if scope == "account" {
			name = "a"
		}
		s.Exec(`insert into recon.pause (scope, name, why, until, by_whom, since) values ($1, $2, 'x', recon.now() + interval '1 hour', 'person:ann', recon.now())`, scope, name)
		require.Empty(t, claim(t, s.DB, 1), scope)
		s.Advance(time.Hour)
		require.Len(t, claim(t, s.DB, 1), 1, scope)
	}
}

func TestIncarnation_AnotherServerIsTheNextOne(t *testing.T) {
	s := server.Open(t)
	jobs(s, "a")
	s.Exec(`create or replace function recon.server_identity(out system_identifier text, out timeline integer) language sql stable as $$ select 'restored', 2 $$`)
	_, after := s.Process("worker-2")
	require.Equal(t, engine.Fence{Incarnation: 2, Number: 1}, claimOne(t, after).Claim.Fence)
	_, third := s.Process("worker-3")
	_ = third
	require.Equal(t, "1\n2", s.Text("select incarnation from recon.incarnation order by 1"))
}

func TestIncarnation_IsTheServersOwnIdentity(t *testing.T) {
	s := server.Open(t)
	got := s.Text("select system_identifier, timeline from recon.incarnation")
	require.Equal(t, s.Text("select system_identifier::text from pg_control_system()")+" 1", got)
	require.False(t, strings.HasPrefix(got, "0"))
}
