#!/bin/sh
# Runs the browser tests against the real program with a database, ports and credentials of its own.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- test/browser/*.test.mjs
exec tools/with-demo.sh node --test --test-timeout=300000 --test-concurrency="${BROWSER_TESTS_AT_ONCE:-2}" "$@"
