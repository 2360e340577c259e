package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine/postgres"
)

func TestWords_TotalsAreByCurrencyAndAnInvoiceIsNamedOnce(t *testing.T) {
	t.Parallel()
	yen := pair("in_3", 500, "")
	yen.Currency = "JPY"
	later := pair("in_1", 1000, "")
	later.Step = "due-0"
	w, err := wordsOf(postgres.IntentFacts{}, []postgres.Pair{pair("in_1", 1000, ""), later, pair("in_2", 14, ""), yen}, rule.exponents)
	require.NoError(t, err)
	require.Len(t, w.Invoices, 3)
	require.Equal(t, "due-0", w.Invoices[0].Step)
	require.Equal(t, []MoneyWords{{"500", "JPY"}, {"10.14", "USD"}}, w.Totals)
}

func TestWords_AnUnknownCurrencyIsAnErrorNotAnAmount(t *testing.T) {
	t.Parallel()
	odd := pair("in_1", 1000, "")
	odd.Currency = "QQQ"
	_, err := wordsOf(postgres.IntentFacts{}, []postgres.Pair{odd}, rule.exponents)
	require.ErrorContains(t, err, "in_1")
}

func TestCheckTemplate_RefusesWhatCannotBeRendered(t *testing.T) {
	t.Parallel()
	good := postgres.Template{Channel: "email", Kind: "reminder", Subject: "s", Body: "{{.Customer}}"}
	require.NoError(t, CheckTemplate(good))
	for _, bad := range []postgres.Template{
		{Subject: "s", Body: "{{.Nonsense}}"},
		{Subject: "s", Body: "{{range"},
		{Subject: "s", Body: "{{if false}}x{{end}}"},
		{Subject: "a\nb", Body: "x"},
	} {
		require.Error(t, CheckTemplate(bad), bad)
	}
}

func TestRender_TheHashCoversTheAddress(t *testing.T) {
	t.Parallel()
	template := postgres.Template{Subject: "s", Body: "b"}
	one, err := render(template, "a@example.org", Words{})
	require.NoError(t, err)
	other, err := render(template, "b@example.org", Words{})
	require.NoError(t, err)
	require.NotEqual(t, one.Hash, other.Hash)
}
