package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/recondrill/recondrill/drills"
	"github.com/recondrill/recondrill/reports"
)

func (a *app) replay() *cobra.Command {
	var (
		from  server
		drill string
		n     seed
		trace bool
		json  bool
	)
	cmd := &cobra.Command{
		Use: "replay FILE | --drill NAME --seed N", Short: "Make one run again and tell it",
		Long: "Make one run again, from its script or from its drill and seed, compare the hash, and tell its story.\nThe exit code is that of the run's verdict.",
		Args: cobra.ArbitraryArgs,
	}
	cmd.Flags().StringVar(&drill, "drill", "", "the drill's `NAME`")
	cmd.Flags().Var(&n, "seed", "the run's seed")
	cmd.Flags().BoolVar(&trace, "trace", false, "print every step")
	cmd.Flags().BoolVar(&json, "json", false, "the run as one JSON object on stdout, and nothing else")
	from.flags(cmd, a.variable("RECONDRILL_POSTGRES_IMAGE"))
	cmd.Flags().Lookup("seed").DefValue = "0"
	cmd.RunE = a.do(func(cmd *cobra.Command, args []string) (int, error) {
		o := drills.ReplayOptions{Drill: drill, Seed: uint64(n), Postgres: from.postgres, Image: from.image, Statements: from.statements}
		seeded := cmd.Flags().Changed("seed")
		switch {
		case len(args) == 1 && drill == "" && !seeded:
			o.File = args[0]
		case len(args) == 0 && drill != "" && seeded:
		default:
			return 0, usage("replay: accepted is one FILE, or --drill NAME with --seed N")
		}
		p := newProgress(a.stderr, a.variable)
		o.Log = p.log
		if trace {
			o.Trace = a.stdout
			if json {
				o.Trace = a.stderr
			}
		}
		run, err := drills.Replay(cmd.Context(), o)
		if err != nil {
			return 0, err
		}
		if !json {
			tellRun(a.stdout, run)
			return run.Verdict.Exit(), nil
		}
		line, err := reports.Encode(run)
		if err != nil {
			return 0, err
		}
		_, err = fmt.Fprintf(a.stdout, "%s\n", line)
		return run.Verdict.Exit(), err
	})
	return cmd
}
