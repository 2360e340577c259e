package faults

import (
	"strconv"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// tick is a clock outside that fires twice, early or late. The world marks how each firing really came ("fired": slot,
// number, how far off).
func tick(name, verb string, holds func(n int, off time.Duration) bool) Kind {
	return kind{name: name, forms: []form{breaksFor(verb)}, at: isTick, bit: func(d sim.Deviation, r run) bool {
		return firedSo(d, r, holds)
	}}
}

// missingTick is a clock that does not fire. The world marks what did not come ("missed": slot).
func missingTick() Kind {
	return kind{name: "missing-tick", forms: []form{breaks("missing")}, at: isTick, bit: missed}
}

// dstGap is a slot whose local time does not exist on the day the clocks go forward: its tick never comes, or comes
// when the gap is over.
func dstGap() Kind {
	return kind{name: "dst-gap", forms: []form{breaks("gap missed"), breaksFor("gap late")}, at: isTick, bit: func(d sim.Deviation, r run) bool {
		return missed(d, r) || firedSo(d, r, func(_ int, off time.Duration) bool { return off > 0 })
	}}
}

// dstRepeat is a slot whose local time comes twice on the day the clocks go back: so does its tick.
func dstRepeat() Kind {
	return kind{name: "dst-repeat", forms: []form{breaksFor("repeat")}, at: isTick, bit: func(d sim.Deviation, r run) bool {
		return firedSo(d, r, func(n int, _ time.Duration) bool { return n == 1 })
	}}
}

const tickLabel = "tick "

func isTick(a sim.Address) bool { return strings.HasPrefix(a.Label, tickLabel) }

// of: the mark is about the slot of this decision.
func of(e sim.Entry, d sim.Deviation) bool {
	slot, _, _ := strings.Cut(e.Text, " ")
	return e.Actor.Process == d.At.Actor.Process && slot == strings.TrimPrefix(d.At.Label, tickLabel)
}

func missed(d sim.Deviation, r run) bool {
	return some(r.after(), func(e sim.Entry) bool { return e.What == "missed" && of(e, d) })
}

func firedSo(d sim.Deviation, r run, holds func(n int, off time.Duration) bool) bool {
	return some(r.after(), func(e sim.Entry) bool {
		_, n, off, ok := delivery(e.Text)
		return ok && e.What == "fired" && of(e, d) && holds(n, off)
	})
}

// delivery reads a mark of something that came: what it was, which time it came (0 first), how far off its time.
func delivery(text string) (what string, n int, off time.Duration, ok bool) {
	words := strings.Fields(text)
	if len(words) < 3 {
		return "", 0, 0, false
	}
	what, words = strings.Join(words[:len(words)-2], " "), words[len(words)-2:]
	n, errN := strconv.Atoi(words[0])
	off, errOff := time.ParseDuration(words[1])
	return what, n, off, errN == nil && errOff == nil
}
