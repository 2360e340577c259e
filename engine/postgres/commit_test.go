package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/postgres"
)

// short keeps real waiting short.
var short = postgres.Options{ReadBackMax: 10 * time.Second, ReadBackPause: 20 * time.Millisecond}

func TestCommit_OneThatLandsAfterTheReconnectIsFoundUnderTheLock(t *testing.T) {
	s := server.Open(t)
	jobs(s, "a")
	w, db := cut(t, s, short)
	j := claimOne(t, db)
	w.lose(1)
	done := make(chan error, 1)
	go func() { done <- db.FinishJob(s.Ctx, j, postgres.Finished{StatementHash: "h"}) }()
	waits(t, s, "1") // the read-back waits at the row that the COMMIT in flight holds
	select {
	case err := <-done:
		t.Fatalf("answered before the COMMIT landed: %v", err)
	default:
	}
	require.Equal(t, "leased", s.Text("select state from recon.job"), "who reads without the lock is told a lie")
	close(w.land)
	require.NoError(t, <-done)
	require.Equal(t, "done 1", s.Text("select state, (select count(*) from recon.envelope) from recon.job"))
}

func TestCommit_OneThatNeverLandsIsSurelyNotThere(t *testing.T) {
	s := server.Open(t)
	jobs(s, "a")
	w, db := cut(t, s, short)
	w.drop = true
	j := claimOne(t, db)
	w.lose(1)
	done := make(chan error, 1)
	go func() { done <- db.FinishJob(s.Ctx, j, postgres.Finished{StatementHash: "h"}) }()
	waits(t, s, "1")
	close(w.land)
	require.ErrorIs(t, <-done, postgres.ErrNotCommitted)
	require.Equal(t, "leased 0", s.Text("select state, (select count(*) from recon.envelope) from recon.job"))
	require.NoError(t, db.FinishJob(s.Ctx, j, postgres.Finished{StatementHash: "h"}), "the whole may be done again while the claim lasts")
}

func TestCommit_NoAnswerInTimeIsUnknownAndNeverAGuess(t *testing.T) {
	s := server.Open(t)
	jobs(s, "a")
	w, db := cut(t, s, postgres.Options{ReadBackMax: 100 * time.Millisecond, ReadBackPause: 10 * time.Millisecond})
	j := claimOne(t, db)
	w.lose(1)
	require.ErrorIs(t, db.FinishJob(s.Ctx, j, postgres.Finished{StatementHash: "h"}), postgres.ErrCommitUnknown)
	close(w.land)
	<-w.landed
	require.Equal(t, "done", s.Text("select state from recon.job"))
}

func TestCommit_ARefusedOneIsNoDoubt(t *testing.T) {
	s := server.Open(t)
	jobs(s, "a")
	_, db := cut(t, s, short)
	j := claimOne(t, db)
	err := db.FinishJob(s.Ctx, j, postgres.Finished{StatementHash: "h", Totals: []postgres.Total{{Currency: "USD", Provider: 1}}})
	require.Error(t, err)
	require.True(t, postgres.RecordsFault(err), "%v", err)
	require.Equal(t, "leased", s.Text("select state from recon.job"))
}

func TestAdmit_OneWhoseCommitsAllGetLostSaysThatNobodyCanTell(t *testing.T) {
	s := server.Open(t)
	w, db := cut(t, s, short)
	w.drop = true
	close(w.land)
	slot := postgres.Slot{At: enginetest.Morning, Night: "2026-03-02", Token: "nightly", RequestID: "r", CorrelationID: "c", Bound: 10, LateAfter: time.Minute}
	nothing := func([]postgres.Picked) ([]postgres.Window, []postgres.Alarm) { return nil, nil }
	w.lose(3)
	_, err := db.Admit(t.Context(), slot, nothing)
	require.ErrorIs(t, err, postgres.ErrCommitUnknown)
	require.ErrorContains(t, err, "slot 2026-03-02T09:00:00Z of nightly is not there, and may still come to be")
	_, err = db.Admit(t.Context(), slot, nothing)
	require.NoError(t, err)
}

// The answer of a lone write is lost as a COMMIT's is, and what it decided is read back with it.
func TestBury_ALostAnswerStillTellsWhichItWas(t *testing.T) {
	for want, capacity := range map[engine.JobState]int{engine.JobDead: 1, engine.JobParked: 0} {
		s := server.Open(t)
		jobs(s, "a")
		require.NoError(t, s.DB.SetLaneCapacity(t.Context(), postgres.LaneCapacity{Lane: postgres.JobLane, Capacity: capacity, By: "person:ann", Why: "x"}))
		w, db := cut(t, s, short)
		j := claimOne(t, db)
		w.what = "why-it-died"
		w.lose(1)
		close(w.land)
		state, err := db.BuryJob(t.Context(), j.Claim, "why-it-died")
		require.NoError(t, err)
		require.Equal(t, want, state)
		require.Equal(t, string(want)+" 1", s.Text("select state, deaths from recon.job"))
	}
}

func TestFinish_BooksThatMovedSinceTheyWereLoadedAreRefused(t *testing.T) {
	s := server.Open(t)
	jobs(s, "a")
	j := claimOne(t, s.DB)
	s.Exec("update recon.account set reconciled = 1")
	require.ErrorIs(t, s.DB.FinishJob(s.Ctx, j, postgres.Finished{StatementHash: "h"}), postgres.ErrStale)
	require.Equal(t, "leased 1", s.Text("select j.state, a.reconciled from recon.job j join recon.account a using (account_id)"))
}
