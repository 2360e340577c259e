package simtest_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/simtest"
)

const lostUpdate = "testdata/simtest/counter/an-increment-is-lost.script"

func TestCheck_AFindIsToldAndWrittenAndTriedForEver(t *testing.T) {
	t.Chdir(t.TempDir())
	r := record(t, func(t testing.TB) { simtest.Check(t, counter(readThenWrite)) })
	require.True(t, r.failed)
	require.Contains(t, r.text(), "stops before Write, and bob goes first")
	require.Contains(t, r.text(), "=> an increment is lost: 1")
	require.Contains(t, r.text(), "shrunk to 1 deviation:")
	text, err := os.ReadFile(lostUpdate)
	require.NoError(t, err)
	require.Contains(t, string(text), "ann#0/main  sql:Write/1  then  bob#0/main")

	again := record(t, func(t testing.TB) { simtest.Check(t, counter(readThenWrite)) })
	require.True(t, again.failed)
	require.Contains(t, again.text(), filepath.FromSlash(lostUpdate)+" again:")
	require.NotContains(t, again.text(), "found in run", "what is known need not be searched for")

	r = record(t, func(t testing.TB) { simtest.Replay(t, counter(readThenWrite), lostUpdate) })
	require.True(t, r.failed)
	require.Contains(t, r.text(), "=> an increment is lost: 1")
}

func TestReplay_APassIsAPassAndAScriptThatMeetsNothingIsStale(t *testing.T) {
	t.Chdir(t.TempDir())
	record(t, func(t testing.TB) { simtest.Check(t, counter(readThenWrite)) })
	locked := func(ctx context.Context, _ *sim.Process, db *pgxpool.Pool) error {
		return pgxTx(ctx, db, func(read, write string, exec func(string, ...any) (int, error)) error {
			n, err := exec(read)
			if err == nil {
				_, err = exec(write, n+1)
			}
			return err
		})
	}
	r := record(t, func(t testing.TB) { simtest.Replay(t, counter(locked), lostUpdate) })
	require.False(t, r.failed, r.text())

	r = record(t, func(t testing.TB) { simtest.Check(t, counter(inOne)) })
	require.True(t, r.failed)
	require.Contains(t, r.text(), "is stale: nothing came of")
	require.Contains(t, r.text(), "sql:Write/1")
}

// pgxTx reads under a lock and writes in one transaction, with the names of readThenWrite.
func pgxTx(ctx context.Context, db *pgxpool.Pool, do func(read, write string, exec func(string, ...any) (int, error)) error) error {
	tx, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	err = do("-- name: Read :one\nselect n from counter where id = 1 for update", "-- name: Write :one\nupdate counter set n = $1 where id = 1 returning n",
		func(sql string, args ...any) (n int, err error) {
			err = tx.QueryRow(ctx, sql, args...).Scan(&n)
			return n, err
		})
	if err != nil {
		return err
	}
	return tx.Commit(ctx)
}

func TestCheck_NothingFoundSaysWhatWasLookedAt(t *testing.T) {
	t.Chdir(t.TempDir())
	r := record(t, func(t testing.TB) { simtest.Check(t, counter(inOne)) })
	require.False(t, r.failed, r.text())
	require.Contains(t, r.text(), "nothing found in ")
	require.Contains(t, r.text(), "not looked at:")
	require.NoDirExists(t, "testdata")
}

func TestSkeleton_IsATestWithItsStory(t *testing.T) {
	f := simtest.Failure{Claim: "an increment is lost", Story: []string{"counter: …", "=> an increment is lost: 1"}}
	require.Equal(t, "// counter: …\n// => an increment is lost: 1\nfunc TestCounter_AnIncrementIsLost(t *testing.T) {\n"+
		"\tsimtest.Replay(t, program(), \""+lostUpdate+"\")\n}\n", f.Skeleton("TestCounter/of_ann", lostUpdate))
}

// What can't be checked is said with its reason, and is never a pass.
func TestSearch_SaysWhyAProgramCanNotBeRun(t *testing.T) {
	statement := func(sql string) simtest.Program {
		return counter(func(ctx context.Context, _ *sim.Process, db *pgxpool.Pool) error {
			_, err := db.Exec(ctx, sql)
			return err
		})
	}
	dice := counter(func(ctx context.Context, _ *sim.Process, db *pgxpool.Pool) error {
		_, err := db.Exec(ctx, "update counter set n = n + $1", rand.IntN(1_000_000))
		return err
	})
	bare := counter(func(ctx context.Context, _ *sim.Process, db *pgxpool.Pool) error {
		failed := make(chan error)
		go func() {
			_, err := db.Exec(context.Background(), "update counter set n = n + 1")
			failed <- err
		}()
		return <-failed
	})
	schema := func(sql string) simtest.Program {
		p := counter(inOne)
		p.Schema += ";" + sql
		return p
	}
	badCheck := counter(inOne)
	badCheck.Check = func(s *simtest.State) error { return s.None("x", "select nothing from nowhere") }
	writes := counter(inOne)
	writes.Check = func(s *simtest.State) error { return s.None("x", "delete from counter returning id") }
	for want, p := range map[string]simtest.Program{
		"random() is the server's own clock or chance":    statement("update counter set n = n + random()"),
		"COPY is not carried":                             statement("copy counter to stdout"),
		`column "m" of relation "counter" does not exist`: statement("update counter set m = 1"),
		"nondeterministic":                                dice,
		"without a task in its context":                   bare,
		"default of public.ticket.code":                   schema("create table ticket (id int primary key, code float default random())"),
		"has no primary key":                              schema("create table loose (id int)"),
		`relation "nowhere" does not exist`:               badCheck,
		"read-only transaction":                           writes,
		"Program.Start and Program.Check must be given":   {Server: server},
		`search "luck": accepted are`:                     withSearch("luck"),
		`syntax error at or near "tabel"`:                 schema("create tabel x"),
	} {
		result, err := simtest.Search(t.Context(), p)
		require.ErrorContains(t, err, want)
		require.Nil(t, result, want)
	}
}

func withSearch(name string) simtest.Program {
	p := counter(inOne)
	p.Search = name
	return p
}

func TestSearch_AProgramThatNeverEndsWaitingIsAFinding(t *testing.T) {
	p := counter(func(ctx context.Context, p *sim.Process, db *pgxpool.Pool) error {
		return p.Event("never").Wait(ctx)
	})
	result, err := simtest.Search(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, "everybody waits and nothing will ever wake them", result.Failure.Claim)

	p = counter(func(ctx context.Context, _ *sim.Process, db *pgxpool.Pool) error { panic("oh") })
	result, err = simtest.Search(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, "it panicked", result.Failure.Claim)
	require.Equal(t, "=> it panicked: ann#0/main: oh", result.Failure.Story[len(result.Failure.Story)-1])
}

func TestSearch_TheSameSeedIsTheSameSearch(t *testing.T) {
	p := counter(readThenWrite)
	p.Search, p.Seed = "random", 7
	first, err := simtest.Search(t.Context(), p)
	require.NoError(t, err)
	second, err := simtest.Search(t.Context(), p)
	require.NoError(t, err)
	require.NotNil(t, first.Failure)
	require.Equal(t, first, second)
	require.True(t, strings.HasPrefix(first.Failure.Text(), "# counter: "))
}
