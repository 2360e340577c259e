package stripe

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/recondrill/recondrill/engine"
)

const stamp = "2006-01-02 15:04:05"

// seenRow is a row that was read, and where.
type seenRow struct {
	row  engine.Row
	line int
}

// row reads the present line into rows, or finds that it stands there already.
func (p *parser) row() error {
	if len(p.fields) != len(p.names) {
		return fmt.Errorf("%s:%d: %d fields; accepted: %d, as many as the header has", p.file, p.position(0),
			len(p.fields), len(p.names))
	}
	for i, field := range p.fields {
		if !utf8.ValidString(field) || strings.ContainsRune(field, 0) {
			return fmt.Errorf("%s:%d: column %s: found %q; accepted: text in UTF-8 without zero bytes", p.file,
				p.position(i), p.names[i], field)
		}
	}
	row, err := p.read()
	if err != nil {
		return err
	}
	if before, ok := p.seen[row.ID]; ok {
		if before.row != row {
			return p.refuse(colID, fmt.Sprintf("the same content as on line %d, or another id", before.line))
		}
		p.repeated++
		return nil
	}
	p.seen[row.ID] = seenRow{row, p.position(0)}
	p.rows = append(p.rows, row)
	return nil
}

func (p *parser) read() (engine.Row, error) {
	row := engine.Row{
		ID:          p.text(colID),
		Kind:        kindOf(p.text(colCategory)),
		ProviderRef: p.text(colSource),
		PayoutRef:   p.text(colPayout),
		Currency:    engine.Currency(strings.ToUpper(p.text(colCurrency))),
	}
	if p.business != "" {
		row.BusinessRef = p.text(p.business)
	}
	if row.ID == "" {
		return row, p.refuse(colID, "the balance transaction's id")
	}
	if p.text(colCategory) == "" {
		return row, p.refuse(colCategory, "a reporting category such as charge")
	}
	if err := p.oneAccount(); err != nil {
		return row, err
	}
	if _, err := engine.StripeExponents(row.Currency); err != nil {
		return row, p.refuse(colCurrency, "an ISO 4217 code")
	}
	var err error
	if row.OccurredAt, err = p.time(); err != nil {
		return row, err
	}
	return row, p.amounts(&row)
}

// oneAccount refuses a file that mixes connected accounts: booked on one of them, the others' money would be lost.
func (p *parser) oneAccount() error {
	account := p.text(colConnected)
	if p.account == nil {
		p.account = &account
	}
	if account != *p.account {
		return p.refuse(colConnected, fmt.Sprintf("one account a file, here %q", *p.account))
	}
	return nil
}

func (p *parser) time() (time.Time, error) {
	if p.has(colCreatedUTC) {
		t, err := time.Parse(stamp, p.text(colCreatedUTC))
		if err != nil || t.Format(stamp) != p.text(colCreatedUTC) {
			return time.Time{}, p.refuse(colCreatedUTC, "a time like 2026-03-01 09:30:00")
		}
		return t, nil
	}
	t, err := time.ParseInLocation(stamp, p.text(colCreated), p.zone)
	if err != nil || t.Format(stamp) != p.text(colCreated) { // a time in a gap of the zone comes back changed
		return time.Time{}, p.refuse(colCreated, "a time like 2026-03-01 09:30:00 that exists in "+p.zone.String())
	}
	return t.UTC(), nil
}

func (p *parser) amounts(row *engine.Row) error {
	var net int64
	for _, a := range []struct {
		column string
		into   *int64
	}{{colGross, &row.Amount}, {colFee, &row.Fee}, {colNet, &net}} {
		minor, err := engine.ParseMajor(p.text(a.column), row.Currency, engine.StripeExponents)
		if err != nil {
			return fmt.Errorf("%s:%d: column %s: %w", p.file, p.line(a.column), a.column, err)
		}
		if p.sum += max(minor, -minor); p.sum > engine.StatementMax || p.sum < 0 {
			return p.refuse(a.column, "amounts whose sum over the file stays below 2^60 minor units")
		}
		*a.into = minor
	}
	if row.Net() != net {
		return p.refuse(colNet, fmt.Sprintf("gross − fee = %d minor units", row.Net()))
	}
	return nil
}
