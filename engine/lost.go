package engine

import "time"

// Lost is a stretch of time of which the database knows nothing any more, though the outside may: a failover or a
// restore lost its tail. A record in doubt of it is asked about by key before it acts. The zero value: nothing is lost.
type Lost struct {
	Since time.Time // the earliest instant at which the record's act can have left; its key is remembered from here
	Until time.Time // the last instant at which a process of the existence that is gone can have begun a call

	Through int32 // the newest incarnation whose beginning lost it
}

// Any says whether there is such a stretch.
func (l Lost) Any() bool { return !l.Until.IsZero() }

// Settled is from when on "absent" counts, for a record that is unknown since an instant.
func (l Lost) Settled(unknownSince time.Time, terms Terms) time.Time {
	if l.Any() && l.Until.After(unknownSince) {
		unknownSince = l.Until
	}
	return unknownSince.Add(terms.Settling)
}

// Forgotten says that "absent" proves nothing any more at an instant: what was done in the stretch, the outside may have
// forgotten since. Where the outside names no retention it never forgets.
func (l Lost) Forgotten(at time.Time, terms Terms) bool {
	return l.Any() && terms.KeyRetention > 0 && !at.Before(l.Since.Add(terms.KeyRetention-KeySkew))
}

// KeySkew is a margin before the end of a key's retention: the outside's clock is not ours.
const KeySkew = time.Minute
