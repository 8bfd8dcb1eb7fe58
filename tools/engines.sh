#!/bin/sh
# Makes sure that the other engines of the browser tests are on this machine: Firefox, WebKitGTK (Safari's engine) with
# a display for it, and the driver of Chromium. Root gets Debian's installed.
set -eu
packages="firefox-esr webkit2gtk-driver chromium-driver xvfb"
have() {
	for name in firefox-esr WebKitWebDriver chromedriver Xvfb; do
		command -v "$name" >/dev/null || return 1
	done
}

have && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "engines: installing Debian's $packages (two minutes)" >&2
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq >&2 || echo "engines: apt-get update failed, trying with what is known" >&2
	apt-get install -y -qq --no-install-recommends $packages >&2 || true
	have && exit 0
fi
echo "engines: the tests in other engines need them. Run this once: sudo apt-get install $packages" >&2
exit 1
