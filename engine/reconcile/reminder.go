package reconcile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// reminders makes one intent for each contact of a channel out of the due pairs that nothing covers. A later
// generation makes none: its newly due pairs wait for the next window. What stands in doubt is born held; the
// database decides that, by the same rule by which it is let go.
func (p *plan) reminders() ([]postgres.PlannedIntent, []postgres.Alarm) {
	if p.job.Generation > 1 {
		return nil, nil
	}
	due := slices.Clone(p.books.Due)
	slices.SortFunc(due, func(a, b postgres.DuePair) int {
		return cmp.Or(strings.Compare(string(a.Channel), string(b.Channel)), strings.Compare(string(a.Contact), string(b.Contact)),
			strings.Compare(string(a.Invoice), string(b.Invoice)), strings.Compare(string(a.Step), string(b.Step)))
	})
	var intents []postgres.PlannedIntent
	var alarms []postgres.Alarm
	silent := map[engine.ChannelName]bool{}
	for _, d := range due {
		switch {
		case p.paidHere(d.Invoice):
			continue
		case d.Template == "":
			if !silent[d.Channel] {
				silent[d.Channel] = true
				alarms = append(alarms, postgres.Alarm{Kind: "content_missing", Subject: "reminder/" + string(d.Channel),
					Detail: "no reminder is approved for the channel; due steps wait for the next window"})
			}
			continue
		}
		if n := len(intents); n == 0 || intents[n-1].Channel != d.Channel || intents[n-1].Contact != d.Contact {
			intents = append(intents, postgres.PlannedIntent{
				ID:       p.job.Claim.Record + "/reminder/" + engine.Key(d.Channel) + "/" + engine.Key(d.Contact),
				Customer: d.Customer, Contact: d.Contact, Channel: d.Channel, Template: d.Template,
			})
		}
		last := &intents[len(intents)-1]
		last.Covers = append(last.Covers, d.Pair)
	}
	return intents, alarms
}

// paidHere: the books still say open, but this plan books what was missing.
func (p *plan) paidHere(id engine.InvoiceID) bool {
	owed := p.owed[id]
	if owed == nil {
		return false
	}
	paid := owed.Paid
	for _, t := range p.bookings {
		for _, line := range t.Postings {
			if line.Invoice == id && line.Book == "receivable" {
				paid -= line.Amount
			}
		}
	}
	return paid >= owed.Amount
}
