package sim

import (
	"fmt"
	"strconv"
	"strings"
)

// world is the Life of actors that have none: what stands outside is never killed and prints bare.
const world = -1

// Actor is who stands at a gate: a task of one life of a process, or somebody outside (Life -1).
type Actor struct {
	Process string
	Life    int
	Task    string
}

// Bare is the actor of the world with this name.
func Bare(name string) Actor { return Actor{Process: name, Life: world} }

// String is worker-1#0/reconcile for a task, worker-1#0 for the process itself, provider for the world's.
func (a Actor) String() string {
	var b [64]byte
	return string(a.append(b[:0]))
}

func (a Actor) append(b []byte) []byte {
	b = append(b, a.Process...)
	if a.Life >= 0 {
		b = append(b, '#')
		b = strconv.AppendInt(b, int64(a.Life), 10)
	}
	if a.Task != "" {
		b = append(b, '/')
		b = append(b, a.Task...)
	}
	return b
}

// ParseActor is the inverse of Actor.String.
func ParseActor(s string) (Actor, error) {
	head, task, hasTask := strings.Cut(s, "/")
	process, life, hasLife := strings.Cut(head, "#")
	a := Actor{Process: process, Life: world, Task: task}
	if process == "" || (hasTask && task == "") || strings.ContainsAny(s, " \t\r\n") {
		return Actor{}, fmt.Errorf("actor %q: want process#life/task (worker-1#0/reconcile) or a bare name (provider), without spaces", s)
	}
	if !hasLife {
		return a, nil
	}
	n, err := strconv.Atoi(life)
	if err != nil || n < 0 || strconv.Itoa(n) != life {
		return Actor{}, fmt.Errorf("actor %q: life %q is not a number from 0, as in worker-1#0/reconcile", s, life)
	}
	a.Life = n
	return a, nil
}

// Address is where something is decided. Nth counts how often this actor stood at this label, from 1; it is never a
// global ordinal, so a change elsewhere in the run does not move it. A new life counts anew, being another actor.
type Address struct {
	Actor Actor
	Label string
	Nth   int
}

// String is "worker-1#0/reconcile sql:FinishJob/2".
func (a Address) String() string {
	var b [128]byte
	return string(a.append(b[:0]))
}

func (a Address) append(b []byte) []byte {
	b = a.Actor.append(b)
	b = append(b, ' ')
	return a.appendPlace(b)
}

func (a Address) appendPlace(b []byte) []byte {
	b = append(b, a.Label...)
	b = append(b, '/')
	return strconv.AppendInt(b, int64(a.Nth), 10)
}

// ParseAddress is the inverse of Address.String.
func ParseAddress(s string) (Address, error) {
	who, place, ok := strings.Cut(s, " ")
	if !ok {
		return Address{}, fmt.Errorf("address %q: want an actor, a space, label/nth, as in worker-1#0/reconcile sql:FinishJob/2", s)
	}
	a, err := ParseActor(who)
	if err != nil {
		return Address{}, err
	}
	label, nth, err := parsePlace(place)
	return Address{Actor: a, Label: label, Nth: nth}, err
}

func parsePlace(s string) (label string, nth int, err error) {
	i := strings.LastIndexByte(s, '/')
	if i <= 0 {
		return "", 0, fmt.Errorf("place %q: want label/nth, as in sql:FinishJob/2", s)
	}
	n, err := strconv.Atoi(s[i+1:])
	if err != nil || n < 1 || strconv.Itoa(n) != s[i+1:] {
		return "", 0, fmt.Errorf("place %q: %q is not a count from 1", s, s[i+1:])
	}
	if s[:i] != squeeze(s[:i]) {
		return "", 0, fmt.Errorf("place %q: a label has single spaces only", s)
	}
	return s[:i], n, nil
}

// squeeze makes a label printable in a column: white space becomes one space, none at the ends.
func squeeze(s string) string {
	if clean(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// clean says that squeeze has nothing to do, which is almost always so and costs no allocation.
func clean(s string) bool {
	gap := true
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ' && gap, c < ' ', c >= 0x80:
			return strings.Join(strings.Fields(s), " ") == s
		default:
			gap = c == ' '
		}
	}
	return !gap || s == ""
}
