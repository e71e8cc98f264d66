PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint bench install clean

demo: install  ## fill a store with three organizations, build every report, serve them
	$(BIN)/hq demo

test: install  ## run the test suite
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile

lint: install  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: install  ## speed as ratios against named baselines, measured in one run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m tests.bench

install: $(VENV)/installed

$(VENV)/installed: setup.cfg pyproject.toml
	test -x $(BIN)/python || $(shell command -v $(PYTHON) || command -v python3) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,postgresql,redis]'
	touch $@

clean:
	rm -rf $(VENV) var build *.egg-info
