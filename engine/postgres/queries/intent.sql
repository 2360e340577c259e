-- name: ClaimIntents :many
-- One batch of a channel by unique key: what is due, what is unknown and can still be asked or sent again under its key,
-- and what ended its lease. A lease that ended in submitting makes the record unknown, whatever the claimer does next; one
-- that ended in leased counts a crash only where work had begun and the claim was not our own lost answer. A record that
-- has seen a crash is claimed alone: it goes first, and the others of the batch are let go. Only the first is marked as
-- begun: what kills its process comes to stand first in the next claim. What may have been sent in seconds that a failover
-- lost is claimed as unknown, whatever it was: it is asked about under its key before it acts. A resend that was refused gets
-- the same answer again.
with due as (
	select i.intent_id, i.state, i.job_id, i.asked_incarnation,
		i.crashes + case when i.state = 'leased' and i.started_at is not null and i.leased_by <> @member::text then 1 else 0 end as crashes
	from recon.intent i
	where i.channel = @channel and (select recon.incarnation_here()) is not null and i.state in ('ready', 'unknown', 'leased', 'submitting') and case i.state
		when 'ready' then i.next_at <= recon.now()
			and (select recon.acting_stop()) = '' and recon.channel_pause(i.account_id, i.channel, i.template_version) = ''
			and not exists (select from recon.intent p
				where p.account_id = i.account_id and p.state = 'parked' and p.channel = i.channel)
		when 'unknown' then i.next_at <= recon.now() and (i.lease_until is null or i.lease_until <= recon.now())
			and (@can_look_up::boolean or i.first_submitted_at + @resend_within::interval > recon.now()
				and i.outcome <> 'rejected' and recon.lost_doubt(i.job_id, i.asked_incarnation) = '')
		when 'submitting' then i.lease_until <= recon.now()
		else i.lease_until <= recon.now() or i.leased_by = @member
			-- Positive evidence: a row that is checked again after a concurrent claim sees members by the old snapshot, and
			-- one that registered since would count as absent.
			or exists (select from recon.member m
				where m.member_id = i.leased_by and (m.stopped_at is not null or m.beat_at <= recon.now() - @dead_after::interval))
		end
	order by (i.crashes > 0) desc, (i.state in ('unknown', 'submitting')) desc, i.intent_id
	limit @batch
	for update of i skip locked
), picked as (
	select d.intent_id, d.crashes, max(d.crashes) over () as worst,
		row_number() over (order by d.crashes desc, (d.state in ('unknown', 'submitting')) desc, d.intent_id) as place,
		l.since as lost_since, l.until as lost_until, l.through as lost_through
	from due d cross join lateral recon.lost(d.job_id, d.asked_incarnation) l
), claimed as (
	update recon.intent i set
		state = case when i.state in ('submitting', 'unknown') or p.lost_since is not null then 'unknown' else 'leased' end,
		outcome_code = case when i.state = 'submitting' then 'its lease ended in a call' when i.state = 'unknown' or p.lost_since is null
			then i.outcome_code else recon.lost_doubt(i.job_id, i.asked_incarnation) end,
		crashes = p.crashes,
		fence_incarnation = (select recon.incarnation_here()), fence_number = i.fence_number + 1,
		leased_by = @member, lease_until = recon.now() + @lease::interval,
		started_at = case when p.place = 1 then recon.now() end,
		since = case when i.state = 'unknown' then i.since else recon.now() end,
		version = i.version + 1
	from picked p
	where p.intent_id = i.intent_id and (p.worst = 0 or p.place = 1)
	returning i.intent_id, i.account_id, i.state, i.idempotency_key, i.attempts, i.crashes, i.deaths, i.fence_incarnation, i.fence_number,
		i.lease_until::timestamptz as lease_until, i.since, i.outcome_code, recon.now()::timestamptz as claimed_at, p.place,
		(p.lost_since is not null)::boolean as lost, coalesce(least(p.lost_since, i.first_submitted_at), recon.now())::timestamptz as lost_since,
		coalesce(p.lost_until, recon.now())::timestamptz as lost_until, coalesce(p.lost_through, 0)::integer as lost_through
)
select c.* from claimed c order by c.place;

-- name: HandBackIntents :many
-- What is only leased goes back without a burnt attempt: a drain.
with mine as (
	select i.intent_id from recon.intent i
	join unnest(@intent_ids::text[], @incarnations::integer[], @fence_numbers::bigint[]) as h (intent_id, incarnation, fence_number)
		on h.intent_id = i.intent_id and h.incarnation = i.fence_incarnation and h.fence_number = i.fence_number
	where i.state in ('leased', 'unknown') and i.leased_by is not null
	order by i.intent_id
	for update of i
), back as (
	update recon.intent i set
		state = case when i.state = 'leased' then 'ready' else i.state end,
		leased_by = null, lease_until = null, started_at = null,
		since = case when i.state = 'leased' then recon.now() else i.since end,
		version = i.version + 1
	from mine m where m.intent_id = i.intent_id
	returning i.intent_id
)
select b.intent_id from back b order by b.intent_id;

-- name: LockIntent :many
-- The intent under its claim, then its invoices in key order: payments take the same locks. One row a pair.
with held as (
	select i.* from recon.intent i
	where i.intent_id = @intent_id and i.fence_incarnation = @incarnation and i.fence_number = @fence_number
		and i.state = @state and i.lease_until > recon.now()
	for update of i
), covered as (
	select v.invoice_id, v.currency, v.amount_minor, v.paid_minor, v.due_at, v.state from recon.invoice v
	where v.invoice_id in (select s.invoice_id from recon.intent_step s where s.intent_id = @intent_id)
	order by v.invoice_id
	for update of v
)
select h.account_id, h.customer_id, h.contact_id, h.kind, h.channel, h.act_number, h.idempotency_key, h.template_version,
	h.address, h.subject, h.body, h.body_hash, h.first_submitted_at, recon.now()::timestamptz as now,
	coalesce(l.address, '')::text as address_now, t.subject as template_subject, t.body as template_body,
	coalesce(s.invoice_id, '')::text as invoice_id, coalesce(s.step, '')::text as step, coalesce(s.dropped_why, '')::text as dropped_why,
	coalesce(c.currency, '')::text as currency, coalesce(c.amount_minor, 0)::bigint as amount_minor,
	coalesce(c.paid_minor, 0)::bigint as paid_minor, coalesce(to_char(c.due_at at time zone a.zone, 'YYYY-MM-DD'), '')::text as due_on,
	coalesce(recon.pair_ended(h.kind, c.state, c.amount_minor, c.paid_minor), '')::text as ended
from held h
	join recon.account a on a.account_id = h.account_id
	join recon.template t on t.version_id = h.template_version
	left join recon.contact_address l on l.contact_id = h.contact_id
	left join recon.intent_step s on s.intent_id = h.intent_id
	left join recon.step p on p.invoice_id = s.invoice_id and p.step = s.step
	left join covered c on c.invoice_id = s.invoice_id
order by s.invoice_id, p.due_at, s.step;

-- name: SubmitIntent :one
-- The bytes are fixed here and the lease begins anew: it has to cover the call. What no lock of ours covers is asked in
-- this statement, after the locks are held: its snapshot sees what was committed while we waited. submitted = false:
-- something speaks against it and nothing was written. No row: the lease is lost, or belongs to another existence of the
-- database than this server's.
with asked as (
	select i.intent_id, coalesce(nullif((select recon.acting_stop()), ''), nullif(recon.lost_doubt(i.job_id, i.asked_incarnation), ''),
			recon.channel_pause(i.account_id, i.channel, i.template_version)) as paused,
		recon.intent_doubt(i.intent_id) as doubt, c.opted_out
	from recon.intent i join recon.contact c on c.contact_id = i.contact_id
	where i.intent_id = @intent_id::text and i.fence_incarnation = @incarnation::integer and i.fence_number = @fence_number::bigint
		and i.state = @state::text and i.lease_until > recon.now()
		and i.fence_incarnation = (select recon.incarnation_here())
), submitted as (
	update recon.intent i set
		state = 'submitting', act_number = @act_number::integer, idempotency_key = @idempotency_key::text,
		address = @address::text, subject = @subject::text, body = @body::text, body_hash = @body_hash::text, held_why = '',
		first_submitted_at = case when i.act_number = @act_number then coalesce(i.first_submitted_at, recon.now()) else recon.now() end,
		submitted_at = recon.now(), started_at = recon.now(), lease_until = recon.now() + @lease::interval,
		since = recon.now(), version = i.version + 1
	from asked a
	where i.intent_id = a.intent_id and a.paused = '' and a.doubt = '' and not a.opted_out
	returning i.lease_until
)
select a.intent_id, a.paused::text as paused, a.doubt::text as doubt, a.opted_out::boolean as opted_out,
	(s.lease_until is not null)::boolean as submitted, coalesce(s.lease_until, recon.now())::timestamptz as lease_until
from asked a left join submitted s on true;

-- name: DropPairs :execrows
update recon.intent_step s set dropped_why = d.why
from unnest(@invoice_ids::text[], @steps::text[], @whys::text[]) as d (invoice_id, step, why)
where s.intent_id = @intent_id and s.invoice_id = d.invoice_id and s.step = d.step and s.dropped_why = '';

-- name: FinishIntent :one
-- What a claim came to. The lease is not asked: while no later claim exists, what we learnt is still the truth. Asked:
-- the incarnation up to which the outside was asked about all that may have been lost; 0 = it was not.
update recon.intent set
	asked_incarnation = greatest(asked_incarnation, @asked::integer),
	state = @state, outcome = @outcome, outcome_code = @outcome_code,
	ref = case when @ref::text = '' then ref else @ref end, held_why = @held_why,
	attempts = attempts + @burnt::integer, next_at = recon.now() + @delay::interval,
	leased_by = null, lease_until = null, started_at = null,
	since = case when state = @state then since else recon.now() end, version = version + 1
where intent_id = @intent_id and fence_incarnation = @incarnation and fence_number = @fence_number and state = @from_state
returning intent_id;

-- name: BuryIntent :one
-- A dead letter where the channel's lane has room, parked where it is full. The lane's row is the lock.
with dying as (
	select i.intent_id, i.channel, i.deaths from recon.intent i
	where i.intent_id = @intent_id and i.state = @from_state
		and i.fence_incarnation = @incarnation and i.fence_number = @fence_number
	for update
), seat as (
	update recon.lane l set used = l.used + 1
	where l.lane = (select d.channel from dying d) and l.used < l.capacity
	returning l.lane
), letter as (
	insert into recon.letter (lane, record, death, reason, died_at)
	select s.lane, 'intent:' || d.intent_id, d.deaths + 1, @outcome_code, recon.now() from dying d cross join seat s
), full_lane as (
	insert into recon.alarm (kind, subject, raised_at, detail)
	select 'lane_full', d.channel, recon.now(), 'parked: intent:' || d.intent_id from dying d where not exists (select from seat)
	on conflict (kind, subject) do update set raised_at = excluded.raised_at, detail = excluded.detail, cleared_at = null
)
update recon.intent i set
	state = case when exists (select from seat) then 'dead' else 'parked' end,
	deaths = i.deaths + 1, attempts = i.attempts + @burnt::integer, outcome = @outcome, outcome_code = @outcome_code,
	leased_by = null, lease_until = null, started_at = null, since = recon.now(), version = i.version + 1
from dying d
where i.intent_id = d.intent_id
returning i.intent_id;

-- name: ReadBackIntent :one
-- Under the row's lock: a COMMIT in flight still holds it. here: the claim is of this server's existence.
select i.state, i.fence_incarnation, i.fence_number, (i.leased_by is not null)::boolean as claimed,
	(i.fence_incarnation is not distinct from (select recon.incarnation_here()))::boolean as here
from recon.intent i where i.intent_id = @intent_id for update;

-- name: SettleHeld :many
-- Held intents whose reason is gone, which have nothing left to say, or which waited longer than their kind may. Only what
-- changes is taken, so that the first page cannot be full of rows that stay.
with judged as (
	select i.intent_id, i.kind, i.since, recon.intent_ended(i.intent_id) as ended, recon.intent_doubt(i.intent_id) as doubt
	from recon.intent i where i.state = 'held'
), due as (
	select i.intent_id, j.ended, j.doubt from recon.intent i join judged j on j.intent_id = i.intent_id
	where i.state = 'held' and (j.ended <> '' or j.doubt = '' or j.since + case j.kind when 'reminder' then @reminder_max::interval
		when 'invoice' then @invoice_max::interval else @confirmation_max::interval end <= recon.now())
	order by i.intent_id
	limit @batch
	for update of i skip locked
), moved as (
	update recon.intent i set
		state = case when d.ended <> '' then 'suppressed' when d.doubt = '' then 'ready' else 'review' end,
		held_why = case when d.ended <> '' then d.ended else d.doubt end,
		next_at = recon.now(), since = recon.now(), version = i.version + 1
	from due d where d.intent_id = i.intent_id
	returning i.intent_id, i.account_id, i.channel, i.state, i.held_why
), alarmed as (
	insert into recon.alarm (kind, subject, raised_at, detail)
	select 'held_too_long', 'intent:' || m.intent_id, recon.now(), m.held_why from moved m where m.state = 'review' order by m.intent_id
	on conflict (kind, subject) do update set raised_at = excluded.raised_at, detail = excluded.detail, cleared_at = null
)
select m.* from moved m order by m.intent_id;
