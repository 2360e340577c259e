package delivery

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

var rule = rules{failed: time.Second, askEvery: time.Minute, resendWithin: time.Hour, exponents: engine.ISO4217}

func facts(pairs ...postgres.Pair) postgres.IntentFacts {
	return postgres.IntentFacts{From: engine.IntentLeased, Kind: "reminder", Address: "a@example.org", Now: noon, Pairs: pairs,
		Template: postgres.Template{Version: "v", Subject: "s", Body: "{{range .Invoices}}{{.ID}}={{.Open}} {{end}}{{range .Totals}}{{.Amount}} {{.Currency}}{{end}}"}}
}

func pair(invoice string, minor int64, ended string) postgres.Pair {
	return postgres.Pair{Invoice: engine.InvoiceID(invoice), Step: "due-3", Currency: "USD", AmountMinor: minor, Ended: ended}
}

func TestCheck_APaidInvoiceIsDroppedAndTheRestRendered(t *testing.T) {
	t.Parallel()
	d := check(facts(pair("in_1", 1000, "paid"), pair("in_2", 250, "")), rule)
	require.Equal(t, engine.IntentSubmitting, d.To)
	require.Equal(t, "in_2=2.50 2.50 USD", d.Content.Body)
	require.Len(t, d.Dropped, 1)
	require.False(t, d.NewAct, "nothing was submitted under the key yet")
}

func TestCheck_NothingLeftIsSuppressed(t *testing.T) {
	t.Parallel()
	d := check(facts(pair("in_1", 1000, "paid"), pair("in_2", 1, "cancelled")), rule)
	require.Equal(t, engine.IntentSuppressed, d.To)
	require.Equal(t, "paid", d.Why)
	require.Len(t, d.Dropped, 2)
}

func TestCheck_SubmittedBytesStayUnderTheirKey(t *testing.T) {
	t.Parallel()
	f := facts(pair("in_1", 1000, ""), pair("in_2", 250, ""))
	f.Fixed = check(f, rule).Content
	f.Pairs[0].PaidMinor = 400
	d := check(f, rule)
	require.Equal(t, f.Fixed, d.Content, "a changed amount renders anew before the first submission only")
	require.False(t, d.NewAct)
	f.Pairs[0].Ended = "paid"
	d = check(f, rule)
	require.True(t, d.NewAct, "other text needs another key")
	require.Equal(t, "in_2=2.50 2.50 USD", d.Content.Body)
}

func TestCheck_WhatStopsIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why  string
		make func(*postgres.IntentFacts)
		to   engine.IntentState
	}{
		{"opted out", func(f *postgres.IntentFacts) { f.OptedOut = true }, engine.IntentSuppressed},
		{"address erased", func(f *postgres.IntentFacts) { f.Address = "" }, engine.IntentSuppressed},
		{"paused", func(f *postgres.IntentFacts) { f.Paused = "paused" }, engine.IntentReady},
		{"open break", func(f *postgres.IntentFacts) { f.Doubt = "open break" }, engine.IntentHeld},
	} {
		f := facts(pair("in_1", 1000, ""))
		c.make(&f)
		d := check(f, rule)
		require.Equal(t, c.to, d.To, c.why)
		require.Equal(t, c.why, d.Why)
		require.True(t, engine.MayTake(engine.Intents(), engine.IntentLeased, d.To, engine.RoleWorker))
		require.False(t, d.Burns)
	}
}

func TestCheck_TextThatCannotBeMadeBurnsAnAttempt(t *testing.T) {
	t.Parallel()
	f := facts(pair("in_1", 1000, ""))
	f.Template.Body = "{{.Nonsense}}"
	d := check(f, rule)
	require.Equal(t, engine.IntentReady, d.To)
	require.True(t, d.Burns)
	require.Contains(t, d.Why, "Nonsense")
}

func TestCheck_AnUnknownIsNeverSuppressedAndNeverChanged(t *testing.T) {
	t.Parallel()
	for _, c := range []func(*postgres.IntentFacts){
		func(f *postgres.IntentFacts) { f.Pairs[0].Ended = "paid" },
		func(f *postgres.IntentFacts) { f.OptedOut = true },
		func(f *postgres.IntentFacts) { f.Paused = "paused" },
		func(f *postgres.IntentFacts) { f.Doubt = "open break" },
		func(f *postgres.IntentFacts) { f.Fixed = postgres.Content{} },
		func(f *postgres.IntentFacts) { f.Now = noon.Add(rule.resendWithin) },
	} {
		f := facts(pair("in_1", 1000, ""))
		f.Fixed, f.FirstSubmittedAt = check(f, rule).Content, noon
		f.From = engine.IntentUnknown
		require.Equal(t, postgres.Decision{To: engine.IntentSubmitting, Content: f.Fixed}, check(f, rule))
		c(&f)
		d := check(f, rule)
		require.Equal(t, engine.IntentUnknown, d.To)
		require.Empty(t, d.Dropped)
		require.Equal(t, rule.askEvery, d.Delay)
	}
}
