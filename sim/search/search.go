// Package search proposes runs: each rung of it is one way to look for a failure, says what its bound is and what it
// has not looked at. It makes no run itself and knows no server: whoever has a program makes the trials, on as many
// workers as it likes, and hands the outcomes back. Trials and outcomes are plain data, so they cross a process
// boundary.
package search

import "github.com/recondrill/recondrill/sim"

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
	ID         int    // of the rung: to find it again
	How        How
	Seed       uint64
	Depth      int             // PCT: change points
	Deviations []sim.Deviation // Scripted; with PCT and POS: set besides
	Need       Need            // what the outcome must bring
}

// Need says what a trial's outcome must carry besides its verdict.
type Need struct {
	Points bool // Outcome.Points
	Moves  bool // Outcome.Moves
}

// Outcome is what a trial came to.
type Outcome struct {
	Failed      bool
	Checked     bool // false: the run could not be judged, and proves nothing
	Oracle      string
	Fingerprint string
	Used        []sim.Deviation
	Points      []Point    // every single deviation that was possible, in the order in which they were met
	Moves       []sim.Move // every move
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
	// Took tells what a trial came to; outcomes may come in any order, but the same order gives the same trials.
	Took(Trial, Outcome)
	// Told is what can be said of the search so far.
	Told() Told
}

// Told is a rung's own account: what was looked at, what not. It never says "safe".
type Told struct {
	Rung     string `json:"rung"`
	Bound    string `json:"bound"`    // what is covered when it is done: "one deviation of one seed", "2 switches, no faults"
	Frontier string `json:"frontier"` // what was not looked at: "37 of 412 classes left", "next run is new with 4 % (f1/N)"
	Trials   int    `json:"trials"`
	Distinct int    `json:"distinct"` // fingerprints
	Found    int    `json:"found"`    // failures
	Done     bool   `json:"done"`     // the bound is exhausted
}
