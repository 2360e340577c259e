-- name: ClaimCorrections :many
-- What is approved and due, what is unknown and can be asked or sent again under its key, and what ended its lease; as in
-- ClaimIntents. An approved one stays approved under its claim. One an account: the account's books are locked for each
-- submission anyway.
with due as (
	select c.correction_id, c.state, c.act, c.job_id, c.asked_incarnation,
		c.crashes + case when c.state = 'approved' and c.started_at is not null and c.leased_by <> @member::text then 1 else 0 end as crashes
	from recon.correction c
	where c.act in ('refund', 'local') and (select recon.incarnation_here()) is not null
		and c.state in ('approved', 'unknown', 'submitting') and case c.state
		when 'approved' then c.next_at <= recon.now()
			and (c.leased_by is null or c.leased_by = @member or c.lease_until <= recon.now()
				or exists (select from recon.member m -- positive evidence, see ClaimIntents
					where m.member_id = c.leased_by and (m.stopped_at is not null or m.beat_at <= recon.now() - @dead_after::interval)))
			and (select recon.acting_stop()) = '' and recon.provider_pause(c.account_id) = ''
			and not exists (select from recon.correction p where p.account_id = c.account_id and p.state = 'parked')
		when 'unknown' then c.next_at <= recon.now() and (c.lease_until is null or c.lease_until <= recon.now())
			and (@can_look_up::boolean or c.first_submitted_at + @resend_within::interval > recon.now()
				and c.outcome <> 'rejected' and recon.lost_doubt(c.job_id, c.asked_incarnation) = '')
		else c.lease_until <= recon.now()
		end
	order by (c.crashes > 0) desc, (c.state in ('unknown', 'submitting')) desc, c.correction_id
	limit @batch
	for update of c skip locked
), picked as (
	select d.correction_id, d.crashes, max(d.crashes) over () as worst,
		row_number() over (order by d.crashes desc, (d.state in ('unknown', 'submitting')) desc, d.correction_id) as place,
		l.since as lost_since, l.until as lost_until, l.through as lost_through
	from due d left join lateral recon.lost(d.job_id, d.asked_incarnation) l on d.act = 'refund' -- a local posting never left
), claimed as (
	update recon.correction c set
		state = case when c.state = 'submitting' or p.lost_since is not null then 'unknown' else c.state end,
		outcome_code = case when c.state = 'submitting' then 'its lease ended in a call' when c.state = 'unknown' or p.lost_since is null
			then c.outcome_code else recon.lost_doubt(c.job_id, c.asked_incarnation) end,
		crashes = p.crashes,
		fence_incarnation = (select recon.incarnation_here()), fence_number = c.fence_number + 1,
		leased_by = @member, lease_until = recon.now() + @lease::interval,
		started_at = case when p.place = 1 then recon.now() end,
		since = case when c.state = 'submitting' or c.state = 'approved' and p.lost_since is not null then recon.now() else c.since end,
		version = c.version + 1
	from picked p
	where p.correction_id = c.correction_id and (p.worst = 0 or p.place = 1)
	returning c.correction_id, c.account_id, c.act, c.state, c.idempotency_key,
		('refund/' || c.account_id || '/' || c.payment_ref || '/' || (c.act_number + 1))::text as next_key, c.attempts, c.crashes, c.fence_incarnation, c.fence_number,
		c.lease_until::timestamptz as lease_until, c.since, c.outcome_code, recon.now()::timestamptz as claimed_at, p.place,
		(p.lost_since is not null)::boolean as lost, coalesce(least(p.lost_since, c.first_submitted_at), recon.now())::timestamptz as lost_since,
		coalesce(p.lost_until, recon.now())::timestamptz as lost_until, coalesce(p.lost_through, 0)::integer as lost_through
)
select c.* from claimed c order by c.place;

-- name: HandBackCorrections :many
with mine as (
	select c.correction_id from recon.correction c
	join unnest(@correction_ids::text[], @incarnations::integer[], @fence_numbers::bigint[]) as h (correction_id, incarnation, fence_number)
		on h.correction_id = c.correction_id and h.incarnation = c.fence_incarnation and h.fence_number = c.fence_number
	where c.state in ('approved', 'unknown') and c.leased_by is not null
	order by c.correction_id
	for update of c
), back as (
	update recon.correction c set leased_by = null, lease_until = null, started_at = null, version = c.version + 1
	from mine m where m.correction_id = c.correction_id
	returning c.correction_id
)
select b.correction_id from back b order by b.correction_id;

-- name: LockBooks :one
-- First in every transaction that corrects: FinishJob counts on the same row, so that breaks and caps stand still.
select a.account_id from recon.account a
where a.account_id = (select c.account_id from recon.correction c where c.correction_id = @correction_id)
for no key update;

-- name: LockCorrection :one
-- After LockBooks, in a snapshot of its own. Whether the lease still runs is for the statement that writes to ask. Its break
-- is the one of its difference that stands: a later envelope may have carried what it was proposed for.
select c.account_id, c.act, c.idempotency_key, c.payment_ref, c.business_ref, c.currency, c.amount_minor, coalesce(c.approved_by, '')::text as approved_by,
	c.first_submitted_at, c.break_key, b.state as break_state, b.row_id, coalesce(nullif((select recon.acting_stop()), ''),
		(case when c.act = 'refund' then nullif(recon.lost_doubt(c.job_id, c.asked_incarnation), '') end), recon.provider_pause(c.account_id))::text as paused,
	exists (select from recon.correction o where o.payment_ref = c.payment_ref and o.account_id = c.account_id and c.payment_ref <> ''
		and o.correction_id <> c.correction_id and o.state in ('submitting', 'unknown')) as other_in_doubt,
	(select count(*) from recon.correction o where o.account_id = c.account_id and o.act = 'refund' and o.approved_by like 'policy:%'
		and o.correction_id <> c.correction_id and o.first_submitted_at > recon.now() - interval '24 hours')::integer as day_number,
	(select coalesce(sum(o.amount_minor), 0) from recon.correction o where o.account_id = c.account_id and o.act = 'refund' and o.currency = c.currency
		and o.approved_by like 'policy:%' and o.correction_id <> c.correction_id
		and o.first_submitted_at > recon.now() - interval '24 hours')::bigint as day_minor,
	(c.fence_incarnation is not distinct from (select recon.incarnation_here()))::boolean as same_incarnation,
	recon.now()::timestamptz as now
from recon.correction c join lateral (
		select o.state, o.row_id from recon.break a
			join recon.break o on o.account_id = a.account_id and o.row_id = a.row_id and o.item_key = a.item_key
		where a.break_key = c.break_key
		order by o.state in ('timing', 'open') desc, o.break_key
		limit 1
	) b on true
where c.correction_id = @correction_id and c.fence_incarnation = @incarnation and c.fence_number = @fence_number
	and c.state = @state
for update of c;

-- name: SubmitCorrection :one
update recon.correction set
	state = 'submitting', first_submitted_at = coalesce(first_submitted_at, recon.now()), submitted_at = recon.now(),
	started_at = recon.now(), lease_until = recon.now() + @lease::interval, since = recon.now(), version = version + 1
where correction_id = @correction_id and fence_incarnation = @incarnation and fence_number = @fence_number
	and state = @state and lease_until > recon.now() and (select recon.acting_stop()) = ''
returning correction_id, lease_until::timestamptz as lease_until;

-- name: FinishCorrection :one
-- Asked: as in FinishIntent. What came to an end has no fault any more.
with cleared as (
	update recon.alarm a set cleared_at = recon.now()
	where @state in ('applied', 'rejected', 'superseded') and a.kind = 'correction_fault' and a.subject = 'correction:' || @correction_id::text
		and a.cleared_at is null
)
update recon.correction set
	asked_incarnation = greatest(asked_incarnation, @asked::integer),
	state = @state, outcome = @outcome, outcome_code = @outcome_code, ref = case when @ref::text = '' then ref else @ref end,
	attempts = attempts + @burnt::integer, next_at = recon.now() + @delay::interval,
	leased_by = null, lease_until = null, started_at = null,
	since = case when state = @state then since else recon.now() end, version = version + 1
where correction_id = @correction_id and fence_incarnation = @incarnation and fence_number = @fence_number and state = @from_state
returning correction_id;

-- name: BuryCorrection :one
-- A dead letter where the lane has room, parked where it is full.
with dying as (
	select c.correction_id, c.deaths from recon.correction c
	where c.correction_id = @correction_id and c.state = @from_state
		and c.fence_incarnation = @incarnation and c.fence_number = @fence_number
	for update
), seat as (
	update recon.lane l set used = l.used + 1
	where l.lane = 'corrections' and l.used < l.capacity and exists (select from dying)
	returning l.lane
), letter as (
	insert into recon.letter (lane, record, death, reason, died_at)
	select s.lane, 'correction:' || d.correction_id, d.deaths + 1, @outcome_code, recon.now() from dying d cross join seat s
), full_lane as (
	insert into recon.alarm (kind, subject, raised_at, detail)
	select 'lane_full', 'corrections', recon.now(), 'parked: correction:' || d.correction_id from dying d where not exists (select from seat)
	on conflict (kind, subject) do update set raised_at = excluded.raised_at, detail = excluded.detail, cleared_at = null
)
update recon.correction c set
	state = case when exists (select from seat) then 'dead' else 'parked' end,
	deaths = c.deaths + 1, attempts = c.attempts + @burnt::integer, outcome = @outcome, outcome_code = @outcome_code,
	leased_by = null, lease_until = null, started_at = null, since = recon.now(), version = c.version + 1
from dying d
where c.correction_id = d.correction_id
returning c.correction_id;

-- name: ReadBackCorrection :one
select c.state, c.fence_incarnation, c.fence_number, (c.leased_by is not null)::boolean as claimed,
	(c.fence_incarnation is not distinct from (select recon.incarnation_here()))::boolean as here
from recon.correction c where c.correction_id = @correction_id for update;

-- name: CorrectionFact :one
-- What there is to book of a correction: its invoice where its reference names one of ours, the statement row of its break,
-- and whether the payment it refunds is in the ledger.
select c.account_id, c.act, c.break_key, c.payment_ref, c.business_ref, c.currency, c.amount_minor, c.idempotency_key,
	coalesce(v.invoice_id, '')::text as invoice_id, coalesce(v.customer_id, '')::text as customer_id,
	coalesce(r.kind, '')::text as row_kind, coalesce(r.occurred_at, recon.now())::timestamptz as row_occurred_at,
	coalesce(r.provider_ref, '')::text as row_provider_ref, coalesce(r.payout_ref, '')::text as row_payout_ref,
	coalesce(r.amount_minor, 0)::bigint as row_amount_minor,
	exists (select from recon.transaction t where t.business_key = 'payment/' || c.payment_ref)::boolean as payment_booked,
	recon.now()::timestamptz as now
from recon.correction c
	join recon.break b on b.break_key = c.break_key
	left join recon.provider_row r on r.account_id = c.account_id and r.row_id = b.row_id
	left join recon.invoice v on v.invoice_id = c.business_ref and v.account_id = c.account_id and v.currency = c.currency
where c.correction_id = @correction_id;

-- name: ResolveBreak :execrows
-- The break of this difference, in whichever envelope it stands.
update recon.break b set state = 'resolved', closed_by = 'correction:' || @correction_id::text, since = recon.now(), version = b.version + 1
from recon.break a
where a.break_key = @break_key and b.account_id = a.account_id and b.row_id = a.row_id and b.item_key = a.item_key and b.state in ('timing', 'open');
