package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// silentThenStarted has a record leased by a silent holder; a rescuer's claim hangs with its snapshot taken, and
// meanwhile a process that this snapshot does not know claims the record. It gives what the rescuer then got.
func (s slow) silentThenStarted(claim func(db *postgres.DB) engine.Key) (record, rescued engine.Key, started *postgres.DB) {
	s.T.Helper()
	record = claim(s.DB)
	s.Exec("update public.clock set at = at + interval '10 seconds'")
	_, rescuer := s.Process("worker-2")
	s.Exec(`update public.slow set is_on = true`)
	found := make(chan engine.Key, 1)
	go func() { found <- claim(rescuer) }()
	waits(s.T, s.Stage, "1")
	s.Exec(`update public.slow set is_on = false`)
	_, started = s.Process("worker-3")
	require.Equal(s.T, record, claim(started))
	s.letGo()
	return record, <-found, started
}

// B21: for corrections.
func TestRescue_ACorrectionThatWasClaimedAnewKeepsItsNewHolder(t *testing.T) {
	st := server.Open(t)
	st.Books()
	st.Refund()
	s := slowed(st)
	record, rescued, started := s.silentThenStarted(func(db *postgres.DB) engine.Key {
		for _, c := range must(db.ClaimCorrections(s.Ctx, postgres.ClaimCorrections{Batch: 1})) {
			return c.Claim.Record
		}
		return ""
	})
	require.NotEqual(t, record, rescued)
	require.Equal(t, started.Member()+" 2 1", s.Text("select leased_by, fence_number, crashes from recon.correction"))
}

// B21: for intents; only a ready one asks for pauses, and so hangs.
func TestRescue_AnIntentThatWasClaimedAnewKeepsItsNewHolder(t *testing.T) {
	st := server.Open(t)
	st.Books()
	s := slowed(st)
	s.Exec(`create or replace function recon.channel_pause(p_account text, p_channel text, p_template text) returns text language plpgsql volatile as
		$$ begin return recon.provider_pause(p_account); end $$`)
	for _, invoice := range []string{"in_1", "in_2"} {
		s.Invoice(invoice, 100)
		s.Intent("email", invoice)
	}
	record, rescued, started := s.silentThenStarted(func(db *postgres.DB) engine.Key {
		for _, i := range must(db.ClaimIntents(s.Ctx, postgres.ClaimIntents{Channel: "email", Batch: 1})) {
			return i.Claim.Record
		}
		return ""
	})
	require.NotEqual(t, record, rescued)
	require.Equal(t, started.Member()+" 2 1", s.Text("select leased_by, fence_number, crashes from recon.intent where intent_id = $1", string(record)))
}
