package postgres_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/enginetest"
	"github.com/recondrill/recondrill/engine/ledger"
	"github.com/recondrill/recondrill/engine/postgres"
)

// as runs one statement as a role of the schema and gives the server's refusal, "" where there was none.
func as(t *testing.T, s *enginetest.Stage, role, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(s.Ctx, running.ConnString(s.Text("select current_database()")))
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(s.Ctx))
	_, err = conn.Exec(s.Ctx, "set role "+role+"; "+sql, pgx.QueryExecModeSimpleProtocol)
	if err == nil {
		return ""
	}
	var refusal *pgconn.PgError
	require.ErrorAs(t, err, &refusal)
	return refusal.Code + " " + refusal.Message
}

func TestLedger_TransactionsSumToZeroOrAreRefused(t *testing.T) {
	s := server.Open(t)
	s.Exec("insert into recon.account (account_id, zone, provider_lag, created_at) values ('a', 'UTC', '0', recon.now())")
	book := func(lines string) string {
		return as(t, s, "recon_engine", `begin; insert into recon.transaction (business_key, kind, account_id, occurred_at, booked_at) values ('k', 'payment', 'a', recon.now(), recon.now()); `+lines+` commit`)
	}
	line := func(n, book, currency, amount string) string {
		return "insert into recon.posting (business_key, line, book, account_id, currency, amount_minor) values ('k', " + n + ", '" + book + "', 'a', '" + currency + "', " + amount + "); "
	}
	require.Contains(t, book(""), "23514 transaction k has no postings")
	require.Contains(t, book(line("1", "clearing", "USD", "100")), "postings of k do not sum to zero: USD 100")
	require.Contains(t, book(line("1", "clearing", "USD", "100")+line("2", "receivable", "EUR", "-100")), "EUR -100, USD 100")
	require.Contains(t, book(line("1", "clearing", "USD", "0")), "23514")
	require.Equal(t, "", book(line("1", "clearing", "USD", "100")+line("2", "receivable", "USD", "-100")))
	require.Contains(t, book(line("3", "clearing", "USD", "1")+line("4", "receivable", "USD", "-1")), "23505", "one transaction a business key")
}

func TestLedger_AppendOnlyTablesKnowNoUpdateAndNoDelete(t *testing.T) {
	s := server.Open(t)
	s.Books()
	s.Exec(`begin; insert into recon.transaction (business_key, kind, account_id, occurred_at, booked_at) values ('k', 'payment', 'acct_1', recon.now(), recon.now())`)
	s.Exec(`insert into recon.posting (business_key, line, book, account_id, currency, amount_minor) values ('k', 1, 'clearing', 'acct_1', 'USD', 1), ('k', 2, 'receivable', 'acct_1', 'USD', -1)`)
	s.Exec(`insert into recon.audit (at, actor, act, record, version) values (recon.now(), 'person:ann', 'x', 'job:x', 1)`)
	s.Exec(`commit`)
	for _, table := range []string{"transaction", "posting", "audit", "admission", "envelope"} {
		for _, verb := range []string{"update recon." + table + " set " + s.Text("select attname from pg_attribute where attrelid = ('recon.' || $1)::regclass and attnum = 1", table) + " = default", "delete from recon." + table} {
			for _, role := range []string{"recon_engine", "recon_operator", "recon_reader"} {
				require.Contains(t, as(t, s, role, verb), "42501", "%s: %s", role, verb)
			}
		}
		require.Contains(t, as(t, s, "recon_owner", "delete from recon."+table), "is append-only: delete refused", "not even the owner")
	}
}

func TestRoles_EachMayDoWhatItsNameSays(t *testing.T) {
	s := server.Open(t)
	s.Books()
	for role, may := range map[string]map[string]bool{
		"recon_engine": {"select 1 from recon.job": true, "update recon.job set version = 1": true, "delete from recon.pause": false,
			"create table recon.x ()": false, "alter table recon.job add x text": false, "drop function recon.now()": false, "delete from recon.job": false},
		"recon_operator": {"select 1 from recon.job": true, "update recon.job set version = 1": true, "delete from recon.pause": true,
			"create table recon.x ()": false, "delete from recon.job": false},
		"recon_reader": {"select 1 from recon.job": true, "update recon.job set version = 1": false, "insert into recon.lane values ('x', 1)": false},
	} {
		for sql, allowed := range may {
			refusal := as(t, s, role, sql)
			require.Equal(t, allowed, refusal == "", "%s: %s: %s", role, sql, refusal)
		}
	}
	require.Equal(t, "false false\nfalse false\nfalse false\nfalse false", s.Text("select rolcanlogin, rolsuper from pg_roles where rolname like 'recon%' order by rolname"))
	require.Equal(t, "0", s.Text(`select count(*) from pg_class where relnamespace = 'recon'::regnamespace and relkind in ('r', 'S') and relowner <> 'recon_owner'::regrole`))
}

func TestSchema_EveryTableHasAPrimaryKey(t *testing.T) {
	s := server.Open(t)
	require.Equal(t, "", s.Text(`select c.relname from pg_class c where c.relnamespace = 'recon'::regnamespace and c.relkind = 'r'
		and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary) order by 1`))
}

// The checks of the database know the same states as the transition tables.
func TestSchema_ChecksKnowTheStatesOfTheTables(t *testing.T) {
	s := server.Open(t)
	quoted := regexp.MustCompile(`'([a-z_]+)'`)
	states := func(table string) []string {
		check := s.Text(`select pg_get_constraintdef(oid) from pg_constraint where conrelid = ('recon.' || $1)::regclass and conname = $1 || '_state_check'`, table)
		var all []string
		for _, m := range quoted.FindAllStringSubmatch(check, -1) {
			all = append(all, m[1])
		}
		slices.Sort(all)
		return all
	}
	require.Equal(t, sorted(engine.JobStates()), states("job"))
	require.Equal(t, sorted(engine.IntentStates()), states("intent"))
	require.Equal(t, sorted(engine.CorrectionStates()), states("correction"))
	require.Equal(t, sorted([]engine.BreakState{engine.BreakTiming, engine.BreakOpen, engine.BreakResolved, engine.BreakAccepted}), states("break"))
}

func TestSchema_ChecksKnowTheBooksOfTheLedger(t *testing.T) {
	s := server.Open(t)
	check := s.Text(`select string_agg(pg_get_constraintdef(oid), ' ') from pg_constraint where conrelid = 'recon.posting'::regclass and contype = 'c'`)
	for _, book := range ledger.Books() {
		require.Contains(t, check, "'"+string(book)+"'")
	}
}

func sorted[S ~string](all []S) []string {
	var out []string
	for _, s := range all {
		out = append(out, string(s))
	}
	slices.Sort(out)
	return out
}

func TestMigrate_AgainChangesNothingAndANewerDatabaseIsRefused(t *testing.T) {
	s := server.Open(t)
	cfg, err := pgx.ParseConfig(running.ConnString(s.Text("select current_database()")))
	require.NoError(t, err)
	before := s.Text("select version, name from recon.schema_migration order by 1")
	require.Contains(t, before, "1 0001_ground.sql\n")
	require.NoError(t, postgres.Migrate(s.Ctx, cfg))
	require.Equal(t, before, s.Text("select version, name from recon.schema_migration order by 1"))
	s.Exec("insert into recon.schema_migration values (999, '0999_later.sql')")
	require.ErrorContains(t, postgres.Migrate(s.Ctx, cfg), "deploy a newer build")
}

func TestMigrate_TwoAtOnceAreOne(t *testing.T) {
	s := server.Open(t)
	s.Exec("drop schema recon cascade")
	cfg, err := pgx.ParseConfig(running.ConnString(s.Text("select current_database()")))
	require.NoError(t, err)
	errs := make(chan error, 2)
	for range 2 {
		go func() { errs <- postgres.Migrate(context.WithoutCancel(s.Ctx), cfg.Copy()) }()
	}
	require.NoError(t, <-errs)
	require.NoError(t, <-errs)
	require.NotEmpty(t, strings.TrimSpace(s.Text("select count(*) from recon.schema_migration")))
}
