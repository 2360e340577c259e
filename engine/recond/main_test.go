package main_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

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
		{[]string{"fly"}, `"fly" is no command; accepted is migrate`},
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
