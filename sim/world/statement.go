package world

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/recondrill/recondrill/sim"
)

var statementOutcomes = []sim.Value{{}, value("unavailable"), value("pending"), value("truncated")}

// Statement is the itemised payout report of one window. Pending: the window or its lag is not over. A truncated one
// is accepted and not Completed: it does not prove that it is whole. The rows of automatic payouts prove themselves
// for half of the accounts; the others, windows without payouts and empty ones need the word Completed.
func (p *Provider) Statement(ctx context.Context, account, window string) (Answer, []byte) {
	var body []byte
	label := fmt.Sprintf("statement(%s,%s)", account, window)
	a := p.read(ctx, "statement", label, "", statementOutcomes, func(outcome sim.Value, now time.Time) Answer {
		switch outcome.Verb {
		case "unavailable":
			return Answer{Kind: "failed", Code: "unavailable"}
		case "pending":
			return Answer{Kind: "pending", Code: "not_ready"}
		}
		w, err := p.window(account, window)
		if err != nil {
			return Answer{Kind: "rejected", Code: err.Error()}
		}
		if now.Before(w.DueAt) {
			return Answer{Kind: "pending", Code: "not_settled"}
		}
		whole := outcome.Verb != "truncated"
		body = p.statement(account, w, whole)
		return Answer{Kind: "accepted", Found: true, Completed: whole && p.saysCompleted(account, w)}
	})
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

func (p *Provider) statement(account string, w Window, whole bool) []byte {
	if e, ok := p.exports[account]; ok && e.window == w.ID {
		return e.statement(whole)
	}
	rows := rowsOf(p.rows, account, w)
	if !whole {
		rows = truncated(rows)
	}
	return writeCSV(rows, w)
}

// saysCompleted: an account that lets the payouts speak says nothing where they cover every row.
func (p *Provider) saysCompleted(account string, w Window) bool {
	rows := rowsOf(p.rows, account, w)
	covered := len(rows) > 0 && !slices.ContainsFunc(rows, func(r row) bool { return r.Payout == "" })
	return !covered || p.exports[account].window == w.ID || p.w.f.chance("completed/"+account, 5000)
}
