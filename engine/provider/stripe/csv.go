package stripe

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/recondrill/recondrill/engine"
)

// Name is the format's name.
const Name = "stripe"

// The columns read. Those of the first line must be there; a created_utc wins over created, which needs a zone.
const (
	colID, colCurrency, colGross, colFee, colNet, colCategory, colSource = "balance_transaction_id", "currency",
		"gross", "fee", "net", "reporting_category", "source_id"
	colCreated, colCreatedUTC, colPayout, colConnected = "created", "created_utc", "automatic_payout_id",
		"connected_account"
)

var required = [...]string{colID, colCurrency, colGross, colFee, colNet, colCategory, colSource}

// businessRefs are the columns taken for our reference when none is named: the first that is there.
var businessRefs = [...]string{"invoice_id", "payment_metadata[invoice]", "payment_metadata[order_id]"}

// Recognises says whether a body is meant to be one of these reports: its first line names some of the columns.
// A damaged header still counts, so that the error can say which column is missing.
func Recognises(body []byte) bool {
	names, err := newReader(body).Read()
	if err != nil {
		return false
	}
	found := 0
	for _, want := range required {
		for _, name := range names {
			if strings.TrimSpace(name) == want {
				found++
				break
			}
		}
	}
	return found >= 3
}

// Parse reads the whole file or nothing. A header without rows is an empty statement.
func Parse(raw engine.RawStatement, opts engine.StatementOptions) (engine.Statement, error) {
	r := newReader(raw.Body)
	p := parser{file: raw.Name, zone: opts.Zone, seen: map[string]seenRow{}}
	names, err := r.Read()
	if err != nil {
		return engine.Statement{}, p.broken(err)
	}
	if err := p.header(names, opts.BusinessRef); err != nil {
		return engine.Statement{}, err
	}
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return engine.Statement{}, p.broken(err)
		}
		p.fields = fields
		p.position = func(i int) int { line, _ := r.FieldPos(i); return line }
		if err := p.row(); err != nil {
			return engine.Statement{}, err
		}
	}
	return engine.Statement{Format: Name, Rows: p.rows, Repeated: p.repeated, Completed: raw.Completed}, nil
}

func newReader(body []byte) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	r.FieldsPerRecord = -1 // counted by the parser, which can say it better
	return r
}

// parser holds one file while it is read; fields and position are the present line's.
type parser struct {
	file     string
	zone     *time.Location
	columns  map[string]int
	names    []string
	business string // the column of our reference; empty = the file has none
	account  *string

	fields   []string
	position func(field int) int

	rows     []engine.Row
	seen     map[string]seenRow
	sum      int64
	repeated int
}

func (p *parser) header(names []string, business string) error {
	p.columns, p.names = map[string]int{}, names
	for i, name := range names {
		name = strings.TrimSpace(name)
		if _, twice := p.columns[name]; twice && name != "" {
			return fmt.Errorf("%s:1: the column %q is there twice; accepted: each column once", p.file, name)
		}
		p.columns[name] = i
	}
	var missing []string
	for _, name := range required {
		if !p.has(name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s:1: column missing: %s; accepted: a header with %s and others in any order", p.file,
			strings.Join(missing, ", "), strings.Join(required[:], ", "))
	}
	switch {
	case p.has(colCreatedUTC):
	case !p.has(colCreated):
		return fmt.Errorf("%s:1: column missing: %s; accepted: it, or %s and a zone", p.file, colCreatedUTC, colCreated)
	case p.zone == nil:
		return fmt.Errorf("%s:1: column missing: %s; %s alone is accepted only with the zone it is in", p.file,
			colCreatedUTC, colCreated)
	}
	return p.chooseBusinessRef(business)
}

func (p *parser) chooseBusinessRef(named string) error {
	if named != "" {
		if !p.has(named) {
			return fmt.Errorf("%s:1: no column %q for the business reference; accepted: a column of the header, usually %s",
				p.file, named, strings.Join(businessRefs[:], ", "))
		}
		p.business = named
		return nil
	}
	for _, name := range businessRefs {
		if p.has(name) {
			p.business = name
			return nil
		}
	}
	return nil
}

func (p *parser) has(column string) bool {
	_, ok := p.columns[column]
	return ok
}

// text is the present line's value of a column; empty where the file has no such column.
func (p *parser) text(column string) string {
	if i, ok := p.columns[column]; ok {
		return p.fields[i]
	}
	return ""
}

func (p *parser) line(column string) int { return p.position(p.columns[column]) }

func (p *parser) refuse(column, accepted string) error {
	return fmt.Errorf("%s:%d: column %s: found %q; accepted: %s", p.file, p.line(column), column, p.text(column), accepted)
}

// broken words an error of the CSV itself.
func (p *parser) broken(err error) error {
	var bad *csv.ParseError
	if errors.As(err, &bad) {
		return fmt.Errorf("%s:%d: %w (field begun on line %d, column %d); accepted: CSV with commas, quotes doubled inside quotes",
			p.file, bad.Line, bad.Err, bad.StartLine, bad.Column)
	}
	return fmt.Errorf("%s: %w; accepted: a header and rows", p.file, err)
}
