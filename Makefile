# `make help` lists the targets. PYTHON is the interpreter that .venv is made from.
PYTHON ?= python3
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PORT ?= 8000
# Threads of linear algebra and its kernel, for quick runs and tests: golden records are of these,
# and others round otherwise.
THREADS ?= 1
KERNEL ?= $(if $(filter x86_64 amd64,$(shell uname -m)),Haswell)
ROUNDING := OMP_NUM_THREADS=$(THREADS) OPENBLAS_NUM_THREADS=$(THREADS) \
  $(if $(KERNEL),OPENBLAS_CORETYPE=$(KERNEL))
VENV := .venv
BIN := $(VENV)/bin
# QUICK=1: small data, few runs. FULL=1: all runs, as published. TUNE=1: settings chosen anew.
# STRICT=1: warnings are errors. ARGS: more words for pytest.
BUILD := $(if $(QUICK),--quick) $(if $(FULL),--full) $(if $(TUNE),--tune) $(if $(STRICT),--strict) \
  $(if $(FORCE),--force)
# Twice quiet: errors alone.
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt
SOURCES := zslib book chapters tests benchmarks

.DEFAULT_GOAL := help
.PHONY: help book test kernels cupy serve lint format bench notebooks archive prune clean distclean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Compiled sources are kept, for the many processes that chapters and tests start.
book: $(VENV)/.book  ## run the chapters and build the site
	@PYTHONDONTWRITEBYTECODE= $(if $(QUICK),$(ROUNDING)) $(BIN)/zslib build --jobs $(JOBS) $(BUILD)

test: $(VENV)/.test node_modules/.ready  ## run all tests (with the built site, where there is one)
	PYTHONDONTWRITEBYTECODE= $(ROUNDING) $(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

# On the BLAS kernel of processors without fused products, and with two threads: what computes, on
# NumPy, which the strict library calls too; scikit-learn's checks look at arguments.
kernels:  ## the numerical tests again on another kernel of linear algebra
	$(MAKE) test KERNEL=Sandybridge THREADS=2 ARGS='-k "not strict and not test_scikit_learn" \
	  $(addprefix tests/,calibration chapters compatibility mapping metrics nn protocols search test_optim.py)'

# CuPy can be imported without a GPU, which is enough to see that names and keywords exist there.
cupy: $(VENV)/.python  ## check what is called on CuPy, installed into an environment of its own, without a GPU
	@$(PYTHON) -m venv $(VENV)/cupy
	@$(VENV)/cupy/bin/python -m pip install -qq --disable-pip-version-check -c constraints.txt pytest '.[cuda12]'
	$(VENV)/cupy/bin/python -m pytest --noconftest -c /dev/null --rootdir=. tests/test_cupy_names.py

serve: book  ## build the site and serve it on 127.0.0.1
	@echo "http://127.0.0.1:$(PORT)"
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

lint: $(VENV)/.test  ## check style
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	@$(BIN)/zslib publish --check --no-data || echo "Warning: these published runs are not of these sources"

format: $(VENV)/.test  ## mend style
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

bench: $(VENV)/.bench  ## compare speed with other libraries, into benchmarks/results
	@for script in benchmarks/[a-z]*.py; do echo "== $$script"; $(BIN)/python $$script --write || exit 1; done

notebooks: $(VENV)/.lab  ## pair the chapters with notebooks, newer side wins
	@$(BIN)/python -m book.notebooks
	@echo "To open them: $(BIN)/jupyter lab"

archive:  ## sources with data and records, and the site of the full run, with checksums, in dist/
	@test -z "$(QUICK)" || { echo "An archive is of the whole book: leave QUICK out" >&2; exit 1; }
	@changed=$$(git status --porcelain) && test -z "$$changed" || \
	  { echo "Commit first: an archive is of one commit" >&2; exit 1; }
	@$(MAKE) --no-print-directory book FULL=1
	@rm -rf dist && mkdir dist
	@set -e; name=zslib-$$($(BIN)/python -c 'import zslib; print(zslib.__version__)'); \
	  git archive --prefix=$$name/ -o dist/$$name-sources.tar.gz HEAD; \
	  tar -czf dist/$$name-site.tar.gz -C _build --transform "s,^html,$$name-site," html; \
	  cd dist && sha256sum *.tar.gz > SHA256SUMS && cat SHA256SUMS

prune:  ## forget this machine's runs but the latest of each chapter
	@for latest in results/*/*/latest; do test ! -f $$latest || \
	  find $$(dirname $$latest) -mindepth 1 -maxdepth 1 -type d ! -name $$(cat $$latest) -exec rm -rf {} +; done

clean:  ## remove the site and this machine's records (published ones stay)
	rm -rf _build
	find results -mindepth 1 -maxdepth 1 ! -name published -exec rm -rf {} + 2>/dev/null || true

distclean: clean  ## also remove .venv and node_modules
	rm -rf $(VENV) node_modules

# Stamps: nothing is installed again while pyproject.toml and constraints.txt stay as they are.
$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Python 3.11 or newer is needed, and '$(PYTHON)' is not: pass make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "Making $(VENV) ..."
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "venv failed: on Debian and Ubuntu install the package python3-venv" >&2; exit 1; }
	@touch $@

$(VENV)/.base: $(VENV)/.python constraints.txt
	@$(INSTALL) hatchling editables
	@touch $@

$(VENV)/.book: $(VENV)/.base pyproject.toml
	@echo "Installing the book's tools into $(VENV), once, in about a minute ..."
	@$(INSTALL) --no-build-isolation -e '.[book]'
	@touch $@

$(VENV)/.lab: $(VENV)/.book
	@echo "Installing JupyterLab into $(VENV) ..."
	@$(INSTALL) jupyterlab
	@touch $@

$(VENV)/.test: $(VENV)/.book
	@echo "Installing the tests' tools into $(VENV) ..."
	@$(INSTALL) --no-build-isolation -e '.[book,test]'
	@touch $@

$(VENV)/.bench: $(VENV)/.test
	@echo "Installing the benchmarks' peers into $(VENV) ..."
	@$(INSTALL) --no-build-isolation -e '.[book,test,bench]'
	@touch $@

# axe-core for the browser test; without npm or a network that part is skipped with a message.
node_modules/.ready: package.json
	@echo "Installing axe-core into node_modules ..."
	@mkdir -p node_modules
	@npm install --silent --no-audit --no-fund --no-package-lock 2>/dev/null || \
	  echo "axe-core could not be installed (npm): accessibility tests will be skipped"
	@touch $@
