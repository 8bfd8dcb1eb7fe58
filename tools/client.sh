#!/bin/sh
# Writes the Go client's types and methods from the contract.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
node api/client/generate/go.mjs "$work/view.json"
go tool -modfile=tools/go.mod oapi-codegen -config api/client/generate/oapi-codegen.yaml \
	-o "$work/client.go" "$work/view.json"
go tool -modfile=tools/go.mod gofumpt "$work/client.go" >"$work/formatted"
cmp -s "$work/formatted" api/client/client.gen.go || cp "$work/formatted" api/client/client.gen.go
