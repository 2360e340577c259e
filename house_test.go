package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/recondrill/recondrill/"

// room tells what a folder may import of ours. The longest matching prefix decides; a room may always use the rooms
// below itself only where they are named.
type room struct {
	folder string
	may    []string // folders, a trailing /... includes what lies below
}

// rooms is the order of the house: two halves that never see each other, joined in drills.
var rooms = []room{
	{"", []string{"drills/cli"}},
	{"drills/cli", []string{"drills", "reports", "engine", "engine/match", "engine/provider", "engine/provider/..."}},
	{"drills", []string{"sim", "sim/...", "faults", "reports", "engine", "engine/..."}},
	{"reports", nil},
	{"faults", []string{"sim"}},
	{"sim", nil},
	{"sim/pg", []string{"sim"}},
	{"sim/world", []string{"sim"}},
	{"sim/oracle", []string{"sim", "sim/pg", "sim/world"}},
	{"engine", nil},
	{"engine/ledger", []string{"engine"}},
	{"engine/calendar", []string{"engine"}},
	{"engine/match", []string{"engine"}},
	{"engine/advice", []string{"engine"}},
	{"engine/provider", []string{"engine", "engine/provider/..."}},
	{"engine/postgres", []string{"engine", "engine/ledger", "engine/calendar", "engine/match", "engine/advice", "engine/postgres/queries"}},
	{"engine/postgres/queries", nil},
	{"engine/admission", []string{"engine", "engine/calendar", "engine/postgres"}},
	{"engine/reconcile", []string{"engine", "engine/ledger", "engine/calendar", "engine/match", "engine/provider", "engine/postgres"}},
	{"engine/delivery", []string{"engine", "engine/postgres"}},
	{"engine/ops", []string{"engine", "engine/advice", "engine/postgres", "engine/ledger"}},
	{"engine/node", []string{"engine", "engine/calendar", "engine/admission", "engine/reconcile", "engine/delivery", "engine/postgres"}},
	{"engine/enginetest", []string{"engine", "engine/..."}},
	{"engine/recond", []string{"engine", "engine/..."}},
}

// goFiles walks the Go files that people write, in order.
func goFiles(t *testing.T, visit func(path string, file *ast.File, fset *token.FileSet)) {
	t.Helper()
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata" || d.Name() == "out" || d.Name() == "bin") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		visit(filepath.ToSlash(path), file, fset)
		return nil
	})
	require.NoError(t, err)
}

func roomOf(folder string) room {
	best := room{folder: "?"}
	for _, r := range rooms {
		if (folder == r.folder || r.folder != "" && strings.HasPrefix(folder, r.folder+"/")) && (best.folder == "?" || len(r.folder) > len(best.folder)) {
			best = r
		}
	}
	return best
}

func allowed(r room, target string) bool {
	return target == r.folder || slices.ContainsFunc(r.may, func(m string) bool {
		below, whole := strings.CutSuffix(m, "/...")
		return target == m || whole && strings.HasPrefix(target, below+"/")
	})
}

func TestHouse_RoomsImportOnlyWhatStandsToTheirRight(t *testing.T) {
	goFiles(t, func(path string, file *ast.File, _ *token.FileSet) {
		folder := filepath.ToSlash(filepath.Dir(path))
		if folder == "." {
			folder = ""
		}
		r := roomOf(folder)
		require.NotEqual(t, "?", r.folder, "%s stands in no room: add its folder to rooms in house_test.go", path)
		external := strings.HasSuffix(file.Name.Name, "_test")
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			target, ours := strings.CutPrefix(name, module)
			if !ours {
				continue
			}
			inTest := strings.HasSuffix(path, "_test.go")
			switch {
			case external && strings.HasPrefix(folder, "engine") && (target == "sim/pg" || strings.HasPrefix(target, "engine")):
				// External tests under engine may get a server from sim/pg, and see the engine as its users do.
			case external && target == folder:
			case inTest && strings.HasPrefix(folder, "sim") && strings.HasPrefix(target, "sim"):
			default:
				require.True(t, allowed(r, target) || target == folder, "%s may not import %s (house_test.go has the rooms)", path, target)
			}
		}
	})
}

// banned are the ways to time, chance and order that go past engine.Runtime, with what to use instead.
var banned = map[string]string{
	"time.Now": "Runtime.Now or Runtime.Mono", "time.Since": "Runtime.Mono", "time.Until": "Runtime.Mono", "time.Sleep": "Runtime.Sleep",
	"time.After": "Runtime.Sleep", "time.AfterFunc": "Runtime.Spawn", "time.NewTimer": "Runtime.Sleep", "time.NewTicker": "Runtime.Sleep", "time.Tick": "Runtime.Sleep",
	"context.WithTimeout": "Runtime.WithTimeout", "context.WithDeadline": "Runtime.WithTimeout", "context.WithCancel": "Runtime.WithCancel",
	"context.WithTimeoutCause": "Runtime.WithTimeout", "context.WithCancelCause": "Runtime.WithCancel", "context.AfterFunc": "Runtime.Spawn",
}

func TestHouse_EngineHasNoClockChanceOrGoroutineOfItsOwn(t *testing.T) {
	goFiles(t, func(path string, file *ast.File, fset *token.FileSet) {
		if !strings.HasPrefix(path, "engine/") || strings.HasSuffix(path, "_test.go") ||
			path == "engine/node/runtime.go" || strings.HasPrefix(path, "engine/recond/") {
			return
		}
		for _, spec := range file.Imports {
			require.NotContains(t, []string{`"math/rand"`, `"math/rand/v2"`, `"crypto/rand"`}, spec.Path.Value,
				"%s: chance and order come from engine.Runtime", path)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: a bare goroutine; use Runtime.Spawn, whose owner waits", fset.Position(n.Pos()))
			case *ast.SelectorExpr:
				if pkg, ok := n.X.(*ast.Ident); ok {
					if instead := banned[pkg.Name+"."+n.Sel.Name]; instead != "" {
						t.Errorf("%s: %s.%s; use %s", fset.Position(n.Pos()), pkg.Name, n.Sel.Name, instead)
					}
				}
			}
			return true
		})
	})
}

// The server's own clocks and dice; recon.now() is the one place that may name one.
var serverClock = regexp.MustCompile(`(?i)\b(current_timestamp|current_date|current_time|localtimestamp|localtime|clock_timestamp|transaction_timestamp|statement_timestamp|timeofday|random|gen_random_uuid)\b|(^|[^.\w])now\s*\(|'now'|'today'`)

func TestHouse_SQLReadsTimeOnlyThroughReconNow(t *testing.T) {
	var files []string
	for _, pattern := range []string{"engine/postgres/queries/*.sql", "engine/postgres/migrations/*.sql"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.NotEmpty(t, files)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for i, line := range strings.Split(string(text), "\n") {
			code, _, _ := strings.Cut(line, "--")
			if strings.Contains(code, "as 'select pg_catalog.statement_timestamp()'") {
				continue // the body of recon.now()
			}
			if hit := serverClock.FindString(code); hit != "" {
				t.Errorf("%s:%d: %q: time comes from recon.now(), ids and chance from the Runtime", name, i+1, strings.TrimSpace(hit))
			}
		}
	}
}

func TestHouse_RecondLinksNothingOfTheHarness(t *testing.T) {
	seen := map[string]bool{}
	var follow func(folder string)
	follow = func(folder string) {
		if seen[folder] {
			return
		}
		seen[folder] = true
		entries, err := os.ReadDir(filepath.FromSlash(folder))
		require.NoError(t, err)
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, e.Name()), nil, parser.ImportsOnly)
			require.NoError(t, err)
			for _, spec := range file.Imports {
				name, _ := strconv.Unquote(spec.Path.Value)
				require.NotContains(t, name, "testcontainers", folder)
				require.NotContains(t, name, "pgregory.net/rapid", folder)
				if target, ours := strings.CutPrefix(name, module); ours {
					require.True(t, strings.HasPrefix(target, "engine"), "recond links %s through %s", target, folder)
					follow(target)
				}
			}
		}
	}
	follow("engine/recond")
}
