package node

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// Node is one process of the engine.
type Node struct {
	rt     engine.Runtime
	db     *postgres.DB
	config Config
	parts  []part
	drain  engine.Event

	mu       sync.Mutex // never held over a wait
	draining bool
}

// New checks the configuration and makes the process's parts; nothing runs yet. The database is opened, and closed, by
// the caller.
func New(rt engine.Runtime, db *postgres.DB, ports Ports, c Config) (*Node, error) {
	c, err := c.Checked(db.Options())
	if err != nil {
		return nil, err
	}
	n := &Node{rt: rt, db: db, config: c, drain: rt.Event("drain")}
	return n, n.build(ports)
}

// Drain asks the process to end: what is only leased is handed back, what is submitting is finished, the process is
// deregistered, and Run returns nil. It may be called at any time and from anywhere.
func (n *Node) Drain() {
	n.mu.Lock()
	n.draining = true
	n.mu.Unlock()
	n.drain.Set()
}

func (n *Node) isDraining() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.draining
}

// Run runs the parts until Drain, or until ctx is over and then returns its error; whatever it started has ended when
// it returns. It also returns when somebody else deregistered this process.
func (n *Node) Run(ctx context.Context) error {
	for {
		silent, err := n.life(ctx)
		switch {
		case errors.Is(err, postgres.ErrDeregistered):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case !silent || n.isDraining():
			return n.deregister(ctx)
		}
		if err := n.heardAgain(ctx); err != nil {
			return err
		}
	}
}

// life runs the parts once, until they end by a drain, or are stopped because the process is not heard any more.
func (n *Node) life(ctx context.Context) (silent bool, err error) {
	work, abort := n.rt.WithCancel(ctx)
	defer abort()
	beside, endBeside := n.rt.WithCancel(ctx)
	defer endBeside()
	heart := n.rt.Spawn(beside, "heartbeat", func(ctx context.Context) error {
		err := n.beat(ctx)
		if err != nil {
			abort()
		}
		return err
	})
	upkeep := n.rt.Spawn(beside, "maintenance", n.maintain)
	tasks := make([]engine.Task, len(n.parts))
	for i, p := range n.parts {
		tasks[i] = n.rt.Spawn(work, string(p.name), func(ctx context.Context) error { return p.run(ctx, n.drain) })
	}
	// Waited for whatever happens: nothing of this life may be in flight when the next one claims.
	ended := context.WithoutCancel(ctx)
	for i, task := range tasks {
		if err := task.Wait(ended); err != nil && work.Err() == nil {
			n.config.Note(n.parts[i].name, "", err)
		}
	}
	endBeside()
	_ = upkeep.Wait(ended)
	err = heart.Wait(ended)
	return errors.Is(err, errSilent), err
}

// deregister says goodbye, for a bounded time; who is not heard is dead soon anyway.
func (n *Node) deregister(ctx context.Context) error {
	ctx, cancel := n.rt.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := n.db.Deregister(ctx); err != nil {
		n.config.Note("heartbeat", "", err)
	}
	return nil
}
