package ops_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/sim/pg"
)

var server *enginetest.Server

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	ctx := context.Background()
	running, err := pg.OpenNearest(ctx, pg.Options{Run: fmt.Sprintf("ops-%d", os.Getpid()), Core: -1})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer running.Close(ctx)
	server, err = enginetest.NewServer(ctx, running.ConnString("postgres"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
