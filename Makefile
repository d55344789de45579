# The README's two commands are `make demo` and `make test`. Each first installs what it needs into .venv, once: the
# plain package for the demo, torch and the development tools for everything else.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test fuzz faults mutants check-security check format bench docs picture lowest clean

demo: $(VENV)/.ready
	$(BIN)/lense demo

# with COVERAGE=95 it also measures coverage, and fails below 95 %; text that lense reads or writes without an encoding
# fails too, while that of other packages is not shown
test: $(VENV)/.dev-ready
	PYTHONWARNDEFAULTENCODING=1 PYTHONWARNINGS=ignore::EncodingWarning $(BIN)/python -m pytest --numprocesses auto --dist loadfile \
	  $(if $(COVERAGE),--durations=15 --cov --cov-report=term:skip-covered --cov-fail-under=$(COVERAGE))

fuzz: $(VENV)/.dev-ready
	$(BIN)/python -m tests.problems.small_graphs 50000
	$(BIN)/python -m tests.fuzz 160000

faults: $(VENV)/.dev-ready
	$(BIN)/python -m pytest -q tests/faults
	$(BIN)/python -m tests.faults 30
	$(BIN)/python -m tests.app.load 600 8

mutants: $(VENV)/.dev-ready
	$(BIN)/python -m tools.mutants

check-security: $(VENV)/.dev-ready
	$(BIN)/ruff check src
	@if $(BIN)/python -m pip_audit --version >/dev/null 2>&1; then $(BIN)/python -m pip_audit -r constraints.txt --no-deps; \
	  else echo "pip-audit is not installed: advisories are not checked"; fi
	$(BIN)/python -m pytest -q tests/test_security.py tests/graph/test_download.py

check: $(VENV)/.dev-ready
	$(BIN)/ruff check src tests benchmarks examples tools
	$(BIN)/ruff format --check src tests benchmarks examples tools
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 src

format: $(VENV)/.dev-ready
	$(BIN)/ruff check --fix src tests benchmarks examples tools
	$(BIN)/ruff format src tests benchmarks examples tools

bench: $(VENV)/.bench-ready
	$(BIN)/python -m benchmarks

docs: $(VENV)/.docs-ready
	$(BIN)/python -m tools.blocks
	$(BIN)/mkdocs build --quiet
	@echo "The documentation is in build/site/index.html"

picture: $(VENV)/.dev-ready
	$(BIN)/python examples/three_problems.py docs/three_problems.png
	$(BIN)/python examples/small_part.py docs/small_part.png

# the lowest versions that pyproject.toml allows, in an environment of their own; name a Python 3.11 as PYTHON
lowest:
	$(PYTHON) tools/lowest.py .lowest convert

clean:
	rm -rf $(VENV) .lowest .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "lense needs Python 3.11 or newer; name one with: make PYTHON=python3.12 …"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@echo "Installing lense without torch into $(VENV): about 0.2 GB to download."
	$(INSTALL) -e .
	@touch $@

$(VENV)/.dev-ready: $(VENV)/.ready
	@ls -d $(VENV)/lib/python*/site-packages/torch >/dev/null 2>&1 || printf '%s\n' \
	  "Installing torch and the development tools into $(VENV). On Linux, the usual build of torch is for CUDA: about" \
	  "3.1 GB to download, 6.0 GB on disk. With torch's CPU build it is 0.6 GB and 2.4 GB: to use it, stop this and" \
	  "install it into $(VENV) first, as torch's own pages explain."
	$(INSTALL) -e '.[dev]'
	@touch $@

$(VENV)/.docs-ready: $(VENV)/.dev-ready
	$(INSTALL) -e '.[docs]'
	@touch $@

$(VENV)/.bench-ready: $(VENV)/.dev-ready
	$(INSTALL) -e '.[bench]'
	@touch $@
