# Everything a developer runs. `make demo` and `make test` need Python 3.11, a
# C++17 compiler and make; the rest is installed into .venv.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= $(shell nproc)
STAMP := $(VENV)/.requirements-installed

.PHONY: help
help:
	@echo "make demo           build, fine-tune the digits model, show its report"
	@echo "make test           all tests: lit, pytest, examples"
	@echo "make build          build pocket-opt and the Python bindings into build/"
	@echo "make lit | pytest   one kind of test"
	@echo "make setup-targets  system packages to run ARM programs (needs root)"
	@echo "make wheel          one self-contained wheel in dist/"

$(STAMP): requirements.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -r requirements.txt
	touch $@

.PHONY: venv
venv: $(STAMP)

build/build.ninja: CMakeLists.txt | $(STAMP)
	$(BIN)/cmake -S . -B build -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DPython3_EXECUTABLE=$(abspath $(BIN)/python)

.PHONY: build
build: $(STAMP) build/build.ninja
	$(BIN)/ninja -C build -j $(JOBS) --quiet

.PHONY: lit
lit: build
	$(BIN)/lit -s build/test

.PHONY: pytest
pytest: build
	PYTHONPATH=build/python_packages $(BIN)/python -m pytest -q test/python

.PHONY: test
test: lit pytest

.PHONY: setup-targets
setup-targets: $(STAMP)
	scripts/setup-targets.sh

.PHONY: clean
clean:
	rm -rf build dist
