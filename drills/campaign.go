package drills

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim/search"
)

// CampaignOptions are the flags of `recondrill drill`.
type CampaignOptions struct {
	Names      []string      // drills by name; none = the catalogue without canaries, then the canaries
	Seed       uint64        // the first seed
	Runs       int           // seeds per drill
	For        time.Duration // instead of Runs: how long in all
	Search     string        // one of Searches(); empty: the first
	Statements string        // folder of exported statements
	Postgres   string        // auto | container | local | a DSN
	Image      string
	Servers    int             // worker processes, each with a server; 0 = one a core
	Untold     bool            // the first failure of a kind is not shrunk and told; each has its script instead
	Before     []reports.Event // of this very campaign's journal, where it was interrupted: what is in it is not made again
	Events     func(reports.Event) error
	Progress   func(Progress)
	Log        func(format string, args ...any)
}

// Progress is what a terminal shows while a campaign runs.
type Progress struct {
	Drill         string
	Done, Total   int // runs; Total 0 where the time decides
	RunsPerSecond float64
	Faults        map[string]int // kinds that bit so far
	Elapsed, Left time.Duration
}

// UsageError is a wrong option or input: exit code 2, nothing was done.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// RunsDefault are the runs of a drill where neither --runs nor --for says otherwise.
const RunsDefault = 20

const (
	againEvery  = 10               // every tenth pass runs again, every failure does
	spoilEvery  = 10               // of every tenth run the oracles are shown damage, from the first one on
	shutdownMax = 20 * time.Second // real time a worker may take to put its server away
)

// Campaign runs drills and sends each event, in the order (drill, seed or trial); where the time decides, the drills take
// turns and the order is (round, drill, trial). Its error is a *UsageError, or says why nothing could be checked;
// verdicts are in the summary.
func Campaign(ctx context.Context, o CampaignOptions) (reports.Summary, error) {
	explicit := o.Servers > 0
	picked, err := o.normalise()
	if err != nil {
		return reports.Summary{}, err
	}
	began := time.Now()
	c := &campaign{o: o, began: began, bitten: map[string]int{}, told: map[[2]string]bool{}}
	start := c.start(picked)
	done, err := before(o.Before, start)
	if err != nil {
		return reports.Summary{}, err
	}
	members, server, err := muster(ctx, crewSetup{o.Postgres, o.Image, o.Statements, runID(), o.Servers, explicit}, o.Log)
	if err != nil {
		return reports.Summary{}, err
	}
	c.crew, c.server, start.Postgres = members, server, reports.Postgres{How: server.How, Version: server.Version}
	failed := done.sameServer(start.Postgres)
	if failed == nil {
		c.tally = reports.NewTally(start)
		failed = o.Events(start)
	}
	if failed == nil {
		failed = c.search(ctx, picked, done)
	}
	members.dismiss()
	if failed != nil {
		return reports.Summary{}, failed
	}
	s := c.tally.Summary()
	s.Search = c.accounts()
	s.WallMS = time.Since(began).Milliseconds()
	s.RunsPerSecond = float64(c.runs) / max(time.Since(began).Seconds(), 0.001)
	if err := members.err(); err != nil {
		s.Verdict, s.Reasons = reports.Worse(s.Verdict, reports.Error), append(s.Reasons, err.Error())
	}
	s.Reasons = append(s.Reasons, members.left...)
	if ctx.Err() != nil {
		s.Interrupted = true
	}
	return s, o.Events(s)
}

func (o *CampaignOptions) normalise() ([]Drill, error) {
	o.Search = cmp.Or(o.Search, Searches()[0])
	if !slices.Contains(Searches(), o.Search) {
		return nil, &UsageError{fmt.Errorf("--search %s: accepted are %s", o.Search, strings.Join(Searches(), ", "))}
	}
	if o.Runs == 0 && o.For == 0 && !Bounded(o.Search) {
		o.Runs = RunsDefault
	}
	if o.Runs < 0 || o.For < 0 {
		return nil, &UsageError{errors.New("--runs and --for take a positive number")}
	}
	if o.Servers == 0 {
		o.Servers = min(runtime.NumCPU(), 16)
	}
	if o.Postgres == "" {
		o.Postgres = "auto"
	}
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	if o.Events == nil {
		o.Events = func(reports.Event) error { return nil }
	}
	if o.Statements != "" {
		if err := checkStatements(o.Statements); err != nil {
			return nil, &UsageError{err}
		}
	}
	return pick(o.Names)
}

// campaign is the state of one Campaign call; only its goroutine touches it.
type campaign struct {
	o      CampaignOptions
	crew   *crew
	server postgresTold
	began  time.Time
	tally  *reports.Tally
	hunts  []*hunt
	runs   int                // made so far
	bitten map[string]int     // runs in which a kind bit
	told   map[[2]string]bool // (drill, oracle) whose first failure was shrunk and told
}

func (c *campaign) start(picked []Drill) reports.Start {
	s := reports.Start{StartedAt: c.began.UTC().Format(time.RFC3339), Commit: commit(), Binary: binary(), Go: runtime.Version(), Seed: c.o.Seed, Runs: c.o.Runs,
		Search: c.o.Search, Statements: c.o.Statements, Servers: c.o.Servers, Named: len(c.o.Names) > 0}
	if c.o.For > 0 {
		s.For = c.o.For.String()
	}
	for _, d := range picked {
		s.Drills = append(s.Drills, reports.DrillInfo{Name: d.Name, Claim: d.Claim, Faults: d.Faults.Expected(), Canary: d.Canary})
	}
	return s
}

// take judges one answer, asks for the story where it is the first failure of its kind, tells the search, and sends the
// events.
func (c *campaign) take(ctx context.Context, u underway, a answer) error {
	d := u.hunt.drill
	run := a.Run
	if u.known != nil {
		if err := u.sameAs(run); err != nil {
			return err
		}
		run = *u.known
	}
	kind := [2]string{d.Name, run.Oracle}
	first := run.Verdict == reports.Violation && !c.told[kind] && !c.o.Untold
	c.told[kind] = c.told[kind] || first
	if u.known == nil {
		run = c.dress(ctx, u, a, first)
	}
	o, err := a.outcome()
	if err != nil {
		return fmt.Errorf("%s: %w", run.Title(), err)
	}
	u.hunt.took(u.trial, o)
	c.tally.Add(run)
	if u.known != nil {
		return nil // its line is in the journal
	}
	return c.send(d, run, a.Marks)
}

// dress adds to a run what its worker doesn't know: whose trial it was, how it replays, and of the first failure of its
// kind the story of the fewest deviations.
func (c *campaign) dress(ctx context.Context, u underway, a answer, first bool) reports.Run {
	run := a.Run
	run.Canary = u.hunt.drill.Canary
	if c.o.Search != string(search.Random) {
		run.Rung, run.Trial = rungOf(u.trial), u.trial.ID+1
	}
	if first {
		if told, ok := c.explain(ctx, u.hunt.drill, a); ok {
			run.Story, run.Script = told.Run.Story, told.Script
		}
	}
	if run.Verdict != reports.Pass && (run.Replay == "" || c.o.Untold) {
		run.Script = cmp.Or(run.Script, a.Script)
		run.Replay = cmp.Or(run.Replay, reports.ReplayFile)
	}
	return run
}

// send sends a run's events.
func (c *campaign) send(d Drill, run reports.Run, marks []reports.Mark) error {
	c.runs++
	for _, kind := range run.Faults {
		c.bitten[kind]++
	}
	if err := c.o.Events(run); err != nil {
		return err
	}
	for _, m := range marks {
		m.Rung, m.Trial = run.Rung, run.Trial
		if err := c.o.Events(m); err != nil {
			return err
		}
	}
	if c.o.Progress != nil {
		c.o.Progress(c.progress(d))
	}
	return nil
}

// explain asks the crew to shrink a failure and to tell it.
func (c *campaign) explain(ctx context.Context, d Drill, a answer) (answer, bool) {
	reply := c.crew.submit(ctx, order{Drill: d.Name, Seed: a.Run.Seed, Script: a.Script, Shrink: true})
	if reply == nil {
		return answer{}, false
	}
	told := <-reply
	return told, told.Run.Verdict == a.Run.Verdict && told.Run.Oracle == a.Run.Oracle
}

// accounts are what each drill's search says of itself.
func (c *campaign) accounts() []reports.Search {
	var all []reports.Search
	for _, h := range c.hunts {
		all = append(all, h.account()...)
	}
	return all
}

func (c *campaign) progress(d Drill) Progress {
	elapsed := time.Since(c.began)
	p := Progress{Drill: d.Name, Done: c.runs, Faults: c.bitten, Elapsed: elapsed,
		RunsPerSecond: float64(c.runs) / max(elapsed.Seconds(), 0.001)}
	if c.o.For > 0 {
		p.Left = max(0, c.o.For-elapsed)
	} else if p.Total = c.total(); p.Total > 0 {
		p.Left = time.Duration(float64(p.Total-p.Done) / max(p.RunsPerSecond, 0.001) * float64(time.Second))
	}
	return p
}

// total is how many runs are to be made now, 0 where nobody knows.
func (c *campaign) total() int {
	total := 0
	for _, h := range c.hunts {
		if h.most == 0 {
			return 0
		}
		total += h.most - h.known
	}
	return total
}
