package cli_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/reports"
)

// drill is the command of every campaign here.
func drill(out string, more ...string) *exec.Cmd {
	args := append([]string{"drill", "two-accounts", "--runs", "12", "--servers", "1", "--json", "--out", out}, more...)
	cmd := exec.Command("recondrill", args...)
	cmd.Stderr = os.Stderr
	return cmd
}

// linesOf are the run lines of an output, without what differs from one time to the next.
func linesOf(t *testing.T, out []byte) []reports.Run {
	t.Helper()
	runs, _ := readJournal(t, out)
	return runs
}

// readJournal is linesOf and the summary, if the output has come so far.
func readJournal(t *testing.T, out []byte) (runs []reports.Run, s reports.Summary) {
	t.Helper()
	for line := range bytes.Lines(out) {
		e, err := reports.Decode(bytes.TrimSpace(line))
		require.NoError(t, err, "%s", line)
		if run, ok := e.(reports.Run); ok {
			run.WallMS = 0
			runs = append(runs, run)
		}
		if summary, ok := e.(reports.Summary); ok {
			s = summary
		}
	}
	return runs, s
}

// interrupted starts a campaign and sends it a signal after so many lines. What it wrote comes back.
func interrupted(t *testing.T, out string, after int, signal os.Signal) []byte {
	t.Helper()
	cmd := drill(out)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var said bytes.Buffer
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		said.Write(append(lines.Bytes(), '\n'))
		if n == after {
			require.NoError(t, cmd.Process.Signal(signal))
		}
	}
	require.Error(t, cmd.Wait(), "it was stopped, which is no success")
	return said.Bytes()
}

func TestResume_AfterASignalTheTwoHalvesAreTheWhole(t *testing.T) {
	whole, err := drill(filepath.Join(t.TempDir(), "out")).Output()
	require.NoError(t, err)
	for name, signal := range map[string]os.Signal{"Ctrl-C": os.Interrupt, "kill -9": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			first := linesOf(t, interrupted(t, out, 4, signal))
			require.Less(t, len(first), 12)
			second, err := drill(out, "--resume").Output()
			require.NoError(t, err)
			// Of a campaign that was killed, the journal may have a line that nobody read any more.
			journal, err := os.ReadFile(filepath.Join(out, "journal.jsonl"))
			require.NoError(t, err)
			wholeRuns, wholeSummary := readJournal(t, whole)
			runs, summary := readJournal(t, journal)
			require.Equal(t, wholeRuns, runs)
			require.Equal(t, wholeSummary.Search, summary.Search)
			require.Equal(t, wholeSummary.FaultsBitten, summary.FaultsBitten)
			require.Equal(t, wholeSummary.Canaries, summary.Canaries)
			both := append(first, linesOf(t, second)...)
			require.Subset(t, wholeRuns, both)
			require.GreaterOrEqual(t, len(both), 11)
			require.NoFileExists(t, filepath.Join(out, "journal.jsonl.part"))

			again := drill(out, "--resume")
			var talk bytes.Buffer
			again.Stderr = &talk
			require.Error(t, again.Run())
			require.Equal(t, 2, again.ProcessState.ExitCode())
			require.Contains(t, talk.String(), "the campaign in the journal came to its end (pass, 12 runs)")
		})
	}
}

func TestOut_ASecondCampaignInTheSameFolderIsRefusedAndTheFirstKeepsItsReport(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	first := drill(out)
	require.NoError(t, first.Start())
	require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(out, "pid.part")); return err == nil }, time.Minute, 10*time.Millisecond)
	second := drill(out)
	var talk bytes.Buffer
	second.Stderr = &talk
	require.Error(t, second.Run())
	require.Equal(t, 2, second.ProcessState.ExitCode())
	require.Regexp(t, `^recondrill: --out: .*: another campaign, process \d+, writes its report there; accepted is another folder, or to wait for its end\n$`, talk.String())
	require.NoError(t, first.Wait())
	require.FileExists(t, filepath.Join(out, "report.html"))
}
