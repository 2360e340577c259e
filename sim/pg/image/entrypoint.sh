#!/bin/sh
# The part of the official image's contract that a stand-in must keep: POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB,
# POSTGRES_HOST_AUTH_METHOD, POSTGRES_INITDB_ARGS, scripts in /docker-entrypoint-initdb.d on the first start, and the server
# as user postgres whoever starts it. Drills bring an entrypoint of their own; this one serves anybody else.
set -eu

case ${1:-} in
'' | -*) set -- postgres "$@" ;;
esac
[ "$1" = postgres ] || exec "$@"

if [ "$(id -u)" = 0 ]; then
	mkdir -p "$PGDATA" /run/postgresql
	chown postgres:postgres "$PGDATA" /run/postgresql
	chmod 700 "$PGDATA"
	exec su -m -s /bin/sh -c 'exec "$0" "$@"' -- postgres "$0" "$@"
fi

run_scripts() {
	for script in /docker-entrypoint-initdb.d/*; do
		[ -e "$script" ] || continue
		echo "entrypoint: $script"
		case $script in
		*.sh) if [ -x "$script" ]; then "$script"; else . "$script"; fi ;;
		*.sql) psql -v ON_ERROR_STOP=1 -d "$POSTGRES_DB" -f "$script" ;;
		*.sql.gz) gunzip -c "$script" | psql -v ON_ERROR_STOP=1 -d "$POSTGRES_DB" ;;
		esac
	done
}

first_start() {
	method=${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}
	[ -n "${POSTGRES_PASSWORD:-}" ] || [ "$method" = trust ] || {
		echo "entrypoint: set POSTGRES_PASSWORD, or POSTGRES_HOST_AUTH_METHOD=trust" >&2
		exit 1
	}
	secret=$(mktemp)
	printf '%s\n' "${POSTGRES_PASSWORD:-}" >"$secret"
	# shellcheck disable=SC2086 # the arguments are words
	initdb -D "$PGDATA" -U "$POSTGRES_USER" -E UTF8 ${POSTGRES_PASSWORD:+--pwfile="$secret"} ${POSTGRES_INITDB_ARGS:-}
	rm -f "$secret"
	echo "host all all all $method" >>"$PGDATA/pg_hba.conf"

	# Nobody but the scripts may come in until they are done: the socket only.
	export PGUSER="$POSTGRES_USER"
	pg_ctl -D "$PGDATA" -w -o "-c listen_addresses=''" start
	[ "$POSTGRES_DB" = postgres ] || createdb "$POSTGRES_DB"
	run_scripts
	pg_ctl -D "$PGDATA" -m fast -w stop
	unset PGUSER
}

export POSTGRES_USER="${POSTGRES_USER:-postgres}"
export POSTGRES_DB="${POSTGRES_DB:-$POSTGRES_USER}"
[ -s "$PGDATA/PG_VERSION" ] || first_start
exec "$@"
