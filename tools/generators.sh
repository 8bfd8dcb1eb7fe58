#!/bin/sh
# Generates clients of the API contract with ogen, oapi-codegen and openapi-typescript, compiles them, and runs
# test/generators with them. That takes minutes, so the sum of all that it depends on is kept in
# test/generators/checked.sum, and with that sum nothing is done. Commit the file with what changed it.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
npm=$root/api/client/typescript
checked=test/generators/checked.sum
sum=$(cat api/openapi.yaml $(LC_ALL=C ls test/generators/* | grep -v $checked) tools/generators.sh tools/go.mod \
	docs/clients.md "$npm/package-lock.json" | sha256sum | cut -d " " -f 1)
[ "$sum" != "$(cat $checked)" ] || exit 0
echo "generators of API clients"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp test/generators/* api/openapi.yaml "$work"
# the path trimmed, since otherwise each run would compile all of it for its new directory
export CGO_ENABLED=0 GOGC=400 GOFLAGS="-trimpath ${GOFLAGS-}"

# step SAYS COMMAND...: silent, unless the command fails.
step() {
	says=$1
	shift
	"$@" >"$work/said" 2>&1 || {
		grep -v '^WARN' "$work/said" >&2
		echo "$says: see docs/clients.md, Other generators" >&2
		exit 1
	}
}

grep -q "openapi-typescript@$(cd "$npm" && npm pkg get devDependencies.openapi-typescript | tr -d '"') " docs/clients.md &&
	grep -q "ogen@$(cd test/generators && go list -m -f '{{.Version}}' github.com/ogen-go/ogen) " docs/clients.md &&
	grep -q "oapi-codegen@$(go list -modfile=tools/go.mod -m -f '{{.Version}}' github.com/oapi-codegen/oapi-codegen/v2) " docs/clients.md || {
	echo "docs/clients.md names other versions of the generators than the check uses" >&2
	exit 1
}

mkdir "$work/oapi"
step "oapi-codegen does not take the contract" \
	go tool -modfile=tools/go.mod oapi-codegen -generate types,client -package oapi \
		-o "$work/oapi/oapi.gen.go" api/openapi.yaml
cd "$work"
step "ogen does not take the contract" \
	go tool ogen -config ogen.yaml -package ogenapi -target ogenapi -loglevel error openapi.yaml
step "openapi-typescript does not take the contract" "$npm/node_modules/.bin/openapi-typescript" openapi.yaml -o api.ts
step "the defaults and errors are not as the types need them" node typescript.mjs openapi.yaml "$npm/package.json" every.ts
step "openapi-typescript's types do not compile" "$npm/node_modules/.bin/tsc" --noEmit --strict --skipLibCheck false \
	--target es2022 --module esnext --moduleResolution bundler typescript.ts every.ts
step "the Go clients do not compile" go build ./ogenapi ./oapi
step "the generated clients do not understand the API" go test -vet=off -ldflags=-w ./...
echo "$sum" >"$root/$checked"
