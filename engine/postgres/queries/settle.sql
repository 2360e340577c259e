-- What a person does to a record: the version that was seen decides, and the audit is written in the same statement. Each
-- answers the state and version that are there when nothing moved. The alarms that asked for the person are cleared.

-- name: MoveIntent :one
with seen as (
	select i.intent_id, i.state, i.version, i.channel, i.deaths, i.held_why from recon.intent i where i.intent_id = @intent_id::text for update
), moved as (
	update recon.intent i set
		state = @state::text, next_at = recon.now(), outcome_code = @why::text, held_why = case when @state::text = 'held' then @why::text else '' end,
		asked_incarnation = case when (s.state = 'unknown' or s.held_why like 'lost:%') and @state::text = 'ready' -- a person vouches that it was not done
			then (select max(n.incarnation) from recon.incarnation n where n.opened_at is not null) else i.asked_incarnation end,
		attempts = case when @new_budget::boolean then 0 else i.attempts end,
		crashes = case when @new_budget then 0 else i.crashes end,
		act_number = i.act_number + s.step,
		idempotency_key = case when s.step = 1 then i.intent_id || '/' || (i.act_number + 1)::text else i.idempotency_key end,
		template_version = case when @new_budget and (s.step = 1 or i.body_hash = '') then coalesce((select t.version_id from recon.template t
			where t.channel = i.channel and t.kind = i.kind and t.retired_at is null), i.template_version) else i.template_version end,
		address = case when s.step = 1 then '' else i.address end, subject = case when s.step = 1 then '' else i.subject end,
		body = case when s.step = 1 then '' else i.body end, body_hash = case when s.step = 1 then '' else i.body_hash end,
		first_submitted_at = case when s.step = 1 then null else i.first_submitted_at end,
		submitted_at = case when s.step = 1 then null else i.submitted_at end,
		leased_by = null, lease_until = null, started_at = null,
		since = case when i.state = @state::text then i.since else recon.now() end, version = i.version + 1
	from (select n.*, case when n.state = 'rejected' and @state::text = 'ready' then 1 else 0 end as step from seen n) s
	where i.intent_id = s.intent_id and s.version = @expect::bigint and s.state = any (@from_states::text[])
	returning i.intent_id, i.state, i.version
), freed as (
	update recon.letter l set redriven_at = recon.now(), redriven_by = @actor::text
	from seen s, moved m
	where s.state = 'dead' and l.lane = s.channel and l.record = 'intent:' || m.intent_id and l.death = s.deaths and l.redriven_at is null
	returning l.lane
), seat as (
	update recon.lane l set used = l.used - 1 from freed f where l.lane = f.lane
), cleared as (
	update recon.alarm a set cleared_at = recon.now()
	where a.cleared_at is null and (a.kind = 'lane_full' and a.subject in (select f.lane from freed f)
		or a.kind = 'held_too_long' and a.subject in (select 'intent:' || m.intent_id from moved m))
), noted as (
	insert into recon.audit (at, actor, act, record, version, detail)
	select recon.now(), @actor::text, @act::text, 'intent:' || m.intent_id, @expect::bigint, @why::text from moved m
)
select coalesce(m.state, s.state)::text as state, coalesce(m.version, s.version)::bigint as version, (m.intent_id is not null)::boolean as moved
from seen s left join moved m on m.intent_id = s.intent_id;

-- name: MoveCorrection :one
-- Above four_eyes two persons approve: the first approval is kept and the record stays proposed.
with seen as (
	select c.correction_id, c.state, c.version, c.deaths, c.act, abs(c.amount_minor) as amount, c.approved_by
	from recon.correction c where c.correction_id = @correction_id::text for update
), judged as (
	select s.*, case when s.state = 'proposed' and @state::text = 'approved' and s.amount > @four_eyes::bigint and s.approved_by is null
		then 'proposed' else @state::text end as becomes
	from seen s
), moved as (
	update recon.correction c set
		state = j.becomes, next_at = recon.now(), outcome_code = @why::text,
		approved_by = case when @state::text = 'approved' and j.state = 'proposed' then coalesce(c.approved_by || ' ', '') || @actor::text else c.approved_by end,
		attempts = case when @new_budget::boolean then 0 else c.attempts end,
		crashes = case when @new_budget then 0 else c.crashes end,
		ref = case when @ref::text = '' then c.ref else @ref end,
		asked_incarnation = case when j.state = 'unknown' and @state::text = 'approved' -- a person vouches that it was not done
			then (select max(n.incarnation) from recon.incarnation n where n.opened_at is not null) else c.asked_incarnation end,
		leased_by = null, lease_until = null, started_at = null,
		since = case when c.state = j.becomes then c.since else recon.now() end, version = c.version + 1
	from judged j
	where c.correction_id = j.correction_id and j.version = @expect::bigint and j.state = any (@from_states::text[])
		and j.act = any (@acts::text[]) and not (@state::text = 'approved' and j.state = 'proposed' and j.approved_by is not distinct from @actor::text)
	returning c.correction_id, c.state, c.version
), freed as (
	update recon.letter l set redriven_at = recon.now(), redriven_by = @actor::text
	from seen s, moved m
	where s.state = 'dead' and l.lane = 'corrections' and l.record = 'correction:' || m.correction_id and l.death = s.deaths and l.redriven_at is null
	returning l.lane
), seat as (
	update recon.lane l set used = l.used - 1 from freed f where l.lane = f.lane
), cleared as (
	update recon.alarm a set cleared_at = recon.now()
	where a.cleared_at is null and (a.kind = 'lane_full' and a.subject in (select f.lane from freed f)
		or a.kind = 'correction_fault' and a.subject in (select 'correction:' || m.correction_id from moved m))
), noted as (
	insert into recon.audit (at, actor, act, record, version, detail)
	select recon.now(), @actor::text, @audit_act::text, 'correction:' || m.correction_id, @expect::bigint, @why::text from moved m
)
select coalesce(m.state, s.state)::text as state, coalesce(m.version, s.version)::bigint as version, (m.correction_id is not null)::boolean as moved
from seen s left join moved m on m.correction_id = s.correction_id;

-- name: NextCorrection :one
-- After a final rejection: the same ask under the next act number and a new key, proposed anew.
with seen as (
	select c.* from recon.correction c where c.correction_id = @correction_id::text for update
), next as (
	insert into recon.correction (correction_id, break_key, job_id, account_id, act, act_number, idempotency_key, payment_ref, business_ref,
		currency, amount_minor, state, next_at, since)
	select s.break_key || '/' || s.act || '/' || (s.act_number + 1)::text, s.break_key, s.job_id, s.account_id, s.act, s.act_number + 1,
		'refund/' || s.account_id || '/' || s.payment_ref || '/' || (s.act_number + 1)::text, s.payment_ref, s.business_ref,
		s.currency, s.amount_minor, 'proposed', recon.now(), recon.now()
	from seen s
	where s.version = @expect::bigint and s.state = 'rejected' and s.act = 'refund' and exists (
		select from recon.break a join recon.break o on o.account_id = a.account_id and o.row_id = a.row_id and o.item_key = a.item_key
		where a.break_key = s.break_key and o.state in ('timing', 'open')
	)
	returning correction_id
), noted as (
	insert into recon.audit (at, actor, act, record, version, detail)
	select recon.now(), @actor::text, 'next_act', 'correction:' || n.correction_id, @expect::bigint, @why::text from next n
)
select s.state, s.version, coalesce((select n.correction_id from next n), '')::text as next_id from seen s;

-- name: MoveJob :one
with seen as (
	select j.job_id, j.state, j.version, j.deaths from recon.job j where j.job_id = @job_id::text for update
), moved as (
	update recon.job j set
		state = @state::text, next_at = recon.now(), last_error = @why::text,
		attempts = case when @new_budget::boolean then 0 else j.attempts end,
		crashes = case when @new_budget then 0 else j.crashes end,
		since = recon.now(), version = j.version + 1
	from seen s
	where j.job_id = s.job_id and s.version = @expect::bigint and s.state = any (@from_states::text[])
	returning j.job_id, j.state, j.version
), freed as (
	update recon.letter l set redriven_at = recon.now(), redriven_by = @actor::text
	from seen s, moved m
	where s.state = 'dead' and l.lane = 'jobs' and l.record = 'job:' || m.job_id and l.death = s.deaths and l.redriven_at is null
	returning l.lane
), seat as (
	update recon.lane l set used = l.used - 1 from freed f where l.lane = f.lane
), cleared as (
	update recon.alarm a set cleared_at = recon.now()
	where a.cleared_at is null and a.kind = 'lane_full' and a.subject in (select f.lane from freed f)
), noted as (
	insert into recon.audit (at, actor, act, record, version, detail)
	select recon.now(), @actor::text, @act::text, 'job:' || m.job_id, @expect::bigint, @why::text from moved m
)
select coalesce(m.state, s.state)::text as state, coalesce(m.version, s.version)::bigint as version, (m.job_id is not null)::boolean as moved
from seen s left join moved m on m.job_id = s.job_id;

-- name: CloseBreak :one
-- Under the lock of the account's books, as every correction; not while one of the same difference is on its way. What is
-- only proposed for it is refused.
with books as (
	select a.account_id from recon.account a where a.account_id = (select b.account_id from recon.break b where b.break_key = @break_key::text)
	for no key update
), seen as (
	select b.break_key, b.state, b.version from recon.break b join books k on k.account_id = b.account_id where b.break_key = @break_key::text for update of b
), moved as (
	update recon.break b set state = @state::text, closed_by = @actor::text, since = recon.now(), version = b.version + 1
	from seen s
	where b.break_key = s.break_key and s.version = @expect::bigint and s.state = any (@from_states::text[])
		and not exists (select from recon.break o join recon.correction c on c.break_key = o.break_key
			where o.account_id = b.account_id and o.row_id = b.row_id and o.item_key = b.item_key
				and c.state in ('approved', 'submitting', 'unknown', 'parked', 'dead'))
	returning b.break_key, b.account_id, b.row_id, b.item_key, b.state, b.version
), refused as (
	update recon.correction c set state = 'refused', outcome_code = @why::text, since = recon.now(), version = c.version + 1
	from moved m, recon.break o
	where o.account_id = m.account_id and o.row_id = m.row_id and o.item_key = m.item_key and c.break_key = o.break_key and c.state = 'proposed'
), noted as (
	insert into recon.audit (at, actor, act, record, version, detail)
	select recon.now(), @actor::text, @act::text, 'break:' || m.break_key, @expect::bigint, @why::text from moved m
)
select coalesce(m.state, s.state)::text as state, coalesce(m.version, s.version)::bigint as version, (m.break_key is not null)::boolean as moved
from seen s left join moved m on m.break_key = s.break_key;

-- name: UnsettledJobs :many
select j.job_id, j.account_id, j.state, j.version, recon.now()::timestamptz as now, j.since, j.lease_until, j.next_at, j.deaths,
	recon.provider_pause(j.account_id)::text as paused, j.last_error
from recon.job j
where j.state in ('ready', 'leased', 'review', 'parked', 'dead') and (@job_id::text = '' or j.job_id = @job_id)
order by j.job_id;

-- name: UnsettledIntents :many
select i.intent_id, i.account_id, i.channel, i.state, i.version, recon.now()::timestamptz as now, i.since, i.lease_until, i.next_at, i.deaths,
	i.first_submitted_at, (i.state = 'unknown' and i.outcome = 'rejected')::boolean as resend_refused, i.outcome_code, i.held_why,
	coalesce(nullif((select recon.acting_stop()), ''), recon.channel_pause(i.account_id, i.channel, i.template_version))::text as paused,
	(l.since is not null)::boolean as lost, coalesce(least(l.since, i.first_submitted_at), recon.now())::timestamptz as lost_since,
	coalesce(l.until, recon.now())::timestamptz as lost_until, coalesce(l.through, 0)::integer as lost_through,
	recon.intent_ended(i.intent_id)::text as ended,
	coalesce((select v.invoice_id || ' ' || recon.pair_ended(i.kind, v.state, v.amount_minor, v.paid_minor) from recon.intent_step s
		join recon.invoice v on v.invoice_id = s.invoice_id
		where i.state = 'unknown' and s.intent_id = i.intent_id and s.dropped_why = '' and recon.pair_ended(i.kind, v.state, v.amount_minor, v.paid_minor) <> ''
		order by s.invoice_id, s.step limit 1), '')::text as part_ended,
	(case when i.state = 'review' and i.held_why like 'lost:%' then i.held_why else recon.intent_doubt(i.intent_id) end)::text as doubt,
	(i.address <> '' and i.address is distinct from a.address and a.address is not null)::boolean as contact_changed
from recon.intent i left join recon.contact_address a on a.contact_id = i.contact_id
	cross join lateral recon.lost(i.job_id, i.asked_incarnation) l
where i.state in ('ready', 'held', 'leased', 'submitting', 'unknown', 'review', 'rejected', 'parked', 'dead')
	and (@intent_id::text = '' or i.intent_id = @intent_id)
order by i.intent_id;

-- name: UnsettledCorrections :many
-- What a correction is for stands as long as a break of its difference does, be it a later envelope's.
select c.correction_id, c.account_id, c.act, c.idempotency_key, c.state, c.version, recon.now()::timestamptz as now, c.since, c.lease_until, c.next_at, c.deaths,
	c.first_submitted_at, (c.state = 'unknown' and c.outcome = 'rejected')::boolean as resend_refused, c.outcome_code, (case when c.state = 'proposed' then coalesce(c.approved_by, '') else '' end)::text as approved_once,
	coalesce(nullif((select recon.acting_stop()), ''), recon.provider_pause(c.account_id))::text as paused,
	(c.act = 'refund' and l.since is not null)::boolean as lost, coalesce(least(l.since, c.first_submitted_at), recon.now())::timestamptz as lost_since,
	coalesce(l.until, recon.now())::timestamptz as lost_until, coalesce(l.through, 0)::integer as lost_through, b.stands as break_open,
	exists (select from recon.correction o where o.account_id = c.account_id and o.payment_ref = c.payment_ref and c.payment_ref <> ''
		and o.correction_id <> c.correction_id and o.state in ('submitting', 'unknown')) as other_in_doubt,
	coalesce((select a.detail from recon.alarm a where a.kind = 'corrections_capped' and a.cleared_at is null and a.subject = c.account_id), '')::text as over_cap
from recon.correction c
	cross join lateral (
		select exists (
			select from recon.break a join recon.break o on o.account_id = a.account_id and o.row_id = a.row_id and o.item_key = a.item_key
			where a.break_key = c.break_key and o.state in ('timing', 'open')
		) as stands
	) b
	cross join lateral recon.lost(c.job_id, c.asked_incarnation) l
where (c.state in ('proposed', 'approved', 'submitting', 'unknown', 'parked', 'dead')
		or c.state = 'rejected' and b.stands and not exists (select from recon.correction o
			where o.break_key = c.break_key and o.act = c.act and o.act_number > c.act_number))
	and (@correction_id::text = '' or c.correction_id = @correction_id)
order by c.correction_id;
