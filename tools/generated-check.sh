#!/bin/sh
# Fails when committed generated Go code is not what its source gives: a template, or the API's contract.
set -eu
cd "$(dirname "$0")/.."
sums() {
	find views api/client -name node_modules -prune -o \( -name '*_templ.go' -o -name '*.gen.go' \) \
		-exec sha256sum {} + | sort
}
before=$(sums)
make --no-print-directory generate
[ "$before" = "$(sums)" ] || {
	echo "generated code was not current: commit what make generate has written" >&2
	exit 1
}
