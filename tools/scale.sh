#!/bin/sh
# Makes sure that a program of Debian's, haproxy or pgbouncer, is on this machine. Says nothing if it is.
set -eu

program=$1
[ -x "/usr/sbin/$program" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "$program: installing Debian's (a minute)" >&2
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq >&2 || echo "$program: apt-get update failed, trying with what is known" >&2
	# The package would start a server of its own, which no one asked for.
	policy=/usr/sbin/policy-rc.d
	if [ ! -e $policy ]; then
		trap 'rm -f $policy' EXIT
		printf '#!/bin/sh\nexit 101\n' >$policy && chmod 755 $policy
	fi
	apt-get install -y -qq --no-install-recommends "$program" >&2 && exit 0
fi
echo "$program: is needed. Run this once: sudo apt-get install $program" >&2
exit 1
