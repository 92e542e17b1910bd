# Every target does its own set-up in .venv and does nothing twice: `make demo` installs what
# running needs, the others add the tools for development.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
JOBS ?= 2

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench docs fuzz golden dist hashes pins clean browser

help:
	@echo "make demo    run groundtrace on the bundled sample and say where the report is"
	@echo "make test    check, then run every test"
	@echo "make check   formatting, lint, types, generated pages"
	@echo "make bench   measure speed and extraction quality"
	@echo "make docs    write the reference pages and build the site into site/"
	@echo "make fuzz    fuzz for FUZZ_SECONDS (default 60)"
	@echo "make golden  write the golden documents again"
	@echo "make dist    build the wheel and the source archive into dist/"
	@echo "make hashes  write requirements with hashes for this system into dist/"
	@echo "make pins    name the actions of CI by hashes that the site states now"
	@echo "make clean   remove everything that was built"

$(RUNTIME): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $@

$(READY): $(RUNTIME)
	$(PIP) -e '.[dev]'
	touch $@

browser:
	@command -v chromium >/dev/null 2>&1 || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 \
	  && apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } \
	  || echo "chromium cannot be installed here: browser tests will be skipped"

demo: $(RUNTIME)
	$(BIN)/groundtrace demo

check: $(READY)
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/python docs/print_reference.py --check

test: check browser
	$(BIN)/pytest -n $(JOBS) --dist worksteal

format: $(READY)
	$(BIN)/ruff format --quiet .
	$(BIN)/ruff check --fix --quiet .

bench: $(READY)
	$(BIN)/python -m benchmarks

docs: $(READY)
	$(BIN)/python docs/print_reference.py
	$(BIN)/python docs/build_site.py site
	@echo "its search needs a server: $(BIN)/python -m http.server --directory site 8000"

fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --seconds $${FUZZ_SECONDS:-60}

golden: $(READY)
	$(BIN)/python -m tests.golden.update

dist: $(READY)
	$(BIN)/python -m hatchling build -d dist

hashes: $(READY)
	mkdir -p dist
	$(PIP) --dry-run --ignore-installed --report dist/pip-report.json -e '.[dev]'
	$(BIN)/python docs/print_hashes.py dist/pip-report.json > dist/requirements-with-hashes.txt

pins: $(READY)
	$(BIN)/python docs/pin_actions.py .github/workflows/*.yml

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks site groundtrace-demo dist
