package mutation

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim/pg"
)

var (
	power    = flag.Bool("power", false, "measure mutants and write drills/POWER.md (make power)")
	only     = flag.String("only", "", "measure the mutants whose names match this pattern")
	tuning   = flag.Bool("tuning", false, "leave the held-out ones alone")
	seeds    = flag.Int("seeds", 5, "searches of each mutant")
	budget   = flag.Duration("budget", time.Minute, "of one search")
	long     = flag.Duration("long", 10*time.Minute, "of the one search for what all others missed; 0: none")
	plainToo = flag.Bool("plain", true, "search under plain concurrency as well")
	repin    = flag.Bool("repin", false, "search each pinned mutant in its drill and write where it was found first into its patch")
	within   = flag.Duration("within", 0, "begin no mutant after this; 0: measure all")
)

var (
	recordsFile = flag.String("records", root+"/testdata/mutants/power.jsonl", "where measurements are kept, a line a mutant")
	tableFile   = flag.String("table", root+"/drills/POWER.md", "the table made of them")
)

func TestPower(t *testing.T) {
	if !*power {
		return // it takes hours: make power
	}
	all, err := All(root)
	require.NoError(t, err)
	equivalent, err := Equivalents(root)
	require.NoError(t, err)
	records, err := ReadRecords(*recordsFile)
	require.NoError(t, err)
	pattern, err := regexp.Compile(*only)
	require.NoError(t, err)
	abs, err := filepath.Abs(root)
	require.NoError(t, err)
	clean, err := Mutant{Name: "untouched"}.Build(t.Context(), abs, t.TempDir())
	require.NoError(t, err)
	p := Protocol{Root: abs, Clean: clean, Plain: *plainToo, Budget: *budget, Postgres: pg.NearestHow()}
	for i := range *seeds {
		p.Seeds = append(p.Seeds, uint64(1+1000*i))
	}
	began := time.Now()
	for _, m := range all {
		p.Long = *long
		if _, same := equivalent[m.Name]; same {
			p.Long = 0
		}
		if !p.Lacks(records[m.Name]) || !pattern.MatchString(m.Name) || *tuning && m.HeldOut() {
			continue
		}
		if *within > 0 && time.Since(began) > *within {
			fmt.Printf("%v are over: the rest is measured by the next call\n", *within)
			break
		}
		r, err := p.Measure(t.Context(), m, commit(t), records[m.Name])
		require.NoError(t, err)
		require.NoError(t, AppendRecord(*recordsFile, r))
		records[m.Name] = r
		fmt.Print(r.row())
		require.NoError(t, os.WriteFile(*tableFile, []byte(Table(all, records, equivalent)), 0o644))
	}
	require.NoError(t, os.WriteFile(*tableFile, []byte(Table(all, records, equivalent)), 0o644))
}

func commit(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("git", "-C", root, "rev-parse", "--short", "HEAD").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// TestMutants_TheSampleIsFoundWhereItIsPinned runs the mutants that carry a pin: enough to see in every `make test` that
// the drills still find.
func TestMutants_TheSampleIsFoundWhereItIsPinned(t *testing.T) {
	if *power {
		return
	}
	all, err := All(root)
	require.NoError(t, err)
	abs, err := filepath.Abs(root)
	require.NoError(t, err)
	sample := 0
	for _, m := range all {
		if m.Pin == (Pin{}) {
			continue
		}
		sample++
		t.Run(m.Name, func(t *testing.T) {
			dir := t.TempDir()
			program, err := m.Build(t.Context(), abs, dir)
			require.NoError(t, err)
			// One server: a second one costs more to start than the few runs take.
			f, err := Hunt(t.Context(), program, "drill", m.Pin.Drill, "--untold", "--json", "--search", "random", "--seed", m.Pin.Seed, "--runs", m.Pin.Runs,
				"--postgres", pg.NearestHow(), "--servers", "1")
			require.NoError(t, err)
			require.Equal(t, m.Pin.Oracle, f.Oracle, "seeds %s + %s of %s", m.Pin.Seed, m.Pin.Runs, m.Pin.Drill)
		})
	}
	require.GreaterOrEqual(t, sample, 10)
}

// TestRepin is run by hand (`go test ./drills/mutation -run TestRepin -repin`) when worlds, plans or weights have moved what
// a seed does.
func TestRepin(t *testing.T) {
	if !*repin {
		return
	}
	all, err := All(root)
	require.NoError(t, err)
	abs, err := filepath.Abs(root)
	require.NoError(t, err)
	pattern, err := regexp.Compile(*only)
	require.NoError(t, err)
	for _, m := range all {
		if m.Pin == (Pin{}) || !pattern.MatchString(m.Name) {
			continue
		}
		dir := t.TempDir()
		program, err := m.Build(t.Context(), abs, dir)
		require.NoError(t, err)
		f, err := Hunt(t.Context(), program, "drill", m.Pin.Drill, "--untold", "--json", "--search", "random", "--seed", "1", "--runs", "300", "--postgres", pg.NearestHow())
		require.NoError(t, err)
		if !f.Found {
			t.Errorf("%s: not found in 300 runs of %s", m.Name, m.Pin.Drill)
			continue
		}
		path := filepath.Join(root, patchesDir, m.Name+".patch")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for field, value := range map[string]string{"oracle": f.Oracle, "seed": fmt.Sprint(f.Runs), "runs": "1"} { // the order does not show
			text = regexp.MustCompile("(?m)^"+field+": .*$").ReplaceAll(text, []byte(field+": "+value))
		}
		require.NoError(t, os.WriteFile(path, text, 0o644))
		fmt.Printf("%s: seed %d, %s, %.1f s\n", m.Name, f.Runs, f.Oracle, f.Seconds)
	}
}
