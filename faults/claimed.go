package faults

import (
	"slices"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// asksForWork: a claim was answered, with records or with none.
func asksForWork(e sim.Entry) bool {
	return e.What == "answer" && strings.HasPrefix(e.Label, "sql:Claim") && !strings.Contains(e.Text, "ERROR ")
}

// claims: the statement gave its process the right to write records; their keys are its first column.
func claims(e sim.Entry) bool { return asksForWork(e) && len(e.Keys) > 0 }

// admits: the statement released due windows.
func admits(e sim.Entry) bool { return e.What == "answer" && strings.HasPrefix(e.Label, "sql:Admit") }

// usesTime: the statement did what a wrong clock can spoil.
func usesTime(e sim.Entry) bool { return claims(e) || admits(e) }

// claimed is who believes which record to be its own: by key, the task that claimed it last. A task claims again only
// when it is done with what it had.
type claimed map[string]sim.Actor

// drop takes out what an entry ends: what its task had, and what it claims.
func (c claimed) drop(e sim.Entry) {
	if !asksForWork(e) {
		return
	}
	for key, by := range c {
		if by == e.Actor || slices.Contains(e.Keys, key) {
			delete(c, key)
		}
	}
}

// see follows an entry.
func (c claimed) see(e sim.Entry) {
	c.drop(e)
	if claims(e) {
		for _, key := range e.Keys {
			c[key] = e.Actor
		}
	}
}

// holds are the records that a life believes to be its own at the end of a list.
func holds(a sim.Actor, list []sim.Entry) claimed {
	held := claimed{}
	for _, e := range list {
		held.see(e)
	}
	for key, by := range held {
		if by.Process != a.Process || by.Life != a.Life {
			delete(held, key)
		}
	}
	return held
}

// lost says whether another process claims, during a stretch of the history, what a life held before it and is not done
// with.
func lost(a sim.Actor, before, during []sim.Entry) bool {
	others := func(e sim.Entry) bool { return claims(e) && e.Actor.Process != a.Process }
	if !some(during, others) {
		return false // who held what before need not be worked out
	}
	held := holds(a, before)
	for _, e := range during {
		if others(e) && slices.ContainsFunc(e.Keys, func(key string) bool { _, ok := held[key]; return ok }) {
			return true
		}
		held.drop(e)
	}
	return false
}
