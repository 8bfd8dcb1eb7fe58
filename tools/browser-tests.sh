#!/bin/sh
# Runs browser tests: the files named, or all but those that take very long; with --long all, each page in every look.
# Files of history/ run beside a demo with six weeks of payments, the others beside one that has just begun.
set -eu
cd "$(dirname "$0")/.."

beside() { # a kind of demo, and its files
	demo=$1
	shift
	[ $# -eq 0 ] || tools/with-demo.sh $demo node --test --test-timeout=600000 --test-concurrency="${BROWSER_TESTS_AT_ONCE:-3}" "$@"
}

case "${1-}" in
"") beside "" $(ls test/browser/*.test.mjs | grep -v /endurance) ;;
--long)
	export EVERY_LOOK=1
	beside "" test/browser/*.test.mjs
	;;
*)
	case "$*" in */history/*) beside --history "$@" ;; *) beside "" "$@" ;; esac
	exit
	;;
esac
beside --history test/browser/history/*.test.mjs
