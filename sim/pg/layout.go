package pg

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// layout is what the catalogue says there is: found, never listed by hand, so a new table can't be forgotten in a reset or
// hidden from the oracles.
type layout struct {
	tables    []tableLayout
	sequences []string // quoted, in order
	catalogue *catalogue
}

type tableLayout struct {
	oid     uint32
	parts   bool     // it is partitioned, so its own size says nothing
	name    string   // schema.table
	quoted  string   // "schema"."table"
	columns []string // in order
	stored  []string // those of them that an INSERT may name
	query   string   // all rows by primary key
}

// look reads the catalogue unless it is known. Needs watch.
func (s *Sessions) look(ctx context.Context) (*layout, error) {
	if s.layout != nil {
		return s.layout, nil
	}
	l := &layout{}
	rows, err := s.monitor.Query(ctx, `
		select c.oid, relkind = 'p', nspname, relname,
			array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped order by attnum),
			array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum),
			array(select attname::text from pg_index, unnest(indkey) with ordinality as k(attnum, place) join pg_attribute a on a.attnum = k.attnum
				where indrelid = c.oid and indisprimary and a.attrelid = c.oid order by place)
		from pg_class c join pg_namespace n on n.oid = relnamespace
		where relkind in ('r', 'p') and not relispartition and relpersistence <> 't' and `+ownSchemas+`
		order by nspname, relname`)
	if err != nil {
		return nil, fmt.Errorf("look for the tables of database %s: %w", s.database, err)
	}
	var oid uint32
	var parts bool
	var schema, name string
	var columns, stored, key []string
	_, err = pgx.ForEachRow(rows, []any{&oid, &parts, &schema, &name, &columns, &stored, &key}, func() error {
		if len(key) == 0 && !s.options.Keyless {
			return fmt.Errorf("table %s.%s has no primary key, so its rows have no order; accepted are tables with one, and others with SessionOptions.Keyless", schema, name)
		}
		t := tableLayout{oid: oid, parts: parts, name: schema + "." + name, quoted: quoteName(schema) + "." + quoteName(name),
			columns: append([]string(nil), columns...), stored: append([]string(nil), stored...)}
		t.query = "select " + quoteNames(columns) + " from " + t.quoted + ` as "recondrill row" order by ` + orderOf(key)
		l.tables = append(l.tables, t)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for the tables of database %s: %w", s.database, err)
	}
	rows, err = s.monitor.Query(ctx, `select quote_ident(schemaname) || '.' || quote_ident(sequencename) from pg_sequences order by schemaname, sequencename`)
	if err != nil {
		return nil, fmt.Errorf("look for the sequences of database %s: %w", s.database, err)
	}
	if l.sequences, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return nil, fmt.Errorf("look for the sequences of database %s: %w", s.database, err)
	}
	if l.catalogue, err = newCatalogue(ctx, s.monitor); err != nil {
		return nil, fmt.Errorf("database %s: %w", s.database, err)
	}
	s.layout = l
	return l, nil
}

// orderOf is by the primary key, and where there is none by the whole row as text: rows that are equal then may come in any
// order.
func orderOf(key []string) string {
	if len(key) == 0 {
		return `"recondrill row"::text`
	}
	return quoteNames(key)
}

func quoteNames(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = quoteName(n)
	}
	return strings.Join(out, ", ")
}

// relayout lets the catalogue be read again: a statement of the run changed it.
func (s *Sessions) relayout() {
	s.watch.Lock()
	defer s.watch.Unlock()
	s.layout = nil
	s.untouch()
}
