package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"
)

// Statement is what a format read from a RawStatement: each provider's transaction once.
type Statement struct {
	Format    string // the format's name, "stripe"
	Rows      []Row  // in the order of the file
	Repeated  int    // lines that repeated a row word for word; they are not in Rows
	Completed bool   // RawStatement's: the provider's own word
}

// StatementOptions is what a file does not say about itself.
type StatementOptions struct {
	Zone        *time.Location // of local times where the file has no UTC column; nil = such a file is refused
	BusinessRef string         // the column with our reference; empty = the format's default
}

// StatementMax bounds the sum of all magnitudes in one statement, and so every total that can be made of it and of
// a ledger of the same bound: money beyond it is a damaged file, not a rich customer.
const StatementMax = 1 << 60

// Hash is sha256 of the body in hex: a statement of another hash is a restated one.
func (r RawStatement) Hash() string {
	sum := sha256.Sum256(r.Body)
	return hex.EncodeToString(sum[:])
}

// RowKinds are all kinds a row or an item may have.
func RowKinds() []RowKind {
	return []RowKind{Charge, RefundRow, Fee, Dispute, DisputeReversal, Payout, PayoutReversal, RefundFailure,
		Transfer, Reserve, Adjustment}
}

// Net is what the item holds in the clearing book; an item without a booked fee holds its gross.
func (i Item) Net() int64 {
	if i.Fee == nil {
		return i.Amount
	}
	return i.Amount - *i.Fee
}

// Currencies are the currencies of the totals, sorted: the only order in which they may be ranged over.
func (t Totals) Currencies() []Currency {
	all := make([]Currency, 0, len(t))
	for c := range t {
		all = append(all, c)
	}
	slices.Sort(all)
	return all
}

// Add adds minor units of one currency. It panics when an int64 would overflow: a total that wrapped is worse than
// no total.
func (t Totals) Add(c Currency, minor int64) {
	sum := t[c] + minor
	if minor > 0 && sum < t[c] || minor < 0 && sum > t[c] {
		panic(fmt.Sprintf("the total of %s does not fit an int64: %d + %d", c, t[c], minor))
	}
	t[c] = sum
}
