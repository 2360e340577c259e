package pg

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// CheckFootprints makes every statement of later runs be held against the locks on relations that the server has taken for
// it. A lock that its footprint does not name fails the run. It costs round trips, so it is for tests. Statements of a flush that
// commits by itself are looked at before their Sync.
func (s *Sessions) CheckFootprints(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checking = on
}

func (s *Sessions) checks() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.checking
}

// MissedLockError is a lock that a footprint does not name.
type MissedLockError struct {
	Label    string // of the statement after which it was seen
	Relation string
	Mode     string // as pg_locks has it
	SQL      string
}

func (e *MissedLockError) Error() string {
	return fmt.Sprintf("footprint of %s: the server holds %s on %s, which the footprint of the transaction does not name (footprints must name all that is touched); the statement: %s",
		e.Label, e.Mode, e.Relation, strings.Join(strings.Fields(e.SQL), " "))
}

// locksHeld are the locks on relations of one backend; an index's or a toast table's counts as its table's.
const locksHeld = `
	select nspname, c.relname, mode
	from pg_locks l left join pg_index i on i.indexrelid = l.relation
		left join pg_class t on t.reltoastrelid = coalesce(i.indrelid, l.relation)
		join pg_class c on c.oid = coalesce(t.oid, i.indrelid, l.relation) join pg_namespace n on n.oid = c.relnamespace
	where l.pid = $1 and l.locktype = 'relation' and l.granted and l.database = (select oid from pg_database where datname = current_database())
		and nspname !~ '^pg_temp'
	order by 1, 2, 3`

// checkFoot compares what the session holds with what its transaction has touched by its texts.
func (s *Sessions) checkFoot(x *exchange, t *touch) error {
	if t.all {
		return nil
	}
	var missed *MissedLockError
	err := s.ask(func(ctx context.Context) error {
		rows, err := s.monitor.Query(ctx, locksHeld, int32(x.on.pid))
		if err != nil {
			return err
		}
		var schema, name, mode string
		_, err = pgx.ForEachRow(rows, []any{&schema, &name, &mode}, func() error {
			thing := schema + "." + name
			if schema == "pg_catalog" || schema == "information_schema" {
				thing = thingCatalogue
			}
			if missed == nil && !t.covers(thing, mode) {
				missed = &MissedLockError{Label: x.f.label(), Relation: thing, Mode: mode, SQL: x.f.executes[0].sql}
			}
			return nil
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("check the footprint of %s: %w", x.f.label(), err)
	}
	if missed != nil {
		return missed
	}
	s.count(func(c *Counts) { c.Checked++ })
	return nil
}

// covers says that a lock in that mode on a thing is named; readers of tables and lockers of rows take the weakest two. The
// server reads its catalogue for itself at any time, and only what changes it could tell, which touches everything.
func (t *touch) covers(thing, mode string) bool {
	if thing == thingCatalogue && mode == "AccessShareLock" {
		return true
	}
	_, written := t.writes[thing]
	_, read := t.reads[thing]
	_, shared := t.shares[thing]
	weak := mode == "AccessShareLock" || mode == "RowShareLock"
	return written || weak && (read || shared)
}
