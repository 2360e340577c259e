package reports_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/reports"
)

// left leaves a folder as a campaign that was killed does, with these lines in its journal.
func left(t *testing.T, lines ...string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "journal.jsonl.part"), []byte(strings.Join(lines, "\n")), 0o600))
	return dir
}

const (
	startLine = `{"type":"start","seed":1,"postgres":{"how":"","version":""},"drills":[]}`
	runLine   = `{"type":"run","drill":"a","seed":1,"verdict":"violation","fingerprint":"","gates":0,"statements":0,"deviations":[],"faults":[],"sim_seconds":0,"wall_ms":0,"script":"s","script_file":"out/failures/a-1.script"}`
)

func TestReopen_GoesOnBehindTheLastWholeLine(t *testing.T) {
	t.Parallel()
	dir := left(t, startLine, runLine, `{"type":"summary","verdict":"error"}`, `{"type":"run","dri`)
	f, events, err := reports.ReopenFolder(dir)
	require.NoError(t, err)
	require.Len(t, events, 3)
	second := reports.Run{Drill: "a", Seed: 1, Verdict: reports.Violation, Script: "t"}
	second.ScriptFile = f.ScriptFile(second)
	require.Equal(t, "a-1-2.script", filepath.Base(second.ScriptFile), "the first one's name is taken")
	require.NoError(t, f.Append(second))
	require.NoError(t, f.Finish())
	events, err = reports.ReadJournal(filepath.Join(dir, "journal.jsonl"))
	require.NoError(t, err)
	require.Len(t, events, 3, "the end that was none is gone")
	require.Equal(t, []string{"a-1-2.script", "a-1.script"}, names(t, filepath.Join(dir, "failures")))
}

func TestReopen_TakesAReportThatWasStoppedAndKeepsItWhereNothingComesOfIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := startLine + "\n" + runLine + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "journal.jsonl"), []byte(whole), 0o600))
	f, events, err := reports.ReopenFolder(dir)
	require.NoError(t, err)
	require.Len(t, events, 2)
	f.Discard()
	require.Equal(t, []string{"journal.jsonl"}, names(t, dir))
}

func TestReopen_AFolderThatCouldNotBeGoneOnWithKeepsItsJournal(t *testing.T) {
	t.Parallel()
	dir := left(t, startLine, runLine, "")
	f, _, err := reports.ReopenFolder(dir)
	require.NoError(t, err)
	f.Discard()
	require.Equal(t, []string{"journal.jsonl.part"}, names(t, dir))
}

func TestReopen_WithoutAJournalThereIsNothingToGoOnWith(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, _, err := reports.ReopenFolder(dir)
	require.EqualError(t, err, dir+" has no journal of a campaign that was interrupted")
	require.Empty(t, names(t, dir))
}

func TestOpenFolder_ASecondCampaignIsToldWhoWritesThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := reports.OpenFolder(dir)
	require.NoError(t, err)
	_, err = reports.OpenFolder(dir)
	var inUse *reports.InUseError
	require.ErrorAs(t, err, &inUse)
	require.Equal(t, os.Getpid(), inUse.PID)
	_, _, err = reports.ReopenFolder(dir)
	require.ErrorAs(t, err, &inUse)
	require.NoError(t, first.Finish())
	second, err := reports.OpenFolder(dir)
	require.NoError(t, err)
	second.Discard()
}
