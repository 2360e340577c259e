package drills

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
)

// Worker is the hidden command `recondrill worker`: one process with one server. Orders come in, answers go out, a
// JSON object a line. It ends when its input ends, which also happens when its parent dies.
func Worker(ctx context.Context, stdin io.Reader, stdout io.Writer, args []string) error {
	flags := flag.NewFlagSet("worker", flag.ContinueOnError)
	var s benchSetup
	flags.StringVar(&s.postgres, "postgres", "auto", "")
	flags.StringVar(&s.image, "image", "", "")
	flags.StringVar(&s.statements, "statements", "", "")
	flags.StringVar(&s.run, "run", "", "")
	flags.IntVar(&s.core, "core", -1, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	s.log = func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	runtime.GOMAXPROCS(1) // one task runs at a time; a second thread only adds hand-overs
	pinToCore(s.core)

	enc := json.NewEncoder(stdout)
	b, err := openBench(ctx, s)
	if err != nil {
		kind := "error"
		if usage := (*UsageError)(nil); errors.As(err, &usage) {
			kind = "usage"
		}
		return enc.Encode(postgresTold{Err: err.Error(), Kind: kind})
	}
	defer b.close()
	if err := enc.Encode(postgresTold{How: b.server.How(), Version: b.server.Version(), Replays: b.server.CanStop()}); err != nil {
		return err
	}
	m := &memberLoop{bench: b, out: enc}
	orders, ended := read(stdin)
	for {
		if len(orders) == 0 {
			// What is held back must not be held for ever: the parent may wait for just this answer.
			if err := m.flush(ctx); err != nil {
				return err
			}
		}
		select {
		case o, more := <-orders:
			if !more {
				return <-ended
			}
			if err := m.carryOut(ctx, o); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil // the parent asked for the end
		}
	}
}

// read takes orders off the input as they come, so that a member can see that none is waiting.
func read(stdin io.Reader) (<-chan order, <-chan error) {
	orders, ended := make(chan order, 8), make(chan error, 1)
	go func() {
		defer close(orders)
		lines := bufio.NewScanner(stdin)
		lines.Buffer(make([]byte, 1<<16), 1<<24)
		for lines.Scan() {
			var o order
			if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
				ended <- err
				return
			}
			orders <- o
		}
		ended <- lines.Err()
	}()
	return orders, ended
}

// memberLoop carries orders out one by one. A run that is to be made again waits until another run has left its
// traces in the server, the pool and the heap: a second run right after the first proves less.
type memberLoop struct {
	bench   *bench
	out     *json.Encoder
	waiting *held
}

type held struct {
	order  order
	first  *result
	answer answer
}

func (m *memberLoop) carryOut(ctx context.Context, o order) error {
	d, err := byName(o.Drill)
	if err != nil {
		return err
	}
	if err := m.bench.renew(ctx); err != nil {
		return err
	}
	if o.Shrink {
		told, err := m.bench.explain(ctx, d, o)
		if err != nil {
			return err
		}
		if err := m.resolve(ctx); err != nil {
			return err
		}
		return m.out.Encode(told)
	}
	decider, gates, err := deciderFor(d, o)
	if err != nil {
		return err
	}
	r := m.bench.run(ctx, d, o.Seed, decider)
	a := answer{Run: r.run, Script: r.script.String()}
	if o.Gates {
		a.Points = gates.points(d, o.Seed)
	}
	if o.Script != "" {
		a.Run.Replay = "" // a sweep's run replays from its file
	}
	if stale := unused(decider); stale != "" && r.run.Verdict == reports.Pass {
		a.Run.Verdict, a.Run.Error = reports.Vacuous, "stale: "+stale
	}
	if o.Sample || r.run.Verdict != reports.Pass {
		a.Marks = r.marks()
		a.Run.Sample = r.run.Verdict == reports.Pass
	}
	// Another run has come in between now, so what was held is made again; answers keep the order of the orders.
	if err := m.resolve(ctx); err != nil {
		return err
	}
	if (o.Again || r.run.Verdict == reports.Violation) && m.bench.server.CanStop() {
		m.waiting = &held{o, r, a}
		return nil
	}
	return m.out.Encode(a)
}

// resolve makes the held run again and answers it.
func (m *memberLoop) resolve(ctx context.Context) error {
	if m.waiting == nil {
		return nil
	}
	h := m.waiting
	m.waiting = nil
	d, err := byName(h.order.Drill)
	if err != nil {
		return err
	}
	h.answer.Run = m.bench.again(ctx, d, h.first, h.answer.Run)
	return m.out.Encode(h.answer)
}

// flush resolves what is held at the end, where no ordinary run came in between: it makes one of another seed.
func (m *memberLoop) flush(ctx context.Context) error {
	if m.waiting == nil {
		return nil
	}
	d, err := byName(m.waiting.order.Drill)
	if err != nil {
		return err
	}
	seed := ^m.waiting.order.Seed
	m.bench.run(ctx, d, seed, sim.Seeded(seed, d.most(), d.weigh()))
	return m.resolve(ctx)
}
