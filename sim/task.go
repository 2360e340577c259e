package sim

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"time"
)

type state uint8

const (
	ready    state = iota // at its gate, may be chosen
	sleeping              // until its timer fires
	waiting               // for a task, an event or a permit
	blocked               // its statement waits inside the server
	running
	ended
)

// Task is a goroutine that the kernel lets run from gate to gate.
type Task struct {
	k      *Kernel
	id     int // order of creation in the run
	actor  Actor
	text   string   // of actor
	life   *Process // nil: the world's
	places places
	chain  *thing    // where its moves meet those of its process, or of the world's tasks of its name
	own    Footprint // what its moves touch where the gate does not say
	run    func(context.Context) error
	root   context.Context // what run gets
	event  func()          // a world's event: done by the kernel, without a goroutine

	state   state
	gate    Gate            // where it stands
	ctx     context.Context // whose end lets it go on
	answer  error           // what its gate answers
	fault   Value           // what is carried out when it moves
	chosen  [len(classes)]bool
	backend Backend
	timer   timer
	joiners []*Task
	err     error // what run returned

	resume  chan struct{}
	started bool
	fired   bool          // woken by a timer and not yet moved
	latent  time.Duration // how much of its sleep at a gate is there by decision
	served  bool          // granted in the server: the backend goes on even while its process is stalled
	silent  bool          // stands at the end of a move, not at a gate
	unsent  bool          // it was decided whether its statement is sent although its context ended
	killed  bool          // its process died: gates answer ErrKilled
	hung    bool          // left behind
	answers int           // gates answered since death
}

// finalAnswers is how many gates a dead task may still reach before it is ended where it stands: code that retries
// forever on an error must not keep its corpse running.
const finalAnswers = 20

type taskKey struct{}

// TaskOf is the task whose context this is, or nil.
func TaskOf(ctx context.Context) *Task {
	t, _ := ctx.Value(taskKey{}).(*Task)
	return t
}

// Process is the life this task belongs to; nil for the world's tasks.
func (t *Task) Process() *Process { return t.life }

// Name is the name given at Spawn, with #2 and so on where another of that name was alive.
func (t *Task) Name() string { return t.actor.Task }

// Actor is who this is in addresses.
func (t *Task) Actor() Actor { return t.actor }

// SetFoot says what the moves of this task touch where their gates don't say, from its next gate on: nothing outside its
// process for a process's, all of the world for the world's until it is set. An operator who restarts the server
// touches all.
func (t *Task) SetFoot(f Footprint) { t.own = f }

// Wait waits until the task has ended and answers what it returned, or the error of ctx. Waiting for what has
// already ended is no gate.
func (t *Task) Wait(ctx context.Context) error {
	k := t.k
	me, err := k.floor(ctx)
	if err != nil {
		return err
	}
	if me.killed {
		return me.dead()
	}
	if t.state == ended {
		return t.err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	t.joiners = append(t.joiners, me)
	if err := me.stand(ctx, Gate{Address: Address{Label: "join:" + t.short()}, Kind: Wait}, waiting); err != nil {
		t.joiners = without(t.joiners, me)
		return err
	}
	return t.err
}

func (t *Task) short() string {
	if t.actor.Task == "" {
		return t.actor.Process
	}
	return t.actor.Task
}

// newTask makes a task that stands at its start. It is asked about when its maker has reached a gate.
func (k *Kernel) newTask(actor Actor, life *Process, start Gate) *Task {
	k.born++
	t := &Task{k: k, id: k.born, actor: actor, text: actor.String(), life: life, places: k.placesOf(actor)}
	if life == nil {
		t.own = worldFoot
		t.chain = k.trail.thing("task " + actor.Process)
	} else {
		t.chain = &life.host.chain
	}
	t.timer.life = life
	t.timer.due = t.wakeByTimer
	t.address(start)
	k.tasks = append(k.tasks, t)
	if life == nil {
		k.live[t.text] = true
	} else {
		life.tasks = append(life.tasks, t)
		life.live[actor.Task] = true
	}
	k.spawned = append(k.spawned, t)
	return t
}

// main is the goroutine of a task.
func (t *Task) main() {
	r := report{task: t, what: returned, err: errors.New("sim: the task ended itself by runtime.Goexit")}
	defer func() {
		if v := recover(); v != nil {
			r.panicked = &Panicked{Actor: t.actor, Value: v, Stack: string(debug.Stack())}
		}
		t.k.back <- r
	}()
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(actorLabel, t.text)))
	r.err = t.run(t.root)
}

// address makes g the gate of t.
func (t *Task) address(g Gate) {
	g.Address.Actor = t.actor
	g.Address.Label = squeeze(g.Address.Label)
	g.Address.Nth = t.places.next(g.Address.Label)
	g.At = t.k.Since()
	if g.Foot.Empty() {
		g.Foot = t.own
	}
	t.gate = g
	t.timer.life = t.life
	t.fault, t.answer, t.unsent, t.chosen = Value{}, nil, false, [len(classes)]bool{}
	t.k.stats.Gates++
}

// stand stops the running task at a gate in this state until the kernel lets it go on.
func (t *Task) stand(ctx context.Context, g Gate, s state) error {
	t.address(g)
	t.ctx, t.state, t.served = ctx, s, false
	t.hand(parked)
	if t.killed {
		return t.dead()
	}
	return t.answer
}

// hand gives the floor back and waits for it.
func (t *Task) hand(what happening) {
	t.k.back <- report{task: t, what: what}
	<-t.resume
}

// dead answers a gate after death.
func (t *Task) dead() error {
	if t.answers++; t.answers > finalAnswers {
		runtime.Goexit()
	}
	return ErrKilled
}

// foot is what the next move of t touches, as far as it is known. Whatever breaks ends a session, whose locks go with
// it; what stands at the end of a move has touched already.
func (t *Task) foot() Footprint {
	switch {
	case t.fault != (Value{}):
		return Footprint{All: true}
	case t.silent:
		return Footprint{}
	}
	return t.gate.Foot
}

// enabled says that t may be chosen. A stalled process stands still, but not its backends that were granted.
func (t *Task) enabled() bool {
	return t.state == ready && (t.life == nil || !t.life.stalled || t.served)
}

// wake lets a task that waits go on.
func (t *Task) wake(answer error) {
	t.k.clock.drop(&t.timer)
	t.state, t.answer, t.latent = ready, answer, 0
}

// wakeAll lets go on who still waits; a context that ended may have woken some before.
func wakeAll(waiters []*Task) {
	for _, t := range waiters {
		if t.state == waiting {
			t.wake(nil)
		}
	}
}

func (t *Task) wakeByTimer() {
	t.wake(nil)
	t.queue()
}

// queue remembers the order of timers.
func (t *Task) queue() {
	t.fired = true
	t.k.fired = append(t.k.fired, t)
}

func (k *Kernel) unqueue(t *Task) {
	if t.fired {
		t.fired = false
		k.fired = without(k.fired, t)
	}
}

// where says where the task stands, for Stuck and Livelock.
func (t *Task) where() string {
	at := strings.TrimPrefix(t.gate.Address.String(), t.text+" ")
	how := [...]string{"stands at", "sleeps at", "waits at", "is blocked in the server at", "runs since", "ended at"}[t.state]
	if t.state == ready && !t.enabled() {
		how = "is stalled at"
	}
	return t.text + " " + how + " " + at
}

// places counts how often an actor stood at each label.
type places map[string]int

func (p places) next(label string) int {
	p[label]++
	return p[label]
}

// without is list in its order, but for t.
func without(list []*Task, t *Task) []*Task {
	return slices.DeleteFunc(list, func(o *Task) bool { return o == t })
}

// free is the first of name, name+sep+2, name+sep+3 … that nobody alive has.
func free(live map[string]bool, name, sep string) string {
	out := name
	for n := 2; live[out]; n++ {
		out = name + sep + strconv.Itoa(n)
	}
	return out
}
