package provider

import (
	"fmt"
	"strings"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/provider/stripe"
)

// format is one way to write a statement.
type format struct {
	name       string
	looksLike  string // for people whose file is none
	recognises func(body []byte) bool
	parse      func(engine.RawStatement, engine.StatementOptions) (engine.Statement, error)
}

// formats is THE list. The first that recognises a body reads it.
func formats() []format {
	return []format{
		{stripe.Name, "CSV whose header names balance_transaction_id, reporting_category, gross, fee, net",
			stripe.Recognises, stripe.Parse},
	}
}

// Parse reads a statement of any known format. Its errors name the file and the line, and nothing is half-read.
func Parse(raw engine.RawStatement, opts engine.StatementOptions) (engine.Statement, error) {
	var known []string
	for _, f := range formats() {
		if f.recognises(raw.Body) {
			return f.parse(raw, opts)
		}
		known = append(known, f.name+" ("+f.looksLike+")")
	}
	return engine.Statement{}, fmt.Errorf("%s:1: no statement format that is known, or no header; accepted: %s", raw.Name,
		strings.Join(known, ", "))
}
