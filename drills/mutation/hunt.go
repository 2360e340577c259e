package mutation

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Find is what one search of a program came to.
type Find struct {
	Seed    uint64        `json:"seed"`  // where the search began
	Found   bool          `json:"found"` // and the untouched engine passes
	Drill   string        `json:"drill,omitempty"`
	Oracle  string        `json:"oracle,omitempty"` // or the verdict, where that is not violation
	Rung    string        `json:"rung,omitempty"`
	Runs    int           `json:"runs"` // made until then, over all drills
	Seconds float64       `json:"seconds"`
	Budget  time.Duration `json:"budget"`
	Script  string        `json:"-"`               // of the run as found
	Clean   string        `json:"clean,omitempty"` // what the untouched engine makes of that script
}

// errNoRun: the program could not even begin; a mutant like that is none.
var errNoRun = errors.New("no run was made")

// line is what a campaign says of a run, as far as a hunt needs it.
type line struct {
	Type, Drill, Verdict, Oracle, Rung, Error, Script string
	Canary                                            bool
}

// Hunt runs a command of a program (drill --json …, plainly …) until a run fails that is no canary. Its error says that
// nothing could be run.
func Hunt(ctx context.Context, program string, command ...string) (Find, error) {
	began := time.Now()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, program, command...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	var talk bytes.Buffer
	cmd.Stderr = &talk
	out, err := cmd.StdoutPipe()
	if err != nil {
		return Find{}, err
	}
	if err := cmd.Start(); err != nil {
		return Find{}, err
	}
	var f Find
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<26)
	var broken error
	for lines.Scan() {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			broken = fmt.Errorf("a line of the campaign: %w", err)
			continue
		}
		if l.Type != "run" || l.Canary || f.Found {
			continue
		}
		f.Runs++
		switch l.Verdict {
		case "pass", "vacuous":
		default:
			f.Found, f.Drill, f.Oracle, f.Rung, f.Seconds = true, l.Drill, l.Oracle, l.Rung, time.Since(began).Seconds()
			if l.Verdict != "violation" {
				f.Oracle = l.Verdict
			}
			f.Script = l.Script
			stop()
		}
	}
	_ = cmd.Wait() // an exit code that is not 0 is what we look for
	if !f.Found {
		f.Seconds = time.Since(began).Seconds()
		if f.Runs == 0 && broken == nil {
			broken = fmt.Errorf("%w: %s", errNoRun, bytes.TrimSpace(talk.Bytes()))
		}
	}
	return f, broken
}
