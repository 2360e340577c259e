-- name: RecordReceipt :one
-- Idempotent by the channel's own id. No row: the key is none of ours.
with about as (
	select i.intent_id, i.contact_id, i.state, i.act_number from recon.intent i
	where i.intent_id = @intent_id and i.channel = @channel
), stored as (
	insert into recon.receipt (channel, receipt_id, intent_id, kind, at, received_at)
	select @channel, @receipt_id, a.intent_id, @kind, @at, recon.now() from about a
	on conflict (channel, receipt_id) do nothing
	returning receipt_id
)
select a.contact_id, a.state, a.act_number, (select count(*) from stored)::integer as fresh from about a;

-- name: SentByReceipt :execrows
-- A receipt proves that the channel had accepted: it ends the doubt, or outruns the worker's own answer.
update recon.intent set
	state = 'sent', outcome = 'accepted', outcome_code = @outcome_code, leased_by = null, lease_until = null, started_at = null,
	since = recon.now(), version = version + 1
where intent_id = @intent_id and act_number = @act_number and state in ('submitting', 'unknown');

-- name: MarkContact :execrows
update recon.contact c set invalid = c.invalid or @invalid, opted_out = c.opted_out or @opted_out
where c.contact_id = @contact_id and (c.invalid, c.opted_out) is distinct from (c.invalid or @invalid, c.opted_out or @opted_out);
