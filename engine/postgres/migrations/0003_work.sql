-- Windows, nights, admissions, jobs, what a reconciliation found, and the corrections it asks for.

-- Due windows are written one ahead: admission of a window writes the next one.
create table recon.window (
	account_id text not null references recon.account,
	window_id text not null,                           -- the local date
	starts_at timestamptz not null,
	ends_at timestamptz not null,
	due_at timestamptz not null,
	skipped_by text,                                   -- only a person skips a window
	skipped_why text,
	primary key (account_id, window_id),
	check (starts_at < ends_at and ends_at <= due_at),
	check (isfinite(starts_at) and isfinite(due_at))   -- what no claim could read would stop every claim
);
create index window_due on recon.window (due_at, account_id, window_id);

-- A schedule is known from its first start on, so that a slot missed before the first admission is found too.
create table recon.schedule (
	token text primary key,
	began_at timestamptz not null
);

create table recon.night (
	night_id text primary key,                         -- the date the schedule gives, 2026-03-02
	state text not null check (state in ('open', 'closed')),
	opened_at timestamptz not null,
	closed_at timestamptz,
	cursor_due_at timestamptz,                         -- last admitted (due_at, account, window), null before the first
	cursor_account text,
	cursor_window text,
	version bigint not null default 1
);

-- The durable record that a slot released a bounded batch.
create table recon.admission (
	slot timestamptz primary key,                      -- the instant the schedule says: the identity of a tick
	night_id text not null references recon.night,
	token text not null,                               -- schedule name
	request_id text not null,
	correlation_id text not null,
	bound integer not null check (bound > 0),
	first_key text not null default '',
	last_key text not null default '',
	selected integer not null,
	inserted integer not null,
	late boolean not null,
	admitted_by text not null,                         -- member
	admitted_at timestamptz not null
);
create trigger append_only before update or delete on recon.admission for each row execute function recon.refuse_change();

create table recon.job (
	job_id text primary key,                           -- account/window
	account_id text not null,
	window_id text not null,
	state text not null check (state in ('ready', 'leased', 'done', 'review', 'parked', 'dead', 'cancelled')),
	slot timestamptz not null references recon.admission,
	generation integer not null default 1,
	next_at timestamptz not null,                      -- not leased before
	attempts integer not null default 0,               -- failures in this budget
	crashes integer not null default 0,                -- claims that ended without an answer after work had begun
	deaths integer not null default 0,                 -- number of the current or last dead letter
	fence_incarnation integer not null default 0,
	fence_number bigint not null default 0,            -- grows with every claim
	leased_by text,                                    -- member
	lease_until timestamptz,
	started_at timestamptz,                            -- begun in this claim
	last_outcome text not null default '',
	last_error text not null default '',
	since timestamptz not null,                        -- in this state
	version bigint not null default 1,                 -- grows with every write
	unique (account_id, window_id),
	foreign key (account_id, window_id) references recon.window,
	check ((state = 'leased') = (lease_until is not null and leased_by is not null))
);
create index job_claim on recon.job (state, next_at, job_id);

-- The compact ledger row of a reconciliation: (job, generation).
create table recon.envelope (
	job_id text not null references recon.job,
	generation integer not null,
	ordinal bigint not null check (ordinal > 0),       -- the account's how manieth: its totals open where the one before closed
	statement_hash text not null,
	statement_name text not null,
	rows_seen integer not null,
	matched integer not null,
	breaks integer not null,
	attempt integer not null,
	fence_incarnation integer not null,
	fence_number bigint not null,
	correlation_id text not null,
	recorded_at timestamptz not null,
	primary key (job_id, generation)
);
create trigger append_only before update or delete on recon.envelope for each row execute function recon.refuse_change();

-- Its exact equation per currency: provider − ledger = residual = Σ residuals of its breaks; and opening + new − matched = closing.
create table recon.envelope_total (
	job_id text not null,
	generation integer not null,
	currency text not null,
	provider_minor bigint not null,
	ledger_minor bigint not null,
	residual_minor bigint not null,
	provider_opening_minor bigint not null,
	provider_new_minor bigint not null,
	provider_matched_minor bigint not null,
	provider_closing_minor bigint not null,
	ledger_opening_minor bigint not null,
	ledger_new_minor bigint not null,
	ledger_matched_minor bigint not null,
	ledger_closing_minor bigint not null,
	primary key (job_id, generation, currency),
	foreign key (job_id, generation) references recon.envelope,
	check (provider_minor - ledger_minor = residual_minor),
	check (provider_opening_minor + provider_new_minor - provider_matched_minor = provider_closing_minor),
	check (ledger_opening_minor + ledger_new_minor - ledger_matched_minor = ledger_closing_minor)
);
create trigger append_only before update or delete on recon.envelope_total for each row execute function recon.refuse_change();

-- Statement rows, compact: identity is the provider's transaction id. matched_job null = still open.
create table recon.provider_row (
	account_id text not null references recon.account,
	row_id text not null,
	window_id text not null,                           -- where it was first seen
	kind text not null,
	occurred_at timestamptz not null,
	provider_ref text not null,
	business_ref text not null,
	payout_ref text not null,
	currency text not null,
	amount_minor bigint not null,
	fee_minor bigint not null,
	matched_job text references recon.job,
	primary key (account_id, row_id)
);

-- Clearing items that a reconciliation closed; an item not here is open.
create table recon.item_match (
	business_key text primary key references recon.transaction,
	job_id text not null,
	generation integer not null,
	foreign key (job_id, generation) references recon.envelope
);

create table recon.break (
	break_key text primary key,                        -- job/generation/kind/row or item
	job_id text not null,
	generation integer not null,
	account_id text not null,
	window_id text not null,
	kind text not null check (kind in ('missing_in_ledger', 'missing_at_provider', 'amount_differs', 'fee_differs',
		'duplicate_at_provider', 'duplicate_in_ledger', 'other_window', 'state_differs', 'ambiguous', 'tolerated')),
	state text not null check (state in ('timing', 'open', 'resolved', 'accepted')),
	row_kind text not null,                            -- charge refund fee …
	currency text not null,
	residual_minor bigint not null,
	row_id text not null default '',
	item_key text not null default '',
	provider_ref text not null default '',
	business_ref text not null default '',
	grace_until timestamptz,
	closed_by text not null default '',                -- what resolved or accepted it: job:… (matched, or carried into its breaks), correction:…, person:…
	since timestamptz not null,
	version bigint not null default 1,
	foreign key (job_id, generation) references recon.envelope
);
create index break_by_account on recon.break (account_id, state, break_key);

create table recon.correction (
	correction_id text primary key,                    -- break_key/act number
	break_key text not null references recon.break,
	job_id text not null references recon.job,
	account_id text not null,
	act text not null check (act in ('refund', 'local', 'task')),
	act_number integer not null check (act_number > 0),
	idempotency_key text not null unique,              -- refund/account/payment/act number: made from the business, leaves with the call
	payment_ref text not null default '',
	business_ref text not null default '',
	currency text not null,
	amount_minor bigint not null check (amount_minor <> 0 or act = 'task'), -- a task's is the residual
	state text not null check (state in ('proposed', 'approved', 'submitting', 'applied', 'rejected', 'unknown', 'refused',
		'superseded', 'parked', 'dead')),
	approved_by text,
	next_at timestamptz not null,
	attempts integer not null default 0,
	crashes integer not null default 0,
	deaths integer not null default 0,
	fence_incarnation integer not null default 0,
	fence_number bigint not null default 0,
	leased_by text,
	lease_until timestamptz,
	started_at timestamptz,
	first_submitted_at timestamptz,                    -- key retention counts from here
	submitted_at timestamptz,
	outcome text not null default '',
	outcome_code text not null default '',
	ref text not null default '',                      -- the provider's refund id
	since timestamptz not null,
	version bigint not null default 1
);
create unique index correction_one_open on recon.correction (break_key)
	where state in ('proposed', 'approved', 'submitting', 'unknown', 'parked');
create index correction_claim on recon.correction (state, next_at, correction_id);

-- Lanes of dead letters; capacity is counted in one locked row. Full = parked.
create table recon.lane (
	lane text primary key,                             -- jobs corrections email sms push
	capacity integer not null check (capacity >= 0),
	used integer not null default 0 check (used >= 0 and used <= capacity)
);
insert into recon.lane (lane, capacity) values ('corrections', 1000), ('email', 1000), ('jobs', 1000), ('push', 1000), ('sms', 1000);

create table recon.letter (
	lane text not null references recon.lane,
	record text not null,
	death integer not null check (death > 0),
	reason text not null,
	died_at timestamptz not null,
	redriven_at timestamptz,
	redriven_by text,
	primary key (lane, record, death)
);
