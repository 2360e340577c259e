package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// errUsage marks what the caller can mend: flags, arguments, the configuration.
var errUsage = errors.New("usage")

// run is the program without its process, and gives the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := command()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		fmt.Fprintln(stderr, "recond:", err)
		return 2
	default:
		fmt.Fprintln(stderr, "recond:", err)
		return 3
	}
}

// command builds the tree.
func command() *cobra.Command {
	root := &cobra.Command{
		Use: "recond", Short: "Reconciles payments and delivers reminders",
		SilenceErrors: true, SilenceUsage: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("%q is no command; accepted are migrate, ops", args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(migrateCommand(), opsCommand())
	return root
}

// usage keeps the error's own text and marks it.
func usage(err error) error { return usageError{err} }

type usageError struct{ error }

func (u usageError) Unwrap() []error { return []error{u.error, errUsage} }
