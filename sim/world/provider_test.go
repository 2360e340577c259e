package world

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// refund is one call of the tests: 5 minor units of the first payment, under a key.
type refund struct {
	account, payment, currency, key string
	amount                          int64
}

func (s *stage) refund(key string) refund {
	p := s.w.truth.Payments[0]
	return refund{p.Account, p.Ref, p.Currency, key, 5}
}

func (r refund) address(nth int) string {
	return fmt.Sprintf("provider refund(%s,%d,%s)/%d", r.payment, r.amount, r.key, nth)
}

func (r refund) call(ctx context.Context, w *World) Answer {
	return w.Provider.Refund(ctx, RefundRequest{r.account, r.payment, r.currency, r.key, r.amount})
}

// firstPayment is the one refund uses, known before a stage exists.
func firstPayment(t *testing.T, s Setup) refund {
	p := make1(t, 7, s).truth.Payments[0]
	return refund{p.Account, p.Ref, p.Currency, "k1", 5}
}

func TestRefund_TimeoutLastsUntilTheCallersDeadline(t *testing.T) {
	for _, value := range []string{noEffect, effectNow, effectLater + " 45s"} {
		r := firstPayment(t, Setup{})
		s := newStage(t, Setup{}, at(t, r.address(1), sim.Outcome, value))
		s.process(func(ctx context.Context, p *sim.Process) {
			a := within(ctx, p, 20*time.Second, func(ctx context.Context) Answer { return r.call(ctx, s.w) })
			require.Equal(t, "unknown", a.Kind, value)
			require.ErrorIs(t, a.Err, context.DeadlineExceeded)
			require.Equal(t, 20*time.Second, p.Mono(), value)
		})
		s.run(time.Hour)
		require.Equal(t, []string{r.address(1)}, s.marks("gave up"), "the mark is the call's address")
	}
}

func TestRefund_TheThreeArmsOfATimeout(t *testing.T) {
	for value, when := range map[string]time.Duration{noEffect: -1, effectNow: 0, effectLater + " 45s": 45 * time.Second} {
		r := firstPayment(t, Setup{})
		s := newStage(t, Setup{}, at(t, r.address(1), sim.Outcome, value))
		s.process(func(ctx context.Context, p *sim.Process) {
			within(ctx, p, 20*time.Second, func(ctx context.Context) Answer { return r.call(ctx, s.w) })
		})
		s.run(time.Hour)
		refunds := s.w.Truth().Refunds
		if when < 0 {
			require.Empty(t, refunds, value)
			continue
		}
		require.Len(t, refunds, 1, value)
		require.Equal(t, DefaultEpoch.Add(when), refunds[0].At, value)
		require.Equal(t, when > 0, refunds[0].Late, value)
		require.Equal(t, []string{r.address(1)}, s.marks("effect"))
	}
}

func TestRefund_ALateEffectLandsOnceWhateverTheKeyIsAskedMeanwhile(t *testing.T) {
	for _, inFlight := range inFlightWords {
		setup := Setup{Provider: Terms{Keyed: true, LookUp: true, InFlight: inFlight}}
		r := firstPayment(t, setup)
		s := newStage(t, setup, at(t, r.address(1), sim.Outcome, effectLater+" 1m"))
		s.process(func(ctx context.Context, p *sim.Process) {
			within(ctx, p, 20*time.Second, func(ctx context.Context) Answer { return r.call(ctx, s.w) })
			require.False(t, s.w.Provider.LookUp(ctx, r.key).Found)
			again := within(ctx, p, 50*time.Second, func(ctx context.Context) Answer { return r.call(ctx, s.w) })
			if inFlight == "409" {
				require.Equal(t, "pending", again.Kind)
				require.NoError(t, p.Sleep(ctx, time.Minute))
				again = r.call(ctx, s.w)
			}
			require.Equal(t, "accepted", again.Kind, inFlight)
			found := s.w.Provider.LookUp(ctx, r.key)
			require.True(t, found.Found)
			require.Equal(t, again.Ref, found.Ref)
		})
		s.run(time.Hour)
		require.Len(t, s.w.Truth().Refunds, 1, inFlight)
	}
}

func TestRefund_AKeyIsTheSameActUntilItsRetentionIsOver(t *testing.T) {
	setup := Setup{Provider: Terms{Keyed: true, LookUp: true, KeyRetention: time.Hour}}
	s := newStage(t, setup)
	r := s.refund("k1")
	s.process(func(ctx context.Context, p *sim.Process) {
		first := r.call(ctx, s.w)
		require.NoError(t, p.Sleep(ctx, time.Hour-time.Microsecond))
		require.Equal(t, first, r.call(ctx, s.w))
		require.NoError(t, p.Sleep(ctx, time.Microsecond))
		require.NotEqual(t, first.Ref, r.call(ctx, s.w).Ref)
	})
	s.run(3 * time.Hour)
	require.Len(t, s.w.Truth().Refunds, 2)
	require.Len(t, s.w.Truth().DoubledRefunds(), 1)
}

func TestRefund_AnotherKeyForTheSamePaymentIsADouble(t *testing.T) {
	s := newStage(t, Setup{})
	s.process(func(ctx context.Context, _ *sim.Process) {
		s.refund("k1").call(ctx, s.w)
		s.refund("k2").call(ctx, s.w)
	})
	s.run(time.Hour)
	doubled := s.w.Truth().DoubledRefunds()
	require.Len(t, doubled, 1)
	require.Equal(t, "k2", doubled[0].Key)
}

func TestRefund_AKeyWithOtherParametersByTheKnob(t *testing.T) {
	for knob, want := range map[string]Answer{"error": {Kind: "rejected", Code: "idempotency_error"}, "replay": {Kind: "accepted"}} {
		s := newStage(t, Setup{Provider: Terms{Keyed: true, LookUp: true, Mismatch: knob}})
		r := s.refund("k1")
		s.process(func(ctx context.Context, _ *sim.Process) {
			r.call(ctx, s.w)
			r.amount++
			a := r.call(ctx, s.w)
			require.Equal(t, want.Kind, a.Kind, knob)
			require.Equal(t, want.Code, a.Code, knob)
		})
		s.run(time.Hour)
		require.Len(t, s.w.Truth().Refunds, 1, knob)
	}
}

func TestRefund_WhatAKeyReplaysByTheKnob(t *testing.T) {
	for _, c := range []struct{ stores, outcome, again string }{
		{"2xx", "failed", "accepted"}, {"non-validation", "failed", "failed"}, {"all", "failed", "failed"},
		{"2xx", "rejected", "accepted"}, {"non-validation", "rejected", "rejected"}, {"all", "throttled 5s", "accepted"},
	} {
		setup := Setup{Provider: Terms{Keyed: true, LookUp: true, Stores: c.stores}}
		r := firstPayment(t, setup)
		s := newStage(t, setup, at(t, r.address(1), sim.Outcome, c.outcome))
		s.process(func(ctx context.Context, _ *sim.Process) {
			first := r.call(ctx, s.w)
			require.Equal(t, strings.Fields(c.outcome)[0], first.Kind)
			require.Equal(t, c.again, r.call(ctx, s.w).Kind, "%+v", c)
		})
		s.run(time.Hour)
	}
}

func TestRefund_PendingIsTakenAndBecomesFinalByItself(t *testing.T) {
	r := firstPayment(t, Setup{})
	s := newStage(t, Setup{}, at(t, r.address(1), sim.Outcome, "pending"))
	s.process(func(ctx context.Context, p *sim.Process) {
		require.Equal(t, "pending", r.call(ctx, s.w).Kind)
		require.Equal(t, "pending", s.w.Provider.LookUp(ctx, r.key).Kind)
		require.NoError(t, p.Sleep(ctx, pendingFor))
		require.NoError(t, p.Sleep(ctx, time.Second))
		require.Equal(t, "accepted", s.w.Provider.LookUp(ctx, r.key).Kind)
		require.Equal(t, "accepted", r.call(ctx, s.w).Kind)
	})
	s.run(time.Hour)
	require.Len(t, s.w.Truth().Refunds, 1)
}

func TestRefund_WhatCanNeverBeDoneIsRejected(t *testing.T) {
	s := newStage(t, Setup{})
	p := s.w.truth.Payments[0]
	s.process(func(ctx context.Context, _ *sim.Process) {
		for code, r := range map[string]refund{
			"charge_not_found":  {p.Account, "ch_none", p.Currency, "", 5},
			"currency_mismatch": {p.Account, p.Ref, "XXX", "", 5},
			"amount_invalid":    {p.Account, p.Ref, p.Currency, "", p.AmountMinor + 1},
		} {
			a := r.call(ctx, s.w)
			require.Equal(t, "rejected", a.Kind, code)
			require.Equal(t, code, a.Code)
		}
	})
	s.run(time.Hour)
	require.Empty(t, s.w.Truth().Refunds)
}

func TestRefund_ShowsInALaterStatementOfItsAccount(t *testing.T) {
	s := newStage(t, Setup{})
	r := s.refund("k1")
	s.process(func(ctx context.Context, p *sim.Process) {
		before, settled := s.w.Provider.Statement(ctx, r.account, "2026-03-01")
		require.Equal(t, "accepted", before.Kind)
		ref := r.call(ctx, s.w).Ref
		require.NoError(t, p.Sleep(ctx, 60*time.Hour))
		_, same := s.w.Provider.Statement(ctx, r.account, "2026-03-01")
		require.Equal(t, settled, same, "a settled statement changed")
		a, body := s.w.Provider.Statement(ctx, r.account, s.w.windowAt(r.account, DefaultEpoch).ID)
		require.True(t, a.Completed)
		require.Contains(t, string(body), ref)
	})
	s.run(100 * time.Hour)
}

func TestStatement_IsPendingUntilItsLagIsOver(t *testing.T) {
	s := newStage(t, Setup{})
	acc := s.w.Accounts[0]
	s.process(func(ctx context.Context, p *sim.Process) {
		a, body := s.w.Provider.Statement(ctx, acc.ID, "2026-03-02")
		require.Equal(t, "pending", a.Kind)
		require.Nil(t, body)
		w, err := s.w.Provider.window(acc.ID, "2026-03-02")
		require.NoError(t, err)
		require.NoError(t, p.Sleep(ctx, w.DueAt.Sub(DefaultEpoch)))
		a, body = s.w.Provider.Statement(ctx, acc.ID, "2026-03-02")
		require.Equal(t, "accepted", a.Kind)
		require.True(t, a.Completed, "an empty one needs the provider's word")
		require.Equal(t, strings.Join(csvHeader, ",")+"\n", string(body))
	})
	s.run(100 * time.Hour)
}

func TestStatement_OutcomesDoNotChangeTheNextReading(t *testing.T) {
	address := "provider statement(acct_1,2026-03-01)/1"
	for _, outcome := range []string{"unavailable", "pending", "truncated"} {
		s := newStage(t, Setup{}, at(t, address, sim.Outcome, outcome))
		s.process(func(ctx context.Context, p *sim.Process) {
			require.NoError(t, p.Sleep(ctx, time.Hour))
			a, cut := s.w.Provider.Statement(ctx, "acct_1", "2026-03-01")
			require.False(t, a.Completed)
			_, whole := s.w.Provider.Statement(ctx, "acct_1", "2026-03-01")
			require.NotEmpty(t, whole)
			if outcome == "truncated" {
				require.Equal(t, strings.Count(string(whole), "\n")-1, strings.Count(string(cut), "\n"))
				return
			}
			require.Contains(t, a.Kind+" "+a.Code, outcome)
			require.Nil(t, cut)
		})
		s.run(2 * time.Hour)
	}
}

func TestCall_OfAProcessThatDiesBeforeItHasNoEffect(t *testing.T) {
	for value, effects := range map[string]int{"kill before": 0, "kill after": 1} {
		r := firstPayment(t, Setup{})
		s := newStage(t, Setup{}, at(t, "caller#0/main call:"+r.address(1), sim.Fault, value))
		var a Answer
		s.process(func(ctx context.Context, _ *sim.Process) { a = r.call(ctx, s.w) })
		s.run(time.Hour)
		require.ErrorIs(t, a.Err, sim.ErrKilled, value)
		require.Len(t, s.w.Truth().Refunds, effects, value)
	}
}

func TestTruth_ListsEveryCallWithItsCaller(t *testing.T) {
	s := newStage(t, Setup{})
	r := s.refund("k1")
	s.process(func(ctx context.Context, _ *sim.Process) {
		r.call(ctx, s.w)
		r.call(ctx, s.w)
		s.w.Provider.LookUp(ctx, "k1")
	})
	s.run(time.Hour)
	calls := s.w.Truth().Calls
	require.Len(t, calls, 3)
	require.Equal(t, "caller#0/main", calls[0].Caller.String())
	require.Equal(t, []bool{true, false, false}, []bool{calls[0].Effect, calls[1].Effect, calls[2].Effect})
	require.Equal(t, "look-up", calls[2].What)
}

func TestStatement_WhateverIsWrongWithItItDoesNotSayItIsWhole(t *testing.T) {
	w := make1(t, 7, Setup{})
	acc := w.Accounts[0]
	window := acc.Windows[len(acc.Windows)-1]
	whole := string(w.Provider.statement(acc.ID, window))
	label := fmt.Sprintf("provider statement(%s,%s)/1", acc.ID, window.ID)
	for decided, want := range map[string]string{
		"truncated": "accepted", "empty": "accepted", "page shift": "accepted", "unavailable": "failed", "pending": "pending", throttled: "throttled",
		throttled + " 120s": "throttled", outage + " 300s": "failed", poison: "failed", noEffect: "unknown",
	} {
		s := newStage(t, Setup{}, at(t, label, sim.Outcome, decided))
		s.process(func(ctx context.Context, p *sim.Process) {
			require.NoError(t, p.Sleep(ctx, 12*time.Hour)) // it is settled by then
			var body []byte
			a := within(ctx, p, 20*time.Second, func(ctx context.Context) (a Answer) {
				a, body = s.w.Provider.Statement(ctx, acc.ID, window.ID)
				return a
			})
			require.Equal(t, want, a.Kind, decided)
			require.False(t, a.Completed, decided)
			require.NotEqual(t, whole, string(body), decided)
			require.Equal(t, want == "accepted", body != nil, decided)
		})
		s.run(13 * time.Hour)
		require.Len(t, s.k.History().Used, 1, decided)
		require.Equal(t, decided == "page shift", len(s.marks("shifted")) == 1)
	}
}

func TestLookUp_MayGoWithoutAnAnswer(t *testing.T) {
	for decided, want := range map[string]string{noEffect: "unknown", throttled: "throttled", "unavailable": "failed", outage + " 300s": "failed"} {
		s := newStage(t, Setup{}, at(t, "provider look-up(k1)/1", sim.Outcome, decided))
		s.process(func(ctx context.Context, p *sim.Process) {
			a := within(ctx, p, 20*time.Second, func(ctx context.Context) Answer { return s.w.Provider.LookUp(ctx, "k1") })
			require.Equal(t, want, a.Kind, decided)
			require.False(t, a.Found, decided)
			require.NotEqual(t, "absent", a.Code, "silence is no answer")
		})
		s.run(time.Hour)
	}
}

func TestCalls_TouchWhatTheyNameAndNothingElseOfTheWorld(t *testing.T) {
	s := newStage(t, Setup{})
	email := s.w.Channel("email")
	one, other := email.foot("contact con_1", keyed("k1")), email.foot("contact con_2", keyed("k2"))
	require.False(t, one.Meets(other), "two contacts")
	require.True(t, one.Meets(email.foot("contact con_2", keyed("k1"))), "one key")
	require.False(t, one.Meets(s.w.Channel("sms").foot("contact con_1", keyed("k1"))), "two services")
	require.True(t, one.Meets(sim.Footprint{Writes: []string{"world"}}), "what the world does by itself")
}
