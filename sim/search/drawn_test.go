package search

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// pool of statements that programs are drawn from: each touches something that another touches.
var pool = []string{
	"select count(*) from guest",
	"insert into guest values ('x')",
	"insert into guest values ('x') on conflict do nothing returning name",
	"insert into guest select 'y' where (select count(*) from guest) < 1",
	"update account set balance = balance + 1 where id = 1 returning balance",
	"update account set balance = balance * 2 where id in (1, 2) returning balance",
	"select sum(balance) from account",
	"select balance from account where id = 1 for update",
	"select balance from account where id = 1 for share nowait",
	"delete from parent where id = 1",
	"insert into child values (1, 1)",
	"insert into ticket (who) values ('t') returning nr",
	"select id from job where worker is null order by id limit 1 for update skip locked",
	"update job set worker = 'w' where id = (select id from job where worker is null order by id limit 1 for update skip locked) returning id",
	"select pg_try_advisory_xact_lock(7)",
	"select pg_advisory_xact_lock(7)",
	"~",
}

// drawn is the program of a seed: two processes, each a transaction of one or two statements or some without one.
func drawn(seed uint64) small {
	p := small{name: "drawn " + strconv.FormatUint(seed, 10)}
	for i := range 2 {
		at := func(what string, n int) int { return int(draw(seed, what, strconv.Itoa(i)) % uint64(n)) }
		list := []string{pool[at("first", len(pool))]}
		if at("second?", 3) > 0 {
			list = append(list, pool[at("second", len(pool))])
		}
		switch at("transaction", 4) {
		case 0:
			list = slices.Concat([]string{"begin"}, list, []string{"commit"})
		case 1:
			list = slices.Concat([]string{"begin isolation level repeatable read"}, list, []string{"commit"})
		case 2:
			list = slices.Concat([]string{"begin"}, list, []string{"rollback"})
		}
		p.processes = append(p.processes, list)
	}
	return p
}

const drawnPrograms = 6

func TestExhaustive_ReductionLosesNoEndOfDrawnPrograms(t *testing.T) {
	runs, reducedRuns, ends := 0, 0, 0
	for seed := range uint64(drawnPrograms) {
		p := drawn(seed)
		full := NewExhaustive(Options{Switches: -1, Set: -1, Full: true})
		want := p.exhaust(t, full)
		reduced := NewExhaustive(Options{Switches: -1, Set: -1})
		got := p.exhaust(t, reduced)
		require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)), fmt.Sprintf("%+v", p))
		require.Zero(t, full.astray+reduced.astray, fmt.Sprintf("%+v", p))
		require.Equal(t, full.Told().Distinct, reduced.Told().Distinct, fmt.Sprintf("%+v", p))
		runs, reducedRuns, ends = runs+full.trials, reducedRuns+reduced.trials, ends+len(want)
	}
	require.Less(t, reducedRuns, runs)
	t.Logf("%d programs: %d runs in full, %d reduced, %d ends", drawnPrograms, runs, reducedRuns, ends)
}
