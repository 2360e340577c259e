package oracle

import (
	"github.com/recondrill/recondrill/sim/pg"
)

// account: the work of one account stays in it. What a reconciliation wrote, closed or asked for, who is reminded and of
// what, and what is booked on whose invoice: wherever a row names two things that belong to an account, it is the same one.
func account() Oracle {
	return claim{name: "account", spoil: strayed, check: func(v View, s *seen) {
		owner := owners(v.Tables)
		for _, b := range bonds() {
			for _, r := range rows(v.Tables, b.table) {
				one, known := owner[b.one.name(r)]
				other, too := owner[b.other.name(r)]
				if !known || !too {
					continue // what it names is not there, or it names nothing
				}
				s.look()
				if one != other {
					s.broke(b.table+":"+r.values[0], "%s is of %s, and %s of %s", b.one.name(r), one, b.other.name(r), other)
				}
			}
		}
	}}
}

// bond: what a row of a table names in two of its columns belongs to one account.
type bond struct {
	table      string
	one, other reference
}

// reference is a column and the table whose record it names; without a table the value says so itself: job:…
type reference struct{ column, table string }

func (f reference) name(r row) string {
	if f.table == "" {
		return r.text(f.column)
	}
	return f.table + ":" + r.text(f.column)
}

func bonds() []bond {
	own, job, intent := reference{"account_id", "account"}, reference{"job_id", "job"}, reference{"intent_id", "intent"}
	fact, invoice := reference{"business_key", "transaction"}, reference{"invoice_id", "invoice"}
	customer, contact := reference{"customer_id", "customer"}, reference{"contact_id", "contact"}
	return []bond{
		{"invoice", own, customer}, {"posting", fact, own}, {"posting", fact, invoice},
		{"provider_row", own, reference{"matched_job", "job"}}, {"item_match", fact, job},
		{"break", own, job}, {"break", own, reference{"item_key", "transaction"}}, {"break", own, reference{"closed_by", ""}},
		{"correction", own, job}, {"correction", own, reference{"break_key", "break"}}, {"correction", own, reference{"ref", "transaction"}},
		{"intent", own, job}, {"intent", own, customer}, {"intent", own, contact},
		{"intent_step", intent, invoice}, {"intent_step", intent, contact},
	}
}

// owners are the accounts of everything that has one, by table and id.
func owners(t pg.Tables) map[string]string {
	owner := map[string]string{}
	for table, id := range map[string]string{"customer": "customer_id", "invoice": "invoice_id", "transaction": "business_key", "job": "job_id",
		"break": "break_key", "correction": "correction_id", "intent": "intent_id"} {
		for _, r := range rows(t, table) {
			owner[table+":"+r.text(id)] = r.text("account_id")
			owner["account:"+r.text("account_id")] = r.text("account_id")
		}
	}
	for _, c := range rows(t, "contact") {
		owner["contact:"+c.text("contact_id")] = owner["customer:"+c.text("customer_id")]
	}
	return owner
}

// strayed lets what a reconciliation found have been closed by the job of another account.
func strayed(v *View) bool {
	for _, b := range rows(v.Tables, "break") {
		for _, job := range rows(v.Tables, "job") {
			if job.text("account_id") != b.text("account_id") {
				b.set("closed_by", "job:"+job.text("job_id"))
				return true
			}
		}
	}
	return false
}
