package oracle

import (
	"slices"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/world"
)

// submitting: no act is begun blindly. A second call for the same thing is made only after an answer that it was not
// done, after a look-up that proved it absent, or a person's word that it was, or under the same key while the other
// side surely knows it; a call is made only after `submitting` is committed, and while no transaction is open.
func submitting() Oracle {
	return claim{name: "submitting", spoil: calledBlindly, check: func(v View, s *seen) {
		if v.Truth != nil && v.Limits.Terms != nil {
			s.blindly(v)
		}
		if v.History != nil {
			s.beforeItsTime(v.History)
		}
	}}
}

func (s *seen) blindly(v View) {
	acts, intents, words := map[string][]world.Call{}, by(rows(v.Tables, "intent"), "intent_id"), s.words(v)
	var order []string
	for _, c := range v.Truth.Calls {
		thing := actOf(c, intents)
		if thing == "" {
			continue
		}
		s.look()
		if acts[thing] == nil {
			order = append(order, thing)
		}
		acts[thing] = append(acts[thing], c)
	}
	for _, thing := range order {
		calls := acts[thing]
		for i := 1; i < len(calls); i++ {
			if why := blind(v, calls[:i], calls[i], words[thing]); why != "" {
				s.broke(thing, "it was called again at %s %s; the call before, at %s, came to %q", stamp(calls[i].At), why, stamp(calls[i-1].At), calls[i-1].Answer)
			}
		}
	}
}

// words are when people said of a thing that it was surely not done. Whether that was true is judged by what happened.
func (s *seen) words(v View) map[string][]time.Time {
	corrections, all := by(rows(v.Tables, "correction"), "correction_id"), map[string][]time.Time{}
	for _, a := range rows(v.Tables, "audit") {
		if a.text("act") != "confirm_absent" {
			continue
		}
		thing := a.text("record")
		if c, ok := corrections[strings.TrimPrefix(thing, "correction:")]; ok {
			thing = "payment:" + c.text("payment_ref")
		}
		all[thing] = append(all[thing], s.when(a, "at"))
	}
	return all
}

// actOf names what a call does: the refund of a payment, the message of an intent. Reads are no acts.
func actOf(c world.Call, intents map[string]row) string {
	switch c.What {
	case "send":
		return "intent:" + intentOf(c.Key, intents)
	case "refund":
		payment, _, _ := strings.Cut(strings.TrimPrefix(c.Label, "refund("), ",")
		return "payment:" + payment
	}
	return ""
}

// blind says why a call must not have been made, or nothing. What a refusal says, it says of its own call only: the doubt
// about one before it stays. Words are when a person vouched that it was not done; terms are those of the service.
func blind(v View, before []world.Call, c world.Call, words []time.Time) string {
	doubtful := slices.DeleteFunc(slices.Clone(before), refused)
	if len(doubtful) == 0 {
		return ""
	}
	last := doubtful[len(doubtful)-1]
	terms := v.Limits.Terms[c.Service]
	vouched := slices.ContainsFunc(words, func(at time.Time) bool { return !at.Before(last.At) && !at.After(c.At) })
	if vouched || provedAbsent(v.Truth.Calls, last, c.At, terms.Settling) {
		return ""
	}
	if c.Key != last.Key {
		return "under a new key without proof that the first was not done"
	}
	if !terms.Keyed {
		return "under a key that " + c.Service + " does not know"
	}
	for _, b := range before {
		if b.Key == c.Key && c.At.Sub(b.At) > terms.KeyRetention {
			return "under a key that " + c.Service + " has forgotten"
		}
	}
	return ""
}

// refused: the caller was told that it was surely not done.
func refused(c world.Call) bool {
	kind, _, _ := strings.Cut(c.Answer, " ")
	return !strings.HasPrefix(c.Outcome, "timeout") && oneOf(kind, "throttled", "failed", "rejected")
}

// provedAbsent: "absent" proves something only when the settling time is over.
func provedAbsent(calls []world.Call, last world.Call, until time.Time, settling time.Duration) bool {
	for _, c := range calls {
		if c.What == "look-up" && c.Service == last.Service && c.Key == last.Key && c.Answer == "rejected absent" &&
			!c.At.Before(last.At.Add(settling)) && !c.At.After(until) {
			return true
		}
	}
	return false
}

// desk is what one task has on its way.
type desk struct {
	open      bool          // a transaction
	written   bool          // a Submit was answered in it
	submitted bool          // a Submit's transaction went to its COMMIT and its call has not been made
	cut       bool          // the next answer is the last of its connection, and is not heard
	answered  time.Duration // when the last statement was
}

// beforeItsTime reads the history task by task. A transaction is open from the answer to BEGIN until its end goes out; one
// that was given up with its connection leaves no trace, which takes time or an error, so a read is judged only at the
// very instant of the last answer. An act needs a Submit of its own whose COMMIT went out; what became of a COMMIT without
// an answer the engine reads back, in a transaction of its own.
func (s *seen) beforeItsTime(h *sim.History) {
	desks := map[sim.Actor]*desk{}
	for _, e := range h.Entries {
		d := desks[e.Actor]
		if d == nil || e.What == "start" {
			d = &desk{}
			desks[e.Actor] = d
		}
		if e.Deviation != nil && e.Deviation.Class == sim.Fault && e.Deviation.Value == cutAfter {
			d.cut = true
		}
		switch {
		case e.What == "call" && strings.HasPrefix(e.Label, "call:"):
			s.look()
			s.called(e, d)
		case e.Label == "sql:begin" && e.What == "answer":
			d.open, d.written = true, false
		case e.Label == "sql:commit":
			// Its answer may be lost; what the task then reads back is another transaction of its own.
			d.open, d.submitted, d.written = false, d.submitted || d.written, false
		case e.Label == "sql:rollback", oneOf(e.What, "cut", "gone", "cancelled", "deadline"), strings.HasPrefix(e.Label, "sql:Claim"):
			d.open, d.written = false, false // a claim stands alone: what was open before it was given up with its connection
		case strings.HasPrefix(e.Label, "sql:Submit") && e.Rows > 0:
			d.written = true
		}
		if e.What == "answer" {
			d.answered = e.At
			if d.cut { // the transaction ended with its connection
				d.open, d.written, d.cut = false, false, false
			}
		}
	}
}

// cutAfter lets a statement be executed and ends its connection before the answer comes.
var cutAfter = sim.Value{Verb: "cut", Arg: "after"}

func (s *seen) called(e sim.Entry, d *desk) {
	act := acts(e.Label)
	switch {
	case act && !d.submitted && !d.written:
		s.broke("call:"+e.Label, "%s made the call %s before `submitting` was written", e.Actor, e.Label)
	case d.open && (act || e.At == d.answered):
		s.broke("call:"+e.Label, "%s made the call %s with a transaction open", e.Actor, e.Label)
	}
	if act {
		d.submitted, d.written = false, false
	}
}

// acts: the label is call:service what(…).
func acts(label string) bool {
	_, what, _ := strings.Cut(label, " ")
	return strings.HasPrefix(what, "send(") || strings.HasPrefix(what, "refund(")
}

// calledBlindly lets the last act that was not refused be called again at once, under another key.
func calledBlindly(v *View) bool {
	if v.Truth == nil || v.Limits.Terms == nil {
		return false
	}
	intents := by(rows(v.Tables, "intent"), "intent_id")
	later := map[string]bool{} // things with a later call
	for _, c := range slices.Backward(v.Truth.Calls) {
		thing := actOf(c, intents)
		if thing == "" || later[thing] {
			continue
		}
		later[thing] = true
		if !refused(c) && actOf(world.Call{What: c.What, Label: c.Label, Key: c.Key + "/again"}, intents) == thing {
			c.Key += "/again"
			v.Truth.Calls = append(v.Truth.Calls, c)
			return true
		}
	}
	return false
}
