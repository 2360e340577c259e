package postgres_test

import (
	"context"
	"os"
	"testing"

	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/sim/pg"
)

var (
	server  *enginetest.Server
	running *pg.Server
)

func TestMain(m *testing.M) {
	os.Exit(pg.RunTests(m, "postgres", func(ctx context.Context, s *pg.Server) (err error) {
		running = s
		server, err = enginetest.NewServer(ctx, s.ConnString("postgres"))
		return err
	}))
}
