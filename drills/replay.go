package drills

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
)

// ReplayOptions are the flags of `recondrill replay`: a file, or a drill and a seed.
type ReplayOptions struct {
	File       string
	Drill      string
	Seed       uint64
	Statements string
	Postgres   string
	Image      string
	Trace      io.Writer // gets every line of the history; nil = none
	Log        func(format string, args ...any)
}

// Replay makes one run again and tells it. From a file it compares the hash with the file's: another hash of the
// same trace version is nondeterministic, deviations that met nothing make it vacuous.
func Replay(ctx context.Context, o ReplayOptions) (reports.Run, error) {
	script, d, err := o.whichRun()
	if err != nil {
		return reports.Run{}, err
	}
	b, err := o.bench(ctx, script)
	if err != nil {
		return reports.Run{}, err
	}
	defer b.close()
	if o.File == "" {
		r := b.run(ctx, d, o.Seed, sim.Seeded(o.Seed, d.most(), d.weigh()))
		o.trace(r)
		return r.run, nil
	}
	run, r := b.replay(ctx, d, script)
	if run.Verdict != reports.Pass {
		run.Replay = "recondrill replay " + o.File
	}
	o.trace(r)
	return run, nil
}

// whichRun is the script and the drill it is of.
func (o ReplayOptions) whichRun() (sim.Script, Drill, error) {
	script, err := o.script()
	if err != nil {
		return sim.Script{}, Drill{}, err
	}
	d, err := byName(script.Header.Drill)
	return script, d, err
}

// bench opens a server with the workload that a script says, unless the flags say another.
func (o ReplayOptions) bench(ctx context.Context, script sim.Script) (*bench, error) {
	if dir, ok := strings.CutPrefix(script.Header.Workload, statementsWorkload); ok && o.Statements == "" {
		o.Statements = dir
	}
	if o.Statements != "" {
		if err := checkStatements(o.Statements); err != nil {
			return nil, &UsageError{err}
		}
	}
	return openBench(ctx, benchSetup{postgres: o.Postgres, image: o.Image, statements: o.Statements, run: runID(), core: -1, log: o.Log})
}

func (o ReplayOptions) trace(r *result) {
	if o.Trace == nil {
		return
	}
	for _, line := range r.history.Lines() {
		fmt.Fprintln(o.Trace, line)
	}
}

// replay makes a script's run and holds it against what the script says of it.
func (b *bench) replay(ctx context.Context, d Drill, script sim.Script) (reports.Run, *result) {
	recorded := sim.Recorded(script)
	r := b.run(ctx, d, script.Header.Seed, recorded)
	return compare(r, script.Header, unmet(recorded), b.server.CanStop()), r
}

// compare holds a replayed run against what its file says of it.
func compare(r *result, h sim.Header, stale string, replays bool) reports.Run {
	run := r.run
	switch {
	case run.Verdict == reports.Error:
	case stale != "":
		run.Verdict, run.Error = reports.Worse(run.Verdict, reports.Vacuous), "stale, these met nothing: "+stale
	case h.Hash != "" && h.Version == traceVersion && replays && h.Hash != run.Hash:
		run.Verdict, run.Error = reports.Nondeterministic, fmt.Sprintf("the file has the hash %s, this run %s", h.Hash, run.Hash)
	}
	return run
}

func (o ReplayOptions) script() (sim.Script, error) {
	if o.File == "" {
		d, err := byName(o.Drill)
		if err != nil {
			return sim.Script{}, err
		}
		return sim.Script{Header: d.header(o.Seed)}, nil
	}
	text, err := os.ReadFile(o.File)
	if err != nil {
		return sim.Script{}, &UsageError{err}
	}
	s, err := sim.ParseScript(string(text))
	if err != nil {
		return sim.Script{}, &UsageError{fmt.Errorf("%s: %w", o.File, err)}
	}
	return s, nil
}
