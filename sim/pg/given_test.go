package pg

import (
	"context"
	"fmt"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"
)

func TestGiven_AServerThatIsNotMarkedIsRefusedNamingTheStatement(t *testing.T) {
	host := anyServer(t)
	query(t, host.ConnString("postgres"), `CREATE DATABASE "the app"`)
	query(t, host.ConnString("postgres"), `COMMENT ON DATABASE "the app" IS 'recondrill: drills allowed some day'`)
	_, err := Open(t.Context(), Options{How: host.ConnString("the app"), Run: testRun})
	var unmarked *NotMarkedError
	require.ErrorAs(t, err, &unmarked)
	require.ErrorContains(t, err, `COMMENT ON DATABASE "the app" IS 'recondrill: drills allowed'`)
	require.Empty(t, query(t, host.ConnString("postgres"), "SELECT datname FROM pg_database WHERE datname LIKE 'recondrill%'"))
}

func TestGiven_AUserWhoMayNotCreateDatabasesIsRefused(t *testing.T) {
	host := markedHost(t)
	query(t, host.ConnString("postgres"), "CREATE ROLE walker LOGIN")
	_, err := Open(t.Context(), Options{How: as(host, "walker"), Run: testRun})
	var refused *RefusedError
	require.ErrorAs(t, err, &refused)
	require.ErrorContains(t, err, `ALTER ROLE "walker" CREATEDB`)
}

func TestGiven_WithoutASuperuserThereIsNoStopModeButADatabase(t *testing.T) {
	host := markedHost(t)
	query(t, host.ConnString("postgres"), "CREATE ROLE builder LOGIN CREATEDB")
	s, err := Open(t.Context(), Options{How: as(host, "builder"), Run: testRun, Log: t.Logf})
	require.NoError(t, err)
	require.False(t, s.CanStop())
	require.ErrorContains(t, s.Stop(1), "no stop mode")
	require.NoError(t, s.CreateDatabase(t.Context(), "recondrill_test"))
	require.Equal(t, []string{"log"}, query(t, s.ConnString("recondrill_test"), "SHOW client_min_messages"))
	require.NoError(t, s.Close(t.Context()))
	require.Empty(t, query(t, host.ConnString("postgres"), "SELECT datname FROM pg_database WHERE datname LIKE 'recondrill%'"))
}

func TestGiven_ItsOwnDatabasesAreOutOfReach(t *testing.T) {
	s := openGivenForTest(t)
	require.Error(t, s.CreateDatabase(t.Context(), "staging2"))
	require.Error(t, s.DropDatabase(t.Context(), "staging"))
	require.NotEmpty(t, query(t, s.ConnString("staging"), "SELECT 'still there'"))
}

func TestGiven_ARoleThatOverridesASettingIsNamed(t *testing.T) {
	host := markedHost(t)
	query(t, host.ConnString("postgres"), "ALTER ROLE postgres SET deadlock_timeout = '5s'")
	s, err := Open(t.Context(), Options{How: host.ConnString("staging"), Run: testRun})
	require.NoError(t, err)
	err = s.CreateDatabase(t.Context(), "recondrill_test")
	var refused *RefusedError
	require.ErrorAs(t, err, &refused)
	require.ErrorContains(t, err, `ALTER ROLE "postgres" RESET deadlock_timeout`)
	require.NoError(t, s.Close(t.Context()))
}

func TestGiven_DSNsThatCannotBeDrilledOnAreRefused(t *testing.T) {
	for dsn, why := range map[string]string{
		"postgres://u:secret@h:70000/db":                         "cannot be read",
		"host=a,b port=1,2 sslmode=disable":                      "several servers",
		"postgres://u:secret@example.invalid/db?sslmode=require": "sslmode=disable",
	} {
		_, err := Open(t.Context(), Options{How: dsn, Run: testRun})
		var refused *RefusedError
		require.ErrorAs(t, err, &refused, dsn)
		require.ErrorContains(t, err, why)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestGiven_AServerThatDoesNotAnswerIsNoWay(t *testing.T) {
	_, err := Open(t.Context(), Options{How: "host=" + t.TempDir() + " user=u password=secret dbname=d", Run: testRun})
	require.ErrorIs(t, err, ErrNoWay)
	require.NotContains(t, err.Error(), "secret")
}

func TestGiven_AServerOf14Or19IsRefusedByName(t *testing.T) {
	for _, version := range []string{"14.19 (Debian 14.19-1)", "19beta2"} {
		_, err := Open(t.Context(), Options{How: fakeServer(t, version), Run: testRun})
		var unsupported *UnsupportedError
		require.ErrorAs(t, err, &unsupported)
		require.Equal(t, version[:2], unsupported.Version[:2])
		require.ErrorContains(t, err, "15 to 18")
	}
}

// fakeServer accepts one session and says which version it is.
func fakeServer(t *testing.T, version string) (dsn string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		backend := pgproto3.NewBackend(conn, conn)
		if _, err := backend.ReceiveStartupMessage(); err != nil {
			return
		}
		backend.Send(&pgproto3.AuthenticationOk{})
		backend.Send(&pgproto3.ParameterStatus{Name: "server_version", Value: version})
		backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		_ = backend.Flush()
		_, _ = backend.Receive() // Terminate
	}()
	return fmt.Sprintf("postgres://u@%s/db?sslmode=disable", listener.Addr())
}

// markedHost is a server of ours that plays somebody else's; its database staging is marked.
func markedHost(t *testing.T) *Server {
	t.Helper()
	host := anyServer(t)
	query(t, host.ConnString("postgres"), "CREATE DATABASE staging")
	query(t, host.ConnString("postgres"), "COMMENT ON DATABASE staging IS '"+DrillsAllowed+"'")
	return host
}

func as(host *Server, user string) string {
	login := host.login
	login.user = user
	return login.connString("staging")
}

// openGivenForTest gives a Server over markedHost, of which nothing may be left there.
func openGivenForTest(t *testing.T) *Server {
	t.Helper()
	host := markedHost(t)
	s, err := Open(t.Context(), Options{How: host.ConnString("staging"), Run: testRun, Log: t.Logf, Core: -1})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Close(context.Background()))
		require.Empty(t, query(t, host.ConnString("postgres"), "SELECT datname FROM pg_database WHERE datname LIKE 'recondrill%'"))
	})
	return s
}
