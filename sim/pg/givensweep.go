package pg

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// sweepDatabases drops the databases that dead runs of this machine left on a given server. Only one whose name or comment
// bears their owner is theirs.
func sweepDatabases(ctx context.Context, conn *pgx.Conn, superuser bool, logf func(string, ...any)) error {
	rows, err := conn.Query(ctx, `
		SELECT datname, coalesce(shobj_description(oid, 'pg_database'), '') FROM pg_database
		WHERE starts_with(datname, $1) ORDER BY datname`, givenPrefix)
	if err != nil {
		return fmt.Errorf("look for databases of dead runs: %w", err)
	}
	type found struct{ Name, Comment string }
	databases, err := pgx.CollectRows(rows, pgx.RowToStructByPos[found])
	if err != nil {
		return fmt.Errorf("look for databases of dead runs: %w", err)
	}
	for _, d := range databases {
		owner, ok := ownerOfDatabase(d.Name, d.Comment)
		if !ok || !owner.dead() {
			continue
		}
		if err := dropLeftover(ctx, conn, d.Name, superuser); err != nil {
			logf("database %s, left by a dead run, is not to be removed: %v", d.Name, err)
			continue
		}
		logf("dropped database %s, left by a run (process %d) that is dead", d.Name, owner.pid)
	}
	return nil
}

func ownerOfDatabase(name, comment string) (runOwner, bool) {
	if text, ok := strings.CutPrefix(name, ownedDatabasePrefix); ok {
		return parseOwner(text)
	}
	text, ok := strings.CutPrefix(comment, ownedCommentPrefix)
	if !ok {
		return runOwner{}, false
	}
	text, _, _ = strings.Cut(text, " ")
	return parseOwner(text)
}

// dropLeftover first wakes the database's backends: a stopped one would not hear that it has to leave.
func dropLeftover(ctx context.Context, conn *pgx.Conn, name string, superuser bool) error {
	if superuser {
		wake := "COPY (SELECT pid FROM pg_stat_activity WHERE datname = " + quoteText(name) + ") TO PROGRAM " +
			quoteText(`while read -r p; do kill -CONT "$p"; done; exit 0`)
		if _, err := conn.Exec(ctx, wake); err != nil {
			return err
		}
	}
	_, err := conn.Exec(ctx, dropDatabaseStatement(name))
	return err
}
