package reconcile_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/reconcile"
)

func TestPass_ATickBecomesAnEnvelopeAndReminders(t *testing.T) {
	tn := open(t, reconcile.Config{})
	tn.invoice("inv_1", 2100)
	tn.invoice("inv_2", 3000)
	tn.paid("ch_1", "inv_1", 2100)
	tn.provider.lines["2026-03-01"] = charge("txn_1", "ch_1", "inv_1", "21.00", "0.86", "20.14")
	a := tn.admit(2)
	require.Equal(t, 1, a.Inserted)
	require.Equal(t, 1, tn.pass())
	require.Equal(t, "done 0 <nil>", tn.Text("select state, attempts, lease_until from recon.job"))
	require.Equal(t, "1 1 0", tn.Text("select rows_seen, matched, breaks from recon.envelope"))
	require.Equal(t, "2014 2014 0 0 2014 2014 0 0 2014 2014 0", tn.Text(`select provider_minor, ledger_minor, residual_minor, provider_opening_minor, provider_new_minor,
		provider_matched_minor, provider_closing_minor, ledger_opening_minor, ledger_new_minor, ledger_matched_minor, ledger_closing_minor from recon.envelope_total`))
	require.Equal(t, "fee/txn_1\npayment/ch_1", tn.Text("select business_key from recon.item_match order by 1"))
	require.Equal(t, "acct_1/2026-03-01/reminder/email/acct_1-email ready\nacct_1/2026-03-01/reminder/push/acct_1-push ready\nacct_1/2026-03-01/reminder/sms/acct_1-sms ready",
		tn.Text("select intent_id, state from recon.intent order by 1"))
	require.Equal(t, "inv_2 due-3 3", tn.Text("select invoice_id, step, count(*) from recon.intent_step group by 1, 2"))
	require.Equal(t, "2026-03-01\n2026-03-02", tn.Text("select window_id from recon.window order by 1"), "the next window is written one ahead")
	require.Equal(t, 0, tn.pass())
}

func TestPending_BurnsNothingAndEndsWithAPerson(t *testing.T) {
	tn := open(t, reconcile.Config{PendingEvery: 10 * time.Minute, PendingMax: 24 * time.Hour})
	tn.provider.errs = []error{engine.ErrPending}
	tn.admit(2)
	require.Equal(t, 1, tn.pass())
	require.Equal(t, "ready 0 pending", tn.Text("select state, attempts, last_outcome from recon.job"))
	require.Equal(t, 0, tn.pass())
	tn.Advance(10 * time.Minute)
	tn.provider.unproved = true // and then one that proves nothing
	require.Equal(t, 1, tn.pass())
	require.Equal(t, "ready 0 pending", tn.Text("select state, attempts, last_outcome from recon.job"))
	require.Contains(t, tn.Text("select last_error from recon.job"), "not proved whole")
	tn.Advance(24 * time.Hour)
	tn.pass()
	require.Equal(t, "review 0 pending", tn.Text("select state, attempts, last_outcome from recon.job"))
}

func TestFailure_BacksOffAndThenDies(t *testing.T) { // B45
	tn := open(t, reconcile.Config{AttemptsMax: 3, Backoff: engine.Backoff{Min: time.Minute, Max: time.Hour}})
	broken := errors.New("connection refused")
	tn.provider.errs = []error{broken, broken, broken}
	tn.admit(2)
	for _, want := range []string{"ready 1 true", "ready 2 true", "dead 3 true"} {
		require.Equal(t, 1, tn.pass())
		require.Equal(t, want, tn.Text("select state, attempts, last_error = 'statement: connection refused' from recon.job"))
		require.Equal(t, 0, tn.pass(), "not before its back-off")
		tn.Advance(time.Hour)
	}
	require.Equal(t, "jobs job:acct_1/2026-03-01 1", tn.Text("select lane, record, death from recon.letter"))
}

// A grant that is missing for an hour, or a build ahead of its migration, buries nobody.
func TestFailure_OfTheDatabasesMaintenanceBurnsNothing(t *testing.T) {
	tn := open(t, reconcile.Config{AttemptsMax: 1, CrashesMax: 1})
	tn.admit(2)
	for broken, mended := range map[string]string{
		"revoke insert on recon.envelope from recon_engine":           "grant insert on recon.envelope to recon_engine",
		"alter table recon.break rename column row_kind to kind_of":   "alter table recon.break rename column kind_of to row_kind",
		"alter function recon.now() rename to now_of_another_version": "alter function recon.now_of_another_version() rename to now",
	} {
		tn.provider.lines["2026-03-01"] = charge("txn_1", "ch_1", "", "5.00", "0.00", "5.00")
		tn.Exec(broken)
		_, _ = tn.worker.Pass(tn.Ctx, tn.Ctx)
		tn.Exec(mended)
		require.Equal(t, "0 0", tn.Text("select attempts, crashes from recon.job"), broken)
		require.Contains(t, []string{"ready", "leased"}, tn.Text("select state from recon.job"), broken)
		tn.Advance(time.Hour)
	}
	tn.pass()
	require.Equal(t, "done 0 0", tn.Text("select state, attempts, crashes from recon.job"))
}

func TestFailure_AStatementThatDoesNotReadDiesWithItsLineAndMayBeRedriven(t *testing.T) { // B47
	tn := open(t, reconcile.Config{AttemptsMax: 2})
	tn.provider.lines["2026-03-01"] = charge("txn_1", "ch_1", "", "5.00", "0.00", "7.00")
	tn.admit(2)
	tn.pass()
	tn.Advance(time.Hour)
	tn.pass()
	require.Equal(t, "dead", tn.Text("select state from recon.job"))
	require.Contains(t, tn.Text("select reason from recon.letter"), "acct_1/2026-03-01:2: column net")
	tn.Exec("update recon.job set state = 'ready', attempts = 0") // what a person's redrive does
	tn.provider.lines["2026-03-01"] = ""
	tn.pass()
	require.Equal(t, "done", tn.Text("select state from recon.job"))
}

// B51: claims that ended in a death count, not errors.
func TestCrash_AJobThatKillsItsProcessesDies(t *testing.T) { // B39 B51
	tn := open(t, reconcile.Config{CrashesMax: 2, AttemptsMax: 1})
	tn.admit(2)
	for i := range 2 {
		_, doomed := tn.Process("doomed")
		jobs, err := doomed.ClaimJobs(tn.Ctx, 1)
		require.NoError(t, err)
		require.Len(t, jobs, 1, i)
		require.NoError(t, doomed.BeginJob(tn.Ctx, jobs[0].Claim)) // and dies
		tn.Advance(90 * time.Second)
	}
	tn.pass()
	require.Equal(t, "dead 2 2 processes died while they worked on it", tn.Text("select state, crashes, last_error from recon.job"))
	require.Equal(t, 0, tn.provider.statement)
}

func TestDrain_HandsBackAtOnceAndBurnsNothing(t *testing.T) { // B43 B44
	tn := open(t, reconcile.Config{AttemptsMax: 3})
	tn.admit(2)
	for range 3 { // three deploys in the middle of the same job
		drain := tn.Runtime.Event("drain")
		tn.provider.reading = func(ctx context.Context) {
			drain.Set()
			<-ctx.Done() // the call is not waited for
		}
		require.NoError(t, tn.worker.Run(tn.Ctx, drain))
		require.Equal(t, "ready 0 0 drained", tn.Text("select state, attempts, crashes, last_outcome from recon.job"))
	}
	tn.provider.reading = nil
	rt, db := tn.Process("worker-2")
	n, err := reconcile.New(rt, db, tn.provider, reconcile.Config{}).Pass(tn.Ctx, tn.Ctx)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, "done", tn.Text("select state from recon.job"))
}

// B24: it notices by its own monotonic clock.
func TestLease_AWorkerThatCannotProveItsClaimStopsByItself(t *testing.T) { // B24
	tn := open(t, reconcile.Config{})
	tn.admit(2)
	tn.provider.reading = func(context.Context) { tn.Runtime.Advance(85 * time.Second) }
	tn.pass()
	require.Equal(t, "leased 0", tn.Text("select state, (select count(*) from recon.envelope) from recon.job"), "not a write more, though the database's clock stood still")
}

func TestLease_ALongReadIsRenewedBeforeItsWritesBegin(t *testing.T) {
	tn := open(t, reconcile.Config{})
	tn.admit(2)
	tn.provider.reading = func(context.Context) { tn.Runtime.Advance(60 * time.Second) }
	tn.pass()
	require.Equal(t, "done", tn.Text("select state from recon.job"))
	require.Equal(t, "5", tn.Text("select version from recon.job"), "claimed, begun, renewed, done")
}

func TestLease_WhoLostItTouchesNothing(t *testing.T) { // B21 B25
	tn := open(t, reconcile.Config{})
	tn.admit(2)
	rt, db := tn.Process("worker-2")
	tn.provider.reading = func(context.Context) {
		tn.provider.reading = nil
		tn.Exec("update public.clock set at = at + interval '90 seconds'")
		n, err := reconcile.New(rt, db, tn.provider, reconcile.Config{}).Pass(tn.Ctx, tn.Ctx)
		require.NoError(t, err)
		require.Equal(t, 1, n)
	}
	tn.pass()
	require.Equal(t, "done 1 2", tn.Text("select state, (select count(*) from recon.envelope), fence_number from recon.job"))
	require.Equal(t, "2", tn.Text("select fence_number from recon.envelope"))
}

func TestPass_ABatchIsOneJobAnAccountAndOneFailureStopsNobody(t *testing.T) { // B18
	tn := open(t, reconcile.Config{})
	tn.account("acct_2")
	tn.account("acct_3")
	require.Equal(t, 3, tn.admit(2).Inserted)
	tn.provider.errs = []error{errors.New("one of them fails")}
	require.Equal(t, 3, tn.pass())
	require.Equal(t, "done 2\nready 1", tn.Text("select state, count(*) from recon.job group by 1 order by 1"))
}

func TestContent_WithoutAnApprovedVersionStepsWaitAndAnAlarmRises(t *testing.T) {
	tn := open(t, reconcile.Config{})
	tn.Exec("update recon.template set retired_at = recon.now() where channel = 'sms'")
	tn.invoice("inv_1", 2100)
	tn.admit(2)
	tn.pass()
	require.Equal(t, "email\npush", tn.Text("select channel from recon.intent order by 1"))
	require.Equal(t, "content_missing reminder/sms", tn.Text("select kind, subject from recon.alarm"))
	tn.holds()
}

func TestReminder_AStepIsCoveredOnceWhateverTheWindow(t *testing.T) {
	tn := open(t, reconcile.Config{})
	tn.invoice("inv_1", 2100)
	tn.admit(2)
	tn.pass()
	for day := 3; day <= 5; day++ {
		tn.Advance(24 * time.Hour)
		tn.admit(day)
		tn.pass()
	}
	require.Equal(t, "due-0 acct_1/2026-03-04 3\ndue-3 acct_1/2026-03-01 3", tn.Text(`select s.step, i.job_id, count(*) from recon.intent_step s
		join recon.intent i using (intent_id) group by 1, 2 order by 1`))
	tn.holds()
}
