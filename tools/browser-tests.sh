#!/bin/sh
# Runs the browser tests: those of a demo that has just begun, and those of one with a history.
set -eu
cd "$(dirname "$0")/.."
tests() {
	demo=$1
	shift
	tools/with-demo.sh $demo node --test --test-timeout=600000 --test-concurrency="${BROWSER_TESTS_AT_ONCE:-3}" "$@"
}
if [ $# -gt 0 ]; then
	case "$*" in */history/*) tests --history "$@" ;; *) tests "" "$@" ;; esac
else
	tests "" test/browser/*.test.mjs
	tests --history test/browser/history/*.test.mjs
fi
