#!/bin/sh
# The real program through PgBouncer in transaction mode: whole flows, jobs, webhooks, restarts, many callers at once.
set -eu
export CGO_ENABLED=0
cd "$(dirname "$0")/../.."
make --silent static/dist/.built postgres
tools/scale.sh pgbouncer
exec go test -tags scale ./test/e2e -count=1 -v -timeout 30m -parallel 6 \
	-run '^(TestFourServersShareAPooler|TestFlow|TestLedgerAfterMixedRun|TestParallelRequests|TestNoEventIsLost|TestStopDuringCharge|TestNewerSchema|TestTwoServersAndTwentyKills|TestKillAtEveryPoint.*)$'
