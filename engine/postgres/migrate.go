package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one file of migrations/, named NNNN_noun.sql.
type migration struct {
	version int
	name    string
	sql     string
}

// migrationLock keeps two migrating processes apart; any constant serves.
const migrationLock = 7_261_120_261

// Migrate brings the database to this build's schema, all in one transaction, and is idempotent. A database that is
// newer than this build is refused. Whoever runs it must be allowed to create roles and a schema.
func Migrate(ctx context.Context, cfg *pgx.ConnConfig) error {
	all, err := migrations(migrationFiles)
	if err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer conn.Close(ctx)
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return migrate(ctx, tx, all) })
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

func migrate(ctx context.Context, tx pgx.Tx, all []migration) error {
	if _, err := tx.Exec(ctx, "select pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
		return err
	}
	done, err := applied(ctx, tx)
	if err != nil {
		return err
	}
	if newest := len(all); len(done) > newest {
		return fmt.Errorf("the database is at version %d, this build knows %d: deploy a newer build", len(done), newest)
	}
	for _, m := range all[len(done):] {
		if _, err := tx.Exec(ctx, m.sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("%s: %w", m.name, hinted(err))
		}
		if _, err := tx.Exec(ctx, "insert into recon.schema_migration (version, name) values ($1, $2)", m.version, m.name); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}

// hinted adds the server's hint, which says what would be accepted.
func hinted(err error) error {
	var answer *pgconn.PgError
	if errors.As(err, &answer) && answer.Hint != "" {
		return fmt.Errorf("%w; %s", err, answer.Hint)
	}
	return err
}

// applied are the names of the migrations that are there, in order; none where the schema does not exist yet.
func applied(ctx context.Context, tx pgx.Tx) ([]string, error) {
	var exists bool
	if err := tx.QueryRow(ctx, "select to_regclass('recon.schema_migration') is not null").Scan(&exists); err != nil || !exists {
		return nil, err
	}
	rows, err := tx.Query(ctx, "select name from recon.schema_migration order by version")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// migrations reads the files in order; their numbers must be 1, 2, 3 … without a gap.
func migrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var all []migration
	for i, name := range names {
		base := path.Base(name)
		number, _, _ := strings.Cut(base, "_")
		version, err := strconv.Atoi(number)
		if err != nil || version != i+1 {
			return nil, fmt.Errorf("migration %s: accepted here is a name that begins with %04d_", base, i+1)
		}
		sql, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		all = append(all, migration{version, base, string(sql)})
	}
	return all, nil
}
