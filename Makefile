# `make help` lists the targets. All of them can be repeated, also after an interruption.

ifneq (,$(filter 3.%,$(MAKE_VERSION)))
$(error GNU make 4.0 or newer is needed, and this is $(MAKE_VERSION). On macOS: brew install make, then say gmake instead of make)
endif

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PORT ?= 8501
# Where torch comes from, if not from pip's usual index: https://download.pytorch.org/whl/cpu is the CPU build.
TORCH_INDEX ?=
# A Python of your choice; python3.11, else python3, if empty.
PYTHON ?=

PY := .venv/bin/python
STAMP := .venv/.installed
TORCH := $(shell sed -n 's/^torch==/&/p' constraints.txt)

.PHONY: help run install lint check test catalogue encoder benchmark clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

run: $(STAMP) ## start the app and print its address; PORT=8501 unless given
	@echo "Trainwright: http://localhost:$(PORT) (Ctrl-C stops it)"
	exec $(PY) -m streamlit run app.py --server.address localhost --server.port $(PORT) \
	  --server.headless true --browser.gatherUsageStats false

install: $(STAMP) ## make .venv with everything in it; TORCH_INDEX=URL takes torch from there
	@echo "Installed. The command is .venv/bin/trainwright"

# Torch comes first and alone, so that only it is taken from TORCH_INDEX; its own needs come with the rest.
$(STAMP): pyproject.toml constraints.txt
	@new_enough='import sys; sys.exit(sys.version_info < (3, 11))'
	# venv writes `activate` last: without it, making .venv was cut off.
	if ! { [ -e .venv/bin/activate ] && $(PY) -c "$$new_enough" && $(PY) -m pip --version; } >/dev/null 2>&1; then
	  python='$(PYTHON)'; found=
	  for candidate in $${python:-python3.11 python3}; do
	    if "$$candidate" -c "$$new_enough" 2>/dev/null; then python=$$candidate; found=yes; break; fi
	  done
	  if [ -z "$$found" ]; then
	    echo "Python 3.11 or newer is needed. Found:"
	    for candidate in $${python:-python3.11 python3}; do
	      echo "  $$candidate: $$("$$candidate" --version 2>/dev/null || echo none that runs)"
	    done
	    echo "Install one, or name it: make install PYTHON=/path/to/python3.11"
	    exit 1
	  fi >&2
	  if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then
	    echo "$$python ($$("$$python" --version)) lacks the venv module. On Debian and Ubuntu: apt-get install python3-venv" >&2
	    exit 1
	  fi
	  echo "Making .venv with $$("$$python" --version)"
	  "$$python" -m venv --clear .venv
	fi
	# An install that was cut off leaves packages that pip takes as complete, though it had not yet written its
	# INSTALLER, the last step but one, or moved half away (~name).
	for info in .venv/lib/python*/site-packages/*.dist-info; do
	  [ -e "$$info/INSTALLER" ] || rm -rf "$$info"
	done
	rm -rf .venv/lib/python*/site-packages/~*
	echo "Installing $(TORCH), the largest package by far"
	$(PY) -m pip install -q --disable-pip-version-check --no-deps $(if $(TORCH_INDEX),--index-url '$(TORCH_INDEX)') '$(TORCH)'
	if $(PY) -m pip show torch 2>/dev/null | grep -E '^Requires:.*(nvidia|cuda)' >/dev/null; then
	  echo "This is torch's CUDA build, which needs several GB more. For the CPU build, stop here and run:"
	  echo "  make clean install TORCH_INDEX=https://download.pytorch.org/whl/cpu"
	fi
	echo "Installing the rest, pinned in constraints.txt; this takes some minutes"
	$(PY) -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

lint: $(STAMP) ## check format, lint and types
	@$(PY) -m ruff format --check
	$(PY) -m ruff check
	$(PY) -m mypy

check: lint ## lint, then the fast unit tests
	@$(PY) -m pytest -m 'not slow and not browser' -q

test: lint ## lint, then all tests, those in a browser too
	@$(PY) -m pytest -n 2

catalogue: $(STAMP) ## import tests/data/tables into ontology/catalogue
	@.venv/bin/trainwright catalogue build tests/data/tables

encoder: $(STAMP) ## train the encoder's head anew, fit the weights, print the evaluation
	@$(PY) -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[encoder]'
	OMP_NUM_THREADS=2 $(PY) -m assistant.encoder_training

benchmark: $(STAMP) ## measure what the README reports: latency, held-out questions
	@$(PY) -m benchmarks.latency
	$(PY) -m benchmarks.held_out

clean: ## remove .venv and all caches and build artefacts
	@rm -rf .venv .mypy_cache .pytest_cache .ruff_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
