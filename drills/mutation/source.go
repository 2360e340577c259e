package mutation

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const migrationsDir = "engine/postgres/migrations"

var unique = regexp.MustCompile(`(?m)^\tunique \([^)]*\),?$|(?m)^create unique index [^;]*;$`)

// inMigrations drops a unique key.
func inMigrations(root string) ([]place, error) {
	files, err := filepath.Glob(filepath.Join(root, migrationsDir, "*.sql"))
	if err != nil {
		return nil, err
	}
	var out []place
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for _, at := range unique.FindAllIndex(text, -1) {
			p := place{file: migrationsDir + "/" + filepath.Base(path), where: strings.TrimSuffix(filepath.Base(path), ".sql"), start: at[0], end: at[1]}
			if lastOfTable(text, at) { // the comma before it goes too
				p.start = strings.LastIndexByte(string(text[:at[0]]), ',')
			}
			out = append(out, p)
		}
	}
	return out, nil
}

func lastOfTable(text []byte, at []int) bool {
	return text[at[0]] == '\t' && text[at[1]-1] != ',' && strings.HasPrefix(string(text[at[1]:]), "\n)")
}

// inPackages applies an operator to every hand-written source of the engine.
func inPackages(find func(n ast.Node, offset func(token.Pos) int, source string) []cut) func(root string) ([]place, error) {
	return func(root string) ([]place, error) {
		var out []place
		err := filepath.WalkDir(filepath.Join(root, "engine"), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			for _, not := range []string{"_test.go", "/queries/", "/enginetest/", "/recond/"} {
				if strings.Contains(path, not) {
					return nil
				}
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, source, 0)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			offset := func(p token.Pos) int { return fset.Position(p).Offset }
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Body == nil {
					continue
				}
				where := strings.TrimPrefix(filepath.Dir(name), "engine/") + "." + f.Name.Name
				ast.Inspect(f.Body, func(n ast.Node) bool {
					for _, c := range find(n, offset, string(source)) {
						out = append(out, place{file: filepath.ToSlash(name), where: strings.ReplaceAll(where, "/", "."), start: c.start, end: c.end, instead: c.instead})
					}
					return true
				})
			}
			return nil
		})
		return out, err
	}
}

// guards never takes an early way out. Those that hand an error on are left: they guard against what broke, not against
// what must not be.
func guards(n ast.Node, offset func(token.Pos) int, source string) []cut {
	branch, ok := n.(*ast.IfStmt)
	if !ok || branch.Else != nil || len(branch.Body.List) != 1 {
		return nil
	}
	switch branch.Body.List[0].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
	default:
		return nil
	}
	start, end := offset(branch.Cond.Pos()), offset(branch.Cond.End())
	text := source[start:end]
	if strings.Contains(text, "err") || strings.Contains(text, "ok") {
		return nil
	}
	return []cut{{start: start, end: end, instead: "false && (" + text + ")"}}
}

// relations shifts the edge of a comparison.
func relations(n ast.Node, offset func(token.Pos) int, _ string) []cut {
	b, ok := n.(*ast.BinaryExpr)
	if !ok {
		return nil
	}
	other, ok := shifted[b.Op.String()]
	if !ok {
		return nil
	}
	at := offset(b.OpPos)
	return []cut{{start: at, end: at + len(b.Op.String()), instead: other}}
}
