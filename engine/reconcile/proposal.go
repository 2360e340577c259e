package reconcile

import (
	"fmt"
	"slices"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/ledger"
	"github.com/recondrill/recondrill/engine/postgres"
)

// wish is what a break asks for. Automatic ones are carried out by policy unless a cap is reached.
type wish struct {
	at        int // index into breaks
	act       engine.CorrectionKind
	amount    int64
	automatic bool
	row       engine.Row
	invoice   *invoice // whose payment the row is; nil = not known
}

// propose walks the breaks, the earliest payment first, and finds what each asks for.
//
//	duplicate_at_provider, another payment of a paid invoice   refund, and the payment is booked as seen
//	missing_in_ledger, a payment whose reference we know       local posting
//	missing_in_ledger, no word we know for it                  suspense, and a person's task
//	everything else                                            a person's task
func (p *plan) propose() {
	order := make([]int, len(p.breaks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return p.rows[p.breaks[a].RowID].OccurredAt.Compare(p.rows[p.breaks[b].RowID].OccurredAt)
	})
	for _, i := range order {
		b := &p.breaks[i]
		if b.State != engine.BreakOpen || p.askedBefore(b.Break) {
			continue
		}
		r, hasRow := p.rows[b.RowID]
		switch {
		case !hasRow || b.ItemKey != "":
			p.wishes = append(p.wishes, wish{at: i, act: engine.CorrectionTask, amount: b.Residual})
		case b.Kind == engine.DuplicateAtProvider || b.Kind == engine.MissingInLedger:
			p.wishes = append(p.wishes, p.wishOf(i, r))
		default:
			p.wishes = append(p.wishes, wish{at: i, act: engine.CorrectionTask, amount: b.Residual, row: r})
		}
	}
}

// wishOf is what a row asks for that the ledger does not have.
func (p *plan) wishOf(at int, r engine.Row) wish {
	b := &p.breaks[at]
	task := wish{at: at, act: engine.CorrectionTask, amount: b.Residual, row: r}
	if r.Kind != engine.Charge || r.Amount <= 0 || r.ProviderRef == "" || p.booked(factKey(r)) || p.promised[factKey(r)] {
		return task // the provider shows one object twice, or not a payment at all
	}
	owed := p.owed[engine.InvoiceID(r.BusinessRef)]
	if owed != nil && owed.Currency != r.Currency {
		return task
	}
	duplicate := b.Kind == engine.DuplicateAtProvider
	if owed != nil && !duplicate && owed.Paid+p.paid[owed.ID] >= owed.Amount {
		b.Kind = engine.DuplicateAtProvider // paid already by another payment, in this window or an earlier one
		b.Key = p.breakKey(b.Break)
		duplicate = true
	}
	if owed != nil && duplicate && owed.Paid+p.paid[owed.ID]+r.Amount <= owed.Amount {
		b.Kind = engine.MissingInLedger // an equal instalment of what is still open, no duplicate
		b.Key = p.breakKey(b.Break)
		duplicate = false
	}
	p.promised[factKey(r)] = duplicate || owed != nil
	switch {
	case duplicate:
		return wish{at: at, act: engine.CorrectionRefund, amount: r.Amount, automatic: owed != nil, row: r, invoice: owed}
	case owed != nil:
		p.paid[owed.ID] += r.Amount
		return wish{at: at, act: engine.CorrectionPosting, amount: r.Amount, automatic: true, row: r, invoice: owed}
	}
	return task
}

// askedBefore: an earlier envelope had the same difference open, and asked for it.
func (p *plan) askedBefore(b engine.Break) bool {
	for _, old := range p.books.Breaks {
		if sameDifference(old.Break, b) && old.State == engine.BreakOpen {
			return true
		}
	}
	return false
}

func sameDifference(a, b engine.Break) bool { return a.RowID == b.RowID && a.ItemKey == b.ItemKey }

func (p *plan) wantsAutomatic() bool {
	for _, w := range p.wishes {
		if w.automatic {
			return true
		}
	}
	return false
}

// cappedAlarm says of an account that it was above a cap. The account's next envelope that is not above one clears it.
const cappedAlarm = "corrections_capped"

// grant decides which wishes policy carries out. Above a cap nothing automatic happens, and one alarm says so.
func (p *plan) grant(policy Policy, today []postgres.Automatic) []postgres.Alarm {
	number, money, days, daysMoney := 0, int64(0), 0, int64(0)
	for _, t := range today {
		days += t.Number
		daysMoney += t.Money
	}
	for i := range p.wishes {
		w := &p.wishes[i]
		limit := policy.LocalMax
		if w.act == engine.CorrectionRefund {
			limit = policy.RefundMax
		}
		w.automatic = w.automatic && !policy.Nothing && w.amount <= limit
		if w.automatic {
			number++
			money += w.amount
		}
	}
	broken := 0
	for _, b := range p.breaks {
		if b.State == engine.BreakOpen {
			broken++
		}
	}
	why := ""
	switch {
	case number == 0:
	case number > policy.WindowNumberMax:
		why = fmt.Sprintf("%d acts in one window, at most %d", number, policy.WindowNumberMax)
	case money > policy.WindowMoneyMax:
		why = fmt.Sprintf("%d minor units in one window, at most %d", money, policy.WindowMoneyMax)
	case days+number > policy.DayNumberMax:
		why = fmt.Sprintf("%d acts in 24 hours, at most %d", days+number, policy.DayNumberMax)
	case daysMoney+money > policy.DayMoneyMax:
		why = fmt.Sprintf("%d minor units in 24 hours, at most %d", daysMoney+money, policy.DayMoneyMax)
	case broken >= policy.BrokenFrom && broken*100 > policy.BrokenPercentMax*len(p.st.Rows):
		why = fmt.Sprintf("%d breaks in %d rows, at most %d %%", broken, len(p.st.Rows), policy.BrokenPercentMax)
	}
	if why == "" {
		return nil
	}
	for i := range p.wishes {
		p.wishes[i].automatic = false
	}
	return []postgres.Alarm{{Kind: cappedAlarm, Subject: string(p.job.Account),
		Detail: fmt.Sprintf("job %s: nothing automatic: %s", p.job.Claim.Record, why)}}
}

// carryOut turns the wishes into corrections, and books what policy granted.
func (p *plan) carryOut() []postgres.Proposal {
	var all []postgres.Proposal
	for _, w := range p.wishes {
		b := &p.breaks[w.at]
		c := postgres.Proposal{
			Break: b.Key, PaymentRef: b.ProviderRef, BusinessRef: b.BusinessRef, Currency: b.Currency, Amount: w.amount,
			State: engine.CorrectionProposed,
		}
		about := b.RowID
		if about == "" {
			about = string(b.ItemKey)
		}
		switch w.act {
		case engine.CorrectionRefund:
			c.Act, c.Key = "refund", engine.Key(fmt.Sprintf("refund/%s/%s/1", p.job.Account, w.row.ProviderRef))
			if w.automatic {
				c.State, c.ApprovedBy = engine.CorrectionApproved, "policy:auto-refund"
				p.bookPayment(w, b.Key)
			}
		case engine.CorrectionPosting:
			c.Act, c.Key = "local", engine.Key(fmt.Sprintf("local/%s/%s/1", p.job.Account, about))
			if w.automatic {
				c.State, c.ApprovedBy = engine.CorrectionApplied, "policy:auto-local"
				c.Ref = string(p.bookPayment(w, b.Key))
				b.State, b.ClosedBy = engine.BreakResolved, "correction:"+string(b.Key)+"/local/1"
			}
		default:
			c.Act, c.Key = "task", engine.Key(fmt.Sprintf("task/%s/%s/%s/1", p.job.Account, b.Kind, about))
			if b.Kind == engine.MissingInLedger && wordless(w.row.Kind) {
				p.bookSuspense(w.row, b.Key)
			}
		}
		all = append(all, c)
	}
	return all
}

// wordless are the kinds of rows that we have no fact for.
func wordless(kind engine.RowKind) bool {
	return kind == engine.Adjustment || kind == engine.Transfer || kind == engine.Reserve
}

// bookPayment books the money that the provider surely has, with its fee, and closes the row.
func (p *plan) bookPayment(w wish, breakKey engine.Key) engine.Key {
	r := w.row
	p.closed[r.ID] = true
	if r.Fee != 0 {
		p.bookFee(r, r.Fee)
	}
	return p.book(ledger.Payment{
		Head: p.head(r, breakKey), Debt: ledger.Debt{Customer: w.invoice.Customer, Invoice: w.invoice.ID},
		ProviderRef: r.ProviderRef, BusinessRef: r.BusinessRef, PayoutRef: r.PayoutRef,
		Gross: ledger.Money{Currency: r.Currency, Minor: r.Amount},
	})
}

// bookSuspense keeps the clearing book true while a person finds out what a row was. The break stays open.
func (p *plan) bookSuspense(r engine.Row, breakKey engine.Key) {
	if r.Net() == 0 {
		return
	}
	p.closed[r.ID] = true
	p.book(ledger.Local{
		Head: p.head(r, breakKey), ProviderRef: r.ProviderRef, BusinessRef: r.BusinessRef,
		Clearing: ledger.Money{Currency: r.Currency, Minor: r.Net()},
	})
}
