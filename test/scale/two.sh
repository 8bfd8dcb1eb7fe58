#!/bin/sh
# Charges a second of two servers next to those of one, on one database and one machine.
set -eu
export CGO_ENABLED=0
cd "$(dirname "$0")/../.."
tools/postgres.sh
go build -tags bench -o bin/svcpay-bench ./cmd/svcpay
exec go run ./test/bench -two "$@"
