package oracle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim/oracle"
	"github.com/recondrill/recondrill/sim/world"
)

func TestSpoil_EachOracleFindsItsOwnDamageAndTheOriginalStaysGood(t *testing.T) {
	t.Parallel()
	for _, o := range oracle.All() {
		v := good()
		spoiled, ok := o.Spoil(v)
		require.True(t, ok, o.Name())
		require.NotEmpty(t, o.Check(spoiled).Violations, o.Name())
		require.Equal(t, good(), v, "%s damaged the original", o.Name())
	}
}

// Whatever kind of run is spoiled, what counts as damage must be found: half a run is a run too.
func TestSpoil_DamageIsFoundInRunsThatHaveLess(t *testing.T) {
	t.Parallel()
	less := []edit{
		truth(func(t *world.Truth) { t.Messages = nil }),
		truth(func(t *world.Truth) { t.Calls = t.Calls[:1] }),
		func(v *oracle.View) { v.Earlier = nil },
		func(v *oracle.View) { v.History = nil },
		set("job", 0, "state", "review"),
		drop("envelope", 0),
		drop("intent_step", 0),
	}
	for i, change := range less {
		for _, o := range oracle.All() {
			v := good()
			change(&v)
			if spoiled, ok := o.Spoil(v); ok {
				before, after := len(o.Check(v).Violations), len(o.Check(spoiled).Violations)
				require.Greater(t, after, before, "%s, less %d", o.Name(), i)
			}
		}
	}
}

func TestSpoil_AnEmptyRunHasNothingToDamage(t *testing.T) {
	t.Parallel()
	for _, o := range oracle.All() {
		_, ok := o.Spoil(oracle.View{})
		require.False(t, ok, o.Name())
	}
}
