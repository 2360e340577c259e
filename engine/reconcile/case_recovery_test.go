package reconcile_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/ops"
	"github.com/recondrill/recondrill/engine/reconcile"
)

// damaged is a provider whose statement of one account never reads.
type damaged struct {
	*provider
	account engine.AccountID
}

func (d damaged) Statement(ctx context.Context, a engine.AccountID, w engine.Window) (engine.RawStatement, error) {
	st, err := d.provider.Statement(ctx, a, w)
	if a == d.account {
		st.Body = []byte(header + charge("txn_1", "ch_1", "", "5.00", "0.00", "7.00"))
	}
	return st, err
}

// B18: twenty jobs that a dead process left, and the first of them does not read.
func TestRecovery_APoisonedJobAtTheHeadStopsNoneBehindIt(t *testing.T) {
	tn := open(t, reconcile.Config{})
	for i := 2; i <= 20; i++ {
		tn.account(engine.AccountID(fmt.Sprintf("acct_%d", i)))
	}
	require.Equal(t, 20, tn.admit(2).Inserted)
	_, dead := tn.Process("worker-2")
	claimed, err := dead.ClaimJobs(tn.Ctx, 20)
	require.NoError(t, err)
	require.Len(t, claimed, 20)
	tn.Advance(time.Minute) // the dead one's heart is silent
	tn.worker = reconcile.New(tn.Runtime, tn.DB, damaged{tn.provider, "acct_1"}, reconcile.Config{AttemptsMax: 1})
	for tn.pass() > 0 {
	}
	require.Equal(t, "dead 1\ndone 19", tn.Text("select state, count(*) from recon.job group by 1 order by 1"))
	require.Equal(t, "job:acct_1/2026-03-01", tn.Text("select record from recon.letter"))
	require.Contains(t, tn.Text("select reason from recon.letter"), "acct_1/2026-03-01:2: column net")
}

// B39: one attempt, one crash, and the process dies over it; the account's next window waits behind.
func TestRecovery_TheLastAttemptThatCrashesDiesAndUnblocksItsAccount(t *testing.T) {
	tn := open(t, reconcile.Config{AttemptsMax: 1, CrashesMax: 1})
	tn.admit(2)
	_, doomed := tn.Process("doomed")
	jobs, err := doomed.ClaimJobs(tn.Ctx, 1)
	require.NoError(t, err)
	require.NoError(t, doomed.BeginJob(tn.Ctx, jobs[0].Claim)) // and dies
	tn.Advance(time.Second)
	require.Zero(t, tn.pass(), "nobody knows yet")
	tn.Advance(24 * time.Hour)
	tn.admit(3)
	for tn.pass() > 0 {
	}
	require.Equal(t, "acct_1/2026-03-01 dead 1\nacct_1/2026-03-02 done 0", tn.Text("select job_id, state, crashes from recon.job order by 1"))
	require.Equal(t, "jobs job:acct_1/2026-03-01 1 processes died while they worked on it", tn.Text("select lane, record, reason from recon.letter"))
	require.Equal(t, 1, tn.provider.statement, "what killed a process is not tried again")
}

// B47: what the provider sends does not decode any more; the fix comes with a later build.
func TestRecovery_WhatDoesNotDecodeBacksOffDiesWithItsErrorAndIsRedriven(t *testing.T) {
	limits := reconcile.Config{AttemptsMax: 3, Backoff: engine.Backoff{Min: time.Minute, Max: time.Hour}}
	tn := open(t, limits)
	tn.provider.lines["2026-03-01"] = charge("txn_1", "ch_1", "", "five", "0.00", "5.00")
	tn.admit(2)
	for _, want := range []string{"ready 1", "ready 2", "dead 3"} {
		require.Equal(t, 1, tn.pass())
		require.Equal(t, want, tn.Text("select state, attempts from recon.job"))
		require.Zero(t, tn.pass(), "not before its back-off")
		tn.Advance(time.Hour)
	}
	require.Contains(t, tn.Text("select reason from recon.letter"), `acct_1/2026-03-01:2: column gross`)
	tn.provider.lines["2026-03-01"] = charge("txn_1", "ch_1", "", "5.00", "0.00", "5.00")
	require.Zero(t, tn.pass(), "a dead one waits for a person")
	var version int64
	_, err := fmt.Sscan(tn.Text("select version from recon.job"), &version)
	require.NoError(t, err)
	require.NoError(t, ops.Redrive(tn.Ctx, tn.DB, ops.Act{By: "person:ann", Expect: version, Why: "the parser is mended"}, ops.Job, "acct_1/2026-03-01"))
	require.Equal(t, 1, tn.pass())
	require.Equal(t, "done 0 1", tn.Text("select state, attempts, (select rows_seen from recon.envelope) from recon.job"))
	require.Equal(t, "0 1", tn.Text("select l.used, (select count(*) from recon.letter where redriven_at is not null) from recon.lane l where lane = 'jobs'"))
}
