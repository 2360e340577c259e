#!/bin/sh
# Makes the stand-ins recondrill/postgres:15, :17 and :18 for machines that cannot pull the official images.
#
#   build.sh             every stand-in this Docker daemon lacks
#   build.sh 17 [TAG]    that one, anew (TAG: default recondrill/postgres:17)
#
# A stand-in is the server and the libraries it loads, out of Debian's packages, on busybox; no distribution around it.
# Needs docker, apt, dpkg-deb and the mirror this machine's apt is set up with. Not root, not debootstrap: the packages are
# taken apart beside the machine's own apt, which is not touched (but is updated once where it knows no mirror yet).
set -eu
repository=recondrill/postgres
here=$(cd "$(dirname "$0")" && pwd)

die() {
	echo "build.sh: $*" >&2
	exit 2
}

# suite_of MAJOR: the Debian suite which carries that major version (16 is in none).
suite_of() {
	case $1 in
	15) echo bookworm ;;
	17) echo trixie ;;
	18) echo "${SUITE:-forky}" ;;
	*) die "no Debian suite is known for PostgreSQL $1; accepted: 15, 17, 18" ;;
	esac
}

find_mirror() {
	apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' | sed -n 's/^Debian //p' | head -n 1
}

# fetch MAJOR SUITE: the packages of the server and their libraries into $work/debs. perl, LLVM (jit is off in drills) and
# the wrappers of postgresql-common have no part in a running server.
fetch() {
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/debs"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $2 main" >"$work/sources.list"
	: >"$work/status" # an apt which has nothing installed, so that it names every library
	apt="-qq -o Dir::Etc::SourceList=$work/sources.list -o Dir::Etc::SourceParts=- -o Dir::Etc::Parts=-
		-o Dir::State=$work -o Dir::State::Lists=$work/lists -o Dir::State::Status=$work/status -o Dir::Cache=$work/cache
		-o APT::Install-Recommends=false -o APT::Sandbox::User= -o Acquire::Languages=none
		-o APT::Update::Post-Invoke::= -o APT::Update::Post-Invoke-Success::="
	# shellcheck disable=SC2086 # $apt is words
	apt-get $apt update
	# shellcheck disable=SC2086
	packages=$(apt-get $apt -s install "postgresql-$1" busybox-static libc-bin tzdata | sed -n 's/^Inst \([^ ]*\).*/\1/p' |
		grep -E "^(postgresql(-client)?-$1|busybox-static|libc-bin|tzdata|zlib1g|lib.*)\$" |
		grep -vE '^lib(llvm|z3|perl|.*-perl|pam-|common-sense)')
	# shellcheck disable=SC2086
	(cd "$work/debs" && apt-get $apt download $packages)
}

# lay MAJOR: from $work/all (packages unpacked) to $work/root (what goes into the image).
lay() {
	all=$work/all
	bin=usr/lib/postgresql/$1/bin
	modules=usr/lib/postgresql/$1/lib
	cd "$work/root"
	mkdir -p usr/bin usr/lib/locale usr/share/postgresql usr/local/bin "$bin" "$modules" etc tmp run/postgresql var/lib/postgresql/data \
		docker-entrypoint-initdb.d
	ln -s usr/bin bin
	ln -s usr/bin sbin
	ln -s usr/lib lib
	ln -s usr/lib lib64
	ln -s ../run var/run
	chmod 1777 tmp

	for program in postgres initdb pg_ctl psql pg_isready createdb pg_controldata; do
		cp "$all/$bin/$program" "$bin/"
		ln -s "/$bin/$program" "usr/bin/$program"
	done
	cp "$all/$modules/"*.so "$modules/"
	rm -f "$modules/llvmjit.so"
	cp -r "$all/usr/share/postgresql/$1" usr/share/postgresql/
	rm -rf "usr/share/postgresql/$1/man"
	cp -r "$all/usr/share/zoneinfo" usr/share/
	cp -r "$all/usr/lib/locale/C.utf8" usr/lib/locale/
	# The official image hears on every address; so must this one.
	sed -i "s/^#listen_addresses = 'localhost'.*/listen_addresses = '*'/" "usr/share/postgresql/$1/postgresql.conf.sample"

	# The packages' own loader tells which of the packages' own libraries are loaded; the machine's may be of another suite.
	libc=$(find "$all" -name libc.so.6 -print -quit)
	loader=$(find "$all" -name 'ld-linux*.so.*' -print -quit)
	triplet=$(basename "$(dirname "$libc")")
	mkdir -p "usr/lib/$triplet"
	for object in "$bin"/* "$modules"/*.so; do
		"$loader" --library-path "$all/usr/lib/$triplet:$all/lib/$triplet" --list "$object" 2>/dev/null || true
	done | sed -n 's/.*=> \([^ ]*\) .*/\1/p' | sort -u | while read -r library; do
		case $library in "$work"/*) cp -L "$library" "usr/lib/$triplet/" ;; esac
	done
	cp -L "$loader" usr/lib/
	[ -e "usr/lib/$triplet/${loader##*/}" ] || ln -s "../${loader##*/}" "usr/lib/$triplet/${loader##*/}"

	for busybox in "$all/bin/busybox" "$all/usr/bin/busybox"; do
		[ ! -e "$busybox" ] || cp "$busybox" usr/bin/
	done
	for applet in $(usr/bin/busybox --list); do
		[ -e "usr/bin/$applet" ] || ln -s busybox "usr/bin/$applet"
	done

	printf '%s\n' 'root:x:0:0:root:/root:/bin/sh' 'postgres:x:70:70::/var/lib/postgresql:/bin/sh' >etc/passwd
	printf '%s\n' 'root:x:0:' 'postgres:x:70:' >etc/group
	printf '%s\n' 'passwd: files' 'group: files' 'hosts: files dns' >etc/nsswitch.conf
	install -m 755 "$here/entrypoint.sh" usr/local/bin/docker-entrypoint.sh
	cd "$here"
}

# build MAJOR TAG
build() (
	suite=$(suite_of "$1")
	mirror=$(find_mirror)
	if [ -z "$mirror" ]; then
		apt-get -qq update
		mirror=$(find_mirror)
	fi
	[ -n "$mirror" ] || die "apt knows no Debian mirror"
	echo "build.sh: $2 out of Debian $suite" >&2
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM
	mkdir "$work/all" "$work/root" "$work/context"
	fetch "$1" "$suite"
	for package in "$work"/debs/*.deb; do dpkg-deb -x "$package" "$work/all"; done
	lay "$1"
	tar --owner=0 --group=0 -C "$work/root" -cf "$work/context/root.tar" .
	cat >"$work/context/Dockerfile" <<-END
		FROM scratch
		ADD root.tar /
		ENV PG_MAJOR=$1 LANG=C.UTF-8 PGDATA=/var/lib/postgresql/data PATH=/usr/local/bin:/usr/bin:/usr/lib/postgresql/$1/bin
		EXPOSE 5432
		STOPSIGNAL SIGINT
		ENTRYPOINT ["docker-entrypoint.sh"]
		CMD ["postgres"]
	END
	docker build -q -t "$2" "$work/context"
	docker run --rm "$2" initdb --version # a library that is missing shows here
)

if [ $# -gt 0 ]; then
	build "$1" "${2:-$repository:$1}"
	exit
fi
docker version >/dev/null || die "no Docker daemon answers"
for major in 15 17 18; do
	docker image inspect "$repository:$major" >/dev/null 2>&1 || build "$major" "$repository:$major"
done
