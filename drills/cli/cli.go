package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/recondrill/recondrill/drills"
	"github.com/recondrill/recondrill/reports"
)

const about = `recondrill runs a payment reconciliation and reminder engine through faults, on a real PostgreSQL under a simulated
clock, and proves drill by drill that nothing is lost and nothing happens twice.

  recondrill drill                              every drill, 20 seeds each
  recondrill drill lost-lease --seed 7          one of them; "drill list" names them
  recondrill drill --runs 200 --out report/     with a report to read
  recondrill replay --drill lost-lease --seed 7 one run again, step by step with --trace
  recondrill match STATEMENT LEDGER             two files compared, no database`

// app is one invocation.
type app struct {
	env            []string
	stdin          io.Reader
	stdout, stderr io.Writer
	code           int
}

// Main carries out a command line (without the program's name) and gives the exit code. It never exits by itself.
func Main(args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{env: env, stdin: stdin, stdout: stdout, stderr: stderr}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)() // after the first signal the next one has its usual effect
	root := a.root()
	root.SetArgs(append([]string{}, args...)) // nil would mean os.Args
	if err := root.ExecuteContext(ctx); err != nil {
		return a.fail(&drills.UsageError{Err: err}) // ours are caught in do: these are the command tree's own
	}
	return a.code
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "recondrill", Short: "drills for a payment reconciliation engine", Long: about,
		SilenceErrors: true, SilenceUsage: true, DisableSuggestions: true,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("there is no command %q; accepted are drill, replay and match", args[0])
			}
			return cmd.Help()
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; %s --help names what is accepted", err, cmd.CommandPath())
	})
	root.AddCommand(a.drill(), a.replay(), a.match(), a.worker())
	return root
}

// do turns a command's work into an exit code.
func (a *app) do(work func(cmd *cobra.Command, args []string) (int, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		code, err := work(cmd, args)
		if err != nil {
			code = a.fail(err)
		}
		a.code = code
		return nil
	}
}

// fail tells an error in one line and gives its exit code: 2 for usage and input, else 3, not checked.
func (a *app) fail(err error) int {
	fmt.Fprintf(a.stderr, "recondrill: %s\n", oneLine(err))
	var usage *drills.UsageError
	if errors.As(err, &usage) {
		return reports.ExitUsage
	}
	return reports.Error.Exit()
}

func oneLine(err error) string {
	return strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; ")
}

// usage is an error of the command line.
func usage(format string, args ...any) error {
	return &drills.UsageError{Err: fmt.Errorf(format, args...)}
}

// variable is the value of an environment variable, empty where it is not set.
func (a *app) variable(name string) string {
	for _, pair := range a.env {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}
