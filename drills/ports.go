package drills

import (
	"context"
	"errors"
	"fmt"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/sim/world"
)

// The engine's ports, answered by the world. Each adapter only translates: what happens and what it comes to is
// decided in sim/world.

type provider struct {
	outside *world.Provider
	terms   engine.Terms
}

func (p provider) Terms() engine.Terms { return p.terms }

func (p provider) Statement(ctx context.Context, account engine.AccountID, w engine.Window) (engine.RawStatement, error) {
	a, body := p.outside.Statement(ctx, string(account), w.ID)
	name := fmt.Sprintf("%s/%s", account, w.ID)
	switch {
	case a.Err != nil:
		return engine.RawStatement{}, a.Err
	case a.Kind == "accepted":
		return engine.RawStatement{Name: name, Body: body, Completed: a.Completed}, nil
	case a.Kind == "pending", a.Kind == "throttled": // to wait is no failure
		return engine.RawStatement{}, fmt.Errorf("statement %s: %s: %w", name, a.Code, engine.ErrPending)
	default:
		return engine.RawStatement{}, fmt.Errorf("statement %s: %s %s", name, a.Kind, a.Code)
	}
}

func (p provider) Refund(ctx context.Context, r engine.Refund) engine.Outcome {
	return outcome(p.outside.Refund(ctx, world.RefundRequest{Account: string(r.Account), PaymentRef: r.PaymentRef,
		Currency: string(r.Currency), AmountMinor: r.Amount, Key: string(r.Key)}))
}

func (p provider) LookUp(ctx context.Context, key engine.Key) (engine.Outcome, error) {
	return lookedUp(p.outside.LookUp(ctx, string(key)))
}

type channel struct {
	outside *world.Channel
	name    engine.ChannelName
	terms   engine.Terms
}

func (c channel) Name() engine.ChannelName { return c.name }
func (c channel) Terms() engine.Terms      { return c.terms }

func (c channel) Send(ctx context.Context, m engine.Message) engine.Outcome {
	return outcome(c.outside.Send(ctx, world.Message{Account: string(m.Account), Channel: string(m.Channel), Contact: string(m.Contact),
		Address: m.Address, Subject: m.Subject, Body: m.Body, Key: string(m.Key)}))
}

func (c channel) LookUp(ctx context.Context, key engine.Key) (engine.Outcome, error) {
	if !c.terms.LookUp {
		return engine.Outcome{}, engine.ErrNoLookUp
	}
	return lookedUp(c.outside.LookUp(ctx, string(key)))
}

// terms are the world's promises in the engine's type.
func terms(t world.Terms) engine.Terms {
	return engine.Terms{Keyed: t.Keyed, LookUp: t.LookUp, KeyRetention: t.KeyRetention, Settling: t.Settling, CallTimeout: t.CallTimeout}
}

// outcome translates an answer. A call that ended without one (its deadline passed, its process died) is unknown.
func outcome(a world.Answer) engine.Outcome {
	if a.Err != nil {
		return engine.Outcome{Kind: engine.Unknown, Code: code(a.Err)}
	}
	o := engine.Outcome{Ref: a.Ref, Code: a.Code, RetryAfter: a.RetryAfter}
	for _, kind := range []engine.OutcomeKind{engine.Accepted, engine.Rejected, engine.Throttled, engine.Failed, engine.Pending} {
		if kind.String() == a.Kind {
			o.Kind = kind
		}
	}
	return o
}

func code(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "timeout"
	}
	return err.Error()
}

func lookedUp(a world.Answer) (engine.Outcome, error) {
	switch {
	case a.Err != nil:
		return engine.Outcome{}, a.Err
	case a.Kind == "throttled" || a.Kind == "failed" || a.Kind == "unknown":
		return engine.Outcome{}, fmt.Errorf("look-up: %s %s", a.Kind, a.Code)
	case !a.Found:
		return engine.Outcome{}, engine.ErrAbsent
	}
	return outcome(a), nil
}
