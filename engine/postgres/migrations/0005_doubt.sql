-- Why an act outside must not begin now. Claims, submitting transactions, maintenance and the operator's advice ask
-- the same questions, so the answers are written once. Empty = nothing speaks against it. In PL/pgSQL, which keeps plans:
-- until PostgreSQL 18 each statement parses and plans anew the SQL functions that it calls, and every poll asks these.

-- A pause is in force until it is resumed or its time is over.
create function recon.provider_pause(p_account text) returns text
	language plpgsql stable
	as $$ begin return (
		select coalesce((select p.scope || ' paused by ' || p.by_whom || ': ' || p.why from recon.pause p
			where p.until > recon.now() and (p.scope in ('all', 'provider') or (p.scope = 'account' and p.name = p_account))
			order by p.scope, p.name limit 1), '')
	); end $$;

create function recon.channel_pause(p_account text, p_channel text, p_template text) returns text
	language plpgsql stable
	as $$ begin return (
		select coalesce((select p.scope || ' paused by ' || p.by_whom || ': ' || p.why from recon.pause p
			where p.until > recon.now() and (p.scope = 'all' or (p.scope = 'account' and p.name = p_account)
				or (p.scope = 'channel' and p.name = p_channel) or (p.scope = 'content' and p.name in ('', p_template)))
			order by p.scope, p.name limit 1), '')
	); end $$;

-- Each kind of message ends for its own reasons.
create function recon.pair_ended(p_kind text, p_state text, p_amount_minor bigint, p_paid_minor bigint) returns text
	language sql immutable
	as $$
		select case
			when p_kind = 'reminder' and p_state = 'open' and p_paid_minor >= p_amount_minor then 'paid'
			when p_kind = 'reminder' and p_state = 'open' then ''
			when p_kind = 'invoice' and p_state not in ('cancelled', 'refunded') then ''
			when p_kind = 'confirmation' and p_state = 'paid' then ''
			when p_kind = 'confirmation' and p_state = 'open' then 'not paid'
			else p_state
		end
	$$;

-- Until when we know of every payment: up to the first window that nobody has reconciled or skipped. A later window
-- that is reconciled does not make an earlier one known.
create function recon.payments_known_until(p_account text) returns timestamptz
	language plpgsql stable
	as $$ begin return (
		select coalesce(
			(select min(w.starts_at) from recon.window w where w.account_id = p_account and w.skipped_by is null
				and not exists (select from recon.job j where j.account_id = w.account_id and j.window_id = w.window_id
					and (j.state = 'cancelled' or exists (select from recon.envelope e where e.job_id = j.job_id)))),
			(select max(w.ends_at) from recon.window w where w.account_id = p_account),
			(select a.created_at from recon.account a where a.account_id = p_account))
	); end $$;

-- A break concerns an invoice that it names, and where it names none of ours, every invoice of its account and currency.
create function recon.invoice_doubt(p_account text, p_invoice text, p_currency text) returns text
	language plpgsql stable
	as $$ begin return (
		select coalesce(
			(select b.state || ' break ' || b.break_key from recon.break b
				where b.account_id = p_account and b.state in ('timing', 'open') and (b.business_ref = p_invoice
					or (b.currency = p_currency and not exists (select from recon.invoice v where v.invoice_id = b.business_ref)))
				order by b.break_key limit 1),
			(select 'payments are known only until ' || to_char(recon.payments_known_until(a.account_id) at time zone 'UTC', 'YYYY-MM-DD HH24:MI')
				from recon.account a
				where a.account_id = p_account and recon.payments_known_until(a.account_id) + a.payment_lag_max < recon.now()),
			'')
	); end $$;

-- Nothing is left that the intent could say to this contact.
create function recon.intent_ended(p_intent text) returns text
	language plpgsql stable
	as $$ begin return (
		select case
			when c.opted_out then 'opted out'
			when exists (select from recon.intent_step s join recon.invoice v on v.invoice_id = s.invoice_id
				where s.intent_id = i.intent_id and s.dropped_why = ''
					and recon.pair_ended(i.kind, v.state, v.amount_minor, v.paid_minor) = '') then ''
			else coalesce((select coalesce(nullif(s.dropped_why, ''), recon.pair_ended(i.kind, v.state, v.amount_minor, v.paid_minor))
				from recon.intent_step s join recon.invoice v on v.invoice_id = s.invoice_id
				where s.intent_id = i.intent_id order by s.invoice_id, s.step limit 1), 'covers nothing')
		end
		from recon.intent i join recon.contact c on c.contact_id = i.contact_id
		where i.intent_id = p_intent
	); end $$;

-- Only reminders dun, so only they wait for doubt; a bounced address holds every kind until it is corrected. What a
-- person holds stays held until a person lets it go.
create function recon.intent_doubt(p_intent text) returns text
	language plpgsql stable
	as $$ begin return (
		select coalesce(
			(select i.held_why from recon.intent i where i.intent_id = p_intent and i.state in ('held', 'review') and i.held_why like 'person:%'),
			(select 'contact ' || c.contact_id || ' bounced' from recon.intent i join recon.contact c on c.contact_id = i.contact_id
				where i.intent_id = p_intent and c.invalid),
			(select d.why from (select v.invoice_id, recon.invoice_doubt(v.account_id, v.invoice_id, v.currency) as why
					from recon.intent i join recon.intent_step s on s.intent_id = i.intent_id and s.dropped_why = ''
						join recon.invoice v on v.invoice_id = s.invoice_id
					where i.intent_id = p_intent and i.kind = 'reminder'
						and recon.pair_ended(i.kind, v.state, v.amount_minor, v.paid_minor) = '') d
				where d.why <> '' order by d.invoice_id limit 1),
			'')
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
