package world

import (
	"cmp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// make1 is a world without a kernel: only its data is wanted.
func make1(t *testing.T, seed uint64, s Setup) *World {
	t.Helper()
	w, err := New(nil, seed, s)
	require.NoError(t, err)
	return w
}

func everyPlant() Setup { return Setup{Accounts: 3, Windows: 2, Plant: PlantKinds()} }

func TestGenerate_SameSeedSameWorld(t *testing.T) {
	for seed := range uint64(20) {
		a, b := make1(t, seed, everyPlant()), make1(t, seed, everyPlant())
		require.Equal(t, a.Accounts, b.Accounts)
		require.Equal(t, a.Contacts, b.Contacts)
		require.Equal(t, a.Invoices, b.Invoices)
		require.Equal(t, a.Books, b.Books)
		require.Equal(t, a.Truth(), b.Truth())
	}
}

func TestGenerate_TwoSeedsDiffer(t *testing.T) {
	a, b := make1(t, 1, Setup{}), make1(t, 2, Setup{})
	require.NotEqual(t, a.Invoices, b.Invoices)
	require.NotEqual(t, a.Books, b.Books)
	require.NotEqual(t, a.Truth().Payments, b.Truth().Payments)
}

func TestGenerate_OneMoreAccountMovesNoOther(t *testing.T) {
	small, large := make1(t, 5, Setup{Accounts: 1, Plant: []string{PlantNone}}), make1(t, 5, Setup{Accounts: 3, Plant: []string{PlantNone}})
	require.Equal(t, small.Accounts[0], large.Accounts[0])
	require.Equal(t, small.Books, slices.DeleteFunc(large.Books, func(f Fact) bool { return f.Account != "acct_1" }))
}

func TestGenerate_WindowsOfMarchFirstAreDueByTwo(t *testing.T) {
	two := time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	zones, sharp := map[string]bool{}, false
	for seed := range uint64(60) {
		for _, a := range make1(t, seed, Setup{}).Accounts {
			w := a.Windows[len(a.Windows)-1]
			require.Equal(t, "2026-03-01", w.ID, a.Zone)
			require.False(t, w.DueAt.After(two), a.Zone)
			require.Equal(t, w.End.Add(a.ProviderLag), w.DueAt)
			zones[a.Zone], sharp = true, sharp || w.DueAt.Equal(two)
		}
	}
	require.Len(t, zones, len(homes))
	require.True(t, sharp, "no window is due at the very instant of the slot")
}

func TestGenerate_SomeUnpaidInvoiceHasAStepDueInTheFirstNight(t *testing.T) {
	two := time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	due, later := 0, 0
	for seed := range uint64(60) {
		w, unpaid := make1(t, seed, Setup{}), 0
		for _, inv := range w.Invoices {
			if _, paid := w.Truth().PaidAt(inv.ID, inv.AmountMinor); paid {
				continue
			}
			unpaid++
			if slices.ContainsFunc(inv.Steps, func(s Step) bool { return !s.DueAt.After(two) }) {
				due++
			} else {
				later++
			}
		}
		require.Positive(t, unpaid, "seed %d", seed)
	}
	require.Greater(t, due, 60)
	require.Positive(t, later)
}

func TestGenerate_PlantsExactlyWhatItLists(t *testing.T) {
	for seed := range uint64(80) {
		w := make1(t, seed, everyPlant())
		for _, acc := range w.Accounts {
			listed := ofAccount(w.Truth().Planted, acc.ID)
			found := compare(rowsOfAccount(w, acc.ID), booksOfAccount(w, acc.ID))
			found = slices.DeleteFunc(found, func(p Planted) bool { return ambiguous(listed, p) })
			listed = slices.DeleteFunc(listed, func(p Planted) bool { return p.Kind == PlantAmbiguous })
			require.Equal(t, plainly(listed), plainly(found), "seed %d %s", seed, acc.ID)
		}
	}
}

// ambiguous: which of the equal charges is whose the plain comparison guesses; only that it concerns them is asked.
func ambiguous(listed []Planted, p Planted) bool {
	return slices.ContainsFunc(listed, func(l Planted) bool {
		return l.Kind == PlantAmbiguous && l.BusinessRef == p.BusinessRef
	})
}

func TestGenerate_ResidualsAreProviderMinusLedger(t *testing.T) {
	for seed := range uint64(40) {
		w := make1(t, seed, everyPlant())
		total := map[string]int64{}
		for _, r := range w.Provider.rows {
			total[r.Account+r.Currency] += r.net()
		}
		for _, f := range w.Books {
			fee := f.FeeMinor
			if !f.HasFee { // the statement's fee is booked by the match
				fee = matchedFee(w, f)
			}
			total[f.Account+f.Currency] -= f.AmountMinor - fee
		}
		for _, p := range w.Truth().Planted {
			total[p.Account+p.Currency] -= p.Residual
		}
		for key, left := range total {
			require.Zero(t, left, "seed %d %s", seed, key)
		}
	}
}

func matchedFee(w *World, f Fact) int64 {
	if slices.ContainsFunc(w.Truth().Planted, func(p Planted) bool { return p.Key == f.Key }) {
		return 0 // it finds no row
	}
	for _, r := range w.Provider.rows {
		if r.ID == f.RowID {
			return r.Fee
		}
	}
	return 0
}

func TestGenerate_EachPayoutTies(t *testing.T) {
	for seed := range uint64(40) {
		w := make1(t, seed, everyPlant())
		require.NotEmpty(t, w.Truth().Statement)
		for _, s := range w.Truth().Statement {
			require.LessOrEqual(t, s.NetMinor, int64(0), "seed %d %s %s %s: a balance is paid out unless it is negative", seed, s.Account, s.Window, s.Currency)
		}
		for _, c := range w.Truth().Cash {
			require.LessOrEqual(t, c.Net(), int64(0), "seed %d %s %s", seed, c.Account, c.Currency)
		}
	}
}

func TestGenerate_DefaultPlantMakesTheEngineAct(t *testing.T) {
	for seed := range uint64(20) {
		asks := map[string]int{}
		for _, p := range make1(t, seed, Setup{}).Truth().Planted {
			asks[p.Asks]++
		}
		require.Positive(t, asks["refund"])
		require.Positive(t, asks["local"])
	}
}

func TestGenerate_IDsAreUnique(t *testing.T) {
	w := make1(t, 3, Setup{Accounts: 5, CustomersPer: 3, InvoicesPer: 3, Windows: 3, Plant: append(PlantKinds(), PlantKinds()...)})
	seen := map[string]bool{}
	add := func(id string) {
		require.False(t, seen[id], id)
		seen[id] = true
	}
	for _, r := range w.Provider.rows {
		add(r.ID)
	}
	fees := map[string]bool{}
	for _, f := range w.Books {
		add(f.Key)
		require.False(t, f.RowID != "" && fees[f.RowID], "two fees under one key")
		fees[f.RowID] = true
	}
	for _, i := range w.Invoices {
		add(i.ID)
	}
	for _, c := range w.Contacts {
		add(c.ID)
	}
}

func ofAccount(all []Planted, account string) []Planted {
	return slices.DeleteFunc(slices.Clone(all), func(p Planted) bool { return p.Account != account })
}

func rowsOfAccount(w *World, account string) []row {
	return slices.DeleteFunc(slices.Clone(w.Provider.rows), func(r row) bool { return r.Account != account })
}

func booksOfAccount(w *World, account string) []Fact {
	return slices.DeleteFunc(slices.Clone(w.Books), func(f Fact) bool { return f.Account != account })
}

// plainly is what two lists of differences have in common, as text in order.
func plainly(all []Planted) []string {
	var out []string
	for _, p := range all {
		out = append(out, p.Kind+" "+p.RowKind+" "+p.Currency+" "+strconv.FormatInt(p.Residual, 10)+" row="+p.RowID+" key="+p.Key+" ref="+p.BusinessRef)
	}
	slices.SortFunc(out, cmp.Compare)
	return out
}

func TestGenerate_WhatIsBookedLateIsWhatItsRowSays(t *testing.T) {
	for seed := range uint64(40) {
		w := make1(t, seed, everyPlant())
		require.Len(t, w.Late, 1)
		late := w.Late[0]
		require.False(t, slices.ContainsFunc(w.Books, func(f Fact) bool { return f.Key == late.Key }))
		i := slices.IndexFunc(w.Provider.rows, func(r row) bool { return r.ID == late.RowID })
		require.Equal(t, factOf(w.Provider.rows[i], late.Customer), late.Fact, "seed %d", seed)
		require.True(t, slices.ContainsFunc(w.Truth().Planted, func(p Planted) bool { return p.RowID == late.RowID && p.Passing }))
	}
}
