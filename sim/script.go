package sim

import (
	"fmt"
	"strconv"
	"strings"
)

// Deviation is one decision that was not the plain one.
type Deviation struct {
	At    Address
	Class Class
	Value Value
}

// String is one line of a script, its columns two spaces apart.
func (d Deviation) String() string {
	c := d.columns()
	return strings.Join(c[:], "  ")
}

// Header says which run a script is of. Hash, Verdict and Oracle are what the run came to.
type Header struct {
	Drill    string
	Seed     uint64
	Workload string
	Version  int // of the trace: a file of another version is judged by its oracle, its hash is not compared
	K, S, D  int // bounds: moves of one task in a row, moves at one instant, depth
	Hash     string
	Verdict  string
	Oracle   string
	Weights  string
}

// Script is a run: its header and the set of its deviations, in the order in which they were met.
type Script struct {
	Header     Header
	Deviations []Deviation
}

// String is the file that replays: the header a line a field, a blank line, a table of deviations. Nothing in it
// depends on the order of the deviations. ParseScript is its inverse.
func (s Script) String() string {
	var b strings.Builder
	h := s.Header
	field := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-8s  %s\n", key, squeeze(value))
		}
	}
	field("drill", h.Drill)
	field("seed", strconv.FormatUint(h.Seed, 10))
	field("workload", h.Workload)
	field("version", strconv.Itoa(h.Version))
	field("bounds", fmt.Sprintf("K=%d S=%d D=%d", h.K, h.S, h.D))
	field("weights", h.Weights)
	field("hash", h.Hash)
	field("verdict", h.Verdict)
	field("oracle", h.Oracle)
	b.WriteByte('\n')
	wide := [3]int{}
	for _, d := range s.Deviations {
		c := d.columns()
		for i := range wide {
			wide[i] = max(wide[i], len(c[i]))
		}
	}
	for _, d := range s.Deviations {
		c := d.columns()
		fmt.Fprintf(&b, "%-*s  %-*s  %-*s  %s\n", wide[0], c[0], wide[1], c[1], wide[2], c[2], c[3])
	}
	return b.String()
}

func (d Deviation) columns() [4]string {
	return [4]string{d.At.Actor.String(), string(d.At.appendPlace(nil)), d.Class.String(), d.Value.String()}
}

// ParseScript reads what String wrote. Lines that start with # are prose and are passed over. An error names the
// line, what stands there, and what would be accepted.
func ParseScript(text string) (Script, error) {
	var s Script
	seen := map[string]bool{}
	have := map[question]bool{}
	body := false
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		at := func(err error) (Script, error) { return Script{}, fmt.Errorf("script, line %d: %w", i+1, err) }
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "":
			body = body || len(seen) > 0
		case !body:
			key, value, _ := strings.Cut(line, " ")
			if seen[key] {
				return at(fmt.Errorf("%q stands twice", key))
			}
			seen[key] = true
			if err := s.Header.set(key, strings.TrimSpace(value)); err != nil {
				return at(err)
			}
		default:
			d, err := parseDeviation(line)
			if err != nil {
				return at(err)
			}
			q := question{d.At, d.Class}
			if have[q] {
				return at(fmt.Errorf("a second value of class %s at %s: want one for each address and class", d.Class, d.At))
			}
			have[q] = true
			s.Deviations = append(s.Deviations, d)
		}
	}
	if !seen["version"] {
		return Script{}, fmt.Errorf("script: no line %q in the header", "version")
	}
	return s, nil
}

// question is what has one answer.
type question struct {
	at    Address
	class Class
}

func (h *Header) set(key, value string) error {
	var err error
	switch key {
	case "drill":
		h.Drill = value
	case "seed":
		h.Seed, err = strconv.ParseUint(value, 10, 64)
	case "workload":
		h.Workload = value
	case "version":
		h.Version, err = strconv.Atoi(value)
	case "bounds":
		_, err = fmt.Sscanf(value, "K=%d S=%d D=%d", &h.K, &h.S, &h.D)
	case "weights":
		h.Weights = value
	case "hash":
		h.Hash = value
	case "verdict":
		h.Verdict = value
	case "oracle":
		h.Oracle = value
	default:
		return fmt.Errorf("header field %q: want one of drill, seed, workload, version, bounds, weights, hash, verdict, oracle; deviations follow a blank line", key)
	}
	if err != nil {
		return fmt.Errorf("header field %s: %q is not what a number or K=50 S=20000 D=3 looks like", key, value)
	}
	return nil
}

// parseDeviation splits at runs of two or more spaces, which no column contains.
func parseDeviation(line string) (Deviation, error) {
	var c []string
	for _, part := range strings.Split(strings.ReplaceAll(line, "\t", "  "), "  ") {
		if part = strings.TrimSpace(part); part != "" {
			c = append(c, part)
		}
	}
	if len(c) != 4 {
		return Deviation{}, fmt.Errorf("%d columns in %q: want actor, label/nth, class, value, two or more spaces apart", len(c), line)
	}
	actor, err := ParseActor(c[0])
	if err != nil {
		return Deviation{}, err
	}
	label, nth, err := parsePlace(c[1])
	if err != nil {
		return Deviation{}, err
	}
	class, err := ParseClass(c[2])
	if err != nil {
		return Deviation{}, err
	}
	value, err := ParseValue(c[3])
	return Deviation{Address{actor, label, nth}, class, value}, err
}
