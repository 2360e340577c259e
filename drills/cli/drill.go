package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/recondrill/recondrill/drills"
	"github.com/recondrill/recondrill/reports"
)

// drillFlags are what `recondrill drill` takes.
type drillFlags struct {
	server
	seed    seed
	runs    count
	lasts   period
	search  string
	servers count
	out     string
	json    bool
	resume  bool
	untold  bool
}

func (a *app) drill() *cobra.Command {
	f := &drillFlags{seed: 1, runs: drills.RunsDefault}
	cmd := &cobra.Command{
		Use: "drill [NAME …]", Short: "Run drills; without a name, all of them",
		Long: "Run drills; without a name, the whole catalogue. The same command makes the same runs, on however many servers.\n" +
			"How faults are looked for (--search): ladder takes turns at all of the others; sweep tries one deviation at a time, everywhere, then pairs;\n" +
			"exhaustive reorders what depends on each other, up to a bound; random runs the seeds N to N+R−1; pct and pos draw orders that conflict.\n" +
			"Exit code: 0 pass, 1 violation, 2 bad usage, 3 could not be checked, 4 nondeterministic, 5 vacuous.",
		Args: cobra.ArbitraryArgs,
	}
	cmd.Flags().Var(&f.seed, "seed", "the first seed")
	cmd.Flags().Var(&f.runs, "runs", "runs per drill")
	cmd.Flags().Var(&f.lasts, "for", "run for this long in all, instead of --runs")
	cmd.Flags().StringVar(&f.search, "search", drills.Searches()[0], "the `WAY` faults are looked for: "+strings.Join(drills.Searches(), ", "))
	f.flags(cmd, a.variable("RECONDRILL_POSTGRES_IMAGE"))
	cmd.Flags().Var(&f.servers, "servers", "how many servers, each with a process of its own (default one a core)")
	cmd.Flags().StringVar(&f.out, "out", "", "write journal.jsonl, report.html, junit.xml and summary.md into this `DIR`")
	cmd.Flags().BoolVar(&f.json, "json", false, "one JSON object a line on stdout, and nothing else")
	cmd.Flags().BoolVar(&f.resume, "resume", false, "go on with the same command that was interrupted, from its journal in --out; lines that were written then are not written again")
	cmd.Flags().BoolVar(&f.untold, "untold", false, "do not shrink and tell failures: for measuring how soon they are found")
	_ = cmd.Flags().MarkHidden("untold")         // it errs on a flag that does not exist
	cmd.Flags().Lookup("servers").DefValue = "0" // pflag then prints no default of its own
	cmd.RunE = a.do(func(cmd *cobra.Command, args []string) (int, error) {
		if err := f.validate(cmd, args); err != nil {
			return 0, err
		}
		if drills.Bounded(f.search) && !cmd.Flags().Changed("runs") {
			f.runs = 0 // every point there is
		}
		return a.campaign(cmd.Context(), f, args)
	})
	cmd.AddCommand(a.list())
	return cmd
}

// validate finds everything wrong that can be seen before anything is touched.
func (f *drillFlags) validate(cmd *cobra.Command, names []string) error {
	if cmd.Flags().Changed("runs") && cmd.Flags().Changed("for") {
		return usage("--runs and --for: accepted is one of them")
	}
	if !slices.Contains(drills.Searches(), f.search) {
		return usage("--search %q: accepted are %s", f.search, strings.Join(drills.Searches(), ", "))
	}
	if f.resume && f.out == "" {
		return usage("--resume goes on from a journal: accepted with --out DIR of the campaign that was interrupted")
	}
	if last := uint64(f.runs) - 1; f.lasts == 0 && uint64(f.seed) > math.MaxUint64-last {
		return usage("--seed %d with --runs %d: the last seed is above %d", f.seed, f.runs, uint64(math.MaxUint64))
	}
	var known []string
	for _, d := range drills.Catalogue() {
		known = append(known, d.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return usage("there is no drill %q; accepted are %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// campaign runs the drills and reports them.
func (a *app) campaign(ctx context.Context, f *drillFlags, names []string) (int, error) {
	s := &sink{tally: reports.NewTally(reports.Start{}), command: f.command(names)}
	if f.json {
		s.lines = a.stdout
	}
	if f.out != "" {
		if err := s.open(f.out, f.resume); err != nil {
			return 0, err
		}
	}
	p := newProgress(a.stderr, a.variable)
	defer context.AfterFunc(ctx, func() { p.log("stopping after the runs under way; once more ends it at once") })()
	o := drills.CampaignOptions{Names: names, Seed: uint64(f.seed), For: time.Duration(f.lasts), Search: f.search, Statements: f.statements, Before: s.before,
		Postgres: f.postgres, Image: f.image, Servers: int(f.servers), Untold: f.untold, Events: func(e reports.Event) error { return s.event(ctx, e) }, Progress: p.show, Log: p.log}
	if f.lasts == 0 {
		o.Runs = int(f.runs)
	}
	_, err := drills.Campaign(ctx, o) // its summary is the last event
	p.end()
	summary, err := s.end(ctx, err)
	if summary == nil {
		return 0, err
	}
	if err != nil {
		a.fail(err) // told, and counted in the summary
	}
	if !f.json && summary.Runs > 0 {
		if err := a.tell(s, *summary, f.out); err != nil {
			return 0, err
		}
	}
	return summary.Verdict.Exit(), nil
}

// open opens the folder of the report.
func (s *sink) open(dir string, resume bool) (err error) {
	if !resume {
		if s.folder, err = reports.OpenFolder(dir); err != nil {
			return usage("--out: %w", err)
		}
		return nil
	}
	if s.folder, s.before, err = reports.ReopenFolder(dir); err != nil {
		return usage("--resume: %w", err)
	}
	if len(s.before) == 0 {
		s.discard()
		return usage("--resume: the journal in %s is empty: the campaign had not begun; accepted is the command without --resume", dir)
	}
	return nil
}

// command is what was typed, as far as it decides what is run.
func (f *drillFlags) command(names []string) string {
	words := append([]string{"recondrill", "drill"}, names...)
	words = append(words, fmt.Sprintf("--seed %d", f.seed))
	if f.lasts > 0 {
		words = append(words, "--for "+time.Duration(f.lasts).String())
	} else {
		words = append(words, fmt.Sprintf("--runs %d", f.runs))
	}
	words = append(words, "--search "+f.search)
	if f.statements != "" {
		words = append(words, "--statements "+f.statements)
	}
	return strings.Join(words, " ")
}
