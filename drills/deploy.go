package drills

import (
	"context"
	"strings"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/node"
	"github.com/recondrill/recondrill/sim"
)

// drainMax is how long a node that was told to go may still take before it is killed.
const drainMax = 4 * time.Minute

// successor is behind the name of who replaces a node. To the engine both are called alike, as units and pods of one host
// are, and for a while both are up.
const successor = ".next"

func hostOf(process string) string { return strings.TrimSuffix(process, successor) }

// leaving is a node as its supervisor sees it.
type leaving struct {
	gone    bool         // its successor runs: it is not started again
	running *node.Node   // of its present life
	doomed  engine.Event // set: it is killed
}

// deploys replaces nodes one by one, as it is decided.
func (f *fleet) deploys() {
	f.instants("deploy", func(ctx context.Context) error {
		for _, n := range f.drill.Nodes {
			f.replace(n, "drain")
		}
		return nil
	})
}

// replace asks whether a node is replaced now: the successor starts at once, and the node hears so much later that it is to
// go.
func (f *fleet) replace(n Node, when string) {
	l := f.leaving(n.Name)
	if l.gone || f.healed || strings.HasSuffix(n.Name, successor) {
		return
	}
	v := f.kernel.Tick(n.Name, when, []sim.Value{{Verb: "drain", Arg: "1s"}, {Verb: "drain", Arg: sim.Seconds(lease)},
		{Verb: "drain", Arg: sim.Seconds(3 * lease)}})
	if v == (sim.Value{}) {
		return
	}
	slow := v.Duration()
	l.gone = true
	f.mark(n.Name, "draining", "")
	f.node(Node{Name: n.Name + successor, Parts: n.Parts})
	f.kernel.After(n.Name, slow, "told to go", func(time.Time) {
		if l.running != nil {
			l.running.Drain()
		}
	})
	f.kernel.After(n.Name, slow+drainMax, "drained too long", func(time.Time) {
		if l.doomed != nil {
			l.doomed.Set()
		}
	})
}

// busy is a channel that asks, at each message, whether its node is replaced just now: then it has the rest of what it
// claimed in hand.
type busy struct {
	engine.Channel
	ask func()
}

func (b busy) Send(ctx context.Context, m engine.Message) engine.Outcome {
	b.ask()
	return b.Channel.Send(ctx, m)
}

func (f *fleet) leaving(name string) *leaving {
	if f.nodes[name] == nil {
		f.nodes[name] = &leaving{}
	}
	return f.nodes[name]
}

// deployed runs a node that may be told to go. Who died while it was going does not come back.
func (f *fleet) deployed(ctx context.Context, p *sim.Process, running *node.Node) error {
	l := f.leaving(p.Name())
	if l.gone {
		return nil
	}
	l.running, l.doomed = running, p.Event("doomed")
	p.Spawn(ctx, "supervisor", func(ctx context.Context) error {
		if err := l.doomed.Wait(ctx); err != nil {
			return err
		}
		return f.kernel.Die(ctx, "did not drain in time")
	})
	err := running.Run(ctx)
	if l.gone && err == nil {
		f.mark(p.Name(), "drained", "")
	}
	return err
}
