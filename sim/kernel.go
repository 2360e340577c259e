package sim

import (
	"context"
	"sync/atomic"
	"time"
)

// Config is one run. Zero numbers take the defaults named here.
type Config struct {
	Epoch     time.Time // what virtual time 0 is on the world's clock
	Seed      uint64    // of ids
	Decider   Decider   // nil: the plain run
	Locks     Locks     // who was granted what in the server; nil: nothing ever blocks there
	K         int       // at most so many moves of one task in a row; 50
	S         int       // more moves at one instant are a livelock; 20,000
	Latencies []time.Duration
	Grants    []time.Duration // how much later a backend may go on that was granted its lock: a slow server; nil: at once
	Stalls    []time.Duration // nil: Latencies
	Suspends  []time.Duration // like stalls, with the process's monotonic clock standing still as well; nil: none
	Watchdog  time.Duration   // real time for one move; it can only fail a run; 30 s
	Clock     bool            // the clock can be chosen like a task: time moves though some could go on
	Moves     bool            // keep History.Moves, which a reducing search needs
}

// NextTimer stands in Config.Latencies for "until the next timer is due"; as a value it prints "next timer".
const NextTimer time.Duration = -1

// Kernel runs one run. Its methods are for whoever has the floor: the task that runs, or, between runs, its owner.
type Kernel struct {
	config  Config
	decider Decider // nil: nothing is asked
	clock   clock
	history *History

	tasks   []*Task // alive, in order of creation
	born    int
	hosts   []*host
	stood   map[string]places // by actor: a name's next bearer counts on
	live    map[string]bool   // names of the world's tasks that are alive
	later   []*timer          // of late things that have not landed
	blocked []*Task           // inside the server, in order of blocking

	back    chan report
	current atomic.Pointer[Task] // who has the floor
	given   atomic.Int64         // how often it was given
	strayed atomic.Pointer[Stray]
	ended   atomic.Bool // a context of ours ended: somebody may have to be woken
	touched bool        // the server may have granted something since it was last asked

	spawned []*Task // have not been asked about their start yet
	fired   []*Task // woken by timers and not yet moved, in that order
	enabled []*Task
	at      Gate  // where the last mover arrived; Nth 0: nothing to ask
	sticky  *Task // the last mover, while it may go on
	lastID  int
	streak  int
	instant int // moves since time last moved
	ticks   int // times the clock moved to this very instant

	faults, latencies, offers []Offer
	grants                    []Offer
	standing                  []Standing
	trail                     trail
	serverSkew, until         time.Duration
	stats                     Stats
	stopped, healed, closed   bool
	failure                   error
	bootErrors                []error
}

// Stats counts what a run did.
type Stats struct{ Moves, Gates, Statements int }

// New makes a kernel with nothing in it.
func New(c Config) *Kernel {
	c.K, c.S = orDefault(c.K, 50), orDefault(c.S, 20000)
	c.Watchdog = orDefault(c.Watchdog, 30*time.Second)
	if c.Stalls == nil {
		c.Stalls = c.Latencies
	}
	k := &Kernel{config: c, decider: c.Decider, stood: map[string]places{}, live: map[string]bool{}, back: make(chan report, 2)}
	if c.Decider == Plain() {
		k.decider = nil
	}
	k.history = newHistory(k.clock.since)
	k.trail.things = map[string]*thing{}
	k.faults = []Offer{{Fault, killBefore}}
	k.faults = append(append(k.faults, pauses("stall", c.Stalls)...), pauses("suspend", c.Suspends)...)
	k.latencies, k.grants = delays(c.Latencies), delays(c.Grants)
	k.at = k.clockGate(0)
	return k
}

func pauses(verb string, durations []time.Duration) []Offer {
	var out []Offer
	for _, d := range durations {
		if d > 0 {
			out = append(out, Offer{Fault, Value{verb, Seconds(d)}})
		}
	}
	return out
}

func delays(durations []time.Duration) []Offer {
	out := make([]Offer, len(durations))
	for i, d := range durations {
		v := Value{Verb: Seconds(d)}
		if d == NextTimer {
			v = nextTimer
		}
		out[i] = Offer{Latency, v}
	}
	return out
}

func orDefault[T ~int | ~int64](v, otherwise T) T {
	if v == 0 {
		return otherwise
	}
	return v
}

// History is what happened so far.
func (k *Kernel) History() *History { return k.history }

// Stats are the counts so far.
func (k *Kernel) Stats() Stats { return k.stats }

// BootErrors are the errors that boots returned, in order. They are not hashed: their texts name what differs.
func (k *Kernel) BootErrors() []error { return k.bootErrors }

// Stop, called from a task or a world's event, makes Run return before the next move. A later Run goes on.
func (k *Kernel) Stop() { k.stopped = true }

// Run moves until virtual time `until` is over, until Stop, or until nothing is left. It answers ctx's error when ctx
// ended, *Stuck and *Livelock as findings, and what makes the run worthless otherwise (see the package).
func (k *Kernel) Run(ctx context.Context, until time.Duration) error {
	stop := k.watch()
	defer stop()
	k.stopped, k.until = false, until
	for {
		k.settle()
		if err := k.over(ctx); err != nil || k.stopped {
			return err
		}
		t := k.choose()
		if t == nil {
			more, err := k.tick(until)
			if err != nil || !more {
				return err
			}
			continue
		}
		k.move(t)
	}
}

// over says why the run can't go on.
func (k *Kernel) over(ctx context.Context) error {
	if s := k.strayed.Load(); s != nil && k.failure == nil {
		k.failure = s
	}
	if k.instant > k.config.S && k.failure == nil {
		k.failure = &Livelock{At: k.Since(), Moves: k.instant, Standing: k.where()}
	}
	if k.failure != nil {
		return k.failure
	}
	return ctx.Err()
}

// settle lets everything take effect that follows from the last move without being a move itself.
func (k *Kernel) settle() {
	for len(k.spawned) > 0 {
		t := k.spawned[0]
		k.spawned = k.spawned[1:]
		if t.state == ready {
			k.ask(t)
		}
	}
	if k.touched && len(k.blocked) > 0 && k.failure == nil {
		k.grant()
	}
	k.touched = false
	if k.ended.Swap(false) {
		k.wakeEnded()
	}
}

// tick moves time to the next timer. It answers false at the end of the run.
func (k *Kernel) tick(until time.Duration) (bool, error) {
	// A context that is not ours may have ended unseen.
	if k.wakeEnded() {
		return true, nil
	}
	next := k.clock.next()
	switch {
	case next == nil && len(k.tasks) == 0:
		return false, nil
	case next == nil:
		k.failure = &Stuck{At: k.Since(), Standing: k.where()}
		return false, k.failure
	case next.at > until:
		k.clock.now.Store(int64(max(until, k.Since())))
		k.instant, k.ticks = 0, 0
		return false, nil
	}
	if next.at > k.Since() {
		k.instant, k.ticks = 0, 0
	}
	at := max(next.at, k.Since())
	k.clock.now.Store(int64(at))
	k.at = k.clockGate(at)
	k.clock.fire(at, k.holdDeadlines())
	return true, nil
}

var deadlinesLast = []Offer{{Hold, Value{"deadlines", "last"}}}

// holdDeadlines decides, where deadlines and other things are due at one instant, whether the others come first: all
// that they set in motion then happens just before the deadlines do.
func (k *Kernel) holdDeadlines() bool {
	if k.decider == nil || !k.clock.mixed(k.at.At) {
		return false
	}
	g := k.at
	g.Offers = deadlinesLast
	return k.decide(g, Hold) != Value{}
}

// clockGate is the place at which it is asked who is first after time moved. Its label is the instant, not a count.
func (k *Kernel) clockGate(at time.Duration) Gate {
	k.ticks++
	return Gate{Address: Address{Bare("clock"), "at " + Seconds(at), k.ticks}, Kind: Tick, At: at}
}

// where tells who stands where.
func (k *Kernel) where() []string {
	out := make([]string, len(k.tasks))
	for i, t := range k.tasks {
		out[i] = t.where()
	}
	return out
}
