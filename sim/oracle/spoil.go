package oracle

import (
	"maps"
	"slices"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/pg"
)

// copied is a view that can be damaged without the original noticing.
func (v View) copied() View {
	v.Tables, v.Earlier = copyOf(v.Tables), copyOf(v.Earlier)
	if v.Truth != nil {
		truth := *v.Truth
		truth.Payments, truth.Refunds, truth.Messages = slices.Clone(truth.Payments), slices.Clone(truth.Refunds), slices.Clone(truth.Messages)
		truth.Planted, truth.Calls = slices.Clone(truth.Planted), slices.Clone(truth.Calls)
		truth.Statement, truth.Cash = slices.Clone(truth.Statement), slices.Clone(truth.Cash)
		v.Truth = &truth
	}
	if v.History != nil {
		// What was hashed is left behind: a damaged history is judged and never compared.
		v.History = &sim.History{Entries: slices.Clone(v.History.Entries), Used: slices.Clone(v.History.Used), Moves: slices.Clone(v.History.Moves)}
	}
	v.Limits.Terms = maps.Clone(v.Limits.Terms)
	return v
}

func copyOf(t pg.Tables) pg.Tables {
	if t == nil {
		return nil
	}
	all := make(pg.Tables, len(t))
	for name, table := range t {
		rows := make([][]string, len(table.Rows))
		for i, r := range table.Rows {
			rows[i] = slices.Clone(r)
		}
		all[name] = pg.Table{Columns: slices.Clone(table.Columns), Rows: rows}
	}
	return all
}

// set writes one cell of a row that rows gave: its values are those of the table.
func (r row) set(column, value string) { r.values[r.columns[column]] = value }

// twice adds the first row of a table again. It answers false where there is none.
func twice(t pg.Tables, name string) bool {
	table := t["recon."+name]
	if len(table.Rows) == 0 {
		return false
	}
	table.Rows = append(table.Rows, slices.Clone(table.Rows[0]))
	t["recon."+name] = table
	return true
}

// without takes out the rows that match. It answers false where none does.
func without(t pg.Tables, name string, match func(r row) bool) bool {
	table := t["recon."+name]
	var kept [][]string
	for _, r := range rows(t, name) {
		if !match(r) {
			kept = append(kept, r.values)
		}
	}
	if len(kept) == len(table.Rows) {
		return false
	}
	table.Rows = kept
	t["recon."+name] = table
	return true
}
