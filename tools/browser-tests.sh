#!/bin/sh
# Runs browser tests: the files named, or those of every run; with --long what these leave out, each page in every look.
# Files of history/ run against a demo with six weeks of payments, those of stripe/ and chariot/ against one with a
# local fake of Stripe or Chariot, the others against a new demo. Those of engines/ are for Firefox and WebKit, too.
set -eu
cd "$(dirname "$0")/.."
long="bank-acss bank-form bank-q cards defences guides policy shop-bank turbo wallet-a wallet-b history/every-page"
longest=600000 # of a file, in ms
alone="endurance endurance-buttons load-time engines/core" # long, too, and with the machine to themselves

in_demo() { # a kind of demo, and its files
	demo=$1
	shift
	[ $# -eq 0 ] || tools/with-demo.sh $demo node --test --test-reporter=spec --test-timeout="$longest" \
		--test-concurrency="${BROWSER_TESTS_AT_ONCE:-3}" "$@"
}

# more reports whether a file does more with EVERY_LOOK: pages in all windows, flows as every role.
more() { grep -qE 'import .*\b(looks?|flow)\b.* from|EVERY_LOOK' "$1"; }

files() { # a directory; those of its files that are asked for
	for file in test/browser/$1*.test.mjs; do
		name=${file#test/browser/}
		case " $alone " in *" ${name%.test.mjs} "*) continue ;; esac
		case " $long " in
		*" ${name%.test.mjs} "*) [ -z "${EVERY_LOOK-}" ] || echo "$file" ;;
		*) { [ "${EVERY_LOOK-}" ] && ! more "$file"; } || echo "$file" ;;
		esac
	done
}

rm -rf .screenshots/failed # of a run before

case "${1-}" in
"") ;;
--long) longest=3600000 && export EVERY_LOOK=1 && tools/engines.sh ;;
*)
	case "$*" in *engines/*) tools/engines.sh ;; esac
	case "$*" in
	*/history/*) in_demo --history "$@" ;;
	*/stripe/*) in_demo --processor=stripe "$@" ;;
	*/chariot/*) in_demo --daf=chariot "$@" ;;
	*) in_demo "" "$@" ;;
	esac
	exit
	;;
esac
failed=0 # a failure in one demo does not hide those in the others
in_demo "" $(files "") || failed=1
[ -z "${EVERY_LOOK-}" ] || BROWSER_TESTS_AT_ONCE=1 in_demo "" $(printf 'test/browser/%s.test.mjs ' $alone) || failed=1
in_demo --history $(files history/) || failed=1
in_demo --processor=stripe $(files stripe/) || failed=1
in_demo --daf=chariot $(files chariot/) || failed=1
exit $failed
