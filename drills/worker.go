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
	"runtime/debug"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/recondrill/recondrill/sim/search"
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
	runtime.GOMAXPROCS(1)       // one task runs at a time; a second thread only adds hand-overs
	debug.SetGCPercent(garbage) // a run leaves much garbage and keeps little
	pg.PinToCore(s.core)

	enc := json.NewEncoder(stdout)
	b, err := openBench(ctx, s)
	if err != nil {
		kind := "error"
		if usage := (*UsageError)(nil); errors.As(err, &usage) {
			kind = "usage"
		}
		return enc.Encode(postgresTold{Err: err.Error(), Kind: kind})
	}
	_, where := b.server.Network()
	if err := enc.Encode(postgresTold{How: b.server.How(), Version: b.server.Version(), Replays: b.server.CanStop(), Where: where}); err != nil {
		b.close()
		return err
	}
	err = b.serve(ctx, stdin, enc)
	if ctx.Err() != nil && !errors.Is(err, errFrozen) && !b.answers() {
		err = b.frozen()
	}
	if !errors.Is(err, errFrozen) { // else closing would hang too
		b.close()
	}
	return err
}

// garbage is how much a worker's heap, of a few megabytes, grows between two collections, in per cent.
const garbage = 400

// serve carries orders out until there are no more, or the parent asks for the end.
func (b *bench) serve(ctx context.Context, stdin io.Reader, enc *json.Encoder) error {
	orders, ended := read(stdin)
	for ctx.Err() == nil {
		select {
		case o, more := <-orders:
			if !more {
				return <-ended
			}
			a, err := b.attempt(ctx, o)
			if err != nil {
				return err
			}
			if err := enc.Encode(a); err != nil {
				return err
			}
		case <-ctx.Done():
		}
	}
	return nil
}

// read takes orders off the input as they come, so that the end of the input is seen while a run is made.
func read(stdin io.Reader) (<-chan order, <-chan error) {
	orders, ended := make(chan order, 8), make(chan error, 1)
	go func() {
		defer close(orders)
		lines := bufio.NewReaderSize(stdin, 1<<16)
		for {
			var o order
			err := readLine(lines, &o)
			if errors.Is(err, io.EOF) {
				ended <- nil
				return
			}
			if err != nil {
				ended <- err
				return
			}
			orders <- o
		}
	}()
	return orders, ended
}

// frozenMax is how long, in real time, a run may go on after it was told to end: it stops at its next move.
const frozenMax = 3 * time.Second

var errFrozen = errors.New("a frozen server")

// attempt carries an order out. After the end was asked for it does not wait for a server that answers nothing any
// more, and says what stays behind.
func (b *bench) attempt(ctx context.Context, o order) (answer, error) {
	type carried struct {
		answer
		error
	}
	done := make(chan carried, 1)
	go func() {
		a, err := b.carryOut(ctx, o)
		done <- carried{a, err}
	}()
	select {
	case c := <-done:
		return c.answer, c.error
	case <-ctx.Done():
	}
	late := time.NewTimer(frozenMax)
	defer late.Stop()
	select {
	case c := <-done:
		return c.answer, c.error
	case <-late.C:
		return answer{}, b.frozen()
	}
}

func (b *bench) frozen() error {
	network, address := b.server.Network()
	return fmt.Errorf("%w: the %s server at %s %s did not answer within %s of Ctrl-C and is left behind with its data, until the next recondrill drill takes it away",
		errFrozen, b.server.How(), network, address, frozenMax)
}

// answers says whether the server takes a new connection: one that does not can't be put away either.
func (b *bench) answers() bool {
	if b.server == nil {
		return true // there is none: the last one failed
	}
	ctx, cancel := context.WithTimeout(context.Background(), frozenMax)
	defer cancel()
	conn, err := pgx.Connect(ctx, b.server.ConnString(b.database))
	if err != nil {
		return !errors.Is(ctx.Err(), context.DeadlineExceeded) // one that is gone refuses at once
	}
	_ = conn.Close(ctx) // it has said enough
	return true
}

// carryOut makes what an order asks for. An error means that this member is of no use any more; what a run could not
// check is its verdict.
func (b *bench) carryOut(ctx context.Context, o order) (answer, error) {
	d, err := byName(o.Drill)
	if err != nil {
		return answer{}, err
	}
	if err := b.renew(ctx); err != nil {
		return answer{}, err
	}
	switch {
	case o.Shrink:
		return b.explain(ctx, d, o)
	case o.First != nil:
		run, err := b.again(ctx, d, o)
		return answer{Run: run}, err
	}
	return b.try(ctx, d, o)
}

// try makes the run of a trial.
func (b *bench) try(ctx context.Context, d Drill, o order) (answer, error) {
	var t search.Trial
	if err := o.Trial.unpack(&t); err != nil {
		return answer{}, err
	}
	decider := t.Decider(search.Weights{Most: d.most(), Weigh: d.weigh()})
	b.moves, b.strays = decider.Moves(), o.Sample
	r := b.run(ctx, d, o.Seed, decider)
	b.moves, b.strays = false, false
	a := answer{Script: r.script.String()}
	if r.run.Verdict != reports.Error {
		var found search.Outcome
		decider.Fill(&found, r.history)
		r.run.Meets, found.Used = found.Meets, nil
		var err error
		if a.Search, err = pack(found); err != nil {
			return a, err
		}
	}
	if o.Spoil && r.run.Verdict == reports.Pass {
		r.run.Spoiled = r.spoil()
	}
	if t.How != search.Random {
		r.run.Replay = "" // it replays from its file
	}
	if o.Sample || r.run.Verdict != reports.Pass {
		a.Marks = r.marks()
		r.run.Sample = r.run.Verdict == reports.Pass
	}
	if again := o.Keep && r.run.Verdict == reports.Pass || r.run.Verdict == reports.Violation; again && b.server.CanStop() {
		var err error
		if a.First, err = r.kept(); err != nil {
			return a, err
		}
	}
	a.Run = r.run
	return a, nil
}

// unmet names the deviations of a script that met nothing in its run; "" where all did.
func unmet(d *sim.RecordedDecider) string {
	return listed(d.Unused())
}
