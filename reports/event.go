package reports

// Event is one line of the journal. Its JSON carries its type; the field names of Run and Summary are a contract
// (DESIGN section 10).
type Event interface{ event() string }

// Start opens a campaign: what is going to be tried, on what.
type Start struct {
	StartedAt  string      `json:"started_at,omitempty"` // RFC 3339, wall time
	Command    string      `json:"command,omitempty"`    // what was typed
	Commit     string      `json:"commit,omitempty"`
	Binary     string      `json:"binary,omitempty"` // digest of the program: what a campaign that goes on must be made by
	Go         string      `json:"go,omitempty"`
	Zones      string      `json:"zones,omitempty"` // version of the zone data
	Seed       uint64      `json:"seed"`            // the first one
	Runs       int         `json:"runs,omitempty"`  // per drill; 0 with For
	For        string      `json:"for,omitempty"`   // a duration; empty with Runs
	Search     string      `json:"search,omitempty"`
	Statements string      `json:"statements,omitempty"` // directory of exported statements; empty = generated ones
	Servers    int         `json:"servers,omitempty"`
	Postgres   Postgres    `json:"postgres"`
	Named      bool        `json:"named,omitempty"` // drills were named: a canary among them counts
	Drills     []DrillInfo `json:"drills"`
}

// Failed says whether a run did not pass and counts: a canary's find is what was wanted, unless the canary was named.
func (s Start) Failed(r Run) bool {
	return r.Verdict != Pass && (!r.Canary || s.Named || r.Verdict != Violation)
}

// DrillInfo is what a report says of a drill.
type DrillInfo struct {
	Name   string   `json:"name"`
	Claim  string   `json:"claim,omitempty"`  // what must hold, one sentence
	Faults []string `json:"faults,omitempty"` // kinds that are expected to bite over the campaign
	Canary bool     `json:"canary,omitempty"` // has a planted bug that must be found
}

// Postgres is the server a campaign ran on.
type Postgres struct {
	How     string `json:"how"` // container local given
	Version string `json:"version"`
}

// Damage is what a violation costs: messages, and money in minor units per currency.
type Damage struct {
	Messages int              `json:"messages"`
	Money    map[string]int64 `json:"money"`
}

// Run is one run of a drill.
type Run struct {
	Drill       string         `json:"drill"`
	Rung        string         `json:"rung,omitempty"`  // of the search: which way of looking proposed it; empty where its seed alone did
	Trial       int            `json:"trial,omitempty"` // its number in the search of its drill, from 1
	Seed        uint64         `json:"seed"`            // of its world and of whatever was drawn
	Verdict     Verdict        `json:"verdict"`
	Hash        string         `json:"hash,omitempty"` // empty where no replay is claimed
	Fingerprint string         `json:"fingerprint"`
	Gates       int            `json:"gates"`
	Statements  int            `json:"statements"`
	Meets       int            `json:"meets,omitempty"` // gates at which who goes first could matter
	Deviations  []string       `json:"deviations"`
	Faults      []string       `json:"faults"` // kinds that bit, sorted
	SimSeconds  int64          `json:"sim_seconds"`
	WallMS      int64          `json:"wall_ms"`
	Canary      bool           `json:"canary,omitempty"`
	Sample      bool           `json:"sample,omitempty"`      // its marks are in the journal though it passed
	Checked     map[string]int `json:"checked,omitempty"`     // per oracle: how many things it looked at
	Bites       []Bite         `json:"bites,omitempty"`       // where its faults bit, sorted
	Spoiled     Spoiled        `json:"spoiled,omitempty"`     // per oracle: whether it saw a damage that was planted in what this run left
	Oracle      string         `json:"oracle,omitempty"`      // what was violated
	Error       string         `json:"error,omitempty"`       // why it could not be checked, one line
	Story       []string       `json:"story,omitempty"`       // at most 10 lines
	Replay      string         `json:"replay,omitempty"`      // the command that runs it again
	Script      string         `json:"script,omitempty"`      // the fewest deviations that fail like it: a file that replays
	ScriptFile  string         `json:"script_file,omitempty"` // where a Folder puts the script
	Lost        *Damage        `json:"lost,omitempty"`
	Doubled     *Damage        `json:"doubled,omitempty"`
}

// Bite is a fault that did its damage: which kind, where, and in which state the record was that was being worked on.
type Bite struct {
	Kind  string `json:"kind"`
	At    string `json:"at"`              // statement, call or tick, without its arguments: sql:FinishJob, send, tick
	State string `json:"state,omitempty"` // "job leased", "intent submitting"; empty where no record was in hand
}

// Spoiled says of each oracle whether it noticed what was damaged for it on purpose.
type Spoiled map[string]bool

// Mark is something to draw on the lanes of one run. There are marks for runs that did not pass and for one sample
// of each drill; they come right after their run.
type Mark struct {
	Drill   string `json:"drill"`
	Rung    string `json:"rung,omitempty"`
	Trial   int    `json:"trial,omitempty"`
	Seed    uint64 `json:"seed"`
	Lane    string `json:"lane"`               // one of Lanes()
	Row     string `json:"row"`                // who or what within the lane: worker-1, acct_1/2026-03-01, email
	AtMS    int64  `json:"at_ms"`              // simulated milliseconds since the epoch of the run
	UntilMS int64  `json:"until_ms,omitempty"` // the end of an interval (a lease, a life, a stall); 0 = an instant
	Kind    string `json:"kind"`               // one word: tick admission lease life claim call effect commit killed stalled …
	Fault   string `json:"fault,omitempty"`    // the fault kind that struck here; empty = none
	Text    string `json:"text"`               // one line for people
}

// Lanes are the lanes of a run in drawing order.
func Lanes() []string {
	return []string{"ticks", "leases", "workers", "provider", "channels", "ledger"}
}

// Search is a rung's own account of one drill: what was looked at, what not. It never says that nothing is left.
type Search struct {
	Drill    string  `json:"drill"`
	Rung     string  `json:"rung"`
	Bound    string  `json:"bound"`          // what is covered when it is done
	Frontier string  `json:"frontier"`       // what was not looked at
	Left     int     `json:"left,omitempty"` // what a bounded one knows and has not tried: classes, orders
	New      float64 `json:"new,omitempty"`  // of a drawing one: the chance that the next run is a new one, 0 to 1
	Trials   int     `json:"trials"`
	Distinct int     `json:"distinct"` // fingerprints
	Found    int     `json:"found"`    // failures
	Done     bool    `json:"done"`     // the bound is exhausted
}

// Summary ends a campaign.
type Summary struct {
	Verdict       Verdict         `json:"verdict"`
	Runs          int             `json:"runs"`
	Distinct      int             `json:"distinct"` // different (drill, fingerprint); a fingerprint is the order of what conflicts, and its outcomes
	RunsPerSecond float64         `json:"runs_per_second"`
	FaultsBitten  map[string]int  `json:"faults_bitten"` // runs in which the kind bit, canaries apart
	Canaries      map[string]bool `json:"canaries"`      // found or not: drills with a planted bug, and each oracle, shown damage
	Postgres      Postgres        `json:"postgres"`
	Verdicts      map[Verdict]int `json:"verdicts,omitempty"` // how many runs of each, canaries apart
	Search        []Search        `json:"search,omitempty"`   // what was looked at, drill by drill and rung by rung
	Reasons       []string        `json:"reasons,omitempty"`  // why the campaign is not a pass where no run says so
	WallMS        int64           `json:"wall_ms,omitempty"`
	Interrupted   bool            `json:"interrupted,omitempty"` // stopped by a person: what was done counts
}

func (Start) event() string   { return "start" }
func (Run) event() string     { return "run" }
func (Mark) event() string    { return "mark" }
func (Summary) event() string { return "summary" }
