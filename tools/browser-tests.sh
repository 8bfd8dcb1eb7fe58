#!/bin/sh
# Runs the browser tests: those of a demo that has just begun, and those of one with a history.
set -eu
cd "$(dirname "$0")/.."
at_once="--test-concurrency=${BROWSER_TESTS_AT_ONCE:-2}"
if [ $# -gt 0 ]; then
	case "$*" in */history/*) demo=--history ;; *) demo= ;; esac
	exec tools/with-demo.sh $demo node --test "$at_once" "$@"
fi
tools/with-demo.sh node --test "$at_once" test/browser/*.test.mjs
tools/with-demo.sh --history node --test "$at_once" test/browser/history/*.test.mjs
