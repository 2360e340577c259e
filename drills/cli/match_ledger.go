package cli

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/recondrill/recondrill/engine"
)

// ledgerColumns are the ledger file's columns; they are found by name, others are not looked at.
var ledgerColumns = [...]string{"key", "kind", "occurred_at", "provider_ref", "business_ref", "currency", "amount_minor",
	"fee_minor"}

var minorUnits = regexp.MustCompile(`^-?[0-9]+$`)

// ledgerFile is a ledger file being read; line is the present row's.
type ledgerFile struct {
	name   string
	column map[string]int
	width  int
	fields []string
	line   int
	seen   map[engine.Key]int
	sum    int64
}

// readLedger reads a ledger file or nothing of it. A header without rows is an empty ledger.
func readLedger(name string, body []byte) ([]engine.Item, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	r.FieldsPerRecord = -1 // counted below, with a better word
	f := ledgerFile{name: name, column: map[string]int{}, seen: map[engine.Key]int{}}
	header, err := r.Read()
	if err != nil {
		return nil, f.broken(err)
	}
	if err := f.header(header); err != nil {
		return nil, err
	}
	var items []engine.Item
	for {
		f.fields, err = r.Read()
		if errors.Is(err, io.EOF) {
			return items, nil
		}
		if err != nil {
			return nil, f.broken(err)
		}
		f.line, _ = r.FieldPos(0)
		item, err := f.item()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
}

func (f *ledgerFile) header(names []string) error {
	f.width = len(names)
	for i, name := range names {
		name = strings.TrimSpace(name)
		if _, twice := f.column[name]; twice && slices.Contains(ledgerColumns[:], name) {
			return fmt.Errorf("%s:1: the column %q is there twice; accepted: each column once", f.name, name)
		}
		f.column[name] = i
	}
	for _, name := range ledgerColumns {
		if _, ok := f.column[name]; !ok {
			return fmt.Errorf("%s:1: column missing: %s; accepted: a header with %s", f.name, name,
				strings.Join(ledgerColumns[:], ","))
		}
	}
	return nil
}

func (f *ledgerFile) item() (engine.Item, error) {
	if len(f.fields) != f.width {
		return engine.Item{}, fmt.Errorf("%s:%d: %d fields; accepted: %d, as many as the header has", f.name, f.line,
			len(f.fields), f.width)
	}
	item := engine.Item{Key: engine.Key(f.text("key")), Kind: engine.RowKind(f.text("kind")), ProviderRef: f.text("provider_ref"),
		BusinessRef: f.text("business_ref"), Currency: engine.Currency(strings.ToUpper(f.text("currency")))}
	for _, column := range ledgerColumns {
		if !utf8.ValidString(f.text(column)) {
			return item, f.refuse(column, "text in UTF-8")
		}
	}
	if item.Key == "" {
		return item, f.refuse("key", "the entry's own key")
	}
	if line, ok := f.seen[item.Key]; ok {
		return item, f.refuse("key", fmt.Sprintf("each key once; this one is on line %d too", line))
	}
	f.seen[item.Key] = f.line
	if !slices.Contains(engine.RowKinds(), item.Kind) {
		return item, f.refuse("kind", fmt.Sprintf("one of %v", engine.RowKinds()))
	}
	if _, err := engine.StripeExponents(item.Currency); err != nil {
		return item, f.refuse("currency", "an ISO 4217 code")
	}
	var err error
	if item.OccurredAt, err = f.time(); err != nil {
		return item, err
	}
	if item.Amount, err = f.minor("amount_minor", "signed minor units, like 2100"); err != nil {
		return item, err
	}
	if f.text("fee_minor") != "" {
		fee, err := f.minor("fee_minor", "signed minor units, like 86, or nothing where no fee is booked yet")
		if err != nil {
			return item, err
		}
		item.Fee = &fee
	}
	return item, nil
}

// time reads an instant; without an offset it is UTC.
func (f *ledgerFile) time() (time.Time, error) {
	for _, layout := range [...]string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, f.text("occurred_at")); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, f.refuse("occurred_at", "an instant like 2026-03-01T09:30:00Z")
}

func (f *ledgerFile) minor(column, accepted string) (int64, error) {
	text := f.text(column)
	minor, err := strconv.ParseInt(text, 10, 64)
	if err != nil || !minorUnits.MatchString(text) {
		return 0, f.refuse(column, accepted)
	}
	if minor > engine.StatementMax || minor < -engine.StatementMax {
		return 0, f.refuse(column, "amounts whose sum over the file stays below 2^60 minor units")
	}
	if f.sum += max(minor, -minor); f.sum > engine.StatementMax {
		return 0, f.refuse(column, "amounts whose sum over the file stays below 2^60 minor units")
	}
	return minor, nil
}

func (f *ledgerFile) text(column string) string { return f.fields[f.column[column]] }

func (f *ledgerFile) refuse(column, accepted string) error {
	return fmt.Errorf("%s:%d: column %s: found %q; accepted: %s", f.name, f.line, column, f.text(column), accepted)
}

func (f *ledgerFile) broken(err error) error {
	var bad *csv.ParseError
	if errors.As(err, &bad) {
		return fmt.Errorf("%s:%d: %w (field begun on line %d, column %d); accepted: CSV with commas, quotes doubled inside quotes",
			f.name, bad.Line, bad.Err, bad.StartLine, bad.Column)
	}
	return fmt.Errorf("%s:1: no header; accepted: %s", f.name, strings.Join(ledgerColumns[:], ","))
}
