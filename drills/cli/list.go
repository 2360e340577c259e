package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/recondrill/recondrill/drills"
)

func (a *app) list() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "Print the catalogue", Args: cobra.NoArgs,
		RunE: a.do(func(*cobra.Command, []string) (int, error) {
			width := 0
			for _, d := range drills.Catalogue() {
				width = max(width, len(d.Name))
			}
			for _, d := range drills.Catalogue() {
				note := ""
				if d.Canary {
					note = " (canary)"
				}
				fmt.Fprintf(a.stdout, "%-*s  %s%s\n", width, d.Name, d.Claim, note)
			}
			return 0, nil
		}),
	}
}
