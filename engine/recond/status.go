package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/recondrill/recondrill/engine/ops"
	"github.com/recondrill/recondrill/engine/postgres"
)

func statusCommand() *cobra.Command {
	var f opsFlags
	cmd := &cobra.Command{
		Use: "status", Short: "Says whether the engine acts, what asks for a person, and how many records are where",
		Args: noArgument("status"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.with(cmd.Context(), func(ctx context.Context, db *postgres.DB) error {
				s, err := ops.ReadStatus(ctx, db)
				switch {
				case err != nil:
					return err
				case f.json:
					return object(cmd.OutOrStdout(), statusLine(s))
				}
				return printStatus(cmd.OutOrStdout(), s)
			})
		},
	}
	f.add(cmd, false)
	return cmd
}

// status is what status prints as JSON.
type status struct {
	Type        string  `json:"type"`
	Incarnation int32   `json:"incarnation"`
	Stopped     string  `json:"stopped"`
	Alarms      []alarm `json:"alarms"`
	Unsettled   []count `json:"unsettled"`
	InDoubt     []count `json:"in_doubt"`
}

type alarm struct {
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
	Detail  string `json:"detail"`
}

func statusLine(s ops.Status) status {
	line := status{Type: "status", Incarnation: s.Existence.Incarnation, Stopped: s.Existence.Stopped, Alarms: []alarm{},
		Unsettled: counts(s.Unsettled), InDoubt: counts(s.InDoubt)}
	for _, a := range s.Alarms {
		line.Alarms = append(line.Alarms, alarm{a.Kind, a.Subject, a.Detail})
	}
	return line
}

func printStatus(w io.Writer, s ops.Status) error {
	acts := fmt.Sprintf("incarnation %d acts outside", s.Existence.Incarnation)
	if s.Existence.Stopped != "" {
		acts = "nothing acts outside: " + s.Existence.Stopped
	}
	if _, err := fmt.Fprintln(w, acts); err != nil {
		return err
	}
	for _, a := range s.Alarms {
		if _, err := fmt.Fprintf(w, "alarm %s %s: %s\n", a.Kind, a.Subject, a.Detail); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintln(w, "not at an end:"); err != nil {
		return err
	}
	if err := printCounts(w, s.Unsettled); err != nil || len(s.InDoubt) == 0 {
		return err
	}
	if _, err := fmt.Fprintln(w, "of these, asked about by key before they act:"); err != nil {
		return err
	}
	return printCounts(w, s.InDoubt)
}
