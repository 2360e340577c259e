package pg

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// Dump reads every table of the database, found in the catalogue, in one round trip. A table without primary key is an
// error. It is for moments when nothing of the run is under way: each table is read by its own snapshot.
func (s *Sessions) Dump(ctx context.Context) (Tables, error) {
	ctx, cancel := context.WithTimeout(ctx, s.options.Patience)
	defer cancel()
	s.watch.Lock()
	defer s.watch.Unlock()
	l, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	return s.readTables(ctx, l.tables)
}

// readTables needs watch. The statements stay prepared: planning them would cost more than running them.
func (s *Sessions) readTables(ctx context.Context, tables []tableLayout) (Tables, error) {
	batch := &pgconn.Batch{}
	for _, t := range tables {
		d, err := s.monitor.Prepare(ctx, t.query, t.query)
		if err != nil {
			return nil, fmt.Errorf("dump %s: %w", t.name, err)
		}
		batch.ExecPrepared(d.Name, nil, nil, nil) // result formats: none = all text
	}
	results := s.monitor.PgConn().ExecBatch(ctx, batch)
	out := make(Tables, len(tables))
	for i := 0; results.NextResult(); i++ {
		rows := [][]string{}
		for r := results.ResultReader(); r.NextRow(); {
			rows = append(rows, rowText(r.Values()))
		}
		out[tables[i].name] = Table{Columns: tables[i].columns, Rows: rows}
	}
	if err := results.Close(); err != nil {
		return nil, fmt.Errorf("dump database %s: %w", s.database, err)
	}
	if len(out) != len(tables) {
		return nil, fmt.Errorf("dump database %s: %d of %d tables came back", s.database, len(out), len(tables))
	}
	return out, nil
}

func rowText(values [][]byte) []string {
	row := make([]string, len(values))
	for i, v := range values {
		if row[i] = null; v != nil {
			row[i] = string(v)
		}
	}
	return row
}
