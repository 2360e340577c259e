package pg

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// scanTexts are the places of the catalogue that hold SQL of the database's own.
const scanTexts = `
	with own as (select oid, nspname from pg_namespace where ` + ownSchemas + `)
	select 'default of ' || nspname || '.' || relname || '.' || attname, pg_get_expr(adbin, adrelid)
		from pg_attrdef join pg_class c on c.oid = adrelid join pg_attribute a on a.attrelid = adrelid and attnum = adnum join own on own.oid = relnamespace
	union all select 'constraint ' || conname || ' of ' || nspname || '.' || relname, pg_get_constraintdef(k.oid)
		from pg_constraint k join pg_class c on c.oid = conrelid join own on own.oid = relnamespace where contype = 'c'
	union all select 'view ' || nspname || '.' || relname, pg_get_viewdef(c.oid)
		from pg_class c join own on own.oid = relnamespace where relkind in ('v', 'm')
	union all select 'function ' || nspname || '.' || proname, coalesce(pg_get_function_sqlbody(p.oid), prosrc)
		from pg_proc p join own on own.oid = pronamespace join pg_language l on l.oid = prolang
		where lanname in ('sql', 'plpgsql') and p.oid is distinct from to_regprocedure('recon.now()')
	order by 1, 2`

// scanSettings are what functions, roles and databases set by themselves. What this package gives a given server's
// databases is among them, and right.
const scanSettings = `
	select 'function ' || nspname || '.' || proname as place, s from pg_proc p join pg_namespace n on n.oid = pronamespace, unnest(proconfig) as s
		where ` + ownSchemas + `
	union all select 'role ' || rolname, s from pg_db_role_setting r join pg_roles on pg_roles.oid = setrole, unnest(setconfig) as s
		where setdatabase in (0, (select oid from pg_database where datname = current_database()))
	union all select 'database ' || current_database(), s from pg_db_role_setting, unnest(setconfig) as s
		where setrole = 0 and setdatabase = (select oid from pg_database where datname = current_database())
	order by 1, 2`

// ScanCatalogue looks where no text on the wire would show it for what the gate refuses: the server's clock and chance,
// timers, notifications, isolation, in column defaults, check constraints, views and functions of the database's own
// schemas, and in what functions, roles and the database set by themselves. Each finding is a line that names the place.
func (s *Sessions) ScanCatalogue(ctx context.Context) ([]string, error) {
	s.watch.Lock()
	defer s.watch.Unlock()
	found, err := s.scan(ctx, scanTexts, s.refusedText)
	if err == nil {
		var more []string
		more, err = s.scan(ctx, scanSettings, s.refusedSetting)
		found = append(found, more...)
	}
	if err != nil {
		return nil, fmt.Errorf("scan the catalogue of database %s: %w", s.database, err)
	}
	return slices.Compact(found), nil
}

func (s *Sessions) scan(ctx context.Context, sql string, refused func(source string) []string) (found []string, err error) {
	var place, source string
	err = each(ctx, s.monitor, sql, []any{&place, &source}, func() {
		for _, why := range refused(source) {
			found = append(found, place+": "+why)
		}
	})
	return found, err
}

func (s *Sessions) refusedText(source string) (found []string) {
	for _, tokens := range statements(lex(source)) {
		for _, rule := range []func([]token) string{s.permits().refuseClock, refuseInside} {
			if why := rule(tokens); why != "" {
				found = append(found, why)
			}
		}
	}
	return found
}

// refusedSetting reads name=value.
func (s *Sessions) refusedSetting(source string) []string {
	name, value, _ := strings.Cut(source, "=")
	for _, ours := range serverSettings() {
		if ours.name == name && ours.value == value {
			return nil
		}
	}
	switch {
	case strings.HasPrefix(name, "recon."):
	case fixed(name):
		return []string{"it sets " + name + ", which belongs to the simulation; accepted are deadlines of the Runtime"}
	case strings.HasSuffix(name, "transaction_isolation") && value == "serializable" && !s.options.Serializable:
		return []string{"it sets " + name + " to serializable; accepted is that with SessionOptions.Serializable"}
	}
	return nil
}
