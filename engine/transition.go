package engine

// Role is who may take a transition.
type Role string

// The roles. A worker holds the record's claim; the sweep acts on leases that ended and on waits that are over; a
// receipt is the outside's own late evidence; a policy acts below a configured limit; a person acts through ops.
const (
	RoleWorker  Role = "worker"
	RoleSweep   Role = "sweep"
	RoleReceipt Role = "receipt"
	RolePolicy  Role = "policy"
	RolePerson  Role = "person"
)

// Transition is one legal exit of a state. Two rows may share From and To when one burns an attempt and the other
// does not: waiting is not failing.
type Transition[S ~string] struct {
	From, To S
	By       []Role
	Burns    bool // an attempt is spent
	Why      string
}

// Allowed says whether a table has the exit. The tables are Jobs(), Intents() and Corrections(); the database's
// checks and the state docs are tested against them.
func Allowed[S ~string](table []Transition[S], from, to S) bool {
	for _, t := range table {
		if t.From == from && t.To == to {
			return true
		}
	}
	return false
}

// MayTake says whether role may take the exit.
func MayTake[S ~string](table []Transition[S], from, to S, role Role) bool {
	for _, t := range table {
		if t.From != from || t.To != to {
			continue
		}
		for _, r := range t.By {
			if r == role {
				return true
			}
		}
	}
	return false
}

// JobStates are all states of a job, BornJob those it may be born in.
func JobStates() []JobState {
	return []JobState{JobReady, JobLeased, JobDone, JobReview, JobParked, JobDead, JobCancelled}
}

// IntentStates are all states of an intent.
func IntentStates() []IntentState {
	return []IntentState{IntentReady, IntentHeld, IntentLeased, IntentSubmitting, IntentSent, IntentRejected,
		IntentUnknown, IntentSuppressed, IntentReview, IntentParked, IntentDead, IntentGivenUp}
}

// CorrectionStates are all states of a correction.
func CorrectionStates() []CorrectionState {
	return []CorrectionState{CorrectionProposed, CorrectionApproved, CorrectionSubmitting, CorrectionApplied,
		CorrectionRejected, CorrectionUnknown, CorrectionRefused, CorrectionSuperseded, CorrectionParked,
		CorrectionDead}
}

// JobsBorn, IntentsBorn and CorrectionsBorn are the states a record may be born in.
func JobsBorn() []JobState               { return []JobState{JobReady} }
func IntentsBorn() []IntentState         { return []IntentState{IntentReady, IntentHeld} }
func CorrectionsBorn() []CorrectionState { return []CorrectionState{CorrectionProposed} }

// Jobs is every exit of a job. Only `cancelled` has none; `done` rests until a restated statement opens the next
// generation.
func Jobs() []Transition[JobState] {
	return []Transition[JobState]{
		{JobReady, JobLeased, []Role{RoleWorker}, false, "claimed"},
		{JobReady, JobCancelled, []Role{RolePerson}, false, "a person skips the window"},

		{JobLeased, JobReady, []Role{RoleWorker}, false, "handed back: drain, throttled, statement pending, or the lease ended before work began"},
		{JobLeased, JobReady, []Role{RoleWorker, RoleSweep}, true, "failed, or its process died after work began"},
		{JobLeased, JobDone, []Role{RoleWorker}, false, "reconciled: envelope, breaks, intents and done in one transaction"},
		{JobLeased, JobReview, []Role{RoleWorker}, false, "the provider's answer could not be judged"},
		{JobLeased, JobParked, []Role{RoleWorker, RoleSweep}, true, "attempts are spent and the dead-letter lane is full"},
		{JobLeased, JobDead, []Role{RoleWorker, RoleSweep}, true, "attempts are spent"},

		{JobDone, JobReady, []Role{RoleWorker, RolePerson}, false, "generation n+1: a statement of another hash, or a person"},

		{JobReview, JobReady, []Role{RolePerson}, false, "read again after a look"},
		{JobReview, JobCancelled, []Role{RolePerson}, false, "a person skips the window"},
		{JobParked, JobReady, []Role{RolePerson}, false, "redriven with a new attempt budget"},
		{JobParked, JobCancelled, []Role{RolePerson}, false, "a person skips the window"},
		{JobDead, JobReady, []Role{RolePerson}, false, "redriven with a new attempt budget"},
		{JobDead, JobCancelled, []Role{RolePerson}, false, "a person skips the window"},
	}
}

// Intents is every exit of an intent. `sent`, `suppressed` and `given_up` have none; what the channel tells after
// `sent` are receipts, not states.
func Intents() []Transition[IntentState] {
	return []Transition[IntentState]{
		{IntentReady, IntentLeased, []Role{RoleWorker}, false, "claimed"},
		{IntentReady, IntentSuppressed, []Role{RoleWorker, RoleSweep, RolePerson}, false, "nothing left to remind of"},
		{IntentReady, IntentHeld, []Role{RoleWorker, RoleSweep, RolePerson}, false, "a named doubt appeared"},
		{IntentReady, IntentUnknown, []Role{RoleWorker}, false, "claimed, and it may have been sent in what a failover lost: asked about first"},
		{IntentReady, IntentSent, []Role{RoleReceipt}, false, "a receipt tells what a failover lost"},

		{IntentHeld, IntentReady, []Role{RoleWorker, RoleSweep, RolePerson}, false, "the named doubt is gone"},
		{IntentHeld, IntentSuppressed, []Role{RoleWorker, RoleSweep, RolePerson}, false, "nothing left to remind of"},
		{IntentHeld, IntentReview, []Role{RoleSweep}, false, "held longer than its kind may be"},
		{IntentHeld, IntentSent, []Role{RoleReceipt}, false, "a receipt tells what a failover lost"},

		{IntentReview, IntentReady, []Role{RolePerson}, false, "a person lets it go out"},
		{IntentReview, IntentSuppressed, []Role{RolePerson}, false, "nothing left to remind of"},
		{IntentReview, IntentGivenUp, []Role{RolePerson}, false, "a person ends it"},
		{IntentReview, IntentSent, []Role{RoleReceipt}, false, "a receipt tells what a failover lost"},

		{IntentLeased, IntentReady, []Role{RoleWorker, RoleSweep}, false, "handed back, throttled, paused, or the lease ended before work began"},
		{IntentLeased, IntentReady, []Role{RoleWorker, RoleSweep}, true, "failed, or its process died after work began"},
		{IntentLeased, IntentSubmitting, []Role{RoleWorker}, false, "re-checked under the invoice locks; bytes, amount and address are fixed"},
		{IntentLeased, IntentSuppressed, []Role{RoleWorker}, false, "paid, cancelled or opted out at the re-check"},
		{IntentLeased, IntentHeld, []Role{RoleWorker}, false, "a doubt at the re-check"},
		{IntentLeased, IntentUnknown, []Role{RoleWorker}, false, "its lease ended, and it may have been sent in what a failover lost"},
		{IntentLeased, IntentSent, []Role{RoleReceipt}, false, "a receipt tells what a failover lost"},
		{IntentLeased, IntentParked, []Role{RoleWorker, RoleSweep}, true, "attempts are spent and the dead-letter lane is full"},
		{IntentLeased, IntentDead, []Role{RoleWorker, RoleSweep}, true, "attempts are spent"},

		{IntentSubmitting, IntentSent, []Role{RoleWorker, RoleReceipt}, false, "the channel accepted"},
		{IntentSubmitting, IntentRejected, []Role{RoleWorker, RoleReceipt}, false, "the channel refused for good"},
		{IntentSubmitting, IntentUnknown, []Role{RoleWorker, RoleSweep}, false, "nobody can tell: timeout, or the lease ended in a call"},
		{IntentSubmitting, IntentReady, []Role{RoleWorker}, false, "surely not sent: throttled"},
		{IntentSubmitting, IntentReady, []Role{RoleWorker}, true, "surely not sent: failed"},
		{IntentSubmitting, IntentParked, []Role{RoleWorker}, true, "surely not sent, attempts are spent, the lane is full"},
		{IntentSubmitting, IntentDead, []Role{RoleWorker}, true, "surely not sent, attempts are spent"},

		{IntentUnknown, IntentSent, []Role{RoleWorker, RoleReceipt, RolePerson}, false, "found by look-up, receipt or a person"},
		{IntentUnknown, IntentRejected, []Role{RoleWorker, RoleReceipt, RolePerson}, false, "found refused"},
		{IntentUnknown, IntentReady, []Role{RoleWorker, RolePerson}, false, "proved absent after the settling time"},
		{IntentUnknown, IntentSubmitting, []Role{RoleWorker, RolePerson}, false, "the same key again, within its retention"},
		{IntentUnknown, IntentReview, []Role{RoleWorker}, false, "another window's message, which a failover lost, may have said the same"},
		{IntentUnknown, IntentGivenUp, []Role{RolePerson}, false, "a person ends the doubt without sending"},

		{IntentRejected, IntentReady, []Role{RolePerson, RolePolicy}, false, "the next act number, a new key"},
		{IntentRejected, IntentGivenUp, []Role{RolePerson, RolePolicy}, false, "ended after a refusal"},
		{IntentParked, IntentReady, []Role{RolePerson}, false, "redriven with a new attempt budget"},
		{IntentParked, IntentGivenUp, []Role{RolePerson}, false, "a person ends it"},
		{IntentDead, IntentReady, []Role{RolePerson}, false, "redriven with a new attempt budget"},
		{IntentDead, IntentGivenUp, []Role{RolePerson}, false, "a person ends it"},
	}
}

// Corrections is every exit of a correction. `applied`, `rejected`, `refused` and `superseded` have none: after a
// final rejection the next act is a new record with a new key.
func Corrections() []Transition[CorrectionState] {
	return []Transition[CorrectionState]{
		{CorrectionProposed, CorrectionApproved, []Role{RolePolicy, RolePerson}, false, "below the automatic limit, or a person saw this version"},
		{CorrectionProposed, CorrectionRefused, []Role{RolePerson}, false, "a person says no"},
		{CorrectionProposed, CorrectionSuperseded, []Role{RoleWorker}, false, "a later generation no longer has the break"},

		{CorrectionApproved, CorrectionSubmitting, []Role{RoleWorker}, false, "re-checked; amount, payment and key are fixed"},
		{CorrectionApproved, CorrectionUnknown, []Role{RoleWorker}, false, "claimed, and it may have been done in what a failover lost: asked about first"},
		{CorrectionApproved, CorrectionSuperseded, []Role{RoleWorker}, false, "a later generation no longer has the break"},
		{CorrectionApproved, CorrectionParked, []Role{RoleWorker, RoleSweep}, true, "attempts are spent and the dead-letter lane is full"},
		{CorrectionApproved, CorrectionDead, []Role{RoleWorker, RoleSweep}, true, "attempts are spent"},

		{CorrectionSubmitting, CorrectionApplied, []Role{RoleWorker, RoleReceipt}, false, "the provider did it, or the local posting is in the ledger"},
		{CorrectionSubmitting, CorrectionRejected, []Role{RoleWorker, RoleReceipt}, false, "the provider refused for good"},
		{CorrectionSubmitting, CorrectionUnknown, []Role{RoleWorker, RoleSweep}, false, "nobody can tell: timeout, or the lease ended in a call"},
		{CorrectionSubmitting, CorrectionApproved, []Role{RoleWorker}, false, "surely not done: throttled"},
		{CorrectionSubmitting, CorrectionApproved, []Role{RoleWorker}, true, "surely not done: failed"},
		{CorrectionSubmitting, CorrectionParked, []Role{RoleWorker}, true, "surely not done, attempts are spent, the lane is full"},
		{CorrectionSubmitting, CorrectionDead, []Role{RoleWorker}, true, "surely not done, attempts are spent"},

		{CorrectionUnknown, CorrectionApplied, []Role{RoleWorker, RoleReceipt, RolePerson}, false, "found done"},
		{CorrectionUnknown, CorrectionRejected, []Role{RoleWorker, RoleReceipt, RolePerson}, false, "found refused"},
		{CorrectionUnknown, CorrectionApproved, []Role{RoleWorker, RolePerson}, false, "proved absent after the settling time"},
		{CorrectionUnknown, CorrectionSubmitting, []Role{RoleWorker, RolePerson}, false, "the same key again, within its retention"},

		{CorrectionParked, CorrectionApproved, []Role{RolePerson}, false, "redriven with a new attempt budget"},
		{CorrectionParked, CorrectionRefused, []Role{RolePerson}, false, "a person says no"},
		{CorrectionDead, CorrectionApproved, []Role{RolePerson}, false, "redriven with a new attempt budget"},
		{CorrectionDead, CorrectionRefused, []Role{RolePerson}, false, "a person says no"},
	}
}
