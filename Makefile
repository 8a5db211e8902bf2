# make run and make test do everything on a fresh Debian with Go and gcc: system packages, a thread-safe PHP, the binary.
SHELL := /bin/bash
env := scripts/env.sh
frankenphp := $(CURDIR)/bin/frankenphp

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run build test test-unit test-proofs test-race test-codec test-fuzz test-e2e test-redis test-clients test-demo sanitize bench soak stubs lint clean

help: ## This list.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

run: build ## Builds if needed and serves the demo on http://localhost:8080.
	$(frankenphp) run --config Caddyfile.example

build: ## bin/frankenphp: Caddy, FrankenPHP and this module.
	@scripts/frankenphp.sh

test: lint test-unit test-proofs test-codec test-fuzz test-race sanitize test-e2e test-redis test-clients test-demo ## Lint and every test but the long ones of soak.

test-unit: ## The store, the bridge, the configuration, the C reader.
	@scripts/debian.sh build redis
	$(env) go test ./sharedstate/... ./resp ./phpbridge/... ./ext/... ./tests/creader/... ./tests/churn ./tests/demo/pusher .

test-proofs: ## Linearizability, faults under locks, and the broken protocols that must be found.
	@scripts/debian.sh build
	$(env) scripts/proofs.sh

test-race: ## The store and its C reader under Go's race detector.
	@scripts/debian.sh build
	$(env) go test -race -timeout 30m -tags faults ./sharedstate/... ./resp ./tests/creader/...

test-codec: ## The value format in C, on the vectors that it shares with Go.
	@scripts/debian.sh build
	tests/codec/run.sh

test-fuzz: ## The Caddyfile block, the Redis protocol and the codec in Go and C, fuzzed for 20 s each.
	@scripts/debian.sh build fuzz
	scripts/fuzz.sh

test-e2e: build ## The real binary, real HTTP, real PHP.
	@scripts/debian.sh redis
	FRANKENPHP=$(frankenphp) $(env) go test -count=1 ./tests

test-redis: ## Redis' own test suite against the Redis protocol.
	@scripts/debian.sh build redis
	$(env) go test -count=1 ./tests/redis-suite

test-clients: build ## phpredis, go-redis and rueidis against the real binary.
	@scripts/debian.sh bench
	cd tests/clients && go vet . && FRANKENPHP=$(frankenphp) go test -count=1 .

test-demo: build ## The demo's pages in headless Chromium, on a phone and on a desk, light and dark.
	@scripts/debian.sh demo
	FRANKENPHP=$(frankenphp) $(env) go test -count=1 ./tests/demo

sanitize: ## The C code under the address, undefined behaviour and thread sanitizers.
	@scripts/debian.sh build
	scripts/sanitize.sh

bench: build ## Ratios against PHP's own arrays and APCu.
	@scripts/debian.sh bench redis
	bench/run.sh

soak: build ## The long proofs: models, stress, load for hours.
	@scripts/debian.sh build fuzz soak
	scripts/soak.sh

stubs: ## Regenerates the C argument tables and the Composer package's stubs from the PHP stub.
	scripts/stubs.sh

lint: ## Formatting, vet, staticcheck, generated files.
	@scripts/lint.sh

clean: ## Removes what was built here. PHP and the tools stay in the cache.
	rm -rf bin
