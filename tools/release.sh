#!/bin/sh
# Builds a release into bin/release: an archive for each platform with the program, its licenses, the changelog and
# systemd's units; a bill of materials (CycloneDX); and their SHA-256 sums. The same commit gives the same files.
# VERSION is the newest version of CHANGELOG.md unless given.
set -eu
cd "$(dirname "$0")/.."
VERSION=${VERSION:-$(sed -n 's/^## \[\{0,1\}\([0-9][0-9.]*\).*/\1/p' CHANGELOG.md | head -1)}
[ -n "$VERSION" ] || { echo "CHANGELOG.md has no version, and VERSION is not set" >&2; exit 1; }
[ -z "$(git status --porcelain)" ] || { echo "commit all changes first: a release is built from a commit" >&2; exit 1; }
date=$(git log -1 --format=%ct)
rm -rf bin/release
mkdir -p bin/release
for arch in amd64 arm64; do
	name=svcpay-$VERSION-linux-$arch
	mkdir "bin/release/$name"
	GOOS=linux GOARCH=$arch go build -trimpath -buildvcs=true -ldflags "-s -w -X main.version=$VERSION" \
		-o "bin/release/$name/svcpay" ./cmd/svcpay
	cp -R LICENSE NOTICE CHANGELOG.md docs/systemd "bin/release/$name"
	tar -C bin/release --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner -cf - "$name" |
		gzip -9n >"bin/release/$name.tar.gz"
	rm -r "bin/release/$name"
done
cp static/dist/components.json "bin/release/svcpay-$VERSION.cdx.json"
cd bin/release
sha256sum ./*.tar.gz ./*.cdx.json | sed 's| \./| |' >SHA256SUMS
ls -l ./*.tar.gz | awk '{printf "%s %.1f MB\n", $NF, $5 / 1e6}' | sed 's|^\./||'
