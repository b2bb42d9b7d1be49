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
	@echo "make lit | pytest   one kind of test (pytest: ARGS='-k name' chooses)"
	@echo "make setup-targets  system packages to run ARM programs (needs root)"
	@echo "make benchmarks     a training step against PyTorch and JAX (installs JAX; ARGS='--models transformer')"
	@echo "make wheel          one self-contained wheel in dist/"
	@echo "make docs           the reference pages in docs/ that come from TableGen"

$(STAMP): requirements.txt
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 is needed (requirements.txt pins packages built for it)," \
	  "and $(PYTHON) is not on the PATH. Install it, or run make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { echo "Python 3.11 is needed," \
	  "and $(PYTHON) is $$($(PYTHON) --version)" >&2; exit 1; }
	@$(PYTHON) -c 'import sysconfig, os, sys; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' || { \
	  echo "The headers of $(PYTHON) are needed (Debian: apt install python3.11-dev)" >&2; exit 1; }
	@# A venv without pip is what is left where Debian's python3.11-venv was missing.
	$(BIN)/python -m pip --version >/dev/null 2>&1 || { rm -rf $(VENV); $(PYTHON) -m venv $(VENV); }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

.PHONY: venv
venv: $(STAMP)

build/build.ninja: CMakeLists.txt | $(STAMP)
	$(BIN)/cmake -S . -B build -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DPython3_EXECUTABLE=$(abspath $(BIN)/python) -DPython_EXECUTABLE=$(abspath $(BIN)/python)

.PHONY: build
build: $(STAMP) build/build.ninja
	$(BIN)/ninja -C build -j $(JOBS) --quiet

.PHONY: demo
demo: build
	PYTHONPATH=build/python_packages $(BIN)/python examples/finetune_digits.py

.PHONY: lit
lit: build
	$(BIN)/lit -s -j $(JOBS) build/test

.PHONY: pytest
pytest: build
	PYTHONPATH=build/python_packages $(BIN)/python -m pytest -q $(ARGS)

.PHONY: test
test: build
	$(BIN)/python scripts/run_tests.py --jobs $(JOBS)

.PHONY: benchmarks
benchmarks: build
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-benchmarks.txt
	PYTHONPATH=build/python_packages $(BIN)/python benchmarks/step_time.py $(ARGS)

# From the build that is there: only what has changed is compiled. `pip wheel .`
# makes the same wheel in a directory and an environment of its own.
.PHONY: wheel
wheel: build
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation -C build-dir=build -w dist .
	@ls -l dist

.PHONY: docs
docs: $(STAMP)
	$(BIN)/python scripts/generate_docs.py

.PHONY: setup-targets
setup-targets: $(STAMP)
	scripts/setup-targets.sh

.PHONY: clean
clean:
	rm -rf build dist
