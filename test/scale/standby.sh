#!/bin/sh
# A primary with a synchronous standby; the primary is killed under load, and the standby promoted.
set -eu
export CGO_ENABLED=0
cd "$(dirname "$0")/../.."
make --silent static/dist/.built postgres
exec go test -tags scale ./test/scale -count=1 -v -timeout 30m -run FailoverToTheStandby
