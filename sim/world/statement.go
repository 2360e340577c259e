package world

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/recondrill/recondrill/sim"
)

var (
	statementOutcomes = []sim.Value{{}, value("unavailable"), value("pending"), value("truncated"), value(noEffect), value(throttled), value(throttled + " 120s"),
		value("page shift"), value(outage + " 300s"), value(outage + " 1200s"), value(poison)}
	withRows = append(statementOutcomes[:len(statementOutcomes):len(statementOutcomes)], value("empty"))
)

// Statement is the itemised payout report of one window. Pending: the window or its lag is not over. A truncated one
// is accepted and not Completed: it does not prove that it is whole; so is one whose pages shifted while they were
// read, which has a row twice and lacks another, and one that is empty though there are rows. The rows of automatic
// payouts prove themselves for half of the accounts; the others, windows without payouts and empty ones need the word
// Completed.
func (p *Provider) Statement(ctx context.Context, account, window string) (Answer, []byte) {
	var body []byte
	w, unknown := p.window(account, window)
	answer := func(place string, outcome sim.Value, now time.Time) Answer {
		switch {
		case outcome.String() == noEffect:
			return Answer{Kind: "unknown", Code: "timeout"}
		case outcome.Verb == throttled:
			return Answer{Kind: "throttled", Code: "rate_limited", RetryAfter: outcome.Duration()}
		case outcome.Verb == "unavailable":
			return Answer{Kind: "failed", Code: "unavailable"}
		case outcome.Verb == "pending":
			return Answer{Kind: "pending", Code: "not_ready"}
		case unknown != nil:
			return Answer{Kind: "rejected", Code: unknown.Error()}
		case now.Before(w.DueAt):
			return Answer{Kind: "pending", Code: "not_settled"}
		}
		whole := true
		body = p.statement(account, w)
		switch outcome.String() {
		case "truncated":
			body, whole = truncated(body), false
		case "empty":
			body, whole = emptied(body), false
		case "page shift":
			var changed bool
			body, changed = shifted(body)
			if whole = false; changed {
				p.w.mark(p.name, "shifted", place)
			}
		}
		return Answer{Kind: "accepted", Found: true, Completed: whole && p.saysCompleted(account, w)}
	}
	offers := statementOutcomes
	if unknown == nil && len(rowsOf(p.rows, account, w)) > 0 {
		offers = withRows
	}
	a := p.read(ctx, question{what: "statement", label: fmt.Sprintf("statement(%s,%s)", account, window), touches: []string{"account " + account},
		offers: offers, answer: answer})
	if a.Kind != "accepted" {
		body = nil
	}
	return a, body
}

func (p *Provider) window(account, id string) (Window, error) {
	i := slices.IndexFunc(p.w.Accounts, func(a Account) bool { return a.ID == account })
	if i < 0 {
		return Window{}, fmt.Errorf("no account %s", account)
	}
	acc := p.w.Accounts[i]
	for _, w := range acc.Windows {
		if w.ID == id {
			return w, nil
		}
	}
	return day(acc.Zone, id, acc.ProviderLag)
}

func (p *Provider) statement(account string, w Window) []byte {
	if e, ok := p.exports[account]; ok && e.window == w.ID {
		return e.body
	}
	return writeCSV(rowsOf(p.rows, account, w), w)
}

// saysCompleted: an account that lets the payouts speak says nothing where they cover every row.
func (p *Provider) saysCompleted(account string, w Window) bool {
	rows := rowsOf(p.rows, account, w)
	covered := len(rows) > 0 && !slices.ContainsFunc(rows, func(r row) bool { return r.Payout == "" })
	return !covered || p.exports[account].window == w.ID || p.w.f.chance("completed/"+account, 5000)
}
