package pg

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// testWays are the ways that this machine offers. One that is missing is told loudly, and fails where CI promises all.
func testWays(t *testing.T) []Way {
	t.Helper()
	var ways []Way
	for _, w := range Ways(t.Context(), "") {
		if w.Missing == "" {
			ways = append(ways, w)
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Errorf("a way to get PostgreSQL is missing: %v", w)
		}
		fmt.Fprintf(os.Stderr, "=== MISSING, NOT TESTED: %v\n", w)
	}
	require.NotEmpty(t, ways, "no way to get PostgreSQL at all")
	return ways
}

// oneOfEachWay is for what the server's version makes no difference to.
func oneOfEachWay(t *testing.T) []Way {
	t.Helper()
	return slices.DeleteFunc(testWays(t), func(w Way) bool { return w.How == "container" && w.Version != strconv.Itoa(defaultMajor) })
}

// offers says whether the machine has a way; where it has not, testWays has told so.
func offers(t *testing.T, how string) bool {
	t.Helper()
	return slices.ContainsFunc(testWays(t), func(w Way) bool { return w.How == how })
}

// anyServer is the quickest to be had.
func anyServer(t *testing.T) *Server {
	t.Helper()
	w := testWays(t)[0]
	return openForTest(t, Options{How: w.How, Image: w.Image, Core: -1})
}

// claim is something that holds for a running server, whichever way it came.
type claim struct {
	name string
	test func(t *testing.T, s *Server)
}

// TestServer proves the claims on one server of each way; starting one a claim would take most of the time.
func TestServer(t *testing.T) {
	claims := []claim{
		{"AnswersAsWhatItSaysItIs", answersAsWhatItSaysItIs},
		{"ItsSettingsAreThoseOfTheTable", itsSettingsAreThoseOfTheTable},
		{"ALockWaitIsToldToTheWaitingSession", aLockWaitIsToldToTheWaitingSession},
		{"StopIsCertainWhenItReturns", stopIsCertainWhenItReturns},
		{"AStoppedBackendAnswersOnlyAfterContinue", aStoppedBackendAnswersOnlyAfterContinue},
		{"ProcessesThatAreNoBackendsAreNotSignalled", processesThatAreNoBackendsAreNotSignalled},
		{"ADatabaseWithAStoppedBackendIsDropped", aDatabaseWithAStoppedBackendIsDropped},
	}
	prove := func(t *testing.T, s *Server) {
		for _, c := range claims {
			t.Run(c.name, func(t *testing.T) { c.test(t, s) })
		}
	}
	for _, w := range testWays(t) {
		t.Run(w.How+"-"+w.Version, func(t *testing.T) {
			start := time.Now()
			s := openForTest(t, Options{How: w.How, Image: w.Image, Core: -1})
			fmt.Fprintf(os.Stderr, "=== %v: open and ready after %v\n", w, time.Since(start).Round(time.Millisecond))
			prove(t, s)
			require.NoError(t, s.Close(t.Context()))
			requireNothingLeft(t)
		})
	}
	t.Run("given", func(t *testing.T) { prove(t, openGivenForTest(t)) })
}

func openForTest(t *testing.T, o Options) *Server {
	t.Helper()
	o.Run, o.Log = testRun, func(format string, args ...any) { t.Logf(format, args...) }
	s, err := Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

// query runs one statement in a session of its own and returns the first column of its rows.
func query(t *testing.T, connString, sql string) []string {
	t.Helper()
	conn := connect(t, connString)
	defer conn.Close(context.Background())
	rows, err := conn.Query(context.Background(), sql)
	require.NoError(t, err)
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return out
}

// tryQuery says whether a session is let in.
func tryQuery(t *testing.T, login loginParts) error {
	conn, err := pgx.Connect(t.Context(), login.connString("postgres"))
	if err == nil {
		_ = conn.Close(t.Context())
	}
	return err
}

func connect(t *testing.T, connString string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), connString)
	require.NoError(t, err)
	return conn
}

// testRun is the run of the servers that these tests open; other tests of the package may have theirs at the same time.
const testRun = "test"

// requireNothingLeft fails for what Close should have removed.
func requireNothingLeft(t *testing.T) {
	t.Helper()
	requireNoneNamed(t, thisOwner().directoryName(testRun))
}

// requireNothingOf fails for whatever an owner still has.
func requireNothingOf(t *testing.T, owner runOwner) {
	t.Helper()
	requireNoneNamed(t, ownedDirPrefix+owner.String())
}

// requireNoneNamed fails for each directory, server process and container whose name begins so.
func requireNoneNamed(t *testing.T, prefix string) {
	t.Helper()
	for _, base := range ownedDirBases() {
		dirs, err := filepath.Glob(filepath.Join(base, prefix+"*"))
		require.NoError(t, err)
		require.Empty(t, dirs)
		require.Empty(t, serverProcesses(filepath.Join(base, prefix)), "processes")
	}
	daemon, err := findDocker(t.Context())
	if err != nil {
		return
	}
	defer daemon.Close()
	boxes, err := daemon.containers(t.Context(), labelServer)
	require.NoError(t, err)
	for _, box := range boxes {
		require.False(t, strings.HasPrefix(box.Labels[labelServer], prefix), "container %v", box.Labels)
	}
}

func answersAsWhatItSaysItIs(t *testing.T, s *Server) {
	require.NoError(t, s.CreateDatabase(t.Context(), "recondrill_a"))
	require.Equal(t, []string{"C"}, query(t, s.ConnString("recondrill_a"), "SELECT datcollate FROM pg_database WHERE datname = current_database()"))
	got := query(t, s.ConnString("recondrill_a"), "SHOW server_version")[0]
	require.True(t, strings.HasPrefix(got, s.Version()), "%s reported as %s", got, s.Version())
	require.NoError(t, s.DropDatabase(t.Context(), "recondrill_a"))
	require.Empty(t, query(t, s.ConnString(s.login.user), "SELECT datname FROM pg_database WHERE datname = 'recondrill_a'"))
	require.True(t, s.CanStop())
	if runtime.GOOS == "linux" {
		network, _ := s.Network()
		require.Equal(t, "unix", network)
	}
}

func aDatabaseWithAStoppedBackendIsDropped(t *testing.T, s *Server) {
	require.NoError(t, s.CreateDatabase(t.Context(), "recondrill_a"))
	conn := connect(t, s.ConnString("recondrill_a"))
	require.NoError(t, s.Stop(int(conn.PgConn().PID())))
	start := time.Now()
	require.NoError(t, s.DropDatabase(t.Context(), "recondrill_a"))
	require.Less(t, time.Since(start), 3*time.Second, "the server waited in vain for it to leave")
}

func TestClose_WorksForACallerThatWasInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := testWays(t)[0]
	s, err := Open(ctx, Options{How: w.How, Image: w.Image, Run: testRun, Core: -1})
	require.NoError(t, err)
	cancel()
	require.NoError(t, s.Close(ctx))
	require.NoError(t, s.Close(ctx), "closing twice")
	requireNothingLeft(t)
}

func TestClose_EndsEveryGoroutine(t *testing.T) {
	for _, w := range oneOfEachWay(t) {
		before := goleak.IgnoreCurrent()
		s := openForTest(t, Options{How: w.How, Image: w.Image, Core: -1})
		require.NoError(t, s.Close(t.Context()))
		goleak.VerifyNone(t, before)
	}
}

func TestClose_DoesNotWaitForAStoppedBackend(t *testing.T) {
	s := anyServer(t)
	conn := connect(t, s.ConnString("postgres"))
	require.NoError(t, s.Stop(int(conn.PgConn().PID())))
	start := time.Now()
	require.NoError(t, s.Close(t.Context()))
	require.Less(t, time.Since(start), 3*time.Second, "the postmaster had to kill it")
}

func TestOpen_CancelledHalfwayLeavesNothing(t *testing.T) {
	for _, w := range oneOfEachWay(t) {
		for _, after := range []time.Duration{0, 50 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond} {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			s, err := Open(ctx, Options{How: w.How, Image: w.Image, Run: testRun, Core: -1})
			if err == nil {
				require.NoError(t, s.Close(ctx))
			}
			cancel()
			requireNothingLeft(t)
		}
	}
}

func TestOpen_LocalServersOfOneProcessLiveSideBySide(t *testing.T) {
	if !offers(t, "local") {
		return
	}
	one, two := openForTest(t, Options{How: "local", Core: -1}), openForTest(t, Options{How: "local", Core: -1})
	require.NoError(t, one.CreateDatabase(t.Context(), "recondrill_one"))
	require.Empty(t, query(t, two.ConnString("postgres"), "SELECT datname FROM pg_database WHERE datname = 'recondrill_one'"))
	require.NoError(t, one.Close(t.Context()))
	require.NotEmpty(t, query(t, two.ConnString("postgres"), "SELECT datname FROM pg_database"))
}

func TestOpen_UnknownWayAndRunAreRefusedNamingWhatIsAccepted(t *testing.T) {
	var refused *RefusedError
	_, err := Open(t.Context(), Options{How: "dockr", Run: testRun})
	require.ErrorAs(t, err, &refused)
	require.ErrorContains(t, err, "auto, container, local")
	_, err = Open(t.Context(), Options{How: "local", Run: "no/slash"})
	require.ErrorContains(t, err, "a-z")
}

func TestOpen_AutoTakesTheFirstWayAndSaysWhich(t *testing.T) {
	var said []string
	s, err := Open(t.Context(), Options{How: "auto", Run: testRun, Core: -1, Log: func(format string, args ...any) {
		said = append(said, fmt.Sprintf(format, args...))
	}})
	require.NoError(t, err)
	require.NoError(t, s.Close(t.Context()))
	require.Contains(t, strings.Join(said, "\n"), "PostgreSQL "+s.Version())
	if s.How() == "local" {
		require.Contains(t, said[len(said)-1], "because", "it must say why there is no container")
	}
}

func TestOpen_WithoutAnyWayListsTheThree(t *testing.T) {
	_, err := Open(t.Context(), Options{How: "container", Image: "registry.invalid/postgres:17", Run: testRun, Core: -1, Log: t.Logf})
	require.ErrorIs(t, err, ErrNoWay)
	require.NotContains(t, err.Error(), "\n")
	for _, part := range []string{"Docker daemon", "programs of PostgreSQL 15 to 18", "--postgres"} {
		require.ErrorContains(t, err, part)
	}
	requireNothingLeft(t)
}

func TestConnString_QuotesWhatAUserMayPutThere(t *testing.T) {
	login := loginParts{host: "/tmp/a b", port: "5432", user: `o'neil`, password: `\x y`}
	config, err := pgx.ParseConfig(login.connString("my db"))
	require.NoError(t, err)
	require.Equal(t, []string{"/tmp/a b", "o'neil", `\x y`, "my db"}, []string{config.Host, config.User, config.Password, config.Database})
}
