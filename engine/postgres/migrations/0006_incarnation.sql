-- What a failover or a restore leaves behind: seconds of which this database knows nothing any more, though the outside
-- does. A new incarnation takes the next number at once, so that no fence of the lost seconds fits a claim of this
-- existence; it acts outside only when a person has said since when acts may be lost (ops.Recover).
alter table recon.incarnation
	add column opened_at timestamptz,    -- since when it may act outside; null = stopped until a person recovers it
	add column opened_by text,
	add column opened_why text,
	add column lost_since timestamptz;   -- acts from here to opened_at may be lost; null = none are
update recon.incarnation set opened_at = began_at, opened_by = 'migration:0006', opened_why = 'it acted before incarnations were opened';
alter table recon.incarnation
	add check ((opened_at is null) = (opened_by is null) and (opened_at is null) = (opened_why is null)),
	add check (lost_since is null or opened_at is not null and lost_since <= opened_at);

-- The newest incarnation of whose lost seconds the outside was asked about this record's act, or a person vouched.
alter table recon.intent add column asked_incarnation integer not null default 0;
alter table recon.correction add column asked_incarnation integer not null default 0;

-- The incarnation that this server is. Null: its identity is another than the newest incarnation's, and no process has
-- taken the next number yet; nothing is claimed under a number that is not this server's.
create function recon.incarnation_here() returns integer
	language plpgsql stable
	as $$ begin return (
		select n.incarnation
		from (select i.incarnation, i.system_identifier, i.timeline from recon.incarnation i order by i.incarnation desc limit 1) n
			join recon.server_identity() s on s.system_identifier = n.system_identifier and s.timeline = n.timeline
	); end $$;

-- Why nothing may act outside on this server now; empty = nothing speaks against it. Ask it once a statement, as
-- (select recon.acting_stop()): the server's identity is read from a file.
create function recon.acting_stop() returns text
	language plpgsql stable
	as $$ begin return (
		select case
			when n.incarnation is distinct from recon.incarnation_here()
				then 'the server is not that of incarnation ' || coalesce(n.incarnation, 0) || ' any more (failover or restore): recond ops recover'
			when n.opened_at is null
				then 'incarnation ' || n.incarnation || ' began at ' || to_char(n.began_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"')
					|| ' (failover or restore) and is not recovered: recond ops recover'
			else ''
		end
		from (select 1) one left join lateral (select i.incarnation, i.began_at, i.opened_at from recon.incarnation i
			order by i.incarnation desc limit 1) n on true
	); end $$;

-- Between when the act of a record of this job may have been lost, and up to which incarnation; null = it cannot have
-- been. An existence that is gone knew a job only from when its window was due, and never acted after a later one was
-- opened; the hour is for two servers whose clocks differ. Records that are made again have the same keys, so the rule
-- asks the job's window and not the record's age.
create function recon.lost(p_job text, p_asked integer, out since timestamptz, out until timestamptz, out through integer)
	language plpgsql stable
	as $$ begin
		select min(n.lost_since), max(n.opened_at), max(n.incarnation)
		into since, until, through
		from recon.incarnation n
		where n.incarnation > p_asked and n.lost_since is not null and exists (select from recon.job j
			join recon.window w on w.account_id = j.account_id and w.window_id = j.window_id
			where j.job_id = p_job and w.due_at <= n.opened_at + interval '1 hour');
	end $$;

-- Why a record must be asked about before it acts; empty = it need not.
create function recon.lost_doubt(p_job text, p_asked integer) returns text
	language plpgsql stable
	as $$ begin return (
		select coalesce((select 'it may have been done in what was lost since ' || to_char(l.since at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"')
			from recon.lost(p_job, p_asked) l where l.since is not null), '')
	); end $$;

grant execute on all functions in schema recon to recon_engine, recon_operator, recon_reader;
do $$
declare
	r record;
begin
	for r in select p.oid::regprocedure as name from pg_catalog.pg_proc p join pg_catalog.pg_roles o on o.oid = p.proowner
		where p.pronamespace = 'recon'::regnamespace and o.rolname <> 'recon_owner' order by 1 loop
		execute format('alter function %s owner to recon_owner', r.name);
	end loop;
end
$$;
