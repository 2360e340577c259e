-- name: RegisterMember :one
-- The newest incarnation must be this server's, else the next number is taken. NULL: another process took it in this
-- instant; ask again.
with here as (
	select s.system_identifier, s.timeline from recon.server_identity() s
), newest as (
	select i.incarnation, i.system_identifier, i.timeline from recon.incarnation i order by i.incarnation desc limit 1
), known as (
	select n.incarnation from newest n join here h on h.system_identifier = n.system_identifier and h.timeline = n.timeline
), taken as (
	insert into recon.incarnation (incarnation, system_identifier, timeline, began_at)
	select coalesce((select n.incarnation from newest n), 0) + 1, h.system_identifier, h.timeline, recon.now()
	from here h where not exists (select from known)
	on conflict (incarnation) do nothing
	returning incarnation
), chosen as (
	select k.incarnation from known k union all select t.incarnation from taken t
), registered as (
	insert into recon.member (member_id, process, started_at, beat_at)
	select @member_id, @process, recon.now(), recon.now() from chosen
	on conflict (member_id) do nothing
	returning member_id
)
select coalesce((select c.incarnation from chosen c), 0)::integer as incarnation, (select count(*) from registered) as fresh;

-- name: Beat :one
update recon.member set beat_at = recon.now() where member_id = @member_id and stopped_at is null returning beat_at;

-- name: Deregister :execrows
update recon.member set stopped_at = recon.now() where member_id = @member_id and stopped_at is null;
