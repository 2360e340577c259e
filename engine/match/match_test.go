package match

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
)

// A scenario's lines: side id kind object/business currency amount fee [@hour] [<window] [payout], "-" = empty or not
// booked. The ledger's fee is what is booked.
func scenario(t *testing.T, grace []KindGrace, lines string) Result {
	t.Helper()
	in := Input{Account: "acme", Window: march1(), Rules: Rules{AsOf: march1().End, Grace: grace}}
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		f := strings.Fields(line)
		object, business, _ := strings.Cut(f[3], "/")
		var amount, fee, hour int64
		window, payout := "", ""
		_, err := fmt.Sscan(f[5], &amount)
		require.NoError(t, err)
		if f[6] != "-" {
			_, err = fmt.Sscan(f[6], &fee)
			require.NoError(t, err)
		}
		for _, more := range f[7:] {
			switch more[0] {
			case '@':
				_, err = fmt.Sscan(more[1:], &hour)
				require.NoError(t, err)
			case '<':
				window = more[1:]
			default:
				payout = more
			}
		}
		at := in.Window.Start.Add(time.Duration(hour) * time.Hour)
		object, business = strings.Trim(object, "-"), strings.Trim(business, "-")
		if f[0] == "provider" {
			in.Provider = append(in.Provider, engine.Row{ID: f[1], Kind: engine.RowKind(f[2]), ProviderRef: object, BusinessRef: business,
				PayoutRef: payout, Currency: engine.Currency(f[4]), Amount: amount, Fee: fee, OccurredAt: at, Window: window})
			continue
		}
		item := engine.Item{Key: engine.Key(f[1]), Kind: engine.RowKind(f[2]), ProviderRef: object, BusinessRef: business,
			PayoutRef: payout, Currency: engine.Currency(f[4]), Amount: amount, OccurredAt: at, Window: window}
		if f[6] != "-" {
			item.Fee = &fee
		}
		in.Ledger = append(in.Ledger, item)
	}
	return Items(in)
}

func told(r Result) []string {
	all := []string{}
	for _, b := range r.Breaks {
		all = append(all, fmt.Sprintf("%s %s %s/%s %s %d", b.Kind, b.State, orDash(b.RowID), orDash(string(b.ItemKey)), b.Currency, b.Residual))
	}
	return all
}

func TestItems_AMatchWithoutAFeeBooksIt(t *testing.T) {
	r := scenario(t, nil, `
		provider txn_1 charge ch_1/inv_1 USD 2100 86
		ledger   pay_1 charge ch_1/inv_1 USD 2100 -`)
	require.Empty(t, r.Breaks)
	require.Equal(t, []FeeBooking{{"txn_1", "pay_1", "USD", 86}}, r.FeeBookings)
	require.Equal(t, engine.Totals{"USD": 2014}, r.LedgerTotal)
	require.Equal(t, engine.Totals{"USD": 2014}, r.ProviderTotal)
}

func TestItems_GrossAndFeeDifferencesAreTwoBreaks(t *testing.T) {
	r := scenario(t, nil, `
		provider txn_1 charge ch_1/- USD 2000 86
		ledger   pay_1 charge ch_1/- USD 2100 80`)
	require.Equal(t, []string{"amount_differs open txn_1/pay_1 USD -100", "fee_differs open txn_1/pay_1 USD -6"}, told(r))
	require.False(t, r.Pairs[0].Clean)
}

// E3-31: an open link and an automatic charge both succeed.
func TestItems_TwoChargesForOneDebtAreADuplicateAtTheProvider(t *testing.T) {
	for _, ledger := range []string{"ch_1/inv_1", "-/inv_1"} {
		r := scenario(t, nil, `
			provider txn_1 charge ch_1/inv_1 USD 5000 0 @1
			provider txn_2 charge ch_2/inv_1 USD 5000 0 @2
			ledger   pay_1 charge `+ledger+` USD 5000 0`)
		require.Equal(t, []string{"duplicate_at_provider open txn_2/- USD 5000"}, told(r))
		require.Equal(t, "ch_2", r.Breaks[0].ProviderRef)
	}
}

func TestItems_OnePaymentBookedTwiceIsADuplicateInTheLedger(t *testing.T) {
	r := scenario(t, nil, `
		provider txn_1 charge ch_1/inv_1 USD 5000 0
		ledger   pay_1 charge ch_1/inv_1 USD 5000 0 @1
		ledger   pay_2 charge ch_1/inv_1 USD 5000 0 @2
		ledger   pay_3 charge -/inv_1    USD 5000 0 @3`)
	require.Equal(t, []string{"duplicate_in_ledger open -/pay_2 USD -5000", "duplicate_in_ledger open -/pay_3 USD -5000"}, told(r))
}

func TestItems_ASecondPaymentThatTheProviderHasNotSettledYetIsNoDuplicate(t *testing.T) {
	r := scenario(t, []KindGrace{{engine.Charge, 48 * time.Hour}}, `
		provider txn_1 charge ch_1/inv_1 USD 5000 0
		ledger   pay_1 charge ch_1/inv_1 USD 5000 0
		ledger   pay_2 charge ch_2/inv_1 USD 5000 0 @23`)
	require.Equal(t, []string{"missing_at_provider timing -/pay_2 USD -5000"}, told(r))
	require.Equal(t, march1().Start.Add(71*time.Hour), r.Breaks[0].GraceUntil)
	require.Equal(t, engine.Key("pay_2"), r.Carried[0].Key)
	require.Equal(t, "2026-03-01", r.Carried[0].Window)
}

func TestItems_GraceEndsAtItsInstant(t *testing.T) {
	for grace, want := range map[time.Duration]engine.BreakState{24 * time.Hour: engine.BreakOpen, 24*time.Hour + 1: engine.BreakTiming} {
		r := scenario(t, []KindGrace{{engine.Charge, grace}}, `
			provider txn_1 charge ch_1/inv_1 USD 5000 0`)
		require.Equal(t, want, r.Breaks[0].State)
	}
}

// E4-45, and "a payment refunded in the same window".
func TestItems_APaymentRefundedInTheSameWindowIsTwoPairs(t *testing.T) {
	r := scenario(t, nil, `
		provider txn_1 charge ch_1/inv_1 USD 2100 86 @1
		provider txn_2 refund re_1/inv_1 USD -2100 0 @2
		ledger   pay_1 charge ch_1/inv_1 USD 2100 - @1
		ledger   ref_1 refund ch_1/inv_1 USD -2100 - @2`)
	require.Empty(t, r.Breaks)
	require.Len(t, r.Pairs, 2)
	require.Equal(t, engine.Totals{"USD": -86}, r.ProviderTotal)
}

// E4-44: one dispute, several balance transactions.
func TestItems_OneDisputeOfSeveralRowsIsOneThing(t *testing.T) {
	r := scenario(t, nil, `
		provider txn_1 dispute dp_1/inv_1 USD -2000 0
		provider txn_2 dispute dp_1/inv_1 USD -1500 0
		provider txn_3 dispute dp_1/inv_1 USD -37 0
		ledger   dis_1 dispute dp_1/inv_1 USD -3537 -`)
	require.Empty(t, r.Breaks)
	require.Equal(t, []Pair{{ByObject, []string{"txn_1", "txn_2", "txn_3"}, []engine.Key{"dis_1"}, true}}, r.Pairs)
}

// E4-47
func TestItems_TheSameNumberInAnotherCurrencyIsNoMatch(t *testing.T) {
	r := scenario(t, nil, `
		provider txn_1 charge ch_1/inv_1 AED 3600 0
		ledger   pay_1 charge ch_1/inv_1 USD 3600 -`)
	require.Equal(t, []string{"missing_in_ledger open txn_1/- AED 3600", "missing_at_provider open -/pay_1 USD -3600"}, told(r))
	require.Equal(t, engine.Totals{"AED": 3600, "USD": -3600}, r.Residual)
}

// E4-42: two wrong conversions agree in our books; the provider's amount is the truth.
func TestItems_AWrongFactorIsAnAmountThatDiffers(t *testing.T) {
	r := scenario(t, nil, `
		provider txn_1 charge ch_1/- JPY 100 0
		ledger   pay_1 charge ch_1/- JPY 10000 0`)
	require.Equal(t, []string{"amount_differs open txn_1/pay_1 JPY -9900"}, told(r))
}

func TestItems_AnEmptyReferenceNeverMatches(t *testing.T) {
	r := scenario(t, nil, `
		provider txn_1 fee -/- USD -200 0
		ledger   fee_1 fee -/- USD -200 0`)
	require.Equal(t, []string{"missing_at_provider open -/fee_1 USD 200", "missing_in_ledger open txn_1/- USD -200"}, told(r))
}

func TestItems_EqualCandidatesGoByTimeAndUnequalNumbersToAPerson(t *testing.T) {
	three := `
		provider txn_1 charge ch_1/inv_1 USD 1000 0 @1
		provider txn_2 charge ch_2/inv_1 USD 1000 0 @2
		provider txn_3 charge ch_3/inv_1 USD 1000 0 @3
		ledger   pay_1 charge -/inv_1 USD 1000 - @1
		ledger   pay_2 charge -/inv_1 USD 1000 - @2`
	r := scenario(t, nil, three)
	require.Empty(t, r.Pairs)
	require.Len(t, r.Breaks, 5)
	for _, b := range r.Breaks {
		require.Equal(t, engine.Ambiguous, b.Kind)
		require.Equal(t, "inv_1", b.BusinessRef)
	}
	require.Equal(t, engine.Totals{"USD": 1000}, r.Residual)

	r = scenario(t, nil, three+`
		ledger   pay_3 charge -/inv_1 USD 1000 - @3`)
	require.Empty(t, r.Breaks)
	require.Equal(t, Pair{ByBusiness, []string{"txn_2"}, []engine.Key{"pay_2"}, true}, r.Pairs[1])
}

func TestItems_FeesWithoutAnObjectMatchByTheirPayout(t *testing.T) {
	r := scenario(t, nil, `
		provider txn_1 fee -/- USD -200 0 po_1
		provider txn_2 fee -/- USD -300 0 po_1
		ledger   fee_1 fee -/- USD -500 0 po_1
		provider txn_3 fee -/- USD -70 0 po_2
		ledger   fee_2 fee -/- USD -80 0 po_2`)
	require.Equal(t, []string{"missing_at_provider open -/fee_2 USD 80", "missing_in_ledger open txn_3/- USD -70"}, told(r))
	require.Equal(t, ByPayout, r.Pairs[0].Rule)
}

func TestItems_OneOfAReferenceWithAnotherAmountIsTheSamePayment(t *testing.T) {
	r := scenario(t, nil, `
		provider txn_1 charge ch_1/inv_1 USD 1900 0
		ledger   pay_1 charge -/inv_1 USD 2000 -`)
	require.Equal(t, []string{"amount_differs open txn_1/pay_1 USD -100"}, told(r))
	r = scenario(t, nil, `
		provider txn_1 charge ch_1/inv_1 USD 1900 0
		ledger   pay_1 charge ch_2/inv_1 USD 2000 -`)
	require.Len(t, r.Breaks, 2, "two objects of the provider are two payments")
}

func TestItems_OneObjectCalledDifferentlyIsAStateThatDiffers(t *testing.T) {
	r := scenario(t, nil, `
		provider txn_1 refund_failure re_1/inv_1 USD 2100 0
		ledger   ref_1 refund         re_1/inv_1 USD -2100 -`)
	require.Equal(t, []string{"state_differs open txn_1/ref_1 USD 4200"}, told(r))
}

// E4-59: what arrives after the cut-off goes to the present window, flagged, and is never lost.
func TestItems_ALateRowClosesTheEarlierItemAndProposesNothing(t *testing.T) {
	r := scenario(t, nil, `
		provider txn_1 charge ch_1/inv_1 USD 2100 86 @-2
		ledger   pay_1 charge ch_1/inv_1 USD 2100 - @-3 <2026-02-28`)
	require.Equal(t, []string{"other_window resolved txn_1/pay_1 USD 0"}, told(r))
	require.Equal(t, []string{"txn_1"}, r.Late)
	require.Equal(t, Balance{Side: LedgerSide, Currency: "USD", Opening: Tally{1, 2014}, Matched: Tally{1, 2014}}, r.Balances[1])
}

func TestItems_NothingToCompareIsNoBreak(t *testing.T) {
	r := Items(Input{Account: "acme", Window: march1()})
	require.Empty(t, r.Breaks)
	require.Empty(t, r.Residual)
}

func TestItems_TheCallersRowsAndItemsStayAsTheyWere(t *testing.T) {
	fee := int64(80)
	in := Input{Window: march1(),
		Provider: []engine.Row{{ID: "b", ProviderRef: "x", Currency: "USD", Amount: 1}, {ID: "a", Currency: "USD", Amount: 1, Fee: 1}},
		Ledger:   []engine.Item{{Key: "k", ProviderRef: "x", Currency: "USD", Amount: 1, Fee: &fee}, {Key: "j", Currency: "USD"}}}
	Items(in)
	require.Equal(t, "b", in.Provider[0].ID)
	require.Equal(t, "", in.Provider[0].Window)
	require.EqualValues(t, 80, *in.Ledger[0].Fee)
	require.Nil(t, in.Ledger[1].Fee)
}
