package pg

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// childHow is set for a child process of these tests, which opens a server that way and waits to be killed.
const childHow = "RECONDRILL_PG_CHILD"

// childCloses lets the child wait for a line on its standard input instead, and then close.
const childCloses = "RECONDRILL_PG_CHILD_CLOSES"

// TestSweep_Child is not a test of its own: it is what the others run as a process that they can kill.
func TestSweep_Child(t *testing.T) {
	how := os.Getenv(childHow)
	if how == "" {
		return
	}
	s, err := Open(context.Background(), Options{How: how, Run: "child", Core: -1})
	require.NoError(t, err)
	require.NoError(t, s.CreateDatabase(context.Background(), "recondrill_child"))
	conn, err := pgx.Connect(context.Background(), s.ConnString("recondrill_child"))
	require.NoError(t, err)
	require.NoError(t, s.Stop(int(conn.PgConn().PID()))) // the hardest to be rid of
	_, address := s.Network()
	fmt.Println("\nready at", address)
	if os.Getenv(childCloses) == "" {
		select {} // until killed
	}
	_, _ = fmt.Scanln()
	fmt.Println("closed with:", s.Close(context.Background()))
}

// childProcess is a run of this test program that opens a server.
type childProcess struct {
	cmd   *exec.Cmd
	owner runOwner
	in    io.Writer
	out   *bufio.Scanner
}

func startChild(t *testing.T, how string, environment ...string) *childProcess {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestSweep_Child$")
	cmd.Env = append(append(os.Environ(), childHow+"="+how), environment...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	start, alive := processStart(cmd.Process.Pid)
	require.True(t, alive)
	return &childProcess{cmd, runOwner{place: thisPlace(), pid: cmd.Process.Pid, start: start}, in, bufio.NewScanner(out)}
}

// awaitReady returns where the child's server is.
func (c *childProcess) awaitReady(t *testing.T) string {
	var said []string
	for c.out.Scan() {
		if address, ok := strings.CutPrefix(c.out.Text(), "ready at "); ok {
			return address
		}
		said = append(said, c.out.Text())
	}
	t.Fatalf("the child ended: %s", strings.Join(said, "\n"))
	return ""
}

func (c *childProcess) tellToGoOn(t *testing.T) {
	_, err := fmt.Fprintln(c.in)
	require.NoError(t, err)
}

func (c *childProcess) awaitEnd(t *testing.T) string {
	var said []string
	for c.out.Scan() {
		said = append(said, c.out.Text())
	}
	_ = c.cmd.Wait()
	return strings.Join(said, "\n")
}

func (c *childProcess) killByNine() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

func TestSweep_RunKilledByNineLeavesNothingAfterTheNext(t *testing.T) {
	for _, w := range oneOfEachWay(t) {
		t.Run(w.How, func(t *testing.T) {
			child := startChild(t, w.How)
			child.awaitReady(t)
			child.killByNine()
			next := openForTest(t, Options{How: w.How, Image: w.Image, Core: -1})
			requireNothingOf(t, child.owner)
			require.NoError(t, next.Close(t.Context()))
		})
	}
	t.Run("given", func(t *testing.T) {
		host := markedHost(t)
		child := startChild(t, host.ConnString("staging"))
		child.awaitReady(t)
		child.killByNine()
		require.NotEmpty(t, query(t, host.ConnString("postgres"), "SELECT datname FROM pg_database WHERE datname = 'recondrill_child'"))
		next, err := Open(t.Context(), Options{How: host.ConnString("staging"), Run: "next", Log: t.Logf})
		require.NoError(t, err)
		require.Empty(t, query(t, host.ConnString("postgres"), "SELECT datname FROM pg_database WHERE datname LIKE 'recondrill%'"))
		require.NoError(t, next.Close(t.Context()))
	})
}

func TestSweep_RunKilledWhileStartingLeavesNothingAfterTheNext(t *testing.T) {
	for _, w := range oneOfEachWay(t) {
		t.Run(w.How, func(t *testing.T) {
			var owners []runOwner
			for _, moment := range []time.Duration{60, 150, 250, 400, 600} {
				child := startChild(t, w.How)
				<-time.After(moment * time.Millisecond)
				child.killByNine()
				owners = append(owners, child.owner)
			}
			next := openForTest(t, Options{How: w.How, Image: w.Image, Core: -1})
			require.NoError(t, next.Close(t.Context()))
			for _, owner := range owners {
				requireNothingOf(t, owner)
			}
		})
	}
}

func TestSweep_ALivingRunIsLeftAlone(t *testing.T) {
	if !offers(t, "local") {
		return
	}
	child := startChild(t, "local")
	address := child.awaitReady(t)
	next := openForTest(t, Options{How: "local", Core: -1})
	require.NoError(t, next.Close(t.Context()))
	login := endpoint{"unix", address}.login("")
	require.NotEmpty(t, query(t, login.connString("postgres"), "SELECT 'alive'"))
	child.killByNine()
	sweepDirectories(t.Logf)
	requireNothingOf(t, child.owner)
}

func TestSweep_APostmasterThatWasKilledLeavesNoSharedMemory(t *testing.T) {
	if !offers(t, "local") {
		return
	}
	child := startChild(t, "local")
	dir := filepath.Dir(child.awaitReady(t))
	segment := sharedMemoryOf(dir)
	require.NotZero(t, segment.postmaster)
	require.True(t, segment.exists())
	process, err := os.FindProcess(segment.postmaster)
	require.NoError(t, err)
	require.NoError(t, process.Kill())
	child.killByNine()
	sweepDirectories(t.Logf)
	requireNothingOf(t, child.owner)
	require.False(t, segment.exists())
}

func TestOwner_IsDeadOnlyWhereThatIsKnown(t *testing.T) {
	living := thisOwner()
	require.False(t, living.dead())
	later := living
	later.start++
	require.True(t, later.dead(), "another process got its pid")
	elsewhere := later
	elsewhere.place = "00000000"
	require.False(t, elsewhere.dead(), "of another machine's processes nothing is known")
}

func TestOwner_IsReadBackFromEveryNameItIsPartOf(t *testing.T) {
	owner := thisOwner()
	fromDir, ok := parseOwner(strings.TrimPrefix(owner.directoryName("a-run"), ownedDirPrefix))
	require.True(t, ok)
	require.Equal(t, owner, fromDir)
	name := owner.databaseName("a-run-with-a-long-name", 12)
	require.LessOrEqual(t, len(name), 63)
	fromName, ok := ownerOfDatabase(name, "")
	require.True(t, ok)
	require.Equal(t, owner, fromName)
	fromComment, ok := ownerOfDatabase("recondrill_x", ownedCommentPrefix+owner.String()+" run x")
	require.True(t, ok)
	require.Equal(t, owner, fromComment)
	_, ok = ownerOfDatabase("recondrill_production", "recondrill: owned by the billing team")
	require.False(t, ok, "somebody's own database")
	_, ok = parseOwner("leadpg")
	require.False(t, ok)
}
