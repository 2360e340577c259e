package cli

import (
	"io"
	"regexp"

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
			o.Trace = shortSQL{a.stdout}
			if json {
				o.Trace = shortSQL{a.stderr}
			}
		}
		run, err := drills.Replay(cmd.Context(), o)
		if err != nil {
			return 0, err
		}
		if o.File != "" {
			run.Replay = "recondrill replay " + o.File // its seed alone would be another run
		}
		told := toldRun(run)
		if json {
			line, err := reports.Encode(run)
			if err != nil {
				return 0, err
			}
			told = string(line) + "\n"
		}
		return run.Verdict.Exit(), a.print(told)
	})
	return cmd
}

// namedSQL is a statement in a line of the history: its name, its text, and the hash of its arguments where it has some.
var namedSQL = regexp.MustCompile(`statement: -- name: (\S+) :\w+ .*?( #[0-9a-f]{12})?\n$`)

// shortSQL prints lines of a history, each one Write, with the name of a statement instead of its text.
type shortSQL struct{ out io.Writer }

func (s shortSQL) Write(line []byte) (int, error) {
	_, err := s.out.Write(namedSQL.ReplaceAll(line, []byte("statement: $1$2\n")))
	return len(line), err
}
