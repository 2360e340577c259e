package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/recondrill/recondrill/drills"
	"github.com/recondrill/recondrill/reports"
)

const (
	failuresTold = 5 // kinds of failures that are told on the screen; the report has more
	drawnOfEach  = 5 // runs of one kind of failure whose marks are kept: one bug found a thousand times stays small
)

// sink takes a campaign's events to the journal, to the lines on stdout, and to what is told at the end.
type sink struct {
	lines   io.Writer       // with --json
	folder  *reports.Folder // with --out
	before  []reports.Event // with --resume: what the journal has already
	command string
	tally   *reports.Tally
	start   reports.Start
	failing []reports.Run  // the first of each kind
	kinds   map[string]int // runs of each kind so far
	drawing bool           // the marks that come now are kept
	summary *reports.Summary
	broken  error // of the journal or of stdout
}

// event takes one event. Its error ends the campaign.
func (s *sink) event(ctx context.Context, e reports.Event) error {
	switch event := e.(type) {
	case reports.Start:
		event.Command = s.command
		s.start, s.tally = event, reports.NewTally(event)
		if s.before != nil {
			s.goOn()
			return nil // the journal has its start
		}
		e = event
	case reports.Run:
		if s.folder != nil && event.Script != "" && s.start.Failed(event) {
			event.ScriptFile = s.folder.ScriptFile(event)
			if event.Replay == reports.ReplayFile {
				event.Replay = "recondrill replay " + event.ScriptFile
			}
			e = event
		}
		s.tally.Add(event)
		s.keep(event)
	case reports.Mark:
		if !s.drawing {
			return nil
		}
	case reports.Summary:
		event = s.stopped(ctx, event)
		s.summary = &event
		e = event
	}
	s.broken = s.write(e)
	return s.broken
}

// goOn counts what an interrupted campaign did. Its lines were written and told then.
func (s *sink) goOn() {
	for _, e := range s.before {
		if run, ok := e.(reports.Run); ok {
			s.tally.Add(run)
			s.keep(run)
		}
	}
	s.drawing = false
}

func (s *sink) write(e reports.Event) error {
	if s.folder != nil {
		if err := s.folder.Append(e); err != nil {
			return err
		}
	}
	if s.lines == nil {
		return nil
	}
	switch e.(type) {
	case reports.Run, reports.Summary:
		line, err := reports.Encode(e)
		if err != nil {
			return err
		}
		if _, err := s.lines.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("stdout: %w", err)
		}
	}
	return nil
}

// keep remembers the first failure of each kind, and decides whether a run's marks are worth keeping; a canary's
// find is no failure unless it was named.
func (s *sink) keep(r reports.Run) {
	if s.kinds == nil {
		s.kinds = map[string]int{}
	}
	kind := r.Drill + "/" + string(r.Verdict) + "/" + r.Oracle
	s.kinds[kind]++
	s.drawing = r.Sample || s.kinds[kind] <= drawnOfEach
	if s.start.Failed(r) && s.kinds[kind] == 1 && len(s.failing) < failuresTold {
		s.failing = append(s.failing, r)
	}
}

// stopped: what a person stopped was not all tried, so it is not green, and nothing is said of what never happened in it;
// what it found stays found.
func (s *sink) stopped(ctx context.Context, summary reports.Summary) reports.Summary {
	if ctx.Err() == nil && !summary.Interrupted {
		return summary
	}
	summary.Interrupted = true
	for _, d := range s.tally.Drills() {
		silent := d.Silent()
		summary.Reasons = slices.DeleteFunc(summary.Reasons, func(reason string) bool { return slices.Contains(silent, reason) })
	}
	s.tally.Stop()
	if summary.Verdict == reports.Pass || summary.Verdict == reports.Vacuous {
		summary.Verdict = reports.Error
		summary.Reasons = append(summary.Reasons, fmt.Sprintf("stopped by a signal after %s", reports.Count(summary.Runs, "run")))
	}
	return summary
}

// end closes the report; err is what the campaign returned. The summary is nil where nothing came of it: bad usage, or
// nowhere to write. An error beside a summary is told once more; its campaign is an error.
func (s *sink) end(ctx context.Context, err error) (*reports.Summary, error) {
	var usage *drills.UsageError
	if s.broken != nil || errors.As(err, &usage) {
		s.discard()
		return nil, errors.Join(s.broken, withoutTwin(err, s.broken))
	}
	if err != nil && ctx.Err() != nil {
		err = nil // the signal's own echo
	}
	if s.summary == nil {
		summary := s.tally.Summary()
		if err != nil {
			summary.Verdict, summary.Reasons = reports.Error, append(summary.Reasons, oneLine(err))
		}
		if broken := s.event(ctx, summary); broken != nil {
			s.discard()
			return nil, broken
		}
	}
	if s.folder != nil && s.summary.Runs == 0 {
		s.discard()
	}
	if s.folder != nil {
		if broken := s.folder.Finish(); broken != nil {
			return nil, broken
		}
	}
	return s.summary, err
}

// withoutTwin drops an error that only repeats the other.
func withoutTwin(err, other error) error {
	if other != nil && errors.Is(err, other) {
		return nil
	}
	return err
}

func (s *sink) discard() {
	if s.folder != nil {
		s.folder.Discard()
		s.folder = nil
	}
}
