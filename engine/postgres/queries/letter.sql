-- name: BuryJob :one
-- The budget is spent: a dead letter where the lane has room, parked where it is full. The lane's row is the lock.
with dying as (
	select j.job_id, j.deaths from recon.job j
	where j.job_id = sqlc.arg(job_id) and j.state = 'leased'
		and j.fence_incarnation = sqlc.arg(fence_incarnation) and j.fence_number = sqlc.arg(fence_number)
	for update
), seat as (
	update recon.lane l set used = l.used + 1
	where l.lane = 'jobs' and l.used < l.capacity and exists (select from dying)
	returning l.lane
), letter as (
	insert into recon.letter (lane, record, death, reason, died_at)
	select s.lane, 'job:' || d.job_id, d.deaths + 1, sqlc.arg(reason), recon.now() from dying d cross join seat s
), full_lane as (
	insert into recon.alarm (kind, subject, raised_at, detail)
	select 'lane_full', 'jobs', recon.now(), 'parked: job:' || d.job_id from dying d where not exists (select from seat)
	on conflict (kind, subject) do update set raised_at = excluded.raised_at, detail = excluded.detail, cleared_at = null
), buried as (
	update recon.job j set
		state = case when exists (select from seat) then 'dead' else 'parked' end,
		deaths = j.deaths + 1, -- parked counts as one too, so that redriving for ever is seen
		attempts = j.attempts + 1, leased_by = null, lease_until = null, started_at = null,
		last_outcome = 'failed', last_error = sqlc.arg(reason), since = recon.now(), version = j.version + 1
	from dying d
	where j.job_id = d.job_id
	returning j.job_id, j.state
)
select b.job_id, b.state from buried b;

-- name: SetLaneCapacity :one
-- A lane that has room again is not full.
with changed as (
	update recon.lane l set capacity = @capacity where l.lane = @lane and l.used <= @capacity
	returning l.lane, l.capacity, l.used < l.capacity as room
), cleared as (
	update recon.alarm a set cleared_at = recon.now() from changed c
	where c.room and a.kind = 'lane_full' and a.subject = c.lane and a.cleared_at is null
), noted as (
	insert into recon.audit (at, actor, act, record, version, detail)
	select recon.now(), @actor::text, 'set_capacity', 'lane:' || c.lane, 0, c.capacity || ': ' || @why::text from changed c
)
select c.lane from changed c;
