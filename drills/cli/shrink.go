package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/recondrill/recondrill/drills"
	"github.com/recondrill/recondrill/reports"
)

func (a *app) shrink() *cobra.Command {
	var (
		from   server
		out    string
		goTest bool
		json   bool
	)
	cmd := &cobra.Command{
		Use: "shrink FILE", Short: "Find the fewest faults that fail like a script, as a regression to commit",
		Long: "Make a failing script smaller and milder as long as the same oracle objects, tell its story, and write it as a regression that must pass once the bug is gone.\n" +
			"Exit code: 0 it is written, 2 the file can't be used or does not fail, 3 it could not be checked, 4 it did not fail the same way twice.",
		Args: cobra.ArbitraryArgs,
	}
	cmd.Flags().StringVar(&out, "out", "", "write the regression to this `FILE` (default: a new one in testdata/regressions, where that is, else beside the script)")
	cmd.Flags().BoolVar(&goTest, "go-test", false, "print a Go test file that replays it, for the directory you are in")
	cmd.Flags().BoolVar(&json, "json", false, "the run as one JSON object on stdout, and nothing else")
	from.flags(cmd, a.variable("RECONDRILL_POSTGRES_IMAGE"))
	cmd.RunE = a.do(func(cmd *cobra.Command, args []string) (int, error) {
		if len(args) != 1 {
			return 0, usage("shrink: accepted is one FILE, a script that fails; %d given", len(args))
		}
		if goTest && json {
			return 0, usage("--go-test and --json: accepted is one of them")
		}
		p := newProgress(a.stderr, a.variable)
		small, err := drills.Shrink(cmd.Context(), drills.ShrinkOptions{File: args[0], Postgres: from.postgres, Image: from.image, Statements: from.statements, Log: p.log})
		if err != nil {
			return 0, err
		}
		if small.Run.Verdict != reports.Violation {
			a.fail(fmt.Errorf("%s: %s", small.Run.Verdict, small.Run.Error))
			return small.Run.Verdict.Exit(), nil
		}
		path, err := small.WriteRegression(out, args[0])
		if err != nil {
			return 0, usage("--out: %w", err)
		}
		run := small.Run
		run.Replay, run.ScriptFile = "recondrill replay "+path, path
		p.log("%s, from %d, after %s; written to %s", reports.Count(len(small.Script.Deviations), "deviation"), small.Before, reports.Count(small.Tries, "run"), path)
		if small.Partly {
			p.log("not all that could be left out was tried: so many runs are the most that is spent; shrink %s goes on from there", path)
		}
		switch {
		case goTest:
			return 0, a.print(small.GoTest(path))
		case json:
			line, err := reports.Encode(run)
			if err != nil {
				return 0, err
			}
			return 0, a.print(string(line) + "\n")
		}
		return 0, a.print(toldRun(run))
	})
	return cmd
}
