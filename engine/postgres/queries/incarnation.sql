-- name: NoticeIncarnation :exec
-- The server is another than the newest incarnation's: it takes the next number, and is stopped until a person recovers
-- it. Another process may be first; nothing is done twice.
with taken as (
	insert into recon.incarnation (incarnation, system_identifier, timeline, began_at)
	select n.incarnation + 1, s.system_identifier, s.timeline, recon.now()
	from recon.server_identity() s cross join (select max(i.incarnation) as incarnation from recon.incarnation i) n
	where recon.incarnation_here() is null
	on conflict (incarnation) do nothing
	returning incarnation
)
insert into recon.alarm (kind, subject, raised_at, detail)
select 'incarnation', 'server', recon.now(), 'incarnation ' || t.incarnation
	|| ' began (failover or restore): nothing acts outside until recond ops recover --since T'
from taken t
on conflict (kind, subject) do update set raised_at = excluded.raised_at, detail = excluded.detail, cleared_at = null;

-- name: Existence :one
-- What this server is. here = 0: another than the newest incarnation's.
select n.incarnation, n.began_at, n.opened_at, coalesce(n.opened_by, '')::text as opened_by, coalesce(n.opened_why, '')::text as opened_why,
	n.lost_since, coalesce(recon.incarnation_here(), 0)::integer as here, recon.acting_stop()::text as stopped, recon.now()::timestamptz as now
from recon.incarnation n order by n.incarnation desc limit 1;

-- name: InDoubt :many
-- Records that are asked about before they act, by kind, channel and state. would: all that a recovery at this instant
-- would put in doubt, instead of those that are.
select r.kind, r.channel, r.state, count(*)::integer as number
from (
	select 'correction'::text as kind, ''::text as channel, c.state, c.job_id, c.asked_incarnation from recon.correction c
	where c.act = 'refund' and c.state in ('proposed', 'approved', 'submitting', 'unknown', 'parked', 'dead')
	union all
	select 'intent', i.channel, i.state, i.job_id, i.asked_incarnation from recon.intent i
	where i.state in ('ready', 'held', 'leased', 'submitting', 'unknown', 'review', 'rejected', 'parked', 'dead')
) r
where @would::boolean or recon.lost_doubt(r.job_id, r.asked_incarnation) <> ''
group by r.kind, r.channel, r.state
order by r.kind, r.channel, r.state;

-- name: Recover :one
-- Opens this server's incarnation for acts outside, and says since when acts may be lost, which is before it began. A server
-- that was set back but kept its identity takes the next number here. No row: there is nothing to recover.
with newest as (
	select i.* from recon.incarnation i order by i.incarnation desc limit 1 for update
), here as (
	select s.system_identifier, s.timeline, n.incarnation, (s.system_identifier, s.timeline) = (n.system_identifier, n.timeline) as same, n.opened_at
	from recon.server_identity() s cross join newest n
), opened as (
	update recon.incarnation i set opened_at = recon.now(), opened_by = @actor::text, opened_why = @why::text, lost_since = least(@since::timestamptz, i.began_at)
	from here h
	where i.incarnation = h.incarnation and h.same and h.opened_at is null
	returning i.incarnation, i.lost_since
), taken as (
	insert into recon.incarnation (incarnation, system_identifier, timeline, began_at, opened_at, opened_by, opened_why, lost_since)
	select h.incarnation + 1, h.system_identifier, h.timeline, recon.now(), recon.now(), @actor::text, @why::text, @since::timestamptz
	from here h where not h.same or h.opened_at is not null and @rolled_back::boolean
	on conflict (incarnation) do nothing
	returning incarnation, lost_since
), done as (
	select o.incarnation, o.lost_since from opened o union all select t.incarnation, t.lost_since from taken t
), noted as (
	insert into recon.audit (at, actor, act, record, version, detail)
	select recon.now(), @actor::text, 'recover', 'incarnation:' || d.incarnation, d.incarnation,
		'lost since ' || to_char(d.lost_since at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"') || ': ' || @why::text
	from done d
), cleared as (
	update recon.alarm a set cleared_at = recon.now() from done d where a.kind = 'incarnation' and a.subject = 'server' and a.cleared_at is null
)
select d.incarnation from done d;

-- name: LostIntentKeys :many
-- What else the lost seconds may have sent for an intent under another key: its own later acts, at most one for each pair that
-- was dropped from the text and one for a refusal that a person redrove; and the same contact's message of another window,
-- whose reconciliation is lost too and may have covered what this one covers. Windows that were reconciled before, and
-- messages that this existence submitted itself, are known.
with about as (
	select i.intent_id, i.account_id, i.job_id, i.kind, i.channel, i.contact_id, i.act_number, l.since, l.until,
		(select count(*) from recon.intent_step s where s.intent_id = i.intent_id)::integer as pairs
	from recon.intent i cross join lateral recon.lost(i.job_id, i.asked_incarnation) l
	where i.intent_id = @intent_id::text and l.since is not null
)
select k.key::text as key, k.act::integer as act from (
	select a.intent_id || '/' || g.act as key, g.act
	from about a cross join lateral generate_series(a.act_number + 1, a.act_number + a.pairs) g (act)
	union all
	select o.id || '/' || g.act, 0
	from about a
		join recon.window w on w.account_id = a.account_id and w.due_at <= a.until + interval '1 hour' -- as in recon.lost
		cross join lateral (select w.account_id || '/' || w.window_id as job) j
		cross join lateral (select j.job || '/' || a.kind || '/' || a.channel || '/' || a.contact_id as id) o
		cross join lateral generate_series(1, 2) g (act)
	where j.job <> a.job_id
		and not exists (select from recon.envelope e where e.job_id = j.job and e.recorded_at < a.since)
		and not exists (select from recon.intent x where x.intent_id = o.id and x.submitted_at >= a.until)
) k
order by k.act desc, k.key;

-- name: AdoptAct :one
-- The outside knows a later act of an intent than we do: its number and key are the intent's from now on.
update recon.intent set act_number = @act_number, idempotency_key = intent_id || '/' || @act_number::integer, version = version + 1
where intent_id = @intent_id and fence_incarnation = @incarnation and fence_number = @fence_number and state = 'unknown'
returning intent_id;
