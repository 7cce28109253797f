# Everything lives in .venv and build/; a second run reuses what the first one made.
PYTHON ?= python3
BIN := .venv/bin
LAB := .venv/.lab
DEV := .venv/.dev
DOCS := .venv/.docs
LIBRARIES := .venv-libraries/.installed
HOSTS := .venv-hosts/.installed
# tests/conftest.py says how many processes there are. Each runs whole files, so that a file's fixtures
# are made once.
PYTEST := -m pytest -n auto --dist loadfile --no-loadscope-reorder
# What `make test` leaves to `make thorough`; CONTRIBUTING.md says what that is.
QUICK := -m "not slow and not thorough"
# A second run finds what Python compiled, and pytest the assertions that it rewrote.
unexport PYTHONDONTWRITEBYTECODE
PACKAGING := pyproject.toml hatch_build.py
FRONT_END := $(shell find js -name node_modules -prune -o -name test -prune -o -type f -print 2>/dev/null)
FRONT_END += $(if $(wildcard uqwidgets/static/index.js),,FORCE)

.PHONY: help build demo lab test tests checks lint types front-end libraries hosts thorough support releases first-lines installs slow bench picture docs archives clean FORCE

help:
	@echo "make demo       run the quickstart; print its tables, write the explorer to build/explorer.html"
	@echo "make lab        open the quickstart in JupyterLab"
	@echo "make lint       check the style of the code"
	@echo "make test       run the tests and checks of every feature, in minutes"
	@echo "make thorough   run the further cases too, which continuous integration runs after make test"
	@echo "make bench      run the benchmarks"
	@echo "make docs       build the site into build/docs, offline; warnings are errors"
	@echo "make clean      remove everything made here"
	@echo "For a release: make slow, installs, first-lines, support, releases, picture, archives (RELEASING.md)"

build: $(LAB)

demo: $(LAB)
	$(BIN)/python scripts/demo.py

lab: $(LAB)
	$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) notebooks/quickstart.ipynb

# If a short check fails, nothing else starts. The long checks run one after the other beside the tests,
# and each prints what it has to say when it ends.
test: lint types $(LIBRARIES) $(HOSTS)
	$(MAKE) --no-print-directory --jobs=2 tests checks

tests: $(DEV)
	$(BIN)/python $(PYTEST) $(QUICK) --doctest-modules --doctest-ignore-import-errors uqwidgets tests

checks:
	@$(MAKE) --no-print-directory $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) hosts libraries front-end

lint: $(DEV)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(DEV)
	$(BIN)/mypy

front-end: $(DEV)
	$(BIN)/python hatch_build.py run check
	$(BIN)/python hatch_build.py run test

libraries: $(LIBRARIES)
	.venv-libraries/bin/python -m pytest $(QUICK) --doctest-modules uqwidgets/predictive/torch tests/libraries

hosts: $(HOSTS)
	.venv-hosts/bin/python -m pytest $(QUICK) tests/hosts

thorough: $(DEV) $(LIBRARIES) $(HOSTS)
	$(BIN)/python $(PYTEST) -m thorough
	.venv-libraries/bin/python -m pytest -m thorough tests/libraries
	.venv-hosts/bin/python -m pytest -m thorough tests/hosts

support: $(HOSTS)
	rm -f docs/hosts/*.json
	UQ_WRITE_HOSTS=docs/hosts .venv-hosts/bin/python -m pytest -m "slow or not slow" --ignore tests/hosts/test_releases.py tests/hosts
	.venv-hosts/bin/python scripts/support_table.py

releases: $(HOSTS)
	UQ_WRITE_HOSTS=docs/hosts .venv-hosts/bin/python -m pytest -m slow tests/hosts/test_releases.py
	.venv-hosts/bin/python scripts/support_table.py

first-lines: $(HOSTS)
	rm -f docs/hosts/first_lines/*.json
	UQ_WRITE_HOSTS=docs/hosts .venv-hosts/bin/python -m pytest -m "slow or not slow" tests/hosts/test_clean_environments.py

installs: $(DEV)
	$(BIN)/python -m pytest -m "slow or not slow" tests/test_installs.py

slow: $(DEV) $(LIBRARIES)
	$(BIN)/python $(PYTEST) -m slow
	.venv-libraries/bin/python $(PYTEST) -m slow tests/libraries

bench: $(DEV)
	set -e; for script in benchmarks/stress.py benchmarks/bench_*.py; do $(BIN)/python $$script; done

picture: $(DEV)
	PYTHONPATH=tests $(BIN)/python scripts/picture.py

archives: | $(BIN)/python
	@$(BIN)/python -m pip install --quiet build
	rm -rf dist
	$(BIN)/python -m build

# Pages of modules that are gone, and explorers of an earlier build, would stay otherwise.
docs: $(DOCS)
	rm -rf build/docs docs/reference/generated docs/reference/remarks
	$(BIN)/python -m sphinx --builder html --fail-on-warning --quiet docs build/docs
	$(BIN)/python scripts/check_site.py build/docs

clean:
	rm -rf .venv .venv-hosts .venv-libraries build dist docs/reference/generated docs/reference/remarks docs/tutorials/*.ipynb docs/tutorials/*/*.ipynb uqwidgets/static js/node_modules

# Installing builds the front end (hatch_build.py), so its sources count here too.
$(LAB): $(PACKAGING) $(FRONT_END) | $(BIN)/python
	@echo 'Installing into .venv ...'
	@$(BIN)/python -m pip install --quiet --editable '.[lab]'
	@touch $@

$(DEV): $(PACKAGING) $(FRONT_END) | $(BIN)/python
	@echo 'Installing into .venv ...'
	@$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(LAB)

$(DOCS): $(PACKAGING) $(FRONT_END) | $(BIN)/python
	@echo 'Installing into .venv ...'
	@$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@

$(LIBRARIES): $(PACKAGING) $(FRONT_END) | $(BIN)/python
	@echo 'Installing into .venv-libraries ...'
	@$(PYTHON) -m venv .venv-libraries
	@.venv-libraries/bin/python -m pip install --quiet --editable '.[libraries]'
	@touch $@

$(HOSTS): $(PACKAGING) $(FRONT_END) | $(BIN)/python
	@echo 'Installing into .venv-hosts ...'
	@$(PYTHON) -m venv .venv-hosts
	@.venv-hosts/bin/python -m pip install --quiet --editable '.[hosts]'
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'uqwidgets needs Python >= 3.11: run make PYTHON=/path/to/python3.11'; exit 1; }
	$(PYTHON) -m venv .venv
