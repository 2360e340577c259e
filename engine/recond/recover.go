package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/recondrill/recondrill/engine/ops"
	"github.com/recondrill/recondrill/engine/postgres"
)

func recoverCommand() *cobra.Command {
	var f opsFlags
	var since string
	var r ops.Recovery
	cmd := &cobra.Command{
		Use: "recover --since T --who NAME --why REASON", Short: "Lets a server that took over, or was restored, act outside again",
		Long: "After a failover or a restore nothing is sent and nothing is refunded until this was said once. First make sure that the\n" +
			"old server is off for good. T is an instant from which on commits may be missing: of a standby, a little before its\n" +
			"last replayed commit; of a backup, when it was taken. Earlier is always safe, while the outside still remembers keys.\n" +
			"Every record that may have acted since is asked about by its key before it acts; where the outside cannot be asked, it\n" +
			"waits, unknown, for a person.",
		Args: noArgument("recover"),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if r.By, err = f.person(); err != nil {
				return err
			}
			if r.Since, err = time.Parse(time.RFC3339, since); err != nil {
				return usage(fmt.Errorf("--since %q; accepted is an instant like 2026-03-02T01:59:00Z", since))
			}
			r.Why = f.why
			return f.with(cmd.Context(), func(ctx context.Context, db *postgres.DB) error {
				done, err := ops.Recover(ctx, db, r)
				switch {
				case errors.Is(err, ops.ErrNothingToRecover):
					return usage(fmt.Errorf("%w; where it was set back and kept its identity, say --rolled-back", err))
				case errors.Is(err, ops.ErrRecovery):
					return usage(err)
				case err != nil:
					return err
				case f.json:
					return object(cmd.OutOrStdout(), recoveredLine(r, done))
				}
				return printRecovered(cmd.OutOrStdout(), r, done)
			})
		},
	}
	f.add(cmd, true)
	cmd.Flags().StringVar(&since, "since", "", "from when on commits may be missing")
	cmd.Flags().BoolVar(&r.RolledBack, "rolled-back", false, "the server was set back and kept its identity, as from a snapshot of its disk")
	cmd.Flags().BoolVar(&r.DryRun, "dry-run", false, "say what would be asked about, and do nothing")
	return cmd
}

// recovered is what recover prints as JSON.
type recovered struct {
	Type        string    `json:"type"`
	Incarnation int32     `json:"incarnation"`
	Since       time.Time `json:"since"`
	DryRun      bool      `json:"dry_run"`
	InDoubt     []count   `json:"in_doubt"`
}

// count is how many records are where.
type count struct {
	Kind    string `json:"kind"`
	Channel string `json:"channel,omitempty"`
	State   string `json:"state"`
	Number  int    `json:"number"`
}

func recoveredLine(r ops.Recovery, done ops.Recovered) recovered {
	return recovered{Type: "recovered", Incarnation: done.Incarnation, Since: r.Since.UTC(), DryRun: r.DryRun, InDoubt: counts(done.InDoubt)}
}

func counts(all []ops.Count) []count {
	lines := []count{}
	for _, c := range all {
		lines = append(lines, count{c.Kind, string(c.Channel), c.State, c.Number})
	}
	return lines
}

func printRecovered(w io.Writer, r ops.Recovery, done ops.Recovered) error {
	head := fmt.Sprintf("incarnation %d acts outside; what was done since %s may be lost", done.Incarnation, r.Since.UTC().Format(time.RFC3339))
	if r.DryRun {
		head = "nothing was done; these would be asked about by key before they act"
	} else if len(done.InDoubt) > 0 {
		head += "; asked about by key before they act:"
	}
	if _, err := fmt.Fprintln(w, head); err != nil {
		return err
	}
	return printCounts(w, done.InDoubt)
}

func printCounts(w io.Writer, all []ops.Count) error {
	for _, c := range all {
		what := c.Kind
		if c.Channel != "" {
			what += " " + string(c.Channel)
		}
		if _, err := fmt.Fprintf(w, "  %s %s %d\n", what, c.State, c.Number); err != nil {
			return err
		}
	}
	return nil
}
