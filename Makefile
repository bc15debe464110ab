# `make` alone lists the targets. Every target installs what it needs (see tools/install-deps).

SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help demo test quick clients browser-test bench bench-counts chaos build install uninstall deb release image docs reference check-docs install-deps \
	check-swift format lint clean

BIN := .build/release/combo-consumer
# A target may import only its dependencies in Package.swift.
SWIFT_BUILD := swift build --explicit-target-dependency-import-check error
# The command of all release builds: another flag would rebuild everything.
SWIFT_RELEASE := $(SWIFT_BUILD) $(shell tools/release-flags)
# The program that builds images.
ENGINE ?= $(if $(shell command -v docker),docker,podman)
export PREFIX DESTDIR

help: ## shows this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## the whole service in one process, with made-up gifts, drawn in this terminal
	@$(BIN) demo $(ARGS)

test: install-deps check-swift ## all tests, or those of ARGS="--filter NAME"; on a real Kafka too if COMBO_TEST_KAFKA or COMBO_TEST_BROKERS is set
	$(SWIFT_BUILD) --build-tests
	@tools/run-tests $(ARGS)

quick: install-deps check-swift ## the tests that need neither broker nor simulation, in less than a minute
	$(SWIFT_BUILD) --build-tests
	@tools/run-tests --quick $(ARGS)

build: install-deps check-swift ## the program: .build/release/combo-consumer
	$(SWIFT_RELEASE) --product combo-consumer

install: build ## the program, manual page, completions and unit below PREFIX (/usr/local); DESTDIR=… for packages
	@tools/install-program

uninstall: ## removes the files of make install
	@tools/install-program --remove

deb: build ## a Debian package in .build/dist
	@tools/make-deb

release: build ## all files of a release with their checksums in .build/dist/VERSION; ARGS=--strict to leave nothing out
	@tools/make-release $(ARGS)

image: ## a container image (docker or podman); BUILD_IMAGE=… and BASE_IMAGE=… name the base images
	$(ENGINE) build -f deploy/Dockerfile --build-arg VERSION=$$(tools/version) \
	  $(if $(BUILD_IMAGE),--build-arg BUILD_IMAGE=$(BUILD_IMAGE)) $(if $(BASE_IMAGE),--build-arg BASE_IMAGE=$(BASE_IMAGE)) -t combo-consumer:$$(tools/version) .

docs: install-deps check-swift ## the libraries' pages, by DocC, in .build/docs
	@tools/make-docs

reference: install-deps check-swift ## writes the parts of the docs made from tables of the sources, and the snapshots of texts in Tests/Snapshots
	$(SWIFT_BUILD) --build-tests
	@COMBO_REFERENCE=write tools/run-tests --filter '(ReferenceTests|SettingsSchemaTests|InferenceShareTests|/reference)'

check-docs: build ## runs the commands of the docs, and checks their links
	@tools/check-docs

browser-test: ## the pages in a real browser (Debian: apt-get install chromium); ARGS="keyboard" for some of them
	@Tests/browser/run.py $(ARGS)

clients: ## every client against Tests/Clients; ARGS="npm" for some of them
	@Tests/Clients/all $(ARGS)

bench: install-deps check-swift ## benchmarks, in ten minutes; ARGS="engine wide" runs some of them, ARGS="--help" lists all
	$(SWIFT_RELEASE)
	@bench/run $(ARGS)

bench-counts: install-deps check-swift ## instructions and allocations per gift, compared with bench/budget.txt (needs valgrind)
	$(SWIFT_RELEASE)
	@bench/counts $(ARGS)

chaos: build ## faults drawn from a seed, on three brokers of COMBO_TEST_KAFKA; ARGS="--short" takes less than five minutes
	@Tests/chaos/chaos.py $(ARGS)

install-deps: ## installs missing packages by apt-get; on other systems lists them
	@tools/install-deps

# install-deps installs what a toolchain needs to run.
check-swift: install-deps
	@tools/check-swift

format: check-swift ## formats the sources
	swift format --in-place --parallel --recursive Package.swift Sources Tests bench Examples

lint: check-swift ## checks the format of the sources
	swift format lint --strict --parallel --recursive Package.swift Sources Tests bench Examples

clean: ## removes build results
	rm -rf .build
