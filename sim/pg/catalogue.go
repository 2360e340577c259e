package pg

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// catalogue is what the database says a name stands for, and what follows from touching it: triggers, foreign keys, views,
// policies, defaults, partitions, bodies of functions.
type catalogue struct {
	relations map[string][]*relation // by name, folded
	functions map[string][]*function
	schemas   map[string]bool
	byOID     map[uint32]*relation
	byProc    map[uint32]*function
	always    []*function // behind operators, casts and domains, which no text shows as a call
	freezes   bool        // a role's or a database's setting makes transactions keep their snapshots
}

// relation is a table, a view, a sequence.
type relation struct {
	schema string // folded
	thing  string // schema.name, as footprints name it
	kind   string // relkind
	below  []*relation
	above  []*relation

	policies  []names     // computed at any access
	checks    []names     // at a write: constraints, index expressions, conditions of triggers
	defaults  []names     // at an insert or update
	view      []names     // what a view stands for
	rules     []names     // what a write is turned into
	sequences []*relation // of identity columns
	triggers  []trigger
	parents   []*relation // referenced by its foreign keys
	children  []reference // whose foreign keys reference it
	keys      set         // columns in one of those keys, on either side
	unsure    bool        // an UPDATE may change more columns than it sets: a trigger before it, a generated key
}

type trigger struct {
	on       access // the events
	function *function
	deferred bool // may run at the end of the transaction
}

// reference is a foreign key as its parent sees it: what deleting or updating the parent does to the child.
type reference struct {
	child              *relation
	onDelete, onUpdate access
}

type function struct {
	schema  string
	body    names
	unknown bool // in a language that can't be read here
	deps    []*function
}

// newCatalogue asks the server. Needs the connection for itself.
func newCatalogue(ctx context.Context, conn *pgx.Conn) (*catalogue, error) {
	c := &catalogue{
		relations: map[string][]*relation{}, functions: map[string][]*function{}, schemas: map[string]bool{"pg_catalog": true, "information_schema": true},
		byOID: map[uint32]*relation{}, byProc: map[uint32]*function{},
	}
	for _, read := range []func(context.Context, *pgx.Conn) error{
		c.readRelations, c.readParts, c.readFunctions, c.readTexts, c.readSequences, c.readReferences, c.readTriggers, c.readAlways,
	} {
		if err := read(ctx, conn); err != nil {
			return nil, fmt.Errorf("read the catalogue: %w", err)
		}
	}
	return c, nil
}

// each runs a query and calls row for each of its rows, scanned into dest.
func each(ctx context.Context, conn *pgx.Conn, sql string, dest []any, row func()) error {
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, dest, func() error { row(); return nil })
	return err
}

const ownSchemas = `nspname !~ '^pg_' and nspname <> 'information_schema'`

func (c *catalogue) readRelations(ctx context.Context, conn *pgx.Conn) error {
	var oid uint32
	var schema, name, kind string
	err := each(ctx, conn, `select c.oid, nspname, relname, relkind::text from pg_class c join pg_namespace n on n.oid = relnamespace
		where relkind in ('r', 'p', 'v', 'm', 'f', 'S') and `+ownSchemas+` order by nspname, relname`, []any{&oid, &schema, &name, &kind}, func() {
		r := &relation{schema: strings.ToLower(schema), thing: schema + "." + name, kind: kind}
		c.byOID[oid] = r
		name = strings.ToLower(name)
		c.relations[name] = append(c.relations[name], r)
	})
	if err != nil {
		return err
	}
	return each(ctx, conn, `select nspname from pg_namespace where `+ownSchemas, []any{&schema}, func() { c.schemas[strings.ToLower(schema)] = true })
}

// readParts reads partitions and inheritance, over all levels.
func (c *catalogue) readParts(ctx context.Context, conn *pgx.Conn) error {
	var low, high uint32
	return each(ctx, conn, `with recursive up as (
			select inhrelid as low, inhparent as high from pg_inherits
			union select up.low, i.inhparent from up join pg_inherits i on i.inhrelid = up.high)
		select low, high from up order by 1, 2`, []any{&low, &high}, func() {
		if l, h := c.byOID[low], c.byOID[high]; l != nil && h != nil {
			l.above, h.below = append(l.above, h), append(h.below, l)
		}
	})
}

// readFunctions reads bodies. An aggregate's is a call of its parts. Of functions in C, those of extensions that run no
// SQL touch nothing.
func (c *catalogue) readFunctions(ctx context.Context, conn *pgx.Conn) error {
	var oid uint32
	var schema, name, language, volatility, extension, body string
	err := each(ctx, conn, `select p.oid, nspname, proname, lanname, provolatile::text, coalesce(extname, ''),
			coalesce(case when prokind = 'a' then (select format('select %s(), %s(), %s()', aggtransfn, aggfinalfn, aggmtransfn) from pg_aggregate where aggfnoid = p.oid)
				else coalesce(pg_get_function_sqlbody(p.oid), prosrc) end, '') || '; select ' || pg_get_function_arguments(p.oid)
		from pg_proc p join pg_namespace n on n.oid = pronamespace join pg_language l on l.oid = prolang
			left join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e' left join pg_extension e on e.oid = d.refobjid
		where `+ownSchemas+` order by p.oid`, []any{&oid, &schema, &name, &language, &volatility, &extension, &body}, func() {
		f := &function{schema: strings.ToLower(schema)}
		switch language {
		case "sql", "plpgsql":
			f.body = readNames(statements(lex(body)))
		case "internal":
		case "c":
			f.unknown = extension == "" && volatility != "i" || extension == "dblink" || extension == "tablefunc" || extension == "xml2"
		default:
			f.unknown = true
		}
		c.byProc[oid] = f
		name = strings.ToLower(name)
		c.functions[name] = append(c.functions[name], f)
	})
	return err
}

// readTexts reads what the server keeps as expressions and prints as SQL.
func (c *catalogue) readTexts(ctx context.Context, conn *pgx.Conn) error {
	var oid uint32
	var kind, source string
	return each(ctx, conn, `
		select adrelid, 'defaults', pg_get_expr(adbin, adrelid) from pg_attrdef
		union all select conrelid, 'checks', pg_get_constraintdef(oid) from pg_constraint where contype = 'c' and conrelid <> 0
		union all select indrelid, 'checks', concat_ws(', ', pg_get_expr(indexprs, indrelid), pg_get_expr(indpred, indrelid)) from pg_index where indexprs is not null or indpred is not null
		union all select polrelid, 'policies', concat_ws(', ', pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) from pg_policy
		union all select tgrelid, 'checks', pg_get_triggerdef(oid) from pg_trigger where tgqual is not null
		union all select c.oid, 'view', pg_get_viewdef(c.oid) from pg_class c join pg_namespace n on n.oid = relnamespace where relkind = 'v' and `+ownSchemas+`
		union all select ev_class, 'rules', pg_get_ruledef(oid) from pg_rewrite where ev_type <> '1'`, []any{&oid, &kind, &source}, func() {
		r := c.byOID[oid]
		if r == nil {
			return
		}
		read := readNames(statements(lex("select " + source)))
		switch kind {
		case "policies":
			r.policies = append(r.policies, read)
		case "checks":
			r.checks = append(r.checks, read)
		case "defaults":
			r.defaults = append(r.defaults, read)
		case "view":
			r.view = append(r.view, read)
		case "rules":
			r.rules = append(r.rules, read)
		}
	})
}

// readSequences reads those of identity columns; a default names its own.
func (c *catalogue) readSequences(ctx context.Context, conn *pgx.Conn) error {
	var sequence, table uint32
	return each(ctx, conn, `select d.objid, d.refobjid from pg_depend d join pg_class s on s.oid = d.objid
		where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass and s.relkind = 'S' and d.deptype in ('i', 'a')`, []any{&sequence, &table}, func() {
		if t, q := c.byOID[table], c.byOID[sequence]; t != nil && q != nil {
			t.sequences = append(t.sequences, q)
		}
	})
}

func (c *catalogue) readReferences(ctx context.Context, conn *pgx.Conn) error {
	var child, parent uint32
	var onDelete, onUpdate string
	var of, to []string
	var generated bool
	return each(ctx, conn, `select conrelid, confrelid, confdeltype::text, confupdtype::text,
			array(select attname::text from pg_attribute where attrelid = conrelid and attnum = any(conkey)),
			array(select attname::text from pg_attribute where attrelid = confrelid and attnum = any(confkey)),
			exists (select from pg_attribute where attgenerated <> '' and (attrelid = conrelid and attnum = any(conkey) or attrelid = confrelid and attnum = any(confkey)))
		from pg_constraint where contype = 'f' order by oid`,
		[]any{&child, &parent, &onDelete, &onUpdate, &of, &to, &generated}, func() {
			k, p := c.byOID[child], c.byOID[parent]
			if k == nil || p == nil {
				return
			}
			for _, column := range of {
				k.keys.add(foldText(column))
			}
			for _, column := range to {
				p.keys.add(foldText(column))
			}
			k.unsure, p.unsure = k.unsure || generated, p.unsure || generated
			k.parents = append(k.parents, p)
			r := reference{child: k}
			switch onDelete {
			case "c":
				r.onDelete = deletes
			case "n", "d":
				r.onDelete = updates | keys
			}
			if onUpdate == "c" || onUpdate == "n" || onUpdate == "d" {
				r.onUpdate = updates | keys
			}
			p.children = append(p.children, r)
		})
}

// The bits of pg_trigger.tgtype.
const (
	triggerBefore   = 1 << 1
	triggerInsert   = 1 << 2
	triggerDelete   = 1 << 3
	triggerUpdate   = 1 << 4
	triggerTruncate = 1 << 5
)

func (c *catalogue) readTriggers(ctx context.Context, conn *pgx.Conn) error {
	var table, proc uint32
	var kind int16
	var deferrable bool
	return each(ctx, conn, `select tgrelid, tgfoid, tgtype, tgdeferrable from pg_trigger where not tgisinternal order by oid`,
		[]any{&table, &proc, &kind, &deferrable}, func() {
			r, f := c.byOID[table], c.byProc[proc]
			if r == nil {
				return
			}
			if f == nil { // one of the server's own, as suppress_redundant_updates_trigger: they touch nothing else
				return
			}
			t := trigger{function: f, deferred: deferrable}
			r.unsure = r.unsure || kind&triggerBefore != 0
			for bit, event := range map[int16]access{triggerInsert: inserts, triggerDelete: deletes, triggerUpdate: updates, triggerTruncate: truncates} {
				if kind&bit != 0 { // the order does not show
					t.on |= event
				}
			}
			r.triggers = append(r.triggers, t)
		})
}

// readAlways reads the functions that run without being called by name. FirstNormalObjectId of the server is 16384.
func (c *catalogue) readAlways(ctx context.Context, conn *pgx.Conn) error {
	var proc uint32
	err := each(ctx, conn, `select oprcode::oid from pg_operator where oid >= 16384
		union select castfunc from pg_cast where oid >= 16384
		union select amproc::oid from pg_amproc where oid >= 16384
		order by 1`, []any{&proc}, func() {
		if f := c.byProc[proc]; f != nil {
			c.always = append(c.always, f)
		}
	})
	if err != nil {
		return err
	}
	var source string
	err = each(ctx, conn, `select pg_get_constraintdef(oid) from pg_constraint where contypid <> 0 order by oid`, []any{&source}, func() {
		c.always = append(c.always, &function{body: readNames(statements(lex(source)))})
	})
	if err != nil {
		return err
	}
	return conn.QueryRow(ctx, `select exists (select from pg_db_role_setting, unnest(setconfig) as s
		where s ~ 'transaction_isolation=' and s !~ '=read committed$')`).Scan(&c.freezes)
}

// named are the relations that a name can mean. Which schema comes first is not asked: all of them.
func (c *catalogue) named(n objectName) (out []*relation) {
	for _, r := range c.relations[n.name] {
		if n.schema == "" || n.schema == r.schema {
			out = append(out, r)
		}
	}
	return out
}

// called are the functions that a name can mean; x.f is f of a row x where x is no schema.
func (c *catalogue) called(n objectName) (out []*function) {
	for _, f := range c.functions[n.name] {
		if n.schema == "" || n.schema == f.schema || !c.schemas[n.schema] {
			out = append(out, f)
		}
	}
	return out
}
