package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/match"
	"github.com/recondrill/recondrill/engine/provider"
)

// MatchArgs is what `recondrill match` is told.
type MatchArgs struct {
	Statement, Ledger string // files
	BusinessRef       string // the statement's column with our reference; empty = the format's default
	JSON              bool
}

// matchJSON is the contract of --json: one object.
type matchJSON struct {
	Matched       int           `json:"matched"` // rows of the statement that left no break
	Breaks        []breakJSON   `json:"breaks"`
	ProviderTotal engine.Totals `json:"provider_total"` // net minor units
	LedgerTotal   engine.Totals `json:"ledger_total"`
	Residual      engine.Totals `json:"residual"`
}

type breakJSON struct {
	Kind        engine.BreakKind `json:"kind"`
	ProviderRef string           `json:"provider_ref"`
	Key         engine.Key       `json:"key"`
	Currency    engine.Currency  `json:"currency"`
	Residual    int64            `json:"residual_minor"`
}

// Match compares a statement file with a ledger file: no database, no grace (what is open is missing), no proof that
// the statement is whole. The exit code is 0 where nothing is left, 1 where breaks are left, 2 for a file that cannot
// be read, 3 where the answer could not be written.
func Match(args MatchArgs, stdout, stderr io.Writer) int {
	st, items, err := readBoth(args)
	if err != nil {
		fmt.Fprintf(stderr, "recondrill match: %v\n", err)
		return 2
	}
	fmt.Fprintln(stderr, "note: the file does not say that it is complete; whatever has no partner is counted as missing")
	result := match.Items(match.Input{Provider: st.Rows, Ledger: items})
	if args.JSON {
		err = printMatchJSON(stdout, result)
	} else {
		err = printMatchText(stdout, st, items, result)
	}
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "recondrill match: the answer could not be written: %v\n", err)
		return 3
	case len(result.Breaks) > 0:
		return 1
	}
	return 0
}

func readBoth(args MatchArgs) (engine.Statement, []engine.Item, error) {
	body, err := os.ReadFile(args.Statement)
	if err != nil {
		return engine.Statement{}, nil, fmt.Errorf("statement: %w", err)
	}
	st, err := provider.Parse(engine.RawStatement{Name: args.Statement, Body: body},
		engine.StatementOptions{BusinessRef: args.BusinessRef})
	if err != nil {
		return engine.Statement{}, nil, err
	}
	body, err = os.ReadFile(args.Ledger)
	if err != nil {
		return engine.Statement{}, nil, fmt.Errorf("ledger: %w", err)
	}
	items, err := readLedger(args.Ledger, body)
	return st, items, err
}

// clean is how many rows of the statement left no break.
func clean(result match.Result) int {
	rows := 0
	for _, p := range result.Pairs {
		if p.Clean {
			rows += len(p.Rows)
		}
	}
	return rows
}

func printMatchJSON(w io.Writer, result match.Result) error {
	out := matchJSON{Matched: clean(result), Breaks: []breakJSON{}, ProviderTotal: result.ProviderTotal,
		LedgerTotal: result.LedgerTotal, Residual: result.Residual}
	for _, b := range result.Breaks {
		out.Breaks = append(out.Breaks, breakJSON{b.Kind, b.ProviderRef, b.ItemKey, b.Currency, b.Residual})
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(out)
}
