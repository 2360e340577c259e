package world

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

var ledgerColumns = []string{"key", "kind", "occurred_at", "provider_ref", "business_ref", "currency", "amount_minor", "fee_minor"}

// bookDirections are the signs of the kinds that can go one way only: those of the provider's own rows. The others go
// both ways, and a fee of its own may stand in either column.
var bookDirections = map[string]int64{"charge": 1, "refund": -1, "dispute": -1, "dispute_reversal": 1, "payout": -1, "payout_reversal": 1}

// booksMax bounds the sum of all magnitudes in one file, so that no total of it can overflow.
const (
	booksMax    = 1 << 60
	sumAccepted = "amounts whose sum over the file stays below 2^60 minor units"
)

// readLedger reads what our books hold of a statement. It takes nothing that the database would refuse later, in the
// middle of a run, where nobody could say any more which line it was.
func (e *export) readLedger(file string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("the books beside %s.csv: %w", e.name, err)
	}
	s, err := readSheet(file, body, ledgerColumns)
	if err != nil {
		return err
	}
	lines, sum := map[string]int{}, int64(0)
	for i := 1; i < len(s.records); i++ {
		f, err := e.bookFact(&s, i)
		if err != nil {
			return err
		}
		if line, twice := lines[f.Key]; twice {
			return s.wrong(i, "key", fmt.Sprintf("each key once; this one is on line %d too", line))
		}
		lines[f.Key] = s.lines[i]
		switch sum += min(magnitude(f.AmountMinor), booksMax); { // both addends are bounded: the sum cannot overflow
		case sum >= booksMax:
			return s.wrong(i, "amount_minor", sumAccepted)
		case magnitude(f.FeeMinor) >= booksMax-sum:
			return s.wrong(i, "fee_minor", sumAccepted)
		}
		sum += magnitude(f.FeeMinor)
		e.books = append(e.books, f)
	}
	return nil
}

func (e *export) bookFact(s *sheet, i int) (Fact, error) {
	for _, column := range ledgerColumns {
		if text := s.text(i, column); !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return Fact{}, s.wrong(i, column, "text in UTF-8 without zero bytes")
		}
	}
	f := Fact{Key: s.text(i, "key"), RowKind: s.text(i, "kind"), Kind: ledgerKind(s.text(i, "kind")), Account: "acct_" + e.name,
		Currency: s.text(i, "currency"), ProviderRef: s.text(i, "provider_ref"), BusinessRef: s.text(i, "business_ref")}
	if strings.TrimSpace(f.Key) == "" {
		return f, s.wrong(i, "key", "the entry's own key")
	}
	if !slices.Contains(rowKinds, f.RowKind) {
		return f, s.wrong(i, "kind", strings.Join(rowKinds, ", "))
	}
	var err error
	if f.OccurredAt, err = time.Parse(time.RFC3339, s.text(i, "occurred_at")); err != nil {
		return f, s.wrong(i, "occurred_at", "a time like 2026-03-01T09:30:00Z")
	}
	if _, err := exponent(f.Currency); err != nil {
		return f, s.wrong(i, "currency", "three upper-case letters like USD")
	}
	if f.AmountMinor, err = minorUnits(s.text(i, "amount_minor")); err != nil {
		return f, s.wrong(i, "amount_minor", "signed minor units")
	}
	switch bookDirections[f.RowKind] {
	case 1:
		if f.AmountMinor <= 0 {
			return f, s.wrong(i, "amount_minor", "above zero for a "+f.RowKind)
		}
	case -1:
		if f.AmountMinor >= 0 {
			return f, s.wrong(i, "amount_minor", "below zero for a "+f.RowKind)
		}
	}
	if fee := s.text(i, "fee_minor"); fee != "" {
		f.HasFee = true
		if f.FeeMinor, err = minorUnits(fee); err != nil {
			return f, s.wrong(i, "fee_minor", "signed minor units, or nothing")
		}
	}
	return f, nil
}

// magnitude of the lowest number, which has none, is the highest.
func magnitude(minor int64) int64 {
	if minor == math.MinInt64 {
		return math.MaxInt64
	}
	return max(minor, -minor)
}

// minorUnits reads digits and a minus; Go's own reader would take a plus too.
func minorUnits(text string) (int64, error) {
	if strings.HasPrefix(text, "+") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(text, 10, 64)
}
