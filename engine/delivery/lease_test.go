package delivery_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/postgres"
)

func (p play) claim(db *postgres.DB) []postgres.ClaimedIntent {
	p.T.Helper()
	claimed, err := db.ClaimIntents(p.Ctx, postgres.ClaimIntents{Channel: p.channel.Name(), Batch: 10, CanLookUp: true})
	require.NoError(p.T, err)
	return claimed
}

// asIs submits what was stored or a fixed text.
func asIs(postgres.IntentFacts) postgres.Decision {
	return postgres.Decision{To: engine.IntentSubmitting, Content: postgres.Content{Address: "a", Body: "b", Hash: "h"}}
}

func TestLease_ThatEndsInSubmittingIsUnknownAndNeverSentBlindly(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	intent := p.Intent("email", "in_1")
	_, dead := p.Process("worker-2")
	claimed := p.claim(dead)
	_, err := dead.SubmitIntent(p.Ctx, claimed[0].Claim, engine.IntentLeased, asIs)
	require.NoError(t, err)
	require.Equal(t, "submitting", p.IntentState(intent))
	p.Advance(time.Minute)
	require.Zero(t, p.pass(), "its heart is silent, but the lease governs a call")
	p.channel.Look = func(engine.Key) (engine.Outcome, error) { return engine.Outcome{Kind: engine.Pending}, nil }
	p.Advance(time.Minute)
	require.Equal(t, 1, p.pass())
	require.Equal(t, "unknown 0", p.Text(`select state, crashes from recon.intent`))
	require.Empty(t, p.channel.Sent)
	err = dead.FinishIntent(p.Ctx, claimed[0].Claim, postgres.IntentFinish{From: engine.IntentSubmitting, To: engine.IntentSent})
	require.ErrorIs(t, err, engine.ErrLeaseLost)
}

func TestLease_AStaleWorkerWritesNothing(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	p.Intent("email", "in_1")
	_, stale := p.Process("worker-2")
	old := p.claim(stale)[0]
	p.Advance(2 * time.Minute)
	fresh := p.claim(p.DB)
	require.Len(t, fresh, 1)
	before := p.Text(`select * from recon.intent`)
	_, err := stale.SubmitIntent(p.Ctx, old.Claim, engine.IntentLeased, asIs)
	require.ErrorIs(t, err, engine.ErrLeaseLost)
	for _, to := range []engine.IntentState{engine.IntentReady, engine.IntentDead, engine.IntentHeld} {
		err = stale.FinishIntent(p.Ctx, old.Claim, postgres.IntentFinish{From: engine.IntentLeased, To: to})
		require.ErrorIs(t, err, engine.ErrLeaseLost)
	}
	require.NoError(t, stale.HandBackIntents(p.Ctx, []engine.Claim{old.Claim}))
	require.Equal(t, before, p.Text(`select * from recon.intent`))
}

func TestLease_TwoWorkersNeverSubmitOneIntent(t *testing.T) {
	p := open(t, "email")
	for _, invoice := range []string{"in_1", "in_2", "in_3", "in_4", "in_5", "in_6"} {
		p.Invoice(invoice, 1)
		p.Intent("email", invoice)
	}
	rt, db := p.Process("worker-2")
	other := enginetest.NewOutside("email")
	workers := []interface {
		Pass(context.Context) (int, error)
	}{p.worker, newWorker(t, rt, db, other)}
	var all sync.WaitGroup
	for _, w := range workers {
		all.Go(func() {
			for range 4 {
				_, _ = w.Pass(p.Ctx)
			}
		})
	}
	all.Wait()
	require.Equal(t, 6, len(p.channel.Sent)+len(other.Sent))
	require.Equal(t, "6", p.Text(`select count(*) from recon.intent where state = 'sent'`))
}

func TestLease_AnEndedOneIsTakenOverByOneOnly(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 1)
	p.Intent("email", "in_1")
	_, gone := p.Process("worker-1") // the same name is not the same process
	require.Len(t, p.claim(gone), 1)
	_, second := p.Process("worker-2")
	_, third := p.Process("worker-3")
	require.Empty(t, append(p.claim(second), p.claim(third)...), "its heart still beats")
	p.Advance(11 * time.Second)
	for _, db := range []*postgres.DB{second, third} {
		_, err := db.Beat(p.Ctx)
		require.NoError(t, err)
	}
	found := make(chan int, 2)
	for _, db := range []*postgres.DB{second, third} {
		go func() {
			claimed, _ := db.ClaimIntents(p.Ctx, postgres.ClaimIntents{Channel: "email", Batch: 10})
			found <- len(claimed)
		}()
	}
	require.Equal(t, 1, <-found+<-found)
	require.Equal(t, "leased 2", p.Text(`select state, fence_number from recon.intent`))
}

func TestLease_AProcessThatDiedAfterTheCallIsFollowedByTheSameKeyAndBytes(t *testing.T) {
	p := open(t, "push")
	p.channel.Promise.LookUp = false
	p.Invoice("in_1", 2014)
	intent := p.Intent("push", "in_1")
	_, dead := p.Process("worker-2")
	done, err := dead.SubmitIntent(p.Ctx, p.claim(dead)[0].Claim, engine.IntentLeased, asIs)
	require.NoError(t, err)
	p.channel.Send(p.Ctx, done.Message) // accepted; the process dies before it can say so
	p.Exec(`update recon.invoice set paid_minor = 14`)
	p.Advance(2 * time.Minute)
	require.Equal(t, 1, p.pass())
	require.Equal(t, "sent", p.IntentState(intent))
	require.Len(t, p.channel.Sent, 2)
	require.Equal(t, p.channel.Sent[0], p.channel.Sent[1], "a keyed channel makes one message of the two")
}

func TestLease_ACrashCountsOnlyWhatWasBegunAndIsThenClaimedAlone(t *testing.T) {
	p := open(t, "email")
	for _, invoice := range []string{"in_1", "in_2", "in_3"} {
		p.Invoice(invoice, 1)
		p.Intent("email", invoice)
	}
	poison := p.Text(`select intent_id from recon.intent order by 1 limit 1`)
	for life := range 2 {
		_, doomed := p.Process("worker-2")
		claimed := p.claim(doomed)
		require.Len(t, claimed, []int{3, 1}[life], "a record that has seen a crash is claimed alone")
		require.Equal(t, poison, string(claimed[0].Claim.Record))
		p.Advance(11 * time.Second) // its heart is silent: what is merely leased is free
	}
	require.Equal(t, 1, p.pass())
	require.Equal(t, "dead 2 its process died over it too often; before: ", p.Text(`select state, crashes, outcome_code from recon.intent where intent_id = $1`, poison))
	require.Empty(t, p.channel.Sent)
	require.Equal(t, 2, p.pass())
	require.Len(t, p.channel.Sent, 2)
	require.Equal(t, "0", p.Text(`select max(crashes) from recon.intent where intent_id <> $1`, poison))
}

func TestLease_NoCallBeginsThatMayOutliveIt(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	intent := p.Intent("email", "in_1")
	p.channel.Promise.CallTimeout = 89 * time.Second
	p.pass()
	require.Empty(t, p.channel.Sent)
	require.Equal(t, "ready 0", p.Text(`select state, attempts from recon.intent where intent_id = $1`, intent), "surely not sent, nothing burnt")
}

func TestLease_AWorkerThatStalledAfterItsClaimSubmitsNothing(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	p.Invoice("in_2", 2014)
	p.Intent("email", "in_1")
	p.Intent("email", "in_2")
	p.channel.Before = func() { p.Advance(86 * time.Second) }
	require.Equal(t, 1, p.pass())
	require.Len(t, p.channel.Sent, 1, "the second claim had run out on our own clock")
	require.Equal(t, "leased\nsent", p.Text(`select state from recon.intent order by 1`))
}

func TestDrain_HandsBackWhatIsOnlyLeasedAndBurnsNothing(t *testing.T) {
	p := open(t, "email")
	for _, invoice := range []string{"in_1", "in_2", "in_3"} {
		p.Invoice(invoice, 1)
		p.Intent("email", invoice)
	}
	drain := p.Runtime.Event("drain")
	p.channel.Before = func() {
		drain.Set()
		require.Eventually(t, p.worker.Draining, 10*time.Second, time.Millisecond)
	}
	require.NoError(t, p.worker.Run(p.Ctx, drain))
	require.Len(t, p.channel.Sent, 1)
	require.Equal(t, "ready 0 <nil>\nready 0 <nil>\nsent 0 <nil>", p.Text(`select state, attempts, leased_by from recon.intent order by 1`))
}
