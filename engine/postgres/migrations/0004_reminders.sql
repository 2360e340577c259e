-- Reminders: what was decided, what it covers, what was said, and what the channels testify.

-- Content is drafted once, approved, stored under its hash, then fanned out.
create table recon.template (
	version_id text primary key,                       -- sha256 of channel, kind, subject and body
	channel text not null check (channel in ('email', 'sms', 'push')),
	kind text not null check (kind in ('invoice', 'reminder', 'confirmation')),
	subject text not null,
	body text not null,                                -- text/template over the intent's facts
	approved_by text not null,
	approved_at timestamptz not null,
	retired_at timestamptz
);
create unique index template_current on recon.template (channel, kind) where retired_at is null;

create table recon.intent (
	intent_id text primary key,                        -- job/kind/channel/contact
	job_id text not null references recon.job,
	generation integer not null,
	account_id text not null,
	customer_id text not null,
	contact_id text not null references recon.contact,
	kind text not null check (kind in ('invoice', 'reminder', 'confirmation')),
	channel text not null check (channel in ('email', 'sms', 'push')),
	state text not null check (state in ('ready', 'held', 'leased', 'submitting', 'sent', 'rejected', 'unknown', 'suppressed',
		'review', 'parked', 'dead', 'given_up')),
	act_number integer not null default 1 check (act_number > 0),
	idempotency_key text not null unique,              -- intent_id/act number
	template_version text not null references recon.template,
	held_why text not null default '',
	address text not null default '',                  -- fixed when submission began
	subject text not null default '',
	body text not null default '',
	body_hash text not null default '',
	next_at timestamptz not null,
	attempts integer not null default 0,
	crashes integer not null default 0,
	deaths integer not null default 0,
	fence_incarnation integer not null default 0,
	fence_number bigint not null default 0,
	leased_by text,
	lease_until timestamptz,
	started_at timestamptz,
	first_submitted_at timestamptz,
	submitted_at timestamptz,
	outcome text not null default '',
	outcome_code text not null default '',
	ref text not null default '',                      -- the channel's message id
	since timestamptz not null,
	version bigint not null default 1,
	unique (job_id, kind, channel, contact_id)
);
create index intent_claim on recon.intent (channel, state, next_at, intent_id);
create index intent_by_account on recon.intent (account_id, state, intent_id);

-- The (invoice, step) pairs an intent covers; a pair is covered once per channel and contact, for ever.
create table recon.intent_step (
	invoice_id text not null,
	step text not null,
	channel text not null,
	contact_id text not null,
	intent_id text not null references recon.intent,
	dropped_why text not null default '',              -- paid, cancelled… found before the first submission
	primary key (invoice_id, step, channel, contact_id),
	foreign key (invoice_id, step) references recon.step
);
create index intent_step_by_intent on recon.intent_step (intent_id, invoice_id, step);

-- The channel's own evidence.
create table recon.receipt (
	channel text not null,
	receipt_id text not null,
	intent_id text not null references recon.intent,
	kind text not null check (kind in ('delivered', 'bounced', 'complained', 'opted_out')),
	at timestamptz not null,
	received_at timestamptz not null,
	primary key (channel, receipt_id)
);
create trigger append_only before update or delete on recon.receipt for each row execute function recon.refuse_change();

-- Grants: the engine works, the operator acts, the reader reads; nobody but the owner changes shape, nobody edits history.
grant select on all tables in schema recon to recon_engine, recon_operator, recon_reader;
grant insert, update on all tables in schema recon to recon_engine, recon_operator;
revoke update on recon.transaction, recon.posting, recon.audit, recon.admission, recon.envelope, recon.envelope_total, recon.receipt
	from recon_engine, recon_operator;
grant delete on recon.pause to recon_operator;
grant execute on all functions in schema recon to recon_engine, recon_operator, recon_reader;
grant usage on all sequences in schema recon to recon_engine, recon_operator;
alter schema recon owner to recon_owner;
do $$
declare
	r record;
begin
	for r in select c.oid::regclass as name, c.relkind from pg_catalog.pg_class c
		where c.relnamespace = 'recon'::regnamespace and c.relkind = 'r' order by c.relname loop
		execute format('alter table %s owner to recon_owner', r.name);
	end loop;
	for r in select p.oid::regprocedure as name from pg_catalog.pg_proc p
		where p.pronamespace = 'recon'::regnamespace order by 1 loop
		execute format('alter function %s owner to recon_owner', r.name);
	end loop;
end
$$;
