package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/delivery"
	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/node"
	"github.com/recondrill/recondrill/engine/postgres"
)

// letters is a stage with one ready reminder, and a delivery worker whose database goes through a wire.
func letters(t *testing.T) (s *enginetest.Stage, w *wire, channel *enginetest.Outside, pass func() int) {
	s = server.Open(t)
	s.Books()
	s.Invoice("in_1", 2014)
	s.Intent("email", "in_1")
	w, db := cut(t, s, short)
	channel = enginetest.NewOutside("email")
	worker := delivery.New(node.NewRuntime(), db, channel, delivery.Config{})
	worker.Note(func(record engine.Key, err error) { t.Logf("%s: %v", record, err) })
	return s, w, channel, func() int {
		n, err := worker.Pass(s.Ctx)
		require.NoError(t, err)
		return n
	}
}

func TestSubmit_ALostCommitThatLandsIsSentOnceAndOnlyAfterItWasFound(t *testing.T) {
	s, w, channel, pass := letters(t)
	w.lose(1)
	done := make(chan int, 1)
	go func() { done <- pass() }()
	waits(t, s, "1")
	require.Empty(t, channel.Sent, "no call before the COMMIT is known")
	close(w.land)
	require.Equal(t, 1, <-done)
	require.Len(t, channel.Sent, 1)
	require.Equal(t, "sent", s.Text("select state from recon.intent"))
}

func TestSubmit_ALostCommitThatNeverLandsSendsNothing(t *testing.T) {
	s, w, channel, pass := letters(t)
	w.drop = true
	w.lose(1)
	done := make(chan int, 1)
	go func() { done <- pass() }()
	waits(t, s, "1")
	close(w.land)
	require.Zero(t, <-done)
	require.Empty(t, channel.Sent)
	require.Equal(t, "leased", s.Text("select state from recon.intent"))
	require.Equal(t, 1, pass(), "the member takes over its own lease")
	require.Equal(t, "sent 0 0", s.Text("select state, attempts, crashes from recon.intent"))
}

func TestFinish_ALostOutcomeIsReadBackAndNotSentAgain(t *testing.T) {
	for _, lands := range []string{"at once", "after the next try", "never"} {
		t.Run(lands, func(t *testing.T) {
			s, w, channel, pass := letters(t)
			channel.Answers = []engine.Outcome{{Kind: engine.Accepted, Ref: "mark-of-the-outcome"}}
			w.what, w.drop = "mark-of-the-outcome", lands == "never"
			if lands != "after the next try" {
				close(w.land)
			}
			w.lose(1)
			require.Equal(t, 1, pass())
			require.Equal(t, "sent mark-of-the-outcome", s.Text("select state, ref from recon.intent"))
			if lands == "after the next try" {
				close(w.land)
			}
			<-w.landed
			require.Equal(t, "sent mark-of-the-outcome", s.Text("select state, ref from recon.intent"))
			require.Len(t, channel.Sent, 1)
		})
	}
}

// passWhile lets the worker run against a transaction that commits only when the worker waits for its locks.
func passWhile(t *testing.T, s *enginetest.Stage, worker *delivery.Worker, sql ...string) {
	t.Helper()
	other, err := pgx.Connect(s.Ctx, running.ConnString(s.Text("select current_database()")))
	require.NoError(t, err)
	defer other.Close(s.Ctx)
	tx, err := other.Begin(s.Ctx)
	require.NoError(t, err)
	for _, statement := range sql {
		_, err = tx.Exec(s.Ctx, statement)
		require.NoError(t, err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := worker.Pass(s.Ctx)
		done <- err
	}()
	waits(t, s, "1")
	require.NoError(t, tx.Commit(s.Ctx))
	require.NoError(t, <-done)
}

func TestSubmit_APaymentThatCommitsWhileWeWaitIsSeen(t *testing.T) {
	s := server.Open(t)
	s.Books()
	s.Invoice("in_1", 2014)
	intent := s.Intent("email", "in_1")
	channel := enginetest.NewOutside("email")
	worker := delivery.New(s.Runtime, s.DB, channel, delivery.Config{})
	passWhile(t, s, worker, "update recon.invoice set paid_minor = 2014, state = 'paid' where invoice_id = 'in_1'")
	require.Equal(t, "suppressed", s.IntentState(intent))
	require.Empty(t, channel.Sent)
}

func TestSubmit_ABreakThatCommitsWhileWeWaitIsSeen(t *testing.T) {
	s := server.Open(t)
	s.Books()
	s.Invoice("in_1", 2014)
	intent := s.Intent("email", "in_1")
	channel := enginetest.NewOutside("email")
	worker := delivery.New(s.Runtime, s.DB, channel, delivery.Config{})
	passWhile(t, s, worker, "update recon.invoice set version = version + 1 where invoice_id = 'in_1'", `insert into recon.break (break_key, job_id, generation, account_id, window_id, kind, state, row_kind, currency, residual_minor,
		business_ref, since) values ('b1', 'acct_1/2026-03-01', 1, 'acct_1', '2026-03-01', 'missing_in_ledger', 'open', 'charge', 'USD', 5, 'in_1', recon.now())`)
	require.Equal(t, "held", s.IntentState(intent))
	require.Empty(t, channel.Sent)
}

func TestBury_ManyAtOnceNeverOverfillTheLane(t *testing.T) {
	s := server.Open(t)
	s.Books()
	s.Exec("update recon.lane set capacity = 2 where lane = 'email'")
	type claimed struct {
		db    *postgres.DB
		claim engine.Claim
	}
	var all []claimed
	for i, invoice := range []string{"in_1", "in_2", "in_3", "in_4"} {
		s.Invoice(invoice, 1)
		s.Intent("email", invoice)
		_, db := s.Process("worker-" + invoice)
		batch, err := db.ClaimIntents(s.Ctx, postgres.ClaimIntents{Channel: "email", Batch: 1})
		require.NoError(t, err)
		require.Len(t, batch, 1, "%d", i)
		all = append(all, claimed{db, batch[0].Claim})
	}
	done := make(chan error, len(all))
	for _, c := range all {
		go func() {
			done <- c.db.FinishIntent(s.Ctx, c.claim, postgres.IntentFinish{From: engine.IntentLeased, To: engine.IntentDead, Code: "500"})
		}()
	}
	for range all {
		require.NoError(t, <-done)
	}
	require.Equal(t, "dead 2\nparked 2", s.Text("select state, count(*) from recon.intent group by state order by 1"))
	require.Equal(t, "2 2", s.Text("select used, (select count(*) from recon.letter) from recon.lane where lane = 'email'"))
}

func TestTemplates_TheNewestIsCurrentAndTheSameContentIsOneVersion(t *testing.T) {
	s := server.Open(t)
	one := postgres.Template{Channel: "email", Kind: "reminder", Subject: "a", Body: "b"}
	two := postgres.Template{Channel: "email", Kind: "reminder", Subject: "a", Body: "c"}
	current := func() string { return s.Text("select version_id from recon.template where retired_at is null") }
	first, err := s.DB.ApproveTemplates(s.Ctx, "person:ann", []postgres.Template{one})
	require.NoError(t, err)
	require.Equal(t, first[0], current())
	second, err := s.DB.ApproveTemplates(s.Ctx, "person:ann", []postgres.Template{two})
	require.NoError(t, err)
	require.Equal(t, second[0], current())
	again, err := s.DB.ApproveTemplates(s.Ctx, "person:ann", []postgres.Template{one})
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Equal(t, first[0], current())
}
