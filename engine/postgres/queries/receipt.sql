-- name: RecordReceipt :one
-- Idempotent by the channel's own id. No row: the key is none of ours. doubtful: the receipt may be the first we hear of its
-- message, because the doubt is on record or because a failover lost what was.
with about as (
	select i.intent_id, i.contact_id, i.act_number, i.state in ('submitting', 'unknown') or i.state in ('ready', 'held', 'leased', 'review')
		and ((select recon.acting_stop()) <> '' or recon.lost_doubt(i.job_id, i.asked_incarnation) <> '') as doubtful
	from recon.intent i
	where i.intent_id = @intent_id and i.channel = @channel
), stored as (
	insert into recon.receipt (channel, receipt_id, intent_id, kind, at, received_at)
	select @channel, @receipt_id, a.intent_id, @kind, @at, recon.now() from about a
	on conflict (channel, receipt_id) do nothing
	returning receipt_id
)
select a.contact_id, a.doubtful::boolean as doubtful, a.act_number, (select count(*) from stored)::integer as fresh from about a;

-- name: SentByReceipt :one
-- A receipt proves that the channel had accepted: it ends the doubt, or outruns the worker's own answer, or tells what a
-- failover lost.
with moved as (
	update recon.intent set
		state = 'sent', outcome = 'accepted', outcome_code = @outcome_code, leased_by = null, lease_until = null, started_at = null,
		since = recon.now(), version = version + 1
	where intent_id = @intent_id and act_number = @act_number and (state in ('submitting', 'unknown')
		or state in ('ready', 'held', 'leased', 'review') and ((select recon.acting_stop()) <> '' or recon.lost_doubt(job_id, asked_incarnation) <> ''))
	returning intent_id
), cleared as (
	update recon.alarm a set cleared_at = recon.now() from moved m
	where a.kind = 'held_too_long' and a.subject = 'intent:' || m.intent_id and a.cleared_at is null
)
select count(*)::integer as moved from moved;

-- name: MarkContact :execrows
update recon.contact c set invalid = c.invalid or @invalid, opted_out = c.opted_out or @opted_out
where c.contact_id = @contact_id and (c.invalid, c.opted_out) is distinct from (c.invalid or @invalid, c.opted_out or @opted_out);
