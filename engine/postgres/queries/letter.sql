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
), buried as (
	update recon.job j set
		state = case when exists (select from seat) then 'dead' else 'parked' end,
		deaths = j.deaths + 1, -- parked counts as one too, so that redriving for ever is seen
		attempts = j.attempts + 1, leased_by = null, lease_until = null, started_at = null,
		last_outcome = 'failed', last_error = sqlc.arg(reason), since = recon.now(), version = j.version + 1
	from dying d
	where j.job_id = d.job_id
	returning j.state
)
select b.state from buried b;

-- name: DeadLetter :one
-- A letter in its lane, counted in the lane's locked row. No row: the lane is full, and the record is parked.
with seat as (
	update recon.lane l set used = l.used + 1
	where l.lane = @lane and l.used < l.capacity
	returning l.lane
)
insert into recon.letter (lane, record, death, reason, died_at)
select s.lane, sqlc.arg(record), sqlc.arg(death), sqlc.arg(reason), recon.now() from seat s
returning death;

-- name: SetLaneCapacity :execrows
update recon.lane l set capacity = @capacity where l.lane = @lane and l.used <= @capacity;
