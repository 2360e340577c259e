package simtest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/recondrill/recondrill/sim/pg"
)

// State is what Check sees: the database as everybody would see it now, and only that.
type State struct {
	Settled bool // faults are over and what was still to come has come: from here on nothing is excused

	ctx    context.Context
	bench  *Bench
	tables pg.Tables
	err    error // the first question that could not be answered
}

// Broken is a claim that does not hold. It is what Breaks and State.None answer.
type Broken struct{ Claim, Detail string }

func (b *Broken) Error() string {
	if b.Detail == "" {
		return b.Claim
	}
	return b.Claim + ": " + b.Detail
}

// Breaks says that a claim does not hold. The claim is a constant ("a job ran twice"), the detail says which.
func Breaks(claim, detail string, args ...any) error {
	return &Broken{Claim: claim, Detail: fmt.Sprintf(detail, args...)}
}

// None is nil when the query gives no row, else it says that the claim is broken, and by which rows.
func (s *State) None(claim, sql string, args ...any) error {
	rows, err := s.Query(sql, args...)
	if err != nil {
		return err
	}
	const most = 3
	var named []string
	for i, r := range rows {
		if i == most {
			named = append(named, fmt.Sprintf("and %d more", len(rows)-most))
			break
		}
		named = append(named, strings.Join(r, " "))
	}
	if named == nil {
		return nil
	}
	return &Broken{Claim: claim, Detail: strings.Join(named, ", ")}
}

// Query asks the database; values come as text, NULL as \N. A question that can't be answered is an error of the
// test, whatever Check makes of it.
func (s *State) Query(sql string, args ...any) ([][]string, error) {
	rows, err := s.bench.checks.Query(s.ctx, sql, append([]any{pgx.QueryExecModeExec, pgx.QueryResultFormats{pgx.TextFormatCode}}, args...)...)
	if err != nil {
		return nil, s.fail(sql, err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]string, error) {
		values := make([]string, len(row.RawValues()))
		for i, v := range row.RawValues() {
			if values[i] = string(v); v == nil {
				values[i] = `\N`
			}
		}
		return values, nil
	})
	if err != nil {
		return nil, s.fail(sql, err)
	}
	return out, nil
}

// Tables are all rows of all tables, as text.
func (s *State) Tables() pg.Tables {
	if s.tables == nil {
		tables, err := s.bench.sessions.Dump(s.ctx)
		if err != nil {
			_ = s.fail("dump", err)
		}
		s.tables = tables
	}
	return s.tables
}

func (s *State) fail(what string, err error) error {
	err = fmt.Errorf("check: %s: %w", squeeze(what), err)
	if s.err == nil {
		s.err = err
	}
	return err
}

// claimOf is the name under which an error of Check is remembered.
func claimOf(err error) string {
	var b *Broken
	if errors.As(err, &b) {
		return squeeze(b.Claim)
	}
	return "check"
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
