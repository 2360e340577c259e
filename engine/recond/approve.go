package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/ops"
	"github.com/recondrill/recondrill/engine/postgres"
)

func approveCommand() *cobra.Command {
	var f opsFlags
	var expect int64
	cmd := &cobra.Command{
		Use: "approve CORRECTION --expect VERSION --who NAME --why REASON", Short: "Lets a proposed correction be carried out",
		Long: "Above ops.four_eyes of the configuration file (default 500000 minor units) it takes two persons: after the first, the\n" +
			"correction is still proposed, at a new version.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(fmt.Errorf("approve takes one correction, found %q", args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			by, err := f.person()
			if err != nil {
				return err
			}
			settings, err := settingsOf(f.file)
			if err != nil {
				return err
			}
			return f.with(cmd.Context(), func(ctx context.Context, db *postgres.DB) error {
				key := engine.Key(args[0])
				err := ops.Approve(ctx, db, settings, ops.Act{By: by, Expect: expect, Why: f.why}, key)
				var moved *ops.MovedError
				if errors.As(err, &moved) || errors.Is(err, ops.ErrNoRecord) || errors.Is(err, ops.ErrNotAllowed) {
					return usage(err)
				}
				if err != nil {
					return err
				}
				r, err := ops.Look(ctx, db, ops.Correction, key)
				if err != nil {
					return err
				}
				if f.json {
					return object(cmd.OutOrStdout(), approved{"approved", string(key), r.State, r.Version})
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is %s at version %d\n", key, r.State, r.Version)
				return err
			})
		},
	}
	f.add(cmd, true)
	cmd.Flags().Int64Var(&expect, "expect", 0, "the version that was seen")
	return cmd
}

// approved is what approve prints as JSON.
type approved struct {
	Type       string `json:"type"`
	Correction string `json:"correction"`
	State      string `json:"state"`
	Version    int64  `json:"version"`
}
