package engine_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/recondrill/recondrill/engine"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/states.md anew")

// TestStates_ThePageIsTheTables: docs/states.md is what the transition tables say, for people who read no Go.
func TestStates_ThePageIsTheTables(t *testing.T) {
	var b strings.Builder
	b.WriteString("# The states of the three records\n\nWritten from the tables in `engine/transition.go` by `go test ./engine -run TestStates -update`; a test compares.\n" +
		"*Burns*: the exit burns an attempt. A record in a state without an exit is at an end.\n")
	page(&b, "job", engine.Jobs())
	page(&b, "correction", engine.Corrections())
	page(&b, "intent", engine.Intents())
	const file = "../docs/states.md"
	if *update {
		require.NoError(t, os.MkdirAll("../docs", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, b.String(), string(text), "go test ./engine -run TestStates -update")
}

func page[S ~string](b *strings.Builder, record string, table []engine.Transition[S]) {
	fmt.Fprintf(b, "\n## %s\n\n| from | to | by | burns | why |\n|---|---|---|---|---|\n", record)
	for _, tr := range table {
		var by []string
		for _, r := range tr.By {
			by = append(by, string(r))
		}
		burns := ""
		if tr.Burns {
			burns = "yes"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", tr.From, tr.To, strings.Join(by, ", "), burns, tr.Why)
	}
}
