package drills

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cases are the recovery faults, met in public job engines, that this engine is shown to survive. Each is proved by
// a test whose comment begins with its id: "// B21: …", and "// B21 B25: …" for several.
var cases = []string{
	"B02", "B03", "B04", "B05", "B07", "B08", "B18", "B21", "B23", "B24", "B25", "B28", "B34", "B36", "B37", "B38", "B39", "B43",
	"B44", "B45", "B47", "B51",
}

var caseIDs = regexp.MustCompile(`(?m)^(B\d\d(?:,? B\d\d)*): `)

// provers are the tests of the tree by the case that they say they prove.
func provers(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	fset := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != ".."):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Test") {
				continue
			}
			for _, ids := range caseIDs.FindAllStringSubmatch(f.Doc.Text(), -1) {
				for _, id := range strings.Fields(strings.ReplaceAll(ids[1], ",", "")) {
					found[id] = append(found[id], path+" "+f.Name.Name)
				}
			}
		}
		return nil
	})
	require.NoError(t, err)
	return found
}

func TestCases_EachIsProvedByATestThatNamesIt(t *testing.T) {
	found := provers(t)
	for _, id := range cases {
		if len(found[id]) == 0 {
			t.Errorf("no test proves case %s: wanted is a line \"// %s: …\" directly above a Test function", id, id)
			continue
		}
		t.Logf("%s\n\t%s", id, strings.Join(found[id], "\n\t"))
	}
}
