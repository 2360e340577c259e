-- name: NoteReview :one
-- A person looked at a version and left it as it is.
with seen as (
	select j.state, j.version from recon.job j where @kind::text = 'job' and j.job_id = @record::text
	union all
	select i.state, i.version from recon.intent i where @kind = 'intent' and i.intent_id = @record
	union all
	select c.state, c.version from recon.correction c where @kind = 'correction' and c.correction_id = @record
), noted as (
	insert into recon.audit (at, actor, act, record, version, detail)
	select recon.now(), @actor::text, 'review', @kind || ':' || @record, s.version, @why::text from seen s where s.version = @expect::bigint
	returning version
)
select s.state, s.version, exists (select from noted)::boolean as noted from seen s;

-- name: AuditOf :many
select a.at, a.actor, a.act, a.version, a.detail from recon.audit a where a.record = @record order by a.audit_id;
