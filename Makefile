# Two commands matter: `make run` and `make test`. Both set everything up first; the second time that takes seconds.
# Needs Linux on x86-64, Python 3.11 to 3.13, git and make; everything else comes from package registries, by locked version and hash.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := .make
NODE := PATH="$(CURDIR)/$(BIN):$$PATH"
PYTEST_ARGUMENTS ?=
SECTION ?=
BEFORE ?=
SOAK_S ?= 600
ARCHIVE ?=
PARALLEL := -n 2 --dist loadfile --no-loadscope-reorder --max-worker-restart 0 --ignore tests/client/generated --ignore tests/browser
QUICK = $(BIN)/python -m pytest $(PARALLEL) --part quick $(PYTEST_ARGUMENTS)
# pip and npm fetch what an image is made of; with an archive there is nothing to fetch, and any Python does.
FETCHING = $(if $(ARCHIVE),,$(STAMPS)/python)
BUILDER = $(if $(ARCHIVE),$(PYTHON),$(BIN)/python)
# Kept, also where the environment says otherwise: without it every process of a test compiles the node and the tests anew.
unexport PYTHONDONTWRITEBYTECODE
PACKAGES := node attest verifier/svc_verifier client/svc_client image compose devkit tests benchmarks tools

.DEFAULT_GOAL := help
.PHONY: help setup run test test-root test-all test-newest quick lint format contract libraries guest snapshots vendored fuzz fuzz-stages clients crash bench soak lock clean image image-verify image-archive image-refresh

help: ## List what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMPS)/ready ## Install everything into .venv and node_modules

run: setup ## Run the node on loopback with its embedded stand-ins
	@$(BIN)/svc-devkit run

test: setup ## Run the tests of every change: all packages, of each table a sample
	@$(QUICK)

test-root: setup ## Run the tests of what only root can see; another user is told so
	@$(BIN)/python -m pytest $(PARALLEL) --part root $(PYTEST_ARGUMENTS)

test-all: setup ## Run all other tests: whole tables, every kill point, long histories, builds, generated clients, browsers
	@$(BIN)/python -m pytest $(PARALLEL) --part rest $(PYTEST_ARGUMENTS)
	@$(MAKE) --no-print-directory fuzz-stages clients test-newest

# In a .venv of its own; what is no Python's, node_modules and the snapshots, is that of `setup`.
test-newest: setup ## Run the tests of every change once more on the newest supported Python of this machine, and say which
	@python=$$($(BIN)/python -m tools.newest_python) && { test -z "$$python" || $(MAKE) --no-print-directory quick \
	  PYTHON="$$python" STAMPS="$(STAMPS)/$${python##*/}" VENV="$(STAMPS)/$${python##*/}/venv"; }

quick: $(STAMPS)/python
	@$(QUICK)

lint: setup ## Check format, style, types, layers and what was compiled or bundled
	@echo "lint: ruff format" && $(BIN)/ruff format --quiet --check .
	@echo "lint: ruff" && $(BIN)/ruff check --quiet .
	@echo "lint: mypy --strict" && $(BIN)/mypy --no-error-summary $(PACKAGES)
	@echo "lint: JavaScript types" && $(NODE) node node_modules/typescript/bin/tsc --project jsconfig.json
	@echo "lint: layers" && $(BIN)/lint-imports --no-logo >$(STAMPS)/layers.log || { cat $(STAMPS)/layers.log; exit 1; }
	@echo "lint: language" && $(BIN)/python -m tools.language
	@echo "lint: budget of lines" && $(BIN)/python -m tools.budget
	@echo "lint: contract artifacts" && $(NODE) node node/chain/contract/build.mjs --check && $(NODE) node devkit/governance/build.mjs --check && $(NODE) node tests/support/contract_wallets/build.mjs --check
	@$(NODE) node node/chain/deposits/contract/build.mjs --check && $(NODE) node devkit/token/build.mjs --check && $(NODE) node tests/support/tokens/build.mjs --check
	@echo "lint: ABI of the client" && $(BIN)/python -m tools.client_abi --check
	@echo "lint: methods of the clients" && $(BIN)/python -m tools.clients --check
	@echo "lint: synchronous client" && $(BIN)/python -m tools.synchronous --check
	@echo "lint: libraries of actions and of the dashboard" && $(NODE) node node/engine/libraries/build.mjs --check && $(NODE) node node/dashboard/build.mjs --check
	@echo "lint: guest of actions" && $(BIN)/python -m node.engine.guest.build --check

format: setup ## Format the code and apply the safe fixes
	@$(BIN)/ruff check --quiet --fix . ; $(BIN)/ruff format --quiet . ; $(BIN)/python -m tools.clients && $(BIN)/python -m tools.synchronous

contract: setup ## Compile the contracts and write their artifacts
	@$(NODE) node node/chain/contract/build.mjs
	@$(BIN)/python -m tools.client_abi
	@$(NODE) node devkit/governance/build.mjs
	@$(NODE) node tests/support/contract_wallets/build.mjs
	@$(NODE) node node/chain/deposits/contract/build.mjs
	@$(NODE) node devkit/token/build.mjs
	@$(NODE) node tests/support/tokens/build.mjs

libraries: setup ## Bundle the libraries that actions find, and that of the dashboard
	@$(NODE) node node/engine/libraries/build.mjs
	@$(NODE) node node/dashboard/build.mjs

guest: setup ## Compile the JavaScript engine of actions to WebAssembly (needs clang: docs/dependencies.md)
	@$(BIN)/python -m node.engine.guest.build
	@$(BIN)/python -m node.engine.guest.snapshot

fuzz: setup ## Try every parser of the verifier with 100,000 hostile inputs
	@$(BIN)/python -m pytest tests/verifier/test_fuzz.py -n 2 --dist load --fuzz-inputs 100000 -o faulthandler_timeout=3600 $(PYTEST_ARGUMENTS)

fuzz-stages: setup ## Try every stage of the verifier with 2,000 looks of flipped and retagged bytes (some minutes)
	@$(BIN)/python -m pytest tests/verifier/test_fuzz_stages.py -n 2 --dist load --stage-fuzz-inputs 2000 -o faulthandler_timeout=3600 $(PYTEST_ARGUMENTS)

clients: setup ## Generate clients of the API, check their types, and try the API page and the dashboard in a browser
	@$(BIN)/python -m pytest tests/client/generated tests/browser $(PYTEST_ARGUMENTS)

crash: setup ## Kill nodes at every boundary of the ledger, payments and deposits; the tests take a sample on PostgreSQL
	@$(BIN)/python -m pytest tests/ledger/postgres/test_boundaries.py tests/billing/payments/test_crashes.py tests/billing/payments/test_crashes_of_events.py tests/billing/tokens/test_crashes.py tests/ledger/test_crash.py -n 2 --dist load --crash-all -o faulthandler_timeout=3600 $(PYTEST_ARGUMENTS)

bench: setup ## Measure the node beside its baselines; SECTION=actions: one section alone; BEFORE=folder: beside an older checkout
	@$(BIN)/python -m benchmarks $(SECTION) $(if $(BEFORE),--before "$(BEFORE)")

soak: setup ## Load the node for SOAK_S seconds and fail when anything grows or stays behind
	@$(BIN)/python -m benchmarks.soak --seconds $(SOAK_S)

lock: setup ## Write the lock files anew from requirements/*.in and package.json
	@$(PYTHON) requirements/lock.py
	@$(NODE) npm install --package-lock-only --ignore-scripts --loglevel=error

image: $(FETCHING) ## Build the node's image: an OCI layout in image/out (ARCHIVE=file: without any network)
	@$(BUILDER) -m image build $(if $(ARCHIVE),--archive "$(ARCHIVE)")

image-verify: $(FETCHING) ## Build the image twice in clean storage and compare byte for byte
	@$(BUILDER) -m image verify $(if $(ARCHIVE),--archive "$(ARCHIVE)")

image-archive: $(STAMPS)/python ## Keep all inputs of the image in one file, image/inputs.tar (or ARCHIVE=file)
	@$(BIN)/python -m image archive $(if $(ARCHIVE),--archive "$(ARCHIVE)")

image-refresh: $(STAMPS)/python ## Lock the newest Debian packages, and the wheels of requirements/, for the image
	@$(BIN)/python -m image refresh

clean: ## Remove what setup installed; the node's data in .data stays
	rm -rf $(VENV) node_modules $(STAMPS) build dist *.egg-info node/http/swagger_ui node/dashboard/vendor node/engine/snapshots

$(STAMPS)/ready: $(STAMPS)/python $(STAMPS)/npm snapshots vendored
	@touch $@

# Looks at its inputs by itself: seconds when one of them has changed, else next to nothing.
snapshots: $(STAMPS)/python
	@$(BIN)/python -m node.engine.guest.snapshot

# Every time, since the client's module among them is edited here; copies only what has changed.
vendored: $(STAMPS)/npm
	@$(BIN)/python -m tools.vendored

# A stamp whose folder was removed says nothing.
ifeq ($(wildcard $(BIN)/python),)
.PHONY: $(STAMPS)/python
endif
ifeq ($(wildcard node_modules),)
.PHONY: $(STAMPS)/npm
endif

$(STAMPS)/python: requirements/build.txt requirements/development.txt pyproject.toml verifier/pyproject.toml client/pyproject.toml devkit/pyproject.toml
	@sh requirements/make_venv.sh "$(PYTHON)" "$(VENV)"
	@echo "setup: installing the locked Python packages (about a minute the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements/build.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --use-pep517 --no-build-isolation -r requirements/development.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --config-settings editable_mode=compat --editable .
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --config-settings editable_mode=compat --editable ./verifier
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable ./devkit
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --config-settings editable_mode=compat --editable ./client
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/npm: package-lock.json $(STAMPS)/python
	@echo "setup: installing the locked npm packages (local chain, Solidity compiler, API page, libraries of actions)"
	@$(NODE) npm ci --ignore-scripts --loglevel=error >$(STAMPS)/npm.log || { cat $(STAMPS)/npm.log; exit 1; }
	@mkdir -p node/http/swagger_ui
	@cd node_modules/swagger-ui-dist && cp swagger-ui.css swagger-ui-bundle.js favicon-32x32.png LICENSE ../../node/http/swagger_ui/
	@touch $@
