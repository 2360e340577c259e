package simtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/pg"
)

// Bench is a program with a database of its own, made ready for any number of runs. It is used by one goroutine.
type Bench struct {
	program  Program
	server   *pg.Server
	owned    bool // the server is ours to close
	database string
	role     string    // of the program's connections; "": whoever the server's DSN names
	checks   *pgx.Conn // for Check: can't write
	sessions *pg.Sessions
	texts    map[string]string // SQL by label, as seen so far: for stories

	// For Rapid.
	possible []sim.Deviation     // in the plain run
	told     map[string]*Failure // by claim: what was already shrunk
}

// Open gets a server and a database for the program and closes both when the test ends.
func Open(t testing.TB, p Program) *Bench {
	t.Helper()
	p.Name = cmp.Or(p.Name, t.Name())
	b, err := open(context.Background(), p)
	if err != nil {
		t.Fatalf("simtest: %v", err)
	}
	t.Cleanup(func() {
		if err := b.close(context.Background()); err != nil {
			t.Errorf("simtest: %v", err)
		}
	})
	return b
}

func open(ctx context.Context, p Program) (*Bench, error) {
	b := &Bench{program: p.withDefaults(), server: p.Server, texts: map[string]string{}, told: map[string]*Failure{}}
	if p.Start == nil || p.Check == nil {
		return nil, errors.New("Program.Start and Program.Check must be given")
	}
	if b.server == nil {
		server, err := pg.OpenNearest(ctx, pg.Options{Run: fmt.Sprintf("simtest-%d", os.Getpid()), Core: -1})
		if err != nil {
			return nil, err
		}
		b.server, b.owned = server, true
	}
	if err := b.prepare(ctx); err != nil {
		return nil, errors.Join(err, b.close(ctx))
	}
	return b, nil
}

func (b *Bench) close(ctx context.Context) error {
	var errs []error
	if b.sessions != nil {
		errs = append(errs, b.sessions.Close())
	}
	if b.checks != nil {
		errs = append(errs, b.checks.Close(ctx))
	}
	if b.database != "" {
		errs = append(errs, b.server.DropDatabase(ctx, b.database))
	}
	if b.owned {
		errs = append(errs, b.server.Close(ctx))
	}
	return errors.Join(errs...)
}

// header is a script's of this program.
func (b *Bench) header(seed uint64) sim.Header {
	return sim.Header{Drill: b.program.Name, Seed: seed, Version: traceVersion, K: movesMax, S: instantMax}
}

// traceVersion is of what is hashed: a file of another version is judged by its claim, its hash is not compared.
const traceVersion = 1
