#!/bin/sh
# Makes sure that systemd-analyze is on this machine: a test of the unit's bounds asks it for groups of system calls.
set -eu
have() { command -v systemd-analyze >/dev/null; }

have && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "systemd-analyze: installing Debian's systemd" >&2
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq >&2 || echo "systemd-analyze: apt-get update failed, trying with what is known" >&2
	apt-get install -y -qq --no-install-recommends systemd >&2 || true
	have && exit 0
fi
echo "systemd-analyze: the test of the unit needs systemd. Run this once: sudo apt-get install systemd" >&2
exit 1
