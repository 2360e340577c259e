package ledger

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/recondrill/recondrill/engine"
)

var head = Head{Account: "acme", OccurredAt: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}

var ofBreak = Head{Account: "acme", OccurredAt: head.OccurredAt, BreakKey: "acme/2026-03-01/missing_in_ledger/txn_1"}

var debt = Debt{"cust_1", "inv_1"}

func usd(minor int64) Money { return Money{"USD", minor} }

// The table of ENGINE.md section 2, line by line.
func TestPost_IsTheDesignsTable(t *testing.T) {
	for _, c := range []struct {
		fact Fact
		key  engine.Key
		want string
	}{
		{Invoice{head, debt, usd(2000), 100}, "invoice/inv_1", "receivable+2100 revenue-2000 tax-100"},
		{Invoice{head, debt, usd(2000), 0}, "invoice/inv_1", "receivable+2000 revenue-2000"},
		{CreditNote{head, debt, "cn_1", usd(2000), 100}, "credit_note/cn_1", "revenue+2000 tax+100 receivable-2100"},
		{Payment{Head: head, Debt: debt, ProviderRef: "ch_1", Gross: usd(2100)}, "payment/ch_1", "clearing+2100 receivable-2100"},
		{Payment{Head: head, Debt: debt, Gross: usd(2100)}, "payment/inv_1", "clearing+2100 receivable-2100"},
		{Fee{Head: head, TransactionID: "txn_1", Fee: usd(86)}, "fee/txn_1", "fees+86 clearing-86"},
		{Fee{Head: head, TransactionID: "txn_1", Fee: usd(-86)}, "fee/txn_1", "fees-86 clearing+86"},
		{Refund{Head: head, Debt: debt, ProviderRef: "re_1", Amount: usd(2100)}, "refund/re_1", "receivable+2100 clearing-2100"},
		{Refund{Head: head, Debt: debt, ProviderRef: "re_2", Overpaid: true, Amount: usd(5)}, "refund/re_2", "receivable+5 clearing-5"},
		{Dispute{head, debt, "dp_1", "", usd(2100)}, "dispute_opened/dp_1", "disputed+2100 clearing-2100"},
		{DisputeWon{head, debt, "dp_1", "", usd(2100)}, "dispute_won/dp_1", "clearing+2100 disputed-2100"},
		{DisputeLost{head, debt, "dp_1", "", usd(2100)}, "dispute_lost/dp_1", "losses+2100 disputed-2100"},
		{Payout{head, "po_1", usd(2014)}, "payout/po_1", "in_transit+2014 clearing-2014"},
		{PayoutBanked{head, "po_1", usd(2014)}, "payout_bank/po_1", "bank+2014 in_transit-2014"},
		{PayoutFailed{head, "po_1", usd(2014)}, "payout_failed/po_1", "clearing+2014 in_transit-2014"},
		{Conversion{head, "fx_1", usd(100), Money{"EUR", 92}}, "conversion/fx_1", "fx+100 clearing-100 clearing+92 fx-92"},
		{Local{ofBreak, "ch_1", "inv_1", usd(2014)}, "local/" + ofBreak.BreakKey, "clearing+2014 suspense-2014"},
		{Resolution{ofBreak, debt, Receivable, usd(2014)}, "resolved/" + ofBreak.BreakKey, "suspense+2014 receivable-2014"},
		{Rounding{ofBreak, usd(-1)}, "rounding/" + ofBreak.BreakKey, "clearing-1 rounding+1"},
	} {
		tx, err := c.fact.Post()
		require.NoError(t, err, "%T", c.fact)
		require.Equal(t, c.want, show(tx), "%T", c.fact)
		require.Equal(t, c.key, tx.Key)
		require.NoError(t, Check(tx))
	}
}

func show(tx Transaction) string {
	var lines []string
	for _, p := range tx.Postings {
		lines = append(lines, fmt.Sprintf("%s%+d", p.Book, p.Amount))
	}
	return strings.Join(lines, " ")
}

func TestPost_RefusesWhatCannotHaveHappened(t *testing.T) {
	for name, fact := range map[string]Fact{
		"negative payment":      Payment{Head: head, Debt: debt, ProviderRef: "ch_1", Gross: usd(-1)},
		"empty payment":         Payment{Head: head, Debt: debt, ProviderRef: "ch_1"},
		"payment of nothing":    Payment{Head: head, ProviderRef: " ", Gross: usd(1)},
		"fee of zero":           Fee{Head: head, TransactionID: "txn_1"},
		"invoice to nobody":     Invoice{head, Debt{}, usd(1), 0},
		"negative tax":          Invoice{head, debt, usd(1), -1},
		"too large together":    Invoice{head, debt, usd(1 << 62), 1 << 62},
		"no account":            Payment{Head: Head{OccurredAt: head.OccurredAt}, Debt: debt, ProviderRef: "ch_1", Gross: usd(1)},
		"no time":               Payment{Head: Head{Account: "acme"}, Debt: debt, ProviderRef: "ch_1", Gross: usd(1)},
		"no currency":           Payment{Head: head, Debt: debt, ProviderRef: "ch_1", Gross: Money{"", 1}},
		"conversion to itself":  Conversion{head, "fx_1", usd(100), usd(92)},
		"correction of nothing": Local{ofBreak, "ch_1", "inv_1", usd(0)},
		"correction, no break":  Local{head, "ch_1", "inv_1", usd(1)},
		"resolved to nowhere":   Resolution{ofBreak, debt, "elsewhere", usd(1)},
	} {
		tx, err := fact.Post()
		require.ErrorContains(t, err, "ledger: ", name)
		require.Empty(t, tx.Postings, name)
	}
}

// E4-45: the provider keeps its fee when a sale is refunded.
func TestRefundOfSale_LeavesNoDebtAndTheFeeLost(t *testing.T) {
	books := map[Book]int64{}
	add := func(txs ...Transaction) {
		for _, tx := range txs {
			for _, p := range tx.Postings {
				books[p.Book] += p.Amount
			}
		}
	}
	for _, fact := range []Fact{Invoice{head, debt, usd(2000), 100},
		Payment{Head: head, Debt: debt, ProviderRef: "ch_1", Gross: usd(2100)}, Fee{Head: head, TransactionID: "txn_1", Fee: usd(86)}} {
		tx, err := fact.Post()
		require.NoError(t, err)
		add(tx)
	}
	both, err := RefundOfSale(Refund{Head: head, Debt: debt, ProviderRef: "re_1", Amount: usd(2100)},
		CreditNote{head, debt, "cn_1", usd(2000), 100})
	require.NoError(t, err)
	add(both...)
	require.Equal(t, map[Book]int64{Receivable: 0, Revenue: 0, Tax: 0, Fees: 86, Clearing: -86}, books)

	_, err = RefundOfSale(Refund{Head: head, Debt: debt, ProviderRef: "re_1", Amount: usd(2100)},
		CreditNote{head, debt, "cn_1", usd(2000), 0})
	require.ErrorContains(t, err, "accepted: the same")
	_, err = RefundOfSale(Refund{Head: head, Debt: debt, ProviderRef: "re_1", Overpaid: true, Amount: usd(2100)},
		CreditNote{head, debt, "cn_1", usd(2000), 100})
	require.ErrorContains(t, err, "of an over-payment")
}

func TestCheck_FindsEveryLineThatIsWrong(t *testing.T) {
	good, err := Payment{Head: head, Debt: debt, ProviderRef: "ch_1", Gross: usd(2100)}.Post()
	require.NoError(t, err)
	for name, spoil := range map[string]func(*Transaction){
		"off by one":     func(t *Transaction) { t.Postings[0].Amount++ },
		"other currency": func(t *Transaction) { t.Postings[0].Currency = "EUR" },
		"other account":  func(t *Transaction) { t.Postings[0].Account = "other" },
		"one line":       func(t *Transaction) { t.Postings = t.Postings[:1] },
		"zero lines":     func(t *Transaction) { t.Postings[0].Amount, t.Postings[1].Amount = 0, 0 },
		"no book":        func(t *Transaction) { t.Postings[1].Book = "" },
		"no key":         func(t *Transaction) { t.Key = "" },
	} {
		bad := good
		bad.Postings = append([]Posting(nil), good.Postings...)
		spoil(&bad)
		require.Error(t, Check(bad), name)
	}
}

func TestCheck_ASumThatWrapsToZeroIsNotZero(t *testing.T) {
	line := func(minor int64) Posting {
		return Posting{Book: Clearing, Account: "acme", Currency: "USD", Amount: minor}
	}
	tx := Transaction{Key: "k", Kind: KindLocal, Account: "acme", OccurredAt: head.OccurredAt}
	for range 4 {
		tx.Postings = append(tx.Postings, line(1<<62))
	}
	require.ErrorContains(t, Check(tx), "does not fit")
}

func TestPost_SumsToZeroPerCurrencyWhateverTheFact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		minor := rapid.Int64().Draw(t, "minor")
		m := Money{rapid.SampledFrom([]engine.Currency{"USD", "JPY", "KWD", "", "usd"}).Draw(t, "currency"), minor}
		h := Head{Account: "acme", OccurredAt: head.OccurredAt, BreakKey: engine.Key(rapid.SampledFrom([]string{"", "b"}).Draw(t, "break"))}
		ref := rapid.SampledFrom([]string{"", "x_1"}).Draw(t, "ref")
		other := rapid.Int64().Draw(t, "other")
		for _, fact := range []Fact{
			Invoice{h, debt, m, other}, CreditNote{h, debt, ref, m, other}, Payment{h, debt, ref, "", "", m},
			Fee{h, ref, "", "", "", m}, Refund{h, debt, ref, "", false, m}, Dispute{h, debt, ref, "", m},
			DisputeWon{h, debt, ref, "", m}, DisputeLost{h, debt, ref, "", m}, Payout{h, ref, m}, PayoutBanked{h, ref, m},
			PayoutFailed{h, ref, m}, Conversion{h, ref, m, Money{"EUR", other}}, Local{h, ref, "", m},
			Resolution{h, debt, Receivable, m}, Rounding{h, m},
		} {
			tx, err := fact.Post()
			if err != nil {
				require.Empty(t, tx.Key)
				continue
			}
			sums := map[engine.Currency]int64{}
			for _, p := range tx.Postings {
				sums[p.Currency] += p.Amount
				require.NotZero(t, p.Amount)
			}
			for c, sum := range sums {
				require.Zero(t, sum, "%T %s", fact, c)
			}
			again, err := fact.Post()
			require.NoError(t, err)
			require.Equal(t, tx, again, "the same fact is the same transaction")
		}
	})
}

func TestClearingKind_IsWhatTheStatementCallsIt(t *testing.T) {
	for kind, want := range map[Kind]engine.RowKind{KindPayment: engine.Charge, KindFee: engine.Fee, KindRefund: engine.RefundRow,
		KindRefundOverpayment: engine.RefundRow, KindDisputeOpened: engine.Dispute, KindDisputeWon: engine.DisputeReversal,
		KindPayout: engine.Payout, KindPayoutFailed: engine.PayoutReversal, KindLocal: engine.Adjustment} {
		got, ok := kind.ClearingKind()
		require.True(t, ok)
		require.Equal(t, want, got)
	}
	for _, kind := range []Kind{KindInvoice, KindCreditNote, KindDisputeLost, KindPayoutBank} {
		_, ok := kind.ClearingKind()
		require.False(t, ok, kind)
	}
}
