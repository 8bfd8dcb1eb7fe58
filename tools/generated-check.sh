#!/bin/sh
# Fails when the committed Go code of a template is not what the template gives.
set -eu
cd "$(dirname "$0")/.."
sums() { find views -name '*_templ.go' -exec sha256sum {} + | sort; }
before=$(sums)
make --no-print-directory generate
[ "$before" = "$(sums)" ] || {
	echo "the code of the templates was not current: commit what make generate has written" >&2
	exit 1
}
