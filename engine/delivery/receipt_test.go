package delivery_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/delivery"
	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/postgres"
)

func (p play) receipt(id, intent string, kind engine.ReceiptKind) {
	p.T.Helper()
	require.NoError(p.T, delivery.Receipt(p.Ctx, p.DB, engine.Receipt{Channel: p.channel.Name(), ID: id,
		Key: engine.Key(intent + "/1"), Kind: kind, At: enginetest.Morning}))
}

func TestReceipt_TwiceIsOnceAndBouncedHoldsTheNextMessage(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	intent := p.Intent("email", "in_1")
	p.pass()
	p.receipt("r1", intent, engine.Delivered)
	p.receipt("r1", intent, engine.Delivered)
	p.receipt("r2", intent, engine.Bounced)
	require.Equal(t, "2", p.Text(`select count(*) from recon.receipt`))
	require.Equal(t, "true false", p.Text(`select invalid, opted_out from recon.contact where contact_id = 'c-email'`))
	require.Equal(t, "sent", p.IntentState(intent))
	p.Exec(`update recon.intent set state = 'ready' where intent_id = $1`, intent)
	p.pass()
	require.Equal(t, "held contact c-email bounced", p.Text(`select state, held_why from recon.intent`))
}

func TestReceipt_OptedOutSuppressesTheNextMessage(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	intent := p.Intent("email", "in_1")
	p.receipt("r1", intent, engine.OptedOut)
	p.pass()
	require.Equal(t, "suppressed opted out", p.Text(`select state, outcome_code from recon.intent`))
	require.Empty(t, p.channel.Sent)
}

func TestReceipt_EndsTheDoubtOfAChannelThatCannotBeAsked(t *testing.T) {
	p := open(t, "sms")
	p.channel.Promise = engine.Terms{}
	p.Invoice("in_1", 2014)
	intent := p.Intent("sms", "in_1")
	p.channel.Answers = []engine.Outcome{{Kind: engine.Unknown}}
	p.pass()
	p.receipt("r1", intent, engine.Delivered)
	require.Equal(t, "sent", p.IntentState(intent))
}

func TestReceipt_BeforeOurOwnCommitIsNotUndoneByIt(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	intent := p.Intent("email", "in_1")
	p.channel.Before = func() { p.receipt("r1", intent, engine.Delivered) }
	p.channel.Answers = []engine.Outcome{{Kind: engine.Unknown}}
	p.pass()
	require.Equal(t, "sent", p.IntentState(intent))
}

func TestReceipt_OfAKeyThatIsNotOursIsRefused(t *testing.T) {
	p := open(t, "email")
	for _, key := range []engine.Key{"", "nonsense", "acct_1/x/1", "a/0"} {
		err := delivery.Receipt(p.Ctx, p.DB, engine.Receipt{Channel: "email", ID: "r", Key: key, Kind: engine.Delivered, At: enginetest.Morning})
		require.ErrorIs(t, err, postgres.ErrUnknownKey)
	}
}
