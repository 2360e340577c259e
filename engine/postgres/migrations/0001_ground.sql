-- Ground: the schema, the four roles, the one clock, who lives.
create schema recon;

-- Roles belong to the server, not to the database: another database of it may have made them already.
do $$
declare
	r text;
begin
	foreach r in array array['recon_owner', 'recon_engine', 'recon_operator', 'recon_reader'] loop
		if not exists (select from pg_catalog.pg_roles where rolname = r) then
			begin
				execute format('create role %I nologin', r);
			exception when duplicate_object or unique_violation then
				null; -- roles are the server's: another database was migrated in this instant
			end;
		end if;
		-- Whoever is not a superuser gives objects to the owner below, and needs the role for it. From 16 on, who made a
		-- role may give it to himself, and has to.
		if not (select u.rolsuper from pg_catalog.pg_roles u where u.rolname = current_user) then
			if current_setting('server_version_num')::integer >= 160000 then
				if not pg_catalog.pg_has_role(current_user, r, 'set') then
					execute format('grant %I to current_user with set true, inherit true', r);
				end if;
			elsif not pg_catalog.pg_has_role(current_user, r, 'member') then
				execute format('grant %I to current_user', r);
			end if;
		end if;
	end loop;
exception when insufficient_privilege then
	raise exception 'user % may neither make nor take the roles recon_owner, recon_engine, recon_operator, recon_reader', current_user
		using errcode = 'insufficient_privilege', hint = format('a superuser says: ALTER ROLE %1$I CREATEROLE; or, where the roles exist: '
			|| 'GRANT recon_owner, recon_engine, recon_operator, recon_reader TO %1$I', current_user);
end
$$;
grant usage on schema recon to recon_engine, recon_operator, recon_reader;

create table recon.schema_migration (
	version integer primary key,
	name text not null
);

-- The one clock that decides what is due and whose lease is over. Constant within a statement (its arrival, also
-- across a lock wait), not within a transaction. A simulation replaces this function and the next one.
create function recon.now() returns timestamptz
	language sql stable
	as 'select pg_catalog.statement_timestamp()';

-- Which server we talk to. A throw-away server is another one each time, so a simulation answers always the same.
create function recon.server_identity(out system_identifier text, out timeline integer)
	language plpgsql stable
	as $$ begin
		select c.system_identifier::text, ('x' || substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8))::bit(32)::integer
		into server_identity.system_identifier, server_identity.timeline
		from pg_catalog.pg_control_system() c;
	end $$;

-- Which existence of the database a fence belongs to. A new row (failover, restore) stops outside acts.
create table recon.incarnation (
	incarnation integer primary key check (incarnation > 0),
	system_identifier text not null,
	timeline integer not null,
	began_at timestamptz not null
);

-- One row per process: its heartbeat. Others take over what is merely leased when it is silent.
create table recon.member (
	member_id text primary key,          -- unique per process start
	process text not null,               -- for people: worker-1
	started_at timestamptz not null,
	beat_at timestamptz not null,
	stopped_at timestamptz               -- set by a drain
);

-- Refuses what append-only tables must not know.
create function recon.refuse_change() returns trigger
	language plpgsql
	as $$
begin
	raise exception 'recon.% is append-only: % refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end
$$;

-- What operators and policies did, and what moved by it.
create table recon.audit (
	audit_id bigint generated always as identity primary key,
	at timestamptz not null,
	actor text not null,                 -- person:ann, policy:auto-refund, worker:…
	act text not null,
	record text not null,                -- job:acct_1/2026-03-01, intent:…, correction:…
	version bigint not null,             -- the version it saw
	detail text not null default ''
);
create trigger append_only before update or delete on recon.audit for each row execute function recon.refuse_change();

create table recon.alarm (
	kind text not null,
	subject text not null,
	raised_at timestamptz not null,
	detail text not null,
	cleared_at timestamptz,
	primary key (kind, subject)
);

-- An operator's stop. Scopes: all provider channel account schedule content; name is empty for all and provider.
create table recon.pause (
	scope text not null check (scope in ('all', 'provider', 'channel', 'account', 'schedule', 'content')),
	name text not null default '',
	why text not null,
	until timestamptz not null,
	by_whom text not null,
	since timestamptz not null,
	primary key (scope, name)
);
