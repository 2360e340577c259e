package mutation

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

const queriesDir = "engine/postgres/queries"

// inQueries applies an operator to the text of every query that sqlc generated.
func inQueries(find func(sql []lexeme) []cut) func(root string) ([]place, error) {
	return func(root string) ([]place, error) {
		files, err := filepath.Glob(filepath.Join(root, queriesDir, "*.sql.go"))
		if err != nil {
			return nil, err
		}
		var out []place
		for _, path := range files {
			source, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, source, 0)
			if err != nil {
				return nil, err
			}
			name := queriesDir + "/" + filepath.Base(path)
			for _, q := range queriesOf(file) {
				from := fset.Position(q.text.Pos()).Offset + 1
				sql := string(source[from : fset.Position(q.text.End()).Offset-1])
				for _, c := range find(lexemes(sql)) {
					instead := c.instead
					if c.weaken { // its parameters must stay, or the server could not tell their types
						instead = "(" + sql[c.start:c.end] + " or true)"
					}
					out = append(out, place{file: name, where: q.name, start: from + c.start, end: from + c.end, instead: instead})
				}
			}
		}
		return out, nil
	}
}

// query is a constant that holds one.
type query struct {
	name string
	text *ast.BasicLit
}

// queriesOf are the queries of a file, in order.
func queriesOf(file *ast.File) []query {
	var out []query
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			text, ok := v.Values[0].(*ast.BasicLit)
			if !ok {
				continue
			}
			if rest, ok := strings.CutPrefix(text.Value, "`-- name: "); ok {
				name, _, _ := strings.Cut(rest, " ")
				out = append(out, query{name, text})
			}
		}
	}
	return out
}

// cut is a stretch of a query and what stands there instead; weaken: the stretch or true.
type cut struct {
	start, end int
	instead    string
	weaken     bool
}

// lexeme is a word, a text or a sign of SQL, and where it stands. Comments and blanks are none.
type lexeme struct {
	text       string
	start, end int
}

func lexemes(sql string) []lexeme {
	var out []lexeme
	for i := 0; i < len(sql); {
		j := i + 1
		switch c := sql[i]; {
		case c <= ' ':
			i++
			continue
		case strings.HasPrefix(sql[i:], "--"):
			if n := strings.IndexByte(sql[i:], '\n'); n >= 0 {
				i += n + 1
			} else {
				i = len(sql)
			}
			continue
		case c == '\'':
			for j < len(sql) && sql[j] != '\'' {
				j++
			}
			j = min(j+1, len(sql))
		case wordByte(c):
			for j < len(sql) && wordByte(sql[j]) {
				j++
			}
		case strings.Contains("<= >= <> :: ||", sql[i:min(i+2, len(sql))]) && i+1 < len(sql) && sql[i+1] > ' ':
			j = i + 2
		}
		out = append(out, lexeme{sql[i:j], i, j})
		i = j
	}
	return out
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// conditions finds every condition of every WHERE, also inside parentheses and subqueries.
func conditions(sql []lexeme) []cut {
	var out []cut
	for i, l := range sql {
		if l.text == "where" {
			out = append(out, split(sql[i+1:i+1+clause(sql[i+1:])])...)
		}
	}
	return out
}

// clause is how many lexemes belong to a WHERE.
func clause(sql []lexeme) int {
	depth := 0
	for i, l := range sql {
		switch {
		case l.text == "(" || l.text == "case":
			depth++
		case l.text == ")" || l.text == "end":
			if depth--; depth < 0 {
				return i
			}
		case depth > 0:
		case strings.Contains(" order group limit returning for union window having ", " "+l.text+" "), l.text == "on" && next(sql, i) == "conflict", l.text == ";":
			return i
		}
	}
	return len(sql)
}

func next(sql []lexeme, i int) string {
	if i+1 < len(sql) {
		return sql[i+1].text
	}
	return ""
}

// split cuts at AND and OR of the outermost level; what is one parenthesis is cut again inside.
func split(sql []lexeme) []cut {
	var out []cut
	depth, from, between := 0, 0, false
	part := func(to int) {
		switch p := sql[from:to]; {
		case len(p) == 0:
		case p[0].text == "(" && closes(p) == len(p)-1 && p[1].text != "select":
			out = append(out, split(p[1:len(p)-1])...)
		default:
			out = append(out, cut{start: p[0].start, end: p[len(p)-1].end, weaken: true})
		}
		from = to + 1
	}
	for i, l := range sql {
		switch {
		case l.text == "(" || l.text == "case":
			depth++
		case l.text == ")" || l.text == "end":
			depth--
		case depth == 0 && l.text == "between":
			between = true
		case depth == 0 && l.text == "and" && between:
			between = false
		case depth == 0 && (l.text == "and" || l.text == "or"):
			part(i)
		}
	}
	part(len(sql))
	return out
}

// closes is where the parenthesis that opens sql ends.
func closes(sql []lexeme) int {
	depth := 0
	for i, l := range sql {
		switch l.text {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// locks drops a locking clause whole.
func locks(sql []lexeme) []cut { return lockingClauses(sql, false) }

// skips makes a claim wait where it would have passed over what another holds.
func skips(sql []lexeme) []cut { return lockingClauses(sql, true) }

func lockingClauses(sql []lexeme, skip bool) []cut {
	var out []cut
	for i, l := range sql {
		if l.text != "for" || next(sql, i) != "update" && next(sql, i) != "share" {
			continue
		}
		end := i + 1
		if next(sql, end) == "of" {
			end += 2
		}
		locked := next(sql, end) == "skip"
		switch {
		case skip && locked:
			out = append(out, cut{start: sql[end+1].start, end: sql[end+2].end})
		case !skip && locked:
			out = append(out, cut{start: l.start, end: sql[end+2].end})
		case !skip:
			out = append(out, cut{start: l.start, end: sql[end].end})
		}
	}
	return out
}

// conflicts drops ON CONFLICT … DO NOTHING.
func conflicts(sql []lexeme) []cut {
	var out []cut
	for i, l := range sql {
		if l.text != "on" || next(sql, i) != "conflict" {
			continue
		}
		for j := i + 2; j+1 < len(sql); j++ {
			if sql[j].text == "do" {
				if sql[j+1].text == "nothing" {
					out = append(out, cut{start: l.start, end: sql[j+1].end})
				}
				break
			}
		}
	}
	return out
}

// comparisons lets the edge fall to the other side.
func comparisons(sql []lexeme) []cut {
	var out []cut
	for _, l := range sql {
		if other, ok := shifted[l.text]; ok {
			out = append(out, cut{start: l.start, end: l.end, instead: other})
		}
	}
	return out
}

var shifted = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">"}

// increments leaves a counter (a fence, a version, an attempt) where it was.
func increments(sql []lexeme) []cut {
	var out []cut
	for i, l := range sql {
		if l.text == "+" && next(sql, i) == "1" && i > 0 && !strings.HasSuffix(sql[i-1].text, "version") {
			out = append(out, cut{start: l.start, end: sql[i+1].end, instead: "+ 0"})
		}
	}
	return out
}
