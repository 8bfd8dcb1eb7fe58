# SvcPay. `make` alone lists the targets.
.DEFAULT_GOAL := help
export CGO_ENABLED := 0
export GOFLAGS := -trimpath $(GOFLAGS) # as everything is built, or the release and the clients would compile all packages again
GO := GOGC=400 go # a fifth of a compiler's time, and of many a test's, is to collect what is over soon anyway
TOOL := $(GO) tool -modfile=tools/go.mod
CLIENT := api/client/typescript
GO_TEST := $(GO) test -vet=off -ldflags=-w # check has vetted, and nobody debugs these
FRONT := $(shell find static -name node_modules -prune -o -name dist -prune -o -type f -print) $(wildcard views/*.templ views/*/*.templ) go.mod

.PHONY: help run build generate test test-go test-front test-browser test-long chaos bench bench-quick bench-scale bench-written bench-peers screenshots release release-library check lint fmt postgres tools clean

help: ## list the targets
	@grep -E '^[a-z -]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

run: build postgres ## build, then run everything on this machine (Ctrl-C stops it)
	@exec bin/svcpay dev --history

build: tools static/dist/.built $(CLIENT)/dist/index.js ## build the front end, the TypeScript client and bin/svcpay
	@echo "building bin/svcpay" && $(GO) build -o bin/svcpay ./cmd/svcpay

tools: ; @tools/go-node-check.sh

static/node_modules/.package-lock.json: static/package-lock.json
	@echo "installing front-end packages" && cd static && npm ci --no-progress --loglevel=error

static/dist/.built: static/node_modules/.package-lock.json $(FRONT)
	@cd static && npm run --silent build && $(GO) run -C ../tools ./components .. >dist/components.json && touch dist/.built

$(CLIENT)/node_modules/.package-lock.json: $(CLIENT)/package-lock.json
	@cd $(CLIENT) && npm ci --silent

$(CLIENT)/dist/index.js: $(CLIENT)/node_modules/.package-lock.json $(wildcard $(CLIENT)/src/*.ts api/client/generate/*.mjs) api/openapi.yaml
	@cd $(CLIENT) && npm run --silent build

generate: $(CLIENT)/node_modules/.package-lock.json ## write the Go code of the templates and of the API's client
	@$(TOOL) templ generate -lazy -log-level error
	@tools/client.sh

postgres: ## make sure that PostgreSQL's programs are here
	@tools/postgres.sh

test: build postgres check lint test-go test-front test-browser bench-quick ## run every test but for what takes long

test-go: build postgres
	@tools/poppler.sh && echo "Go tests" && $(GO_TEST) -parallel $$((2 * $$(nproc))) $$(go list ./... | grep -v /test/) # which wait for PostgreSQL
	@nice -n 19 tools/fuzz.sh >/dev/null & $(GO_TEST) -p 1 -timeout 20m ./test/... || { kill $$!; exit 1; }; wait $$! && tools/await-test-server.sh # what these leave of the machine, the fuzz targets have

test-front: static/dist/.built $(CLIENT)/dist/index.js
	@echo "front-end tests"; cd static && npm run --silent check && npm run --silent test && cd ../$(CLIENT) && npm run --silent check && npm run --silent test

test-browser: build postgres
	@echo "browser tests" && tools/browser-tests.sh

test-long: build postgres ## what takes long: a backup that is restored, an upgrade from an earlier version, the bounds of the systemd unit, 15 restarts under load, and the browser tests that make test leaves out: each page in both themes at both widths, each flow as every role, Firefox and WebKit
	@tools/systemd-analyze.sh && go test -tags long ./test/e2e -run 'BackupIsRestored|FormerSchema|BoundsOfTheUnit|RollingRestarts' && tools/browser-tests.sh --long

chaos: static/dist/.built postgres ## the real program while everything fails, for 200 s; SEED=n chooses how, PLANTED=all has bugs to find
	@go test ./test/chaos -run '^TestChaos$$' -count=1 -v -timeout 60m $(if $(PLANTED),-planted=$(PLANTED),-for=200s) $(if $(SEED),-seed=$(SEED))

bench bench-quick bench-scale bench-written bench-peers: build postgres ## measure the service beside PostgreSQL alone: all that it does, a minute's worth, with 10 million charges, what a charge writes, or other servers; BENCH='--only …'
	@tools/bench.sh $@ $(BENCH)

screenshots: build postgres ## a picture of every page of the portal, in .screenshots
	@tools/with-demo.sh --history node test/browser/support/screenshots.mjs .screenshots
release: build ; @tools/release.sh ## build the archives of a release for Linux (amd64, arm64) into bin/release
release-library: static/node_modules/.package-lock.json ; @node static/svcpay/release.mjs ## publish the next patch of svcpay.js in static/svcpay/released
check: static/dist/.built ## formatting, generated code, vet, plain English: quick and silent when all is well
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo "run make fmt"; exit 1; }
	@$(GO) vet ./... && $(GO) vet -tags chaos ./internal/testing/crash && $(GO) vet -tags long,scale,live ./test/e2e ./test/scale ./internal/processor/stripe
	@tools/generated-check.sh && $(GO) build -C tools -o ../bin/prose-check ./prose-check && bin/prose-check
lint: build ## staticcheck, the lint of the API's contract, and clients of it by three other generators
	@$(TOOL) staticcheck ./... && tools/generators.sh && cd api && ../static/node_modules/.bin/redocly lint openapi.yaml

fmt: generate ## format all Go code, after the templates' is written
	@gofmt -w $$(git ls-files '*.go')
clean: ## remove what was built
	@rm -rf bin static/node_modules $(CLIENT)/node_modules $(CLIENT)/dist && find static/dist -mindepth 1 ! -name .keep -delete
