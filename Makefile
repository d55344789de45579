# The README's two commands are `make demo` and `make test`; both set up .venv first, once.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test fuzz faults mutants check-security coverage check format bench docs picture lowest clean

demo: $(VENV)/.ready
	$(BIN)/lense demo

test: $(VENV)/.ready
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile

fuzz: $(VENV)/.ready
	$(BIN)/python -m tests.problems.small_graphs 50000
	$(BIN)/python -m tests.fuzz 100000

faults: $(VENV)/.ready
	$(BIN)/python -m pytest -q tests/faults
	$(BIN)/python -m tests.faults 30
	$(BIN)/python -m tests.app.load 600 8

mutants: $(VENV)/.ready
	$(BIN)/python -m tools.mutants

check-security: $(VENV)/.ready
	$(BIN)/python -m tests.audit
	$(BIN)/python -m pytest -q tests/test_security.py tests/graph/test_download.py

coverage: $(VENV)/.ready
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile --cov --cov-report=term:skip-covered --cov-fail-under=95

check: $(VENV)/.ready
	$(BIN)/ruff check src tests benchmarks examples tools
	$(BIN)/ruff format --check src tests benchmarks examples tools
	$(BIN)/mypy

format: $(VENV)/.ready
	$(BIN)/ruff check --fix src tests benchmarks examples tools
	$(BIN)/ruff format src tests benchmarks examples tools

bench: $(VENV)/.bench-ready
	$(BIN)/python -m benchmarks

docs: $(VENV)/.docs-ready
	$(BIN)/python -m tools.blocks
	$(BIN)/mkdocs build --quiet
	@echo "The documentation is in build/site/index.html"

picture: $(VENV)/.ready
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
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

$(VENV)/.docs-ready: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	@touch $@

$(VENV)/.bench-ready: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	@touch $@
