package world

import (
	"strconv"
	"time"
)

// What can be planted. The names say what was done; the break it must lead to is Planted.Kind.
const (
	PlantNone              = "none"
	PlantMissingInLedger   = "missing_in_ledger"          // a charge of a known invoice that our ledger lacks → local posting
	PlantBookedLate        = "missing_in_ledger_late"     // the same, and our ledger learns of it while the run goes on
	PlantNoReference       = "missing_in_ledger_no_ref"   // a charge of nobody we know → a person
	PlantSameID            = "missing_in_ledger_same_id"  // the same, and a row of another account bears its id
	PlantMissingAtProvider = "missing_at_provider"        // our ledger has a payment of long ago that was never made
	PlantTiming            = "missing_at_provider_timing" // the same, so young that it may still come
	PlantAmount            = "amount_differs"
	PlantFee               = "fee_differs"
	PlantPaidTwice         = "duplicate_at_provider" // the payer paid twice, we know of one → refund
	PlantBookedTwice       = "duplicate_in_ledger"
	PlantDispute           = "dispute"       // the provider took a charge back, our ledger does not know
	PlantState             = "state_differs" // the provider calls a movement a dispute, our ledger has it as a refund
	PlantAmbiguous         = "ambiguous"     // three equal charges of a reference, two equal facts that name no charge
)

// PlantKinds are all of them.
func PlantKinds() []string {
	return []string{PlantMissingInLedger, PlantBookedLate, PlantNoReference, PlantSameID, PlantMissingAtProvider, PlantTiming, PlantAmount, PlantFee,
		PlantPaidTwice, PlantBookedTwice, PlantDispute, PlantState, PlantAmbiguous}
}

// plants are the kinds to plant in order. By default the two that make the engine act (a refund and a local
// posting) and one more that the seed picks.
func (b *builder) plants() []string {
	switch {
	case len(b.s.Plant) == 0:
		others := []string{PlantNoReference, PlantMissingAtProvider, PlantTiming, PlantAmount, PlantFee, PlantBookedTwice, PlantDispute}
		return []string{PlantPaidTwice, PlantMissingInLedger, pick(b.f, "plant", others)}
	case b.s.Plant[0] == PlantNone:
		return nil
	}
	return b.s.Plant
}

// longAgo is beyond any grace a payment may have, justNow within the usual day and a half.
const (
	longAgo = 20 * 24 * time.Hour
	justNow = 90 * time.Minute
)

// What is booked late comes when a first window was reconciled and, in a night of slots five minutes apart, a second is about
// to be.
const (
	lateFrom = 8 * time.Minute
	lateSpan = 4 * time.Minute
)

// plant makes one difference and lists it with its exact residual: provider − ledger.
func (b *builder) plant(kind string, acc Account, n int) {
	if kind == PlantNoReference || kind == PlantSameID {
		b.plantNoReference(kind, acc, n)
		return
	}
	inv := b.next(acc, n)
	if kind == PlantMissingAtProvider || kind == PlantTiming {
		b.plantNeverPaid(kind, acc, inv)
		return
	}
	if kind == PlantAmbiguous {
		b.plantAmbiguous(inv)
		return
	}
	first := b.charge(inv, "1")
	fact := factOf(first, inv.Customer)
	p := b.planted(kind, first, fact.Key)
	switch kind {
	case PlantMissingInLedger, PlantBookedLate:
		p.Kind, p.Key, p.Residual, p.Asks = PlantMissingInLedger, "", first.net(), "local"
		if p.Passing = kind == PlantBookedLate; p.Passing {
			b.w.Late = append(b.w.Late, Late{fact, lateFrom + time.Duration(b.f.n("late/"+inv.ID, int(lateSpan/time.Second)))*time.Second})
		}
		b.list(p)
		return
	case PlantAmount:
		fact.AmountMinor -= int64(100 - 200*b.f.n("sign/"+inv.ID, 2)) // a unit less or a unit more in USD and EUR
		p.Residual = first.Gross - fact.AmountMinor
	case PlantFee:
		fact.FeeMinor -= int64(1 + b.f.n("fee off/"+inv.ID, 20))
		p.Residual = fact.FeeMinor - first.Fee
	case PlantPaidTwice:
		second := b.again(first)
		p = b.planted(kind, second, "")
		p.Residual, p.Asks = second.net(), "refund"
	case PlantBookedTwice:
		twin := fact
		twin.Key += "/again"
		twin.RowID = b.f.id("txn", twin.Key)
		p.Key, p.RowID, p.Residual = twin.Key, "", -fact.Net()
		b.book(twin)
	case PlantDispute:
		taken := b.dispute(first)
		p = b.planted(PlantMissingInLedger, taken, "")
		p.Residual = taken.net()
	case PlantState:
		taken := b.dispute(first)
		other := factOf(taken, inv.Customer)
		other.Key, other.Kind, other.RowKind, other.HasFee, other.FeeMinor = "refund/"+taken.Source, "refund", "refund", false, 0
		b.book(other)
		p = b.planted(kind, taken, other.Key)
		p.Residual = taken.net() - other.Net()
	}
	b.book(fact)
	b.list(p)
}

func (b *builder) planted(kind string, r row, key string) Planted {
	return Planted{Account: r.Account, Window: b.w.windowAt(r.Account, r.At).ID, Kind: kind, RowKind: r.Category, Currency: r.Currency,
		ProviderRef: r.Source, RowID: r.ID, Key: key, BusinessRef: r.Invoice, At: r.At, Asks: "task"}
}

func (b *builder) list(p Planted) { b.w.truth.Planted = append(b.w.truth.Planted, p) }

// plantNoReference lets somebody pay who names nothing of ours. A provider numbers the transactions of an account, so another
// account's may bear the same id: in each round of the accounts all rows of that kind do.
func (b *builder) plantNoReference(kind string, acc Account, n int) {
	stranger := Invoice{Account: acc.ID, Currency: b.s.Currencies[n%len(b.s.Currencies)],
		AmountMinor: int64(500 + b.f.n("stranger/"+acc.ID+"/"+strconv.Itoa(n), 9000))}
	r := b.charge(stranger, acc.ID+"/stranger/"+strconv.Itoa(n))
	if kind == PlantSameID {
		r.ID = b.f.id("txn", "round "+strconv.Itoa(n/len(b.w.Accounts)))
		b.w.Provider.rows[len(b.w.Provider.rows)-1] = r
	}
	p := b.planted(PlantMissingInLedger, r, "")
	p.Residual = r.net()
	b.list(p)
}

// plantNeverPaid books a payment that the provider never saw.
func (b *builder) plantNeverPaid(kind string, acc Account, inv Invoice) {
	w := acc.Windows[0]
	at := w.Start.Add(-longAgo)
	if kind == PlantTiming {
		w = acc.Windows[len(acc.Windows)-1]
		at = w.End.Add(-justNow)
	}
	ref := b.f.id("ch", inv.ID+"/never")
	f := Fact{Key: "payment/" + ref, Kind: "payment", RowKind: "charge", Account: acc.ID, Customer: inv.Customer, Invoice: inv.ID,
		Currency: inv.Currency, ProviderRef: ref, BusinessRef: inv.ID, AmountMinor: inv.AmountMinor, OccurredAt: at}
	b.book(f)
	b.list(Planted{Account: acc.ID, Window: w.ID, Kind: PlantMissingAtProvider, RowKind: "charge", Currency: inv.Currency,
		Residual: -f.Net(), ProviderRef: ref, Key: f.Key, BusinessRef: inv.ID, At: at, Timing: kind == PlantTiming, Asks: "task"})
}

// plantAmbiguous leaves it open which fact is which charge: all five are breaks that name each other.
func (b *builder) plantAmbiguous(inv Invoice) {
	first := b.charge(inv, "1")
	second := b.again(first)
	for i, r := range []row{first, second, b.again(second)} {
		p := b.planted(PlantAmbiguous, r, "")
		p.Residual = r.net()
		b.list(p)
		if i == 2 {
			return
		}
		f := factOf(r, inv.Customer)
		f.Key, f.ProviderRef, f.RowID, f.HasFee, f.FeeMinor = "payment/transfer/"+inv.ID+"/"+strconv.Itoa(i+1), "", "", false, 0
		b.book(f)
		p = b.planted(PlantAmbiguous, r, f.Key)
		p.RowID, p.ProviderRef, p.Residual = "", "", -f.Net()
		b.list(p)
	}
}

// again is the same invoice paid once more by mistake, minutes later.
func (b *builder) again(first row) row {
	inv := b.w.invoice(first.Invoice)
	return b.w.Provider.charge(first.Account, inv, b.f.id("ch", first.Source+"/again"), b.f.id("txn", first.Source+"/again"),
		first.At.Add(time.Duration(60+b.f.n("again/"+first.Source, 1200))*time.Second))
}

// dispute is the payer's bank taking a charge back, with the provider's fee for it.
func (b *builder) dispute(first row) row {
	r := row{ID: b.f.id("txn", first.Source+"/dispute"), Account: first.Account, Category: "dispute",
		At: first.At.Add(2 * time.Hour), Currency: first.Currency, Gross: -first.Gross, Fee: 1500, Source: b.f.id("dp", first.Source),
		Charge: first.Charge, Customer: first.Customer, Invoice: first.Invoice, About: "Chargeback withdrawal for " + first.Source}
	b.w.Provider.rows = append(b.w.Provider.rows, r)
	return r
}
