package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim/pg"
)

// seen collects a finding and reads rows for it: what cannot be read is a violation of its own.
type seen struct {
	Finding
	oracle string
}

// look counts one thing that could have been wrong.
func (s *seen) look() { s.Checked++ }

// broke reports a violation; the caller may add what it costs before it reports the next one.
func (s *seen) broke(record, format string, args ...any) *Violation {
	s.Violations = append(s.Violations, Violation{Oracle: s.oracle, Record: record, Text: fmt.Sprintf(format, args...)})
	return &s.Violations[len(s.Violations)-1]
}

// row is one row of a table by column.
type row struct {
	table   string
	columns map[string]int
	values  []string
}

// null is NULL in a dump.
const null = `\N`

// rows are a table's, which need not be there: a world without intents has none.
func rows(t pg.Tables, name string) []row {
	table := t["recon."+name]
	columns := make(map[string]int, len(table.Columns))
	for i, c := range table.Columns {
		columns[c] = i
	}
	out := make([]row, len(table.Rows))
	for i, values := range table.Rows {
		out[i] = row{name, columns, values}
	}
	return out
}

// text is a value, empty for NULL. A column that is not there is a mistake of this package.
func (r row) text(column string) string {
	i, ok := r.columns[column]
	if !ok {
		panic("oracle: table " + r.table + " has no column " + column)
	}
	if r.values[i] == null {
		return ""
	}
	return r.values[i]
}

// key joins columns into one name: a/b/c.
func (r row) key(columns ...string) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = r.text(c)
	}
	return strings.Join(parts, "/")
}

// number reads a whole number.
func (s *seen) number(r row, column string) int64 {
	n, err := strconv.ParseInt(r.text(column), 10, 64)
	if err != nil {
		s.broke(r.table+":"+r.values[0], "%s of %s is %q, which is no whole number", column, r.table, r.text(column))
	}
	return n
}

// timeText is how the server prints a timestamptz in UTC; a fraction may follow the seconds.
const timeText = "2006-01-02 15:04:05-07"

// exactTimeText is timeText with its fraction.
const exactTimeText = "2006-01-02 15:04:05.999999-07"

// when reads a time; NULL is the zero time.
func (s *seen) when(r row, column string) time.Time {
	text := r.text(column)
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse(timeText, text)
	if err != nil {
		s.broke(r.table+":"+r.values[0], "%s of %s is %q, which is no time", column, r.table, text)
	}
	return t
}

// by indexes rows by columns; of several the last one wins, which other oracles report.
func by(all []row, columns ...string) map[string]row {
	index := make(map[string]row, len(all))
	for _, r := range all {
		index[r.key(columns...)] = r
	}
	return index
}

// stamp prints an instant.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// oneOf says whether a word is among words.
func oneOf(word string, words ...string) bool { return slices.Contains(words, word) }
