# `make` alone shows what there is. Every target installs what it needs by itself (see tools/install-deps).

SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help demo test browser-test bench bench-counts chaos build install-deps check-swift format lint clean
BIN := .build/release/combo-consumer

help: ## shows this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## the whole service in one process, with made-up gifts, drawn in this terminal
	@$(BIN) demo $(ARGS)

test: install-deps check-swift ## all tests; on a real Kafka too if COMBO_TEST_KAFKA or COMBO_TEST_BROKERS is set
	swift build --build-tests
	swift test --skip-build --disable-xctest $(ARGS)

build: install-deps check-swift ## the program, for use: .build/release/combo-consumer
	swift build -c release --product combo-consumer

browser-test: ## the pages in a real browser (Debian: apt-get install chromium); ARGS="keyboard" for some of them
	@Tests/browser/run.py $(ARGS)

bench: install-deps check-swift ## this machine's figures, in ten minutes; ARGS="engine wide" for some of them, ARGS="--help" for all there is
	swift build -c release
	@bench/run $(ARGS)

bench-counts: install-deps check-swift ## instructions and allocations per gift, held against bench/budget.txt (needs valgrind)
	swift build -c release
	@bench/counts $(ARGS)

chaos: build ## faults drawn from a seed, on three brokers of COMBO_TEST_KAFKA; ARGS="--short" for less than five minutes
	@tests/chaos/chaos.py $(ARGS)

install-deps: ## installs what is missing by apt-get; elsewhere names it
	@tools/install-deps

# What a toolchain needs to run comes with install-deps.
check-swift: install-deps
	@tools/check-swift

format: check-swift ## formats the sources
	swift format --in-place --parallel --recursive Package.swift Sources Tests bench

lint: check-swift ## says where sources are not formatted
	swift format lint --strict --parallel --recursive Package.swift Sources Tests bench

clean: ## removes what was built
	rm -rf .build
