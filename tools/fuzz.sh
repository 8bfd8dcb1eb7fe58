#!/bin/sh
# Fuzzes each target that there is with some thousands of inputs, or for as long as is asked for (tools/fuzz.sh 1m),
# from its seeds on: to try again what earlier runs have kept would take all its time. On its own it counts, as a run
# that ends with a time fails now and then with nothing but "context deadline exceeded". A package is built once for all
# of its targets, and what is new is counted in that package alone: with -fuzz it would be in every library, too, and
# all would be built again for it. What fails is kept below the package's testdata, and fails from then on in every run
# of the tests.
set -eu
cd "$(dirname "$0")/.."
during=${1:-2000x}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' TERM # the shell's end by a signal is no EXIT
packages=$(git grep -l '^func Fuzz' -- '*_test.go' | xargs -n 1 dirname | sort -u)
export GOGC=400
echo "$packages" | xargs -P 2 -I {} go test -c -gcflags=-d=libfuzzer -vet=off -ldflags=-w -o "$dir/" ./{}
for package in $packages; do
	test=$dir/${package##*/}.test
	for target in $(cd "$package" && "$test" -test.list '^Fuzz'); do
		(cd "$package" && "$test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$during" \
			-test.fuzzcachedir "$dir/known") >"$dir/out" 2>&1 || {
			cat "$dir/out" >&2
			exit 1
		}
		tried=$(sed -n "s|^fuzz: elapsed: [^,]*, execs: \([0-9]*\) .*new interesting: \([0-9]*\).*|\1 inputs, \2 of them new|p" "$dir/out" | tail -n 1)
		echo "$package $target: ${tried:-no time for more than its seeds}"
	done
done
