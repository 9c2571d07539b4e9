# Everything a person or CI types. `make help` lists it.
#
# Needs Python 3.11 or newer and make, nothing else: tools and libraries are installed from the
# locks into .venv, with hashes. `make test` also installs PostgreSQL, Chromium and faketime from
# Debian when they are missing and that is possible.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

ARGS ?=
# Of the tests; one more than cores, for some of them wait.
PROCESSES = $$(python -c 'import os; print(1 + (os.cpu_count() or 1))')
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The tests start some hundred processes: kept bytecode saves each of them a quarter of its start.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test check coverage format bench docs lock clean

help: ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 16

demo: .venv/run ## see wireroom alive: starts the town on loopback and works on it (ARGS="--no-serve" ends by itself)
	@wireroom demo $(ARGS) || [ $$? -eq 130 ] # Ctrl-C is how it is meant to end

test: .venv/test ## everything: format, lint, types, layers, docs, tests (installs what the tests need)
	@scripts/services
	@scripts/check
	@pytest -n $(PROCESSES) --dist worksteal $(ARGS)

coverage: .venv/test ## which lines the tests reach; takes twice as long
	@scripts/services
	@pytest -n $(PROCESSES) --dist worksteal --cov --cov-report=term $(ARGS)

check: .venv/test ## fast: the same without PostgreSQL, browser and faketime, in short forms, with fewer examples
	@scripts/check
	@pytest -n $(PROCESSES) --dist worksteal -m "not postgres and not browser and not faketime and not long" --hypothesis-profile=check $(ARGS)

format: .venv/test ## write the format and the safe fixes
	@ruff check --fix --quiet . || true
	@ruff format .

bench: .venv/bench ## measure ours and its peers in the same run (ARGS="--short" for a quick look)
	@for script in $$(scripts/benches); do python "$$script" $(ARGS); done

docs: .venv/docs ## write docs/reference anew and build the pages into docs/_build
	@python scripts/reference.py
	@sphinx-build --quiet --fail-on-warning --keep-going docs docs/_build/html
	@echo "docs/_build/html/index.html"

lock: .venv/run ## resolve the dependencies anew (ARGS="--upgrade" for newer ones)
	@python -m pip install --quiet uv
	@scripts/lock $(ARGS)

clean: ## remove what the other targets made
	@rm -rf .venv build dist docs/_build .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage*

.venv/run: locks/pip.txt locks/run.txt pyproject.toml
	@scripts/install run
.venv/test: locks/test.txt .venv/run
	@scripts/install test
.venv/bench: locks/bench.txt .venv/run
	@scripts/install bench
.venv/docs: locks/docs.txt .venv/run
	@scripts/install docs
