-- name: Pause :exec
with paused as (
	insert into recon.pause (scope, name, why, until, by_whom, since)
	values (@scope::text, @name::text, @why::text, recon.now() + @lasts::interval, @actor::text, recon.now())
	on conflict (scope, name) do update set why = excluded.why, until = excluded.until, by_whom = excluded.by_whom, since = excluded.since
	returning scope, name
)
insert into recon.audit (at, actor, act, record, version, detail)
select recon.now(), @actor::text, 'pause', 'pause:' || p.scope || ':' || p.name, 0, @why::text from paused p;

-- name: Resume :one
-- The row stays, over: the engine's role may not delete.
with over as (
	update recon.pause set until = recon.now() where scope = @scope::text and name = @name::text and until > recon.now()
	returning scope, name
), noted as (
	insert into recon.audit (at, actor, act, record, version, detail)
	select recon.now(), @actor::text, 'resume', 'pause:' || o.scope || ':' || o.name, 0, @why::text from over o
), cleared as (
	update recon.alarm a set cleared_at = recon.now() from over o
	where a.kind = 'forgotten_pause' and a.subject = o.scope || ':' || o.name and a.cleared_at is null
)
select count(*)::integer as resumed from over;

-- name: AlarmPauses :execrows
-- A pause that is in force for too long may be forgotten. One that ended by itself or was renewed is not any more.
with cleared as (
	update recon.alarm a set cleared_at = recon.now()
	where a.kind = 'forgotten_pause' and a.cleared_at is null and not exists (select from recon.pause p
		where a.subject = p.scope || ':' || p.name and p.until > recon.now() and p.since + @longest::interval <= recon.now())
)
insert into recon.alarm (kind, subject, raised_at, detail)
select 'forgotten_pause', p.scope || ':' || p.name, recon.now(), p.by_whom || ': ' || p.why
from recon.pause p where p.until > recon.now() and p.since + @longest::interval <= recon.now()
order by p.scope, p.name
on conflict (kind, subject) do update set raised_at = excluded.raised_at, detail = excluded.detail, cleared_at = null
	where alarm.cleared_at is not null;
