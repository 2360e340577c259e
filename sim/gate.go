package sim

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Value is what was decided: {kill after}, {stall 120s}, for class then an actor. The zero value is the plain run.
type Value struct{ Verb, Arg string }

// String is the verb, a space, the argument. ParseValue is its inverse: the verb is the first word.
func (v Value) String() string {
	if v.Arg == "" {
		return v.Verb
	}
	return v.Verb + " " + v.Arg
}

// ParseValue reads what Value.String wrote. It accepts single spaces only, and no line breaks.
func ParseValue(s string) (Value, error) {
	if s != squeeze(s) {
		return Value{}, fmt.Errorf("value %q: want words with single spaces between, as in: kill after", s)
	}
	verb, arg, _ := strings.Cut(s, " ")
	return Value{Verb: verb, Arg: arg}, nil
}

// Class is the kind of question; there is one value for each (address, class).
type Class uint8

const (
	Then    Class = iota // who moves next, instead of the plain choice
	Fault                // what breaks here
	Latency              // how long the task stands here although it could go on
	Outcome              // what the outside answers
	Hold                 // what is held back and comes as a move of its own (a Sync, a Bind), or last (the deadlines of an instant)
)

var classes = [...]string{"then", "fault", "latency", "outcome", "hold"}

// String is the word of a script's third column.
func (c Class) String() string { return word(classes[:], int(c), "class") }

// ParseClass is the inverse of Class.String.
func ParseClass(s string) (Class, error) {
	for i, w := range classes {
		if w == s {
			return Class(i), nil
		}
	}
	return 0, fmt.Errorf("class %q: want one of %s", s, strings.Join(classes[:], ", "))
}

// Kind is what a task is about to do at its gate.
type Kind uint8

const (
	Start     Kind = iota // the task's first move
	Statement             // bytes for the server
	Calling               // a call to the outside (Call is the type of what is called)
	Sleep                 // until an instant
	Wait                  // for a task, an event, a permit, or inside the server
	Tick                  // a clock outside fires
	Event                 // something outside happens by itself
)

var kinds = [...]string{"start", "statement", "call", "sleep", "wait", "tick", "event"}

// String is the word in the history.
func (k Kind) String() string { return word(kinds[:], int(k), "kind") }

func word(words []string, i int, what string) string {
	if i < len(words) {
		return words[i]
	}
	return what + "(" + strconv.Itoa(i) + ")"
}

// Offer is one value that somebody can carry out at a gate.
type Offer struct {
	Class Class
	Value Value
}

// Gate is where a task stands still. Whoever calls Pass fills in the label, the kind, the detail, what it can carry
// out, Commit, InTx and Foot; the rest is the kernel's. A Decider must not keep Offers, which is reused.
type Gate struct {
	Address Address
	Kind    Kind
	Detail  string        // hashed beside the address: the squeezed SQL and a digest of its parameters, a call's arguments
	Offers  []Offer       // what can happen here; the kernel adds kill before, stalls, latencies and the others enabled
	Commit  bool          // a COMMIT goes out
	InTx    bool          // a transaction is open
	Foot    Footprint     // what the move from here touches; none: of a process nothing outside it, of the world's all of the world
	At      time.Duration // when the task came here

	// Standing lists who could move, the plain choice among them: filled in for questions of class Then only, and
	// reused like Offers.
	Standing []Standing
}

// Offered says whether v is enabled here. A duration in the last word may be any length: whoever can stall a process
// for a minute can do it for an hour, and shrinking wants shorter ones.
func (g Gate) Offered(c Class, v Value) bool {
	for i := range g.Offers {
		if o := &g.Offers[i]; o.Class == c && (o.Value == v || alike(o.Value.String(), v.String())) {
			return true
		}
	}
	return false
}

// Values lists what is offered of a class, in the order of the offers.
func (g Gate) Values(c Class) []Value {
	var out []Value
	for _, o := range g.Offers {
		if o.Class == c {
			out = append(out, o.Value)
		}
	}
	return out
}

// alike says that two values differ only in a duration that is their last word.
func alike(a, b string) bool {
	wordsA, lastA := cutLast(a)
	wordsB, lastB := cutLast(b)
	if wordsA != wordsB {
		return false
	}
	_, okA := duration(lastA)
	_, okB := duration(lastB)
	return okA && okB
}

// cutLast cuts the last word off a value's text; the space before it stays with the others.
func cutLast(text string) (words, last string) {
	i := strings.LastIndexByte(text, ' ') + 1
	return text[:i], text[i:]
}

// Duration is the duration that ends a value, {stall 120s}; 0 where none does.
func (v Value) Duration() time.Duration {
	_, last := cutLast(v.String())
	d, err := time.ParseDuration(last)
	if err != nil {
		return 0
	}
	return d
}

// duration reads a positive duration.
func duration(s string) (time.Duration, bool) {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d > 0
}

// Seconds prints a duration as values spell it: whole seconds as 91s, anything finer as Go does.
func Seconds(d time.Duration) string {
	if d%time.Second == 0 {
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	}
	return d.String()
}
