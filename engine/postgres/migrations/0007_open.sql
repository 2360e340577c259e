-- What is still open is marked and indexed: a reconciliation reads what is left, a night's slot what waits for it, and neither
-- the whole history of an account. The marks follow the rows that make them true, by trigger, so no statement can forget.
alter table recon.window add column admitted boolean not null default false; -- it has a job
update recon.window w set admitted = true
	where exists (select from recon.job j where j.account_id = w.account_id and j.window_id = w.window_id);
create index window_waiting on recon.window (due_at, account_id, window_id) where not admitted and skipped_by is null;

create function recon.mark_admitted() returns trigger
	language plpgsql
	as $$
begin
	update recon.window set admitted = true where account_id = new.account_id and window_id = new.window_id;
	return null;
end
$$;
create trigger mark_admitted after insert on recon.job for each row execute function recon.mark_admitted();

-- One row for each transaction with a clearing entry; closed with its item_match.
create table recon.clearing_item (
	business_key text primary key references recon.transaction,
	account_id text not null,
	open boolean not null default true
);
insert into recon.clearing_item (business_key, account_id, open)
	select p.business_key, min(p.account_id), not exists (select from recon.item_match m where m.business_key = p.business_key)
	from recon.posting p where p.book = 'clearing' group by p.business_key;
create index clearing_open on recon.clearing_item (account_id, business_key) where open;

create function recon.open_item() returns trigger
	language plpgsql
	as $$
begin
	insert into recon.clearing_item (business_key, account_id) values (new.business_key, new.account_id) on conflict (business_key) do nothing;
	return null;
end
$$;
create trigger open_item after insert on recon.posting for each row when (new.book = 'clearing') execute function recon.open_item();

create function recon.close_item() returns trigger
	language plpgsql
	as $$
begin
	update recon.clearing_item set open = false where business_key = new.business_key;
	return null;
end
$$;
create trigger close_item after insert on recon.item_match for each row execute function recon.close_item();

grant select on recon.clearing_item to recon_engine, recon_operator, recon_reader;
grant insert, update on recon.clearing_item to recon_engine, recon_operator;
alter table recon.clearing_item owner to recon_owner;
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
