package reports_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/reports"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestFolder_HasEverythingAtTheEndAndNothingBefore(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "deep", "out")
	f, err := reports.OpenFolder(dir)
	require.NoError(t, err)
	for _, e := range night() {
		require.NoError(t, f.Append(e))
	}
	require.Equal(t, []string{"journal.jsonl.part", "pid.part"}, names(t, dir))
	require.NoError(t, f.Finish())
	require.Equal(t, []string{"failures", "journal.jsonl", "junit.xml", "report.html", "summary.md"}, names(t, dir))
	require.Equal(t, []string{"timeout-after-acceptance-1.script"}, names(t, filepath.Join(dir, "failures")))
	events, err := reports.ReadJournal(filepath.Join(dir, "journal.jsonl"))
	require.NoError(t, err)
	require.Len(t, events, len(night()))
}

func TestFolder_HasTheScriptsOfItsFailuresAndNotOfTheReportBefore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	campaign := func(runs ...reports.Run) {
		f, err := reports.OpenFolder(dir)
		require.NoError(t, err)
		for _, r := range runs {
			r.ScriptFile = f.ScriptFile(r)
			require.NoError(t, f.Append(r))
		}
		require.NoError(t, f.Finish())
	}
	failures := filepath.Join(dir, "failures")
	campaign(reports.Run{Drill: "a", Seed: 1, Script: "first"}, reports.Run{Drill: "a", Seed: 1, Script: "second\n"}, reports.Run{Drill: "b", Seed: 1, Script: "third"})
	require.Equal(t, []string{"a-1-2.script", "a-1.script", "b-1.script"}, names(t, failures))
	text, err := os.ReadFile(filepath.Join(failures, "a-1-2.script"))
	require.NoError(t, err)
	require.Equal(t, "second\n", string(text))

	require.NoError(t, os.WriteFile(filepath.Join(failures, "mine.script"), nil, 0o600))
	campaign(reports.Run{Drill: "a", Seed: 1, Script: "fourth"})
	require.Equal(t, []string{"a-1.script", "mine.script"}, names(t, failures))
	require.NoError(t, os.Remove(filepath.Join(failures, "mine.script")))
	campaign()
	require.NoDirExists(t, failures)
}

func TestFolder_DiscardLeavesTheOldReport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "report.html"), []byte("old"), 0o600))
	f, err := reports.OpenFolder(dir)
	require.NoError(t, err)
	require.NoError(t, f.Append(reports.Run{Drill: "a"}))
	f.Discard()
	require.Equal(t, []string{"report.html"}, names(t, dir))
}

func TestFolder_DiscardLeavesNoFolderThatWasNotThere(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "out")
	f, err := reports.OpenFolder(dir)
	require.NoError(t, err)
	f.Discard()
	require.NoDirExists(t, dir)
}

func TestFolder_WhatIsInTheWayIsToldBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := reports.OpenFolder(file)
	require.ErrorContains(t, err, file)
	_, err = reports.OpenFolder(filepath.Join(file, "out"))
	require.ErrorContains(t, err, file)
}

func TestFolder_AReportThatCannotBePlacedLeavesNoHalf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "report.html.part"), 0o755)) // in the way of the first rendering
	f, err := reports.OpenFolder(dir)
	require.NoError(t, err)
	require.NoError(t, f.Append(reports.Run{Drill: "a", Verdict: reports.Pass}))
	require.ErrorContains(t, f.Finish(), "report.html.part")
	require.Empty(t, names(t, dir))
}

func TestJournal_AFullDiskIsOneErrorThatNamesTheFile(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		return // only Linux has a disk that is always full
	}
	j, err := reports.CreateJournal("/dev/full")
	require.NoError(t, err)
	err = j.Append(reports.Run{Drill: "a"})
	require.EqualError(t, err, "journal: write /dev/full: no space left on device")
	require.Equal(t, err, j.Append(reports.Run{Drill: "b"}), "the first error stays")
}

func TestReadJournal_LeavesOutATornLastLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"type":"run","drill":"a","seed":1}`+"\n"+`{"type":"run","dri`), 0o600))
	events, err := reports.ReadJournal(path)
	require.NoError(t, err)
	require.Equal(t, []reports.Event{reports.Run{Drill: "a", Seed: 1}}, events)
}

func TestReadJournal_NamesTheDamagedLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"type":"run"}`+"\n"+`{"type":"sprint"}`+"\n"), 0o600))
	_, err := reports.ReadJournal(path)
	require.EqualError(t, err, `journal: journal.jsonl line 2: type "sprint": accepted are start, run, mark and summary`)
}
