package sim

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAsk_CountsForItsActorAndIsAnsweredFromTheScript(t *testing.T) {
	var got []string
	linger := []Value{{}, {Verb: "5s"}, {Verb: "30s"}}
	d := script(t, "p#0  noticed/2  latency  30s\np#0  noticed/3  latency  7s\ncron  tick/1  fault  duplicate +40s")
	k, err := one(t, Config{Decider: d}, func(ctx context.Context, p *Process) error {
		for range 4 {
			got = append(got, p.Kernel().Ask(p.Actor(), "noticed", Latency, linger).String())
		}
		got = append(got, p.Kernel().Ask(Bare("cron"), "tick", Fault, []Value{{"duplicate", "+40s"}}).String())
		return nil
	})
	require.NoError(t, err)
	require.Empty(t, d.Unused())
	require.Equal(t, []string{"", "30s", "7s", "", "duplicate +40s"}, got)
	require.Len(t, k.History().Used, 3)
}

func TestAsk_SharesItsCountWithTheGatesOfATask(t *testing.T) {
	a := asked{plain{}, map[question]int{}}
	_, err := one(t, Config{Decider: a}, func(ctx context.Context, p *Process) error {
		for range 2 {
			if err := step(ctx, p.Kernel(), "sql:Step"); err != nil {
				return err
			}
			p.Kernel().Ask(TaskOf(ctx).Actor(), "sql:Step", Fault, []Value{killAfter})
		}
		return nil
	})
	require.NoError(t, err)
	a.requireOnce(t)
}

func TestChoose_IsAtTheGateWhereTheTaskStands(t *testing.T) {
	var got []Value
	hold := Value{Verb: "sync"}
	d := script(t, "p#0/main  sql:Step/2  hold  sync")
	_, err := one(t, Config{Decider: d}, func(ctx context.Context, p *Process) error {
		k := p.Kernel()
		for range 3 {
			if err := step(ctx, k, "sql:Step"); err != nil {
				return err
			}
			got = append(got, k.Choose(ctx, Hold, []Value{hold}))
		}
		return nil
	})
	require.NoError(t, err)
	require.Empty(t, d.Unused())
	require.Equal(t, []Value{{}, hold, {}}, got)
}

func TestChoose_TwiceAtOneGateOrWhatTheKernelAsksIsAProgrammersError(t *testing.T) {
	for name, classes := range map[string][]Class{"twice": {Hold, Hold}, "the kernel's": {Fault}} {
		_, err := one(t, Config{}, func(ctx context.Context, p *Process) error {
			if err := step(ctx, p.Kernel(), "sql:Step"); err != nil {
				return err
			}
			for _, c := range classes {
				p.Kernel().Choose(ctx, c, nil)
			}
			return nil
		})
		var panicked *Panicked
		require.ErrorAs(t, err, &panicked, name)
	}
}

// wary keeps what it saw at questions of class Then.
type wary struct {
	t    *testing.T
	seen [][]string
}

func (w *wary) Decide(g Gate, c Class) Value {
	if c != Then {
		require.Empty(w.t, g.Standing)
		return Value{}
	}
	var row []string
	for _, s := range g.Standing {
		text := s.Text + " " + s.Gate.Address.Label
		if s.Plain {
			text += " plain"
		}
		require.Equal(w.t, s.Text, s.Actor.String())
		require.Equal(w.t, !s.Plain, g.Offered(Then, Value{Verb: s.Text}))
		row = append(row, text)
	}
	w.seen = append(w.seen, row)
	return Value{}
}

func TestStanding_ListsWhoCouldMoveAndThePlainChoice(t *testing.T) {
	w := &wary{t: t}
	var order []string
	_, err := play(t, Config{Decider: w}, func(k *Kernel) {
		k.Process("a", -1, steps(k, &order, "a", 1))
		k.Process("b", -1, steps(k, &order, "b", 1))
		k.World("w", func(context.Context) error { return nil })
	})
	require.NoError(t, err)
	require.Equal(t, [][]string{
		{"a#0/main start plain", "b#0/main start", "w start"},
		{"a#0/main sql:Step plain", "b#0/main start", "w start"},
		{"b#0/main start plain", "w start"},
		{"b#0/main sql:Step plain", "w start"},
	}, w.seen)
}

func TestMoves_AreKeptWithWhoCouldHaveMovedInstead(t *testing.T) {
	reads := Footprint{Reads: []string{"a"}}
	d := script(t, "a#0/main  sql:Read/1  then  b#0/main\nb#0/main  start/1  fault  kill before")
	k, err := play(t, Config{Decider: d, Moves: true}, func(k *Kernel) {
		k.Process("a", -1, func(ctx context.Context, p *Process) error {
			_, err := k.Pass(ctx, Gate{Address: Address{Label: "sql:Read"}, Kind: Statement, Foot: reads})
			return err
		})
		k.Process("b", -1, func(ctx context.Context, p *Process) error { return nil })
		k.World("w", func(ctx context.Context) error { return k.SleepWorld(ctx, time.Second) })
	})
	require.NoError(t, err)
	require.Empty(t, d.Unused())
	moves := k.History().Moves
	require.Len(t, moves, k.Stats().Moves)
	all, world := Footprint{All: true}, Footprint{Writes: []string{"world"}}
	a, b, w := Actor{"a", 0, "main"}, Actor{"b", 0, "main"}, Bare("w")
	require.Equal(t, Move{Actor: b, Gate: Address{b, "start", 1}, Kind: Start, Foot: all, At: Address{a, "sql:Read", 1}, Enabled: []Alternative{
		{Actor: a, Gate: Address{a, "sql:Read", 1}, Foot: reads, Plain: true},
		{Actor: w, Gate: Address{w, "start", 1}, Foot: world},
	}}, moves[1])
	require.Equal(t, reads, moves[3].Foot)
	last := moves[len(moves)-1]
	require.Equal(t, Move{Actor: w, Gate: Address{w, "sleep", 1}, Kind: Sleep, Foot: world}, last, "nobody else, nobody asked")
	plainly, _ := play(t, Config{Decider: d}, func(k *Kernel) {})
	require.Empty(t, plainly.History().Moves)
}
