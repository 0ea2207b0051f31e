# SPDX-License-Identifier: Apache-2.0
# `make help` lists the verbs. Flags of your own: make CC=clang CFLAGS='-Og -g' BUILD=build/clang; a packager's: make WERROR=

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

# All tools of clang have the same version, which Debian 12 and 13 both have: other versions format and warn
# differently.
LLVM = 19
WERROR = -Werror
WARNINGS = -Wall -Wextra $(WERROR)
LIBRARIES = jansson libargon2 libcurl libcrypt libcrypto libjwt libpcre2-8 libpq libutf8proc libxxhash sqlite3

SOURCES := mod_catalog.c $(wildcard $(foreach room,httpd api accounts catalogue db shm http jose mail lib,src/$(room)/*.c src/$(room)/*/*.c))
CTL_SOURCES := $(wildcard src/ctl/*.c)
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
CTL_OBJECTS := $(CTL_SOURCES:%.c=$(BUILD)/%.o)
PLAIN := $(filter-out $(BUILD)/mod_catalog.o $(BUILD)/src/httpd/%,$(OBJECTS))
UNITS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/test_*.c))
UNIT_OBJECTS := $(addsuffix .o,$(UNITS)) $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/fuzz/*.c))
FUZZ := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
REPLAYS := $(FUZZ:%=$(BUILD)/tests/fuzz/replay_%)
C_FILES = $(SOURCES) $(CTL_SOURCES) $(wildcard src/*.h src/*/*.h src/*/*/*.h tests/unit/*.[ch] tests/bench/*.c tests/fuzz/*.[ch] tests/preload/*.c tests/tsan/*.c)
SANITIZE = -O1 -g -U_FORTIFY_SOURCE -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all deps deps-dev run demo install uninstall deb check nightly check-package check-apparmor exchanges lint unit t one openapi browser lighthouse cluster httpd-tests bench asan coverage covered tsan fuzz fuzzers format tidy clean help

all: $(BUILD)/mod_catalog.so $(BUILD)/catalogctl ## build build/mod_catalog.so and build/catalogctl

# Asks apxs for flags only: `apxs -c` would put objects next to the sources and compile all of them each time. The flags
# are in a file because apxs may not be installed yet when make reads this.
$(BUILD)/cflags: Makefile
	@mkdir -p $(@D)
	@command -v apxs >/dev/null && command -v pkg-config >/dev/null || \
	  { echo 'make: apxs or pkg-config is missing: run `make deps`' >&2; exit 1; }
	packages=$$(pkg-config --cflags $(LIBRARIES) | sed "s,-I,-isystem ,g") && echo "$$(apxs -q CPPFLAGS) $$(apxs -q EXTRA_CPPFLAGS) $$(apxs -q CFLAGS)" \
	  "-isystem $$(apxs -q INCLUDEDIR) -isystem $$(apxs -q APR_INCLUDEDIR) -isystem $$(apxs -q APU_INCLUDEDIR) $$packages" \
	  '-std=gnu2x -fPIC $(WARNINGS) -Isrc -I$(BUILD)' >$@

# Only the module record in mod_catalog.c is visible, because httpd looks up nothing else. Tests run once and compile in
# half the time without optimization.
$(BUILD)/src/%.o: OF_FOLDER = -fvisibility=hidden
$(BUILD)/tests/unit/%.o $(BUILD)/tests/fuzz/%.o: OF_FOLDER = -O0 -U_FORTIFY_SOURCE

$(BUILD)/%.o: %.c $(BUILD)/cflags
	@mkdir -p $(@D)
	$(CC) @$(BUILD)/cflags $(CFLAGS) $(OF_FOLDER) -MMD -MP -c -o $@ $<

$(BUILD)/mod_catalog.so: $(OBJECTS)
	$(CC) -shared $(CFLAGS) $(LDFLAGS) -Wl,--as-needed,-z,relro,-z,now -o $@ $^ $$(pkg-config --libs $(LIBRARIES)) -lcsv -lm

# The command is linked with an archive, so that the linker omits unused code.
$(BUILD)/common.a: $(PLAIN)
	rm -f $@ && $(AR) qcs $@ $^

$(BUILD)/catalogctl: $(CTL_OBJECTS) $(BUILD)/common.a
	$(CC) $(CFLAGS) $(LDFLAGS) -Wl,--as-needed,-z,relro,-z,now -o $@ $^ $$(pkg-config --libs $(LIBRARIES) apr-1 apr-util-1) -lcsv -lm

$(OBJECTS): | $(BUILD)/schema.inc $(BUILD)/templates.inc
$(CTL_OBJECTS): | $(BUILD)/places.inc

$(BUILD)/places.inc: Makefile
	@mkdir -p $(@D)
	sbin=$$(apxs -q SBINDIR) && printf '#define PLACE_%s "%s"\n' APACHECTL "$$sbin/apachectl" HTTPD "$$sbin/$$(apxs -q PROGNAME)" >$@

# The directories are prerequisites as well, so that make notices a removed file.
$(BUILD)/schema.inc: tools/embed $(wildcard conf/schema/* conf/schema/*/*.sql)
	@mkdir -p $(@D)
	tools/embed schema conf/schema/*/*.sql >$@

$(BUILD)/templates.inc: tools/embed $(wildcard conf/mail conf/mail/* conf/mail/*/*.txt)
	@mkdir -p $(@D)
	tools/embed templates conf/mail/*.txt conf/mail/*/*.txt >$@

# Links with gold, if it is installed, because GNU ld takes three times as long for the many unit tests.
QUICK_LINK := $(and $(filter file,$(origin CFLAGS)),$(shell command -v ld.gold),-fuse-ld=gold)
$(UNITS): %: %.o $(BUILD)/common.a
	$(CC) $(CFLAGS) $(LDFLAGS) $(QUICK_LINK) -o $@ $^ $$(pkg-config --libs $(LIBRARIES) apr-1 apr-util-1 cmocka) -lcsv -lm -pthread

-include $(OBJECTS:.o=.d) $(CTL_OBJECTS:.o=.d) $(UNIT_OBJECTS:.o=.d)

deps: ## install the Debian packages that building and running require
	@tools/deps build run

deps-dev: ## also install those that make check requires: databases, Chromium, Node.js
	@tools/deps build run test

# The server ends if make is killed.
run: ## build and serve: make run [PORT=8080] [DATA=./data] [MPM=event|worker|prefork] [DBD=mysql|pgsql DBD_PARAMS=...] [SMTP=smtp://host:port] [INCLUDE=file]
	@tools/deps build run $(filter mysql pgsql,$(DBD))
	@$(MAKE) --no-print-directory --quiet $(BUILD)/mod_catalog.so $(BUILD)/catalogctl
	@setpriv --pdeathsig TERM tools/run $(BUILD)/mod_catalog.so

demo: DATA = $(BUILD)/demo
demo: INCLUDE = conf/examples/demo/shop.conf
demo: export SHOP = conf/examples/demo
demo: run ## like run, with a shop to look at: 200 products that have fields of the shop's own, and three users: make demo [PORT=8080]

install: all ## install module, command, pages and configuration where apxs says, below DESTDIR if given
	@tools/install $(BUILD)

uninstall: ## remove what make install has installed; edited configuration, keys and data stay
	@tools/install --remove

deb: ## build the Debian packages, in build/deb
	@tools/deps build package
	@tools/package $(BUILD)/deb

# The suite runs on SQLite under event. Files marked "# again:" also run on the other databases or under other MPMs, see
# CONTRIBUTING.md. BRIEF=1 leaves to make nightly the tests that few changes can break.
#
# Everything runs at the same time, because many tests wait. The numbers of jobs keep two cores busy to the end; more
# jobs would not end sooner, and servers would answer later than tests allow. A database's files for both purposes run
# on one engine. The suite on SQLite takes longest, because it ends with files that run one by one, so it has the most
# jobs.
#
# Packages of npm are fetched while the compiler runs, and only once although several makes need them.
DATABASES = $(if $(filter file,$(origin DB)),sqlite3 mysql pgsql,$(DB))
MPM_sqlite3 = prefork
MPM_mysql = worker
MPM_pgsql = prefork
FIRST = $(firstword $(DATABASES))
ONCE = t DB=$(FIRST) MPM=event BRIEF=1 COMPARE=1 PRELOAD=1 JOBS=$(or $(JOBS),4)
AGAIN_$(FIRST) = MPM=$(MPM_$(FIRST)) AGAIN=mpm JOBS=1
OTHER_MPM_mysql = $(MPM_mysql)
AGAIN_ON = t DB=$1 BRIEF=1 PRELOAD=1 $(or $(AGAIN_$1),MPM=event AGAIN=db MPM_AGAIN=$(OTHER_MPM_$1) JOBS=$(or $(JOBS),2))
BESIDE = lint tidy unit openapi
check: ## what the CI runs: lint, tidy, unit, openapi, browser in Chromium, t with exchanges on SQLite, a part of t on the other databases and MPMs, and of all that what is about every change
	@tools/deps build run test
	@$(MAKE) --no-print-directory --quiet -j$$(nproc) all $(UNITS) $(REPLAYS) $(QUICK_HASHES) $(JOSE) $(WEBHOOKS) $(EXCHANGES) $(OPENAPI) $(BROWSER_PACKAGES)
	@failed=; faulty=; running=; trap 'kill $$running 2>/dev/null' EXIT; trap 'exit 1' HUP INT TERM; \
	  begin() { log=$(BUILD)/check-$$1.log; shift; $(MAKE) --no-print-directory "$$@" >$$log 2>&1 & running="$$running $$!"; }; \
	  end() { wait $$1 || { failed="$$failed ($$2)"; faulty="$$faulty $(BUILD)/check-$$3.log"; }; }; \
	  show() { end "$$@"; echo "check: $$2"; cat $(BUILD)/check-$$3.log; }; \
	  begin once $(ONCE); once=$$!; \
	  begin browser browser BROWSERS=chromium BRIEF=1 JOBS=2; browser=$$!; \
	  begin beside -k $(BESIDE); beside=$$!; \
	  $(foreach db,$(DATABASES),begin $(db) $(call AGAIN_ON,$(db)); $(db)=$$!;) \
	  echo 'check: $(ONCE)'; tail -n +1 -f --pid=$$once $(BUILD)/check-once.log; end $$once '$(ONCE)' once; \
	  $(foreach db,$(DATABASES),show $$$(db) '$(call AGAIN_ON,$(db))' $(db);) \
	  show $$beside '$(BESIDE)' beside; \
	  show $$browser browser browser; \
	  test -z "$$failed" || { tail -n 40 $$faulty >&2; echo "check: failed:$$failed" >&2; exit 1; }
	@echo 'check: passed: t on $(DATABASES), $(BESIDE), browser'

# The slow targets that check leaves out; ":" stands for a space.
NIGHTLY = tidy:CHECKS= \
  $(foreach db,sqlite3 mysql pgsql,$(foreach mpm,event worker prefork,t:DB=$(db):MPM=$(mpm))) \
  $(foreach db,sqlite3 mysql pgsql,one:T=t/search/model.t:CATALOG_QUESTIONS=100000:DB=$(db) one:T=t/changes/order.t:CATALOG_ROUNDS=100:DB=$(db)) \
  one:T=t/load/kill.t:CATALOG_WRITES=10000 one:T=t/changes/undo_jobs.t:CATALOG_ROWS=100000 \
  browser lighthouse cluster cluster:FOLLOW=100 httpd-tests check-package check-apparmor coverage asan tsan fuzz bench
nightly: ## what check leaves out: the whole suite on each database under each MPM, sanitizers, package, cluster, bench and others; requires root, takes hours: make nightly [NIGHTLY="asan tsan"]
	@failed=; nightly() { echo "nightly: make $$*"; $(MAKE) --no-print-directory "$$@" || failed="$$failed$$(printf '\n  make %s' "$$*")"; }; \
	  $(foreach part,$(NIGHTLY),nightly $(subst :, ,$(part));) \
	  test -z "$$failed" || { echo "nightly: failed:$$failed" >&2; exit 1; }
	@echo 'nightly: passed'

check-package: ## build, install, upgrade, remove and purge the Debian package in bare Debians: requires root, takes some minutes
	@tools/deps check-package
	@tests/package/run

# Unit tests that t/db runs on MariaDB and PostgreSQL.
DATABASE_UNITS = $(addprefix $(BUILD)/tests/unit/,test_list_page test_search test_statements)

# From each folder, the tests with file accesses of their own. The virtual machine has one emulated processor, which is
# too slow for tests that make much load or that depend on the number of processors.
CONFINED_sqlite3 = event t/health t/auth t/mail t/server/graceful.t t/server/kill.t t/server/stop.t t/server/metrics.t t/load/mail.t \
  t/keys/dir.t t/keys/jwks.t t/config/database.t t/config/paths.t t/authz/proxy.t t/http/files.t t/abuse/blocklist.t t/accounts/login.t \
  t/users/admin.t t/ctl/secrets.t t/ctl/products.t t/db/files.t t/idempotency/header.t t/products/create.t t/products/search.t \
  t/products/order.t t/products/export.t t/products/images.t
CONFINED_mysql = worker t/health
CONFINED_pgsql = prefork t/health
check-apparmor: all $(JOSE) $(WEBHOOKS) $(DATABASE_UNITS) ## run the Debian package and the suite in a virtual machine whose kernel enforces the AppArmor profile: requires root; make check-apparmor [T=t/auth DB=... MPM=...] [ACCEL=kvm]
	@tools/deps check-apparmor
	@ACCEL='$(ACCEL)' tests/apparmor/run $(BUILD) $(if $(T),'$(DB) $(MPM) $(T)',$(foreach db,$(DATABASES),'$(db) $(CONFINED_$(db))'))

GENERATED = $(addprefix $(BUILD)/,schema.inc templates.inc places.inc cflags)
lint: $(GENERATED) ## compare tables with documents and tests, layers with the design, and the C style
	@failed=0; for lint in tests/lint/*.pl; do $$lint || failed=1; done; exit $$failed
	@clang-format-$(LLVM) --dry-run -Werror $(C_FILES)

unit: $(UNITS) $(REPLAYS) ## run the unit tests and replay the fuzz corpora
	@test -n "$^" || { echo 'unit: there is no test' >&2; exit 1; }
	@printf '%s\n' $(UNITS) $(foreach target,$(FUZZ),'$(BUILD)/tests/fuzz/replay_$(target) tests/fuzz/corpus/$(target)') | \
	  xargs -P4 -I{} sh -c 'said=$$({} 2>&1); result=$$?; printf "%s\n" "{}" "$$said"; exit $$result'

# npm's packages stay in build/. The script is copied there, because Node.js searches for a module's imports next to it.
JOSE = build/jose/jose.js
$(JOSE): $(addprefix tests/jose/,jose.js package.json package-lock.json .npmrc)
	rm -rf $(@D) && mkdir -p $(@D) && cp $^ $(@D)
	@tools/npm $(@D)

WEBHOOKS = build/webhooks/receiver.js
$(WEBHOOKS): $(addprefix tests/webhooks/,receiver.js package.json package-lock.json .npmrc)
	rm -rf $(@D) && mkdir -p $(@D) && cp $^ $(@D)
	@tools/npm $(@D)

EXCHANGES = build/exchanges/validate.js
$(EXCHANGES): $(addprefix tests/exchanges/,validate.js package.json package-lock.json .npmrc)
	rm -rf $(@D) && mkdir -p $(@D) && cp $^ $(@D)
	@tools/npm $(@D)

# Links the library whose function is replaced, because httpd itself does not.
QUICK_HASHES = $(BUILD)/tests/preload/argon2.so
$(QUICK_HASHES): LIBRARY = -Wl,--no-as-needed -largon2

t: all $(JOSE) $(WEBHOOKS) $(if $(PRELOAD),$(QUICK_HASHES)) $(if $(COMPARE),$(EXCHANGES)) $(DATABASE_UNITS) ## run the suite against a real httpd: make t [MPM=event|worker|prefork] [DB=sqlite3|mysql|pgsql] [JOBS=8]
	@MODULE='$(CURDIR)/$(BUILD)/mod_catalog.so' t/TEST $(T)

exchanges: ## run the suite, and compare what was asked and answered with /openapi.json: make exchanges [T=t/users]
	@$(MAKE) --no-print-directory t COMPARE=1

one: ## run one file or folder of the suite: make one T=t/products/create.t
	@test -n '$(T)' || { echo 'make one T=t/products/create.t' >&2; exit 2; }
	@$(MAKE) --no-print-directory t

BROWSER_PACKAGES = build/browser/node_modules/.package-lock.json
$(BROWSER_PACKAGES): tests/browser/package.json tests/browser/package-lock.json
	@mkdir -p build/browser && cp $^ build/browser
	@tools/npm build/browser

# Groups of files with stories that share a server and a browser, whose start takes as long as several stories. Each
# word is a group; the longest is first. A file in no group has a server and a browser of its own. Three groups run at
# the same time, because they wait more than they compute; in make check two, because other tests compute meanwhile.
# Firefox runs the files with stories marked for it. make check leaves Firefox out, because its stories time out on a
# busy machine.
BROWSERS = chromium firefox
STORIES = $(notdir $(basename $(sort $(wildcard tests/browser/stories/*.js))))
TOGETHER = matching shop looks work:transfer accounts:people fields:face changes:editing german:catalogue:searches:origins paper:widths:weight:state:tour api:machine
GROUPS = $(TOGETHER) $(filter-out $(subst :, ,$(TOGETHER)),$(STORIES))
IN_chromium = $(STORIES)
IN_firefox = $(notdir $(basename $(shell grep -l storyInBoth $(STORIES:%=tests/browser/stories/%.js))))
browser: $(BUILD)/mod_catalog.so $(BUILD)/catalogctl $(QUICK_HASHES) $(BROWSER_PACKAGES) ## drive the pages of www/ in Chromium and Firefox: make browser [STORIES="catalogue people"] [BROWSERS=chromium] [PICTURES=1: of each page, in build/browser]
	@$(if $(filter firefox,$(BROWSERS)),tools/deps firefox)
	@rm -f build/browser/*.png build/browser/failed.log
	@printf '%s\n' $(foreach browser,$(BROWSERS),$(foreach group,$(GROUPS),$(patsubst %,'$(browser) %',$(subst $() ,:,$(filter $(IN_$(browser)),$(subst :, ,$(group))))))) | \
	  tr : ' ' | xargs -r -P$(or $(JOBS),3) -L1 sh -c 'said=$$(BROWSER=$$0 node --test-reporter=spec tests/browser/run.js $(BUILD)/mod_catalog.so "$$@" 2>&1); result=$$?; \
	    printf "%s in %s:\n%s\n" "$$*" "$$0" "$$said" | if test $$result = 0; then cat; else cat >>build/browser/failed.log; fi; \
	    exit $$result' || { cat build/browser/failed.log; exit 1; }

LIGHTHOUSE = build/lighthouse/node_modules/.package-lock.json
$(LIGHTHOUSE): $(addprefix tests/lighthouse/,package.json package-lock.json .npmrc)
	@mkdir -p build/lighthouse && cp $^ build/lighthouse
	@tools/npm build/lighthouse

lighthouse: all $(QUICK_HASHES) $(LIGHTHOUSE) ## rate the pages of www/ with Lighthouse, on a quiet machine: make lighthouse [PAGES="index login"]
	@tools/deps lighthouse
	@node tests/lighthouse/run.js $(BUILD)/mod_catalog.so $(PAGES)

OPENAPI = build/openapi/node_modules/.package-lock.json
$(OPENAPI): $(addprefix tests/openapi/,package.json package-lock.json .npmrc)
	@mkdir -p build/openapi && cp $^ build/openapi
	@tools/npm build/openapi

openapi: $(BUILD)/mod_catalog.so $(OPENAPI) ## lint /openapi.json, run clients that are made of it, and the recipe of docs/front-ends.md
	@cp tests/openapi/client.ts tests/openapi/generate.js tests/openapi/lint.js tests/openapi/generated.ts tests/openapi/generated.json tests/openapi/recipes.js tests/openapi/tsconfig.json build/openapi
	@tests/openapi/run.pl $(BUILD)/mod_catalog.so build/openapi

SECONDS = 120
cluster: $(BUILD)/mod_catalog.so ## lose parts of a Galera cluster with three servers, under load: make cluster [SECONDS=120, or FOLLOW=100 for those who follow the changes only] [MPM=event]
	@FOLLOW=$(FOLLOW) tests/cluster/run.pl $(BUILD)/mod_catalog.so $(SECONDS)

httpd-tests: $(BUILD)/mod_catalog.so ## run httpd's own tests without the module and with it, and compare: make httpd-tests [MPM=event] [FRAMEWORK=dir] [T=t/modules/alias.t]
	@tests/httpd/run.pl $(BUILD)/mod_catalog.so $(T)

# npm compiles the packages with the headers of the installed Node.js.
BENCH = build/bench
PEERS = $(BENCH)/peers/node_modules/.package-lock.json
$(PEERS): $(addprefix tests/bench/peers/node/,package.json package-lock.json .npmrc)
	@mkdir -p $(BENCH)/peers && cp $^ $(BENCH)/peers
	@npm_config_nodedir="$$(dirname "$$(dirname "$$(realpath "$$(command -v node)")")")" tools/npm $(BENCH)/peers

$(BENCH)/constant.so: tests/bench/constant.c $(BUILD)/cflags
	@mkdir -p $(@D)
	$(CC) -shared @$(BUILD)/cflags $(CFLAGS) -o $@ $<

$(BENCH)/tokens: tests/bench/tokens.c $(BUILD)/common.a
	@mkdir -p $(@D)
	$(CC) @$(BUILD)/cflags $(CFLAGS) $(LDFLAGS) -o $@ $^ $$(pkg-config --libs $(LIBRARIES) apr-1 apr-util-1) -lcsv -lm -pthread

# Counting instructions requires no other servers.
PEERED = $(if $(PARTS),$(filter-out instructions transfers history history_postgresql history_mariadb,$(PARTS)),all)
bench: ## measure and compare with files and other servers, see docs/benchmarks.md: make bench [QUICK=1 or ROUNDS=9] [PARTS="reads posts"] [OWNING=10000000] [PRODUCTS=1000000] [BENCH=build/bench]
	@tools/deps build run test $(if $(PEERED),bench,instructions)
	@$(MAKE) --no-print-directory --quiet all $(BENCH)/constant.so $(if $(PEERED),$(BENCH)/tokens $(PEERS))
	@$(if $(PEERED),cp tests/bench/peers/node/*.js $(BENCH)/peers,:)
	@QUICK=$(QUICK) UPDATE=$(UPDATE) PARTS='$(PARTS)' tests/bench/run.pl $(BUILD) $(BENCH)

asan: ## run units and suite under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(MAKE) --no-print-directory BUILD=build/asan CFLAGS='$(SANITIZE)' unit all $(JOSE) $(WEBHOOKS)
	@tools/asan build/asan $(T)

# Coverage below COVERAGE_LINES percent of all lines, or below COVERAGE_FILE percent of a file's lines, fails. Units and
# suite run on SQLite. Code that differs between databases is covered by the folders that also run on the other
# databases.
COVERAGE_LINES = 97
COVERAGE_FILE = 85
COVERAGE_ELSEWHERE = t/db t/products t/ctl
COVERAGE = BUILD=build/coverage CFLAGS='-O0 -g --coverage -fprofile-update=atomic'
coverage: ## report the lines and branches that units and suite run: make coverage [T=t/products]
	@tools/deps build run test coverage
	@$(MAKE) --no-print-directory --quiet $(COVERAGE) all $(JOSE) $(WEBHOOKS) $(patsubst $(BUILD)/%,build/coverage/%,$(UNITS) $(REPLAYS))
	@tools/coverage build/coverage $(if $(T),0 0,$(COVERAGE_LINES) $(COVERAGE_FILE)) $(MAKE) --no-print-directory $(COVERAGE) covered

covered:
	@result=0; $(MAKE) --no-print-directory DB=sqlite3 unit t || result=1; \
	  $(if $(T),,for db in mysql pgsql; do $(MAKE) --no-print-directory DB=$$db T='$(COVERAGE_ELSEWHERE)' t || result=1; done;) \
	  exit $$result

# Unit tests of data that threads share without a lock, or with a lock that ThreadSanitizer supports: it reports a mutex
# that outlives its holder as a fault, and ignores fences (hence -Wno-tsan), which here order only atomic data. Then a
# whole httpd runs on SQLite, without two files: t/load/hash.t counts how many hashes fit into a time, and
# t/db/statements.t starts no server.
SHARED = group permits source response_cache generations limit revoked metrics keyring token_cache
TSAN_TESTS = $(filter-out t/load/hash.t t/db/statements.t,$(wildcard t/load/*.t t/db/*.t))
TSAN = BUILD=build/tsan CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=thread -Wno-tsan'
tsan: $(JOSE) $(WEBHOOKS) ## run what threads share, and httpd under load, under ThreadSanitizer: make tsan [T=t/load/cache.t]
	@setarch -R $(MAKE) --no-print-directory $(TSAN) UNITS='$(SHARED:%=build/tsan/tests/unit/test_%)' unit
	@$(MAKE) --no-print-directory $(TSAN) all build/tsan/tests/tsan/apr_atomic.so
	@DB=sqlite3 tools/tsan build/tsan $(or $(T),$(TSAN_TESTS))

$(BUILD)/tests/%.so: tests/%.c $(BUILD)/cflags
	@mkdir -p $(@D)
	$(CC) -shared @$(BUILD)/cflags $(CFLAGS) -o $@ $< $(LIBRARY)

# Each fuzz target runs under libFuzzer (make fuzz) and replays its committed corpus (make unit).
FUZZ_LIBRARIES = $$(pkg-config --libs $(LIBRARIES) apr-1 apr-util-1) -lcsv -lm -pthread
FUZZERS := $(FUZZ:%=$(BUILD)/tests/fuzz/run_%)

$(REPLAYS): $(BUILD)/tests/fuzz/replay_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/main.o $(BUILD)/tests/fuzz/replay.o $(BUILD)/common.a
	$(CC) $(CFLAGS) $(LDFLAGS) $(QUICK_LINK) -o $@ $^ $(FUZZ_LIBRARIES)

$(FUZZERS): $(BUILD)/tests/fuzz/run_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/main.o $(BUILD)/common.a
	$(CC) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(FUZZ_LIBRARIES)

FUZZ_SECONDS = 60
fuzz: ## fuzz each parser of untrusted input with libFuzzer: make fuzz [FUZZ="json token"] [FUZZ_SECONDS=60]
	@tools/deps build test fuzz
	@$(MAKE) --no-print-directory BUILD=build/fuzz CC=clang-$(LLVM) FUZZ='$(FUZZ)' \
	  CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined' fuzzers
	@tools/fuzz build/fuzz $(FUZZ_SECONDS) $(FUZZ)

fuzzers: $(FUZZERS)

format: ## format the C files by .clang-format
	@clang-format-$(LLVM) -i $(C_FILES)

# Also reports clang's warnings. gcc has no equivalent of -Wconversion. -Wsign-conversion is omitted: here it only finds
# pointer differences that cannot be negative, and sizes that APR takes as signed. The static analyzer takes ten seconds
# of CPU per file, all other checks together half a second, of which those of style take two fifths. make nightly runs
# all checks, make check those that find bugs.
#
# Each process has its own filter of the output, because lines of two processes could be mixed otherwise.
CHECKS = -clang-analyzer-*,-bugprone-reserved-identifier,-misc-*,-readability-*
tidy: $(GENERATED) ## check the C files with clang and clang-tidy: make tidy [CHECKS=] for its static analyzer and the rest, ten minutes
	@printf '%s\n' $(SOURCES) $(CTL_SOURCES) | xargs -P2 -n4 sh -c 'clang-tidy-$(LLVM) --quiet --checks="$$0" "$$@" -- $$(cat $(BUILD)/cflags) \
	    -Wconversion -Wno-sign-conversion -Wreserved-identifier -Wreserved-macro-identifier 2>&1 | { ! grep -v -e "^[0-9]* warnings\{0,1\} generated" -e "^\[[0-9]*/[0-9]*\] Processing file" >&2; }' '$(CHECKS)'

clean: ## remove what was built; data stays
	rm -rf build

help: ## list the verbs
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | sort | expand -t 13
