package drills

import (
	"context"
	"fmt"
	"runtime"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
)

// elsewhereThreads is GOMAXPROCS of a second run; of a first one it is 1.
const elsewhereThreads = 2

// again makes a run a second time, from the deviations that the first one used, and elsewhere: in another worker
// process where there are several, after other runs, with another shape of everything that must not matter. It compares
// line by line. A difference is its own verdict and is never retried: whatever the first run said is not to be believed.
func (b *bench) again(ctx context.Context, d Drill, o order) (reports.Run, error) {
	script, err := sim.ParseScript(o.Script)
	if err != nil {
		return reports.Run{}, fmt.Errorf("script of %s seed %d: %w", o.Drill, o.Seed, err)
	}
	if b.last == o.First.Hash {
		// Right after the first run it would prove less: server, pool and heap are as that one left them.
		b.run(ctx, d, ^o.Seed, sim.Seeded(^o.Seed, d.most(), d.weigh()))
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(elsewhereThreads))
	b.sessions.Shake(2*o.Seed + 1) // any number but 0
	defer b.sessions.Shake(0)
	second := b.run(ctx, d, o.Seed, sim.Recorded(script))
	run := second.run
	if run.Verdict == reports.Error {
		run.Error = "made again: " + run.Error
		return run, nil
	}
	var lines []string
	if err := o.First.History.unpack(&lines); err != nil {
		return run, err
	}
	if said := o.First.differs(second, lines); said != "" {
		run.Verdict, run.Error, run.Story = reports.Nondeterministic, said, []string{said}
	}
	return run, nil
}

// differs says in what the second run is another one than the first; empty where in nothing.
func (f first) differs(second *result, lines []string) string {
	line, left, right, same := sim.Parting(lines, second.history.Lines())
	switch {
	case !same:
		return fmt.Sprintf("line %d differs: first %q, then %q", line, left, right)
	case f.Tables != second.tables:
		return fmt.Sprintf("the same history left other tables: %s and %s", f.Tables, second.tables)
	case f.Judged != second.judged():
		return fmt.Sprintf("the same run was judged two ways: %s, then %s", f.Judged, second.judged())
	}
	return ""
}

// kept is what a second run is compared with.
func (r *result) kept() (*first, error) {
	history, err := pack(r.history.Lines())
	if err != nil {
		return nil, err
	}
	return &first{Hash: r.run.Hash, Tables: r.tables, Judged: r.judged(), History: history}, nil
}

// judged is the verdict with all that was found, in the order in which it was found.
func (r *result) judged() string {
	return fmt.Sprintf("%s %v %v", r.run.Verdict, r.findings, r.run.Faults)
}
