#!/bin/sh
# Makes sure that pdftotext and pdftoppm are on this machine: tests read and look at PDF documents with them.
set -eu
have() { command -v pdftotext >/dev/null && command -v pdftoppm >/dev/null; }

have && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "poppler: installing Debian's poppler-utils" >&2
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq >&2 || echo "poppler: apt-get update failed, trying with what is known" >&2
	apt-get install -y -qq --no-install-recommends poppler-utils >&2 || true
	have && exit 0
fi
echo "poppler: tests of PDF documents need poppler-utils. Run this once: sudo apt-get install poppler-utils" >&2
exit 1
