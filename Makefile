# Spindel: `make run` serves it, `make test` checks everything, `make help` lists the rest.

SHELL := /bin/sh
VENV  := .venv
PY    := $(VENV)/bin/python
UV    := $(VENV)/bin/uv
HOST  ?= 127.0.0.1
PORT  ?= 8000

# The first Python of 3.11 or newer; PYTHON=... chooses another.
PYTHON ?= $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 python3.11,\
	$(if $(shell $(name) -c 'import sys, ensurepip; print(sys.version_info >= (3, 11) or "")' 2>/dev/null),$(name))))

# Stamps in the environment: a step that is done is not done again until what it used changes.
READY   := $(VENV)/.ready-to-run
TESTING := $(VENV)/.ready-to-test
WARM    := $(VENV)/.warm
KERNELS := $(wildcard app/solver/*.py)

# Tests of what touches the database: they run on SQLite, and on PostgreSQL with Redis.
ON_POSTGRESQL := $(wildcard $(addprefix tests/,analysis arenas company games players races ranking web))
# The solver's own time is spent once.
NOT_ON_POSTGRESQL := $(addprefix --ignore=tests/analysis/,test_real_solver.py test_cli_bank.py)

STAGE = @printf '\n==> %s\n'

.DEFAULT_GOAL := help
.PHONY: help run setup scale test check lint types imports tests postgresql-tests browser-tests browser bench catalogues lock format clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: setup ## set up what is needed, and serve on http://HOST:PORT (127.0.0.1:8000)
	@exec $(VENV)/bin/spindel serve --host $(HOST) --port $(PORT)

scale: $(READY) ## add what more than one worker needs: the drivers of PostgreSQL and Redis
	$(STAGE) 'installing the drivers of PostgreSQL and Redis'
	$(call install,--extra build --extra scale)

setup: $(READY) $(WARM) static/vendor/.package ## set up what `make run` needs, and no more

test: $(TESTING) $(WARM) static/vendor/.package browser ## run every check: lint, types, imports, tests, browser tests
	@$(MAKE) --no-print-directory lint types imports tests browser-tests
	$(STAGE) 'all checks passed'

check: $(TESTING) static/vendor/.package ## the quick checks, for while you work (no slow and no browser tests)
	@$(MAKE) --no-print-directory lint types imports
	$(STAGE) 'quick tests'
	@$(PY) -m pytest -q -n 2 -m 'not slow' --ignore=tests/browser

lint: $(TESTING)
	$(STAGE) 'lint and format'
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check --quiet . || { echo 'not formatted: run `make format`'; exit 1; }

types: $(TESTING)
	$(STAGE) 'types'
	@$(VENV)/bin/mypy

imports: $(TESTING)
	$(STAGE) 'import order'
	@$(VENV)/bin/lint-imports --no-cache | tail -n 4

tests: $(TESTING)
	$(STAGE) 'tests'
	@$(PY) -m pytest -q -n 2 --ignore=tests/browser
	@$(MAKE) --no-print-directory postgresql-tests

postgresql-tests: $(TESTING) ## the tests of all that is in the database again, on PostgreSQL and Redis
	$(STAGE) 'tests on PostgreSQL and Redis'
	@SPINDEL_TEST_DATABASE=postgresql $(PY) -m pytest -q -n 2 $(NOT_ON_POSTGRESQL) $(ON_POSTGRESQL)

# In a process of their own: Playwright keeps an event loop running, which other tests would trip over.
browser-tests: $(TESTING) browser
	$(STAGE) 'browser tests'
	@$(PY) -m pytest -q tests/browser

browser: $(TESTING)
	@$(PY) -m tests.support.chromium

bench: $(READY) $(WARM) static/vendor/.package ## measure a move beside a bare endpoint, and a thousand streams
	$(STAGE) 'a move beside a bare endpoint'
	@$(PY) -m benchmarks.move
	$(STAGE) 'a thousand streams beside fifty moves a second'
	@$(PY) -m benchmarks.streams

format: $(TESTING) ## format the code, and mend what lint can mend by itself
	@$(VENV)/bin/ruff check --quiet --fix-only .
	@$(VENV)/bin/ruff format .

catalogues: $(READY) ## bring the catalogues up to date with the messages of the source
	@$(PY) -m app.i18n.collect

lock: $(TESTING) ## write requirements.lock anew from pyproject.toml, with the newest versions
	@$(UV) pip compile pyproject.toml --quiet --upgrade --all-extras --universal --generate-hashes \
		--no-emit-index-url --no-header --no-annotate -o requirements.lock

clean: ## remove the environment, fetched files and caches; the data directory stays
	rm -rf $(VENV) static/vendor .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache test-results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(PY):
	@test -n '$(PYTHON)' || { echo 'Spindel needs Python 3.11 or newer with venv (Debian: apt-get install python3 python3-venv).'; exit 1; }
	$(STAGE) 'making the environment $(VENV)'
	@$(PYTHON) -m venv $(VENV)

# One lock holds every package; uv takes from it, by its hashes, those that are needed. pip can only take them all.
define install
	@{ test -x $(UV) && VIRTUAL_ENV=$(VENV) $(UV) pip install --quiet --compile-bytecode --require-hashes \
		-c requirements.lock -r pyproject.toml $(1); } \
		|| $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
endef

# uv installs in seconds what pip takes half a minute for; where it cannot be had, pip goes on alone.
$(READY): requirements.lock pyproject.toml hatch_build.py | $(PY)
	$(STAGE) 'installing what the program needs'
	@awk '/^[a-z]/ { on = /^uv==/ } on' requirements.lock > $(VENV)/uv.txt
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $(VENV)/uv.txt \
		|| echo 'uv is not to be had here: going on with pip'
	$(call install,--extra build)
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(TESTING): $(READY)
	$(STAGE) 'installing what the checks need'
	$(call install,--extra build --extra scale --extra dev)
	@touch $@

static/vendor/.package: hatch_build.py | $(READY)
	$(STAGE) 'fetching htmx'
	@$(PY) hatch_build.py
	@touch $@

# Compiling the solver takes a quarter of a minute; here it is done once, and never while somebody waits.
$(WARM): $(KERNELS) | $(READY)
	$(STAGE) 'compiling the solver'
	@test ! -e app/solver/api.py || $(PY) -c 'from app.solver.api import warm; warm()'
	@touch $@
