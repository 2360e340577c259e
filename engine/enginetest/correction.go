package enginetest

// Refund adds an approved refund of a duplicate charge, found by the reconciled job: invoice in_1 of 2014 USD was paid
// by ch_1 and again by ch_2. It gives the correction's id.
func (s *Stage) Refund() string {
	s.T.Helper()
	s.Invoice("in_1", 2014)
	for _, charge := range []string{"ch_1", "ch_2"} {
		s.Exec(`insert into recon.provider_row (account_id, row_id, window_id, kind, occurred_at, provider_ref, business_ref, payout_ref, currency,
			amount_minor, fee_minor, matched_job) values ('acct_1', 'txn_' || $1, '2026-03-01', 'charge', '2026-03-01 12:00Z', $1, 'in_1', '', 'USD', 2014, 88,
			'acct_1/2026-03-01')`, charge)
		s.Exec(`with t as (insert into recon.transaction (business_key, kind, account_id, occurred_at, booked_at, provider_ref, business_ref)
				values ('payment/' || $1, 'payment', 'acct_1', '2026-03-01 12:00Z', recon.now(), $1, 'in_1') returning business_key)
			insert into recon.posting (business_key, line, book, account_id, customer_id, invoice_id, currency, amount_minor)
			select t.business_key, l.line, l.book, 'acct_1', 'cust_1', 'in_1', 'USD', l.minor
			from t, (values (1, 'clearing', 2014), (2, 'receivable', -2014)) as l (line, book, minor)`, charge)
	}
	s.Exec(`update recon.invoice set paid_minor = 4028, state = 'paid' where invoice_id = 'in_1'`)
	const key = "acct_1/2026-03-01/1/duplicate_at_provider/txn_ch_2"
	s.Exec(`insert into recon.break (break_key, job_id, generation, account_id, window_id, kind, state, row_kind, currency, residual_minor, row_id,
			provider_ref, business_ref, since)
		values ($1, 'acct_1/2026-03-01', 1, 'acct_1', '2026-03-01', 'duplicate_at_provider', 'open', 'charge', 'USD', 2014, 'txn_ch_2', 'ch_2', 'in_1', recon.now())`, key)
	s.Exec(`insert into recon.correction (correction_id, break_key, job_id, account_id, act, act_number, idempotency_key, payment_ref, business_ref,
			currency, amount_minor, state, approved_by, next_at, since, version)
		values ($1 || '/refund/1', $1, 'acct_1/2026-03-01', 'acct_1', 'refund', 1, 'refund/acct_1/ch_2/1', 'ch_2', 'in_1', 'USD', 2014, 'approved',
			'policy:auto-refund', recon.now(), recon.now(), 2)`, key)
	return key + "/refund/1"
}

// CorrectionState is the state of a correction.
func (s *Stage) CorrectionState(id string) string {
	s.T.Helper()
	return s.Text(`select state from recon.correction where correction_id = $1`, id)
}
