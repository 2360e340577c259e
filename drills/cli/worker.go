package cli

import (
	"github.com/spf13/cobra"

	"github.com/recondrill/recondrill/drills"
)

// worker is the process that a campaign starts for each server; nobody types it.
func (a *app) worker() *cobra.Command {
	return &cobra.Command{
		Use: "worker", Hidden: true, DisableFlagParsing: true,
		RunE: a.do(func(cmd *cobra.Command, args []string) (int, error) {
			return 0, drills.Worker(cmd.Context(), a.stdin, a.stdout, args)
		}),
	}
}
