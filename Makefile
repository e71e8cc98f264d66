PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin

# what `make test-fast` runs: functions of rows, frames and texts, and those of their tests that it leaves out because
# they open replicas, start processes or read whole catalogues; CONTRIBUTING.md says more
FAST := model exposure intake incidents programme accounts automation reporting reports test_layers.py
SLOW := reporting/test_snapshots.py reporting/test_replica.py reporting/facts/test_scans.py \
	reporting/facts/test_lineage.py reporting/render/test_golden.py reporting/render/test_same_rows.py \
	reports/obligations/test_totals_reconcile.py intake/test_alert_formats.py intake/test_finding_batches.py \
	programme/test_retention.py

.PHONY: demo test soak test-fast test-changed mutants mutants coverage lint bench docs pictures lock release install clean

demo: install  ## fill a store with four organizations, build every report, serve them
	$(BIN)/hq demo

test: install  ## run the test suite
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal -m "not soak" $(PYTEST_FLAGS)

soak: install  ## the tests that `make test` leaves out because they take long, then the console under fire: a table
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[soak]'
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal -m soak $(PYTEST_FLAGS)
	$(BIN)/python -m tests.soak $(SOAK_FLAGS)

test-fast: install  ## the part of the tests for the loop while typing
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal -m "not hypothesis and not postgresql" \
		$(SLOW:%=--ignore=tests/%) $(PYTEST_FLAGS) $(FAST:%=tests/%)

test-changed: install  ## the tests that the change since BASE can reach; without one since origin/main, or the last commit
	$(BIN)/python -m tests.changed --base '$(BASE)' $(PYTEST_FLAGS)

accept: install  ## write everything generated anew, and say what is different; read the diff before you commit
	$(BIN)/python -m tests.accept

mutants: install  ## weekly: changes that the suite must notice, drawn and by name; below the floor it fails
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[mutants]'
	$(BIN)/python -m tests.mutants $(MUTANT_FLAGS)
	$(BIN)/python -m tests.mutants --named

coverage:  ## run the test suite and count the branches that it takes; below the floor of setup.cfg it fails
	$(MAKE) test PYTEST_FLAGS='-m "" --cov --cov-report=term:skip-covered --cov-report=html $(PYTEST_FLAGS)'

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
		--extra postgresql --extra redis --output-file requirements.lock setup.cfg

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
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@

install: $(VENV)/installed

$(VENV)/installed: setup.cfg pyproject.toml
	test -x $(BIN)/python || $(shell command -v $(PYTHON) || command -v python3) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,postgresql,redis,s3,dask,pdf]'
	touch $@

clean:
	rm -rf $(VENV) var build dist *.egg-info
