#!/bin/sh
# Says clearly what is missing before a build fails in an unclear way.
set -eu

status=0
complain() {
	echo "$*" >&2
	status=1
}

# at_least WANTED ACTUAL: compares versions like 1.26 and 1.26.8.
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

# check NAME WANTED ACTUAL WHERE
check() {
	if [ -z "$3" ]; then
		complain "$1 is not installed: version $2 or newer is needed, see $4"
	elif ! at_least "$2" "$3"; then
		complain "$1 is version $3: $2 or newer is needed, see $4"
	fi
}

# An older Go fetches the one that go.mod names, if it can.
go=$(cd "$(dirname "$0")/.." && go env GOVERSION 2>/dev/null) || go=$(cd / && go env GOVERSION 2>/dev/null) || true
check Go 1.26 "${go#go}" https://go.dev/dl
check Node 20 "$(node --version 2>/dev/null | sed 's/^v//')" https://nodejs.org
command -v npm >/dev/null || complain "npm is not installed: it comes with Node, on Debian as a package of its own (apt-get install npm)"
exit $status
