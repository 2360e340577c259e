package pg

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// base is what the database held after its set-up: the rows of the migrations, and where the sequences stood.
type base struct {
	rows      []baseRows
	sequences []string // calls of setval
}

type baseRows struct {
	table  tableLayout
	rows   Table
	insert string
}

// Snapshot remembers what is in the database now as what Reset restores, and resets to it, so that the first run finds
// the same physical state as every later one. It is taken once, after migrations and InstallClock, and holds all rows in
// memory: set-up is small. Without Snapshot, Reset empties every table.
func (s *Sessions) Snapshot(ctx context.Context) error {
	s.sweep()
	s.watch.Lock()
	defer s.watch.Unlock()
	s.layout = nil
	s.untouch()
	l, err := s.look(ctx)
	if err != nil {
		return err
	}
	if s.base, err = s.copyOf(ctx, l); err != nil {
		return err
	}
	for range 2 { // the second finds what the first leaves, as every later one will
		if err := s.restore(ctx, l, s.base, true); err != nil {
			return err
		}
	}
	return nil
}

// copyOf reads all rows, by primary key, and where the sequences stand. Needs watch.
func (s *Sessions) copyOf(ctx context.Context, l *layout) (*base, error) {
	tables, err := s.readTables(ctx, l.tables)
	if err != nil {
		return nil, err
	}
	b := &base{}
	for _, t := range l.tables {
		if rows := tables[t.name]; len(rows.Rows) > 0 {
			b.rows = append(b.rows, baseRows{t, rows, insertAll(t, rows)})
		}
	}
	for _, q := range l.sequences {
		var call string
		err := s.monitor.QueryRow(ctx, "select format('setval(%L, %s, %L)', $1::text, last_value, is_called) from "+q, q).Scan(&call)
		if err != nil {
			return nil, fmt.Errorf("snapshot of sequence %s: %w", q, err)
		}
		b.sequences = append(b.sequences, call)
	}
	return b, nil
}

// insertAll is one statement that puts the rows back, generated columns left to the server.
func insertAll(t tableLayout, table Table) string {
	rows := make([]string, len(table.Rows))
	for i, row := range table.Each() {
		values := make([]string, len(t.stored))
		for j, c := range t.stored {
			if values[j] = "null"; !row.Null(c) {
				values[j] = quoteText(row[c])
			}
		}
		rows[i] = "(" + strings.Join(values, ", ") + ")"
	}
	return fmt.Sprintf("insert into %s (%s) overriding system value values %s", t.quoted, quoteNames(t.stored), strings.Join(rows, ", "))
}

// Reset brings the database back to the snapshot: rows, sequences, and the physical state, without which rows would come
// in another order after other runs. Sessions left in use are rolled back first. DELETE and VACUUM: TRUNCATE makes new files and takes
// three times as long, DELETE alone lets tables grow.
func (s *Sessions) Reset(ctx context.Context) error {
	s.sweep()
	ctx, cancel := context.WithTimeout(ctx, s.options.Patience)
	defer cancel()
	s.watch.Lock()
	defer s.watch.Unlock()
	l, err := s.look(ctx)
	if err != nil {
		return err
	}
	s.freshen()
	return s.restore(ctx, l, s.base, false)
}

// restore empties what is not empty on disk, or everything, and fills in b: in two round trips. Needs watch.
func (s *Sessions) restore(ctx context.Context, l *layout, b *base, everything bool) error {
	touched, err := s.touched(ctx, l, everything)
	if err == nil {
		err = s.tidy(ctx, append(s.emptying(touched), s.filling(l, b)...))
	}
	if err != nil {
		return fmt.Errorf("reset database %s: %w", s.database, err)
	}
	return nil
}

// filling puts the rows and sequences of b back.
func (s *Sessions) filling(l *layout, b *base) []string {
	var fill []string
	if b == nil {
		for _, q := range l.sequences {
			fill = append(fill, "alter sequence "+q+" restart")
		}
		return script(fill)
	}
	if s.replica && len(b.rows) > 0 {
		fill = append(fill, replicaRole)
	}
	fill = append(fill, s.shaken(b)...)
	if len(b.sequences) > 0 {
		fill = append(fill, "select "+strings.Join(b.sequences, ", "))
	}
	return script(fill)
}

// replicaRole switches triggers and foreign keys off for the transaction: append-only tables refuse deletes, and the rows of
// the base come in any order.
const replicaRole = "set local session_replication_role = replica"

// touched are the tables with something on disk, be it only dead rows: VACUUM gives back the pages of an empty one.
func (s *Sessions) touched(ctx context.Context, l *layout, everything bool) ([]tableLayout, error) {
	if everything || len(l.tables) == 0 {
		return l.tables, nil
	}
	x, err := s.cleaner(ctx)
	if err != nil {
		return nil, err
	}
	sized, err := x.queries([]string{sizedQuery(l.tables)})
	if err != nil {
		return nil, err
	}
	var out []tableLayout
	for _, t := range l.tables {
		if t.parts || slices.Contains(sized, strconv.FormatUint(uint64(t.oid), 10)) {
			out = append(out, t)
		}
	}
	return out, nil
}

// emptying deletes and vacuums. On a given server where triggers can't be switched off it truncates: slower, and such runs
// claim no replay. Where transactions may be SERIALIZABLE it truncates too.
func (s *Sessions) emptying(tables []tableLayout) []string {
	if len(tables) == 0 {
		return nil
	}
	var names []string
	deletes := []string{replicaRole}
	for _, t := range tables {
		names = append(names, t.quoted)
		deletes = append(deletes, "delete from "+t.quoted)
	}
	all := strings.Join(names, ", ")
	switch {
	case !s.replica:
		return []string{"truncate " + all + " cascade"}
	case s.options.Serializable:
		return script([]string{replicaRole, "truncate " + all + " cascade"})
	case s.leaves():
		return script(deletes)
	}
	return append(script(deletes), "vacuum ("+s.vacuuming()+") "+all)
}

// vacuuming are the options of VACUUM: all that an empty table needs, and nothing for the whole database.
func (s *Sessions) vacuuming() string {
	options := "index_cleanup on, truncate on"
	if s.server.version.major >= 16 {
		options += ", skip_database_stats"
	}
	return options
}

// script is statements as one text, which is one transaction; none where there are none.
func script(statements []string) []string {
	if len(statements) == 0 {
		return nil
	}
	return []string{strings.Join(statements, ";\n")}
}
