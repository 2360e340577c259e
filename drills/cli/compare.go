package cli

import "github.com/spf13/cobra"

func (a *app) match() *cobra.Command {
	var m MatchArgs
	cmd := &cobra.Command{
		Use: "match STATEMENT LEDGER", Short: "Compare a provider's statement with a ledger file; no database",
		Long: "Compare a provider's statement (any format the engine reads, found by content) with a ledger file: matches, breaks, residual.\nTotals are net. Amounts in JSON are minor units.\nExit code: 0 nothing is left, 1 breaks are left, 2 a file cannot be read.",
		Args: cobra.ArbitraryArgs,
	}
	cmd.Flags().StringVar(&m.BusinessRef, "business-ref", "", "the statement's `COLUMN` with our reference (default: the first of invoice_id, payment_metadata[invoice], payment_metadata[order_id])")
	cmd.Flags().BoolVar(&m.JSON, "json", false, "one JSON object on stdout, and nothing else")
	cmd.RunE = a.do(func(_ *cobra.Command, args []string) (int, error) {
		if len(args) != 2 {
			return 0, usage("match: accepted are two files, STATEMENT and LEDGER; %d given", len(args))
		}
		m.Statement, m.Ledger = args[0], args[1]
		return Match(m, a.stdout, a.stderr), nil
	})
	return cmd
}
