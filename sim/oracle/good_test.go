package oracle_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/recondrill/recondrill/sim/world"
)

// tabled reads a table written for people: the header, then rows, columns apart by |.
func tabled(text string) pg.Table {
	var t pg.Table
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		cells := strings.Split(line, "|")
		for j := range cells {
			cells[j] = strings.TrimSpace(cells[j])
		}
		if i == 0 {
			t.Columns = cells
			continue
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

var day = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

func at(clock string) time.Time {
	t, err := time.Parse("15:04:05", clock)
	if err != nil {
		panic(err)
	}
	return day.Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second)
}

// good is the end of a run in which everything went well: acct_1 was reconciled, a payment made twice was refunded, a
// reminder went out by e-mail, and one by SMS was given up; acct_2 died, acct_3 was parked because the lane was full.
func good() oracle.View {
	v := oracle.View{Settled: true, Limits: oracle.Limits{Epoch: day, Now: at("06:00:00"), Lease: 90 * time.Second, LeaseMin: time.Minute, LeaseMargin: 5 * time.Second, Silent: 5 * time.Minute,
		Slots: []time.Time{at("02:00:00")}, PaymentLag: 36 * time.Hour,
		Caps: &oracle.Caps{LocalMax: 1000, RefundMax: 5000, NumberMax: 2, MoneyMax: 5000, BrokenFrom: 2, BrokenPercents: 25},
		Terms: map[string]world.Terms{"provider": {Keyed: true, LookUp: true, KeyRetention: time.Hour, Settling: 5 * time.Minute},
			"email": {Keyed: true, KeyRetention: time.Hour, Settling: 5 * time.Minute}, "sms": {LookUp: true, Settling: 5 * time.Minute}}}}
	v.Tables = pg.Tables{
		"recon.window": tabled(`account_id | window_id | starts_at | ends_at | due_at | skipped_by
			acct_1 | 2026-03-01 | 2026-03-01 00:00:00+00 | 2026-03-02 00:00:00+00 | 2026-03-02 01:00:00+00 | \N
			acct_1 | 2026-03-02 | 2026-03-02 00:00:00+00 | 2026-03-03 00:00:00+00 | 2026-03-03 01:00:00+00 | \N
			acct_2 | 2026-03-01 | 2026-03-01 00:00:00+00 | 2026-03-02 00:00:00+00 | 2026-03-02 01:00:00+00 | \N
			acct_3 | 2026-03-01 | 2026-03-01 00:00:00+00 | 2026-03-02 00:00:00+00 | 2026-03-02 01:00:00+00 | \N`),
		"recon.night": tabled(`night_id | state | closed_at
			2026-03-02 | closed | 2026-03-02 02:00:10.5+00`),
		"recon.admission": tabled(`slot | bound | selected | inserted
			2026-03-02 02:00:00+00 | 10 | 3 | 3`),
		"recon.job": tabled(`job_id | account_id | window_id | state | slot | generation | deaths | fence_incarnation | fence_number | version | since
			acct_1/2026-03-01 | acct_1 | 2026-03-01 | done | 2026-03-02 02:00:00+00 | 1 | 0 | 1 | 2 | 4 | 2026-03-02 02:01:00+00
			acct_2/2026-03-01 | acct_2 | 2026-03-01 | dead | 2026-03-02 02:00:00+00 | 1 | 1 | 1 | 5 | 4 | 2026-03-02 02:02:00+00
			acct_3/2026-03-01 | acct_3 | 2026-03-01 | parked | 2026-03-02 02:00:00+00 | 1 | 1 | 1 | 5 | 4 | 2026-03-02 02:03:00+00`),
		"recon.lane": tabled(`lane | capacity | used
			jobs | 1 | 1
			email | 1000 | 0`),
		"recon.letter": tabled(`lane | record | death | died_at | redriven_at
			jobs | job:acct_2/2026-03-01 | 1 | 2026-03-02 02:02:00+00 | \N`),
		"recon.envelope": tabled(`job_id | generation | statement_hash | rows_seen | fence_incarnation | fence_number | recorded_at | ordinal
			acct_1/2026-03-01 | 1 | aa | 2 | 1 | 2 | 2026-03-02 02:01:00+00 | 1`),
		"recon.envelope_total": tabled(`job_id | generation | currency | provider_minor | ledger_minor | residual_minor | provider_opening_minor | provider_new_minor | provider_matched_minor | provider_closing_minor | ledger_opening_minor | ledger_new_minor | ledger_matched_minor | ledger_closing_minor
			acct_1/2026-03-01 | 1 | USD | 4028 | 2014 | 2014 | 0 | 4028 | 2014 | 2014 | 0 | 2014 | 2014 | 0`),
		"recon.break": tabled(`break_key | job_id | generation | account_id | window_id | kind | state | currency | residual_minor | row_id | item_key | business_ref | grace_until | closed_by | version | since
			b1 | acct_1/2026-03-01 | 1 | acct_1 | 2026-03-01 | duplicate_at_provider | resolved | USD | 2014 | txn_2 | | i2 | \N | correction:b1/1 | 2 | 2026-03-02 02:05:00+00`),
		"recon.correction": tabled(`correction_id | break_key | act | act_number | idempotency_key | payment_ref | business_ref | currency | amount_minor | state | approved_by | deaths | version | submitted_at | since | account_id | job_id | ref
			b1/1 | b1 | refund | 1 | refund/acct_1/ch_2/1 | ch_2 | i2 | USD | 2100 | applied | policy:auto-refund | 0 | 6 | 2026-03-02 02:03:59+00 | 2026-03-02 02:05:00+00 | acct_1 | acct_1/2026-03-01 | re_1`),
		"recon.customer": tabled(`customer_id | account_id
			c1 | acct_1`),
		"recon.contact": tabled(`contact_id | customer_id | channel | opted_out | invalid
			e1 | c1 | email | f | f
			s1 | c1 | sms | f | f`),
		"recon.invoice": tabled(`invoice_id | account_id | customer_id | currency | amount_minor | paid_minor | state
			i1 | acct_1 | c1 | USD | 1000 | 0 | open
			i2 | acct_1 | c1 | USD | 2100 | 2100 | paid`),
		"recon.step": tabled(`invoice_id | step | due_at
			i1 | due-3 | 2026-03-01 09:00:00+00
			i1 | due-0 | 2026-03-04 09:00:00+00
			i2 | due-3 | 2026-03-01 09:00:00+00`),
		"recon.template": tabled(`version_id | channel | kind | retired_at
			t1 | email | reminder | \N
			t2 | sms | reminder | \N`),
		"recon.intent": tabled(`intent_id | job_id | generation | contact_id | kind | channel | state | idempotency_key | deaths | version | submitted_at | since | account_id | customer_id
			acct_1/2026-03-01/reminder/email/e1 | acct_1/2026-03-01 | 1 | e1 | reminder | email | sent | acct_1/2026-03-01/reminder/email/e1/1 | 0 | 4 | 2026-03-02 02:01:30+00 | 2026-03-02 02:01:31+00 | acct_1 | c1
			acct_1/2026-03-01/reminder/sms/s1 | acct_1/2026-03-01 | 1 | s1 | reminder | sms | given_up | acct_1/2026-03-01/reminder/sms/s1/1 | 0 | 5 | 2026-03-02 02:01:30+00 | 2026-03-02 05:00:00+00 | acct_1 | c1`),
		"recon.intent_step": tabled(`invoice_id | step | channel | contact_id | intent_id | dropped_why
			i1 | due-3 | email | e1 | acct_1/2026-03-01/reminder/email/e1 |
			i1 | due-3 | sms | s1 | acct_1/2026-03-01/reminder/sms/s1 |`),
		"recon.transaction": tabled(`business_key | kind | provider_ref | booked_at | break_key | account_id
			invoice/i1 | invoice | | 2026-03-01 00:00:00+00 | | acct_1
			invoice/i2 | invoice | | 2026-03-01 00:00:00+00 | | acct_1
			payment/ch_1 | payment | ch_1 | 2026-03-01 22:00:00+00 | | acct_1
			refund/re_1 | refund_overpayment | re_1 | 2026-03-02 02:05:00+00 | b1 | acct_1
			payment/ch_2 | payment | ch_2 | 2026-03-02 02:01:00+00 | b1 | acct_1`),
		"recon.posting": tabled(`business_key | line | book | invoice_id | currency | amount_minor | account_id
			invoice/i1 | 1 | receivable | i1 | USD | 1000 | acct_1
			invoice/i1 | 2 | revenue | \N | USD | -1000 | acct_1
			invoice/i2 | 1 | receivable | i2 | USD | 2100 | acct_1
			invoice/i2 | 2 | revenue | \N | USD | -2100 | acct_1
			payment/ch_1 | 1 | clearing | \N | USD | 2100 | acct_1
			payment/ch_1 | 2 | receivable | i2 | USD | -2100 | acct_1
			refund/re_1 | 1 | receivable | i2 | USD | 2100 | acct_1
			refund/re_1 | 2 | clearing | \N | USD | -2100 | acct_1
			payment/ch_2 | 1 | clearing | \N | USD | 2100 | acct_1
			payment/ch_2 | 2 | receivable | i2 | USD | -2100 | acct_1`),
		"recon.audit": tabled(`audit_id | at | actor | act | record | version | detail
			1 | 2026-03-02 01:00:00+00 | person:ann | pause | pause:channel:email | 0 |
			2 | 2026-03-02 01:30:00+00 | person:ann | resume | pause:channel:email | 0 |
			3 | 2026-03-02 00:30:00+00 | person:ann | set_capacity | lane:jobs | 0 | 1: x
			4 | 2026-03-02 05:00:00+00 | person:ann | give_up | intent:acct_1/2026-03-01/reminder/sms/s1 | 4 |`),
		"recon.alarm": tabled(`kind | subject | raised_at | cleared_at
			lane_full | jobs | 2026-03-02 02:03:00+00 | \N`),
		"recon.receipt": tabled(`channel | receipt_id | intent_id | kind | at | received_at
			email | r1 | acct_1/2026-03-01/reminder/email/e1 | delivered | 2026-03-02 02:01:50+00 | 2026-03-02 02:02:00+00`),
	}
	v.Earlier = pg.Tables{"recon.transaction": v.Tables["recon.transaction"], "recon.posting": v.Tables["recon.posting"]}
	v.Truth = &world.Truth{
		Payments: []world.Payment{{Ref: "ch_1", Account: "acct_1", Invoice: "i2", Currency: "USD", AmountMinor: 2100, At: at("00:00:00").Add(-3 * time.Hour)},
			{Ref: "ch_2", Account: "acct_1", Invoice: "i2", Currency: "USD", AmountMinor: 2100, At: at("00:00:00").Add(-2 * time.Hour)}},
		Refunds: []world.Refund{{Ref: "re_1", PaymentRef: "ch_2", Account: "acct_1", Currency: "USD", AmountMinor: 2100, Key: "refund/acct_1/ch_2/1", At: at("02:04:00")}},
		Messages: []world.Delivered{{MessageID: "m1", Channel: "email", Contact: "e1", Account: "acct_1", Key: "acct_1/2026-03-01/reminder/email/e1/1",
			BodyHash: "b", At: at("02:01:31")}},
		Receipts: []world.Brought{{BroughtAt: at("02:02:00"), Receipt: world.Receipt{Channel: "email", ID: "r1", MessageID: "m1", Key: "acct_1/2026-03-01/reminder/email/e1/1",
			Contact: "e1", Kind: "delivered", At: at("02:01:50")}}},
		Planted:   []world.Planted{{Account: "acct_1", Window: "2026-03-01", Kind: "duplicate_at_provider", Currency: "USD", Residual: 2014, ProviderRef: "ch_2", Asks: "refund"}},
		Statement: []world.StatementTotal{{Account: "acct_1", Window: "2026-03-01", Currency: "USD", Rows: 2, NetMinor: 4028}},
		Calls: []world.Call{
			{At: at("02:00:30"), Caller: task("worker-1", "acct_1/2026-03-01"), Service: "provider", What: "statement", Label: "statement(acct_1,2026-03-01)", Answer: "accepted"},
			{At: at("02:01:31"), Caller: task("worker-1", "email"), Service: "email", What: "send", Label: "send(e1)", Key: "acct_1/2026-03-01/reminder/email/e1/1", Answer: "accepted", Effect: true},
			{At: at("02:04:00"), Caller: task("worker-1", "refund"), Service: "provider", What: "refund", Label: "refund(ch_2,2100,refund/acct_1/ch_2/1)", Key: "refund/acct_1/ch_2/1", Answer: "accepted", Effect: true},
		},
	}
	v.History = &sim.History{Entries: []sim.Entry{
		answered("worker-1", "reconcile", "sql:ClaimJobs", "acct_1/2026-03-01"),
		asked("worker-1", "acct_1/2026-03-01", "sql:BeginJob"),
		answered("worker-1", "acct_1/2026-03-01", "sql:BeginJob", "acct_1/2026-03-01"),
		called("worker-1", "acct_1/2026-03-01", "call:provider statement(acct_1,2026-03-01)"),
		answered("worker-1", "acct_1/2026-03-01", "sql:begin"),
		answered("worker-1", "acct_1/2026-03-01", "sql:FinishJob", "acct_1/2026-03-01"),
		answered("worker-1", "acct_1/2026-03-01", "sql:commit"),
		after(time.Minute, answered("worker-1", "refund", "sql:ClaimCorrections", "b1/1")),
		after(5*time.Minute, answered("worker-1", "refund", "sql:FinishCorrection", "b1/1")),
		answered("worker-1", "email", "sql:begin"),
		answered("worker-1", "email", "sql:SubmitIntent", "acct_1/2026-03-01/reminder/email/e1"),
		answered("worker-1", "email", "sql:commit"),
		called("worker-1", "email", "call:email send(e1)"),
		{At: 5 * time.Hour, Actor: sim.Bare("operator"), What: oracle.LeftToPerson, Text: "correction:b1/1 applied"},
		answered("operator", "main", "sql:UnsettledJobs", "acct_2/2026-03-01", "acct_3/2026-03-01"),
		answered("operator", "main", "sql:UnsettledCorrections"),
		answered("operator", "main", "sql:UnsettledIntents"),
	}}
	return v
}

func task(process, name string) sim.Actor { return sim.Actor{Process: process, Task: name} }

func answered(process, name, label string, keys ...string) sim.Entry {
	return sim.Entry{Actor: task(process, name), What: "answer", Label: label, Nth: 1, Keys: keys, Rows: len(keys)}
}

func after(at time.Duration, e sim.Entry) sim.Entry {
	e.At = at
	return e
}

func asked(process, name, label string) sim.Entry {
	return sim.Entry{Actor: task(process, name), What: "statement", Label: label, Nth: 1}
}

func called(process, name, label string) sim.Entry {
	return sim.Entry{Actor: task(process, name), What: "call", Label: label, Nth: 1}
}

// edit is one way to spoil a good run.
type edit func(v *oracle.View)

// set writes one cell: table, row, column, value.
func set(table string, row int, column, value string) edit {
	return func(v *oracle.View) {
		t := v.Tables["recon."+table]
		t.Rows[row][t.Col(column)] = value
	}
}

// drop removes a row.
func drop(table string, row int) edit {
	return func(v *oracle.View) {
		t := v.Tables["recon."+table]
		t.Rows = append(append([][]string{}, t.Rows[:row]...), t.Rows[row+1:]...)
		v.Tables["recon."+table] = t
	}
}

// also adds a copy of a row, with some columns changed: column, value, column, value…
func also(table string, row int, changes ...string) edit {
	return func(v *oracle.View) {
		t := v.Tables["recon."+table]
		t.Rows = append(t.Rows, append([]string{}, t.Rows[row]...))
		v.Tables["recon."+table] = t
		for i := 0; i < len(changes); i += 2 {
			set(table, len(t.Rows)-1, changes[i], changes[i+1])(v)
		}
	}
}

func named(t *testing.T, name string) oracle.Oracle {
	t.Helper()
	for _, o := range oracle.All() {
		if o.Name() == name {
			return o
		}
	}
	require.Fail(t, "no oracle "+name)
	return nil
}

// finds spoils a good run and requires the oracle to say so.
func finds(t *testing.T, name, want string, edits ...edit) oracle.Violation {
	t.Helper()
	v := good()
	for _, e := range edits {
		e(&v)
	}
	found := named(t, name).Check(v)
	for _, violation := range found.Violations {
		require.Equal(t, name, violation.Oracle)
		if strings.Contains(violation.Text, want) {
			return violation
		}
	}
	require.Fail(t, "not found: "+want, "%+v", found.Violations)
	return oracle.Violation{}
}

// accepts spoils nothing: the oracle must stay silent.
func accepts(t *testing.T, name string, edits ...edit) {
	t.Helper()
	v := good()
	for _, e := range edits {
		e(&v)
	}
	require.Empty(t, named(t, name).Check(v).Violations)
}

func TestAll_AGoodRunIsLookedAtAndPasses(t *testing.T) {
	t.Parallel()
	for _, o := range oracle.All() {
		found := o.Check(good())
		require.Empty(t, found.Violations, o.Name())
		require.Positive(t, found.Checked, o.Name())
	}
}

func TestAll_AnEmptyRunIsNeitherBrokenNorChecked(t *testing.T) {
	t.Parallel()
	for _, o := range oracle.All() {
		found := o.Check(oracle.View{Settled: true})
		require.Empty(t, found.Violations, o.Name())
		require.Zero(t, found.Checked, o.Name())
	}
}

func TestAll_NamesAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, o := range oracle.All() {
		require.False(t, seen[o.Name()], o.Name())
		seen[o.Name()] = true
	}
}

func TestAll_WhatCannotBeReadIsAViolation(t *testing.T) {
	t.Parallel()
	finds(t, "residual", "which is no whole number", set("break", 0, "residual_minor", "lots"))
	finds(t, "conservation", "which is no time", set("window", 0, "starts_at", "yesterday"))
}
