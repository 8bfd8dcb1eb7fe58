#!/bin/sh
# Writes the fonts of PDF documents, internal/platform/typeset/font, from the Noto Sans of an npm package. They are
# committed:
# run this to move to another version or to keep other letters. It needs Python's fonttools.
set -eu
version=0.4.2
target=$(cd "$(dirname "$0")/../internal/typeset/font" && pwd)
cutter=$(cd "$(dirname "$0")" && pwd)/pdf-fonts.py
python=${PYTHON:-/usr/bin/python3}

"$python" -c 'import fontTools' 2>/dev/null || {
	echo "pdf-fonts: install fonttools first, as root: apt-get install python3-fonttools" >&2
	exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
tar xzf "$(npm pack --silent @expo-google-fonts/noto-sans@$version)"
"$python" "$cutter" package/400Regular/NotoSans_400Regular.ttf "$target/NotoSans-Regular.ttf"
"$python" "$cutter" package/700Bold/NotoSans_700Bold.ttf "$target/NotoSans-Bold.ttf"
cp package/LICENSE_FONT "$target/OFL.txt"
