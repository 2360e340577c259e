package mutation

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// Protocol is how one mutant is measured.
type Protocol struct {
	Root     string
	Clean    string // the program of the untouched engine
	Plain    bool   // search under plain concurrency too
	Seeds    []uint64
	Budget   time.Duration // of each seed
	Long     time.Duration // of the one search for what all seeds missed
	Postgres string        // --postgres
}

// Record is what is known of one mutant. Records are kept in a file, a JSON object a line, so that a measurement that
// takes hours can be made in pieces.
type Record struct {
	Mutant   string `json:"mutant"`
	Operator string `json:"operator"`
	Origin   string `json:"origin"`
	HeldOut  bool   `json:"held_out"`
	Prose    string `json:"prose"`
	Commit   string `json:"commit"`
	Invalid  string `json:"invalid,omitempty"` // it does not compile, or no run can be made: no mutant
	Finds    []Find `json:"finds"`             // one a seed
	Long     *Find  `json:"long,omitempty"`
	Plain    *Find  `json:"plain,omitempty"`
}

// Found says whether any search found it.
func (r Record) Found() bool {
	for _, f := range r.Finds {
		if f.Found {
			return true
		}
	}
	return r.Long != nil && r.Long.Found
}

// Lacks says whether a record still misses something of the protocol.
func (p Protocol) Lacks(r Record) bool {
	return r.Invalid == "" && (len(r.Finds) < len(p.Seeds) || p.lacksLong(r) || p.Plain && r.Plain == nil)
}

func (p Protocol) lacksLong(r Record) bool { return p.Long > 0 && r.Long == nil && !r.Found() }

// Measure searches one mutant, as far as its record so far, which may be empty, lacks it. Its error says what could not be
// measured; a mutant that is none is a Record with Invalid.
func (p Protocol) Measure(ctx context.Context, m Mutant, commit string, r Record) (Record, error) {
	r.Mutant, r.Operator, r.Origin, r.HeldOut, r.Prose, r.Commit = m.Name, m.Operator, m.Origin, m.HeldOut(), m.Prose, commit
	dir, err := os.MkdirTemp("", "recondrill-power-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	program, err := m.Build(ctx, p.Root, dir)
	if err != nil {
		r.Invalid = firstLine(err)
		return r, ctx.Err()
	}
	hunt := func(seed uint64, budget time.Duration) (Find, error) {
		f, err := Hunt(ctx, program, "drill", "--untold", "--json", "--out", filepath.Join(dir, "report"), "--seed", strconv.FormatUint(seed, 10),
			"--for", budget.String(), "--postgres", p.Postgres)
		f.Seed, f.Budget = seed, budget
		if err = errors.Join(err, ctx.Err()); err != nil {
			return f, fmt.Errorf("%s, seed %d: %w", m.Name, seed, err)
		}
		if f.Found {
			if f.Clean, err = p.replay(ctx, dir, f.Script); err != nil {
				return f, fmt.Errorf("%s, seed %d: %w", m.Name, seed, err)
			}
			f.Found = f.Clean != cleanFails
		}
		return f, nil
	}
	for len(r.Finds) < len(p.Seeds) {
		f, err := hunt(p.Seeds[len(r.Finds)], p.Budget)
		if errors.Is(err, errNoRun) && len(r.Finds) == 0 && ctx.Err() == nil {
			r.Invalid = firstLine(err)
			return r, nil
		}
		if err != nil {
			return r, err
		}
		r.Finds = append(r.Finds, f)
	}
	if p.lacksLong(r) {
		f, err := hunt(p.Seeds[0], p.Long)
		if err != nil {
			return r, err
		}
		r.Long = &f
	}
	if p.Plain && r.Plain == nil {
		// As long as the drills took from the first seed, but for the end of a run that has begun.
		budget := time.Duration(max(r.Finds[0].Seconds, plainLeast) * float64(time.Second)).Round(time.Second)
		f, err := Hunt(ctx, program, "plainly", "--for", budget.String(), "--postgres", p.Postgres)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return r, fmt.Errorf("%s under plain concurrency: %w", m.Name, err)
		}
		f.Budget = budget
		r.Plain = &f
	}
	return r, nil
}

// plainLeast is the least time, in seconds, in which plain concurrency is tried: its runs take long.
const plainLeast = 20

// cleanFails is what replay says where a script fails on the untouched engine too: it shows nothing of the mutant.
const cleanFails = "FAILS"

// replay makes the run that failed once more on the untouched engine, which must pass.
func (p Protocol) replay(ctx context.Context, dir, text string) (string, error) {
	script, err := sim.ParseScript(text)
	if err != nil {
		return "", fmt.Errorf("the script of what was found: %w", err)
	}
	script.Header.Hash = "" // it is the mutant's: another engine leaves another history
	file := filepath.Join(dir, "found.script")
	if err := os.WriteFile(file, []byte(script.String()), 0o644); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, p.Clean, "replay", file, "--postgres", p.Postgres)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "passes", nil
	case errors.As(err, &exit) && exit.ExitCode() == 5:
		return "passes (meets other places)", nil // vacuous: the deviations do not all fit the untouched engine's run
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		return cleanFails, nil
	}
	return "", fmt.Errorf("replay on the untouched engine: %w: %s", err, out)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// ReadRecords reads what was measured so far; a later line about a mutant replaces an earlier one.
func ReadRecords(path string) (map[string]Record, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return map[string]Record{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := map[string]Record{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		var r Record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, n, err)
		}
		out[r.Mutant] = r
	}
	return out, lines.Err()
}

// AppendRecord adds a line.
func AppendRecord(path string, r Record) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewEncoder(f).Encode(r)
}
