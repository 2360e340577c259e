package pg

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
)

// null is NULL in a dump and in keys, as COPY writes it.
const null = `\N`

// Tables are the rows of a database as text, by schema.table.
type Tables map[string]Table

// Table is one of them. Values have the server's text form (dates ISO in UTC, bytea hex), NULL is \N. Rows are in the order
// of the primary key.
type Table struct {
	Columns []string
	Rows    [][]string
}

// Names in order.
func (t Tables) Names() []string {
	out := make([]string, 0, len(t))
	for name := range t {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Hash is over all names, columns and rows, but for the columns named as schema.table.column: what says which server this
// is (its system identifier, its timeline) differs between servers of one run.
func (t Tables) Hash(except ...string) string {
	h := sha256.New()
	var b []byte
	put := func(s string) {
		b = append(strconv.AppendInt(b, int64(len(s)), 10), ':')
		b = append(b, s...)
	}
	for _, name := range t.Names() {
		b = b[:0]
		put(name)
		var hashed []int
		for i, c := range t[name].Columns {
			if !slices.Contains(except, name+"."+c) {
				hashed = append(hashed, i)
				put(c)
			}
		}
		for _, row := range t[name].Rows {
			b = append(b, '\n')
			for _, i := range hashed {
				put(row[i])
			}
		}
		b = append(b, '\n')
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Difference names the first table, row and column in which two dumps part, "" where they are the same.
func (t Tables) Difference(u Tables) string {
	if a, b := t.Names(), u.Names(); !slices.Equal(a, b) {
		return fmt.Sprintf("the tables %v and %v", a, b)
	}
	for _, name := range t.Names() {
		a, b := t[name], u[name]
		if !slices.Equal(a.Columns, b.Columns) {
			return fmt.Sprintf("%s: the columns %v and %v", name, a.Columns, b.Columns)
		}
		for i := range min(len(a.Rows), len(b.Rows)) {
			for j, c := range a.Columns {
				if a.Rows[i][j] != b.Rows[i][j] {
					return fmt.Sprintf("%s row %d (%s) column %s: %q and %q", name, i+1, a.Rows[i][0], c, a.Rows[i][j], b.Rows[i][j])
				}
			}
		}
		if len(a.Rows) != len(b.Rows) {
			return fmt.Sprintf("%s: %d and %d rows", name, len(a.Rows), len(b.Rows))
		}
	}
	return ""
}

// Col is the index of a column. A name that is not there is a mistake of the program, hence a panic.
func (t Table) Col(name string) int {
	if i := slices.Index(t.Columns, name); i >= 0 {
		return i
	}
	panic(fmt.Sprintf("pg.Table: no column %q; there are %v", name, t.Columns))
}

// Each gives the rows by name of column.
func (t Table) Each() []Row {
	out := make([]Row, len(t.Rows))
	for i, values := range t.Rows {
		row := make(Row, len(values))
		for j, v := range values {
			row[t.Columns[j]] = v
		}
		out[i] = row
	}
	return out
}

// Row is one row by name of column.
type Row map[string]string

// Text is a value; "" for NULL. A column that is not there is a mistake of the program, hence a panic.
func (r Row) Text(column string) string {
	v, ok := r[column]
	if !ok {
		panic(fmt.Sprintf("pg.Row: no column %q", column))
	}
	if v == null {
		return ""
	}
	return v
}

// Null says whether a value is NULL.
func (r Row) Null(column string) bool { return r[column] == null }

// Bool is a boolean value; false for NULL.
func (r Row) Bool(column string) bool { return r.Text(column) == "t" }

// Int is a whole number. NULL and anything else is an error: no value ever becomes a silent zero.
func (r Row) Int(column string) (int64, error) {
	n, err := strconv.ParseInt(r.Text(column), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("column %s: %q is no whole number", column, r[column])
	}
	return n, nil
}
