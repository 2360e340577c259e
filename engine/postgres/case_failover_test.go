package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// What a claim read before a failover may be lost: its result is worth nothing here.
func TestFailover_AReconciliationOfTheOldExistenceIsRefused(t *testing.T) {
	s := server.Open(t)
	jobs(s, "a")
	old := claimOne(t, s.DB)
	s.Failover("promoted")
	require.ErrorIs(t, s.DB.FinishJob(s.Ctx, old, postgres.Finished{StatementHash: "h"}), engine.ErrLeaseLost)
	require.Equal(t, "0", s.Text("select count(*) from recon.envelope"))
	again := claimOne(t, s.DB)
	require.Equal(t, engine.Fence{Incarnation: 2, Number: 2}, again.Claim.Fence)
	require.NoError(t, s.DB.FinishJob(s.Ctx, again, postgres.Finished{StatementHash: "h"}), "reading and reconciling go on before the recovery")
	require.Equal(t, "0 0", s.Text("select attempts, crashes from recon.job"))
}

// The tail lost a claim, and another process claims the record here: the number is the same, the fence is not.
func TestFailover_ALostClaimsFenceFitsNoClaimOfTheNewExistence(t *testing.T) {
	s := server.Open(t)
	jobs(s, "a")
	lost := claimOne(t, s.DB)
	s.Exec("update recon.job set state = 'ready', leased_by = null, lease_until = null, fence_incarnation = 0, fence_number = 0")
	_, other := s.Process("worker-2")
	s.Failover("promoted")
	fresh := claimOne(t, other)
	require.Equal(t, lost.Claim.Fence.Number, fresh.Claim.Fence.Number)
	require.ErrorIs(t, s.DB.HandBackJob(s.Ctx, lost.Claim, 0, "", ""), engine.ErrLeaseLost)
	require.ErrorIs(t, s.DB.FinishJob(s.Ctx, lost, postgres.Finished{StatementHash: "h"}), engine.ErrLeaseLost)
	require.NoError(t, other.FinishJob(s.Ctx, fresh, postgres.Finished{StatementHash: "h"}))
}

// A claim of the old existence submits nothing, before and after the recovery.
func TestFailover_AClaimOfTheOldExistenceSubmitsNothing(t *testing.T) {
	s := server.Open(t)
	s.Books()
	s.Invoice("in_7", 700)
	s.Intent("email", "in_7")
	refund := engine.Key(s.Refund())
	intents, err := s.DB.ClaimIntents(s.Ctx, postgres.ClaimIntents{Channel: "email", Batch: 1, CanLookUp: true})
	require.NoError(t, err)
	corrections, err := s.DB.ClaimCorrections(s.Ctx, postgres.ClaimCorrections{Batch: 1, CanLookUp: true})
	require.NoError(t, err)
	s.Failover("promoted")
	for range 2 {
		_, err = s.DB.SubmitIntent(s.Ctx, intents[0].Claim, engine.IntentLeased, func(f postgres.IntentFacts) postgres.Decision {
			return postgres.Decision{To: engine.IntentSubmitting, Content: postgres.Content{Hash: "h"}}
		})
		require.ErrorIs(t, err, engine.ErrLeaseLost)
		_, err = s.DB.SubmitCorrection(s.Ctx, corrections[0].Claim, engine.CorrectionApproved, func(postgres.CorrectionFacts) postgres.CorrectionDecision {
			return postgres.CorrectionDecision{To: engine.CorrectionSubmitting}
		})
		require.ErrorIs(t, err, engine.ErrLeaseLost)
		_, err = s.DB.Recover(s.Ctx, postgres.Recovery{Since: s.Runtime.Now(), By: "person:ann", Why: "x"})
	}
	require.ErrorIs(t, err, postgres.ErrNothingToRecover)
	require.Equal(t, "leased 1", s.Text("select state, fence_incarnation from recon.intent"))
	require.Equal(t, "approved", s.CorrectionState(string(refund)))
}

// A COMMIT of submitting whose answer a failover took: though it is here, nothing is sent, because the server is another one.
func TestFailover_ALostCommitThatIsFoundOnAnotherServerSendsNothing(t *testing.T) {
	s, w, channel, pass := letters(t)
	w.landed = make(chan struct{}) // whoever lost the COMMIT goes on only when we take this
	w.lose(1)
	close(w.land)
	done := make(chan int, 1)
	go func() { done <- pass() }()
	require.Eventually(t, func() bool { return s.Text("select state from recon.intent") == "submitting" }, 10*time.Second, 5*time.Millisecond)
	s.Failover("promoted")
	<-w.landed
	require.Zero(t, <-done)
	require.Empty(t, channel.Sent)
	require.Equal(t, "submitting", s.Text("select state from recon.intent"), "its lease ends, and it is asked about")
}
