package oracle_test

import (
	"testing"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
)

func TestBreaks(t *testing.T) {
	t.Parallel()
	open := set("break", 0, "state", "open")
	finds(t, "breaks", "it is superseded, and what it would correct stands as b1", open, set("correction", 0, "state", "superseded"))
	finds(t, "breaks", "it is refused, and what it would correct stands as b1", open, set("correction", 0, "state", "refused"))
	accepts(t, "breaks", open, set("correction", 0, "state", "refused"), set("audit", 0, "record", "correction:b1/1"))
	finds(t, "breaks", "nothing was asked for it", open, drop("correction", 0))
	accepts(t, "breaks", drop("correction", 0), set("break", 0, "state", "timing"))
	finds(t, "breaks", "and so does", open, also("break", 0, "break_key", "b2", "generation", "2"))
	accepts(t, "breaks", open, also("break", 0, "break_key", "b2", "kind", "fee_differs")) // of one pair, in one envelope

	closed := func(by string) edit {
		return func(v *oracle.View) {
			set("break", 0, "state", "resolved")(v)
			set("break", 0, "closed_by", by)(v)
		}
	}
	finds(t, "breaks", "neither matched a side of it nor found it again", closed("job:acct_1/2026-03-02"))
	accepts(t, "breaks", closed("job:acct_1/2026-03-02"), also("break", 0, "break_key", "b2", "job_id", "acct_1/2026-03-02", "state", "open", "closed_by", ""))
	finds(t, "breaks", "which was not applied to this difference", closed("correction:b1/1"), set("correction", 0, "state", "rejected"))
	accepts(t, "breaks", closed("correction:b1/1"))
	finds(t, "breaks", "no act of \"person:ann\" on it was noted", closed("person:ann"))
	accepts(t, "breaks", closed("person:ann"), set("audit", 0, "record", "break:b1"))
}

func TestAccount(t *testing.T) {
	t.Parallel()
	finds(t, "account", "account:acct_1 is of acct_1, and job:acct_2/2026-03-01 of acct_2", set("break", 0, "closed_by", "job:acct_2/2026-03-01"))
	finds(t, "account", "break:b1 of acct_1", set("correction", 0, "account_id", "acct_2"))
	finds(t, "account", "invoice:i1 of acct_2", set("invoice", 0, "account_id", "acct_2"))
	finds(t, "account", "contact:e1 of acct_2", set("customer", 0, "account_id", "acct_2"))
	accepts(t, "account", set("break", 0, "closed_by", "job:acct_1/2026-03-01"))
}

func TestOwed(t *testing.T) {
	t.Parallel()
	paid := func(booked string) []edit {
		return []edit{
			also("transaction", 2, "business_key", "payment/ch_9", "booked_at", booked),
			also("posting", 5, "business_key", "payment/ch_9", "invoice_id", "i1", "amount_minor", "-1000"),
		}
	}
	finds(t, "owed", "covers i1/due-3, of which nothing was owed", paid("2026-03-02 01:00:00+00")...)
	accepts(t, "owed", paid("2026-03-02 02:00:30+00")...) // while the reconciliation worked
}

func TestLastLine(t *testing.T) {
	t.Parallel()
	refused := func(text string) sim.Entry {
		e := answered("admit-1", "admission", "sql:AdmitBatch")
		e.Text = text
		return e
	}
	finds(t, "last-line", "ERROR 23505 admission_pkey", history(refused("BEGIN, ERROR 23505 admission_pkey")))
	for _, lost := range []string{"ERROR 40P01", "ERROR 57P01", "ERROR 25006", "INSERT 0 1"} {
		accepts(t, "last-line", history(refused(lost)))
	}
}
