package examples_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// block is a piece of Go of CONTRIBUTING.md: a new file, or a line for a list that a function returns.
type block struct{ file, list, text string }

func blocks(t *testing.T) []block {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	require.NoError(t, err)
	var out []block
	for _, part := range strings.Split(string(page), "```go\n")[1:] {
		text, _, _ := strings.Cut(part, "```")
		first, rest, _ := strings.Cut(text, "\n")
		file, list, _ := strings.Cut(strings.TrimPrefix(first, "// "), ", in ")
		out = append(out, block{file, strings.TrimSuffix(list, "()"), rest})
	}
	return out
}

// withLine puts a line at the end of the list that a function returns.
func withLine(t *testing.T, file, function, line string) string {
	t.Helper()
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, source, 0)
	require.NoError(t, err)
	end := -1
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == function {
			ast.Inspect(f, func(n ast.Node) bool {
				if list, ok := n.(*ast.CompositeLit); ok && end < 0 {
					end = fset.Position(list.Rbrace).Offset
				}
				return true
			})
		}
	}
	require.Positive(t, end, "%s has no %s that returns a list", file, function)
	return string(source[:end]) + line + string(source[end:])
}

// tries are asked of a package to which the examples have been added.
var tries = map[string]string{
	"faults/contributing_test.go": `package faults

import "testing"

func TestContributing(t *testing.T) {
	if _, err := Find("stillborn"); err != nil {
		t.Fatal(err)
	}
	at := "0 | worker-1#0/main | deviation | start/1 | fault kill before\n0 | worker-1#0 | killed\n"
	bites(t, "stillborn", []string{at + "5 | worker-1#1 | restarted"}, []string{at, at + "5 | worker-2#1 | restarted"})
}`,
	"sim/oracle/contributing_test.go": `package oracle

import (
	"testing"

	"github.com/recondrill/recondrill/sim/pg"
)

func TestContributing(t *testing.T) {
	good := View{Tables: pg.Tables{
		"recon.night":     {Columns: []string{"night_id"}, Rows: [][]string{{"2026-03-02"}}},
		"recon.admission": {Columns: []string{"slot", "night_id"}, Rows: [][]string{{"s", "2026-03-02"}}},
	}}
	for _, o := range All() {
		if o.Name() != "night-known" {
			continue
		}
		spoiled, ok := o.Spoil(good)
		if f := o.Check(good); f.Checked != 1 || len(f.Violations) != 0 || !ok || len(o.Check(spoiled).Violations) != 1 {
			t.Fatal(f, ok)
		}
		return
	}
	t.Fatal("night-known is not in the list")
}`,
}

func TestContributing_TheExamplesCompileAndDoWhatThePageSays(t *testing.T) {
	dir := t.TempDir()
	overlay := map[string]string{}
	add := func(path, text string) {
		at := filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		require.NoError(t, os.WriteFile(at, []byte(text), 0o644))
		real, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(path)))
		require.NoError(t, err)
		overlay[real] = at
	}
	found := blocks(t)
	require.Len(t, found, 4, "a file and a line each")
	for _, b := range found {
		if b.list == "" {
			require.NoFileExists(t, filepath.Join(root, b.file), "the example is there already: find another")
			add(b.file, b.text)
			continue
		}
		add(b.file, withLine(t, filepath.Join(root, filepath.FromSlash(b.file)), b.list, b.text))
	}
	for path, text := range tries {
		add(path, text)
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	require.NoError(t, err)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, text, 0o644))
	run := exec.CommandContext(t.Context(), "go", "test", "-overlay", file, "-run", "^TestContributing$", "-v", "./faults", "./sim/oracle")
	run.Dir = root
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, 2, strings.Count(string(out), "--- PASS: TestContributing"), "%s", out)
}
