package oracle_test

import (
	"slices"
	"testing"
	"time"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
)

func TestCorrected_LedgerBreaksAndCorrectionsTellOneStory(t *testing.T) {
	t.Parallel()
	finds(t, "corrected", "its break b1 is still open", set("break", 0, "state", "open"))
	finds(t, "corrected", "the ledger gave back what the provider never did: re_9", set("transaction", 3, "provider_ref", "re_9"))
	finds(t, "corrected", "was booked before", set("correction", 0, "since", "2026-03-02 02:05:01+00"))
	finds(t, "corrected", "what it corrects was over before: its break b1 was closed by job:acct_1/2026-03-02", set("break", 0, "closed_by", "job:acct_1/2026-03-02"))
	accepts(t, "corrected", set("transaction", 3, "provider_ref", "refund/acct_1/ch_2/1"))
	accepts(t, "corrected", set("break", 0, "closed_by", "person:ann"), set("correction", 0, "state", "refused"))
}

func TestActOnce_TwoActsNeverSawOneVersion(t *testing.T) {
	t.Parallel()
	finds(t, "act-once", "person:ann did give_up at 2026-03-02 05:00:00+00 and person:bob did give_up at 2026-03-02 05:00:00+00, and both saw its version 4",
		also("audit", 3, "actor", "person:bob"))
	finds(t, "act-once", "person:ann did give_up to its version 4, and it is at version 4", set("intent", 1, "version", "4"))
	accepts(t, "act-once", also("audit", 3, "version", "3"))
	accepts(t, "act-once", set("audit", 3, "act", "review"), also("audit", 2, "actor", "person:bob"))
}

func TestCaps_NothingAutomaticAboveACap(t *testing.T) {
	t.Parallel()
	caps := func(change func(c *oracle.Caps)) edit { return func(v *oracle.View) { change(v.Limits.Caps) } }
	finds(t, "caps", "and a person was to", caps(func(c *oracle.Caps) { c.RefundMax = 2099 }))
	finds(t, "caps", "and a person was to", caps(func(c *oracle.Caps) { c.Nothing = true }))
	finds(t, "caps", "at most 0 and 5000", caps(func(c *oracle.Caps) { c.NumberMax = 0 }))
	finds(t, "caps", "at most 2 and 2099", caps(func(c *oracle.Caps) { c.MoneyMax = 2099 }))
	finds(t, "caps", "although 1 of 2 rows were breaks", caps(func(c *oracle.Caps) { c.BrokenFrom = 1 }))
	accepts(t, "caps", caps(func(c *oracle.Caps) { c.BrokenFrom, c.BrokenPercents = 1, 50 }))
	accepts(t, "caps", caps(func(c *oracle.Caps) { c.BrokenFrom = 1 }), set("break", 0, "grace_until", "2026-03-03 00:00:00+00"))
	accepts(t, "caps", caps(func(c *oracle.Caps) { c.Nothing = true }), set("correction", 0, "approved_by", "person:ann"))
}

func TestCaps_NobodyIsAskedForWhatIsAboveNoCap(t *testing.T) {
	t.Parallel()
	caps := func(change func(c *oracle.Caps)) edit { return func(v *oracle.View) { change(v.Limits.Caps) } }
	asked := []edit{set("correction", 0, "approved_by", "person:ann")}
	finds(t, "caps", "policy approved 0 acts of 1", asked...)
	accepts(t, "caps", append(slices.Clone(asked), set("correction", 0, "business_ref", "i9"))...) // nobody's we know
	for _, change := range []func(c *oracle.Caps){
		func(c *oracle.Caps) { c.RefundMax = 2099 }, func(c *oracle.Caps) { c.MoneyMax = 2099 }, func(c *oracle.Caps) { c.NumberMax = 0 },
		func(c *oracle.Caps) { c.BrokenFrom = 1 }, func(c *oracle.Caps) { c.Nothing = true },
	} {
		accepts(t, "caps", append(slices.Clone(asked), caps(change))...)
	}
	finds(t, "caps", "policy approved 0 acts of 1", append(slices.Clone(asked), caps(func(c *oracle.Caps) { c.RefundMax, c.MoneyMax, c.NumberMax = 2100, 2100, 1 }))...)
	finds(t, "caps", "policy approved 0 acts of 1", append(slices.Clone(asked), caps(func(c *oracle.Caps) { c.BrokenFrom, c.BrokenPercents = 1, 50 }))...)
}

func TestAdvised_WhatIsLeftToAPersonWaits(t *testing.T) {
	t.Parallel()
	left := history(sim.Entry{At: 6 * time.Hour, Actor: sim.Bare("operator"), What: oracle.LeftToPerson, Text: "correction:b1/1 unknown"})
	finds(t, "advised", "it was unknown and left to a person, and is applied without one", left)
	accepts(t, "advised", left, also("audit", 3, "at", "2026-03-02 06:00:01+00", "record", "correction:b1/1"))
}

func TestShown_WhatIsNotAtItsEndIsInTheList(t *testing.T) {
	t.Parallel()
	finds(t, "shown", "it is not at its end, and operator was not told of it", set("job", 0, "state", "review"))
	finds(t, "shown", "it is not at its end", set("intent", 0, "state", "unknown"))
	refused := []edit{set("correction", 0, "state", "rejected"), set("break", 0, "state", "open")}
	finds(t, "shown", "it is not at its end", refused...)
	accepts(t, "shown", append(refused, also("correction", 0, "act_number", "2", "state", "superseded"))...)
	accepts(t, "shown", set("correction", 0, "state", "rejected"))
	accepts(t, "shown", set("job", 0, "state", "review"), func(v *oracle.View) { v.Settled = false })
	many := answered("operator", "main", "sql:UnsettledJobs", "acct_2/2026-03-01")
	many.Rows = 3 // the history names only the first
	accepts(t, "shown", set("job", 0, "state", "review"), history(many))
	many.Rows = 2
	finds(t, "shown", "3 are not at their end, and operator was told of 2", set("job", 0, "state", "review"), history(many))
}

func TestOverruled_APersonsWordEndsTheClaimOfBefore(t *testing.T) {
	t.Parallel()
	act := func(at, name string) edit {
		return also("audit", 3, "record", "correction:b1/1", "at", "2026-03-02 "+at+"+00", "act", name)
	}
	finds(t, "overruled", "person:ann did confirm_done at 2026-03-02 00:02:00+00, and worker-1#0 wrote FinishCorrection over it", act("00:02:00", "confirm_done"))
	accepts(t, "overruled", act("00:02:00", "look_up"))
	accepts(t, "overruled", act("00:01:00", "confirm_done"))
	accepts(t, "overruled", act("00:05:00", "confirm_done"))
	accepts(t, "overruled", act("00:06:00", "confirm_done"), history(after(7*time.Minute, answered("worker-2", "refund", "sql:ClaimCorrections", "b1/1")),
		after(8*time.Minute, answered("worker-2", "refund", "sql:SubmitCorrection", "b1/1"))))
}
