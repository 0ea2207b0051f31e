# SPDX-License-Identifier: Apache-2.0
# `make help` lists the verbs. Flags of your own: make CC=clang CFLAGS='-Og -g' BUILD=build/clang

BUILD = build
CFLAGS = -O2 -g
MPM = event
PORT = 8080
DATA = data
SMTP =
INCLUDE =
DESTDIR ?=
export MPM PORT DATA SMTP INCLUDE DESTDIR

WARNINGS = -Wall -Wextra -Werror
LIBRARIES = jansson libargon2 libcurl libcrypt libcrypto

SOURCES := mod_catalog.c $(wildcard src/httpd/*.c src/api/*.c src/db/*.c src/lib/*.c)
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
UNITS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/test_*.c))
UNIT_OBJECTS := $(addsuffix .o,$(UNITS))
C_FILES = $(SOURCES) $(wildcard src/*.h src/*/*.h tests/unit/*.[ch])
SANITIZE = -O1 -g -U_FORTIFY_SOURCE -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all deps run install check lint unit t one asan format tidy clean help

all: $(BUILD)/mod_catalog.so ## build build/mod_catalog.so

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

$(filter-out $(BUILD)/src/lib/%,$(OBJECTS)): | $(BUILD)/schema.inc $(BUILD)/templates.inc

# The directories are named too, so that a file taken away is noticed.
$(BUILD)/schema.inc: tools/embed $(wildcard conf/schema/* conf/schema/*/*.sql)
	@mkdir -p $(@D)
	tools/embed schema conf/schema/*/*.sql >$@

$(BUILD)/templates.inc: tools/embed conf/mail $(wildcard conf/mail/*.txt)
	@mkdir -p $(@D)
	tools/embed templates conf/mail/*.txt >$@

$(UNITS): %: %.o $(filter $(BUILD)/src/lib/%,$(OBJECTS))
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $$(pkg-config --libs $(LIBRARIES) apr-1 apr-util-1 cmocka) -pthread

-include $(OBJECTS:.o=.d) $(UNIT_OBJECTS:.o=.d)

deps: ## install the Debian packages of packages.txt that are missing
	@tools/deps

# A make that is killed takes the server with it.
run: ## build and serve: make run [PORT=8080] [DATA=./data] [MPM=event|worker|prefork] [SMTP=smtp://host:port] [INCLUDE=file]
	@tools/deps build run
	@$(MAKE) --no-print-directory --quiet $(BUILD)/mod_catalog.so
	@setpriv --pdeathsig TERM tools/run $(BUILD)/mod_catalog.so

install: $(BUILD)/mod_catalog.so ## install module and configuration where apxs says, below DESTDIR if given
	@tools/install $(BUILD)/mod_catalog.so

# The load tests take as long as all others together, so they run under one MPM only.
check: ## everything the CI runs: deps, lint, unit, and t under each MPM
	@tools/deps
	@$(MAKE) --no-print-directory lint unit t MPM=event
	@for mpm in worker prefork; do \
	  $(MAKE) --no-print-directory t MPM=$$mpm T='$(filter-out t/load/%,$(wildcard t/*/*.t))' || exit 1; done
	@echo 'check: passed: lint, unit, t under event, worker and prefork'

lint: ## compare tables with documents and tests, layers with the design, and the C style
	@failed=0; for lint in tests/lint/*.pl; do $$lint || failed=1; done; exit $$failed
	@clang-format --dry-run -Werror $(C_FILES)

unit: $(UNITS) ## run the unit tests of src/lib
	@test -n "$^" || { echo 'unit: there is no test' >&2; exit 1; }
	@failed=0; for test in $^; do echo "$$test"; $$test || failed=1; done; exit $$failed

t: $(BUILD)/mod_catalog.so ## run the suite against a real httpd: make t [MPM=event|worker|prefork]
	@MODULE='$(CURDIR)/$(BUILD)/mod_catalog.so' t/TEST $(T)

one: ## run one file or folder of the suite: make one T=t/products/create.t
	@test -n '$(T)' || { echo 'make one T=t/products/create.t' >&2; exit 2; }
	@$(MAKE) --no-print-directory t

asan: ## run units and suite under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(MAKE) --no-print-directory BUILD=build/asan CFLAGS='$(SANITIZE)' unit build/asan/mod_catalog.so
	@tools/asan build/asan $(T)

format: ## lay out the C files as .clang-format says
	@clang-format -i $(C_FILES)

tidy: $(BUILD)/schema.inc $(BUILD)/templates.inc $(BUILD)/cflags ## have clang-tidy look through the C files; its package is not among those of make deps
	@clang-tidy --quiet $(SOURCES) -- $$(cat $(BUILD)/cflags)

clean: ## take away what was built; data stays
	rm -rf build

help: ## list the verbs
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | sort | expand -t 10
