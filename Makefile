# Everything lives in .venv and build/; a second run reuses what the first one made.
PYTHON ?= python3
BIN := .venv/bin
BUILD := .venv/.build
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
# What a command prints comes when it ends, in one piece.
LATER := sh -c 'said=$$("$$@" 2>&1); code=$$?; echo "$$said"; exit $$code' -
# A second run finds what Python compiled, and pytest the assertions that it rewrote.
unexport PYTHONDONTWRITEBYTECODE
PACKAGING := pyproject.toml hatch_build.py
FRONT_END := $(shell find js -name node_modules -prune -o -name test -prune -o -type f -print 2>/dev/null)
FRONT_END += $(if $(wildcard uqwidgets/static/index.js),,FORCE)

.PHONY: help demo lab lint test tests checks thorough slow installs support bench docs archives clean FORCE

help:
	@echo "make demo       run the quickstart; print its tables, write the explorer to build/explorer.html"
	@echo "make lab        open the quickstart in JupyterLab"
	@echo "make lint       check the style and the types of the code"
	@echo "make test       run the tests and checks of every feature, in minutes"
	@echo "make thorough   run the further cases too, which continuous integration runs after make test"
	@echo "make bench      run the benchmarks"
	@echo "make docs       build the site into build/docs, offline; warnings are errors"
	@echo "make clean      remove everything made here"
	@echo "For a release: make slow, installs, support, archives (RELEASING.md)"

demo: $(LAB)
	$(BIN)/python scripts/demo.py

lab: $(LAB)
	$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) notebooks/quickstart.ipynb

lint: $(DEV)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# If a short check fails, nothing else starts. The long checks run one after the other beside the tests.
test: lint $(LIBRARIES) $(HOSTS)
	$(MAKE) --no-print-directory --jobs=2 tests checks

tests: $(DEV)
	$(BIN)/python $(PYTEST) $(QUICK) --doctest-modules --doctest-ignore-import-errors uqwidgets tests

checks: $(DEV) $(LIBRARIES) $(HOSTS)
	@$(LATER) .venv-hosts/bin/python -m pytest $(QUICK) tests/hosts
	@$(LATER) .venv-libraries/bin/python -m pytest $(QUICK) --doctest-modules uqwidgets/predictive/torch tests/libraries
	@$(LATER) $(BIN)/python hatch_build.py run check
	@$(LATER) $(BIN)/python hatch_build.py run test

thorough: $(DEV) $(LIBRARIES) $(HOSTS)
	$(BIN)/python $(PYTEST) -m thorough
	.venv-libraries/bin/python -m pytest -m thorough tests/libraries
	.venv-hosts/bin/python -m pytest -m thorough tests/hosts

slow: $(DEV) $(LIBRARIES)
	$(BIN)/python $(PYTEST) -m slow
	.venv-libraries/bin/python $(PYTEST) -m slow tests/libraries

installs: $(DEV)
	$(BIN)/python -m pytest -m "slow or not slow" tests/test_installs.py

support: $(HOSTS)
	rm -f docs/hosts/*.json docs/hosts/first_lines/*.json
	UQ_WRITE_HOSTS=docs/hosts .venv-hosts/bin/python -m pytest -m "slow or not slow" tests/hosts

bench: $(DEV)
	set -e; for script in benchmarks/stress.py benchmarks/bench_*.py; do $(BIN)/python $$script; done

# Pages of modules that are gone, and explorers of an earlier build, would stay otherwise.
docs: $(DOCS)
	rm -rf build/docs docs/reference/generated docs/reference/remarks
	$(BIN)/python -m sphinx --builder html --fail-on-warning --quiet docs build/docs
	$(BIN)/python scripts/check_site.py build/docs

archives: $(BUILD)
	rm -rf dist
	$(BIN)/python -m build

clean:
	rm -rf .venv .venv-hosts .venv-libraries build dist docs/reference/generated docs/reference/remarks docs/tutorials/*.ipynb docs/tutorials/*/*.ipynb uqwidgets/static js/node_modules

$(BUILD): WITH = build
$(LAB): WITH = --editable '.[lab]'
$(DEV): WITH = --group dev --editable '.[dask,lab]'
$(DOCS): WITH = --group docs --editable '.[lab]'
$(LIBRARIES): WITH = --group libraries --editable .
$(HOSTS): WITH = --group hosts --editable '.[lab]'

# Installing builds the front end (hatch_build.py), so its sources count here too. Dependency groups need
# pip 25.1, and an older Python makes environments with an older pip.
$(BUILD) $(LAB) $(DEV) $(DOCS) $(LIBRARIES) $(HOSTS): $(PACKAGING) $(FRONT_END)
	@echo 'Installing into $(@D) ...'
	@test -x $(@D)/bin/python || $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'uqwidgets needs Python >= 3.11: run make PYTHON=/path/to/python3.11'; exit 1; }
	@test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	@$(@D)/bin/python -m pip install --quiet 'pip>=25.1'
	@$(@D)/bin/python -m pip install --quiet $(WITH)
	@touch $@
