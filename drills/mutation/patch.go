package mutation

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// patchesDir holds written mutants: prose, then lines `origin:`, `drill:`, `oracle:`, `seed:`, `runs:`, then the diff.
const patchesDir = "testdata/mutants"

var field = regexp.MustCompile(`(?m)^(origin|drill|oracle|seed|runs): (\S+)$`)

// patches reads the written mutants.
func patches(root string) ([]Mutant, error) {
	files, err := filepath.Glob(filepath.Join(root, patchesDir, "*.patch"))
	if err != nil {
		return nil, err
	}
	var all []Mutant
	for _, path := range files {
		m, err := readPatch(root, path)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

func readPatch(root, path string) (Mutant, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Mutant{}, err
	}
	head, _, ok := strings.Cut(string(text), "\ndiff --git ")
	if !ok {
		return Mutant{}, fmt.Errorf("%s: no diff; accepted is prose, fields, then the output of git diff", path)
	}
	m := Mutant{Name: strings.TrimSuffix(filepath.Base(path), ".patch"), Operator: "written", Origin: "ours"}
	for _, hit := range field.FindAllStringSubmatch(head, -1) {
		switch hit[1] {
		case "origin":
			m.Origin = hit[2]
		case "drill":
			m.Pin.Drill = hit[2]
		case "oracle":
			m.Pin.Oracle = hit[2]
		case "seed":
			m.Pin.Seed = hit[2]
		case "runs":
			m.Pin.Runs = hit[2]
		}
	}
	m.Prose = strings.TrimSpace(field.ReplaceAllString(head, ""))
	m.Files, err = apply(root, path, string(text))
	return m, err
}

// apply carries a patch out on copies. It must fit: a mutant that no longer does tests nothing.
func apply(root, path, patch string) (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "recondrill-mutant-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var names []string
	for line := range strings.Lines(patch) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- a/")
		if !ok {
			continue
		}
		source, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		copied := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(copied), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(copied, source, 0o644); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	git := exec.Command("git", "apply", "--recount", "-p1", full)
	git.Dir = dir
	git.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := git.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s does not fit the sources any more: %s", path, out)
	}
	files := map[string][]byte{}
	for _, name := range names {
		if files[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	return files, nil
}
