-- Who is who, and the double-entry ledger: append-only, one transaction per business fact.
create table recon.account (
	account_id text primary key,
	zone text not null,                                -- IANA zone: windows are local
	provider_lag interval not null,                    -- window end + lag = due
	payment_lag_max interval not null default '36 hours',
	reconciled bigint not null default 0,              -- number of envelopes: one reconciliation of an account at a time may end
	created_at timestamptz not null
);

create table recon.customer (
	customer_id text primary key,
	account_id text not null references recon.account
);

create table recon.contact (
	contact_id text primary key,
	customer_id text not null references recon.customer,
	channel text not null check (channel in ('email', 'sms', 'push')),
	opted_out boolean not null default false,
	invalid boolean not null default false
);
create index contact_by_customer on recon.contact (customer_id, contact_id);

-- Erasable; nothing else holds an address but the message that was fixed for a submission.
create table recon.contact_address (
	contact_id text primary key references recon.contact,
	address text not null
);

create table recon.invoice (
	invoice_id text primary key,
	account_id text not null references recon.account,
	customer_id text not null references recon.customer,
	currency text not null check (currency ~ '^[A-Z]{3}$'),
	amount_minor bigint not null check (amount_minor > 0),
	paid_minor bigint not null default 0,              -- what the ledger has seen paid, less refunds of over-payments
	due_at timestamptz not null,
	state text not null default 'open' check (state in ('open', 'paid', 'cancelled', 'disputed', 'refunded')),
	version bigint not null default 1
);
create index invoice_by_customer on recon.invoice (customer_id, invoice_id);
create index invoice_by_account on recon.invoice (account_id, invoice_id);

-- Planned reminders of an invoice; billing owns the plan.
create table recon.step (
	invoice_id text not null references recon.invoice,
	step text not null,
	due_at timestamptz not null,
	primary key (invoice_id, step)
);
create index step_due on recon.step (due_at, invoice_id, step);

create table recon.transaction (
	business_key text primary key,                     -- payment/ch_1, fee/txn_1, refund/re_1, local/<break>…
	kind text not null check (kind in ('invoice', 'credit_note', 'payment', 'fee', 'refund', 'refund_overpayment',
		'dispute_opened', 'dispute_won', 'dispute_lost', 'payout', 'payout_bank', 'payout_failed', 'conversion', 'local', 'rounding')),
	account_id text not null references recon.account,
	occurred_at timestamptz not null,
	booked_at timestamptz not null,
	provider_ref text not null default '',
	business_ref text not null default '',
	payout_ref text not null default '',
	break_key text not null default ''                 -- a local correction names its break
);
create index transaction_by_account on recon.transaction (account_id, business_key);

create table recon.posting (
	business_key text not null references recon.transaction,
	line smallint not null,
	book text not null check (book in ('receivable', 'revenue', 'tax', 'clearing', 'fees', 'disputed', 'losses', 'in_transit',
		'bank', 'fx', 'suspense', 'rounding')),
	account_id text not null,
	customer_id text,
	invoice_id text,
	currency text not null check (currency ~ '^[A-Z]{3}$'),
	amount_minor bigint not null check (amount_minor <> 0),
	primary key (business_key, line)
);
create index posting_disputed on recon.posting (invoice_id) where book = 'disputed';

create function recon.check_zero_sum() returns trigger
	language plpgsql
	as $$
declare
	bad text;
begin
	select string_agg(format('%s %s', p.currency, p.total), ', ' order by p.currency) into bad
	from (select currency, sum(amount_minor) as total from recon.posting where business_key = new.business_key
		group by currency having sum(amount_minor) <> 0) p;
	if bad is not null then
		raise exception 'postings of % do not sum to zero: %', new.business_key, bad using errcode = 'check_violation';
	end if;
	if not exists (select from recon.posting where business_key = new.business_key) then
		raise exception 'transaction % has no postings', new.business_key using errcode = 'check_violation';
	end if;
	return null;
end
$$;
create constraint trigger zero_sum after insert on recon.posting deferrable initially deferred
	for each row execute function recon.check_zero_sum();
create constraint trigger has_postings after insert on recon.transaction deferrable initially deferred
	for each row execute function recon.check_zero_sum();
create trigger append_only before update or delete on recon.transaction for each row execute function recon.refuse_change();
create trigger append_only before update or delete on recon.posting for each row execute function recon.refuse_change();
