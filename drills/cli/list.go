package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/recondrill/recondrill/drills"
)

func (a *app) list() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "Print the catalogue", Args: cobra.NoArgs,
		RunE: a.do(func(*cobra.Command, []string) (int, error) {
			width := 0
			var page strings.Builder
			for _, d := range drills.Catalogue() {
				width = max(width, len(d.Name))
			}
			for _, d := range drills.Catalogue() {
				claim := d.Claim
				if d.Canary {
					claim = "has a planted double send; it must be found"
				}
				fmt.Fprintf(&page, "%-*s  %s\n%-*s  faults: %s\n", width, d.Name, claim, width, "", strings.Join(d.Faults.Expected(), ", "))
			}
			return 0, a.print(page.String())
		}),
	}
}
