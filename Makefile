# One word per task. `make demo` and `make test` work as the very first command:
# each installs what it needs into .venv, once, and then runs without a network.

PYTHON ?= python3
VENV   ?= .venv
ARGS   ?=

BIN       := $(VENV)/bin
INSTALLED := $(VENV)/installed.txt
NOTEBOOKS := $(wildcard notebooks/*.ipynb)

.DEFAULT_GOAL := help
.PHONY: help install demo test check style base wheel fix bench clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: ## .venv with the kit, JupyterLab and the developer's tools (PYTHON=python3.12 to choose)
	@cksum pyproject.toml constraints.txt | cmp -s - $(INSTALLED) && test -x $(BIN)/skills2 || { \
		$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 11) and "$(PYTHON) is Python %d.%d; skills2-nb needs 3.11 or later. Try: make PYTHON=python3.12" % v[:2])' \
		&& { $(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV); } \
		&& echo "Installing into $(VENV); this happens once and takes a minute or two." \
		&& $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input -c constraints.txt -e '.[lab,dev]' \
		&& cksum pyproject.toml constraints.txt > $(INSTALLED); \
	}

demo: install ## export growth-accounting, run it on CDNOW, show readout, steps and scores
	@$(BIN)/skills2 demo $(ARGS)

test: install ## the tests (ARGS="-n 2 tests/audit" goes to pytest)
	@$(BIN)/python -m pytest $(ARGS)

check: style base wheel ## style, then the base install alone, then the wheel in an environment of its own

style: install ## format, types, floors, and that skills/ is what the notebooks export to
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@for notebook in $(NOTEBOOKS); do \
		$(BIN)/skills2 lint "$$notebook" && $(BIN)/skills2 export "$$notebook" --check || exit 1; \
	done

base: ## the base install alone, in .venv-base, takes a skill from nothing to a score and passes the tests that differ there
	@PYTHON=$(PYTHON) .ci/base

wheel: ## the wheel with [lab], in .venv-wheel, runs the demo from its own copy
	@PYTHON=$(PYTHON) .ci/wheel

fix: install ## what ruff can mend by itself
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: install ## ours beside the floor and a peer, in one run (ARGS="--write" keeps the table)
	@$(BIN)/python -c 'import nbdev' 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input -c constraints.txt -e '.[bench]'
	@$(BIN)/python -m benchmarks $(ARGS)

clean: ## remove .venv and every cache
	rm -rf $(VENV) .venv-base .venv-wheel .conformance build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
