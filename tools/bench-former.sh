#!/bin/sh
# Builds the program of a former commit, with its processor in memory, for make bench-written to compare with: tools/bench-former.sh COMMIT FILE.
# The front end is this tree's: a program embeds one, and charges do not use it.
set -eu
commit=$1 file=$PWD/$2 tree=$(mktemp -d)
trap 'git worktree remove --force "$tree"' EXIT
git worktree add --quiet --detach --force "$tree" "$commit"
mkdir -p "$tree/static/dist" && cp -R static/dist/. "$tree/static/dist"
cd "$tree" && go build -trimpath -tags bench -o "$file" ./cmd/svcpay
