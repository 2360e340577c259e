package delivery_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/delivery"
	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/postgres"
)

// play is a stage with books, one channel and its worker.
type play struct {
	*enginetest.Stage
	channel *enginetest.Outside
	worker  *delivery.Worker
}

func open(t *testing.T, name string) play {
	t.Parallel()
	s := server.Open(t)
	s.Books()
	channel := enginetest.NewOutside(name)
	return play{s, channel, newWorker(t, s.Runtime, s.DB, channel)}
}

func newWorker(t *testing.T, rt *enginetest.Runtime, db *postgres.DB, channel engine.Channel) *delivery.Worker {
	w := delivery.New(rt, db, channel, delivery.Config{Limits: engine.Limits{AttemptsMax: 3, CrashesMax: 2}})
	w.Note(func(record engine.Key, err error) { t.Logf("%s: %v", record, err) })
	return w
}

func (p play) pass() int {
	p.T.Helper()
	n, err := p.worker.Pass(p.Ctx)
	require.NoError(p.T, err)
	return n
}

func TestDelivery_AReadyIntentIsSentOnceWithWhatWasStored(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	p.Invoice("in_2", 500)
	intent := p.Intent("email", "in_1", "in_2")
	require.Equal(t, 1, p.pass())
	require.Zero(t, p.pass())
	require.Equal(t, "sent", p.IntentState(intent))
	require.Len(t, p.channel.Sent, 1)
	m := p.channel.Sent[0]
	require.Equal(t, engine.Key(intent+"/1"), m.Key)
	require.Equal(t, "to-email", m.Address)
	require.Equal(t, "in_1 20.14 USD due 2026-03-05;in_2 5.00 USD due 2026-03-05; total 25.14 USD", m.Body)
	require.Equal(t, "to-email Reminder "+m.Body+" m-1 <nil>",
		p.Text(`select address, subject, body, ref, lease_until from recon.intent`))
}

func TestDelivery_AMissingGrantBurnsNothing(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	intent := p.Intent("email", "in_1")
	p.Exec(`revoke select on recon.template from recon_engine`)
	for range 4 {
		require.Zero(t, p.pass())
		p.Advance(time.Hour)
	}
	require.Equal(t, "leased 0 0", p.Text(`select state, attempts, crashes from recon.intent`))
	p.Exec(`grant select on recon.template to recon_engine`)
	p.pass()
	require.Equal(t, "sent", p.IntentState(intent))
}

func TestDelivery_PaidOneSecondBeforeIsSuppressed(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	intent := p.Intent("email", "in_1")
	p.Exec(`update recon.invoice set paid_minor = 2014, state = 'paid'`)
	p.Advance(time.Second)
	p.pass()
	require.Equal(t, "suppressed", p.IntentState(intent))
	require.Empty(t, p.channel.Sent)
	require.Equal(t, "paid", p.Text(`select dropped_why from recon.intent_step`))
}

func TestDelivery_APaidInvoiceIsDroppedFromTheText(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	p.Invoice("in_2", 500)
	p.Intent("email", "in_1", "in_2")
	p.Exec(`update recon.invoice set paid_minor = 2014, state = 'paid' where invoice_id = 'in_1'`)
	p.pass()
	require.Equal(t, "in_2 5.00 USD due 2026-03-05; total 5.00 USD", p.channel.Sent[0].Body)
	require.Equal(t, "in_1 paid\nin_2 ", p.Text(`select invoice_id, dropped_why from recon.intent_step order by 1`))
}

func TestDelivery_AChangedAmountRendersAnewBeforeTheFirstSubmissionAndNeverAfter(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2000)
	p.Intent("email", "in_1")
	p.Exec(`update recon.invoice set paid_minor = 500`)
	p.channel.Answers = []engine.Outcome{{Kind: engine.Throttled, RetryAfter: time.Minute}}
	p.pass()
	require.Contains(t, p.channel.Sent[0].Body, "total 15.00 USD")
	p.Exec(`update recon.invoice set paid_minor = 1500`)
	p.Advance(time.Minute)
	p.pass()
	require.Equal(t, p.channel.Sent[0], p.channel.Sent[1], "the key has its bytes")
	require.Equal(t, "sent 0", p.Text(`select state, attempts from recon.intent`), "throttling burns nothing")
}

func TestDelivery_AfterASureRefusalAPaidInvoiceLeavesTheTextUnderANewKey(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2000)
	p.Invoice("in_2", 500)
	intent := p.Intent("email", "in_1", "in_2")
	p.channel.Answers = []engine.Outcome{{Kind: engine.Failed}}
	p.pass()
	p.Exec(`update recon.invoice set paid_minor = 2000, state = 'paid' where invoice_id = 'in_1'`)
	p.Advance(time.Hour)
	p.pass()
	require.Equal(t, engine.Key(intent+"/2"), p.channel.Sent[1].Key)
	require.NotContains(t, p.channel.Sent[1].Body, "in_1")
	require.Equal(t, "sent 1", p.Text(`select state, attempts from recon.intent`))
}

func TestDelivery_TimeoutAfterAcceptanceIsNotSentTwice(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	intent := p.Intent("email", "in_1")
	p.channel.Answers = []engine.Outcome{{Kind: engine.Unknown, Code: "timeout"}}
	p.pass()
	require.Equal(t, "unknown", p.IntentState(intent))
	require.Zero(t, p.pass(), "not asked in the same instant")
	p.channel.Look = func(engine.Key) (engine.Outcome, error) {
		return engine.Outcome{Kind: engine.Accepted, Ref: "m-7"}, nil
	}
	p.Advance(time.Minute)
	require.Equal(t, 1, p.pass())
	require.Equal(t, "sent m-7", p.Text(`select state, ref from recon.intent`))
	require.Equal(t, []engine.Key{engine.Key(intent + "/1")}, p.channel.Asked)
	require.Len(t, p.channel.Sent, 1)
}

func TestDelivery_AbsentCountsOnlyAfterTheSettlingTimeAndKeepsTheKey(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	intent := p.Intent("email", "in_1")
	p.channel.Answers = []engine.Outcome{{Kind: engine.Unknown}}
	p.pass()
	p.Advance(9 * time.Minute)
	p.pass()
	require.Equal(t, "unknown", p.IntentState(intent))
	require.Zero(t, p.pass())
	p.Advance(time.Minute)
	p.pass()
	require.Equal(t, "ready", p.IntentState(intent))
	p.pass()
	require.Equal(t, "sent", p.IntentState(intent))
	require.Len(t, p.channel.Sent, 2)
	require.Equal(t, p.channel.Sent[0], p.channel.Sent[1])
}

func TestDelivery_TheSameKeyGoesOutAgainOnlyWhileItIsSurelyRemembered(t *testing.T) {
	p := open(t, "push")
	p.channel.Promise.LookUp = false
	p.Invoice("in_1", 2014)
	intent := p.Intent("push", "in_1")
	p.Exec(`update recon.account set payment_lag_max = '90 days'`)
	p.channel.Answers = []engine.Outcome{{Kind: engine.Unknown}, {Kind: engine.Unknown}}
	p.pass()
	p.Advance(23 * time.Hour)
	p.pass()
	require.Len(t, p.channel.Sent, 2)
	require.Equal(t, p.channel.Sent[0], p.channel.Sent[1])
	require.Equal(t, "unknown", p.IntentState(intent))
	p.Advance(time.Hour - 2*time.Minute)
	require.Zero(t, p.pass(), "within the margin it stays for a person")
	require.Len(t, p.channel.Sent, 2)
}

func TestDelivery_AResendThatIsThrottledStaysUnknown(t *testing.T) {
	p := open(t, "push")
	p.channel.Promise.LookUp = false
	p.Invoice("in_1", 2014)
	intent := p.Intent("push", "in_1")
	p.channel.Answers = []engine.Outcome{{Kind: engine.Unknown}, {Kind: engine.Throttled}}
	p.pass()
	p.Advance(time.Minute)
	p.pass()
	require.Len(t, p.channel.Sent, 2)
	require.Equal(t, "unknown", p.IntentState(intent))
}

// The channel accepted, its answer was lost, and to the same key again it says that it has it already.
func TestDelivery_AResendThatIsRefusedStaysUnknownAndIsNotRepeated(t *testing.T) {
	p := open(t, "push")
	p.channel.Promise.LookUp = false
	p.Invoice("in_1", 2014)
	p.Intent("push", "in_1")
	p.channel.Answers = []engine.Outcome{{Kind: engine.Unknown}, {Kind: engine.Rejected, Code: "duplicate"}}
	p.pass()
	p.Advance(time.Minute)
	p.pass()
	require.Equal(t, "unknown rejected duplicate", p.Text(`select state, outcome, outcome_code from recon.intent`))
	p.Advance(time.Hour)
	require.Zero(t, p.pass())
	require.Len(t, p.channel.Sent, 2)
}

func TestDelivery_AChannelWithNeitherLeavesItToAPerson(t *testing.T) {
	p := open(t, "sms")
	p.channel.Promise = engine.Terms{CallTimeout: 30 * time.Second}
	p.Invoice("in_1", 2014)
	intent := p.Intent("sms", "in_1")
	p.channel.Answers = []engine.Outcome{{Kind: engine.Unknown}}
	p.pass()
	for range 5 {
		p.Advance(24 * time.Hour)
		require.Zero(t, p.pass())
	}
	require.Equal(t, "unknown", p.IntentState(intent))
	require.Len(t, p.channel.Sent, 1)
}

func TestDelivery_FullLaneParksAndPassesTheAccountOver(t *testing.T) {
	p := open(t, "email")
	p.Exec(`update recon.lane set capacity = 1 where lane = 'email'`)
	p.Invoice("in_1", 1)
	p.Invoice("in_2", 1)
	var intents []string
	for i := range 3 {
		p.Exec(`insert into recon.step values ('in_1', $1, recon.now())`, fmt.Sprint("extra-", i))
		intents = append(intents, p.Intent("email", "in_1"))
		p.Exec(`update recon.intent_step set step = $1 where intent_id = $2`, fmt.Sprint("extra-", i), intents[i])
	}
	p.Exec(`update recon.intent set attempts = 2 where intent_id in ($1, $2)`, intents[0], intents[1])
	p.Exec(`update recon.intent set next_at = next_at + interval '1 hour' where intent_id = $1`, intents[2])
	p.channel.Answers = []engine.Outcome{{Kind: engine.Failed, Code: "500"}, {Kind: engine.Failed, Code: "500"}}
	require.Equal(t, 2, p.pass())
	require.Equal(t, "dead 1\nparked 1", p.Text(`select state, deaths from recon.intent where deaths > 0 order by 1`))
	require.Equal(t, "email intent:"+intents[0]+" 1 500", p.Text(`select lane, record, death, reason from recon.letter`))
	require.Equal(t, "1", p.Text(`select used from recon.lane where lane = 'email'`))
	p.Advance(2 * time.Hour)
	require.Zero(t, p.pass(), "the account has parked work")
}

func TestDelivery_TextThatCannotBeMadeDiesWithItsErrorAndTheOthersGoOn(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 1)
	p.Invoice("in_2", 1)
	poison, other := p.Intent("email", "in_1"), p.Intent("email", "in_2")
	p.Exec(`insert into recon.template (version_id, channel, kind, subject, body, approved_by, approved_at, retired_at)
		values ('broken', 'email', 'reminder', 's', '{{.Removed}}', 'ann', recon.now(), recon.now())`)
	p.Exec(`update recon.intent set template_version = 'broken' where intent_id = $1`, poison)
	for range 4 {
		p.pass()
		p.Advance(time.Hour)
	}
	require.Equal(t, "dead 3", p.Text(`select state, attempts from recon.intent where intent_id = $1`, poison))
	require.Contains(t, p.Text(`select reason from recon.letter`), "Removed")
	require.Equal(t, "sent", p.IntentState(other))
	require.Len(t, p.channel.Sent, 1)
}

func TestDelivery_APauseStopsTheClaimAndTheSubmission(t *testing.T) {
	p := open(t, "email")
	p.Invoice("in_1", 2014)
	intent := p.Intent("email", "in_1")
	pause := `insert into recon.pause (scope, name, why, until, by_whom, since) values ('channel', 'email', 'outage', recon.now() + interval '1 hour', 'ann', recon.now())`
	p.Exec(pause)
	require.Zero(t, p.pass())
	p.Exec(`delete from recon.pause`)
	claimed, err := p.DB.ClaimIntents(p.Ctx, postgres.ClaimIntents{Channel: "email", Batch: 1})
	require.NoError(t, err)
	require.Len(t, claimed, 1)
	p.Exec(pause)
	p.pass() // takes over its own claim: the answer could have been lost
	require.Equal(t, "ready", p.IntentState(intent))
	require.Empty(t, p.channel.Sent)
	p.Advance(time.Hour)
	p.pass()
	require.Equal(t, "sent", p.IntentState(intent))
}
