#!/bin/sh
# Regenerates engine/postgres/queries/*.sql.go: a throw-away server, the migrations, sqlc, nothing left behind. What it was
# made of and what came out is kept in generated.sum.
# --check fails where any of that has changed since; it needs neither sqlc, which takes minutes to build, nor a server.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sums() { cd "$here" && for f in sqlc.yaml migrations/*.sql queries/*; do echo "$(git hash-object --no-filters "$f") $f"; done; }
if [ "${1:-}" = --check ]; then
	sums | diff "$here/generated.sum" - >&2 || { echo "generate.sh: engine/postgres/queries is stale: run engine/postgres/generate.sh" >&2; exit 1; }
	exit 0
fi
bin=${RECON_POSTGRES_BIN:-$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)}
base=/tmp
if [ -d /dev/shm ] && [ -w /dev/shm ]; then base=/dev/shm; fi
work=$(mktemp -d "$base/recon-generate.XXXXXX")
as_postgres() { if [ "$(id -u)" = 0 ]; then su postgres -s /bin/sh -c "$1"; else sh -c "$1"; fi; }
stop() { as_postgres "'$bin/pg_ctl' -D '$work/data' -m immediate stop >/dev/null 2>&1" || true; rm -rf "$work"; }
trap stop EXIT INT TERM
if [ "$(id -u)" = 0 ]; then chown postgres "$work"; chmod 755 "$work"; fi
as_postgres "'$bin/initdb' -D '$work/data' -U postgres -A trust -N --locale=C -E UTF8 >'$work/initdb.log'"
as_postgres "'$bin/pg_ctl' -D '$work/data' -l '$work/log' -w -o \"-F -k '$work' -c listen_addresses=''\" start >/dev/null"
for f in "$here"/migrations/*.sql; do
	PGOPTIONS='--client-min-messages=warning' "$bin/psql" -q -v ON_ERROR_STOP=1 -h "$work" -U postgres -f "$f" postgres
done
export RECON_GENERATE_DSN="postgres://postgres@/postgres?host=$work"
cd "$here" && sqlc generate
sums >generated.sum
