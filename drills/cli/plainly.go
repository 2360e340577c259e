package cli

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/recondrill/recondrill/drills"
	"github.com/recondrill/recondrill/reports"
)

// plainly runs the drills under plain concurrency: what `make power` compares the kernel with. Nobody types it.
func (a *app) plainly() *cobra.Command {
	var seed uint64
	var long time.Duration
	var postgres string
	cmd := &cobra.Command{
		Use: "plainly [NAME …]", Hidden: true,
		RunE: a.do(func(cmd *cobra.Command, args []string) (int, error) {
			lines := json.NewEncoder(a.stdout)
			worst := reports.Pass
			err := drills.Plainly(cmd.Context(), args, seed, long, postgres, func(r reports.Run) error {
				worst = reports.Worse(worst, r.Verdict)
				return lines.Encode(struct {
					Type string `json:"type"`
					reports.Run
				}{"run", r})
			})
			if errors.Is(err, context.Canceled) {
				err = nil
			}
			return worst.Exit(), err
		}),
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "")
	cmd.Flags().DurationVar(&long, "for", time.Minute, "")
	cmd.Flags().StringVar(&postgres, "postgres", "auto", "")
	return cmd
}
