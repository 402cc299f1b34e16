# AirLink's front door. `make help` lists what there is.
#
# Every target brings its own packages (debian-packages.txt), and does no work twice.

SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := build
MAKEFLAGS += --no-builtin-rules

# Where `make install` puts things; DESTDIR goes before all of them, for packagers.
PREFIX ?= /usr/local
bindir ?= $(PREFIX)/bin
datadir ?= $(PREFIX)/share
mandir ?= $(datadir)/man
docdir ?= $(datadir)/doc/airlink
bashdir ?= $(datadir)/bash-completion/completions
zshdir ?= $(datadir)/zsh/site-functions
fishdir ?= $(datadir)/fish/vendor_completions.d
# Packagers name Wireshark's own plugin directory here; elsewhere airlink-packetdump(1) says how.
wiresharkdir ?= $(datadir)/airlink/wireshark

# Undeclared imports between our modules are errors, in every build.
# No colours: SwiftPM passes them to the compiler, and a build for a terminal would not serve a pipe.
SWIFT_BUILD := swift build --no-color-diagnostics --explicit-target-dependency-import-check error
# The Swift runtime goes into the programs, so that they run where no toolchain is; and the compiler
# looks across modules, which saves a node a few hundredths of what a text costs.
RELEASE := -c release --static-swift-stdlib --scratch-path .build-release \
  -Xswiftc -cross-module-optimization

PROGRAMS := $(filter-out airlink-bench airlink-fuzz airlink-meshsim,$(notdir $(wildcard Executables/airlink-*)))
BUILT := .build-release/release
DOCS := README.md CHANGELOG.md LICENSE ARCHITECTURE.md SECURITY.md docs/PROTOCOL.md docs/CALLS.md docs/ECHO.md docs/MESH.md

# What is installed as it stands: mode:source:target.
INSTALLED = \
  $(foreach p,$(PROGRAMS),755:$(BUILT)/$p:$(bindir)/$p) \
  $(foreach m,$(wildcard Executables/*/*.1),644:$m:$(mandir)/man1/$(notdir $m)) \
  644:Executables/airlink-packetdump/airlink.lua:$(wiresharkdir)/airlink.lua \
  $(foreach d,$(DOCS),644:$d:$(docdir)/$(notdir $d))
# What the programs write themselves, from the declarations their --help comes from:
# program:shell:target.
COMPLETIONS = $(foreach p,$(PROGRAMS),\
  $p:bash:$(bashdir)/$p $p:zsh:$(zshdir)/_$p $p:fish:$(fishdir)/$p.fish)

.PHONY: help build release test test-bluetooth demo bench soak lint install uninstall clean setup-build setup-run setup-test

help: ## Lists the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

build: setup-build ## Builds everything for development.
	@$(SWIFT_BUILD)

release: setup-build ## Builds the programs as they are installed.
	@$(SWIFT_BUILD) $(RELEASE)

test: setup-test ## Builds and runs every test: units, then real nodes on real networks.
	@.ci/test

test-bluetooth: setup-build ## Runs nodes on real Bluetooth daemons, in a virtual machine where there is one.
	@$(SWIFT_BUILD) --product airlink-node
	@Tests/Bluetooth/run $(if $(AIRLINK_TALLY),--tally $(AIRLINK_TALLY))

demo: setup-build setup-run ## Two nodes find each other and talk; then it is your turn.
	@echo 'building what ships (the first time takes a minute or two) ...'
	@$(SWIFT_BUILD) $(RELEASE) --product airlink-node
	@AIRLINK_PROGRAMS=$(BUILT) Executables/demo/run

bench: release ## Measures the programs that ship; prints the README's table.
	@$(BUILT)/airlink-bench

# How long `make soak` goes on, in seconds.
SOAK ?= 600

soak: release ## Simulates meshes from new seeds until one breaks a rule (SOAK=600).
	@$(BUILT)/airlink-meshsim soak --seconds $(SOAK) $(filter-out %/day.json,$(wildcard Fixtures/Scenarios/*.json))

lint: setup-test ## Checks format, manual pages and scripts.
	@.ci/lint

# Root may have no toolchain in its PATH, so what is built is taken as it is.
install: ## Installs programs, manual pages, completions and documents (PREFIX, DESTDIR).
	@for program in $(PROGRAMS); do \
	  [ -x $(BUILT)/$$program ] || { $(MAKE) --no-print-directory release; break; }; done
	@for item in $(INSTALLED); do IFS=: read -r mode source target <<<"$$item"; \
	  install -D -m $$mode "$$source" '$(DESTDIR)'"$$target" || exit 1; done
	@for item in $(COMPLETIONS); do IFS=: read -r program shell target <<<"$$item"; \
	  install -D -m 644 /dev/null '$(DESTDIR)'"$$target" && \
	  $(BUILT)/$$program --completions $$shell >'$(DESTDIR)'"$$target" || exit 1; done
	@echo 'installed below $(DESTDIR)$(PREFIX): $(PROGRAMS)'

uninstall: ## Removes what install put there (same PREFIX and DESTDIR).
	@for item in $(INSTALLED) $(COMPLETIONS); do rm -f '$(DESTDIR)'"$${item##*:}"; done
	@rmdir '$(DESTDIR)$(docdir)' 2>/dev/null || :

clean: ## Removes everything that was built.
	@rm -rf .build .build-release .build-asan .build-tsan .build-fuzz

setup-build:
	@.ci/setup build

setup-run:
	@.ci/setup run

setup-test:
	@.ci/setup build run test
