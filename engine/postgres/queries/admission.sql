-- name: Watermark :one
-- A schedule begins when it is first asked for; the mark is its last admitted slot, or that beginning.
with begun as (
	insert into recon.schedule (token, began_at) values (sqlc.arg(token), recon.now())
	on conflict (token) do nothing
	returning began_at
)
select recon.now()::timestamptz as now,
	coalesce(
		(select max(a.slot) from recon.admission a where a.token = sqlc.arg(token)),
		(select s.began_at from recon.schedule s where s.token = sqlc.arg(token)),
		(select b.began_at from begun b)
	)::timestamptz as mark;

-- name: OpenNight :one
-- Opens the slot's own night and locks the oldest open one: its cursor decides. Nights are locked newest first by
-- every slot, so two slots cannot wait for each other.
with own as (
	insert into recon.night (night_id, state, opened_at) values (sqlc.arg(night_id), 'open', recon.now())
	on conflict (night_id) do update set state = 'open', closed_at = null, version = recon.night.version + 1
	returning night_id
), older as (
	select n.night_id from recon.night n
	where n.state = 'open' and n.night_id < (select o.night_id from own o)
	order by n.night_id
	limit 1
	for update
)
select x.night_id::text as night_id, recon.now()::timestamptz as now,
	exists (
		select from recon.pause p
		where p.until > recon.now() and (p.scope = 'all' or p.scope = 'schedule' and p.name in ('', sqlc.arg(token)))
	) as paused
from (select o.night_id from older o union all select o.night_id from own o) x
order by x.night_id
limit 1;

-- name: AdmitBatch :many
-- The bounded batch, from the night's committed cursor on, and the slot's record. No row: the slot is admitted
-- already, and the caller rolls back. One row with an empty account: admitted, nothing was due. picked = false: the last
-- window of an account whose next one could not be written before, and is tried again.
with night as (
	select n.night_id, coalesce(n.cursor_due_at, '-infinity'::timestamptz) as due_at, coalesce(n.cursor_account, '') as account_id,
		coalesce(n.cursor_window, '') as window_id
	from recon.night n where n.night_id = sqlc.arg(night_id)
), picked as (
	select w.account_id, w.window_id, w.due_at, w.ends_at
	from recon.window w join night n on (w.due_at, w.account_id, w.window_id) > (n.due_at, n.account_id, n.window_id)
	where w.due_at <= recon.now() and w.skipped_by is null and not w.admitted
		and not exists (select from recon.job j where j.account_id = w.account_id and j.window_id = w.window_id)
	order by w.due_at, w.account_id, w.window_id
	limit sqlc.arg(bound)::integer
), made as (
	insert into recon.job (job_id, account_id, window_id, state, slot, next_at, since)
	select p.account_id || '/' || p.window_id, p.account_id, p.window_id, 'ready', sqlc.arg(slot), recon.now(), recon.now()
	from picked p
	order by p.account_id, p.window_id
	on conflict (account_id, window_id) do nothing
	returning account_id, window_id
), admitted as (
	insert into recon.admission (slot, night_id, token, request_id, correlation_id, bound, first_key, last_key, selected, inserted,
		late, admitted_by, admitted_at)
	select sqlc.arg(slot), sqlc.arg(night_id), sqlc.arg(token), sqlc.arg(request_id), sqlc.arg(correlation_id), sqlc.arg(bound),
		coalesce((select p.account_id || '/' || p.window_id from picked p order by p.due_at, p.account_id, p.window_id limit 1), ''),
		coalesce((select p.account_id || '/' || p.window_id from picked p order by p.due_at desc, p.account_id desc, p.window_id desc limit 1), ''),
		(select count(*) from picked), (select count(*) from made),
		recon.now() > sqlc.arg(slot)::timestamptz + sqlc.arg(late_after)::interval, sqlc.arg(member), recon.now()
	on conflict (slot) do nothing
	returning request_id, selected, inserted, late
), last_of_line as (
	select w.account_id, w.window_id, w.due_at, w.ends_at
	from recon.alarm x cross join lateral (select w.* from recon.window w where w.account_id = x.subject order by w.window_id desc limit 1) w
	where x.kind = 'window_not_written' and x.cleared_at is null
		and exists (select from recon.job j where j.account_id = w.account_id and j.window_id = w.window_id)
), lines as (
	select p.*, true as picked from picked p
	union all
	select l.*, false from last_of_line l
)
select a.request_id, a.selected, a.inserted, a.late, coalesce(p.picked, false)::boolean as picked, coalesce(p.account_id, '')::text as account_id,
	coalesce(p.window_id, '')::text as window_id, coalesce(p.due_at, recon.now())::timestamptz as due_at,
	coalesce(p.ends_at, recon.now())::timestamptz as ends_at,
	coalesce(c.zone, '')::text as zone, coalesce(c.provider_lag, '0'::interval)::interval as provider_lag
from admitted a left join lines p on true left join recon.account c on c.account_id = p.account_id
order by p.picked desc, p.due_at, p.account_id, p.window_id;

-- name: TurnNight :one
-- Writes the next windows one ahead, moves the cursor, and closes the night when no due window is left without a
-- job. What is due behind an exhausted cursor (an account that came later) starts the cursor again. A window that could not be
-- written before and now is ends its alarm.
with given as (
	select g.account_id, g.window_id, g.starts_at, g.ends_at, g.due_at
	from unnest(sqlc.arg(account_ids)::text[], sqlc.arg(window_ids)::text[], sqlc.arg(starts)::timestamptz[], sqlc.arg(ends)::timestamptz[], sqlc.arg(dues)::timestamptz[])
		as g (account_id, window_id, starts_at, ends_at, due_at)
), written as (
	insert into recon.window (account_id, window_id, starts_at, ends_at, due_at)
	select g.account_id, g.window_id, g.starts_at, g.ends_at, g.due_at from given g order by g.account_id, g.window_id
	on conflict (account_id, window_id) do nothing
	returning due_at
), cleared as (
	update recon.alarm x set cleared_at = recon.now() from given g
	where x.kind = 'window_not_written' and x.subject = g.account_id and x.cleared_at is null
), rest as (
	select (
		select count(*) from recon.window w
		where w.due_at <= recon.now() and w.skipped_by is null and not w.admitted
			and not exists (select from recon.job j where j.account_id = w.account_id and j.window_id = w.window_id)
	) + (select count(*) from written x where x.due_at <= recon.now()) as due
), turned as (
	select r.due, sqlc.arg(exhausted)::boolean and r.due > 0 as again from rest r
)
update recon.night n set
	state = case when t.due = 0 then 'closed' else 'open' end,
	closed_at = case when t.due = 0 then recon.now() end,
	cursor_due_at = case when t.again then null else coalesce(sqlc.narg(cursor_due_at)::timestamptz, n.cursor_due_at) end,
	cursor_account = case when t.again then null else coalesce(sqlc.narg(cursor_account)::text, n.cursor_account) end,
	cursor_window = case when t.again then null else coalesce(sqlc.narg(cursor_window)::text, n.cursor_window) end,
	version = n.version + 1
from turned t
where n.night_id = sqlc.arg(night_id)
returning n.state, t.due::bigint as due;

-- name: ReadAdmission :one
select a.slot, a.night_id, a.token, a.request_id, a.correlation_id, a.bound, a.first_key, a.last_key, a.selected, a.inserted, a.late,
	a.admitted_by, a.admitted_at
from recon.admission a where a.slot = sqlc.arg(slot);
