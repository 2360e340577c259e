-- name: ApproveTemplates :many
-- The newest version of a channel and kind retires the one before it; intents keep the version they were born with.
with fresh as (
	select t.version_id, t.channel, t.kind, t.subject, t.body
	from unnest(@version_ids::text[], @channels::text[], @kinds::text[], @subjects::text[], @bodies::text[])
		as t (version_id, channel, kind, subject, body)
), cleared as (
	update recon.alarm a set cleared_at = recon.now() from fresh f
	where a.kind = 'content_missing' and a.subject = f.kind || '/' || f.channel and a.cleared_at is null
)
insert into recon.template (version_id, channel, kind, subject, body, approved_by, approved_at)
select f.version_id, f.channel, f.kind, f.subject, f.body, @approved_by, recon.now()
from fresh f
order by f.version_id
on conflict (version_id) do update set retired_at = null, approved_by = excluded.approved_by, approved_at = excluded.approved_at
returning version_id;

-- name: RetireTemplates :execrows
update recon.template t set retired_at = recon.now()
from unnest(@version_ids::text[], @channels::text[], @kinds::text[]) as f (version_id, channel, kind)
where t.channel = f.channel and t.kind = f.kind and t.version_id <> f.version_id and t.retired_at is null;
