#!/bin/sh
# Three servers behind HAProxy, one of which is killed under load.
set -eu
export CGO_ENABLED=0
cd "$(dirname "$0")/../.."
make --silent static/dist/.built postgres
tools/scale.sh haproxy
exec go test -tags scale ./test/scale -count=1 -v -timeout 30m -run OneOfThree
