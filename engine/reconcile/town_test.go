package reconcile_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/admission"
	"github.com/recondrill/recondrill/engine/calendar"
	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/ledger"
	"github.com/recondrill/recondrill/engine/match"
	"github.com/recondrill/recondrill/engine/postgres"
	"github.com/recondrill/recondrill/engine/reconcile"
)

const header = "automatic_payout_id,balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id,payment_metadata[invoice]\n"

// town is one account in Vienna with customers and invoices, its window of 1 March due, and a provider whose statement
// is written line by line.
type town struct {
	*enginetest.Stage
	provider *provider
	worker   *reconcile.Worker
}

// provider answers statements as it is told.
type provider struct {
	*enginetest.Outside
	mu        sync.Mutex        // errs and statement, which the tasks of a batch share
	lines     map[string]string // by window
	errs      []error           // answered first
	reading   func(context.Context)
	unproved  bool
	statement int // calls
}

func (p *provider) Statement(ctx context.Context, a engine.AccountID, w engine.Window) (engine.RawStatement, error) {
	if p.reading != nil {
		p.reading(ctx)
	}
	if err := ctx.Err(); err != nil {
		return engine.RawStatement{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.statement++
	if len(p.errs) > 0 {
		err := p.errs[0]
		p.errs = p.errs[1:]
		return engine.RawStatement{}, err
	}
	return engine.RawStatement{Name: string(a) + "/" + w.ID, Body: []byte(header + p.lines[w.ID]), Completed: !p.unproved}, nil
}

func open(t *testing.T, c reconcile.Config) *town {
	t.Helper()
	s := server.Open(t)
	if c.Grace == nil {
		c.Grace = []match.KindGrace{}
	}
	p := &provider{Outside: enginetest.NewOutside("provider"), lines: map[string]string{}}
	tn := &town{Stage: s, provider: p, worker: reconcile.New(s.Runtime, s.DB, p, c)}
	tn.worker.Note(func(record engine.Key, err error) { t.Logf("%s: %v", record, err) })
	tn.account("acct_1")
	var templates []postgres.Template
	for _, channel := range []engine.ChannelName{"email", "sms", "push"} {
		templates = append(templates, postgres.Template{Channel: channel, Kind: "reminder", Subject: "Reminder", Body: "Please pay"})
	}
	_, err := s.DB.ApproveTemplates(s.Ctx, "person:ann", templates)
	require.NoError(t, err)
	return tn
}

// account opens one with a customer who has a contact on each channel, and its first window.
func (tn *town) account(id engine.AccountID) {
	tn.T.Helper()
	db, ctx := tn.DB, tn.Ctx
	require.NoError(tn.T, db.AddAccounts(ctx, []postgres.Account{{ID: id, Zone: "Europe/Vienna", ProviderLag: 4 * time.Hour}}))
	customer := engine.CustomerID("cust_of_" + id)
	require.NoError(tn.T, db.AddCustomers(ctx, []postgres.Customer{{ID: customer, Account: id}}))
	var contacts []postgres.Contact
	for _, channel := range []engine.ChannelName{"email", "sms", "push"} {
		contacts = append(contacts, postgres.Contact{ID: engine.ContactID(string(id) + "-" + string(channel)), Customer: customer, Channel: channel, Address: "to " + string(channel)})
	}
	require.NoError(tn.T, db.AddContacts(ctx, contacts))
	require.NoError(tn.T, db.AddWindows(ctx, []postgres.Window{{Account: id, Window: plan(tn.T).First()}}))
}

func plan(t *testing.T) calendar.Plan {
	vienna, err := calendar.Zone("Europe/Vienna")
	require.NoError(t, err)
	return calendar.Plan{Zone: vienna, Unit: calendar.Daily, Anchor: calendar.Date{Year: 2026, Month: 3, Day: 1}, Lag: 4 * time.Hour}
}

// invoice adds one that is due for a reminder.
func (tn *town) invoice(id engine.InvoiceID, minor int64) {
	tn.T.Helper()
	require.NoError(tn.T, tn.DB.AddInvoices(tn.Ctx, []postgres.Invoice{{
		ID: id, Account: "acct_1", Customer: "cust_of_acct_1", Currency: "USD", Amount: minor, Tax: minor / 5,
		IssuedAt: enginetest.Morning.Add(-240 * time.Hour), DueAt: enginetest.Morning.Add(72 * time.Hour),
		Steps: []postgres.Step{{Name: "due-3", DueAt: enginetest.Morning.Add(-time.Hour)}, {Name: "due-0", DueAt: enginetest.Morning.Add(72 * time.Hour)}},
	}}))
}

// paid books a payment as seen.
func (tn *town) paid(ref string, invoice engine.InvoiceID, minor int64) {
	tn.T.Helper()
	fact, err := ledger.Payment{
		Head: ledger.Head{Account: "acct_1", OccurredAt: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)},
		Debt: ledger.Debt{Customer: "cust_of_acct_1", Invoice: invoice}, ProviderRef: ref, Gross: ledger.Money{Currency: "USD", Minor: minor},
	}.Post()
	require.NoError(tn.T, err)
	require.NoError(tn.T, tn.DB.BookFacts(tn.Ctx, []ledger.Transaction{fact}))
}

// charge is a statement line of 1 March: gross and fee in major units.
func charge(txn, ref, invoice, gross, fee, net string) string {
	return strings.Join([]string{"", txn, "2026-03-01 09:00:00", "usd", gross, fee, net, "charge", ref, invoice}, ",") + "\n"
}

func schedule(t *testing.T) admission.Config {
	return admission.Config{Token: "nightly", Schedule: calendar.Schedule{Zone: time.UTC, At: "09:00", Every: time.Hour, Count: 3}}
}

// admit lets the slot of 09:00 on the given day of March in.
func (tn *town) admit(day int) postgres.Admission {
	tn.T.Helper()
	a, err := admission.Admit(tn.Ctx, tn.Runtime, tn.DB, schedule(tn.T), time.Date(2026, 3, day, 9, 0, 0, 0, time.UTC))
	require.NoError(tn.T, err)
	return a
}

func (tn *town) pass() int {
	tn.T.Helper()
	n, err := tn.worker.Pass(tn.Ctx, tn.Ctx)
	require.NoError(tn.T, err)
	return n
}
