package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
)

func row(id string, kind engine.RowKind, ref, payout string, c engine.Currency, amount, fee int64) engine.Row {
	return engine.Row{ID: id, Kind: kind, ProviderRef: ref, PayoutRef: payout, Currency: c, Amount: amount, Fee: fee}
}

// batch is one automatic payout of two charges that ties.
func batch() []engine.Row {
	return []engine.Row{
		row("t1", engine.Charge, "ch_1", "po_1", "USD", 2100, 86),
		row("t2", engine.Charge, "ch_2", "po_1", "USD", 1000, 59),
		row("t3", engine.Payout, "po_1", "po_1", "USD", -2955, 0),
	}
}

func TestWhole_APayoutThatTiesProvesItself(t *testing.T) {
	require.NoError(t, Whole(engine.Statement{Rows: batch()}))
}

func TestWhole_AMissingRowIsSeenEvenWhenTheProviderSaysCompleted(t *testing.T) {
	for _, completed := range []bool{false, true} {
		err := Whole(engine.Statement{Rows: batch()[1:], Completed: completed})
		require.ErrorIs(t, err, ErrNotWhole)
		require.ErrorContains(t, err, "payout po_1: its 1 rows sum to 941 USD minor units, it paid out 2955")
	}
}

// E4-43: members of one payout that sum to something else are not explained away.
func TestWhole_APayoutWithARowTooManyIsNotWhole(t *testing.T) {
	rows := append(batch(), row("t4", engine.Adjustment, "", "po_1", "USD", 500, 0))
	require.ErrorIs(t, Whole(engine.Statement{Rows: rows, Completed: true}), ErrNotWhole)
	other := append(batch(), row("t4", engine.Charge, "ch_3", "po_1", "EUR", 500, 0))
	require.ErrorIs(t, Whole(engine.Statement{Rows: other}), ErrNotWhole, "another currency is another batch")
}

func TestWhole_RowsOutsideAPayoutNeedTheProvidersWord(t *testing.T) {
	for name, rows := range map[string][]engine.Row{
		"empty":         nil,
		"manual payout": append(batch(), row("t4", engine.Payout, "po_2", "", "USD", -700, 0)),
		"no payout id":  append(batch(), row("t4", engine.DisputeReversal, "dp_1", "", "USD", 700, 0)),
		"payout absent": batch()[:2],
	} {
		require.ErrorIs(t, Whole(engine.Statement{Rows: rows}), ErrNotWhole, name)
		require.NoError(t, Whole(engine.Statement{Rows: rows, Completed: true}), name)
	}
}

func TestParse_RefusesWhatNoFormatRecognises(t *testing.T) {
	for _, body := range []string{"", "\n", "txn_1,2026-03-01,USD,21.00,0.86,20.14,charge\n", "<Document/>", "\xff\xfeb\x00"} {
		_, err := Parse(engine.RawStatement{Name: "march.csv", Body: []byte(body)}, engine.StatementOptions{})
		require.ErrorContains(t, err, "march.csv:1: ")
		require.ErrorContains(t, err, "accepted: stripe")
	}
}

func TestParse_OurExportsAreReadAndTie(t *testing.T) {
	files, err := filepath.Glob("../../testdata/statements/*.csv")
	require.NoError(t, err)
	read := 0
	for _, file := range files {
		if strings.HasSuffix(file, ".ledger.csv") {
			continue
		}
		body, err := os.ReadFile(file)
		require.NoError(t, err)
		st, err := Parse(engine.RawStatement{Name: file, Body: body}, engine.StatementOptions{})
		require.NoError(t, err)
		require.Equal(t, "stripe", st.Format)
		read++
		if strings.Contains(file, "meadow") { // has a manual payout
			require.ErrorIs(t, Whole(st), ErrNotWhole)
		} else {
			require.NoError(t, Whole(st), file)
		}
		st.Completed = true
		require.NoError(t, Whole(st), file)
	}
	require.GreaterOrEqual(t, read, 3)
}
