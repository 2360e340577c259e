package postgres_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine/postgres"
)

func TestRecordsFault_OnlyWhatTheRecordItselfIsWrongAbout(t *testing.T) {
	answer := func(code string) error {
		return fmt.Errorf("FinishJob: %w", &pgconn.PgError{SeverityUnlocalized: "ERROR", Code: code})
	}
	for _, code := range []string{"21000", "22P02", "22003", "23505", "23514", "23001", "54000", "P0001"} {
		require.True(t, postgres.RecordsFault(answer(code)), code)
	}
	for what, code := range map[string]string{
		"a grant is missing": "42501", "a table is missing": "42P01", "a column is missing": "42703", "a function is missing": "42883",
		"a plan is of the schema before": "0A000", "the disk is full": "53100", "too many sessions": "53300", "shutting down": "57P01",
		"cancelled": "57014", "read only": "25006", "deadlock": "40P01", "cannot be serialised": "40001", "lock not available": "55P03",
		"input and output": "58030", "a connection": "08006", "the server's own fault": "XX000",
	} {
		require.False(t, postgres.RecordsFault(answer(code)), what)
	}
	for _, err := range []error{postgres.ErrInconsistent, postgres.ErrUnreadable, postgres.ErrBookedOtherwise, pgx.ScanArgError{Err: errors.New("x")}} {
		require.True(t, postgres.RecordsFault(fmt.Errorf("x: %w", err)), "%v", err)
	}
	for _, err := range []error{nil, errors.New("broken pipe"), postgres.ErrStale, fmt.Errorf("%w: %w", postgres.ErrCommitUnknown, answer("22003"))} {
		require.False(t, postgres.RecordsFault(err), "%v", err)
	}
}
