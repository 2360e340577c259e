package engine

import "time"

// Outcome is what a call that changes something outside came to. Such calls return no error: doubt is a kind.
type Outcome struct {
	Kind       OutcomeKind
	Ref        string        // the outside's own reference (refund id, message id); empty where it gave none
	Code       string        // the outside's reason, for people: "timeout", "card_declined"
	RetryAfter time.Duration // with Throttled: what the outside asked for; 0 where it did not
}

// OutcomeKind classifies an Outcome.
type OutcomeKind uint8

// The kinds. The zero value is Unknown: a forgotten answer means stop.
const (
	Unknown   OutcomeKind = iota // nobody can tell whether it was done
	Accepted                     // done, or surely going to be
	Rejected                     // surely not done, and the same act will not be done
	Throttled                    // surely not done; ask again later
	Failed                       // surely not done; may be tried again with the same key
	Pending                      // taken, not final yet; ask later by the key
)

// String gives the glossary's word, which is also what the database stores.
func (k OutcomeKind) String() string {
	switch k {
	case Accepted:
		return "accepted"
	case Rejected:
		return "rejected"
	case Throttled:
		return "throttled"
	case Failed:
		return "failed"
	case Pending:
		return "pending"
	default:
		return "unknown"
	}
}
