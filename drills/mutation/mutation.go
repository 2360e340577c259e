package mutation

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Mutant is the engine with one thing broken.
type Mutant struct {
	Name     string
	Operator string            // drop-condition, …; "written" for a patch
	Origin   string            // mechanical, or where the fault is from: a case's id, "ours"
	Prose    string            // what was changed, and for a patch what it does to people
	Files    map[string][]byte // changed sources, by path from the module's root
	Pin      Pin               // written ones may carry one
}

// Pin is where a mutant is known to be found at once, for the test that runs in every `make test`.
type Pin struct{ Drill, Oracle, Seed, Runs string }

// HeldOut: results of this one are not looked at while anything is tuned.
func (m Mutant) HeldOut() bool { return sha256.Sum256([]byte("held out: " + m.Name))[0]%3 == 0 }

// perOperator is how many places of each mechanical operator are drawn. What fits in fewer places gives fewer.
func perOperator() []operator {
	return []operator{
		{"drop-condition", 14, inQueries(conditions)},
		{"drop-lock", 3, inQueries(locks)},
		{"drop-skip-locked", 1, inQueries(skips)},
		{"drop-on-conflict", 3, inQueries(conflicts)},
		{"shift-comparison", 4, inQueries(comparisons)},
		{"drop-increment", 3, inQueries(increments)},
		{"drop-unique", 3, inMigrations},
		{"drop-guard", 6, inPackages(guards)},
		{"shift-comparison-go", 4, inPackages(relations)},
	}
}

// operator is one mechanical way to break a source.
type operator struct {
	name   string
	take   int
	places func(root string) ([]place, error)
}

// place is one application of an operator: a stretch of one file and what stands there instead.
type place struct {
	file       string // from the root
	where      string // query, table or function, for the name
	start, end int
	instead    string
}

// All are the mutants of the tree at root, mechanical ones first, each group in the order of their names.
func All(root string) ([]Mutant, error) {
	var all []Mutant
	for _, o := range perOperator() {
		drawn, err := o.draw(root)
		if err != nil {
			return nil, fmt.Errorf("mutants %s: %w", o.name, err)
		}
		all = append(all, drawn...)
	}
	written, err := patches(root)
	return append(all, written...), err
}

// draw applies the operator everywhere and keeps those whose names hash lowest.
func (o operator) draw(root string) ([]Mutant, error) {
	places, err := o.places(root)
	if err != nil {
		return nil, err
	}
	if len(places) == 0 {
		return nil, fmt.Errorf("no place fits: the operator does not know the sources any more")
	}
	var all []Mutant
	for _, p := range places {
		source, err := os.ReadFile(filepath.Join(root, p.file))
		if err != nil {
			return nil, err
		}
		was := strings.Join(strings.Fields(string(source[p.start:p.end])), " ")
		m := Mutant{Name: o.name + "." + p.where, Operator: o.name, Origin: "mechanical", Prose: fmt.Sprintf("%s: `%s`", p.where, was)}
		if p.instead != "" {
			m.Prose += " becomes `" + strings.Join(strings.Fields(p.instead), " ") + "`"
		} else {
			m.Prose += " is gone"
		}
		// The text decides, not its place: an edit elsewhere draws no other mutants.
		m.Name += "." + short(p.file+was+p.instead)
		m.Files = map[string][]byte{p.file: slices.Concat(source[:p.start], []byte(p.instead), source[p.end:])}
		all = append(all, m)
	}
	slices.SortStableFunc(all, func(a, b Mutant) int { return cmp.Compare(hash(a.Name), hash(b.Name)) })
	all = slices.CompactFunc(all, func(a, b Mutant) bool { return a.Name == b.Name })
	all = all[:min(o.take, len(all))]
	slices.SortFunc(all, func(a, b Mutant) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func short(s string) string { return hash(s)[:4] }
