package drills

import (
	"context"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim/world"
)

// canary plants a bug that must be found: where a channel gives no answer in time, the message is sent again at
// once under another key. It stands in a decorator around the port; the engine knows nothing of it.
func canary() Drill {
	return Drill{
		Name:   "canary",
		Claim:  "a planted double send is found: an all-green report of a blind harness would be worth nothing",
		Canary: true,
		World:  world.Setup{Plant: []string{world.PlantNone}},
		Nodes:  []Node{{"admit-1", []string{"admission"}}, worker("worker-1")},
		Faults: faults.Plan{
			Rules: []faults.Rule{{Kind: "channel-timeout-after", Per10k: 4000}, {Kind: "crash", Per10k: 40, Where: "worker-* *"}},
			Most:  3,
		},
		Lasts:    25 * time.Minute,
		channels: func(c engine.Channel) engine.Channel { return impatient{c} },
	}
}

// impatient takes doubt for failure.
type impatient struct{ engine.Channel }

func (i impatient) Send(ctx context.Context, m engine.Message) engine.Outcome {
	o := i.Channel.Send(ctx, m)
	if o.Kind != engine.Unknown {
		return o
	}
	m.Key += "/again"
	return i.Channel.Send(context.WithoutCancel(ctx), m)
}
