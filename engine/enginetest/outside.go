package enginetest

import (
	"context"
	"time"

	"github.com/recondrill/recondrill/engine"
)

// Outside is a channel and a provider that answers as it is told and keeps its own truth of what it was asked to do.
type Outside struct {
	Called  engine.ChannelName
	Promise engine.Terms
	Answers []engine.Outcome // of acting calls, in order; then accepted
	Before  func()           // runs inside an acting call
	Look    func(engine.Key) (engine.Outcome, error)
	Sent    []engine.Message
	Refunds []engine.Refund
	Asked   []engine.Key
}

// NewOutside is a keyed one that can be asked, with a name as a channel.
func NewOutside(name string) *Outside {
	return &Outside{Called: engine.ChannelName(name), Promise: engine.Terms{Keyed: true, LookUp: true,
		KeyRetention: 24 * time.Hour, Settling: 10 * time.Minute, CallTimeout: 30 * time.Second}}
}

// Name of the channel.
func (o *Outside) Name() engine.ChannelName { return o.Called }

// Terms it promises.
func (o *Outside) Terms() engine.Terms { return o.Promise }

// Send keeps the message and answers.
func (o *Outside) Send(_ context.Context, m engine.Message) engine.Outcome {
	o.Sent = append(o.Sent, m)
	return o.answer("m-")
}

// Refund keeps the refund and answers.
func (o *Outside) Refund(_ context.Context, r engine.Refund) engine.Outcome {
	o.Refunds = append(o.Refunds, r)
	return o.answer("re_")
}

func (o *Outside) answer(prefix string) engine.Outcome {
	if o.Before != nil {
		o.Before()
	}
	if len(o.Answers) == 0 {
		return engine.Outcome{Kind: engine.Accepted, Ref: prefix + "1"}
	}
	next := o.Answers[0]
	o.Answers = o.Answers[1:]
	return next
}

// LookUp answers Look, by default that the key is absent.
func (o *Outside) LookUp(_ context.Context, k engine.Key) (engine.Outcome, error) {
	o.Asked = append(o.Asked, k)
	if o.Look == nil {
		return engine.Outcome{}, engine.ErrAbsent
	}
	return o.Look(k)
}

// Statement is never ready.
func (o *Outside) Statement(context.Context, engine.AccountID, engine.Window) (engine.RawStatement, error) {
	return engine.RawStatement{}, engine.ErrPending
}
