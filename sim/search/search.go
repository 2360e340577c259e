package search

import (
	"time"

	"github.com/recondrill/recondrill/sim"
)

// How a trial's run is decided.
type How string

const (
	Scripted How = "script" // Deviations and nothing else; none: the plain run
	Random   How = "random" // every value by its hash and the drill's weights
	PCT      How = "pct"    // priorities, Depth change points
	POS      How = "pos"    // partial order sampling: a fresh priority at every conflict
)

// Trial is one run to be made.
type Trial struct {
	Rung       string // which rung proposed it
	ID         int    // of the rung, from 0: to find it again
	How        How
	Seed       uint64
	Depth      int             // PCT: change points
	Length     int             // PCT: at how many gates a change could matter, as far as is known; 0: not known
	Deviations []sim.Deviation // Scripted: all of them; otherwise set besides what is drawn
	Sleep      *Sleep          // Scripted: who need not go first after the last deviation; nil: nobody
	Need       Need            // what the outcome must bring
}

// Need says what a trial's outcome must carry besides its verdict.
type Need struct {
	Points bool // Outcome.Points
	Holds  bool // Outcome.Points, those of class hold only
	Moves  bool // Outcome.Moves and Times
	First  int  // of Moves so many at most; 0: all
	Rest   bool // Outcome.Rest
}

// Sleep are tasks whose going first was looked at in another run: after the question at From has been answered they
// are passed over until something has moved that their move depends on.
type Sleep struct {
	From  sim.Address
	Tasks []Sleeper
}

// Sleeper is a task that stands at a gate with this footprint.
type Sleeper struct {
	Actor sim.Actor
	Foot  sim.Footprint
}

// Outcome is what a trial came to. Whoever makes the run fills in the verdict, Recording.Fill the rest.
type Outcome struct {
	Failed      bool
	Checked     bool // false: the run could not be judged, and proves nothing
	Oracle      string
	Fingerprint string
	Used        []sim.Deviation
	Points      []Point         // every single deviation that was possible, in the order in which they were met
	Moves       []sim.Move      // every move
	Times       []time.Duration // when each of Moves was made, virtual
	Rest        string          // digest of all that the run's actors saw, but for lives that a deviation killed
	Meets       int             // gates at which the order could matter: a footprint met another standing task's
}

// Point is one deviation that was possible in a run, and the class of what it interrupts: points of one class are
// expected to continue alike.
type Point struct {
	Deviation sim.Deviation
	Class     string
}

// Rung is one way to search. It is used by one goroutine.
type Rung interface {
	Name() string
	// Next is the next trial. None now does not mean the end: while outcomes are outstanding, ask again after Took.
	Next() (Trial, bool)
	// Took tells what a trial came to. Each trial is taken once, in the order in which they were proposed; then what is
	// proposed does not depend on how many are under way at a time.
	Took(Trial, Outcome)
	// Told is what can be said of the search so far.
	Told() Told
}

// Told is a rung's own account: what was looked at, what not. It never says "safe".
type Told struct {
	Rung     string  `json:"rung"`
	Bound    string  `json:"bound"`          // what is covered when it is done: "one deviation of one seed", "2 switches, no faults"
	Frontier string  `json:"frontier"`       // what was not looked at: "37 of 412 classes left", "next run is new with 4 % (f1/N)"
	Left     int     `json:"left,omitempty"` // what a bounded rung knows and has not tried: classes, orders
	New      float64 `json:"new,omitempty"`  // of a drawing rung: the chance that the next run is a new one, 0 to 1
	Trials   int     `json:"trials"`
	Distinct int     `json:"distinct"`        // fingerprints
	Found    int     `json:"found"`           // failures
	Done     bool    `json:"done"`            // the bound is exhausted
	Rungs    []Told  `json:"rungs,omitempty"` // of a ladder: each of its rungs
}
