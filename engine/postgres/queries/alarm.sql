-- name: ClearAlarm :execrows
update recon.alarm set cleared_at = recon.now() where kind = @kind and subject = @subject and cleared_at is null;

-- name: Alarms :many
select a.kind, a.subject, a.detail from recon.alarm a where a.cleared_at is null order by a.kind, a.subject;
