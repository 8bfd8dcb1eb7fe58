#!/bin/sh
# Prints the path of a Chromium for the browser tests, or with --shell that of its headless shell, which does
# the same with half the work (Chromium itself where there is none); root gets Debian's installed.
set -eu
wanted="chromium chromium-browser google-chrome google-chrome-stable"
given=${CHROMIUM:-}
package=chromium
if [ "${1-}" = --shell ]; then
	wanted=chromium-headless-shell
	given=${CHROMIUM_SHELL:-}
	package=chromium-headless-shell
fi

find_one() {
	for name in $given $wanted; do
		command -v "$name" && return 0
	done
	return 1
}

say() { echo "chromium: $*" >&2; }

if [ -n "$given" ] && ! command -v "$given" >/dev/null; then
	say "$given, which the environment names, cannot be run"
	exit 1
fi
find_one && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	say "installing Debian's $package for the browser tests (a minute or two)"
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq >&2 || say "apt-get update failed, trying with what is known"
	apt-get install -y -qq --no-install-recommends $package >&2 || true
	find_one && exit 0
fi
[ $package = chromium ] || exec "$0"
say "the browser tests need Chromium. Run this once: sudo apt-get install chromium chromium-headless-shell"
say "or set CHROMIUM to the one that you have."
exit 1
