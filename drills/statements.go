package drills

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/recondrill/recondrill/engine"
	engineprovider "github.com/recondrill/recondrill/engine/provider"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/world"
)

// checkStatements reads a folder of exported statements with both readers before anything starts: the engine's
// strict one, and the world's own.
func checkStatements(dir string) error {
	if _, err := os.ReadDir(dir); err != nil {
		return fmt.Errorf("--statements: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".ledger.csv") {
			continue
		}
		body, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		s, err := engineprovider.Parse(engine.RawStatement{Name: file, Body: body, Completed: true}, engine.StatementOptions{})
		if err != nil {
			return err
		}
		if err := engineprovider.Whole(s); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	w := world.Setup{Statements: dir}
	epoch, err := world.EpochFor(w)
	if err != nil {
		return err
	}
	k := sim.New(sim.Config{Epoch: epoch, Decider: sim.Plain()})
	defer k.Close()
	made, err := world.New(k, 1, w)
	if err != nil {
		return err
	}
	_, err = ledgerFacts(made.Books)
	return err
}

const statementsWorkload = "statements "
