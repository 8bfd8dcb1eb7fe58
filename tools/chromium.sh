#!/bin/sh
# Prints the path of a Chromium for the browser tests; root gets Debian's
# installed if there is none.
set -eu

find_one() {
	for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
		[ -n "$name" ] && command -v "$name" && return 0
	done
	return 1
}

say() { echo "chromium: $*" >&2; }

if [ -n "${CHROMIUM:-}" ] && ! command -v "$CHROMIUM" >/dev/null; then
	say "CHROMIUM is $CHROMIUM, which cannot be run"
	exit 1
fi
find_one && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	say "installing Debian's chromium for the browser tests (a minute or two)"
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq >&2 || say "apt-get update failed, trying with what is known"
	apt-get install -y -qq --no-install-recommends chromium >&2 || true
	find_one && exit 0
fi
say "the browser tests need Chromium. Run this once: sudo apt-get install chromium"
say "or set CHROMIUM to the one that you have."
exit 1
