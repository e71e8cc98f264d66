PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
# further extras of `make install`, each with a comma before it
MORE ?=

# what `make test-fast` runs: functions of rows, frames and texts; CONTRIBUTING.md says more
FAST := model exposure intake incidents automation reports render reporting/difference test_layers.py

# bytecode is kept, whatever the environment says: to compile all of it takes longer than a tenth of the tests
export PYTHONPYCACHEPREFIX := $(CURDIR)/var/bytecode
unexport PYTHONDONTWRITEBYTECODE

PYTEST = $(BIN)/python -m pytest --numprocesses auto --dist worksteal

.PHONY: demo test test-real test-fast test-changed accept mutants soak coverage lint bench docs pictures lock images release install clean

demo: install  ## fill a store with four organizations, build every report, serve them
	$(BIN)/hq demo

test: install  ## run the tests, but for those marked real: what is slow because it is real
	$(PYTEST) --budget test -m "not real" $(PYTEST_FLAGS)

test-real: install  ## the tests marked real alone: browsers, kills, servers, processes, whole demos
	$(PYTEST) --numprocesses $$($(BIN)/python -c 'import os; print((os.cpu_count() or 1) + 1)') \
		--budget real -m real $(PYTEST_FLAGS)  # many of them wait for processes that they start

soak: install  ## the console under fire: three quarters of an hour, ends with a table
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[soak]'
	$(BIN)/python -m tests.soak $(SOAK_FLAGS)

test-fast: install  ## the part of the tests for the loop while typing
	$(PYTEST) --budget fast -m "not real and not hypothesis and not postgresql" $(PYTEST_FLAGS) $(FAST:%=tests/%)

test-changed: install  ## the tests that the change since BASE can reach; without one since origin/main, or the last commit
	$(BIN)/python -m tests.changed --base '$(BASE)' $(PYTEST_FLAGS)

accept: install  ## write everything generated anew, and say what is different; read the diff before you commit
	$(BIN)/python -m tests.accept

mutants: install  ## weekly: changes that the suite must notice, drawn and by name; below the floor it fails
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[mutants]'
	$(BIN)/python -m tests.mutants $(MUTANT_FLAGS)
	$(BIN)/python -m tests.mutants --named

coverage: install  ## weekly: all tests, counting branches; fails below the floor of setup.cfg
	$(PYTEST) --budget coverage --cov --cov-report=term:skip-covered --cov-report=html $(PYTEST_FLAGS)

lint: install  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: install  ## speed as ratios against named baselines, measured in one run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m tests.bench

docs: $(VENV)/docs  ## the documentation as a site in var/docs/; a link that leads nowhere fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

pictures: install  ## the pictures of the documentation: from the demo, with Chromium, and the drawn ones
	$(BIN)/python -m docs.pictures.make

lock: $(VENV)/release  ## write requirements.lock anew: every dependency with its version and hashes, for releases
	$(BIN)/pip-compile --quiet --upgrade --generate-hashes --allow-unsafe --strip-extras --no-header --no-annotate \
		--no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
		--extra postgresql --extra redis --extra s3 --extra dask --extra pdf --extra ldap \
		--build-deps-for wheel --output-file requirements.lock setup.cfg
	sed -i '/^$$/d; /^#/d' requirements.lock

images:  ## base images of Containerfile and compose.yaml by digest, asked from their registry with skopeo or docker
	.ci/images

release: $(VENV)/release  ## wheel, locked dependencies and SBOM in dist/; advisories where an index can be reached
	rm -rf dist
	$(BIN)/python -m pytest tests/test_release.py
	$(BIN)/python -m build --outdir dist
	cp requirements.lock dist/
	$(BIN)/cyclonedx-py requirements --output-reproducible --output-format JSON --output-file dist/sbom.cdx.json requirements.lock
	.ci/audit

$(VENV)/release: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[release]'
	touch $@

$(VENV)/docs: $(VENV)/installed
	$(BIN)/python -c 'import material, mkdocs' 2>/dev/null || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@

install: $(VENV)/installed

$(VENV)/installed: setup.cfg pyproject.toml
	test -x $(BIN)/python || $(shell command -v $(PYTHON) || command -v python3) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
		--editable '.[dev,postgresql,redis,s3,dask,pdf,ldap$(MORE)]'
	$(BIN)/python -m compileall -q -j 2 engine reports data api.py scheduler.py
	$(BIN)/python -c 'import alembic.command, api, duckdb, highspy, icalendar, jinja2, polars, rapidfuzz, scheduler'  # theirs, too
	touch $@

clean:
	rm -rf $(VENV) var build dist *.egg-info
