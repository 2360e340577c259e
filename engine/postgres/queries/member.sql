-- name: RegisterMember :one
-- The newest incarnation must be this server's, else the next number is taken: only the first of all may act outside at
-- once, any other is stopped until a person recovers it. 0: another process took it in this instant; ask again.
with here as (
	select s.system_identifier, s.timeline from recon.server_identity() s
), newest as (
	select i.incarnation, i.system_identifier, i.timeline from recon.incarnation i order by i.incarnation desc limit 1
), known as (
	select n.incarnation from newest n join here h on h.system_identifier = n.system_identifier and h.timeline = n.timeline
), taken as (
	insert into recon.incarnation (incarnation, system_identifier, timeline, began_at, opened_at, opened_by, opened_why)
	select coalesce(n.incarnation, 0) + 1, h.system_identifier, h.timeline, recon.now(), f.at, f.by_whom, f.why
	from here h left join newest n on true
		left join (select recon.now() as at, 'member:' || @member_id::text as by_whom, 'the first start' as why) f on n.incarnation is null
	where not exists (select from known)
	on conflict (incarnation) do nothing
	returning incarnation, opened_at
), alarmed as (
	insert into recon.alarm (kind, subject, raised_at, detail)
	select 'incarnation', 'server', recon.now(), 'incarnation ' || t.incarnation
		|| ' began (failover or restore): nothing acts outside until recond ops recover --since T'
	from taken t where t.opened_at is null
	on conflict (kind, subject) do update set raised_at = excluded.raised_at, detail = excluded.detail, cleared_at = null
), chosen as (
	select k.incarnation from known k union all select t.incarnation from taken t
), registered as (
	insert into recon.member (member_id, process, started_at, beat_at)
	select @member_id::text, @process, recon.now(), recon.now() from chosen
)
select coalesce((select c.incarnation from chosen c), 0)::integer as incarnation;

-- name: Beat :one
-- 0: the server is another than the newest incarnation's.
update recon.member set beat_at = recon.now() where member_id = @member_id and stopped_at is null
returning beat_at, coalesce(recon.incarnation_here(), 0)::integer as incarnation;

-- name: Deregister :execrows
update recon.member set stopped_at = recon.now() where member_id = @member_id and stopped_at is null;
