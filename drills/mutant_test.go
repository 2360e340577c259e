package drills

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/recondrill/recondrill/reports"
	"github.com/stretchr/testify/require"
)

var power = flag.Bool("power", false, "search every mutant with all drills (make power) instead of its pinned seeds")

const (
	powerBudget  = 2 * time.Minute // of search for one mutant
	pinnedBudget = time.Minute     // real time that only ends a pinned search that hangs
)

// mutant is one way to break the engine by hand: a patch of production code, applied through the build's overlay, so
// that the engine holds no sabotage of its own. Its prose names who must find it.
type mutant struct {
	name   string
	patch  string
	drill  string // where its pinned seeds are
	oracle string
	seed   string
	runs   string
}

var field = regexp.MustCompile(`(?m)^(drill|oracle|seed|runs): (\S+)$`)

func mutants(t *testing.T) []mutant {
	t.Helper()
	files, err := filepath.Glob("../testdata/mutants/*.patch")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var all []mutant
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		m := mutant{name: strings.TrimSuffix(filepath.Base(f), ".patch"), patch: f}
		for _, hit := range field.FindAllStringSubmatch(string(text), -1) {
			switch hit[1] {
			case "drill":
				m.drill = hit[2]
			case "oracle":
				m.oracle = hit[2]
			case "seed":
				m.seed = hit[2]
			case "runs":
				m.runs = hit[2]
			}
		}
		for _, v := range []string{m.drill, m.oracle, m.seed, m.runs} {
			require.NotEmpty(t, v, "%s: wants the lines drill:, oracle:, seed: and runs: before its diff", f)
		}
		all = append(all, m)
	}
	return all
}

// build makes the mutated program. The patch must apply and compile: a mutant that no longer does tests nothing.
func (m mutant) build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	text, err := os.ReadFile(m.patch)
	require.NoError(t, err)
	replace := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- a/")
		if !ok {
			continue
		}
		source, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err, m.name)
		target := filepath.Join(dir, "tree", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(target), 0o755))
		require.NoError(t, os.WriteFile(target, source, 0o644))
		replace[filepath.Join(root, name)] = target
	}
	patch, err := filepath.Abs(m.patch)
	require.NoError(t, err)
	apply := exec.Command("git", "apply", "--recount", "-p1", patch)
	apply.Dir = filepath.Join(dir, "tree")
	apply.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+dir)
	out, err := apply.CombinedOutput()
	require.NoError(t, err, "%s does not apply any more: %s", m.name, out)
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	overlayFile := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(overlayFile, overlay, 0o644))
	program := filepath.Join(dir, "recondrill")
	build := exec.Command("go", "build", "-overlay", overlayFile, "-ldflags", "-s -w", "-o", program, ".") // symbols cost half the link
	build.Dir = root
	out, err = build.CombinedOutput()
	require.NoError(t, err, "%s does not compile: %s", m.name, out)
	return program
}

// find is what a search came to.
type find struct {
	drill, oracle string
	seed          uint64
	runs          int
	took          time.Duration
}

// search runs drills until the first violation that is no canary's.
func search(ctx context.Context, program string, args ...string) (find, error) {
	began := time.Now()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, program, append([]string{"drill", "--json"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	var talk bytes.Buffer
	cmd.Stderr = &talk
	out, err := cmd.StdoutPipe()
	if err != nil {
		return find{}, err
	}
	if err := cmd.Start(); err != nil {
		return find{}, err
	}
	var f find
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<24)
	var broken error
	for lines.Scan() {
		event, err := reports.Decode(lines.Bytes())
		if err != nil {
			broken = err
			continue
		}
		run, ok := event.(reports.Run)
		if !ok || run.Canary || f.oracle != "" {
			continue
		}
		f.runs++
		switch run.Verdict {
		case reports.Violation:
			f.drill, f.oracle, f.seed, f.took = run.Drill, run.Oracle, run.Seed, time.Since(began)
			stop()
		case reports.Error, reports.Nondeterministic:
			broken = fmt.Errorf("%s seed %d: %s: %s", run.Drill, run.Seed, run.Verdict, run.Error)
		}
	}
	_ = cmd.Wait() // an exit code that is not 0 is what we look for
	if f.oracle == "" && f.runs == 0 && broken == nil {
		broken = fmt.Errorf("no run: %s", talk.String())
	}
	if f.oracle == "" {
		f.took = time.Since(began)
	}
	return f, broken
}

func TestMutants_EachIsFoundByTheOracleItNamesWithinItsPinnedSeeds(t *testing.T) {
	if *power {
		return // TestPower searches without pins
	}
	for _, m := range mutants(t) {
		t.Run(m.name, func(t *testing.T) {
			program := m.build(t)
			ctx, cancel := context.WithTimeout(t.Context(), pinnedBudget)
			defer cancel()
			// One server: a second one costs more to start than the few runs take.
			f, err := search(ctx, program, m.drill, "--seed", m.seed, "--runs", m.runs, "--postgres", nearest(t), "--servers", "1")
			require.NoError(t, err)
			require.Equal(t, m.oracle, f.oracle, "seeds %s + %s of %s", m.seed, m.runs, m.drill)
		})
	}
}

// TestPower prints how many runs each mutant takes to be found when nothing is pinned.
func TestPower(t *testing.T) {
	if !*power {
		return // a campaign of minutes: make power
	}
	fmt.Printf("%-28s %-26s %-18s %6s %8s\n", "mutant", "drill", "oracle", "runs", "seconds")
	for _, m := range mutants(t) {
		program := m.build(t)
		ctx, cancel := context.WithTimeout(t.Context(), powerBudget)
		f, err := search(ctx, program, "--seed", "1", "--for", powerBudget.String())
		cancel()
		if f.oracle == "" {
			fmt.Printf("%-28s %-26s %-18s %6d %8.1f\n", m.name, "-", "NOT FOUND", f.runs, f.took.Seconds())
			t.Errorf("%s was not found in %s: %v", m.name, powerBudget, err)
			continue
		}
		fmt.Printf("%-28s %-26s %-18s %6d %8.1f\n", m.name, f.drill, f.oracle, f.runs, f.took.Seconds())
	}
}
