#!/bin/sh
# Runs a command next to the real program with a database, ports and credentials of its own; SVCPAY_CREDENTIALS names
# the file with them. Options before the command go to svcpay dev, such as --history for six weeks of payments.
set -eu
CHROMIUM=$("$(dirname "$0")/chromium.sh")
CHROMIUM_SHELL=$("$(dirname "$0")/chromium.sh" --shell)
export CHROMIUM CHROMIUM_SHELL
options=
while [ "${1#--}" != "$1" ]; do
	options="$options $1"
	shift
done

state=$(mktemp -d /tmp/svcpay-browser-XXXXXX)
chmod 755 "$state" # root's PostgreSQL runs as another user, who passes through
SVCPAY_CREDENTIALS=$state/credentials.json
export SVCPAY_CREDENTIALS

bin/svcpay dev $options --addr localhost:0 --shop-addr localhost:0 --state-dir "$state" \
	--credentials "$SVCPAY_CREDENTIALS" >"$state/out" 2>&1 &
server=$!
finish() {
	kill -INT "$server" 2>/dev/null || true
	wait "$server" || true
	rm -rf "$state"
}
trap finish EXIT
trap 'exit 1' INT TERM

tries=0
until [ -s "$SVCPAY_CREDENTIALS" ]; do
	tries=$((tries + 1))
	if [ "$tries" -gt 1200 ] || ! kill -0 "$server" 2>/dev/null; then
		cat "$state/out" >&2
		echo "the program did not start" >&2
		exit 1
	fi
	sleep 0.1
done
"$@"
