# SPDX-License-Identifier: Apache-2.0
# `make help` lists the verbs. Flags of your own: make CC=clang CFLAGS='-Og -g' BUILD=build/clang

BUILD = build
CFLAGS = -O2 -g
MPM = event
DB = sqlite3
PORT = 8080
DATA = data
DBD = sqlite3
DBD_PARAMS =
SMTP =
INCLUDE =
DESTDIR ?=
export MPM DB PORT DATA DBD DBD_PARAMS SMTP INCLUDE DESTDIR

WARNINGS = -Wall -Wextra -Werror
LIBRARIES = jansson libargon2 libcurl libcrypt libcrypto libxxhash sqlite3

SOURCES := mod_catalog.c $(wildcard src/httpd/*.c src/api/*.c src/db/*.c src/shm/*.c src/lib/*.c)
CTL_SOURCES := $(wildcard src/ctl/*.c)
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
CTL_OBJECTS := $(CTL_SOURCES:%.c=$(BUILD)/%.o)
PLAIN := $(filter $(BUILD)/src/shm/% $(BUILD)/src/lib/%,$(OBJECTS))
UNITS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/test_*.c))
UNIT_OBJECTS := $(addsuffix .o,$(UNITS))
C_FILES = $(SOURCES) $(CTL_SOURCES) $(wildcard src/*.h src/*/*.h tests/unit/*.[ch] tests/bench/*.c)
SANITIZE = -O1 -g -U_FORTIFY_SOURCE -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all deps run install check lint unit t one browser cluster bench asan tsan format tidy clean help

all: $(BUILD)/mod_catalog.so $(BUILD)/catalogctl ## build build/mod_catalog.so and build/catalogctl

# apxs is asked for its flags only: `apxs -c` would lay objects beside the sources and compile all of them each time.
# They stand in a file because apxs may not be installed yet when make reads this.
$(BUILD)/cflags: Makefile
	@mkdir -p $(@D)
	@command -v apxs >/dev/null && command -v pkg-config >/dev/null || \
	  { echo 'make: apxs or pkg-config is missing: run `make deps`' >&2; exit 1; }
	packages=$$(pkg-config --cflags $(LIBRARIES)) && echo "$$(apxs -q CPPFLAGS) $$(apxs -q EXTRA_CPPFLAGS) $$(apxs -q CFLAGS)" \
	  "-isystem $$(apxs -q INCLUDEDIR) -isystem $$(apxs -q APR_INCLUDEDIR) -isystem $$(apxs -q APU_INCLUDEDIR) $$packages" \
	  '-std=gnu11 -fPIC $(WARNINGS) -Isrc -I$(BUILD)' >$@

# mod_catalog.c holds the module record, the one symbol that httpd looks up.
$(BUILD)/src/%.o: VISIBILITY = -fvisibility=hidden

$(BUILD)/%.o: %.c $(BUILD)/cflags
	@mkdir -p $(@D)
	$(CC) @$(BUILD)/cflags $(CFLAGS) $(VISIBILITY) -MMD -MP -c -o $@ $<

$(BUILD)/mod_catalog.so: $(OBJECTS)
	$(CC) -shared $(CFLAGS) $(LDFLAGS) -Wl,--as-needed,-z,relro,-z,now -o $@ $^ $$(pkg-config --libs $(LIBRARIES))

# An archive, so that what the command has no use for stays out of it, and with it libcurl and all that comes behind.
$(BUILD)/common.a: $(filter $(BUILD)/src/db/%,$(OBJECTS)) $(PLAIN)
	rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/catalogctl: $(CTL_OBJECTS) $(BUILD)/common.a
	$(CC) $(CFLAGS) $(LDFLAGS) -Wl,--as-needed,-z,relro,-z,now -o $@ $^ $$(pkg-config --libs $(LIBRARIES) apr-1 apr-util-1)

$(filter-out $(PLAIN),$(OBJECTS)): | $(BUILD)/schema.inc $(BUILD)/templates.inc
$(CTL_OBJECTS): | $(BUILD)/places.inc

$(BUILD)/places.inc: Makefile
	@mkdir -p $(@D)
	sbin=$$(apxs -q SBINDIR) && printf '#define PLACE_%s "%s"\n' APACHECTL "$$sbin/apachectl" HTTPD "$$sbin/$$(apxs -q PROGNAME)" >$@

# The directories are named too, so that a file taken away is noticed.
$(BUILD)/schema.inc: tools/embed $(wildcard conf/schema/* conf/schema/*/*.sql)
	@mkdir -p $(@D)
	tools/embed schema conf/schema/*/*.sql >$@

$(BUILD)/templates.inc: tools/embed conf/mail $(wildcard conf/mail/*.txt)
	@mkdir -p $(@D)
	tools/embed templates conf/mail/*.txt >$@

$(UNITS): %: %.o $(PLAIN)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $$(pkg-config --libs $(LIBRARIES) apr-1 apr-util-1 cmocka) -pthread

-include $(OBJECTS:.o=.d) $(CTL_OBJECTS:.o=.d) $(UNIT_OBJECTS:.o=.d)

deps: ## install the Debian packages of packages.txt that are missing
	@tools/deps

# A make that is killed takes the server with it.
run: ## build and serve: make run [PORT=8080] [DATA=./data] [MPM=event|worker|prefork] [DBD=mysql|pgsql DBD_PARAMS=...] [SMTP=smtp://host:port] [INCLUDE=file]
	@tools/deps build run $(filter mysql pgsql,$(DBD))
	@$(MAKE) --no-print-directory --quiet $(BUILD)/mod_catalog.so
	@setpriv --pdeathsig TERM tools/run $(BUILD)/mod_catalog.so

install: all ## install module, command, pages and configuration where apxs says, below DESTDIR if given
	@tools/install $(BUILD)

# Databases and MPMs do not depend on each other: worker, which is event without its listener, is left to one database.
DATABASES = $(if $(filter file,$(origin DB)),sqlite3 mysql pgsql,$(DB))
check: ## everything the CI runs: deps, lint, unit, t on each database under event and prefork, t under worker, and browser
	@tools/deps
	@$(MAKE) --no-print-directory lint unit
	@for db in $(DATABASES); do for mpm in event prefork; do \
	  echo "check: t DB=$$db MPM=$$mpm"; $(MAKE) --no-print-directory t DB=$$db MPM=$$mpm || exit 1; done; done
	@$(MAKE) --no-print-directory t DB=$(firstword $(DATABASES)) MPM=worker
	@$(MAKE) --no-print-directory browser
	@echo 'check: passed: lint, unit, t on $(DATABASES), browser'

lint: ## compare tables with documents and tests, layers with the design, and the C style
	@failed=0; for lint in tests/lint/*.pl; do $$lint || failed=1; done; exit $$failed
	@clang-format --dry-run -Werror $(C_FILES)

unit: $(UNITS) ## run the unit tests of src/lib and src/shm
	@test -n "$^" || { echo 'unit: there is no test' >&2; exit 1; }
	@failed=0; for test in $^; do echo "$$test"; $$test || failed=1; done; exit $$failed

# What npm brings stays in build/. The script lies beside it, because that is where a module's imports are looked for.
JOSE = build/jose/jose.js
$(JOSE): $(addprefix tests/jose/,jose.js package.json package-lock.json .npmrc)
	rm -rf $(@D) && mkdir -p $(@D) && cp $^ $(@D)
	@tools/npm $(@D)

t: all $(JOSE) ## run the suite against a real httpd: make t [MPM=event|worker|prefork] [DB=sqlite3|mysql|pgsql] [JOBS=8]
	@MODULE='$(CURDIR)/$(BUILD)/mod_catalog.so' t/TEST $(T)

one: ## run one file or folder of the suite: make one T=t/products/create.t
	@test -n '$(T)' || { echo 'make one T=t/products/create.t' >&2; exit 2; }
	@$(MAKE) --no-print-directory t

BROWSER_PACKAGES = build/browser/node_modules/.package-lock.json
$(BROWSER_PACKAGES): tests/browser/package.json tests/browser/package-lock.json
	@mkdir -p build/browser && cp $^ build/browser
	@tools/npm build/browser

browser: $(BUILD)/mod_catalog.so $(BROWSER_PACKAGES) ## drive the pages of www/ in Chromium; pictures of them are left in build/browser
	@rm -f build/browser/*.png
	@node --test-reporter=spec tests/browser/run.js $(BUILD)/mod_catalog.so

SECONDS = 120
cluster: $(BUILD)/mod_catalog.so ## lose parts of a Galera cluster with three servers, under load: make cluster [SECONDS=120] [MPM=event]
	@tests/cluster/run.pl $(BUILD)/mod_catalog.so $(SECONDS)

# What npm brings is compiled for the Node.js that is here, with the headers that came with it.
BENCH = build/bench
PEERS = $(BENCH)/peers/node_modules/.package-lock.json
$(PEERS): $(addprefix tests/bench/peers/node/,package.json package-lock.json .npmrc)
	@mkdir -p $(BENCH)/peers && cp $^ $(BENCH)/peers
	@npm_config_nodedir="$$(dirname "$$(dirname "$$(realpath "$$(command -v node)")")")" tools/npm $(BENCH)/peers

$(BENCH)/constant.so: tests/bench/constant.c $(BUILD)/cflags
	@mkdir -p $(@D)
	$(CC) -shared @$(BUILD)/cflags $(CFLAGS) -o $@ $<

$(BENCH)/tokens: tests/bench/tokens.c $(PLAIN)
	@mkdir -p $(@D)
	$(CC) @$(BUILD)/cflags $(CFLAGS) $(LDFLAGS) -o $@ $^ $$(pkg-config --libs $(LIBRARIES) apr-1 apr-util-1) -pthread

bench: ## measure beside files and other servers, see docs/benchmarks.md: make bench [QUICK=1] [PARTS="reads posts"] [BENCH=build/bench]
	@tools/deps build run test bench
	@$(MAKE) --no-print-directory --quiet all $(BENCH)/constant.so $(BENCH)/tokens $(PEERS)
	@cp tests/bench/peers/node/*.js $(BENCH)/peers
	@QUICK=$(QUICK) PARTS='$(PARTS)' tests/bench/run.pl $(BUILD) $(BENCH)

asan: ## run units and suite under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(MAKE) --no-print-directory BUILD=build/asan CFLAGS='$(SANITIZE)' unit all $(JOSE)
	@tools/asan build/asan $(T)

# What threads share without a lock, or with one that the sanitizer knows: it takes a mutex that outlives its holder for a fault, and
# knows no fences, which -Wtsan would tell; what they order here is atomic. gcc 12's needs addresses that are not random.
SHARED = batch cache fresh limit revoked tokens_seen
tsan: ## run the unit tests of what threads share under ThreadSanitizer
	@setarch -R $(MAKE) --no-print-directory BUILD=build/tsan CFLAGS='-O1 -g -fsanitize=thread -Wno-tsan' \
	  UNITS='$(SHARED:%=build/tsan/tests/unit/test_%)' unit

format: ## lay out the C files as .clang-format says
	@clang-format -i $(C_FILES)

tidy: $(BUILD)/schema.inc $(BUILD)/templates.inc $(BUILD)/places.inc $(BUILD)/cflags ## have clang-tidy look through the C files; its package is not among those of make deps
	@clang-tidy --quiet $(SOURCES) $(CTL_SOURCES) -- $$(cat $(BUILD)/cflags)

clean: ## take away what was built; data stays
	rm -rf build

help: ## list the verbs
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | sort | expand -t 10
