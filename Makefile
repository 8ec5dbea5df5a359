# Two commands for a fresh machine with Python >= 3.11 and make; tools/install.py says where packages come from:
#   make demo          the core in .venv, then `dialmeter demo`
#   make test          everything the tests need, then the whole suite (make quick: without the slow tests)
#   make integrations  other tools in a separate environment (.venv-integrations), then the tests of what connects dialmeter to them
#   make site          the documentation as web pages in site/, made in a separate environment (.venv-site)
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core-installed
FULL := $(VENV)/.full-installed
INTEGRATIONS := .venv-integrations
SITE := .venv-site/.installed
TYPED := $(wildcard src/dialmeter/*/*.pxd src/dialmeter/*/*/*.pxd)
KERNELS := $(wildcard src/dialmeter/*/*.pyx) $(TYPED) $(TYPED:.pxd=.py)
# Neighbours share what they make in one process; a process without work takes some from the other. The longest tests are listed.
# Libraries use one thread: threads of two processes on two cores wait for each other.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal --durations 25 -q $(OPTIONS)
INSTALL := pyproject.toml hatch_build.py $(KERNELS) constraints.txt tools/install.py

.PHONY: demo quick test integrations lint site gallery fuzz bench screenshots clean

demo: $(CORE)
	$(BIN)/dialmeter demo --force

test: $(FULL) lint
	$(PYTEST)

quick: $(FULL)
	$(PYTEST) -m "not slow"

integrations: $(INTEGRATIONS)/.installed
	$(INTEGRATIONS)/bin/python -m pytest -q -c tests/integrations/pytest.ini --rootdir=. tests/integrations

lint: $(FULL)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/check_layers.py

# A broken link, and a page that the navigation lacks, are errors.
site: $(SITE)
	NO_MKDOCS_2_WARNING=1 .venv-site/bin/mkdocs build --strict

gallery: $(FULL)
	$(BIN)/python tools/make_gallery.py

# A million mutated inputs, then 5,000 designs, 5,000 layouts and 5,000 logs, then every crash point; go on after an interruption by calling it again.
N ?= 1000000
SEED ?= 1
fuzz: $(FULL)
	$(BIN)/python -m tests.fuzz.run --inputs $(N) --seed $(SEED) --workers 2 --log benchmarks/fuzz.txt
	$(BIN)/python -m tests.fuzz.designs --designs 5000 --seed $(SEED) --log benchmarks/designs.txt
	$(BIN)/python -m tests.fuzz.layouts --layouts 5000 --seed $(SEED)
	$(BIN)/python -m tests.fuzz.logs --logs 5000 --seed $(SEED)
	$(BIN)/python benchmarks/crash_points.py

screenshots: $(FULL)
	$(BIN)/python tools/make_screenshots.py

bench: $(FULL)
	$(BIN)/python benchmarks/run.py

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(CORE): $(INSTALL) requirements/core.lock | $(BIN)/python
	$(BIN)/python tools/install.py core
	touch $@

$(FULL): $(INSTALL) $(wildcard requirements/*) tools/install_for_tests.sh | $(BIN)/python
	$(BIN)/python tools/install.py test
	tools/install_for_tests.sh
	touch $@ $(CORE)

$(INTEGRATIONS)/.installed: $(INSTALL) requirements/core.lock requirements/integrations.txt
	$(PYTHON) -m venv $(INTEGRATIONS)
	$(INTEGRATIONS)/bin/python tools/install.py integrations
	touch $@

$(SITE): requirements/site.txt
	$(PYTHON) -m venv .venv-site
	.venv-site/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement $<
	touch $@

clean:
	rm -rf $(VENV) $(INTEGRATIONS) .venv-site site .pytest_cache .mypy_cache .ruff_cache .hypothesis dist build tests/browser/node_modules
