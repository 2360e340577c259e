package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/postgres"
)

// slow is a stage on which a claim can be held between its snapshot and its first row lock: it has seen the jobs as
// they were, and writes when it is let go.
type slow struct{ *enginetest.Stage }

const slowLock = "740021"

func slowed(s *enginetest.Stage) slow {
	s.Exec(`create table public.slow (is_on boolean not null)`)
	s.Exec(`insert into public.slow values (false)`)
	s.Exec(`grant select on public.slow to public`)
	s.Exec(`create or replace function recon.provider_pause(p_account text) returns text language plpgsql volatile as $$
		begin
			if (select is_on from public.slow) then perform pg_advisory_xact_lock_shared(` + slowLock + `); end if;
			return '';
		end $$`)
	s.Exec(`select pg_advisory_lock(` + slowLock + `)`)
	return slow{s}
}

// claims starts a claim, which hangs with its snapshot taken when this returns. Those that start later are not held.
func (s slow) claims(db *postgres.DB) (found chan []string) {
	s.T.Helper()
	found = make(chan []string, 1)
	s.Exec(`update public.slow set is_on = true`)
	go func() {
		claimed, err := db.ClaimJobs(s.Ctx, 5)
		ids := []string{}
		for _, j := range claimed {
			ids = append(ids, string(j.Claim.Record))
		}
		if err != nil {
			ids = append(ids, err.Error())
		}
		found <- ids
	}()
	waits(s.T, s.Stage, "1")
	s.Exec(`update public.slow set is_on = false`)
	return found
}

func (s slow) letGo() { s.Exec(`select pg_advisory_unlock(` + slowLock + `)`) }

// B21: the holder commits between the rescuer's look and its write.
func TestRescue_AJobThatEndedBetweenTheLookAndTheWriteStaysEnded(t *testing.T) {
	s := slowed(server.Open(t))
	jobs(s.Stage, "a")
	held := claimOne(t, s.DB)
	require.NoError(t, s.DB.BeginJob(t.Context(), held.Claim))
	s.Exec("update public.clock set at = at + interval '10 seconds'") // the holder's heart is silent, its lease lasts
	_, rescuer := s.Process("worker-2")
	found := s.claims(rescuer)
	require.NoError(t, s.DB.FinishJob(t.Context(), held, postgres.Finished{StatementHash: "h"}))
	s.letGo()
	require.Empty(t, <-found)
	require.Equal(t, "done 0 0 1", s.Text("select state, attempts, crashes, fence_number from recon.job"))
	require.Equal(t, "1", s.Text("select count(*) from recon.envelope"))
}

// B21: the variant; the job is given back and claimed again in the same gap.
func TestRescue_AJobThatWasClaimedAnewBetweenTheLookAndTheWriteKeepsItsNewHolder(t *testing.T) {
	s := slowed(server.Open(t))
	jobs(s.Stage, "a")
	held := claimOne(t, s.DB)
	require.NoError(t, s.DB.BeginJob(t.Context(), held.Claim))
	s.Exec("update public.clock set at = at + interval '10 seconds'")
	_, rescuer := s.Process("worker-2")
	found := s.claims(rescuer)
	require.NoError(t, s.DB.HandBackJob(t.Context(), held.Claim, 0, "drained", ""))
	_, started := s.Process("worker-3") // whom the rescuer's snapshot does not know
	fresh := claimOne(t, started)
	s.letGo()
	require.Empty(t, <-found)
	require.Equal(t, started.Member()+" 2 0 0", s.Text("select leased_by, fence_number, attempts, crashes from recon.job"))
	require.NoError(t, started.FinishJob(t.Context(), fresh, postgres.Finished{StatementHash: "h"}))
}

// B25: two rescuers have the same orphan on their list, and only one gets it.
func TestRescue_TwoThatSawTheSameOrphanAreOneHolder(t *testing.T) {
	s := slowed(server.Open(t))
	jobs(s.Stage, "a")
	require.NoError(t, s.DB.BeginJob(t.Context(), claimOne(t, s.DB).Claim))
	s.Exec("update public.clock set at = at + interval '10 seconds'")
	_, first := s.Process("worker-2")
	_, second := s.Process("worker-3")
	late := s.claims(second)
	require.Equal(t, []string{"a/2026-03-01"}, claim(t, first, 5))
	s.letGo()
	require.Empty(t, <-late, "its list was older; what the write itself finds decides")
	require.Equal(t, first.Member()+" 2 1", s.Text("select leased_by, fence_number, crashes from recon.job"), "one crash, counted once")
}
