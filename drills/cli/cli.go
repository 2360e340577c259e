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
	"time"

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
  recondrill shrink FILE                        the fewest faults that fail like it, as a regression to commit
  recondrill match STATEMENT LEDGER             two files compared, no database`

// endings are the signals after which there is still a server to put away. A terminal that is closed is one, except
// under nohup.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// sameSignal is how long after the first signal another one is still the same: timeout(1) and a terminal send it to the
// process and to its group.
const sameSignal = time.Second

// stoppable is a context that the first signal cancels. A second one, later than sameSignal, has its usual effect.
func stoppable(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endings()...)
	go func() {
		defer signal.Stop(signals)
		select {
		case <-ctx.Done():
			return
		case <-signals:
		}
		cancel()
		time.Sleep(sameSignal) // what comes now is held in signals, or dropped there
	}()
	return ctx, cancel
}

// keepAlive makes a write to somebody who has gone (`| head`, a parent that was killed) an error like any other. By
// itself it would end the process on the spot, with its server and directories left behind.
func keepAlive() (undo func()) {
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE)
	return func() { signal.Stop(unread) }
}

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
	defer keepAlive()()
	ctx, stop := stoppable(context.Background())
	defer stop()
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
				return fmt.Errorf("there is no command %q; accepted are drill, replay, shrink and match", args[0])
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
	root.AddCommand(a.drill(), a.replay(), a.shrink(), a.match(), a.worker(), a.plainly())
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
