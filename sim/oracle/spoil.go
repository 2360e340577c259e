package oracle

import (
	"slices"
	"strconv"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/pg"
)

// copied is a view whose tables and whose truth of acts can be damaged without the original noticing. The history, the
// earlier tables and the limits are the original's own: whoever damages one puts another in its place.
func (v View) copied() View {
	v.Tables = copyOf(v.Tables)
	if v.Truth != nil {
		truth := *v.Truth
		truth.Payments, truth.Refunds, truth.Messages = slices.Clone(truth.Payments), slices.Clone(truth.Refunds), slices.Clone(truth.Messages)
		truth.Planted, truth.Calls = slices.Clone(truth.Planted), slices.Clone(truth.Calls)
		v.Truth = &truth
	}
	return v
}

// retell puts another history into the view. What was hashed is left behind: it is judged, and never compared.
func (v *View) retell(entries []sim.Entry) { v.History = &sim.History{Entries: entries} }

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

// oneMore adds one to a number of the first row of a table. It answers false where there is none.
func oneMore(t pg.Tables, name, column string) bool {
	for _, r := range rows(t, name) {
		var ignored seen
		r.set(column, strconv.FormatInt(ignored.number(r, column)+1, 10))
		return true
	}
	return false
}

// inState puts the first record of these tables into a state. It answers false where there is none.
func inState(t pg.Tables, state string, names ...string) bool {
	for _, name := range names {
		for _, r := range rows(t, name) {
			r.set("state", state)
			return true
		}
	}
	return false
}

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

// made is a row for a table: these columns, and NULL in the others.
func made(t pg.Table, values map[string]string) []string {
	row := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		value, given := values[column]
		if row[i] = null; given {
			row[i] = value
		}
	}
	return row
}
