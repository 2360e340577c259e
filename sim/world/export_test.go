package world

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const shopCSV = `automatic_payout_id,balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id,charge_id,payment_metadata[invoice]
po_1,txn_1,2026-02-27 09:00:00,usd,21.00,0.86,20.14,charge,ch_1,ch_1,inv-1
po_1,txn_2,2026-02-27 09:05:00,USD,21.00,0.86,20.14,charge,ch_2,ch_2,inv-1
po_1,txn_3,2026-02-28 10:00:00,USD,50.00,1.75,48.25,charge,ch_3,ch_3,inv-2
po_1,txn_4,2026-02-28 11:00:00,USD,-5.00,0.00,-5.00,refund,re_1,ch_3,inv-2
po_1,txn_5,2026-02-28 23:00:00,USD,-83.53,0.00,-83.53,payout,po_1,,
`

const shopLedger = `key,kind,occurred_at,provider_ref,business_ref,currency,amount_minor,fee_minor
payment/ch_1,charge,2026-02-27T09:00:00Z,ch_1,inv-1,USD,2100,86
payment/ch_3,charge,2026-02-28T10:00:00Z,ch_3,inv-2,USD,5000,
payment/ch_9,charge,2026-02-20T10:00:00Z,ch_9,inv-3,USD,700,
refund/re_1,refund,2026-02-28T11:00:00Z,re_1,inv-2,USD,-500,0
payout/po_1,payout,2026-02-28T23:00:00Z,po_1,,USD,-8353,0
`

func exported(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func shop(t *testing.T) string {
	return exported(t, map[string]string{"shop.csv": shopCSV, "shop.ledger.csv": shopLedger})
}

func TestExports_TheFileIsTheStatementOfOneAccount(t *testing.T) {
	w := make1(t, 1, Setup{Statements: shop(t)})
	require.Len(t, w.Accounts, 1)
	acc := w.Accounts[0]
	require.Equal(t, "acct_shop", acc.ID)
	require.Equal(t, "2026-03-01", acc.Windows[0].ID)
	require.Equal(t, "2026-02-27", acc.Windows[0].Start.Format(dateForm), "the window spans the file")
	whole := w.Provider.statement(acc.ID, acc.Windows[0])
	require.Equal(t, shopCSV, string(whole))
	cut := string(truncated(whole))
	require.NotContains(t, cut, "txn_4")
	require.Contains(t, cut, "txn_5")
	require.Equal(t, strings.SplitAfter(shopCSV, "\n")[0], string(emptied(whole)))
	moved, changed := shifted(whole)
	require.True(t, changed)
	require.NotContains(t, string(moved), "txn_4", "on no page")
	require.Equal(t, 2, strings.Count(string(moved), "txn_1,"), "on two pages")
	require.Equal(t, shopCSV, string(whole), "the whole statement stays as it is")
	truth := w.Truth()
	require.Len(t, truth.Payments, 3)
	require.True(t, truth.Refunds[0].Before)
	require.Empty(t, truth.DoubledRefunds())
	require.Zero(t, truth.Statement[0].NetMinor)
}

func TestExports_TheBooksAreTheLedgerFileAndInvoicesAreDerived(t *testing.T) {
	w := make1(t, 1, Setup{Statements: shop(t)})
	require.Len(t, w.Books, 5)
	require.Equal(t, "payment/ch_9", w.Books[0].Key, "by time")
	require.False(t, w.Books[0].HasFee)
	owed := map[string]int64{}
	for _, inv := range w.Invoices {
		owed[inv.ID] = inv.AmountMinor
	}
	require.Len(t, owed, 4, "and one that is open")
	require.EqualValues(t, 2100, owed["inv-1"])
	require.EqualValues(t, 5000, owed["inv-2"])
	require.EqualValues(t, 700, owed["inv-3"])
}

func TestExports_DifferencesAreFoundByThePlainComparison(t *testing.T) {
	planted := make1(t, 1, Setup{Statements: shop(t)}).Truth().Planted
	require.Equal(t, []string{
		"duplicate_at_provider charge USD 2014 row=txn_2 key= ref=inv-1",
		"missing_at_provider charge USD -700 row= key=payment/ch_9 ref=inv-3",
	}, plainly(planted))
	require.Equal(t, "2026-03-01", planted[0].Window)
}

func TestExports_BadFilesAreRefusedWithPlaceAndField(t *testing.T) {
	for _, c := range []struct{ old, new, file, want string }{
		{"50.00", "5x.00", "shop.csv", "shop.csv:4: column gross"},
		{"50.00", "50.001", "shop.csv", "at most 2 after a point"},
		{"2026-02-28 10:00:00", "28.02.2026", "shop.csv", "shop.csv:4: column created_utc"},
		{"gross", "brutto", "shop.csv", `no column "gross"`},
		{"5000", "", "shop.ledger.csv", "shop.ledger.csv:3: column amount_minor"},
		{"payment/ch_1,charge", "payment/ch_1,charges", "shop.ledger.csv", "column kind"},
		{"inv-3,USD", "inv-3,Dollar", "shop.ledger.csv", "column currency"},
	} {
		files := map[string]string{"shop.csv": shopCSV, "shop.ledger.csv": shopLedger}
		files[c.file] = strings.Replace(files[c.file], c.old, c.new, 1)
		_, err := New(nil, 1, Setup{Statements: exported(t, files)})
		require.ErrorContains(t, err, c.want)
	}
	_, err := New(nil, 1, Setup{Statements: exported(t, map[string]string{"shop.csv": shopCSV})})
	require.ErrorContains(t, err, "shop.ledger.csv")
	_, err = New(nil, 1, Setup{Statements: t.TempDir()})
	require.ErrorContains(t, err, "accepted is a directory of NAME.csv")
}

// A line that the database would refuse in the middle of a run is refused here, where its place is known.
func TestExports_WhatTheDatabaseWouldRefuseIsRefusedBeforeWithItsPlace(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"payment/ch_3", "payment/ch_1", "shop.ledger.csv:3: column key: found \"payment/ch_1\"; accepted: each key once; this one is on line 2 too"},
		{"payment/ch_3", "", "shop.ledger.csv:3: column key"},
		{"inv-1", "inv-\xe4", `shop.ledger.csv:2: column business_ref: found "inv-\xe4"; accepted: text in UTF-8`},
		{"ch_1,inv-1", "ch\x00_1,inv-1", "shop.ledger.csv:2: column provider_ref"},
		{",2100,", ",+2100,", "shop.ledger.csv:2: column amount_minor"},
		{",2100,", ",-2100,", "accepted: above zero for a charge"},
		{",-500,", ",500,", "accepted: below zero for a refund"},
		{",2100,", ",9223372036854775807,", "below 2^60"},
		{",86", ",-9223372036854775808", "shop.ledger.csv:2: column fee_minor"},
		{",700,", ",1152921504606846000,", "shop.ledger.csv:4: column amount_minor"},
		{",2100,86", ",2100", "shop.ledger.csv:2: 7 fields; accepted: 8"},
		{"payment/ch_3", `pay"ment`, "shop.ledger.csv:3: bare"},
		{"provider_ref,business_ref", "provider_ref,provider_ref", `shop.ledger.csv:1: the column "provider_ref" is there twice`},
	} {
		dir := exported(t, map[string]string{"shop.csv": shopCSV, "shop.ledger.csv": strings.Replace(shopLedger, c.old, c.new, 1)})
		_, err := New(nil, 1, Setup{Statements: dir})
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestExports_FilesOfAFolderFitTogether(t *testing.T) {
	other := strings.NewReplacer("inv-", "other-", "ch_", "och_").Replace
	_, err := New(nil, 1, Setup{Statements: exported(t, map[string]string{"shop.csv": shopCSV, "shop.ledger.csv": shopLedger,
		"twin.csv": other(shopCSV), "twin.ledger.csv": other(shopLedger)})})
	require.ErrorContains(t, err, "twin.ledger.csv: column key: found \"refund/re_1\", which is in ")
	require.ErrorContains(t, err, "shop.ledger.csv too; accepted: each key once")
	_, err = New(nil, 1, Setup{Statements: exported(t, map[string]string{"shop.csv": shopCSV, "shop.ledger.csv": shopLedger, "gone.ledger.csv": shopLedger})})
	require.ErrorContains(t, err, "gone.ledger.csv: books of no statement; accepted is gone.csv beside it")
	_, err = New(nil, 1, Setup{Statements: filepath.Join(t.TempDir(), "no [such")})
	require.ErrorContains(t, err, "no such file")
}

func TestExports_OfLaterDaysMoveTheEpoch(t *testing.T) {
	late := strings.ReplaceAll(shopCSV, "2026-02-", "2026-11-")
	dir := exported(t, map[string]string{"shop.csv": late, "shop.ledger.csv": shopLedger})
	_, err := New(nil, 1, Setup{Statements: dir})
	require.ErrorContains(t, err, "EpochFor")
	epoch, err := EpochFor(Setup{Statements: dir})
	require.NoError(t, err)
	require.Equal(t, time.Date(2026, 11, 29, 1, 55, 0, 0, time.UTC), epoch)
	require.Equal(t, "2026-11-28", func() string {
		return make1(t, 1, Setup{Statements: dir, Epoch: epoch}).Accounts[0].Windows[0].ID
	}())
	epoch, err = EpochFor(Setup{Statements: shop(t)})
	require.NoError(t, err)
	require.Equal(t, DefaultEpoch, epoch)
}

func TestExports_TheRepositorysOwnHoldExactlyWhatTheirNamesSay(t *testing.T) {
	s := Setup{Statements: filepath.Join("..", "..", "testdata", "statements")}
	epoch, err := EpochFor(s)
	require.NoError(t, err)
	s.Epoch = epoch
	kinds := map[string][]string{}
	for _, p := range make1(t, 1, s).Truth().Planted {
		kinds[p.Account] = append(kinds[p.Account], p.Kind)
	}
	require.Empty(t, kinds["acct_harbour-clean"])
	require.ElementsMatch(t, []string{PlantAmount, PlantFee, PlantPaidTwice, PlantBookedTwice, PlantMissingAtProvider, PlantMissingInLedger},
		kinds["acct_lantern-breaks"])
}
