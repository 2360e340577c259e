-- Claims and the writes under them return the record's id first, here and in intent.sql, correction.sql and letter.sql: who
-- reads answers off the wire knows whose record was touched.

-- name: ClaimJobs :many
-- Takes ready jobs that are due, and leased ones whose lease ended or whose holder is silent. One job an account, its
-- oldest window first: a later one waits also while that waits for its next try. Accounts with parked jobs and paused
-- ones are passed over. What this member itself leased is a
-- claim whose answer was lost: its worker claims only when nothing of the claim before is left. A claim of another
-- that ended after work had begun was a crash; a job that has seen one is claimed alone.
with silent as (
	select m.member_id from recon.member m
	where m.stopped_at is not null or m.beat_at + sqlc.arg(heartbeat_dead)::interval <= recon.now()
), free as (
	select j.job_id, j.next_at, j.state = 'leased' and j.started_at is not null and j.leased_by <> sqlc.arg(member)::text as crashed, j.crashes
	from recon.job j
	where (
			j.state = 'ready' and j.next_at <= recon.now()
			or j.state = 'leased' and (j.lease_until <= recon.now() or j.leased_by = sqlc.arg(member)
				or j.leased_by in (select s.member_id from silent s))
		)
		and not exists (
			select from recon.job o
			where o.account_id = j.account_id and o.job_id <> j.job_id and (
				o.state = 'parked'
				or o.state = 'leased' and (o.window_id < j.window_id
					or o.lease_until > recon.now() and o.leased_by <> sqlc.arg(member)
						and o.leased_by not in (select s.member_id from silent s))
				or o.state = 'ready' and o.window_id < j.window_id
			)
		)
		and recon.provider_pause(j.account_id) = '' and (select recon.incarnation_here()) is not null
	order by j.next_at, j.job_id
	limit sqlc.arg(batch)::integer
	for update of j skip locked
), picked as (
	select f.job_id, f.crashed, f.crashed or f.crashes > 0 as suspect, row_number() over (order by f.next_at, f.job_id) as place
	from free f
), claimed as (
	update recon.job j set
		state = 'leased', leased_by = sqlc.arg(member)::text, lease_until = recon.now() + sqlc.arg(lease)::interval, started_at = null,
		fence_incarnation = (select recon.incarnation_here()), fence_number = j.fence_number + 1,
		crashes = j.crashes + p.crashed::integer, since = recon.now(), version = j.version + 1
	from picked p
	where p.job_id = j.job_id
		and (p.place = 1 or not p.suspect and not (select f.suspect from picked f where f.place = 1))
	returning j.job_id, j.account_id, j.window_id, j.generation, j.slot, j.attempts, j.crashes, j.fence_incarnation, j.fence_number, j.lease_until
)
select c.job_id, c.account_id, c.window_id, c.generation, c.attempts, c.crashes, c.fence_incarnation, c.fence_number, c.lease_until::timestamptz as lease_until,
	w.starts_at, w.ends_at, w.due_at, s.correlation_id, recon.now()::timestamptz as now
from claimed c
	join recon.window w on w.account_id = c.account_id and w.window_id = c.window_id
	join recon.admission s on s.slot = c.slot
order by c.job_id;

-- name: BeginJob :one
-- Work begins: from here on a claim that ends without an answer is a crash.
update recon.job j set started_at = recon.now(), version = j.version + 1
where j.job_id = sqlc.arg(job_id) and j.state = 'leased' and j.lease_until > recon.now()
	and j.fence_incarnation = sqlc.arg(fence_incarnation) and j.fence_number = sqlc.arg(fence_number)
returning j.job_id;

-- name: RenewJob :one
update recon.job j set lease_until = recon.now() + sqlc.arg(lease)::interval, version = j.version + 1
where j.job_id = sqlc.arg(job_id) and j.state = 'leased' and j.lease_until > recon.now()
	and j.fence_incarnation = sqlc.arg(fence_incarnation) and j.fence_number = sqlc.arg(fence_number)
returning j.job_id, j.lease_until::timestamptz as lease_until;

-- name: HandBackJob :one
-- Waiting is not failing: no attempt is burnt.
update recon.job j set
	state = 'ready', next_at = recon.now() + sqlc.arg(wait)::interval, leased_by = null, lease_until = null, started_at = null,
	last_outcome = sqlc.arg(outcome), last_error = sqlc.arg(error), since = recon.now(), version = j.version + 1
where j.job_id = sqlc.arg(job_id) and j.state = 'leased'
	and j.fence_incarnation = sqlc.arg(fence_incarnation) and j.fence_number = sqlc.arg(fence_number)
returning j.job_id;

-- name: RetryJob :one
-- A failure: one attempt is burnt, the next not before the wait.
update recon.job j set
	state = 'ready', next_at = recon.now() + sqlc.arg(wait)::interval, attempts = j.attempts + 1, leased_by = null, lease_until = null,
	started_at = null, last_outcome = 'failed', last_error = sqlc.arg(error), since = recon.now(), version = j.version + 1
where j.job_id = sqlc.arg(job_id) and j.state = 'leased'
	and j.fence_incarnation = sqlc.arg(fence_incarnation) and j.fence_number = sqlc.arg(fence_number)
returning j.job_id;

-- name: ReviewJob :one
update recon.job j set
	state = 'review', leased_by = null, lease_until = null, started_at = null, last_outcome = sqlc.arg(outcome), last_error = sqlc.arg(error),
	since = recon.now(), version = j.version + 1
where j.job_id = sqlc.arg(job_id) and j.state = 'leased'
	and j.fence_incarnation = sqlc.arg(fence_incarnation) and j.fence_number = sqlc.arg(fence_number)
returning j.job_id;

-- name: LockJob :one
-- The read-back of a COMMIT: whoever still commits holds this row.
select j.state, j.generation, j.fence_incarnation, j.fence_number from recon.job j where j.job_id = @job_id for update;

-- name: EnvelopeOf :one
-- Asked in a statement after LockJob: a snapshot is older than the wait for the lock.
select count(*) from recon.envelope e
where e.job_id = @job_id and e.generation = @generation
	and e.fence_incarnation = @fence_incarnation and e.fence_number = @fence_number;

-- name: FinishJob :one
-- First of its transaction. Ends the claim, counts the account's reconciliations (another one that ended meanwhile
-- makes ours stale: counted = false), and writes the envelope. No row: the lease is lost, or the claim is of another existence
-- of the database: what it read may be lost, so its result is worth nothing.
with ended as (
	update recon.job j set
		state = 'done', leased_by = null, lease_until = null, started_at = null, last_outcome = 'accepted', last_error = '',
		since = recon.now(), version = j.version + 1
	where j.job_id = sqlc.arg(job_id) and j.state = 'leased' and j.lease_until > recon.now()
		and j.fence_incarnation = sqlc.arg(fence_incarnation) and j.fence_number = sqlc.arg(fence_number)
		and j.fence_incarnation = (select recon.incarnation_here())
	returning j.job_id, j.account_id, j.generation, j.attempts
), counted as (
	update recon.account a set reconciled = a.reconciled + 1
	from ended e
	where a.account_id = e.account_id and a.reconciled = sqlc.arg(reconciled)
	returning a.account_id, a.reconciled
), written as (
	insert into recon.envelope (job_id, generation, ordinal, statement_hash, statement_name, rows_seen, matched, breaks, attempt,
		fence_incarnation, fence_number, correlation_id, recorded_at)
	select e.job_id, e.generation, c.reconciled, sqlc.arg(statement_hash), sqlc.arg(statement_name), sqlc.arg(rows_seen), sqlc.arg(matched),
		sqlc.arg(breaks), e.attempts + 1, sqlc.arg(fence_incarnation), sqlc.arg(fence_number), sqlc.arg(correlation_id), recon.now()
	from ended e join counted c on c.account_id = e.account_id
	returning job_id, generation
), totals as (
	insert into recon.envelope_total (job_id, generation, currency, provider_minor, ledger_minor, residual_minor,
		provider_opening_minor, provider_new_minor, provider_matched_minor, provider_closing_minor,
		ledger_opening_minor, ledger_new_minor, ledger_matched_minor, ledger_closing_minor)
	select w.job_id, w.generation, g.currency, g.provider, g.ledger, g.residual,
		g.provider_opening, g.provider_new, g.provider_matched, g.provider_closing,
		g.ledger_opening, g.ledger_new, g.ledger_matched, g.ledger_closing
	from written w cross join unnest(sqlc.arg(currencies)::text[], sqlc.arg(provider)::bigint[], sqlc.arg(ledger)::bigint[], sqlc.arg(residual)::bigint[],
		sqlc.arg(provider_opening)::bigint[], sqlc.arg(provider_new)::bigint[], sqlc.arg(provider_matched)::bigint[], sqlc.arg(provider_closing)::bigint[],
		sqlc.arg(ledger_opening)::bigint[], sqlc.arg(ledger_new)::bigint[], sqlc.arg(ledger_matched)::bigint[], sqlc.arg(ledger_closing)::bigint[])
		as g (currency, provider, ledger, residual, provider_opening, provider_new, provider_matched, provider_closing,
			ledger_opening, ledger_new, ledger_matched, ledger_closing)
	order by g.currency
)
select e.job_id, exists (select from counted) as counted from ended e;

-- name: RecordRows :exec
-- New statement rows, what this job closed among all of the account's, and the ledger items it closed.
with given as (
	select g.row_id, g.kind, g.occurred_at, g.provider_ref, g.business_ref, g.payout_ref, g.currency, g.amount_minor, g.fee_minor, g.closed
	from unnest(sqlc.arg(row_ids)::text[], sqlc.arg(kinds)::text[], sqlc.arg(occurred)::timestamptz[], sqlc.arg(provider_refs)::text[],
		sqlc.arg(business_refs)::text[], sqlc.arg(payout_refs)::text[], sqlc.arg(currencies)::text[], sqlc.arg(amounts)::bigint[], sqlc.arg(fees)::bigint[],
		sqlc.arg(closed)::boolean[])
		as g (row_id, kind, occurred_at, provider_ref, business_ref, payout_ref, currency, amount_minor, fee_minor, closed)
), seen as (
	insert into recon.provider_row (account_id, row_id, window_id, kind, occurred_at, provider_ref, business_ref, payout_ref, currency,
		amount_minor, fee_minor, matched_job)
	select sqlc.arg(account_id), g.row_id, sqlc.arg(window_id), g.kind, g.occurred_at, g.provider_ref, g.business_ref, g.payout_ref, g.currency,
		g.amount_minor, g.fee_minor, case when g.closed then sqlc.arg(job_id) end
	from given g
	order by g.row_id
), carried as (
	update recon.provider_row r set matched_job = sqlc.arg(job_id)
	where r.account_id = sqlc.arg(account_id) and r.matched_job is null and r.row_id = any (sqlc.arg(carried_closed)::text[])
)
insert into recon.item_match (business_key, job_id, generation)
select g.business_key, sqlc.arg(job_id), sqlc.arg(generation)
from unnest(sqlc.arg(item_keys)::text[]) as g (business_key)
order by g.business_key;

-- name: RecordBreaks :exec
-- The breaks of this envelope. Unresolved ones of earlier envelopes end: carried into one of these, or gone because
-- both sides have it now, and then what a person was asked to do about it is superseded.
with ended as (
	update recon.break b set state = 'resolved', closed_by = 'job:' || sqlc.arg(job_id)::text, since = recon.now(), version = b.version + 1
	where b.break_key = any (sqlc.arg(carried_keys)::text[] || sqlc.arg(gone_keys)::text[]) and b.state in ('timing', 'open')
), superseded as (
	update recon.correction c set state = 'superseded', since = recon.now(), version = c.version + 1
	where c.account_id = sqlc.arg(account_id) and c.state = 'proposed' and c.act in ('local', 'task') and exists (
		select from recon.break g join recon.break o
			on o.account_id = g.account_id and o.row_id = g.row_id and o.item_key = g.item_key
		where g.break_key = any (sqlc.arg(gone_keys)::text[]) and o.break_key = c.break_key
	)
)
insert into recon.break (break_key, job_id, generation, account_id, window_id, kind, state, row_kind, currency, residual_minor, row_id, item_key,
	provider_ref, business_ref, grace_until, closed_by, since)
select g.break_key, sqlc.arg(job_id), sqlc.arg(generation), sqlc.arg(account_id), sqlc.arg(window_id), g.kind, g.state, g.row_kind, g.currency,
	g.residual_minor, g.row_id, g.item_key, g.provider_ref, g.business_ref, case when g.state = 'timing' then g.grace_until end, g.closed_by, recon.now()
from unnest(sqlc.arg(break_keys)::text[], sqlc.arg(kinds)::text[], sqlc.arg(states)::text[], sqlc.arg(row_kinds)::text[], sqlc.arg(currencies)::text[],
	sqlc.arg(residuals)::bigint[], sqlc.arg(row_ids)::text[], sqlc.arg(item_keys)::text[], sqlc.arg(provider_refs)::text[],
	sqlc.arg(business_refs)::text[], sqlc.arg(graces)::timestamptz[], sqlc.arg(closed_bys)::text[])
	as g (break_key, kind, state, row_kind, currency, residual_minor, row_id, item_key, provider_ref, business_ref, grace_until, closed_by)
order by g.break_key;

-- name: ProposeCorrections :many
-- A key of ours is proposed once, whatever the window or generation. What policy approved is in the audit.
with proposed as (
	insert into recon.correction (correction_id, break_key, job_id, account_id, act, act_number, idempotency_key, payment_ref, business_ref, currency,
		amount_minor, state, approved_by, next_at, ref, outcome, since, version)
	select g.break_key || '/' || g.act || '/1', g.break_key, sqlc.arg(job_id), sqlc.arg(account_id), g.act, 1, g.idempotency_key, g.payment_ref,
		g.business_ref, g.currency, g.amount_minor, g.state, nullif(g.approved_by, ''), recon.now(), g.ref,
		case when g.state = 'applied' then 'accepted' else '' end, recon.now(),
		case g.state when 'proposed' then 1 when 'approved' then 2 else 3 end
	from unnest(sqlc.arg(break_keys)::text[], sqlc.arg(acts)::text[], sqlc.arg(idempotency_keys)::text[], sqlc.arg(payment_refs)::text[],
		sqlc.arg(business_refs)::text[], sqlc.arg(currencies)::text[], sqlc.arg(amounts)::bigint[], sqlc.arg(states)::text[],
		sqlc.arg(approved_bys)::text[], sqlc.arg(refs)::text[])
		as g (break_key, act, idempotency_key, payment_ref, business_ref, currency, amount_minor, state, approved_by, ref)
	order by g.break_key
	on conflict (idempotency_key) do nothing
	returning correction_id, act, approved_by
), noted as (
	insert into recon.audit (at, actor, act, record, version, detail)
	select recon.now(), p.approved_by, 'approve', 'correction:' || p.correction_id, 1, p.act from proposed p
	where p.approved_by is not null
	order by p.correction_id
)
select p.correction_id from proposed p order by p.correction_id;

-- name: CreateIntents :exec
-- One intent a channel and contact, with the (invoice, step) pairs it covers; after RecordBreaks, because what stands
-- in doubt is born held. A pair that another reconciliation covered in this instant fails the transaction, and the
-- job is read again.
with steps as (
	select g.invoice_id, g.step, g.channel, g.contact_id, g.intent_id
	from unnest(sqlc.arg(step_invoices)::text[], sqlc.arg(step_names)::text[], sqlc.arg(step_channels)::text[], sqlc.arg(step_contacts)::text[],
		sqlc.arg(step_intents)::text[])
		as g (invoice_id, step, channel, contact_id, intent_id)
), given as (
	select g.intent_id, g.customer_id, g.contact_id, g.channel, g.template_version, coalesce(
		(select 'contact ' || c.contact_id || ' bounced' from recon.contact c where c.contact_id = g.contact_id and c.invalid),
		(select d.why from (
				select v.invoice_id, recon.invoice_doubt(v.account_id, v.invoice_id, v.currency) as why
				from steps s join recon.invoice v on v.invoice_id = s.invoice_id where s.intent_id = g.intent_id
			) d where d.why <> '' order by d.invoice_id limit 1),
		'') as held_why
	from unnest(sqlc.arg(intent_ids)::text[], sqlc.arg(customer_ids)::text[], sqlc.arg(contact_ids)::text[], sqlc.arg(channels)::text[],
		sqlc.arg(template_versions)::text[])
		as g (intent_id, customer_id, contact_id, channel, template_version)
), intents as (
	insert into recon.intent (intent_id, job_id, generation, account_id, customer_id, contact_id, kind, channel, state, idempotency_key,
		template_version, held_why, next_at, since)
	select g.intent_id, sqlc.arg(job_id), sqlc.arg(generation), sqlc.arg(account_id), g.customer_id, g.contact_id, 'reminder', g.channel,
		case when g.held_why = '' then 'ready' else 'held' end, g.intent_id || '/1', g.template_version, g.held_why, recon.now(), recon.now()
	from given g
	order by g.intent_id
)
insert into recon.intent_step (invoice_id, step, channel, contact_id, intent_id)
select s.invoice_id, s.step, s.channel, s.contact_id, s.intent_id from steps s
order by s.invoice_id, s.step, s.channel, s.contact_id;

-- name: LoadAccount :many
-- The account as its last envelope left it, one row a currency (one with an empty currency before the first).
select a.zone, a.payment_lag_max, a.reconciled, recon.now()::timestamptz as now,
	coalesce(t.currency, '')::text as currency, coalesce(t.provider_closing_minor, 0)::bigint as provider_closing_minor,
	coalesce(t.ledger_closing_minor, 0)::bigint as ledger_closing_minor,
	exists (select from recon.alarm x where x.kind = 'corrections_capped' and x.subject = a.account_id and x.cleared_at is null)::boolean as capped
from recon.account a
	left join (
		select j.account_id, e.ordinal, x.currency, x.provider_closing_minor, x.ledger_closing_minor
		from recon.job j
			join recon.envelope e on e.job_id = j.job_id
			join recon.envelope_total x on x.job_id = e.job_id and x.generation = e.generation
	) t on t.account_id = a.account_id and t.ordinal = a.reconciled
where a.account_id = @account_id
order by t.currency;

-- name: OpenRows :many
-- What the provider's side has open, and what is known already of the rows that a statement names.
select r.row_id, r.window_id, r.kind, r.occurred_at, r.provider_ref, r.business_ref, r.payout_ref, r.currency, r.amount_minor, r.fee_minor,
	(r.matched_job is not null)::boolean as matched
from recon.provider_row r
where r.account_id = @account_id and (r.matched_job is null or r.row_id = any (@row_ids::text[]))
order by r.row_id;

-- name: OpenItems :many
-- Open entries of the clearing book up to the window's end.
select t.business_key, t.kind, t.occurred_at, t.provider_ref, t.business_ref, t.payout_ref, p.currency, sum(p.amount_minor)::bigint as amount_minor,
	coalesce((
		select w.window_id from recon.window w
		where w.account_id = t.account_id and w.starts_at <= t.occurred_at and t.occurred_at < w.ends_at and w.window_id < @window_id
		order by w.window_id limit 1
	), '')::text as carried_from
from recon.clearing_item o
	join recon.transaction t on t.business_key = o.business_key
	join recon.posting p on p.business_key = t.business_key and p.book = 'clearing'
where o.account_id = @account_id and o.open and t.occurred_at < @ends_at
group by t.business_key, t.kind, t.occurred_at, t.provider_ref, t.business_ref, t.payout_ref, t.account_id, p.currency
order by t.business_key, p.currency;

-- name: UnresolvedBreaks :many
-- Earlier breaks of an account that still stand; acting: a refund for the same difference is on its way.
select b.break_key, b.job_id, b.kind, b.state, b.row_kind, b.currency, b.residual_minor, b.row_id, b.item_key, b.provider_ref, b.business_ref,
	exists (
		select from recon.break o join recon.correction c on c.break_key = o.break_key
		where o.account_id = b.account_id and o.row_id = b.row_id and o.item_key = b.item_key
			and c.act = 'refund' and c.state in ('proposed', 'approved', 'submitting', 'unknown', 'parked', 'dead')
	) as acting
from recon.break b
where b.account_id = @account_id and b.state in ('timing', 'open')
order by b.break_key;

-- name: DueSteps :many
-- Due steps of the account's open invoices that no intent covers, a row for each channel and contact; an empty
-- template: no content is approved for that channel.
select s.invoice_id, s.step, i.customer_id, i.currency, i.amount_minor, i.paid_minor, c.contact_id, c.channel,
	coalesce(t.version_id, '')::text as template_version
from recon.invoice i
	join recon.step s on s.invoice_id = i.invoice_id and s.due_at <= recon.now()
	join recon.contact c on c.customer_id = i.customer_id
	left join recon.template t on t.channel = c.channel and t.kind = 'reminder' and t.retired_at is null
where i.account_id = @account_id and i.state = 'open'
	and not exists (
		select from recon.intent_step x
		where x.invoice_id = s.invoice_id and x.step = s.step and x.channel = c.channel and x.contact_id = c.contact_id
	)
order by c.channel, c.contact_id, s.invoice_id, s.step;

-- name: InvoicesByReference :many
-- Our invoices behind business references.
select i.invoice_id, i.customer_id, i.currency, i.amount_minor, i.paid_minor, i.state from recon.invoice i
where i.account_id = @account_id and i.invoice_id = any (@invoice_ids::text[])
order by i.invoice_id;

-- name: AutomaticToday :many
-- What policy approved for an account in the last 24 hours, by currency.
select c.currency, count(*) as number, sum(abs(c.amount_minor))::bigint as money from recon.correction c
where c.account_id = @account_id and c.approved_by like 'policy:%' and c.act <> 'task' and c.since > recon.now() - '24 hours'::interval
group by c.currency
order by c.currency;

-- name: RaiseAlarms :exec
insert into recon.alarm (kind, subject, raised_at, detail)
select g.kind, g.subject, recon.now(), g.detail
from unnest(sqlc.arg(kinds)::text[], sqlc.arg(subjects)::text[], sqlc.arg(details)::text[]) as g (kind, subject, detail)
order by g.kind, g.subject
on conflict (kind, subject) do update set raised_at = excluded.raised_at, detail = excluded.detail, cleared_at = null;

-- name: BookedKeys :many
select t.business_key from recon.transaction t where t.business_key = any (@business_keys::text[]) order by t.business_key;
