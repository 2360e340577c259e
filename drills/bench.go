package drills

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/node"
	"github.com/recondrill/recondrill/engine/postgres"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/recondrill/recondrill/sim/world"
)

// benchSetup is how to get a server for a bench.
type benchSetup struct {
	postgres, image, statements, run string
	core                             int
	log                              func(string, ...any)
}

// serverRuns is how many orders one server serves (a run each, more where one is made again or shrunk): its catalogues
// and heaps grow old, however clean each reset is.
const serverRuns = 20_000

// bench is what a worker process keeps from run to run: one server, one database with the engine's schema, the warm
// sessions under the kernel, and a way in for the set-up of a run, which is outside the simulation.
type bench struct {
	setup    benchSetup
	server   *pg.Server
	database string
	sessions *pg.Sessions
	books    *postgres.DB
	epoch    time.Time // where the simulated time of every run begins: five minutes before the night
	runs     int       // orders so far
	failures int       // runs in a row that could not be checked
	last     string    // hash of the run that was made last
	moves    bool      // the next run keeps its moves
	strays   bool      // the next run looks for goroutines that nobody scheduled
	attached func()    // for measurements: called when a run has its sessions
	booked   bool      // for measurements: the snapshot has the books already
}

func openBench(ctx context.Context, s benchSetup) (*bench, error) {
	if s.log == nil {
		s.log = func(string, ...any) {}
	}
	b := &bench{setup: s}
	var err error
	if b.epoch, err = world.EpochFor(world.Setup{Statements: s.statements}); err != nil {
		return nil, &UsageError{err}
	}
	if err := b.open(ctx); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) open(ctx context.Context) error {
	server, err := pg.Open(ctx, pg.Options{How: b.setup.postgres, Image: b.setup.image, Run: b.setup.run, Log: b.setup.log, Core: b.setup.core})
	if err != nil {
		var notMarked *pg.NotMarkedError
		var unsupported *pg.UnsupportedError
		var refused *pg.RefusedError
		if errors.As(err, &notMarked) || errors.As(err, &unsupported) || errors.As(err, &refused) {
			return &UsageError{err}
		}
		return err
	}
	b.server = server
	b.database = "recondrill_" + b.setup.run
	if err := server.CreateDatabase(ctx, b.database); err != nil {
		return err
	}
	config, err := pgx.ParseConfig(server.ConnString(b.database))
	if err != nil {
		return err
	}
	if err := postgres.Migrate(ctx, config); err != nil {
		return err
	}
	if b.sessions, err = pg.NewSessions(server, b.database, pg.SessionOptions{}); err != nil {
		return err
	}
	if err := b.sessions.InstallClock(ctx); err != nil {
		return err
	}
	if err := b.scan(ctx); err != nil {
		return err
	}
	if err := b.openBooks(ctx); err != nil {
		return err
	}
	if err := b.sessions.Snapshot(ctx); err != nil {
		return err
	}
	for range warmUpResets {
		if err := b.sessions.Reset(ctx); err != nil {
			return err
		}
	}
	return nil
}

// scan refuses a schema that asks the server for the time or for chance behind the gate's back: its runs would not be
// the same ones twice.
func (b *bench) scan(ctx context.Context) error {
	found, err := b.sessions.ScanCatalogue(ctx)
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("the engine's schema reads the server's clock or chance: %s; accepted is recon.now(), and what a statement is given", strings.Join(found, "; "))
	}
	return err
}

// warmUpResets bring every table to the physical state that resets leave, before the first run.
const warmUpResets = 2

// openBooks connects the set-up's way in and stores the contents that every run's reminders use.
func (b *bench) openBooks(ctx context.Context) error {
	config, err := pgxpool.ParseConfig(b.server.ConnString(b.database))
	if err != nil {
		return err
	}
	config.MaxConns = 1
	// The set-up does not go through the gate, which tells every other session the time.
	config.ConnConfig.RuntimeParams["recon.sim_now"] = strconv.FormatInt(b.epoch.UnixMicro(), 10)
	b.books, err = postgres.Open(ctx, sameRuntime{node.NewRuntime()}, config, postgres.Options{Member: "books"})
	if err != nil {
		return err
	}
	if _, err = b.books.ApproveTemplates(ctx, "person:drill", templates()); err != nil {
		return err
	}
	// The schedule is in force before the night, as in production: a timer that starts late catches up on its slots.
	_, _, err = b.books.Watermark(ctx, scheduleName)
	return err
}

// sameRuntime gives the same id at every start: the member row of the set-up is part of what a run is hashed by.
type sameRuntime struct{ *node.Runtime }

func (sameRuntime) ID() [16]byte { return [16]byte{} }

// renew counts an order, and replaces a server that has served its runs.
func (b *bench) renew(ctx context.Context) error {
	b.runs++
	switch {
	case b.failures > 1:
		return errors.New("the server failed twice in a row; the last run says how")
	case b.failures == 1:
		b.setup.log("a new server after a failure")
	case b.runs%serverRuns == 0 && b.server.How() != "given":
		b.setup.log("a new server after %d runs", b.runs)
	default:
		return nil
	}
	b.close()
	return b.open(ctx)
}

// close puts everything away; it needs no context because it must happen.
func (b *bench) close() {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownMax)
	defer cancel()
	if b.books != nil {
		b.books.Close()
	}
	if b.sessions != nil {
		if err := b.sessions.Close(); err != nil {
			b.setup.log("closing sessions: %v", err)
		}
	}
	if b.server == nil {
		return
	}
	if b.database != "" {
		if err := b.server.DropDatabase(ctx, b.database); err != nil {
			b.setup.log("%v", err)
		}
	}
	if err := b.server.Close(ctx); err != nil {
		b.setup.log("closing the server: %v", err)
	}
	b.books, b.sessions, b.server = nil, nil, nil
}

// templates are the contents of the drills' reminders, one a channel.
func templates() []postgres.Template {
	const body = "{{range .Invoices}}{{.ID}} ({{.Step}}): {{.Open}} {{.Currency}}, due on {{.DueOn}}\n{{end}}"
	var all []postgres.Template
	for _, c := range []engine.ChannelName{"email", "push", "sms"} {
		all = append(all, postgres.Template{Channel: c, Kind: "reminder", Subject: "Your open invoices", Body: body})
	}
	return all
}
