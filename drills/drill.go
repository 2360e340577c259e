package drills

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/reconcile"
	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
	"github.com/recondrill/recondrill/sim/world"
)

// Drill is a named exercise: a world, the processes that live in it, the faults that strike, and what must hold. It
// is data; the runner takes it under the kernel.
type Drill struct {
	Name   string
	Claim  string // what must hold, one sentence
	World  world.Setup
	Nodes  []Node
	Engine Settings
	Faults faults.Plan
	Facts  []Fact // what must besides be true at the end of this very drill
	// Blind are oracles for which nothing happens here (without differences there are no corrections to look at): that they
	// checked nothing makes no campaign vacuous.
	Blind  []string
	Lasts  time.Duration
	Canary bool // has a planted bug, which must be found

	// channels decorates the channels the engine gets: a canary's planted bug, so that the engine holds no bug flag.
	channels func(engine.Channel) engine.Channel
}

// Node is one process that runs parts of the engine.
type Node struct {
	Name  string
	Parts []string
}

// Settings are what a drill sets otherwise than settings.go; a zero means what stands there.
type Settings struct {
	Lanes       map[string]int   // capacity of dead-letter lanes that differ from the schema's
	Batch       int              // accounts that one slot admits
	Attempts    int              // failures after which a record dies
	Policy      reconcile.Policy // what may happen without a person, where it is another than production's
	Connections int              // of each process
	Desk        bool             // two persons settle refunds that nobody can tell: one by the provider's list, one by advice
	Bookkeeper  bool             // a person approves local postings now and then
	Clerk       bool             // a person gives a word on unknown messages, and sets anew what a full lane holds

	// The night, where it is another than everybody's: 02:30 in a zone.
	Schedule string // its name
	Zone     *time.Location
	At       string
	Every    time.Duration
}

// epoch is when the drill's runs begin, where the usual instant is that of everybody.
func (d Drill) epoch(usual time.Time) time.Time {
	if d.World.Epoch.IsZero() {
		return usual
	}
	return d.World.Epoch
}

// plans says whether the drill's faults are of one of these kinds: an actor that nothing is decided for needs not be.
func (d Drill) plans(kinds ...string) bool {
	return slices.ContainsFunc(d.Faults.Rules, func(r faults.Rule) bool { return r.Per10k > 0 && slices.Contains(kinds, r.Kind) })
}

// Fact is a sentence that must be true when a drill has settled.
type Fact struct {
	Text string
	Hold func(oracle.View) error // nil = it holds
}

// everyWindowReconciled: when the faults have stopped and the operator has done what was advised, nothing prevents a
// due window from being done.
func everyWindowReconciled() Fact {
	return Fact{"every due window is reconciled in the end", func(v oracle.View) error {
		for _, job := range v.Tables["recon.job"].Each() {
			if state := job.Text("state"); state != "done" {
				return fmt.Errorf("job %s is %s: %s", job.Text("job_id"), state, job.Text("last_error"))
			}
		}
		return nil
	}}
}

// Catalogue is THE list of drills, canaries last.
func Catalogue() []Drill {
	return []Drill{
		duplicateTick(), lostLease(), timeoutAfterAcceptance(), deadLettersFull(), twoAccounts(),
		serverTrouble(), failover(), clocks(), daylightGap(), daylightRepeat(), rollingDeploy(), channelsOut(), providerOdd(), operatorErrs(),
		canary(),
	}
}

func byName(name string) (Drill, error) {
	all := Catalogue()
	i := slices.IndexFunc(all, func(d Drill) bool { return d.Name == name })
	if i < 0 {
		var names []string
		for _, d := range all {
			names = append(names, d.Name)
		}
		return Drill{}, &UsageError{fmt.Errorf("no drill is called %q; accepted are %s", name, strings.Join(names, ", "))}
	}
	return all[i], nil
}

// pick finds drills by name; none means the catalogue.
func pick(names []string) ([]Drill, error) {
	if len(names) == 0 {
		return Catalogue(), nil
	}
	var picked []Drill
	for _, name := range names {
		d, err := byName(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(picked, func(p Drill) bool { return p.Name == name }) {
			picked = append(picked, d)
		}
	}
	return picked, nil
}

// The night of every drill: three slots, five minutes apart.
const (
	nightAt   = "02:00" // UTC, which is also the world's
	slotEvery = 5 * time.Minute
	slotCount = 3
)

// worker is a node that reconciles, corrects and delivers on every channel.
func worker(name string) Node {
	return Node{name, []string{"reconcile", "refund", "email", "sms", "push"}}
}

const (
	traceVersion = 1
	movesMax     = 64 // K: moves of one task in a row in the plain run
)

// patience is how long a run may go without coming to rest until that is a finding.
type patience struct {
	instant int           // S: more moves at one instant are a livelock
	settle  time.Duration // simulated, after the faults
}

// judged is the patience of every run that counts: 8 h are longer than leases, backoff caps and settling times together.
func judged() patience { return patience{instant: 3000, settle: 8 * time.Hour} }

// hasty is that of tries on the way to a smaller script, where a run that turns for ever costs what ten others do. The
// engine comes to rest within 14 minutes and 356 moves at one instant ([M] 300 runs of the catalogue); what needs longer
// is judged wrongly, so nothing is believed that was seen hastily only.
func hasty() patience { return patience{instant: 750, settle: time.Hour} }

func (d Drill) header(seed uint64) sim.Header {
	return sim.Header{Drill: d.Name, Seed: seed, Version: traceVersion, K: movesMax, S: judged().instant, D: d.Faults.Most}
}
