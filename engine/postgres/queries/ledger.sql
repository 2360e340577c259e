-- name: LockInvoices :many
-- In key order, the same for payments and submissions.
select i.invoice_id, i.currency, i.amount_minor, i.paid_minor, i.state
from recon.invoice i
where i.invoice_id = any (@invoice_ids::text[])
order by i.invoice_id
for update;

-- name: BookTransactions :many
-- Each business key once, for ever. Answers the keys that were not there before.
with given as (
	select g.business_key, g.kind, g.account_id, g.occurred_at, g.provider_ref, g.business_ref, g.payout_ref, g.break_key
	from unnest(@business_keys::text[], @kinds::text[], @account_ids::text[], @occurred::timestamptz[], @provider_refs::text[],
		@business_refs::text[], @payout_refs::text[], @break_keys::text[])
		as g (business_key, kind, account_id, occurred_at, provider_ref, business_ref, payout_ref, break_key)
), booked as (
	insert into recon.transaction (business_key, kind, account_id, occurred_at, booked_at, provider_ref, business_ref, payout_ref, break_key)
	select g.business_key, g.kind, g.account_id, g.occurred_at, recon.now(), g.provider_ref, g.business_ref, g.payout_ref, g.break_key
	from given g
	order by g.business_key
	on conflict (business_key) do nothing
	returning business_key
), lines as (
	insert into recon.posting (business_key, line, book, account_id, customer_id, invoice_id, currency, amount_minor)
	select b.business_key, l.line, l.book, l.account_id, nullif(l.customer_id, ''), nullif(l.invoice_id, ''), l.currency, l.amount_minor
	from unnest(@line_keys::text[], @lines::smallint[], @books::text[], @line_accounts::text[], @customer_ids::text[], @invoice_ids::text[],
		@currencies::text[], @amounts::bigint[])
		as l (business_key, line, book, account_id, customer_id, invoice_id, currency, amount_minor)
		join booked b on b.business_key = l.business_key
	order by b.business_key, l.line
)
select b.business_key from booked b order by b.business_key;

-- name: BookedPostings :many
-- What is booked under keys that were there before: it must be the same fact.
select p.business_key, p.line, p.book, p.currency, p.amount_minor, coalesce(p.invoice_id, '')::text as invoice_id
from recon.posting p
where p.business_key = any (@business_keys::text[])
order by p.business_key, p.line;

-- name: UpdateInvoices :execrows
-- paid moves by what the receivable was settled or given back; a state that a person or the provider set stays. What a
-- dispute did is read from the ledger, after BookTransactions: while one is not won, in whatever order they were booked,
-- the invoice is disputed, and then the paid sum decides again.
update recon.invoice i set
	paid_minor = i.paid_minor + g.paid,
	state = case
		when g.disputes and exists (
			select from recon.posting p join recon.transaction t on t.business_key = p.business_key and t.kind in ('dispute_opened', 'dispute_won')
			where p.invoice_id = i.invoice_id and p.book = 'disputed'
			having sum(p.amount_minor) > 0
		) then 'disputed'
		when g.becomes <> '' then g.becomes
		when i.state not in ('open', 'paid') and not (g.disputes and i.state = 'disputed') then i.state
		when i.paid_minor + g.paid >= i.amount_minor then 'paid'
		else 'open'
	end,
	version = i.version + 1
from unnest(@invoice_ids::text[], @paid::bigint[], @becomes::text[], @disputes::boolean[]) as g (invoice_id, paid, becomes, disputes)
where i.invoice_id = g.invoice_id;
