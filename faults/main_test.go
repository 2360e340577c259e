package faults

import (
	"os"
	"testing"

	"github.com/recondrill/recondrill/sim/pg"
)

func TestMain(m *testing.M) {
	pg.PinToCore(pg.FreeCore())
	os.Exit(m.Run())
}
