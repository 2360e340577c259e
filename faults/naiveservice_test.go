package faults

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// reply is what a call outside came to.
type reply struct {
	kind, code string
	after      time.Duration
}

// once: the service takes a key for the act it was the first time.
func once(service, what string) bool { return service == provider && (what == "pay" || what == "hold") }

func (o *outside) act(ctx context.Context, service, what, id string) (r reply) {
	label := what + "(" + id + ")"
	act := service + " " + label
	offers := values("timeout, no effect", "timeout, effect now", "timeout, effect later 45s", "answer lost", "throttled 5s", "throttled 120s", "throttled",
		"pending", "failed", "rejected", "contact invalid", "outage 600s", "poison")
	if once(service, what) && o.done[act] > 0 {
		offers = append(offers, values("other answer", "key forgotten")...)
	}
	var place string
	_, err := o.k.Call(ctx, sim.Call{Actor: service, Label: label, Outcomes: append([]sim.Value{{}}, offers...), Do: func(v sim.Value, _ time.Time) {
		o.nth[act]++
		place = fmt.Sprintf("%s/%d", label, o.nth[act])
		r = o.decide(service, what, id, place, v)
	}})
	if err != nil {
		return reply{kind: "unknown"}
	}
	if r.kind != "unknown" {
		return r
	}
	if r.after > 0 && sim.TaskOf(ctx).Process().Sleep(ctx, r.after) != nil {
		return r // the caller is dead
	}
	o.mark(service, "gave up", place)
	return r
}

func (o *outside) decide(service, what, id, place string, v sim.Value) reply {
	act := service + " " + what + "(" + id + ")"
	text := v.String()
	effect := func() { o.effect(service, what, id, place) }
	switch {
	case v.Verb == "outage":
		o.down[service] = o.k.Since() + v.Duration()
	case text == "poison":
		o.poisoned[act] = true
	}
	switch {
	case o.k.Since() < o.down[service]:
		o.mark(service, "down", place)
		return reply{kind: "failed"}
	case o.poisoned[act]:
		o.mark(service, "poisoned", place)
		return reply{kind: "poisoned"}
	case text == "timeout, no effect":
		return reply{kind: "unknown", after: 5 * time.Second}
	case text == "timeout, effect now":
		effect()
		return reply{kind: "unknown", after: 5 * time.Second}
	case strings.HasPrefix(text, "timeout, effect later"):
		o.k.After(service, v.Duration(), "late "+place, func(time.Time) { effect() })
		return reply{kind: "unknown", after: 5 * time.Second}
	case text == "answer lost":
		effect()
		return reply{kind: "unknown"}
	case v.Verb == "throttled":
		return reply{kind: "throttled", after: v.Duration()}
	case text == "failed":
		return reply{kind: text}
	case text == "other answer":
		return reply{kind: "rejected", code: "duplicate"}
	case text == "rejected" || text == "contact invalid":
		return reply{kind: "rejected"}
	case text == "pending":
		effect()
		return reply{kind: text}
	}
	if !once(service, what) || o.done[act] == 0 || text == "key forgotten" {
		effect()
	}
	return reply{kind: "accepted"}
}

func (o *outside) effect(service, what, id, place string) {
	o.done[service+" "+what+"("+id+")"]++
	o.mark(service, "effect", place)
	due := map[string]time.Duration{"provider pay": 20 * time.Second, "provider charge": 23 * time.Second, "email send": 15 * time.Second}[service+" "+what]
	if due == 0 {
		return
	}
	v := o.k.Tick(service, callbackLabel+place, values("callback late 600s", "callback doubled 40s", "callback reordered 60s", "callback early", "bounced", "ack late 40s", "callback nameless 40s"))
	after, again := due, time.Duration(0)
	switch {
	case v == sim.Value{}:
	case v.String() == "callback early":
		after = 0
	case v.Verb == "bounced":
		o.bounced[id] = true
		o.k.After(service, due, "bounce "+place, func(time.Time) { o.mark(service, "bounced", place) })
	case strings.HasPrefix(v.Arg, "doubled"), v.Verb == "ack":
		again = v.Duration()
	case strings.HasPrefix(v.Arg, "nameless"):
		o.k.After(service, due, "nameless "+place, func(time.Time) { o.mark(service, "nameless", place) })
		again = v.Duration()
	default:
		after += v.Duration()
	}
	at := o.k.Since() + due
	o.bring(service, what, id, place, at, after, 0)
	if again > 0 {
		o.bring(service, what, id, place, at, after+again, 1)
	}
}

// bring hands a callback to the engine, in a task of the world.
func (o *outside) bring(service, what, id, place string, due, after time.Duration, nth int) {
	o.k.After(service, after, "bring "+place, func(time.Time) {
		o.k.World(service, func(ctx context.Context) error {
			o.mark(service, "heard", fmt.Sprintf("%s %d %s", place, nth, sim.Seconds(o.k.Since()-due)))
			if err := o.inside.hear(ctx, what, id); err == nil {
				o.mark(service, "taken", place)
			}
			return nil
		})
	})
}

func (o *outside) statement(ctx context.Context, id string) []int {
	label := "statement(" + id + ")"
	rows := []int{10, 20, 30}
	_, err := o.k.Call(ctx, sim.Call{Actor: provider, Label: label, Outcomes: append([]sim.Value{{}}, values("unavailable", "truncated", "empty", "page shift")...),
		Do: func(v sim.Value, _ time.Time) {
			o.nth[label]++
			switch v.String() {
			case "unavailable", "empty":
				rows = nil
			case "truncated":
				rows = rows[:2]
			case "page shift":
				rows = append(rows, 30)
				o.mark(provider, "shifted", fmt.Sprintf("%s/%d", label, o.nth[label]))
			}
		}})
	if err != nil {
		return nil
	}
	return rows
}
