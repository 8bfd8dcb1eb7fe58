#!/bin/sh
# Runs browser tests: the files named, or those of every run; with --long all, each page in every look. Files of
# history/ run against a demo with six weeks of payments, those of stripe/ and chariot/ against one with a local fake of
# Stripe or Chariot, the others against a new demo.
set -eu
cd "$(dirname "$0")/.."
long="bank-acss bank-form bank-q cards defences endurance endurance-buttons guides policy shop-bank wallet-a wallet-b history/every-page"

in_demo() { # a kind of demo, and its files
	demo=$1
	shift
	[ $# -eq 0 ] || tools/with-demo.sh $demo node --test --test-reporter=spec --test-timeout=600000 \
		--test-concurrency="${BROWSER_TESTS_AT_ONCE:-3}" "$@"
}

files() { # a directory; those of its files that are asked for
	for file in test/browser/$1*.test.mjs; do
		name=${file#test/browser/}
		case " $long " in *" ${name%.test.mjs} "*) [ -z "${EVERY_LOOK-}" ] || echo "$file" ;; *) echo "$file" ;; esac
	done
}

rm -rf .screenshots/failed # of a run before

case "${1-}" in
"") ;;
--long) export EVERY_LOOK=1 ;;
*)
	case "$*" in
	*/history/*) in_demo --history "$@" ;;
	*/stripe/*) in_demo --processor=stripe "$@" ;;
	*/chariot/*) in_demo --daf=chariot "$@" ;;
	*) in_demo "" "$@" ;;
	esac
	exit
	;;
esac
in_demo "" $(files "")
in_demo --history $(files history/)
in_demo --processor=stripe $(files stripe/)
in_demo --daf=chariot $(files chariot/)
