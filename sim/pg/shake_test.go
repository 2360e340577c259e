package pg

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// TestShake_ReplicasHaveTheSameHash: what a shaken server does differently makes no difference to programs that say what
// they mean.
func TestShake_ReplicasHaveTheSameHash(t *testing.T) {
	y := openToy(t)
	n := runsFor(60)
	programs := []program{toyWorkers(true), acts(advised, advised), acts(saving(new(int)), saving(new(int))), together(toyWorkers(true), serverActs)}
	run := func(i int) outcome {
		return y.run(t, sim.Seeded(uint64(i), 6, acting), programs[i%len(programs)])
	}
	first := make([]outcome, n)
	for i := range n {
		first[i] = run(i)
	}
	for i := range n {
		if i%5 == 0 {
			y.sessions.Shake(uint64(1 + i))
		}
		requireSame(t, fmt.Sprintf("seed %d, shaken", i), first[i], run(i))
	}
	y.sessions.Shake(0)
	for i := range n / 4 {
		requireSame(t, fmt.Sprintf("seed %d, no longer shaken", i), first[i], run(i))
	}
}

// The shaking is strong enough to show a statement that leaves its order to chance.
func TestShake_AStatementWithoutAnOrderIsFound(t *testing.T) {
	y := openToy(t)
	program := acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
		for range 3 {
			var id int
			if err := c.QueryRow(ctx, "-- name: Any :one\nupdate account set balance = 0 where id = (select id from account where balance > $1 limit 1) returning id", 1).Scan(&id); err != nil {
				return err
			}
		}
		return nil
	})
	plain := y.run(t, sim.Plain(), program)
	differs := 0
	for seed := range 20 {
		y.sessions.Shake(uint64(seed + 1))
		o := y.run(t, sim.Plain(), program)
		require.Equal(t, plain.tables, o.tables)
		if o.hash() != plain.hash() {
			differs++
		}
	}
	y.sessions.Shake(0)
	require.NotZero(t, differs)
	requireSame(t, "no longer shaken", plain, y.run(t, sim.Plain(), program))
}
