package postgres_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is open is marked by the rows that make it so, and is read by the marks.
func TestOpen_TheMarksFollowTheirRows(t *testing.T) {
	s := server.Open(t)
	s.Books()
	s.Refund()
	open := `select t.business_key from recon.clearing_item t where t.open order by 1`
	require.Equal(t, "payment/ch_1\npayment/ch_2", s.Text(open))
	s.Exec(`insert into recon.item_match values ('payment/ch_1', 'acct_1/2026-03-01', 1)`)
	require.Equal(t, "payment/ch_2", s.Text(open))
	require.Equal(t, "2026-03-01 true\n2026-03-02 false", s.Text(`select window_id, admitted from recon.window order by 1`))
	c, err := s.DB.Conserve(s.Ctx)
	require.NoError(t, err)
	require.Empty(t, c.Differences())
}

// B75: a long history costs a slot and a reconciliation nothing: the server finds what is open by its own index.
func TestOpen_AHistoryIsNotReadAgain(t *testing.T) {
	s := server.Open(t)
	s.Books()
	s.Exec(`insert into recon.window (account_id, window_id, starts_at, ends_at, due_at)
		select 'acct_1', to_char(d, 'YYYY-MM-DD'), d, d + interval '1 day', d + interval '1 day' from generate_series('2000-01-01'::timestamptz, '2026-02-20', '1 day') d`)
	s.Exec(`insert into recon.job (job_id, account_id, window_id, state, slot, next_at, since)
		select 'acct_1/' || w.window_id, 'acct_1', w.window_id, 'done', '2026-03-02 03:00Z', recon.now(), recon.now() from recon.window w
		where not exists (select from recon.job j where j.window_id = w.window_id) and w.window_id < '2026-02-28'`)
	s.Exec(`with t as (insert into recon.transaction (business_key, kind, account_id, occurred_at, booked_at)
			select 'payment/old-' || n, 'payment', 'acct_1', '2026-01-01', '2026-01-01' from generate_series(1, 5000) n returning business_key)
		insert into recon.posting (business_key, line, book, account_id, currency, amount_minor)
		select t.business_key, l.line, l.book, 'acct_1', 'USD', l.minor from t, (values (1, 'clearing', 5), (2, 'receivable', -5)) as l (line, book, minor)`)
	s.Exec(`insert into recon.item_match select business_key, 'acct_1/2026-03-01', 1 from recon.transaction`)
	s.Exec(`analyze`)
	plan := func(sql string) string { return s.Text(`explain ` + sql) }
	require.Contains(t, plan(`select count(*) from recon.window w where w.due_at <= recon.now() and w.skipped_by is null and not w.admitted
		and not exists (select from recon.job j where j.account_id = w.account_id and j.window_id = w.window_id)`), "window_waiting")
	items := plan(`select t.business_key from recon.clearing_item o join recon.transaction t on t.business_key = o.business_key
		join recon.posting p on p.business_key = t.business_key and p.book = 'clearing' where o.account_id = 'acct_1' and o.open`)
	require.Contains(t, items, "clearing_open")
	require.False(t, strings.Contains(items, "Seq Scan"), items)
}
