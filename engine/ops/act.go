package ops

import (
	"fmt"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// Act is who does something, what version of the record was seen, and why.
type Act struct {
	By     string // person:ann
	Expect int64
	Why    string
}

// MovedError answers an act on a record that is not at the version seen. Duty: look again (Unsettled, Advise).
type MovedError = postgres.MovedError

// What else an act can come to.
var (
	ErrNoRecord   = postgres.ErrNoRecord
	ErrNotAllowed = postgres.ErrNotAllowed
)

// Kind is a kind of record.
type Kind string

// The kinds.
const (
	Job        Kind = "job"
	Intent     Kind = "intent"
	Correction Kind = "correction"
)

// check refuses an act that does not say who acts and at what version the record was seen.
func (a Act) check(verb string) error {
	if a.By == "" || a.Expect <= 0 {
		return fmt.Errorf("%s: by %q at version %d; accepted is a name and the version that was seen", verb, a.By, a.Expect)
	}
	return nil
}

// on makes the move of an act.
func (a Act) on(record engine.Key, verb, to string, from ...string) postgres.PersonAct {
	return postgres.PersonAct{Record: record, To: to, From: from, Expect: a.Expect, Actor: a.By, Act: verb, Why: a.Why}
}

// texts are states as the database stores them.
func texts[S ~string](states ...S) []string {
	all := make([]string, len(states))
	for i, s := range states {
		all[i] = string(s)
	}
	return all
}
