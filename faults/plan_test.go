package faults

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/recondrill/recondrill/sim"
)

func drawPlan(t *rapid.T) Plan {
	number := rapid.IntRange(0, perMost)
	glob := rapid.StringMatching(`(|\*|worker-[12*]#0/[a-z*]{1,6} sql:[A-Z*][a-zA-Z]{0,8})`)
	rule := rapid.Custom(func(t *rapid.T) Rule {
		return Rule{Kind: rapid.SampledFrom(Kinds()).Draw(t, "kind").Name(), Per10k: number.Draw(t, "per10k"),
			Only: rapid.SampledFrom([]string{"", "*", "kill before", "stall *"}).Draw(t, "only"), Where: glob.Draw(t, "where"),
			First: rapid.IntRange(0, 9).Draw(t, "first")}
	})
	return Plan{Rules: rapid.SliceOfN(rule, 0, 5).Draw(t, "rules"), Switch: number.Draw(t, "switch"), Latency: number.Draw(t, "latency"),
		Hold: number.Draw(t, "hold"), Most: number.Draw(t, "most")}
}

func TestPlan_ReadsBackWhatItPrints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		back, err := ParsePlan(p.String())
		if err != nil || back.String() != p.String() || p.Check() != nil {
			t.Fatalf("%q read back as %q: %v", p, back, err)
		}
	})
}

func TestParsePlan_SaysWhatItDoesNotUnderstand(t *testing.T) {
	for text, want := range map[string]string{
		"theft 40":            `fault kind "theft"`,
		"crash":               "not a rule",
		"crash many":          `"many" is not a number`,
		"crash 20000":         "not a number from 0 to 10000",
		"crash 40 last 3":     "not a rule",
		"switch -1":           "not a number",
		"most":                "not a rule",
		"crash 040":           "not a number",
		"crash 4 first x":     "not a number",
		"crash 40; stall one": "not a number",
	} {
		_, err := ParsePlan(text)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "accepted")
	}
}

func TestPlanCheck_RefusesAGlobThatReadsLikeAnotherPart(t *testing.T) {
	require.Error(t, Plan{Rules: []Rule{{Kind: "crash", Only: "x at y"}}}.Check())
	require.Error(t, Plan{Rules: []Rule{{Kind: "crash", Where: "a;b"}}}.Check())
	require.Error(t, Plan{Rules: []Rule{{Kind: "theft"}}}.Check())
}

// everything is a gate at which everything is offered.
func everything(actor sim.Actor, label string, nth int) sim.Gate {
	g := sim.Gate{Address: sim.Address{Actor: actor, Label: label, Nth: nth}}
	for _, of := range []struct {
		class  sim.Class
		values []string
	}{
		{sim.Fault, []string{"kill before", "kill after", "cut before", "cut after", "cut waiting", "terminated before", "terminated after",
			"late statement", "commit late 5s", "answer late 45s", "stall 45s", "stall 120s", "suspend 120s",
			"duplicate 40s", "early 1s", "late 300s", "missing", "gap missed", "gap late 3600s", "repeat 3600s",
			"skew 90s", "skew -90s", "wall step 90s", "wall step -90s", "drift 50000ppm", "drift -50000ppm", "database step 90s", "database step -90s",
			"drain 90s", "version previous", "restart", "read-only 300s", "failover 60s", "restore 1800s",
			"callback late 300s", "callback doubled 90s", "callback reordered 300s", "callback early", "ack late 90s", "bounced", "callback nameless 90s",
			"redrive twice", "redrive everything", "approve stale", "pause forgotten"}},
		{sim.Latency, []string{"45s", "120s", "next timer"}},
		{sim.Hold, []string{"sync", "bind"}},
		{sim.Outcome, []string{"timeout, no effect", "timeout, effect now", "timeout, effect later 45s", "answer lost", "throttled 5s", "throttled",
			"pending", "rejected", "failed", "unavailable", "truncated", "empty", "page shift", "other answer", "key forgotten", "contact invalid",
			"outage 600s", "poison", "completes anyway", "not sent"}},
	} {
		for _, text := range of.values {
			v, _ := sim.ParseValue(text) // literals
			g.Offers = append(g.Offers, sim.Offer{Class: of.class, Value: v})
		}
	}
	return g
}

// places are where kinds look at the address.
var places = []sim.Gate{
	everything(sim.Actor{Process: "worker-1", Task: "reconcile"}, "sql:FinishJob", 1),
	everything(sim.Actor{Process: "worker-1", Task: "reconcile"}, "sync sql:FinishJob", 1),
	everything(sim.Bare("provider"), "refund(p1,2100,k1)", 1),
	everything(sim.Bare("email"), "send(con_1,k1)", 1),
	everything(sim.Bare("cron-1"), "tick 2026-03-02T02:00:00Z", 1),
	everything(sim.Bare("worker-1"), SkewLabel, 1),
	everything(sim.Actor{Process: "worker-1", Task: "reconcile"}, "sql:commit", 1),
	everything(sim.Actor{Process: "worker-1", Task: "reconcile"}, "deadline", 1),
	everything(sim.Actor{Process: "worker-1"}, "noticed", 1),
	everything(sim.Bare("email"), "callback send(con_1,k1)/1", 1),
}

func TestKinds_DrawOnlyWhatIsOfferedAndWhatTheyCheck(t *testing.T) {
	names := map[string]bool{}
	for _, k := range Kinds() {
		require.False(t, names[k.Name()], k.Name())
		names[k.Name()] = true
		drawn := 0
		for _, g := range places {
			for _, v := range k.Draw(g) {
				drawn++
				require.NoError(t, k.Check(v))
				require.True(t, slices.ContainsFunc(g.Offers, func(o sim.Offer) bool { return o.Value == v }))
			}
			require.Empty(t, k.Draw(sim.Gate{Address: g.Address}), "nothing is offered")
		}
		if _, undecided := k.(fact); undecided {
			require.Zero(t, drawn)
			continue
		}
		require.Positive(t, drawn, k.Name())
	}
}

func TestKinds_CheckAcceptsNothingElse(t *testing.T) {
	for _, k := range Kinds() {
		own := map[string]bool{}
		for _, g := range places {
			for _, v := range k.Draw(g) {
				own[v.String()] = true
			}
		}
		for _, o := range places[0].Offers {
			require.Equal(t, own[o.Value.String()], k.Check(o.Value) == nil, "%s %s", k.Name(), o.Value)
		}
		for _, text := range []string{"", "explode", "stall", "stall 2m", "stall -5s", "duplicate", "kill", "timeout,", "throttled x", "commit late",
			"drift 0ppm", "drift 5", "drift -1000000ppm", "drift 050ppm", "wall 90s", "wall step 0s", "database step", "repeat", "poison 5s"} {
			v, err := sim.ParseValue(text)
			require.NoError(t, err)
			require.Error(t, k.Check(v), "%s %q", k.Name(), text)
		}
	}
}

func TestWeigh_SharesARuleAmongWhatItsKindDrawsHere(t *testing.T) {
	p, err := ParsePlan("crash 41 first 2 at worker-*/* sql:Finish*; stall 10 only stall 1*; latency 9")
	require.NoError(t, err)
	weigh := p.Weigh(Durations{})
	g := places[0]
	require.Equal(t, []sim.Weighted{{Value: sim.Value{Verb: "kill", Arg: "before"}, Per10k: 21}, {Value: sim.Value{Verb: "kill", Arg: "after"}, Per10k: 20},
		{Value: sim.Value{Verb: "stall", Arg: "120s"}, Per10k: 10}}, weigh(g, sim.Fault))
	require.Empty(t, weigh(g, sim.Outcome))
	require.Len(t, weigh(g, sim.Latency), 3)
	g.Address.Nth = 3
	require.Len(t, weigh(g, sim.Fault), 1, "only the first two times")
	g.Address.Nth, g.Address.Label = 1, "sql:ClaimJobs"
	require.Len(t, weigh(g, sim.Fault), 1, "only at Finish")
}

func TestWeigh_OrdersAreSharedOutAtEveryPlaceOfTheirClass(t *testing.T) {
	weigh := Plan{Switch: 30, Latency: 20, Hold: 10}.Weigh(Durations{})
	offer := func(c sim.Class, label string, values ...string) []sim.Weighted {
		g := sim.Gate{Address: sim.Address{Actor: sim.Actor{Process: "worker-1", Task: "reconcile"}, Label: label, Nth: 1}}
		for _, v := range values {
			g.Offers = append(g.Offers, sim.Offer{Class: c, Value: sim.Value{Verb: v}})
		}
		return weigh(g, c)
	}
	require.Equal(t, []sim.Weighted{{Value: sim.Value{Verb: "sync"}, Per10k: 5}, {Value: sim.Value{Verb: "bind"}, Per10k: 5}}, offer(sim.Hold, "sql:ClaimJobs", "sync", "bind"))
	require.Equal(t, []sim.Weighted{{Value: sim.Value{Verb: "worker-2"}, Per10k: 30}}, offer(sim.Then, "sql:ClaimJobs", "worker-2"))
	require.Equal(t, []sim.Weighted{{Value: sim.Value{Verb: "45s"}, Per10k: 20}}, offer(sim.Latency, "sql:ClaimJobs", "45s"))
	require.Empty(t, offer(sim.Latency, noticed, "45s"), "how long the server does not notice a death is no delay of a task")
	require.Empty(t, offer(sim.Fault, "sql:ClaimJobs", "kill before"))
}

func TestWeigh_ExpiredLeaseTakesOnlyWhatOutlivesTheLease(t *testing.T) {
	weigh := Plan{Rules: []Rule{{Kind: "expired-lease", Per10k: 100}}}.Weigh(Durations{Lease: 90 * time.Second})
	require.Equal(t, []sim.Weighted{{Value: sim.Value{Verb: "stall", Arg: "120s"}, Per10k: 100}}, weigh(places[0], sim.Fault))
	require.Equal(t, []sim.Weighted{{Value: sim.Value{Verb: "120s"}, Per10k: 100}}, weigh(places[0], sim.Latency))
}

func TestPlan_ExpectsEachKindOnceAlsoThoseSetUpByTheDrill(t *testing.T) {
	p := Plan{Rules: []Rule{{Kind: "stall", Per10k: 5}, {Kind: "letters-full"}, {Kind: "stall", Per10k: 9}}}
	require.Equal(t, []string{"letters-full", "stall"}, p.Expected())
}

func TestGlob_AStarIsAnyText(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{{"*", "", true}, {"a*c", "abbc", true}, {"a*c", "abcd", false}, {"worker-*/* sql:*Job", "worker-1#0/reconcile sql:FinishJob", true},
		{"*x*x", "axbx", true}, {"", "a", false}, {"ab", "ab", true}, {"**", "a", true}} {
		require.Equal(t, c.want, glob(c.pattern, c.text), "%s %s", c.pattern, c.text)
	}
}

func TestDoc_NamesEveryKind(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	words := strings.Fields(string(doc))
	for _, k := range Kinds() {
		require.Contains(t, words, k.Name())
	}
}

// drawValue spells a value of a form as whoever offers it does.
func drawValue(t *rapid.T, f form) sim.Value {
	words := strings.Fields(f.words)
	switch f.measure {
	case positive:
		words = append(words, sim.Seconds(time.Duration(rapid.Int64Range(1, 1e13).Draw(t, "us"))*time.Microsecond))
	case signed:
		words = append(words, sim.Seconds(time.Duration(rapid.Int64Range(1, 1e13).Draw(t, "us")*rapid.SampledFrom([]int64{-1, 1}).Draw(t, "sign"))*time.Microsecond))
	case rate:
		words = append(words, strconv.Itoa(rapid.IntRange(1, 999_999).Draw(t, "rate")*rapid.SampledFrom([]int{-1, 1}).Draw(t, "sign"))+ppm)
	}
	v, err := sim.ParseValue(strings.Join(words, " "))
	require.NoError(t, err)
	return v
}

func TestKinds_ReadBackWhatTheyPrint(t *testing.T) {
	for _, k := range Kinds() {
		var forms []form
		switch k := k.(type) {
		case kind:
			forms = k.forms
		case forgotten:
			forms = k.forms
		}
		for _, f := range forms {
			rapid.Check(t, func(t *rapid.T) {
				v := drawValue(t, f)
				back, err := sim.ParseValue(v.String())
				require.NoError(t, err)
				require.Equal(t, v, back)
				require.NoError(t, k.Check(v))
				require.Error(t, k.Check(sim.Value{Verb: v.Verb, Arg: strings.TrimSpace(v.Arg + " more")}))
				require.True(t, f.fits(v))
			})
		}
	}
}

func TestOffers_AreReadAsTheyAreSpelled(t *testing.T) {
	for _, v := range slices.Concat(Skews(90*time.Second), WallSteps(90*time.Second), DatabaseSteps(90*time.Second)) {
		require.Equal(t, 90*time.Second, SkewOf(v).Abs(), "%s", v)
	}
	require.Equal(t, -500, DriftOf(Drifts(-500)[0]))
	require.Zero(t, DriftOf(sim.Value{}))
	require.Zero(t, SkewOf(sim.Value{}))
}
