package faults

import (
	"os"
	"testing"

	"github.com/recondrill/recondrill/sim/pg"
)

func TestMain(m *testing.M) {
	pg.PinToCore(os.Getpid())
	os.Exit(m.Run())
}
