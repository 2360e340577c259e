package pg

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
)

func itsSettingsAreThoseOfTheTable(t *testing.T, s *Server) {
	require.NoError(t, s.CreateDatabase(t.Context(), "recondrill_settings"))
	conn := connect(t, s.ConnString("recondrill_settings"))
	defer conn.Close(context.Background())
	for _, setting := range serverSettings() {
		if setting.since > s.version.major || s.given != nil && setting.scope == atStart {
			continue
		}
		var value string
		require.NoError(t, conn.QueryRow(t.Context(), "SHOW "+setting.name).Scan(&value))
		require.Equal(t, setting.value, value, setting.name)
	}
}

func aLockWaitIsToldToTheWaitingSession(t *testing.T, s *Server) {
	require.NoError(t, s.CreateDatabase(t.Context(), "recondrill_waits"))
	holder := connect(t, s.ConnString("recondrill_waits"))
	defer holder.Close(context.Background())
	config, err := pgx.ParseConfig(s.ConnString("recondrill_waits"))
	require.NoError(t, err)
	told := make(chan string, 10)
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { told <- n.SeverityUnlocalized + " " + n.Message }
	waiter, err := pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	defer waiter.Close(context.Background())

	_, err = holder.Exec(t.Context(), "BEGIN; SELECT pg_advisory_xact_lock(1)")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := waiter.Exec(context.Background(), "SELECT pg_advisory_lock(1)")
		done <- err
	}()
	notice := <-told
	require.True(t, strings.HasPrefix(notice, "LOG ") && strings.Contains(notice, " still waiting for "), notice)
	_, err = holder.Exec(t.Context(), "COMMIT")
	require.NoError(t, err)
	require.NoError(t, <-done)
}

func TestSettings_OneUnknownToAVersionIsNotGivenToIt(t *testing.T) {
	require.NotContains(t, strings.Join(startArguments(15), " "), "io_method")
	require.Contains(t, strings.Join(startArguments(18), " "), "io_method=sync")
	for _, setting := range databaseSettings(18, false) {
		require.Equal(t, perDatabase, setting.scope, setting.name)
	}
}
