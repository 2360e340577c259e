package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/recondrill/recondrill/engine/node"
	"github.com/recondrill/recondrill/engine/postgres"
)

// opsFlags are what every operator's command takes.
type opsFlags struct {
	dsn, file string
	who, why  string
	json      bool
}

func opsCommand() *cobra.Command {
	ops := &cobra.Command{
		Use: "ops", Short: "What a person does",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("%q is no operator's command; accepted are approve, recover, status", args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	ops.AddCommand(approveCommand(), recoverCommand(), statusCommand())
	return ops
}

// add declares them; acts says that the command does something, and then somebody must have a reason.
func (f *opsFlags) add(cmd *cobra.Command, acts bool) {
	cmd.Flags().StringVar(&f.dsn, "dsn", "", "the database")
	cmd.Flags().StringVar(&f.file, "config", "", "a configuration file with database.dsn")
	cmd.Flags().BoolVar(&f.json, "json", false, "one object on stdout")
	if acts {
		cmd.Flags().StringVar(&f.who, "who", "", "who does it: ann")
		cmd.Flags().StringVar(&f.why, "why", "", "why")
	}
}

// person is who acts, as the audit names people.
func (f *opsFlags) person() (string, error) {
	if f.who == "" || f.why == "" {
		return "", usage(fmt.Errorf("--who %q --why %q; accepted is who does it, and why", f.who, f.why))
	}
	return "person:" + strings.TrimPrefix(f.who, "person:"), nil
}

// with opens the database for one act.
func (f *opsFlags) with(ctx context.Context, act func(ctx context.Context, db *postgres.DB) error) error {
	cfg, err := database(f.dsn, f.file)
	if err != nil {
		return err
	}
	pool, err := pgxpool.ParseConfig("")
	if err != nil {
		return err
	}
	pool.ConnConfig, pool.MaxConns = cfg, 2
	db, err := postgres.Open(ctx, node.NewRuntime(), pool, postgres.Options{Member: "ops"})
	if err != nil {
		return err
	}
	defer db.Close()
	err = act(ctx, db)
	if gone := db.Deregister(context.WithoutCancel(ctx)); err == nil {
		err = gone
	}
	return err
}

func noArgument(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usage(fmt.Errorf("%s takes no argument, found %q", name, args[0]))
		}
		return nil
	}
}

// object writes one JSON object on a line.
func object(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
