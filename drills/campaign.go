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
)

// CampaignOptions are the flags of `recondrill drill`.
type CampaignOptions struct {
	Names      []string      // drills by name; none = the catalogue without canaries, then the canaries
	Seed       uint64        // the first seed
	Runs       int           // seeds per drill
	For        time.Duration // instead of Runs: how long in all
	Search     string        // random | sweep
	Statements string        // folder of exported statements
	Postgres   string        // auto | container | local | a DSN
	Image      string
	Servers    int // worker processes, each with a server; 0 = one a core
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
	shutdownMax = 20 * time.Second // real time a worker may take to put its server away
)

// Searches are the rungs that --search accepts.
func Searches() []string { return []string{"random", "sweep"} }

// Campaign runs drills and sends each event in (drill, seed) order. Its error is a *UsageError, or says why
// nothing could be checked; verdicts are in the summary.
func Campaign(ctx context.Context, o CampaignOptions) (reports.Summary, error) {
	explicit := o.Servers > 0
	picked, err := o.normalise()
	if err != nil {
		return reports.Summary{}, err
	}
	began := time.Now()
	members, server, err := muster(ctx, crewSetup{o.Postgres, o.Image, o.Statements, runID(), o.Servers, explicit}, o.Log)
	if err != nil {
		return reports.Summary{}, err
	}
	c := &campaign{o: o, crew: members, server: server, began: began, total: o.Runs * len(picked), bitten: map[string]int{}, told: map[[2]string]bool{}}
	start := c.start(picked)
	c.tally = reports.NewTally(start)
	failed := o.Events(start)
	for i, d := range picked {
		if failed != nil || ctx.Err() != nil {
			break
		}
		failed = c.drill(ctx, d, len(picked)-i)
	}
	members.dismiss()
	if failed != nil {
		return reports.Summary{}, failed
	}
	s := c.tally.Summary()
	s.WallMS = time.Since(began).Milliseconds()
	s.RunsPerSecond = float64(s.Runs) / max(time.Since(began).Seconds(), 0.001)
	if err := members.err(); err != nil {
		s.Verdict, s.Reasons = reports.Worse(s.Verdict, reports.Error), append(s.Reasons, err.Error())
	}
	if ctx.Err() != nil {
		s.Interrupted = true
	}
	return s, o.Events(s)
}

func (o *CampaignOptions) normalise() ([]Drill, error) {
	if o.Search == "" {
		o.Search = "random"
	}
	if !slices.Contains(Searches(), o.Search) {
		return nil, &UsageError{fmt.Errorf("--search %s: accepted are %s", o.Search, strings.Join(Searches(), " and "))}
	}
	if o.Runs == 0 && o.For == 0 && o.Search == "random" {
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
	total  int                // runs to be made as far as is known; 0 where the time decides
	runs   int                // made so far
	bitten map[string]int     // runs in which a kind bit
	told   map[[2]string]bool // (drill, oracle) whose first failure was shrunk and told
}

func (c *campaign) postgres() reports.Postgres {
	return reports.Postgres{How: c.server.How, Version: c.server.Version}
}

func (c *campaign) start(picked []Drill) reports.Start {
	s := reports.Start{StartedAt: c.began.UTC().Format(time.RFC3339), Commit: commit(), Go: runtime.Version(), Seed: c.o.Seed, Runs: c.o.Runs,
		Search: c.o.Search, Statements: c.o.Statements, Servers: c.o.Servers, Postgres: c.postgres(), Named: len(c.o.Names) > 0}
	if c.o.For > 0 {
		s.For = c.o.For.String()
	}
	for _, d := range picked {
		s.Drills = append(s.Drills, reports.DrillInfo{Name: d.Name, Claim: d.Claim, Faults: d.Faults.Expected(), Canary: d.Canary})
	}
	return s
}

// drill runs one drill's share of the campaign and judges it; left counts it and the drills after it.
func (c *campaign) drill(ctx context.Context, d Drill, left int) error {
	source, err := c.source(ctx, d, left)
	if err != nil {
		return err
	}
	return c.stream(ctx, source, func(a answer) error { return c.take(ctx, d, a) })
}

// stream hands the orders of a source to the crew and takes the answers in the order of the orders.
func (c *campaign) stream(ctx context.Context, source func() (order, bool), take func(answer) error) error {
	replies := make(chan (<-chan answer), 2*c.o.Servers)
	ordering, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer close(replies)
		for o, more := source(); more; o, more = source() {
			reply := c.crew.submit(ordering, o)
			if reply == nil {
				return
			}
			replies <- reply
		}
	}()
	var failed error
	for reply := range replies {
		a := <-reply
		if failed == nil && ctx.Err() == nil {
			if failed = take(a); failed != nil {
				stop()
			}
		}
	}
	return failed
}

// take judges one answer, asks for the story where it is the first failure of its kind, and sends the events.
func (c *campaign) take(ctx context.Context, d Drill, a answer) error {
	run := a.Run
	run.Canary = d.Canary
	if kind := [2]string{d.Name, run.Oracle}; run.Verdict == reports.Violation && !c.told[kind] {
		c.told[kind] = true
		if told, ok := c.explain(ctx, d, a); ok {
			run.Story, run.Script = told.Run.Story, told.Script
		}
	}
	if run.Replay == "" && run.Verdict != reports.Pass {
		run.Script = cmp.Or(run.Script, a.Script)
		run.Replay = "recondrill replay FILE (its script is in the report)"
	}
	c.tally.Add(run)
	c.runs++
	for _, kind := range run.Faults {
		c.bitten[kind]++
	}
	if err := c.o.Events(run); err != nil {
		return err
	}
	for _, m := range a.Marks {
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

func (c *campaign) progress(d Drill) Progress {
	elapsed := time.Since(c.began)
	p := Progress{Drill: d.Name, Done: c.runs, Faults: c.bitten, Elapsed: elapsed,
		RunsPerSecond: float64(c.runs) / max(elapsed.Seconds(), 0.001)}
	if c.o.For > 0 {
		p.Left = max(0, c.o.For-elapsed)
	} else if p.Total = c.total; p.Total > 0 {
		p.Left = time.Duration(float64(p.Total-p.Done) / max(p.RunsPerSecond, 0.001) * float64(time.Second))
	}
	return p
}
