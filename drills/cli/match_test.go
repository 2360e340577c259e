package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const statements = "../../testdata/statements/"

const (
	matchHeader  = "balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id,invoice_id,order\n"
	ledgerHeader = "key,kind,occurred_at,provider_ref,business_ref,currency,amount_minor,fee_minor\n"
)

func runMatch(t *testing.T, args MatchArgs) (code int, stdout, stderr string) {
	t.Helper()
	var out, talk bytes.Buffer
	code = Match(args, &out, &talk)
	return code, out.String(), talk.String()
}

// written puts a statement and a ledger into files.
func written(t *testing.T, statement, ledger string) MatchArgs {
	t.Helper()
	dir := t.TempDir()
	args := MatchArgs{Statement: filepath.Join(dir, "st.csv"), Ledger: filepath.Join(dir, "led.csv"), JSON: true}
	require.NoError(t, os.WriteFile(args.Statement, []byte(statement), 0o600))
	require.NoError(t, os.WriteFile(args.Ledger, []byte(ledger), 0o600))
	return args
}

func exported(name string, asJSON bool) MatchArgs {
	return MatchArgs{Statement: statements + name + ".csv", Ledger: statements + name + ".ledger.csv", JSON: asJSON}
}

func TestMatch_CleanExportsLeaveNothing(t *testing.T) {
	for name, want := range map[string]string{
		"harbour-clean": `{"matched":17,"breaks":[],"provider_total":{"EUR":0,"JPY":0,"USD":0},"ledger_total":{"EUR":0,"JPY":0,"USD":0},"residual":{"EUR":0,"JPY":0,"USD":0}}`,
		"meadow-mixed":  `{"matched":9,"breaks":[],"provider_total":{"JPY":53020,"KWD":11883,"USD":0},"ledger_total":{"JPY":53020,"KWD":11883,"USD":0},"residual":{"JPY":0,"KWD":0,"USD":0}}`,
	} {
		code, out, talk := runMatch(t, exported(name, true))
		require.Equal(t, want+"\n", out)
		require.Zero(t, code)
		require.Contains(t, talk, "the file does not say that it is complete")
		require.Equal(t, 1, strings.Count(talk, "\n"))
	}
}

func TestMatch_EachPlainDifferenceIsOneBreak(t *testing.T) {
	code, out, _ := runMatch(t, exported("lantern-breaks", true))
	require.Equal(t, 1, code)
	require.Equal(t, `{"matched":7,"breaks":[`+
		`{"kind":"amount_differs","provider_ref":"ch_ln_203","key":"payment/ch_ln_203","currency":"USD","residual_minor":-100},`+
		`{"kind":"duplicate_at_provider","provider_ref":"ch_ln_206b","key":"","currency":"USD","residual_minor":4825},`+
		`{"kind":"duplicate_in_ledger","provider_ref":"ch_ln_207","key":"payment/ch_ln_207#2","currency":"USD","residual_minor":-2495},`+
		`{"kind":"fee_differs","provider_ref":"ch_ln_205","key":"payment/ch_ln_205","currency":"USD","residual_minor":-12},`+
		`{"kind":"missing_at_provider","provider_ref":"ch_ln_299","key":"payment/ch_ln_299","currency":"USD","residual_minor":-1800},`+
		`{"kind":"missing_in_ledger","provider_ref":"ch_ln_204","key":"","currency":"USD","residual_minor":3174}],`+
		`"provider_total":{"EUR":0,"USD":0},"ledger_total":{"EUR":0,"USD":-3592},"residual":{"EUR":0,"USD":3592}}`+"\n", out)
}

func TestMatch_ThePageForPeopleIsMoneyAndAligned(t *testing.T) {
	code, out, _ := runMatch(t, exported("lantern-breaks", false))
	require.Equal(t, 1, code)
	require.Equal(t, `matched  7 of 11 statement rows; 9 of 11 ledger entries have a partner
repeated 1 line of the statement, counted once
fees     1 taken from the statement, the ledger had none booked
breaks   6

break                  of      provider ref  reference        ledger key           residual
amount_differs         charge  ch_ln_203     inv_lantern_203  payment/ch_ln_203       -1.00  USD
duplicate_at_provider  charge  ch_ln_206b    inv_lantern_206  -                       48.25  USD
duplicate_in_ledger    charge  ch_ln_207     inv_lantern_207  payment/ch_ln_207#2    -24.95  USD
fee_differs            charge  ch_ln_205     inv_lantern_205  payment/ch_ln_205       -0.12  USD
missing_at_provider    charge  ch_ln_299     inv_lantern_299  payment/ch_ln_299      -18.00  USD
missing_in_ledger      charge  ch_ln_204     inv_lantern_204  -                       31.74  USD

net total  provider  ledger  residual
EUR            0.00    0.00      0.00
USD            0.00  -35.92     35.92
`, out)
}

func TestMatch_TheEquationHoldsInTheAnswer(t *testing.T) {
	_, out, _ := runMatch(t, exported("lantern-breaks", true))
	var answer matchJSON
	require.NoError(t, json.Unmarshal([]byte(out), &answer))
	sum := map[string]int64{}
	for _, b := range answer.Breaks {
		sum[string(b.Currency)] += b.Residual
	}
	for c, residual := range answer.Residual {
		require.Equal(t, residual, answer.ProviderTotal[c]-answer.LedgerTotal[c])
		require.Equal(t, residual, sum[string(c)])
	}
}

func TestMatch_HeadersWithoutRowsAreEmptyFiles(t *testing.T) {
	code, out, _ := runMatch(t, written(t, matchHeader, ledgerHeader))
	require.Zero(t, code)
	require.Equal(t, `{"matched":0,"breaks":[],"provider_total":{},"ledger_total":{},"residual":{}}`+"\n", out)
	code, _, _ = runMatch(t, written(t, matchHeader, ledgerHeader+"k,charge,2026-03-01T09:00:00Z,ch_1,,USD,2100,86\n"))
	require.Equal(t, 1, code, "there is no grace")
}

func TestMatch_TheBusinessReferenceCanBeAnyColumn(t *testing.T) {
	args := written(t, matchHeader+"t1,2026-03-01 09:00:00,USD,21.00,0.86,20.14,charge,ch_1,in_1,A7\n",
		ledgerHeader+"k,charge,2026-03-01,,A7,usd,2100,\n")
	code, _, _ := runMatch(t, args)
	require.Equal(t, 1, code)
	args.BusinessRef = "order"
	code, out, _ := runMatch(t, args)
	require.Zero(t, code)
	require.Contains(t, out, `"ledger_total":{"USD":2014}`, "the fee is the statement's")
	args.BusinessRef = "no such"
	code, out, talk := runMatch(t, args)
	require.Equal(t, 2, code)
	require.Empty(t, out)
	require.Contains(t, talk, `no column "no such"`)
}

func TestMatch_BadInputIsOneLineAndNothingOnStdout(t *testing.T) {
	row := "k1,charge,2026-03-01T09:00:00Z,ch_1,inv_1,USD,2100,86\n"
	ledger := func(old, new string) string {
		return ledgerHeader + row + strings.Replace(strings.Replace(row, "k1", "k2", 1), old, new, 1)
	}
	for name, c := range map[string]struct{ statement, ledger, says string }{
		"no statement":      {"", ledgerHeader, "st.csv:1: no statement format that is known, or no header"},
		"statement no rows": {"a,b\n1,2\n", ledgerHeader, "st.csv:1: no statement format"},
		"ledger no header":  {matchHeader, row, "led.csv:1: column missing: key; accepted: a header with key,kind"},
		"ledger empty":      {matchHeader, "", "led.csv:1: no header; accepted: key,kind"},
		"ledger twice":      {matchHeader, "key,key" + ledgerHeader[3:], `led.csv:1: the column "key" is there twice`},
		"cut":               {matchHeader, ledger(",2100,86", ""), "led.csv:3: 6 fields; accepted: 8"},
		"quote":             {matchHeader, ledger("ch_1", `"ch_1`), "led.csv:"},
		"no key":            {matchHeader, ledger("k2", ""), `led.csv:3: column key: found ""`},
		"key twice":         {matchHeader, ledger("k2", "k1"), `led.csv:3: column key: found "k1"; accepted: each key once; this one is on line 2 too`},
		"kind":              {matchHeader, ledger("charge", "sale"), `led.csv:3: column kind: found "sale"; accepted: one of [charge refund`},
		"currency":          {matchHeader, ledger("USD", "US"), `led.csv:3: column currency: found "US"`},
		"time":              {matchHeader, ledger("T09:00:00Z", " 9h"), `led.csv:3: column occurred_at: found "2026-03-01 9h"; accepted: an instant like`},
		"major units":       {matchHeader, ledger("2100", "21.00"), `led.csv:3: column amount_minor: found "21.00"; accepted: signed minor units`},
		"no amount":         {matchHeader, ledger("2100", ""), `led.csv:3: column amount_minor: found ""`},
		"plus":              {matchHeader, ledger("2100", "+2100"), `led.csv:3: column amount_minor: found "+2100"`},
		"fee":               {matchHeader, ledger("86", "-"), `led.csv:3: column fee_minor: found "-"; accepted: signed minor units, like 86, or nothing`},
		"too much":          {matchHeader, ledger("2100", "9223372036854775807"), "led.csv:3: column amount_minor: found \"9223372036854775807\"; accepted: amounts whose sum"},
		"not UTF-8":         {matchHeader, ledger("inv_1", "\xff"), `led.csv:3: column business_ref: found "\xff"`},
	} {
		code, out, talk := runMatch(t, written(t, c.statement, c.ledger))
		require.Equal(t, 2, code, name)
		require.Empty(t, out, name)
		require.Contains(t, talk, c.says, name)
		require.Equal(t, 1, strings.Count(talk, "\n"), name)
	}
	args := written(t, matchHeader, ledgerHeader)
	for _, bad := range []MatchArgs{{Statement: args.Statement + "x", Ledger: args.Ledger}, {Statement: args.Statement, Ledger: args.Ledger + "x"},
		{Statement: filepath.Dir(args.Statement), Ledger: args.Ledger}} {
		code, out, talk := runMatch(t, bad)
		require.Equal(t, 2, code)
		require.Empty(t, out)
		require.Equal(t, 1, strings.Count(talk, "\n"), talk)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestMatch_AnAnswerThatCouldNotBeWrittenIsNoPass(t *testing.T) {
	var talk bytes.Buffer
	require.Equal(t, 3, Match(exported("harbour-clean", true), brokenPipe{}, &talk))
	require.Contains(t, talk.String(), "could not be written")
}

func TestMatch_ReferencesCannotMoveTheTerminal(t *testing.T) {
	args := written(t, matchHeader+"t1,2026-03-01 09:00:00,USD,21.00,0.86,20.14,charge,\"ch\x1b[2J\n1\",,\n", ledgerHeader)
	args.JSON = false
	_, out, _ := runMatch(t, args)
	require.Contains(t, out, `"ch\x1b[2J\n1"`)
}

func FuzzReadLedger(f *testing.F) {
	f.Add(ledgerHeader + "k1,charge,2026-03-01T09:00:00Z,ch_1,inv_1,USD,2100,86\n")
	f.Add(ledgerHeader + "k1,charge,2026-03-01T09:00:00Z,ch_1,inv_1,USD,,\n\"")
	f.Add("\ufeffkey\n\x00")
	f.Fuzz(func(t *testing.T, body string) {
		items, err := readLedger("led.csv", []byte(body))
		if err != nil {
			require.Empty(t, items)
			require.Contains(t, err.Error(), "led.csv:")
		}
	})
}
