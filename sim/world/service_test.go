package world

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/recondrill/recondrill/sim"
)

// Whatever a keyed service answers to calls of one key within its retention, and however it is set up: at most one
// effect, and a caller that was told "accepted" was told the truth.
func TestKeyedService_OneKeyIsAtMostOneEffect(t *testing.T) {
	payment := make1(t, 7, Setup{}).truth.Payments[0]
	rapid.Check(t, func(t *rapid.T) {
		terms := Terms{Keyed: true, LookUp: true, Stores: rapid.SampledFrom(storesWords).Draw(t, "stores"),
			InFlight: rapid.SampledFrom(inFlightWords).Draw(t, "in flight"), Mismatch: rapid.SampledFrom(mismatchWords).Draw(t, "mismatch")}
		r := refund{payment.Account, payment.Ref, payment.Currency, "k", 5}
		var script sim.Script
		var pauses []time.Duration
		offers := outcomes(terms.withDefaults())
		for nth := range rapid.IntRange(1, 6).Draw(t, "calls") {
			a, err := sim.ParseAddress(r.address(nth + 1))
			if err != nil {
				t.Fatal(err)
			}
			script.Deviations = append(script.Deviations, sim.Deviation{At: a, Class: sim.Outcome, Value: rapid.SampledFrom(offers).Draw(t, "outcome")})
			pauses = append(pauses, rapid.SampledFrom([]time.Duration{time.Second, time.Minute, 20 * time.Minute}).Draw(t, "pause"))
		}
		k := sim.New(sim.Config{Epoch: DefaultEpoch, Decider: sim.Recorded(script)})
		defer k.Close()
		w, err := New(k, 7, Setup{Provider: terms})
		if err != nil {
			t.Fatal(err)
		}
		told := ""
		k.Process("caller", -1, func(ctx context.Context, p *sim.Process) error {
			for _, pause := range pauses {
				if a := within(ctx, p, 20*time.Second, func(ctx context.Context) Answer { return r.call(ctx, w) }); a.Kind == "accepted" {
					told = a.Ref
				}
				if err := p.Sleep(ctx, pause); err != nil {
					return err
				}
			}
			return nil
		})
		if err := k.Run(context.Background(), 20*time.Hour); err != nil {
			t.Fatal(err)
		}
		effects := w.Truth().Refunds
		if len(effects) > 1 || told != "" && (len(effects) == 0 || effects[0].Ref != told) {
			t.Fatalf("%d effects, told %q", len(effects), told)
		}
	})
}
