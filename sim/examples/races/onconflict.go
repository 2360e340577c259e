package races

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// TagSchema is posts and their tags.
const TagSchema = `
create table tag (id serial primary key, name text not null unique);
create table post (title text primary key, tag int references tag);
`

// Post writes a post with its tag, which is made where it is missing. The statement that gets the tag sees what was
// committed when it began, and ON CONFLICT waits for what was not: then there is neither a new row nor an old one.
func Post(ctx context.Context, db *pgxpool.Pool, title, tag string) error {
	return post(ctx, db, title, tag, `-- name: GetTag :one
		with made as (insert into tag (name) values ($1) on conflict do nothing returning id)
		select (select id from made union all select id from tag where name = $1 limit 1)`)
}

// PostFixed has the conflicting row answer.
func PostFixed(ctx context.Context, db *pgxpool.Pool, title, tag string) error {
	return post(ctx, db, title, tag, `-- name: GetTag :one
		insert into tag (name) values ($1) on conflict (name) do update set name = excluded.name returning id`)
}

func post(ctx context.Context, db *pgxpool.Pool, title, tag, get string) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		var id *int
		if err := tx.QueryRow(ctx, get, tag).Scan(&id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "-- name: InsertPost :exec\ninsert into post values ($1, $2) on conflict do nothing", title, id)
		return err
	})
}
