#!/bin/sh
# Measures the service: tools/bench.sh bench | bench-quick | bench-scale | bench-written | bench-peers, and more options
# of test/bench. bench-written compares with the program of the commit FORMER, whose front end is this tree's: a program
# embeds one, and charges do not use it. bench-peers builds stripe-mock.
set -eu
case $1 in
bench-quick) options=-quick ;;
bench-scale) options=-scale ;;
bench-peers)
	options="-peer bin/stripe-mock"
	GOBIN=$PWD/bin go install github.com/stripe/stripe-mock@v0.203.0
	;;
bench-written) options="-written -former bin/svcpay-former -rounds 3" ;;
*) options= ;;
esac
if [ "$1" = bench-written ]; then
	file=$PWD/bin/svcpay-former tree=$(mktemp -d)
	trap 'git worktree remove --force "$tree"' EXIT
	git worktree add --quiet --detach --force "$tree" "${FORMER:-364c518}"
	mkdir -p "$tree/static/dist" && cp -R static/dist/. "$tree/static/dist"
	(cd "$tree" && go build -tags bench -o "$file" ./cmd/svcpay)
fi
shift
go build -tags bench -o bin/svcpay-bench ./cmd/svcpay
go run ./test/bench $options "$@"
