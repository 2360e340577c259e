package search

import (
	"fmt"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// Sweep tries every single deviation that one plain run could have had, then pairs of them. Points of one class are
// expected to continue alike, so one of each class is run. On a sample of the classes that is checked: another member
// is run as well, and where the two part the rest of that class is run too.
type Sweep struct {
	tally
	seed  uint64
	queue []Trial
	asked int
	stage stage

	classes []class
	at      map[string]int // classes by name
	rests   map[int]string // what came of a class's first member, where it is checked
	checked int
	parted  int              // checked classes whose members did not continue alike
	kinds   []string         // (label, kind), in the order of the run
	of      map[string][]int // classes of each
	corners int              // pairs of kinds looked at
	pairs   int              // of these, those that there are; all, before they were looked at
	paired  int              // of them tried
	met     int              // pairs of which both deviations were carried out
	plan    map[int]task
}

// class is what is expected to continue alike.
type class struct {
	name    string
	members []Point
	tried   bool
	sampled bool // another member is run as well
}

// stage is what a sweep's queue holds.
type stage uint8

const (
	plainRun stage = iota
	singles
	checks
	parting // the rest of classes whose members did not continue alike
	pairs
	exhausted
)

// task is what a trial is for.
type task struct {
	stage stage
	class int
}

// NewSweep sweeps the workload of o.Seed.
func NewSweep(o Options) *Sweep {
	s := &Sweep{tally: tally{name: "sweep"}, seed: o.Seed, at: map[string]int{}, rests: map[int]string{}, plan: map[int]task{}, of: map[string][]int{}}
	s.add(task{stage: plainRun}, Need{Points: true}, nil)
	return s
}

func (s *Sweep) add(t task, n Need, deviations []sim.Deviation) {
	s.plan[s.asked+len(s.queue)] = t
	s.queue = append(s.queue, Trial{Rung: s.name, ID: s.asked + len(s.queue), How: Scripted, Seed: s.seed, Deviations: deviations, Need: n})
}

// Next implements Rung. A stage's trials do not depend on each other's outcomes, the next stage's do.
func (s *Sweep) Next() (Trial, bool) {
	for len(s.queue) == 0 {
		switch {
		case s.stage == pairs && s.corners < triangle(len(s.kinds)):
			s.fillPair()
		case s.trials < s.asked || s.stage == exhausted:
			return Trial{}, false
		default:
			s.stage++
			s.fill()
		}
	}
	t := s.queue[0]
	s.queue = s.queue[1:]
	s.asked++
	return t, true
}

func (s *Sweep) fill() {
	switch s.stage {
	case singles:
		for _, i := range s.order() {
			s.add(task{singles, i}, Need{Rest: s.classes[i].sampled}, []sim.Deviation{s.classes[i].members[0].Deviation})
		}
	case checks:
		for i, c := range s.classes {
			if c.sampled {
				s.add(task{checks, i}, Need{Rest: true}, []sim.Deviation{c.members[s.other(i)].Deviation})
			}
		}
	case parting:
		s.fillParted()
	case pairs:
		s.pairs = triangle(len(s.kinds))
	}
}

// order is in which classes are tried: one of each (label, kind), then a second of each, and so on, those of one spread
// over the run. So whatever ends the sweep early, every kind was tried at every label before any was tried often.
func (s *Sweep) order() []int {
	var out []int
	for round := 0; len(out) < len(s.classes); round++ {
		for _, i := range spread(len(s.kinds)) {
			if members := s.of[s.kinds[i]]; round < len(members) {
				out = append(out, members[far(round, len(members))])
			}
		}
	}
	return out
}

// sampleEvery is the share of classes with more than one member whose rule is checked: one in so many, where there are
// as many, else all.
const sampleEvery = 4

// sample marks the classes whose rule is checked.
func (s *Sweep) sample() {
	var many []int
	for i, c := range s.classes {
		if len(c.members) > 1 {
			many = append(many, i)
		}
	}
	for n, i := range many {
		s.classes[i].sampled = len(many) < sampleEvery || (uint64(n)+s.seed)%sampleEvery == 0
	}
}

// other is the member a class's rule is checked on.
func (s *Sweep) other(i int) int {
	c := s.classes[i]
	return 1 + int(draw(s.seed, "member", c.name)%uint64(len(c.members)-1))
}

func (s *Sweep) fillParted() {
	for i, c := range s.classes {
		if s.rests[i] != parted {
			continue
		}
		for n, p := range c.members {
			if n > 0 && n != s.other(i) {
				s.add(task{parting, i}, Need{}, []sim.Deviation{p.Deviation})
			}
		}
	}
}

// parted stands in rests for a class whose members did not continue alike.
const parted = "parted"

// fillPair takes the next two (label, kind) and one pair of points of them, in the order in which the run meets them.
func (s *Sweep) fillPair() {
	a, b := corner(far(s.corners, triangle(len(s.kinds))))
	s.corners++
	first, second, ok := s.pair(s.kinds[a], s.kinds[b])
	if !ok {
		s.pairs--
		return
	}
	s.add(task{stage: pairs}, Need{}, []sim.Deviation{first, second})
}

// triangle is how many pairs n kinds make, each with itself as well.
func triangle(n int) int { return n * (n + 1) / 2 }

// corner numbers the pairs a >= b: 0 0, 1 0, 1 1, 2 0 …
func corner(i int) (a, b int) {
	for i > a {
		a++
		i -= a
	}
	return a, i
}

// pair draws one point of each of two kinds, at different places.
func (s *Sweep) pair(kind, other string) (first, second sim.Deviation, ok bool) {
	drawn := draw(s.seed, "pair", kind, other)
	a, b := s.of[kind], s.of[other]
	i := a[drawn%uint64(len(a))]
	for n := range b {
		j := b[(int(drawn>>32)+n)%len(b)]
		first, second = s.classes[min(i, j)].members[0].Deviation, s.classes[max(i, j)].members[0].Deviation
		if i != j && (first.At != second.At || first.Class != second.Class) {
			return first, second, true
		}
	}
	return first, second, false
}

// kindOf is label and kind of a deviation: what stands there in the program, and what is done to it, without keys,
// numbers and durations.
func kindOf(d sim.Deviation) string {
	kind := words(d.At.Label) + " " + d.Class.String()
	if d.Class != sim.Then {
		kind += " " + words(d.Value.String())
	}
	return strings.TrimSpace(kind)
}

// words are the leading words of s up to what names something: to the first digit or bracket. The name of a statement
// counts whole.
func words(s string) string {
	var out []string
	for _, f := range strings.Fields(s) {
		if strings.HasPrefix(f, "sql:") {
			out = append(out, f)
			continue
		}
		end := strings.IndexAny(f, "0123456789(")
		if end < 0 {
			out = append(out, f)
			continue
		}
		if f = strings.Trim(f[:end], "+-_/:"); f != "" {
			out = append(out, f)
		}
		break
	}
	return strings.Join(out, " ")
}

// Took implements Rung.
func (s *Sweep) Took(t Trial, o Outcome) {
	s.count(o)
	what := s.plan[t.ID]
	delete(s.plan, t.ID)
	switch what.stage {
	case plainRun:
		s.learn(o.Points)
		s.sample()
	case singles:
		s.classes[what.class].tried = true
		s.rests[what.class] = told(o)
	case checks:
		s.checked++
		if s.rests[what.class] != told(o) {
			s.parted++
			s.rests[what.class] = parted
		}
	case pairs:
		s.paired++
		if len(o.Used) == 2 {
			s.met++
		}
	}
}

// told is all that is compared of two members of a class.
func told(o Outcome) string { return fmt.Sprint(o.Failed, o.Checked, o.Oracle, o.Rest) }

func (s *Sweep) learn(points []Point) {
	for _, p := range points {
		i, known := s.at[p.Class]
		if !known {
			i = len(s.classes)
			s.at[p.Class] = i
			s.classes = append(s.classes, class{name: p.Class})
			k := kindOf(p.Deviation)
			if s.of[k] == nil {
				s.kinds = append(s.kinds, k)
			}
			s.of[k] = append(s.of[k], i)
		}
		s.classes[i].members = append(s.classes[i].members, p)
	}
}

// Told implements Rung.
func (s *Sweep) Told() Told {
	points, left := 0, 0
	for _, c := range s.classes {
		points += len(c.members)
		left += one(!c.tried)
	}
	frontier := fmt.Sprintf("%d of %d classes left (%d points; %d of %d checked classes did not continue alike)", left, len(s.classes), points, s.parted, s.checked)
	if s.stage >= pairs {
		frontier += fmt.Sprintf(", %d of %d pairs left (both struck in %d of %d)", s.pairs-s.paired, s.pairs, s.met, s.paired)
	}
	told := s.told(fmt.Sprintf("one deviation of seed %d at each class of points, then one pair at each two (label, kind)", s.seed), frontier, s.done())
	told.Left = left + s.pairs - s.paired
	return told
}

func (s *Sweep) done() bool {
	return s.stage == exhausted || s.stage == pairs && s.corners == triangle(len(s.kinds)) && len(s.queue) == 0 && s.trials == s.asked
}

// spread visits each of n places once and goes far at every step.
func spread(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = far(i, n)
	}
	return out
}

// far is the i-th place of spread.
func far(i, n int) int {
	stride := max(1, n*618/1000)
	for gcd(stride, n) > 1 {
		stride++
	}
	return i * stride % n
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
