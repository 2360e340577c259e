package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// host is a place where one process runs, life after life.
type host struct {
	name         string
	restartAfter time.Duration
	boot         func(ctx context.Context, p *Process) error
	skew         time.Duration
	drift        int64    // of the monotonic clock, in millionths
	chain        thing    // where all moves of all its lives meet
	life         *Process // the present one, or the last
	restart      timer
}

// Process is one life of a process: the engine's Runtime. All its times are virtual. A new life is another Process.
type Process struct {
	k     *Kernel
	host  *host
	life  int
	main  *Task
	tasks []*Task // alive, in order of creation
	live  map[string]bool
	ids   uint64

	mono time.Duration // at mark
	mark time.Duration // since when mono runs on; in the future while the process is suspended

	dead    bool
	stalled bool
	until   time.Duration
	wake    timer
	late    []*timer // came due while stalled

	mu       sync.Mutex // a driver may close connections from goroutines of its own
	sessions []Session
}

// Process makes a process whose task "main" runs boot, in its first life now and again restartAfter after each time it
// was killed (never, where restartAfter is negative). When boot returns, the process ends and does not come back; an
// error it returns is found in BootErrors. It answers the first life. Names are unique.
func (k *Kernel) Process(name string, restartAfter time.Duration, boot func(ctx context.Context, p *Process) error) *Process {
	if name == "" || strings.ContainsAny(name, "#/ \t\r\n") {
		panic(fmt.Sprintf("sim: process name %q: want a word without #, / and spaces", name))
	}
	if slices.ContainsFunc(k.hosts, func(h *host) bool { return h.name == name }) {
		panic(fmt.Sprintf("sim: a second process named %q", name))
	}
	h := &host{name: name, restartAfter: restartAfter, boot: boot}
	h.restart.due = func() {
		p := h.begin(k, h.life.life+1)
		k.history.add(Entry{Actor: p.Actor(), What: "restarted"})
		p.main.queue()
	}
	k.hosts = append(k.hosts, h)
	return h.begin(k, 0)
}

func (h *host) begin(k *Kernel, life int) *Process {
	p := &Process{k: k, host: h, life: life, mark: k.Since(), live: map[string]bool{}}
	p.wake.life, p.wake.due = p, p.resume
	h.life = p
	p.main = p.spawn(context.Background(), "main", func(ctx context.Context) error { return h.boot(ctx, p) })
	return p
}

// Name is the process's name, the same in each life.
func (p *Process) Name() string { return p.host.name }

// Life counts from 0.
func (p *Process) Life() int { return p.life }

// Actor is the process itself in the history: worker-1#0.
func (p *Process) Actor() Actor { return Actor{Process: p.host.name, Life: p.life} }

// Kernel is the run this process belongs to.
func (p *Process) Kernel() *Kernel { return p.k }

// Sleep waits for d, or until ctx is over and then answers its error. Not above zero it lets others go first.
func (p *Process) Sleep(ctx context.Context, d time.Duration) error { return p.k.sleep(ctx, d) }

// Waiter is what Spawn answers. It, Flag and Semaphore are spelled as in the engine's Runtime, so that a Process is
// one without either knowing the other.
type Waiter = interface {
	Wait(context.Context) error
}

// Spawn starts a task of this process. It stands at its start until it is chosen. Where a task of that name is alive
// it is named name#2 and so on.
func (p *Process) Spawn(ctx context.Context, name string, run func(context.Context) error) Waiter {
	me, err := p.k.floor(ctx)
	if err != nil || me.killed || p.dead {
		if err == nil {
			err = ErrKilled
		}
		if me != nil && me.killed {
			err = me.dead()
		}
		return &Task{k: p.k, state: ended, err: err}
	}
	return p.spawn(ctx, name, run)
}

func (p *Process) spawn(ctx context.Context, name string, run func(context.Context) error) *Task {
	name = strings.Join(strings.Fields(name), "_")
	if name == "" {
		name = "task"
	}
	name = free(p.live, name, "#")
	actor := Actor{Process: p.host.name, Life: p.life, Task: name}
	t := p.k.newTask(actor, p, Gate{Address: Address{Label: "start"}, Kind: Start})
	t.run, t.root = run, context.WithValue(ctx, taskKey{}, t)
	return t
}

// Session is the client end of a connection to the server.
type Session interface {
	// Abandon is called by the kernel when the process died: the client end vanishes. It must not reach a gate.
	Abandon()
}

// Attach makes a session one of this process's. Abandon is called in order of Attach.
func (p *Process) Attach(s Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions = append(p.sessions, s)
}

// Detach takes back an Attach: the session was closed in an orderly way.
func (p *Process) Detach(s Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions = slices.DeleteFunc(p.sessions, func(o Session) bool { return o == s })
}

// attached takes all sessions out.
func (p *Process) attached() []Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.sessions
	p.sessions = nil
	return out
}
