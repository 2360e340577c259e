-- name: Conserve :one
-- Nothing is lost and nothing is counted twice. Each side of an equation is counted from its own table.
with windows as (
	select count(*) as due,
		count(*) filter (where j.job_id is null and w.skipped_by is null) as waiting,
		count(*) filter (where j.job_id is null and w.skipped_by is not null) as skipped
	from recon.window w left join recon.job j on j.account_id = w.account_id and j.window_id = w.window_id
	where w.due_at <= recon.now()
), jobs as (
	select count(*) as total,
		count(*) filter (where state in ('ready', 'leased')) as moving,
		count(*) filter (where state = 'done') as done,
		count(*) filter (where state in ('review', 'parked', 'dead')) as stopped,
		count(*) filter (where state = 'cancelled') as cancelled
	from recon.job
), intents as (
	select count(*) as total,
		count(*) filter (where state in ('ready', 'leased', 'submitting')) as moving,
		count(*) filter (where state in ('sent', 'rejected', 'suppressed', 'given_up')) as ended,
		count(*) filter (where state in ('held', 'review', 'unknown', 'parked', 'dead')) as stopped
	from recon.intent
), planned as (
	select count(*) as total,
		count(*) filter (where x.intent_id is null and i.state = 'open' and s.due_at > recon.now()) as not_yet_due,
		count(*) filter (where x.intent_id is null and i.state = 'open' and s.due_at <= recon.now()) as waiting,
		count(*) filter (where x.intent_id is null and i.state <> 'open') as needless
	from recon.step s
		join recon.invoice i on i.invoice_id = s.invoice_id
		join recon.contact c on c.customer_id = i.customer_id
		left join recon.intent_step x on x.invoice_id = s.invoice_id and x.step = s.step and x.channel = c.channel and x.contact_id = c.contact_id
), pairs as (
	select
		count(*) filter (where t.state in ('suppressed', 'given_up') or x.dropped_why <> '') as suppressed,
		count(*) filter (where t.state in ('held', 'review') and x.dropped_why = '') as held,
		count(*) filter (where t.state not in ('suppressed', 'given_up', 'held', 'review') and x.dropped_why = '') as covered
	from recon.intent_step x join recon.intent t on t.intent_id = x.intent_id
), lanes as (
	select coalesce(sum(l.used), 0) as used,
		(select count(*) from recon.letter where redriven_at is null) as letters
	from recon.lane l
)
select w.due::bigint as windows_due, w.waiting::bigint as windows_waiting, w.skipped::bigint as windows_skipped,
	j.total::bigint as jobs, j.moving::bigint as jobs_moving, j.done::bigint as jobs_done, j.stopped::bigint as jobs_stopped,
	j.cancelled::bigint as jobs_cancelled,
	i.total::bigint as intents, i.moving::bigint as intents_moving, i.ended::bigint as intents_ended, i.stopped::bigint as intents_stopped,
	p.total::bigint as planned, p.not_yet_due::bigint as planned_not_yet_due, p.waiting::bigint as planned_waiting,
	p.needless::bigint as planned_needless, a.covered::bigint as planned_covered, a.suppressed::bigint as planned_suppressed,
	a.held::bigint as planned_held, l.used::bigint as lanes_used, l.letters::bigint as letters_open
from windows w cross join jobs j cross join intents i cross join planned p cross join pairs a cross join lanes l;
