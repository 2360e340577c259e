package delivery_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

var heldMax = postgres.HeldMax{Invoice: 24 * time.Hour, Reminder: 24 * time.Hour, Confirmation: 24 * time.Hour}

// addBreak adds an open break of the reconciled job with a business reference.
func (p play) addBreak(ref string) {
	p.Exec(`insert into recon.break (break_key, job_id, generation, account_id, window_id, kind, state, row_kind, currency, residual_minor,
		business_ref, since) values ('b1', 'acct_1/2026-03-01', 1, 'acct_1', '2026-03-01', 'missing_in_ledger', 'open', 'charge', 'USD', 5,
		$1, recon.now())`, ref)
}

func TestDoubt_AnOpenBreakHoldsUntilItIsGone(t *testing.T) {
	for _, ref := range []string{"in_1", "", "no-invoice-of-ours"} {
		t.Run("ref "+ref, func(t *testing.T) {
			p := open(t, "email")
			p.Invoice("in_1", 2014)
			intent := p.Intent("email", "in_1")
			p.addBreak(ref)
			p.pass()
			require.Equal(t, "held", p.IntentState(intent))
			require.Equal(t, "open break b1", p.Text(`select held_why from recon.intent`))
			moved, err := p.DB.SettleHeld(p.Ctx, heldMax, 10)
			require.NoError(t, err)
			require.Empty(t, moved)
			p.Exec(`update recon.break set state = 'resolved'`)
			moved, err = p.DB.SettleHeld(p.Ctx, heldMax, 10)
			require.NoError(t, err)
			require.Len(t, moved, 1)
			p.pass()
			require.Equal(t, "sent", p.IntentState(intent))
		})
	}
}

func TestDoubt_ABreakOfAnotherInvoiceHoldsNothing(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	p.Invoice("in_2", 1)
	intent := p.Intent("email", "in_1")
	p.addBreak("in_2")
	p.pass()
	require.Equal(t, "sent", p.IntentState(intent))
}

func TestDoubt_PaymentLagHoldsAndTheLimitGivesItToAPerson(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	intent := p.Intent("email", "in_1")
	p.Advance(27 * time.Hour) // known until 23:00Z, and 36 h later it is 11:00Z
	require.Equal(t, 1, p.pass())
	require.Equal(t, "held", p.IntentState(intent))
	require.Contains(t, p.Text(`select held_why from recon.intent`), "known only until 2026-03-01 23:00")
	p.Advance(24 * time.Hour)
	moved, err := p.DB.SettleHeld(p.Ctx, heldMax, 10)
	require.NoError(t, err)
	require.Len(t, moved, 1)
	require.Equal(t, "review", p.IntentState(intent))
}

func TestDoubt_ALaterReconciledWindowDoesNotMakeAnEarlierOneKnown(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	p.Exec(`insert into recon.window (account_id, window_id, starts_at, ends_at, due_at) values
		('acct_1', '2026-02-28', '2026-02-27 23:00Z', '2026-02-28 23:00Z', '2026-03-01 03:00Z')`)
	intent := p.Intent("email", "in_1")
	p.Advance(3 * time.Hour)
	p.pass()
	require.Equal(t, "held", p.IntentState(intent))
}

func TestDoubt_AHeldOneThatIsPaidIsSuppressed(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	intent := p.Intent("email", "in_1")
	p.addBreak("in_1")
	p.pass()
	p.Exec(`update recon.invoice set state = 'paid', paid_minor = 2014`)
	_, err := p.DB.SettleHeld(p.Ctx, heldMax, 10)
	require.NoError(t, err)
	require.Equal(t, "suppressed", p.IntentState(intent))
	require.Empty(t, p.channel.Sent)
}

func TestDoubt_AnUnknownOfADoubtfulInvoiceIsNotSentAgain(t *testing.T) {
	p := open(t, "push")
	p.channel.Promise.LookUp = false
	p.Invoice("in_1", 2014)
	intent := p.Intent("push", "in_1")
	p.channel.Answers = []engine.Outcome{{Kind: engine.Unknown}}
	p.pass()
	p.addBreak("in_1")
	p.Advance(time.Minute)
	require.Equal(t, 1, p.pass())
	require.Equal(t, "unknown", p.IntentState(intent))
	require.Len(t, p.channel.Sent, 1)
}
