package pg

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// signalsOf are all the ways by which backends of a server can be signalled, not only the one it chose.
func signalsOf(t *testing.T, s *Server) []signaller {
	ways := []signaller{s.signals}
	if s.How() == "container" {
		daemon, err := findDocker(t.Context())
		require.NoError(t, err)
		t.Cleanup(func() { _ = daemon.Close() })
		boxes, err := daemon.containers(t.Context(), labelServer+"="+thisOwner().directoryName(testRun))
		require.NoError(t, err)
		require.Len(t, boxes, 1)
		exec, err := newExecSignaller(t.Context(), daemon, boxes[0].ID)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, exec.close()) })
		ways = append(ways, exec)
	}
	if s.SignalWay() != "sql" {
		sql, err := newSQLSignaller(t.Context(), s.admin.Config())
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, sql.close()) })
		ways = append(ways, sql)
	}
	return ways
}

func stopIsCertainWhenItReturns(t *testing.T, s *Server) {
	const rounds = 50
	conn := connect(t, s.ConnString("postgres"))
	defer conn.Close(context.Background())
	pid := int(conn.PgConn().PID())
	_, err := conn.Exec(t.Context(), "CREATE TEMP TABLE busy AS SELECT 1")
	require.NoError(t, err)
	for _, signals := range signalsOf(t, s) {
		var took []time.Duration
		for range rounds {
			start := time.Now()
			require.NoError(t, signals.stop(pid))
			took = append(took, time.Since(start))
			if runtime.GOOS == "linux" {
				require.Equal(t, "T", backendState(t, s, pid))
			}
			require.NoError(t, signals.cont(pid))
		}
		slices.Sort(took)
		fmt.Fprintf(os.Stderr, "=== %s %s, stop through %s: p50 %v, max %v\n", s.How(), s.Version(), signals.way(), took[len(took)/2], took[len(took)-1])
		_, err := conn.Exec(t.Context(), "SELECT 1")
		require.NoError(t, err, "a continued backend must answer")
	}
}

// backendState asks the server's own machine, by a way that is not the tested one.
func backendState(t *testing.T, s *Server, pid int) string {
	var state string
	err := s.admin.QueryRow(t.Context(), "SELECT (regexp_match(pg_read_file('/proc/' || $1::int || '/stat', 0, 200), '\\) (.)'))[1]", pid).Scan(&state)
	require.NoError(t, err)
	return state
}

func aStoppedBackendAnswersOnlyAfterContinue(t *testing.T, s *Server) {
	conn := connect(t, s.ConnString("postgres"))
	defer conn.Close(context.Background())
	pid := int(conn.PgConn().PID())
	require.NoError(t, s.Stop(pid))
	answered := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.Background(), "SELECT 1")
		answered <- err
	}()
	// Another session's round trips are the measure of time here.
	for range 20 {
		query(t, s.ConnString("postgres"), "SELECT 'x'")
	}
	require.Empty(t, answered)
	require.NoError(t, s.Continue(pid))
	require.NoError(t, <-answered)
}

func processesThatAreNoBackendsAreNotSignalled(t *testing.T, s *Server) {
	conn := connect(t, s.ConnString("postgres"))
	ended := int(conn.PgConn().PID())
	require.NoError(t, s.Stop(ended))
	require.NoError(t, s.Continue(ended))
	require.NoError(t, conn.Close(t.Context()))
	query(t, s.ConnString("postgres"), fmt.Sprintf("DO $$ BEGIN WHILE EXISTS (SELECT FROM pg_stat_activity WHERE pid = %d) LOOP PERFORM pg_stat_clear_snapshot(); END LOOP; END $$", ended))
	for _, signals := range signalsOf(t, s) {
		require.ErrorIs(t, signals.stop(os.Getpid()), ErrNoBackend, "%s: ourselves", signals.way())
		require.ErrorIs(t, signals.stop(1), ErrNoBackend, "%s: process 1", signals.way())
		require.ErrorIs(t, signals.stop(ended), ErrNoBackend, "%s: one that has ended", signals.way())
		require.ErrorIs(t, signals.cont(ended), ErrNoBackend, "%s: one that has ended", signals.way())
	}
}
