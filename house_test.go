package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
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
	{"sim/search", []string{"sim"}},
	{"sim/simtest", []string{"sim", "sim/pg", "sim/search"}},
	{"sim/examples", []string{"sim", "sim/pg", "sim/search", "sim/simtest", "sim/examples/..."}},
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
			case inTest && (strings.HasPrefix(folder, "sim") || folder == "faults") && strings.HasPrefix(target, "sim"):
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

// TestHouse_EngineIteratesNoMapWhereOrderShows: a range over a map in engine code does nothing but append to slices that the
// same block gives to slices.Sort before anything else, or it says, on its line or the one above, "no order:" and why the order
// cannot show. slices.SortFunc is not believed (equals keep the map's order), and the iterators of package maps are taken only
// by slices.Sorted.
func TestHouse_EngineIteratesNoMapWhereOrderShows(t *testing.T) {
	found := 0
	typed(t, "./engine/...", func(file *ast.File, fset *token.FileSet, info *types.Info) {
		said := map[int]bool{} // lines that a "no order:" covers
		for _, group := range file.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "// no order: ") {
					line := fset.Position(c.Pos()).Line
					said[line], said[fset.Position(group.End()).Line+1] = true, true
				}
			}
		}
		judged := map[ast.Expr]bool{} // iterators that are taken in a way that is judged
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				found += checkOrder(t, n.List, said, fset, info)
			case *ast.CaseClause:
				found += checkOrder(t, n.Body, said, fset, info)
			case *ast.CommClause:
				found += checkOrder(t, n.Body, said, fset, info)
			case *ast.RangeStmt:
				judged[n.X] = true // by checkOrder
			case *ast.CallExpr:
				if calls(info, n, "slices", "Sorted") {
					judged[n.Args[0]] = true
				}
				if unordered(info, n) && !judged[n] {
					t.Errorf("%s: an iterator over a map; give it to slices.Sorted, or range over sorted keys", fset.Position(n.Pos()))
				}
			}
			return true
		})
	})
	require.NotZero(t, found, "no range over a map was seen in the whole engine: the check sees nothing")
}

// checkOrder judges the ranges over maps that stand in one list of statements, and counts them.
func checkOrder(t *testing.T, list []ast.Stmt, said map[int]bool, fset *token.FileSet, info *types.Info) (found int) {
	for i, statement := range list {
		if labeled, ok := statement.(*ast.LabeledStmt); ok {
			statement = labeled.Stmt
		}
		r, ok := statement.(*ast.RangeStmt)
		if !ok {
			continue
		}
		if _, isMap := coreType(info, r.X).(*types.Map); !isMap && !unordered(info, r.X) {
			continue
		}
		found++
		if !said[fset.Position(r.Pos()).Line] && !sortedAfter(info, r.Body.List, list[i+1:]) {
			t.Errorf("%s: a range over a map whose order may show; accepted is a body that only appends to slices which the same block sorts, or a comment // no order: why",
				fset.Position(r.Pos()))
		}
	}
	return found
}

// sortedAfter: the body only appends to slices, and each of them is sorted by a later statement of the block before
// anything else names it.
func sortedAfter(info *types.Info, body, after []ast.Stmt) bool {
	for _, statement := range body {
		assign, ok := statement.(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
			return false
		}
		to, ok := assign.Lhs[0].(*ast.Ident)
		call, isCall := assign.Rhs[0].(*ast.CallExpr)
		if !ok || !isCall || len(call.Args) == 0 || types.ExprString(call.Fun) != "append" || types.ExprString(call.Args[0]) != to.Name {
			return false
		}
		if !sortsFirst(info, info.ObjectOf(to), after) || slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return does(info, e) }) {
			return false
		}
	}
	return len(body) > 0
}

// does: the expression calls something, which may show the order by what it does.
func does(info *types.Info, e ast.Expr) (does bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		does = does || ok && !info.Types[call.Fun].IsType()
		return true
	})
	return does
}

func sortsFirst(info *types.Info, slice types.Object, after []ast.Stmt) bool {
	for _, statement := range after {
		names := false
		ast.Inspect(statement, func(n ast.Node) bool {
			ident, ok := n.(*ast.Ident)
			names = names || ok && info.ObjectOf(ident) == slice
			return true
		})
		if !names {
			continue
		}
		e, ok := statement.(*ast.ExprStmt)
		if !ok {
			return false
		}
		call, ok := e.X.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 || !calls(info, call, "slices", "Sort") {
			return false
		}
		first, ok := call.Args[0].(*ast.Ident)
		return ok && info.ObjectOf(first) == slice
	}
	return false
}

// unordered: the expression is an iterator of package maps.
func unordered(info *types.Info, e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	return ok && calls(info, call, "maps", "Keys", "Values", "All")
}

// calls tells whether a call is of one of the functions of a package.
func calls(info *types.Info, call *ast.CallExpr, pkg string, names ...string) bool {
	fun := call.Fun
	if index, ok := fun.(*ast.IndexExpr); ok {
		fun = index.X
	}
	selector, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := info.Uses[selector.Sel].(*types.Func)
	return ok && f.Pkg() != nil && f.Pkg().Path() == pkg && slices.Contains(names, f.Name())
}

// coreType is the underlying type of what is ranged over, also of a type parameter.
func coreType(info *types.Info, e ast.Expr) types.Type {
	typ := info.TypeOf(e).Underlying()
	bound, ok := typ.(*types.Interface)
	if !ok || bound.NumEmbeddeds() != 1 {
		return typ
	}
	union, ok := bound.EmbeddedType(0).(*types.Union)
	if !ok || union.Len() == 0 {
		return bound.EmbeddedType(0).Underlying()
	}
	return union.Term(0).Type().Underlying()
}

// typed type-checks the packages of a pattern, as the compiler sees them, and visits their files in order.
func typed(t *testing.T, pattern string, visit func(file *ast.File, fset *token.FileSet, info *types.Info)) {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{.DepOnly}}\t{{join .GoFiles \" \"}}", pattern)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err, "go list")
	exports := map[string]string{}
	var ours [][]string
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		f := strings.Split(line, "\t")
		exports[f[0]] = f[1]
		if f[3] == "false" {
			ours = append(ours, f)
		}
	}
	require.NotEmpty(t, ours)
	fset := token.NewFileSet()
	compiled := importer.ForCompiler(fset, "gc", func(name string) (io.ReadCloser, error) {
		file, ok := exports[name]
		if !ok || file == "" {
			return nil, fmt.Errorf("no export data of %s", name)
		}
		return os.Open(file)
	})
	for _, f := range ours {
		var files []*ast.File
		for _, name := range strings.Fields(f[4]) {
			file, err := parser.ParseFile(fset, path.Join(f[2], name), nil, parser.ParseComments|parser.SkipObjectResolution)
			require.NoError(t, err)
			files = append(files, file)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: compiled}
		_, err := config.Check(f[0], fset, files, info)
		require.NoError(t, err, f[0])
		for _, file := range files {
			visit(file, fset, info)
		}
	}
}
