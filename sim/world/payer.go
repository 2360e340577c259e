package world

import (
	"strconv"
	"time"
)

// payersName is the payers' actor in histories.
const payersName = "payers"

// payers lets every third open invoice be paid at a drawn instant of the first day and a half. The engine learns of
// it only by a later statement.
func (w *World) payers() {
	paid := map[string]bool{}
	for _, p := range w.truth.Payments {
		paid[p.Invoice] = true
	}
	for _, inv := range w.Invoices {
		if paid[inv.ID] || !w.f.chance("pays/"+inv.ID, 3333) {
			continue
		}
		after := time.Minute + time.Duration(w.f.n("pays at/"+inv.ID, 36*60))*time.Minute
		w.k.After(payersName, after, "pays("+inv.ID+","+strconv.FormatInt(inv.AmountMinor, 10)+")", func(now time.Time) {
			at := now.UTC().Truncate(time.Second)
			w.Provider.charge(inv.Account, inv, w.f.id("ch", inv.ID+"/during"), w.f.id("txn", inv.ID+"/during"), at)
		})
	}
}
