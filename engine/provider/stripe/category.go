package stripe

import (
	"slices"
	"strings"

	"github.com/recondrill/recondrill/engine"
)

// kindOf turns a reporting_category into our word. Most are the same; all the rest (network_cost, topup,
// anticipation_repayment, what Stripe invents tomorrow) is an adjustment, which finds no partner by itself and so
// comes before a person.
func kindOf(category string) engine.RowKind {
	kind := engine.RowKind(category)
	switch {
	case slices.Contains(engine.RowKinds(), kind):
		return kind
	case strings.HasPrefix(category, "reserve"):
		return engine.Reserve
	default:
		return engine.Adjustment
	}
}
