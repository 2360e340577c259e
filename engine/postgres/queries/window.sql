-- name: AddAccounts :execrows
insert into recon.account (account_id, zone, provider_lag, payment_lag_max, created_at)
select g.account_id, g.zone, g.provider_lag, g.payment_lag_max, recon.now()
from unnest(@account_ids::text[], @zones::text[], @provider_lags::interval[], @payment_lags_max::interval[])
	as g (account_id, zone, provider_lag, payment_lag_max)
order by g.account_id
on conflict (account_id) do nothing;

-- name: AddCustomers :execrows
insert into recon.customer (customer_id, account_id)
select g.customer_id, g.account_id
from unnest(@customer_ids::text[], @account_ids::text[]) as g (customer_id, account_id)
order by g.customer_id
on conflict (customer_id) do nothing;

-- name: AddContacts :execrows
with given as (
	select g.contact_id, g.customer_id, g.channel, g.address, g.opted_out
	from unnest(@contact_ids::text[], @customer_ids::text[], @channels::text[], @addresses::text[], @opted_outs::boolean[])
		as g (contact_id, customer_id, channel, address, opted_out)
), added as (
	insert into recon.contact (contact_id, customer_id, channel, opted_out)
	select g.contact_id, g.customer_id, g.channel, g.opted_out from given g order by g.contact_id
	on conflict (contact_id) do nothing
)
insert into recon.contact_address (contact_id, address)
select g.contact_id, g.address from given g order by g.contact_id
on conflict (contact_id) do nothing;

-- name: AddInvoices :execrows
insert into recon.invoice (invoice_id, account_id, customer_id, currency, amount_minor, due_at)
select g.invoice_id, g.account_id, g.customer_id, g.currency, g.amount_minor, g.due_at
from unnest(@invoice_ids::text[], @account_ids::text[], @customer_ids::text[], @currencies::text[], @amounts::bigint[], @dues::timestamptz[])
	as g (invoice_id, account_id, customer_id, currency, amount_minor, due_at)
order by g.invoice_id
on conflict (invoice_id) do nothing;

-- name: AddSteps :execrows
insert into recon.step (invoice_id, step, due_at)
select g.invoice_id, g.step, g.due_at
from unnest(@invoice_ids::text[], @steps::text[], @dues::timestamptz[]) as g (invoice_id, step, due_at)
order by g.invoice_id, g.step
on conflict (invoice_id, step) do nothing;

-- name: AddWindows :execrows
insert into recon.window (account_id, window_id, starts_at, ends_at, due_at)
select g.account_id, g.window_id, g.starts_at, g.ends_at, g.due_at
from unnest(@account_ids::text[], @window_ids::text[], @starts::timestamptz[], @ends::timestamptz[], @dues::timestamptz[])
	as g (account_id, window_id, starts_at, ends_at, due_at)
order by g.account_id, g.window_id
on conflict (account_id, window_id) do nothing;
