package cli

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/reports"
)

func TestTell_ReferencesCannotMoveTheTerminalOrBreakALine(t *testing.T) {
	t.Parallel()
	told := toldRun(reports.Run{Drill: "a", Verdict: reports.Violation, Oracle: "dunning", Error: "b\x1b[2Jd", Story: []string{"of invoice inv\nharbour", "ünïcode"}})
	require.Equal(t, "a, seed 0: violation, found by the oracle dunning: nobody is reminded of what is paid or in doubt\n  b\\x1b[2Jd\n  The story:\n   1. of invoice inv\\nharbour\n   2. ünïcode\n", told)
}

func TestTell_AFullDiskIsNoSuccess(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		return // only Linux has a disk that is always full
	}
	defer func() { require.NoError(t, full.Close()) }()
	a := &app{stdout: full, stderr: io.Discard}
	err = a.tell(&sink{tally: reports.NewTally(reports.Start{})}, reports.Summary{Verdict: reports.Pass, Runs: 1}, "")
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.Equal(t, 3, a.fail(err))
	require.Equal(t, 3, Main([]string{"drill", "list"}, nil, strings.NewReader(""), full, io.Discard))
}

// goneReader is the environment variable by which the test below starts itself again with a stdout that nobody reads.
const goneReader = "RECONDRILL_TEST_GONE_READER"

func TestKeepAlive_AReaderThatHasGoneIsAnErrorAndNotTheEnd(t *testing.T) {
	if os.Getenv(goneReader) != "" {
		undo := keepAlive()
		_, err := io.WriteString(os.Stdout, "nobody reads this")
		undo()
		if errors.Is(err, syscall.EPIPE) {
			os.Exit(7)
		}
		return
	}
	read, write, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, read.Close())
	cmd := exec.Command(os.Args[0], "-test.run", "^TestKeepAlive_")
	cmd.Env = append(os.Environ(), goneReader+"=1")
	cmd.Stdout = write
	err = cmd.Run()
	require.NoError(t, write.Close())
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 7, exit.ExitCode(), "%v", err)
}

func TestEndings_AClosedTerminalEndsACampaignUnlessNohupSaysOtherwise(t *testing.T) {
	if !signal.Ignored(syscall.SIGHUP) { // it is, where the tests themselves run under nohup
		require.Contains(t, endings(), os.Signal(syscall.SIGHUP))
		signal.Ignore(syscall.SIGHUP)
		defer signal.Reset(syscall.SIGHUP)
	}
	require.NotContains(t, endings(), os.Signal(syscall.SIGHUP))
}
