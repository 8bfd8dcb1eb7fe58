#!/bin/sh
# Waits until the database server that the tests shared has stopped, which it
# does on its own when the last test process has ended.
set -eu

for dir in /dev/shm "${TMPDIR:-/tmp}"; do
	lock=$dir/svcpay-test-$(id -u)/supervisor.lock
	[ ! -e "$lock" ] || flock -w 60 "$lock" true || {
		echo "the test database server in ${lock%/*} does not stop" >&2
		exit 1
	}
done
