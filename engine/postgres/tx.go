package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// What a transaction can come to besides an error of its statements.
var (
	// ErrNotCommitted: the COMMIT had no answer, and under the lock its work was not there. Duty: the whole business
	// transaction may be done again while the claim lasts; the COMMIT alone may not.
	ErrNotCommitted = errors.New("surely not committed")
	// ErrCommitUnknown: the COMMIT had no answer and reading it back had none in time. Duty: stop; do not call
	// outside, do not write again under this claim. The record's lease will end and the next claim sees what is there.
	ErrCommitUnknown = errors.New("nobody can tell whether it was committed")
)

// txOptions names a transaction and says how to find out what became of it.
type txOptions struct {
	Name string
	// ReadBack tells whether the work is there. It must first take the claim's row with SELECT … FOR UPDATE: the
	// COMMIT in flight holds that row, and an answer without the lock may come before it lands. What is decided by
	// other rows needs a second statement, since a snapshot is older than the wait for the lock. engine.ErrLeaseLost:
	// others wrote the record since, so that it does not show any more what became of ours. Nil: the work is idempotent
	// by its own keys, and a lost COMMIT is reported as ErrCommitUnknown at once.
	ReadBack func(ctx context.Context, q *queries.Queries) (committed bool, err error)
}

// inTx runs work in one transaction. An error of work rolls back and comes back as it is. After nil the work is
// committed, whatever happened to the COMMIT's answer.
func (d *DB) inTx(ctx context.Context, o txOptions, work func(ctx context.Context, q *queries.Queries) error) error {
	lost, err := d.tryTx(ctx, o.Name, work)
	switch {
	case !lost:
		return err
	case o.ReadBack == nil:
		return fmt.Errorf("%s: %w: %w", o.Name, ErrCommitUnknown, err)
	default:
		return d.readBack(ctx, o, err)
	}
}

// tryTx is one try; lost says that the COMMIT was sent, or may have been, and has no answer that can be trusted.
func (d *DB) tryTx(ctx context.Context, name string, work func(ctx context.Context, q *queries.Queries) error) (lost bool, err error) {
	ctx, cancel := d.rt.WithTimeout(ctx, d.options.StatementMax)
	defer cancel()
	conn, release, err := d.connection(ctx)
	if err != nil {
		return false, fmt.Errorf("%s: %w", name, err)
	}
	defer release()
	tx, err := conn.Begin(ctx)
	if err != nil {
		return false, fmt.Errorf("%s: begin: %w", name, err)
	}
	if err := work(ctx, queries.New(tx)); err != nil {
		// pgx closes a connection whose rollback fails; the server then rolls back by itself.
		_ = tx.Rollback(ctx)
		return false, fmt.Errorf("%s: %w", name, err)
	}
	err = tx.Commit(ctx)
	switch {
	case err == nil:
		return false, nil
	case surelyRolledBack(err):
		return false, fmt.Errorf("%s: commit: %w", name, err)
	default:
		discard(ctx, conn)
		return true, err
	}
}

// surelyRolledBack tells a COMMIT that the server refused from one whose answer is lost. A FATAL answer ends the
// session and may come after the commit, so it proves nothing; the driver's own "safe to retry" neither.
func surelyRolledBack(err error) bool {
	if errors.Is(err, pgx.ErrTxCommitRollback) {
		return true
	}
	var answer *pgconn.PgError
	return errors.As(err, &answer) && answer.SeverityUnlocalized == "ERROR" && answer.Code != "40003"
}

// discard makes sure that the connection of a lost COMMIT is never used again.
func discard(ctx context.Context, conn *pgxpool.Conn) {
	if !conn.Conn().IsClosed() {
		_ = conn.Conn().Close(ctx)
	}
}

// readBack asks, over new connections and until its own deadline, what became of a COMMIT. The caller's context does
// not end it: what was sent must be found out even while the process drains.
func (d *DB) readBack(ctx context.Context, o txOptions, cause error) error {
	ctx, cancel := d.rt.WithTimeout(context.WithoutCancel(ctx), d.options.ReadBackMax)
	defer cancel()
	for {
		committed := false
		// A lost COMMIT of the read-back itself loses nothing: it wrote nothing, and the answer came under the lock.
		_, err := d.tryTx(ctx, o.Name+" read back", func(ctx context.Context, q *queries.Queries) (err error) {
			committed, err = o.ReadBack(ctx, q)
			if err == nil {
				return errAnswered
			}
			return err
		})
		switch {
		case errors.Is(err, engine.ErrLeaseLost):
			return fmt.Errorf("%w; its last COMMIT: %w", err, cause)
		case !errors.Is(err, errAnswered):
			if d.rt.Sleep(ctx, d.options.ReadBackPause) != nil {
				return fmt.Errorf("%s: %w: %w; last look: %w", o.Name, ErrCommitUnknown, cause, err)
			}
		case committed:
			return nil
		default:
			return fmt.Errorf("%s: %w: %w", o.Name, ErrNotCommitted, cause)
		}
	}
}

// errAnswered ends a read-back by rolling back: it had nothing to commit.
var errAnswered = errors.New("answered under the lock")
