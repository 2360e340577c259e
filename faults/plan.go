package faults

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Rule is how often a kind is drawn, and where.
type Rule struct {
	Kind   string
	Per10k int    // at each gate where the kind draws something; 0: it comes about by itself or by how the drill is set up, and is only expected to bite
	Only   string // glob over the value's text: "kill before", "stall *"; empty: all
	Where  string // glob over actor and label: "worker-*/* sql:FinishJob"; empty: everywhere
	First  int    // only the first so many times an actor stands at a place; 0: always
}

// Plan is what a drill may do to a run.
type Plan struct {
	Rules   []Rule
	Switch  int // per 10,000 moves: another task goes on
	Latency int // per 10,000 gates: a delay
	Hold    int // per 10,000 statements: a Sync or a Bind is held back while others move
	Most    int // faults and outcomes of one run, for sim.Seeded; 0: as many as are drawn
}

// Durations are the numbers of a drill that a kind needs to make sense.
type Durations struct {
	Lease time.Duration // expired-lease takes nothing that is shorter
}

const (
	perMost  = 10_000
	planForm = "rules like `crash 40 first 2 only kill before at worker-*/* sql:*`, and `switch 300`, `latency 100`, `hold 50`, `most 3`, one a clause between semicolons"
)

// String is one line; ParsePlan is its inverse.
func (p Plan) String() string {
	var clauses []string
	for _, r := range p.Rules {
		clauses = append(clauses, r.String())
	}
	for _, n := range p.numbers() {
		if *n.value != 0 {
			clauses = append(clauses, n.name+" "+strconv.Itoa(*n.value))
		}
	}
	return strings.Join(clauses, "; ")
}

// String is the rule's clause in a plan.
func (r Rule) String() string {
	text := r.Kind + " " + strconv.Itoa(r.Per10k)
	if r.First != 0 {
		text += " first " + strconv.Itoa(r.First)
	}
	if r.Only != "" {
		text += " only " + r.Only
	}
	if r.Where != "" {
		text += " at " + r.Where
	}
	return text
}

type number struct {
	name  string
	value *int
}

func (p *Plan) numbers() []number {
	return []number{{"switch", &p.Switch}, {"latency", &p.Latency}, {"hold", &p.Hold}, {"most", &p.Most}}
}

// ParsePlan reads what Plan.String wrote. Line breaks are as good as semicolons.
func ParsePlan(text string) (Plan, error) {
	var p Plan
	for _, clause := range strings.FieldsFunc(text, func(c rune) bool { return c == ';' || c == '\n' }) {
		if clause = strings.Join(strings.Fields(clause), " "); clause == "" {
			continue
		}
		if err := p.clause(clause); err != nil {
			return Plan{}, fmt.Errorf("plan: %q: %w; accepted: %s", clause, err, planForm)
		}
	}
	return p, nil
}

func (p *Plan) clause(clause string) error {
	for _, n := range p.numbers() {
		if rest, ok := strings.CutPrefix(clause, n.name+" "); ok {
			return readNumber(rest, n.value)
		}
	}
	r, err := parseRule(clause)
	if err == nil {
		p.Rules = append(p.Rules, r)
	}
	return err
}

func parseRule(clause string) (Rule, error) {
	var r Rule
	clause, r.Where, _ = strings.Cut(clause, " at ")
	clause, r.Only, _ = strings.Cut(clause, " only ")
	words := strings.Fields(clause)
	if len(words) != 2 && (len(words) != 4 || words[2] != "first") {
		return Rule{}, fmt.Errorf("not a rule")
	}
	r.Kind = words[0]
	if _, err := Find(r.Kind); err != nil {
		return Rule{}, err
	}
	if err := readNumber(words[1], &r.Per10k); err != nil {
		return Rule{}, err
	}
	if len(words) == 4 {
		return r, readNumber(words[3], &r.First)
	}
	return r, nil
}

func readNumber(text string, into *int) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > perMost || strconv.Itoa(n) != text {
		return fmt.Errorf("%q is not a number from 0 to %d", text, perMost)
	}
	*into = n
	return nil
}

// Check says why a plan made in code would not survive being printed: an unknown kind, a number out of range, a glob
// that reads like another part of the text.
func (p Plan) Check() error {
	back, err := ParsePlan(p.String())
	if err == nil && (!slices.Equal(back.Rules, p.Rules) || back.Switch != p.Switch || back.Latency != p.Latency || back.Hold != p.Hold || back.Most != p.Most) {
		err = fmt.Errorf("plan: %q reads back as %q; accepted: %s", p, back, planForm)
	}
	return err
}

// Expected are the kinds that must bite over a campaign, sorted: a drill of whose kinds one never does is vacuous.
func (p Plan) Expected() []string {
	var names []string
	for _, r := range p.Rules {
		names = append(names, r.Kind)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
