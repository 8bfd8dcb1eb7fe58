#!/bin/sh
# Fuzzes each target that there is for two seconds, or so many of them as are asked for, others every day.
# What fails is kept below the package's testdata, and fails from then on in every run of the tests.
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp)
trap 'rm -f "$out"' EXIT
targets=$(git grep -o '^func Fuzz[A-Za-z0-9]*' -- '*_test.go' | sed 's|/[^/]*:func | |' | sort)
all=$(printf '%s\n' "$targets" | wc -l)
most=${1:-$all}
first=$(($(date +%s) / 86400 * most % all + 1))
printf '%s\n%s\n' "$targets" "$targets" | tail -n "+$first" | head -n "$most" | while read -r package target; do
	go test "./$package" -run '^$' -fuzz "^$target\$" -fuzztime 2s >"$out" 2>&1 || {
		cat "$out"
		exit 1
	}
	sed -n "s|^fuzz: elapsed: [^,]*, execs: \([0-9]*\) .*new interesting: \([0-9]*\).*|$package $target: \1 inputs, \2 of them new|p" "$out" | tail -n 1
done
