package enginetest

import (
	"fmt"
	"strings"
)

// Books opens account acct_1 in Vienna with yesterday's window reconciled, one customer, and a template a channel.
// Invoices and intents are added by Invoice and Intent.
func (s *Stage) Books() {
	s.T.Helper()
	s.Exec(`insert into recon.account (account_id, zone, provider_lag, created_at) values ('acct_1', 'Europe/Vienna', '4 hours', recon.now())`)
	s.Exec(`insert into recon.customer values ('cust_1', 'acct_1')`)
	s.Exec(`insert into recon.window (account_id, window_id, starts_at, ends_at, due_at) values
		('acct_1', '2026-03-01', '2026-02-28 23:00Z', '2026-03-01 23:00Z', '2026-03-02 03:00Z'),
		('acct_1', '2026-03-02', '2026-03-01 23:00Z', '2026-03-02 23:00Z', '2026-03-03 03:00Z')`)
	s.Exec(`insert into recon.night (night_id, state, opened_at) values ('2026-03-02', 'open', recon.now())`)
	s.Exec(`insert into recon.admission (slot, night_id, token, request_id, correlation_id, bound, selected, inserted, late, admitted_by, admitted_at)
		values ('2026-03-02 03:00Z', '2026-03-02', 'nightly', 'r', 'c', 10, 1, 1, false, 'test', recon.now())`)
	s.Exec(`insert into recon.job (job_id, account_id, window_id, state, slot, next_at, since)
		values ('acct_1/2026-03-01', 'acct_1', '2026-03-01', 'done', '2026-03-02 03:00Z', recon.now(), recon.now())`)
	s.Exec(`insert into recon.envelope (job_id, generation, ordinal, statement_hash, statement_name, rows_seen, matched, breaks, attempt,
		fence_incarnation, fence_number, correlation_id, recorded_at) values ('acct_1/2026-03-01', 1, 1, 'h', 's', 0, 0, 0, 1, 1, 1, 'c', recon.now())`)
	for _, channel := range []string{"email", "sms", "push"} {
		s.Exec(`insert into recon.template (version_id, channel, kind, subject, body, approved_by, approved_at)
			values ('t-' || $1, $1, 'reminder', 'Reminder', $2, 'person:ann', recon.now())`, channel,
			`{{range .Invoices}}{{.ID}} {{.Open}} {{.Currency}} due {{.DueOn}};{{end}}{{range .Totals}} total {{.Amount}} {{.Currency}}{{end}}`)
		s.Exec(`insert into recon.contact (contact_id, customer_id, channel) values ('c-' || $1, 'cust_1', $1)`, channel)
		s.Exec(`insert into recon.contact_address values ('c-' || $1, 'to-' || $1)`, channel)
	}
}

// Invoice adds an open one with a step "due-3".
func (s *Stage) Invoice(id string, minor int64) {
	s.T.Helper()
	s.Exec(`insert into recon.invoice (invoice_id, account_id, customer_id, currency, amount_minor, due_at)
		values ($1, 'acct_1', 'cust_1', 'USD', $2, '2026-03-04 23:00Z')`, id, minor)
	s.Exec(`insert into recon.step (invoice_id, step, due_at) values ($1, 'due-3', recon.now())`, id)
}

// Intent adds a ready reminder of acct_1 on a channel for invoices, and gives its id. More than one on a channel need
// different contacts: the second goes to contact c-<channel>-2, and so on.
func (s *Stage) Intent(channel string, invoices ...string) string {
	s.T.Helper()
	contact := "c-" + channel
	if n := s.Text(`select count(*) from recon.intent where channel = $1`, channel); n != "0" {
		contact = fmt.Sprintf("c-%s-%s", channel, n)
		s.Exec(`insert into recon.contact (contact_id, customer_id, channel) values ($1, 'cust_1', $2)`, contact, channel)
		s.Exec(`insert into recon.contact_address values ($1, 'to-' || $1)`, contact)
	}
	id := strings.Join([]string{"acct_1/2026-03-01", "reminder", channel, contact}, "/")
	s.Exec(`insert into recon.intent (intent_id, job_id, generation, account_id, customer_id, contact_id, kind, channel, state,
			idempotency_key, template_version, next_at, since)
		values ($1, 'acct_1/2026-03-01', 1, 'acct_1', 'cust_1', $2, 'reminder', $3, 'ready', $1 || '/1', 't-' || $3, recon.now(), recon.now())`,
		id, contact, channel)
	for _, invoice := range invoices {
		s.Exec(`insert into recon.intent_step (invoice_id, step, channel, contact_id, intent_id) values ($1, 'due-3', $2, $3, $4)`,
			invoice, channel, contact, id)
	}
	return id
}

// IntentState is state, act number and attempts.
func (s *Stage) IntentState(id string) string {
	s.T.Helper()
	return s.Text(`select state from recon.intent where intent_id = $1`, id)
}
