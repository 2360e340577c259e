package faults

import (
	"strconv"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// form is how a kind's values are spelled: fixed words, and behind them a measure or nothing.
type form struct {
	class   sim.Class
	words   string
	measure measure
}

// measure is what may stand behind the words.
type measure uint8

const (
	none     measure = iota
	positive         // a duration
	signed           // a duration that may be negative, never zero
	rate             // parts per million, never zero
)

var examples = [...]string{none: "", positive: "a duration like 120s", signed: "a duration like 90s or -90s", rate: "a rate like 500ppm or -500ppm"}

// breaks is a value of class fault without a measure.
func breaks(words string) form { return form{class: sim.Fault, words: words} }

// breaksFor is one with a duration.
func breaksFor(words string) form { return form{sim.Fault, words, positive} }

// answers is a value of class outcome without a measure.
func answers(words string) form { return form{class: sim.Outcome, words: words} }

// String is for people.
func (f form) String() string {
	switch {
	case f.measure == none:
		return strconv.Quote(f.words)
	case f.words == "":
		return examples[f.measure]
	}
	return strconv.Quote(f.words) + " and " + examples[f.measure]
}

// fits is asked at every gate of a run, so it prints nothing. Any duration will do: a script written by hand may say
// 2m.
func (f form) fits(v sim.Value) bool {
	verb, rest, _ := strings.Cut(f.words, " ")
	text := v.Arg
	switch {
	case f.measure == none:
		return v.Verb == verb && v.Arg == rest
	case f.words == "":
		text = v.Verb
		if v.Arg != "" {
			return false
		}
	case v.Verb != verb:
		return false
	case rest != "":
		var ok bool
		if text, ok = strings.CutPrefix(text, rest+" "); !ok {
			return false
		}
	}
	if f.measure == rate {
		_, ok := parts(text)
		return ok
	}
	d, err := time.ParseDuration(text)
	return err == nil && (d > 0 || f.measure == signed && d != 0)
}

// printed: a measure is spelled as values spell it, 120s and not 2m.
func (f form) printed(v sim.Value) bool {
	last := lastWord(v)
	switch f.measure {
	case none:
		return true
	case rate:
		n, _ := parts(last)
		return last == strconv.Itoa(n)+ppm
	default:
		return last == sim.Seconds(v.Duration())
	}
}

func lastWord(v sim.Value) string {
	text := v.String()
	return text[strings.LastIndexByte(text, ' ')+1:]
}

const ppm = "ppm"

// parts reads a rate. A clock can't run backwards, hence above minus a million.
func parts(text string) (int, bool) {
	digits, ok := strings.CutSuffix(text, ppm)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n != 0 && n > -1_000_000
}
