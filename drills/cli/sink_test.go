package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/drills"
	"github.com/recondrill/recondrill/reports"
)

func newSink(lines io.Writer) *sink {
	return &sink{lines: lines, tally: reports.NewTally(reports.Start{})}
}

func feed(t *testing.T, s *sink, events ...reports.Event) {
	t.Helper()
	for _, e := range events {
		require.NoError(t, s.event(t.Context(), e))
	}
}

func TestSink_StdoutHasRunsAndTheSummaryAndNothingElse(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := newSink(&out)
	feed(t, s, reports.Start{}, reports.Run{Drill: "a", Verdict: reports.Pass}, reports.Mark{Drill: "a"}, reports.Summary{Verdict: reports.Pass, Runs: 1})
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], `{"type":"run","drill":"a"`)
	require.Contains(t, lines[1], `{"type":"summary","verdict":"pass"`)
}

func TestSink_ACampaignThatCouldNotGoOnIsAnErrorWithWhatWasDone(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := newSink(&out)
	feed(t, s, reports.Start{}, reports.Run{Drill: "a", Verdict: reports.Pass})
	gone := errors.New("the server is gone")
	summary, err := s.end(t.Context(), gone)
	require.ErrorIs(t, err, gone)
	require.Equal(t, reports.Error, summary.Verdict)
	require.Equal(t, 1, summary.Runs)
	require.Contains(t, out.String(), "the server is gone")
}

func TestSink_WhatWasStoppedIsNotGreenAndWhatWasFoundStaysFound(t *testing.T) {
	t.Parallel()
	stopping, stop := context.WithCancel(t.Context())
	stop()
	for found, want := range map[reports.Verdict]reports.Verdict{reports.Pass: reports.Error, reports.Vacuous: reports.Error, reports.Violation: reports.Violation} {
		s := newSink(io.Discard)
		require.NoError(t, s.event(stopping, reports.Summary{Verdict: found, Runs: 3}))
		summary, err := s.end(stopping, context.Canceled)
		require.NoError(t, err)
		require.Equal(t, want, summary.Verdict)
		require.True(t, summary.Interrupted)
	}
}

func TestSink_AStoppedCampaignIsNotBlamedForWhatNeverHappened(t *testing.T) {
	t.Parallel()
	stopping, stop := context.WithCancel(t.Context())
	stop()
	s := newSink(io.Discard)
	feed(t, s, reports.Start{Drills: []reports.DrillInfo{{Name: "a", Faults: []string{"stall"}}}})
	for range reports.VacuityRuns {
		feed(t, s, reports.Run{Drill: "a", Verdict: reports.Pass})
	}
	summary := s.tally.Summary()
	summary.Reasons = append(summary.Reasons, "a server died")
	require.Len(t, summary.Reasons, 2)
	require.NoError(t, s.event(stopping, summary))
	require.Equal(t, []string{"a server died", "stopped by a signal after 20 runs"}, s.summary.Reasons)
}

func TestSink_TheScriptOfAFailureGetsAFileAndTheOneOfAFoundCanaryDoesNot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, err := reports.OpenFolder(dir)
	require.NoError(t, err)
	s := newSink(nil)
	s.folder = folder
	feed(t, s, reports.Start{}, reports.Run{Drill: "a", Seed: 7, Verdict: reports.Violation, Script: "drill a"},
		reports.Run{Drill: "canary", Seed: 1, Canary: true, Verdict: reports.Violation, Script: "drill canary"}, reports.Summary{Runs: 2, Verdict: reports.Violation})
	_, err = s.end(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "failures", "a-7.script"), s.failing[0].ScriptFile)
	require.FileExists(t, s.failing[0].ScriptFile)
	require.NoFileExists(t, filepath.Join(dir, "failures", "canary-1.script"))
}

func TestSink_BadInputLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "out")
	folder, err := reports.OpenFolder(dir)
	require.NoError(t, err)
	s := newSink(nil)
	s.folder = folder
	bad := &drills.UsageError{Err: errors.New("line 3")}
	summary, err := s.end(t.Context(), bad)
	require.Nil(t, summary)
	require.ErrorIs(t, err, bad)
	require.NoDirExists(t, dir)
}

func TestSink_AClosedStdoutEndsTheCampaignWithOneError(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, read.Close())
	defer func() { require.NoError(t, write.Close()) }()
	s := newSink(write)
	failed := s.event(t.Context(), reports.Run{Drill: "a"})
	require.ErrorContains(t, failed, "stdout: ")
	summary, err := s.end(t.Context(), failed)
	require.Nil(t, summary)
	require.EqualError(t, err, failed.Error())
}

func TestSink_KeepsTheFirstFailureOfEachKind(t *testing.T) {
	t.Parallel()
	s := newSink(nil)
	feed(t, s, reports.Start{})
	for seed := range uint64(9) {
		feed(t, s, reports.Run{Drill: "a", Seed: seed, Verdict: reports.Violation, Oracle: "fence"}, reports.Run{Drill: "a", Seed: seed, Verdict: reports.Pass},
			reports.Run{Drill: "canary", Seed: seed, Verdict: reports.Violation, Canary: true})
	}
	feed(t, s, reports.Run{Drill: "a", Seed: 9, Verdict: reports.Violation, Oracle: "effects"})
	require.Len(t, s.failing, 2)
	require.Equal(t, []string{"fence", "effects"}, []string{s.failing[0].Oracle, s.failing[1].Oracle})
}

func TestSink_KeepsTheMarksOfSamplesAndOfTheFirstFailuresOfAKind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, err := reports.OpenFolder(dir)
	require.NoError(t, err)
	s := newSink(nil)
	s.folder = folder
	feed(t, s, reports.Start{}, reports.Run{Drill: "a", Verdict: reports.Pass, Sample: true}, reports.Mark{Drill: "a", Text: "sample"})
	for seed := range uint64(100) {
		feed(t, s, reports.Run{Drill: "a", Seed: seed, Verdict: reports.Violation, Oracle: "fence"}, reports.Mark{Drill: "a", Seed: seed})
	}
	feed(t, s, reports.Summary{Runs: 101, Verdict: reports.Violation})
	_, err = s.end(t.Context(), nil)
	require.NoError(t, err)
	events, err := reports.ReadJournal(filepath.Join(dir, "journal.jsonl"))
	require.NoError(t, err)
	marks := 0
	for _, e := range events {
		if _, ok := e.(reports.Mark); ok {
			marks++
		}
	}
	require.Equal(t, 1+drawnOfEach, marks)
}
