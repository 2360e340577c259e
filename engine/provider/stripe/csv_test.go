package stripe

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
)

const header = "automatic_payout_id,balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category," +
	"source_id,description,payment_metadata[invoice]\n"

const charge = "po_1,txn_1,2026-03-01 09:30:00,usd,21.00,0.86,20.14,charge,ch_1,March,inv_1\n"

func parse(body string) (engine.Statement, error) {
	return Parse(engine.RawStatement{Name: "march.csv", Body: []byte(body)}, engine.StatementOptions{})
}

func TestParse_ReadsARow(t *testing.T) {
	st, err := parse(header + charge)
	require.NoError(t, err)
	require.Equal(t, []engine.Row{{ID: "txn_1", Kind: engine.Charge, OccurredAt: time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC),
		ProviderRef: "ch_1", BusinessRef: "inv_1", PayoutRef: "po_1", Currency: "USD", Amount: 2100, Fee: 86}}, st.Rows)
}

func TestParse_FindsColumnsByNameAndIgnoresOthers(t *testing.T) {
	st, err := parse("\ufeffnet,surprise, source_id ,fee,gross,currency,reporting_category,balance_transaction_id,created_utc\r\n" +
		"1200,\"two\r\nlines, quoted\",ch_1,36,1236,JPY,charge,txn_1,2026-03-01 09:30:00\r\n" +
		"-5,x,,0,-5,jpy,from_the_future,txn_2,2026-03-01 09:30:00\r\n\r\n")
	require.NoError(t, err)
	require.Len(t, st.Rows, 2)
	require.EqualValues(t, 1236, st.Rows[0].Amount, "yen have no minor unit")
	require.Equal(t, engine.Adjustment, st.Rows[1].Kind, "an unknown category is kept")
	require.EqualValues(t, -5, st.Rows[1].Net())
}

func TestParse_EachDamageIsNamedByLineAndColumn(t *testing.T) {
	line := func(old, new string) string {
		return header + charge + strings.Replace(strings.Replace(charge, "txn_1", "txn_2", 1), old, new, 1)
	}
	for name, c := range map[string]struct{ body, says string }{
		"no header":       {charge, "march.csv:1: column missing: balance_transaction_id"},
		"column missing":  {strings.Replace(header, ",fee,", ",feee,", 1) + charge, "march.csv:1: column missing: fee; accepted: a header with"},
		"column twice":    {strings.Replace(header, ",description,", ",fee,", 1) + charge, `march.csv:1: the column "fee" is there twice`},
		"cut short":       {line(",March,inv_1", ""), "march.csv:3: 9 fields; accepted: 11"},
		"cut in quotes":   {header + charge + `po_1,"txn_2`, "march.csv:3: extraneous or missing \" in quoted-field"},
		"bare quote":      {line("March", `Ma"rch`), `march.csv:3: bare " in non-quoted-field`},
		"thousands":       {line("21.00", "\"1,021.00\""), `march.csv:3: column gross: amount "1,021.00": accepted for USD`},
		"amount empty":    {line("0.86", ""), `march.csv:3: column fee: amount "": accepted for USD`},
		"exponent":        {line("21.00", "1e3"), `march.csv:3: column gross: amount "1e3"`},
		"too many digits": {line("20.14", "20.140"), `march.csv:3: column net: amount "20.140"`},
		"too much":        {line("21.00", "92233720368547758.07"), "march.csv:3: column gross: found \"92233720368547758.07\"; accepted: amounts whose sum"},
		"net wrong":       {line("20.14", "20.15"), `march.csv:3: column net: found "20.15"; accepted: gross − fee = 2014 minor units`},
		"currency":        {line("usd", "us$"), `march.csv:3: column currency: found "us$"; accepted: an ISO 4217 code`},
		"time":            {line("09:30:00", "9:30"), `march.csv:3: column created_utc: found "2026-03-01 9:30"; accepted: a time like`},
		"day":             {line("2026-03-01", "2026-02-30"), `march.csv:3: column created_utc: found "2026-02-30 09:30:00"`},
		"no id":           {line("txn_2", ""), `march.csv:3: column balance_transaction_id: found ""; accepted: the balance transaction's id`},
		"no category":     {line("charge", ""), `march.csv:3: column reporting_category: found ""`},
		"not UTF-8":       {line("March", "M\xe4rz"), `march.csv:3: column description: found "M\xe4rz"; accepted: text in UTF-8`},
		"zero byte":       {line("inv_1", "inv\x00"), `march.csv:3: column payment_metadata[invoice]`},
		"other content":   {line("txn_2", "txn_1") + strings.Replace(charge, "inv_1", "inv_9", 1), `march.csv:4: column balance_transaction_id: found "txn_1"; accepted: the same content as on line 2, or another id`},
		"nothing":         {"", "march.csv: EOF; accepted: a header and rows"},
	} {
		st, err := parse(c.body)
		require.ErrorContains(t, err, c.says, name)
		require.Empty(t, st.Rows, name)
	}
}

func TestParse_TheLineIsThePhysicalOne(t *testing.T) {
	_, err := parse(header + strings.Replace(charge, "March", "\"a\nb\nc\"", 1) + strings.Replace(charge, "20.14", "x", 1))
	require.ErrorContains(t, err, "march.csv:5: column net")
}

func TestParse_ARepeatedRowCountsOnce(t *testing.T) {
	st, err := parse(header + charge + charge + charge)
	require.NoError(t, err)
	require.Len(t, st.Rows, 1)
	require.Equal(t, 2, st.Repeated)
}

func TestParse_AHeaderWithoutRowsIsAnEmptyStatement(t *testing.T) {
	st, err := parse(header)
	require.NoError(t, err)
	require.Empty(t, st.Rows)
}

func TestParse_SeveralAccountsInOneFileAreRefused(t *testing.T) {
	body := strings.Replace(header, "description", "connected_account", 1) + strings.Replace(charge, "March", "acct_a", 1) +
		strings.NewReplacer("March", "acct_b", "txn_1", "txn_2").Replace(charge)
	_, err := parse(body)
	require.ErrorContains(t, err, `march.csv:3: column connected_account: found "acct_b"; accepted: one account a file, here "acct_a"`)
}

func TestParse_LocalTimesNeedTheirZone(t *testing.T) {
	body := strings.Replace(header, "created_utc", "created", 1)
	_, err := parse(body + charge)
	require.ErrorContains(t, err, "created alone is accepted only with the zone")

	zone, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	opts := engine.StatementOptions{Zone: zone}
	st, err := Parse(engine.RawStatement{Body: []byte(body + charge)}, opts)
	require.NoError(t, err)
	require.Equal(t, time.Date(2026, 3, 1, 14, 30, 0, 0, time.UTC), st.Rows[0].OccurredAt)

	gap := strings.Replace(charge, "2026-03-01 09", "2026-03-08 02", 1)
	_, err = Parse(engine.RawStatement{Name: "march.csv", Body: []byte(body + gap)}, opts)
	require.ErrorContains(t, err, "that exists in America/New_York")
}

func TestParse_TheBusinessReferenceIsTheFirstColumnThatIsThere(t *testing.T) {
	body := strings.Replace(header, "description", "invoice_id", 1) + charge
	st, err := parse(body)
	require.NoError(t, err)
	require.Equal(t, "March", st.Rows[0].BusinessRef)

	raw := engine.RawStatement{Name: "march.csv", Body: []byte(body)}
	st, err = Parse(raw, engine.StatementOptions{BusinessRef: "payment_metadata[invoice]"})
	require.NoError(t, err)
	require.Equal(t, "inv_1", st.Rows[0].BusinessRef)

	_, err = Parse(raw, engine.StatementOptions{BusinessRef: "order"})
	require.ErrorContains(t, err, `march.csv:1: no column "order" for the business reference`)
}

func TestKindOf_KeepsWhatItDoesNotKnow(t *testing.T) {
	for category, want := range map[string]engine.RowKind{"charge": engine.Charge, "refund_failure": engine.RefundFailure,
		"payout_reversal": engine.PayoutReversal, "reserve_hold": engine.Reserve, "network_cost": engine.Adjustment,
		"anticipation_repayment": engine.Adjustment, "Charge": engine.Adjustment} {
		require.Equal(t, want, kindOf(category), category)
	}
}

// FuzzParse: never panics, never half-reads, and what it reads as money is what math/big reads there.
func FuzzParse(f *testing.F) {
	f.Add(header+charge, "21.00", "0.86")
	f.Add(header+"\"", "", "-")
	f.Add("\ufeff"+header+charge+charge, "1,234.5", "1e3")
	f.Add("a,b\n1,2", "92233720368547758.07", "0")
	f.Fuzz(func(t *testing.T, body, gross, fee string) {
		st, err := parse(body)
		if err != nil {
			require.Empty(t, st.Rows)
			require.Contains(t, err.Error(), "march.csv")
		}
		Recognises([]byte(body))

		g, okG := new(big.Rat).SetString(gross)
		e, okE := new(big.Rat).SetString(fee)
		if strings.ContainsAny(gross+fee, ",\"\r\n") || !okG || !okE || g.Num().BitLen()+e.Num().BitLen() > 200 {
			return
		}
		net := new(big.Rat).Sub(g, e).FloatString(2)
		st, err = parse(header + "po_1,txn_1,2026-03-01 09:30:00,usd," + gross + "," + fee + "," + net + ",charge,ch_1,,\n")
		if err == nil {
			require.Zero(t, new(big.Rat).Mul(g, big.NewRat(100, 1)).Cmp(big.NewRat(st.Rows[0].Amount, 1)))
			require.Zero(t, new(big.Rat).Mul(e, big.NewRat(100, 1)).Cmp(big.NewRat(st.Rows[0].Fee, 1)))
		}
	})
}
