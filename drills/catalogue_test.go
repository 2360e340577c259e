package drills

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim/oracle"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/stretchr/testify/require"
)

// TestMain lets this test binary be the worker process of the campaigns it starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		if err := Worker(ctx, os.Stdin, os.Stdout, os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// ways are the ways to get PostgreSQL that this machine offers, told aloud. In CI a missing one fails, anywhere none
// at all does.
func ways(t *testing.T) []pg.Way {
	t.Helper()
	var here []pg.Way
	for _, w := range pg.Ways(t.Context(), os.Getenv("RECONDRILL_POSTGRES_IMAGE")) {
		if w.Missing != "" {
			fmt.Printf("PostgreSQL %s %s: MISSING: %s\n", w.How, w.Image, w.Missing)
			require.Empty(t, os.Getenv("CI"), "CI tests every way to get PostgreSQL; missing: %s %s: %s", w.How, w.Image, w.Missing)
			continue
		}
		fmt.Printf("PostgreSQL %s %s %s: tested\n", w.How, w.Image, w.Version)
		here = append(here, w)
	}
	require.NotEmpty(t, here, "no way to get PostgreSQL: Docker with an image, local binaries, or a DSN")
	return here
}

// hold is a campaign's lines, for tests.
type hold struct {
	runs    []reports.Run
	summary reports.Summary
}

func campaignOf(t *testing.T, o CampaignOptions) hold {
	t.Helper()
	var h hold
	o.Log = t.Logf
	o.Events = func(e reports.Event) error {
		if run, ok := e.(reports.Run); ok {
			h.runs = append(h.runs, run)
		}
		return nil
	}
	s, err := Campaign(t.Context(), o)
	require.NoError(t, err)
	h.summary = s
	return h
}

func (h hold) hashes() []string {
	var all []string
	for _, r := range h.runs {
		all = append(all, fmt.Sprintf("%s %d %s %s %s", r.Title(), r.Seed, r.Verdict, r.Hash, r.Fingerprint))
	}
	return all
}

func TestWays_AreToldAndOneIsHere(t *testing.T) { ways(t) }

func TestCampaign_OnAGivenServerHasTheSameHashesAndLeavesNothing(t *testing.T) {
	ctx := t.Context()
	server, err := pg.Open(ctx, pg.Options{How: "auto", Run: runID(), Core: -1})
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Close(context.WithoutCancel(ctx))) }()
	conn, err := pgx.Connect(ctx, server.ConnString("postgres"))
	require.NoError(t, err)
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "comment on database postgres is 'recondrill: drills allowed'")
	require.NoError(t, err)

	names := []string{"lost-lease", "timeout-after-acceptance"}
	given := campaignOf(t, CampaignOptions{Names: names, Seed: 3, Runs: 2, Search: "random", Postgres: server.ConnString("postgres"), Servers: 2})
	local := campaignOf(t, CampaignOptions{Names: names, Seed: 3, Runs: 2, Search: "random", Postgres: pg.NearestHow(), Servers: 2})
	require.Equal(t, local.hashes(), given.hashes())
	var left int
	require.NoError(t, conn.QueryRow(ctx, "select count(*) from pg_database where datname like 'recondrill%'").Scan(&left))
	require.Zero(t, left)
}

func TestCatalogue_IsNotVacuousFindsItsCanariesAndHasTheSameHashesOnEveryWayToGetPostgreSQL(t *testing.T) {
	all := ways(t)
	first := campaignOf(t, CampaignOptions{Seed: 100, Runs: 9, Search: "random", Postgres: all[0].How, Image: all[0].Image})
	require.Equal(t, reports.Pass, first.summary.Verdict, "%v", first.summary.Reasons)
	for _, o := range oracle.All() {
		require.True(t, first.summary.Canaries[o.Name()], "the oracle %s saw nothing of what was damaged for it", o.Name())
	}
	require.True(t, first.summary.Canaries["canary"])
	require.Len(t, first.summary.Canaries, 1+len(oracle.All()))
	for i, w := range all[1:] {
		var names []string
		for n, d := range Catalogue() {
			if n%(len(all)-1) == i { // the other ways share the catalogue out among them
				names = append(names, d.Name)
			}
		}
		h := campaignOf(t, CampaignOptions{Names: names, Seed: 100, Runs: 2, Search: "random", Postgres: w.How, Image: w.Image})
		require.NotEmpty(t, h.runs)
		require.Subset(t, first.hashes(), h.hashes(), "%s %s differs", w.How, w.Image)
	}
}

// The second half of `make drill`: other differences than the drills plan, and every drill has who settles them.
func TestCatalogue_PassesOnExportedStatements(t *testing.T) {
	h := campaignOf(t, CampaignOptions{Seed: 1, Runs: 1, Search: "random", Postgres: pg.NearestHow(), Statements: "../testdata/statements"})
	for _, r := range h.runs {
		require.True(t, r.Canary || r.Verdict == reports.Pass, "%s seed %d: %s %s\n%s", r.Drill, r.Seed, r.Verdict, r.Error, strings.Join(r.Story, "\n"))
	}
}

func TestCampaign_TheSameSeedIsTheSameRunWhicheverWorkerMakesIt(t *testing.T) {
	one := campaignOf(t, CampaignOptions{Names: []string{"two-accounts"}, Seed: 7, Runs: 12, Postgres: pg.NearestHow(), Servers: 1})
	two := campaignOf(t, CampaignOptions{Names: []string{"two-accounts"}, Seed: 7, Runs: 12, Postgres: pg.NearestHow(), Servers: 2})
	require.Equal(t, one.hashes(), two.hashes())
	require.Equal(t, one.summary.Search, two.summary.Search)
}

func TestCanary_TellsAStoryOfAtMostTenLinesThatReplaysWithTheSameHash(t *testing.T) {
	h := campaignOf(t, CampaignOptions{Names: []string{"canary"}, Seed: 1, Runs: 8, Search: "random", Postgres: pg.NearestHow()})
	require.Equal(t, reports.Violation, h.summary.Verdict)
	i := slices.IndexFunc(h.runs, func(r reports.Run) bool { return r.Verdict == reports.Violation })
	found := h.runs[i]
	require.LessOrEqual(t, len(found.Story), storyMax)
	require.Positive(t, found.Doubled.Messages)
	again, err := Replay(t.Context(), ReplayOptions{Drill: "canary", Seed: found.Seed, Postgres: pg.NearestHow(), Log: t.Logf})
	require.NoError(t, err)
	require.Equal(t, found.Hash, again.Hash)
	require.Equal(t, reports.Violation, again.Verdict)

	shrunk := t.TempDir() + "/canary.script"
	require.NoError(t, os.WriteFile(shrunk, []byte(found.Script), 0o644))
	again, err = Replay(t.Context(), ReplayOptions{File: shrunk, Postgres: pg.NearestHow(), Log: t.Logf})
	require.NoError(t, err)
	require.Equal(t, reports.Violation, again.Verdict, again.Error)
}

func TestSweep_EachRunIsOneDeviationOfThePlainRun(t *testing.T) {
	h := campaignOf(t, CampaignOptions{Names: []string{"timeout-after-acceptance"}, Seed: 1, Runs: 12, Search: "sweep", Postgres: pg.NearestHow()})
	require.Len(t, h.runs, 12, "the plain run is one of them")
	require.Empty(t, h.runs[0].Deviations)
	for _, r := range h.runs[1:] {
		require.Len(t, r.Deviations, 1, "a sweep's run has one deviation")
		require.Equal(t, reports.Pass, r.Verdict, "%v", r.Story)
	}
}

func TestDrills_PlansPrintAndParseBackAndNameQueriesThatExist(t *testing.T) {
	queries := []string{"begin", "commit", "rollback"}
	files, err := os.ReadDir("../engine/postgres/queries")
	require.NoError(t, err)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".sql") {
			continue
		}
		text, err := os.ReadFile("../engine/postgres/queries/" + f.Name())
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?m)^-- name: (\w+) `).FindAllStringSubmatch(string(text), -1) {
			queries = append(queries, m[1])
		}
	}
	exists := func(glob string) bool { // Finish* is every query that begins so
		prefix, open := strings.CutSuffix(glob, "*")
		return slices.ContainsFunc(queries, func(q string) bool { return q == glob || open && strings.HasPrefix(q, prefix) })
	}
	named := regexp.MustCompile(`sql:([\w*]+)`)
	for _, d := range Catalogue() {
		require.NoError(t, d.Faults.Check(), d.Name)
		for _, r := range d.Faults.Rules {
			for _, m := range named.FindAllStringSubmatch(r.Where, -1) {
				require.True(t, exists(m[1]), "%s: %s names the query %s, which does not exist", d.Name, r.Where, m[1])
			}
		}
	}
}

func TestRegressions_EachReplaysWithItsVerdictAndHash(t *testing.T) {
	files, err := filepath.Glob("../testdata/regressions/*.script")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	b, err := openBench(t.Context(), benchSetup{postgres: pg.NearestHow(), run: runID(), core: -1, log: t.Logf})
	require.NoError(t, err)
	defer b.close()
	for _, name := range files {
		s, err := ReplayOptions{File: name}.script()
		require.NoError(t, err)
		d, err := byName(s.Header.Drill)
		require.NoError(t, err, name)
		run, _ := b.replay(t.Context(), d, s)
		require.Equal(t, s.Header.Verdict, string(run.Verdict), "%s: %s %s; where the engine's SQL was changed on purpose: go test ./drills -run TestRehash -rehash",
			name, run.Error, strings.Join(run.Story, "\n"))
	}
}

func TestCatalogue_NoOracleIsBlindEverywhere(t *testing.T) {
	t.Parallel()
	for _, o := range oracle.All() {
		require.True(t, slices.ContainsFunc(Catalogue(), func(d Drill) bool { return !d.Canary && !slices.Contains(d.Blind, o.Name()) }), o.Name())
	}
}
