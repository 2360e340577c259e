package main_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	main "github.com/recondrill/recondrill/engine/recond"
	"github.com/recondrill/recondrill/sim/pg"
)

func recond(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = main.Run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestMigrate_TwiceByFlagAndByFile(t *testing.T) {
	ctx := context.WithoutCancel(t.Context())
	server, err := pg.OpenNearest(ctx, pg.Options{Run: fmt.Sprintf("recond-%d", os.Getpid()), Core: -1})
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close(ctx) })
	require.NoError(t, server.CreateDatabase(ctx, "shop"))
	dsn := server.ConnString("shop")
	code, out, errs := recond(t, "migrate", "--dsn", dsn)
	require.Equal(t, 0, code, errs)
	require.Equal(t, "shop is at this build's schema\n", out)
	file := filepath.Join(t.TempDir(), "recond.yaml")
	require.NoError(t, os.WriteFile(file, []byte("database:\n  dsn: \""+dsn+"\"\n"), 0o600))
	code, _, errs = recond(t, "migrate", "--config", file)
	require.Equal(t, 0, code, errs)
}

func TestUsage_EachMistakeIsNamedAndExits2(t *testing.T) {
	file := filepath.Join(t.TempDir(), "recond.yaml")
	require.NoError(t, os.WriteFile(file, []byte("database:\n  dns: x\n"), 0o600))
	empty := filepath.Join(t.TempDir(), "empty.yaml")
	require.NoError(t, os.WriteFile(empty, []byte("database:\n  dsn: \"\"\n"), 0o600))
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"fly"}, `"fly" is no command; accepted are migrate, ops`},
		{[]string{"migrate"}, "--dsn is empty; accepted is postgres://"},
		{[]string{"migrate", "now"}, `migrate takes no argument, found "now"`},
		{[]string{"migrate", "--dns", "x"}, "unknown flag: --dns"},
		{[]string{"migrate", "--dsn", "postgres://h:port/x"}, "--dsn: "},
		{[]string{"migrate", "--dsn", "x", "--config", file}, "both given"},
		{[]string{"migrate", "--config", "/nowhere/x.yaml"}, "no such file"},
		{[]string{"migrate", "--config", file}, "recond.yaml: "},
		{[]string{"migrate", "--config", empty}, "empty.yaml: database.dsn is empty"},
	} {
		code, out, errs := recond(t, c.args...)
		require.Equal(t, 2, code, c.args)
		require.Empty(t, out, c.args)
		require.Contains(t, errs, c.says, c.args)
	}
	_, _, errs := recond(t, "migrate", "--config", file)
	require.Contains(t, errs, "line 2")
	require.Contains(t, errs, "dns")
}

func TestMigrate_ADatabaseThatDoesNotAnswerExits3(t *testing.T) {
	code, _, errs := recond(t, "migrate", "--dsn", "postgres://ann:secret@127.0.0.1:1/x")
	require.Equal(t, 3, code)
	require.NotContains(t, errs, "secret")
}

// shop is a migrated database of its own.
func shop(t *testing.T) (dsn string, exec func(sql string)) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	server, err := pg.OpenNearest(ctx, pg.Options{Run: fmt.Sprintf("recond-ops-%d", os.Getpid()), Core: -1})
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close(ctx) })
	require.NoError(t, server.CreateDatabase(ctx, "shop"))
	dsn = server.ConnString("shop")
	code, _, errs := recond(t, "migrate", "--dsn", dsn)
	require.Equal(t, 0, code, errs)
	conn, err := pgx.Connect(ctx, dsn)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(ctx) })
	return dsn, func(sql string) {
		t.Helper()
		_, err := conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
		require.NoError(t, err, sql)
	}
}

func TestOps_AfterAFailoverAPersonRecoversAndApproves(t *testing.T) {
	dsn, exec := shop(t)
	word := []string{"--dsn", dsn, "--since", "2026-03-02T02:00:00+01:00", "--who", "ann", "--why", "the primary burnt"}
	code, out, errs := recond(t, "ops", "status", "--dsn", dsn)
	require.Equal(t, 0, code, errs)
	require.Equal(t, "incarnation 1 acts outside\nnot at an end:\n", out)
	code, _, errs = recond(t, append([]string{"ops", "recover"}, word...)...)
	require.Equal(t, 2, code)
	require.Contains(t, errs, "nothing to recover: incarnation 1 is this server's")
	require.Contains(t, errs, "say --rolled-back")

	exec(`create or replace function recon.server_identity(out system_identifier text, out timeline integer) language sql stable as $$ select 'promoted', 2 $$;
		insert into recon.account (account_id, zone, provider_lag, created_at) values ('a', 'UTC', '1 hour', recon.now());
		insert into recon.window (account_id, window_id, starts_at, ends_at, due_at) values ('a', '2026-03-01', '2026-03-01', '2026-03-02', '2026-03-02');
		insert into recon.night (night_id, state, opened_at) values ('2026-03-02', 'open', recon.now());
		insert into recon.admission (slot, night_id, token, request_id, correlation_id, bound, selected, inserted, late, admitted_by, admitted_at)
			values ('2026-03-02', '2026-03-02', 'nightly', 'r', 'c', 1, 1, 1, false, 'test', recon.now());
		insert into recon.job (job_id, account_id, window_id, state, slot, next_at, since) values ('a/2026-03-01', 'a', '2026-03-01', 'done', '2026-03-02', recon.now(), recon.now());
		insert into recon.envelope (job_id, generation, ordinal, statement_hash, statement_name, rows_seen, matched, breaks, attempt, fence_incarnation,
			fence_number, correlation_id, recorded_at) values ('a/2026-03-01', 1, 1, 'h', 's', 0, 0, 0, 1, 1, 1, 'c', recon.now());
		insert into recon.break (break_key, job_id, generation, account_id, window_id, kind, state, row_kind, currency, residual_minor, since)
			values ('b', 'a/2026-03-01', 1, 'a', '2026-03-01', 'duplicate_at_provider', 'open', 'charge', 'USD', 900, recon.now());
		insert into recon.correction (correction_id, break_key, job_id, account_id, act, act_number, idempotency_key, payment_ref, currency, amount_minor,
			state, next_at, since) values ('b/refund/1', 'b', 'a/2026-03-01', 'a', 'refund', 1, 'refund/a/ch/1', 'ch', 'USD', 900, 'proposed', recon.now(), recon.now())`)
	code, out, errs = recond(t, "ops", "status", "--dsn", dsn, "--json")
	require.Equal(t, 0, code, errs)
	require.Contains(t, out, `{"type":"status","incarnation":2,"stopped":"incarnation 2 began at `)
	require.Contains(t, out, `"alarms":[{"kind":"incarnation","subject":"server"`)
	require.Contains(t, out, `"unsettled":[{"kind":"correction","state":"proposed","number":1}],"in_doubt":[]}`)
	code, out, errs = recond(t, append([]string{"ops", "recover", "--dry-run"}, word...)...)
	require.Equal(t, 0, code, errs)
	require.Equal(t, "nothing was done; these would be asked about by key before they act\n  correction proposed 1\n", out)
	code, out, errs = recond(t, append([]string{"ops", "recover", "--json"}, word...)...)
	require.Equal(t, 0, code, errs)
	require.Equal(t, `{"type":"recovered","incarnation":2,"since":"2026-03-02T01:00:00Z","dry_run":false,"in_doubt":[{"kind":"correction","state":"proposed","number":1}]}`+"\n", out)
	code, out, errs = recond(t, "ops", "status", "--dsn", dsn)
	require.Equal(t, 0, code, errs)
	require.Equal(t, "incarnation 2 acts outside\nnot at an end:\n  correction proposed 1\nof these, asked about by key before they act:\n  correction proposed 1\n", out)

	file := filepath.Join(t.TempDir(), "recond.yaml")
	require.NoError(t, os.WriteFile(file, []byte("database:\n  dsn: \""+dsn+"\"\nops:\n  four_eyes: 899\n"), 0o600))
	approve := func(who, expect string) (int, string, string) {
		return recond(t, "ops", "approve", "b/refund/1", "--config", file, "--expect", expect, "--who", who, "--why", "seen")
	}
	code, out, errs = approve("ann", "1")
	require.Equal(t, 0, code, errs)
	require.Equal(t, "b/refund/1 is proposed at version 2\n", out, "the file's limit takes two persons")
	code, _, errs = approve("bob", "1")
	require.Equal(t, 2, code)
	require.Contains(t, errs, "now proposed at version 2")
	code, out, errs = approve("bob", "2")
	require.Equal(t, 0, code, errs)
	require.Equal(t, "b/refund/1 is approved at version 3\n", out)
}

func TestOps_EachMistakeIsNamedAndExits2(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"ops", "fly"}, `"fly" is no operator's command; accepted are approve, recover, status`},
		{[]string{"ops", "recover", "--since", "x", "--who", "ann", "--why", "y"}, `--since "x"; accepted is an instant like`},
		{[]string{"ops", "recover", "--since", "2026-03-02T01:00:00Z", "--why", "y"}, `--who "" --why "y"; accepted is`},
		{[]string{"ops", "recover", "now"}, `recover takes no argument, found "now"`},
		{[]string{"ops", "approve"}, "approve takes one correction"},
		{[]string{"ops", "status"}, "--dsn is empty"},
	} {
		code, out, errs := recond(t, c.args...)
		require.Equal(t, 2, code, c.args)
		require.Empty(t, out, c.args)
		require.Contains(t, errs, c.says, c.args)
	}
}
