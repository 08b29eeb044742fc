# Everything a fresh machine needs: python3 with venv, make, and root or sudo for Debian packages.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := demo
# Draws, kills and fuzzed inputs that the long tests try: `EFFORT=4 make test-all` tries four times as many, and more examples of each
# property.
export EFFORT ?= 1
DRAWS = $(shell expr 10 \* $(EFFORT))
LONG := $(if $(filter 1,$(EFFORT)),slow,slow or hypothesis)
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)
APT := $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# The tests start hundreds of processes; without cached bytecode, each would compile every module.
unexport PYTHONDONTWRITEBYTECODE
# Built by npm from desk/, and not committed.
STATIC := grader/shardwise/app/static
BUNDLES := grader/shardwise/student/widget/desk.js $(STATIC)/app.js $(STATIC)/worker.js $(STATIC)/offline.js \
  shardwise-bank/shardwise_bank/static/forms.js
# Python for the browser, which sites are made of: from npm and PyPI, by desk/engine.py, and not committed.
ENGINE := $(STATIC)/engine/LICENSES.txt
NPM := $(or $(shell command -v npm),$(CURDIR)/.node/bin/npm)
WITH_NODE := PATH="$(dir $(NPM)):$$PATH"
RUN_NPM := $(WITH_NODE) $(NPM)
# In alphabetical order, so that the browser tests run early, while other tests use the cores that they leave idle. Three processes, because
# two would leave two cores idle for a fifth of the time.
PYTEST := $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder

.PHONY: demo test quick-tests code-is-sound bank-is-read bank-is-sound test-all long-tests many-draws lint generated dist figures lock bench bench-all hostile fuzz mutants reality planner planner-peers desk screenshots site clean

demo: $(VENV)/.demo $(BUNDLES) /usr/bin/bwrap  ## Assign a set to a demo class, grade its simulated submissions, print the table
	rm -rf $(DEMO)
	$(BIN)/shardwise assign examples/demo/set.yaml --roster examples/demo/roster.csv --out $(DEMO) --key $(DEMO)/course.key
	$(BIN)/python examples/demo/class.py $(DEMO)
	$(BIN)/shardwise grade $(DEMO)/submitted --out $(DEMO)/results --solutions
	@echo "A feedback page: $(CURDIR)/$(DEMO)/results/feedback/first-light/bo.html"

test: $(VENV)/.test $(BUNDLES) $(ENGINE) /usr/bin/bwrap /usr/bin/chromium-headless-shell  ## Style, types, the bank's lint and the quick tests: about seven minutes on two cores
	$(MAKE) --no-print-directory -j 3 quick-tests code-is-sound bank-is-sound

bank-is-read:  # fills the cache, so that no other process has to parse the YAML
	$(BIN)/shardwise list > /dev/null

quick-tests: bank-is-read
	$(PYTEST) -n 3 -m "not slow"

code-is-sound: desk/node_modules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	cd desk && $(RUN_NPM) run --silent style
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml

# In parallel with the tests at low priority, because these wait for browsers and kernels a quarter of the time.
bank-is-sound: bank-is-read  # on the first three draws of each problem; test-all has more
	nice -n 19 $(BIN)/shardwise lint --bank . --seeds 3
	$(BIN)/shardwise render --bank . --check
	$(BIN)/shardwise coverage --bank . --write docs/coverage.md --check
	$(BIN)/shardwise formulas --bank . --write docs/formulas.md --check

test-all: $(VENV)/.test $(BUNDLES) $(ENGINE) /usr/bin/bwrap /usr/bin/chromium-headless-shell  ## All other tests: every attack, random kills, more draws
	$(MAKE) --no-print-directory -j 2 long-tests many-draws

long-tests:
	$(PYTEST) -n 3 -m "$(LONG)" tests

many-draws:
	nice -n 19 $(BIN)/shardwise lint --bank . --seeds $(DRAWS)
	nice -n 19 $(BIN)/shardwise lint --bank examples/bank --seeds $(DRAWS)
	nice -n 19 $(BIN)/shardwise lint --bank examples/physics --seeds $(DRAWS)

lint: $(VENV)/.test  ## The bank's lint, with a hundred draws of each problem
	$(BIN)/shardwise lint --bank . --seeds 100

generated: $(VENV)/.test figures  ## Every committed file that follows from problems, references and kinds: figures, notebooks, pages, golden questions
	$(BIN)/shardwise render --bank .
	$(BIN)/shardwise coverage --bank . --write docs/coverage.md
	$(BIN)/shardwise formulas --bank . --write docs/formulas.md
	$(BIN)/python -m docs.generated
	$(BIN)/python tests/golden/write.py

site: $(VENV)/.test $(BUNDLES) $(ENGINE)  ## The practice app for any web server, with the book as its documentation in site/docs
	$(BIN)/python -m book site/docs
	$(BIN)/shardwise site site --bank .
	@echo "To see it: $(BIN)/python -m http.server --bind 127.0.0.1 --directory $(CURDIR)/site"

dist: $(VENV)/.test $(BUNDLES) $(ENGINE)  ## The wheels and sdists of both packages, as a release publishes them
	rm -rf dist
	$(BIN)/uv build -q --out-dir dist .
	$(BIN)/uv build -q --out-dir dist shardwise-bank

figures: $(VENV)/.test
	$(BIN)/python -m solutions.figures

bench: $(VENV)/.test /usr/bin/bwrap  ## Speed compared with nbgrader and Otter, each in its own environment, and the plot; ten minutes
	$(BIN)/python bench/grading.py
	$(BIN)/python bench/checking.py
	$(BIN)/python bench/draws.py
	$(BIN)/python bench/scale.py

bench-all: bench $(BUNDLES) $(ENGINE) /usr/bin/chromium-headless-shell  ## Every number in bench/README.md; half an hour
	$(BIN)/python bench/isolation.py
	$(BIN)/python bench/sandbox.py
	$(BIN)/python bench/cluster.py
	$(BIN)/python bench/kills.py
	$(BIN)/python bench/hostile.py
	$(BIN)/python bench/desk.py
	$(BIN)/python bench/site.py

hostile: $(VENV)/.test /usr/bin/bwrap  ## A table of the attacks, without a sandbox and at every tier
	$(BIN)/python tests/submissions/table.py

fuzz: $(VENV)/.test  ## A coverage-guided fuzzer on the parsers, a minute each
	$(BIN)/python tests/fuzz/coverage_guided.py --seconds 60

mutants: $(VENV)/bin/uv  ## Mutation tests of the references: docs/mutants.md; half an hour, or MODULES=ring for one; in its own environment
	test -d .mutmut || $(BIN)/uv venv -q --python $(BIN)/python .mutmut
	$(BIN)/uv pip sync -q --python .mutmut/bin/python --require-hashes tests/mutation/requirements.lock
	.mutmut/bin/python -m tests.mutation $(MODULES) --processes 2 --write docs/mutants.md

reality: $(VENV)/bin/uv  ## The formulas compared with PyTorch on this machine: docs/reality.md; installs 5 GB into .reality
	test -d .reality || $(BIN)/uv venv -q --python $(BIN)/python .reality
	$(BIN)/uv pip sync -q --python .reality/bin/python --require-hashes tests/reality/requirements.lock
	.reality/bin/python -m tests.reality --write docs/reality.md

planner: $(VENV)/.test  ## The planner compared with published runs: docs/planner.md and its plots
	$(BIN)/python -m bench.planner --write docs/planner.md

planner-peers: $(VENV)/.test  ## Predictions of llm-analysis, Calculon and SimuMax for the same runs, each in its own environment; needs the network
	$(BIN)/python -m bench.planner --ask

desk: $(BUNDLES) $(ENGINE) desk/node_modules  ## Check the front end in desk/, and build it into both packages
	cd desk && $(RUN_NPM) run --silent style

$(BUNDLES) &: $(shell find desk -name node_modules -prune -o -type f -print) | desk/node_modules
	cd desk && $(RUN_NPM) run --silent build

# It compiles our own modules, too. `make dist` and `make site` work without the latest; those just start more slowly in the browser.
$(ENGINE): desk/engine.py desk/engine.lock desk/compile.mjs desk/package-lock.json | $(VENV)/bin/uv desk/node_modules
	$(WITH_NODE) $(BIN)/python desk/engine.py

desk/node_modules: desk/package-lock.json | $(NPM)
	cd desk && $(RUN_NPM) ci --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

$(CURDIR)/.node/bin/npm: $(VENV)/bin/uv
	$(PYTHON) -m venv .node
	$(BIN)/uv pip install -q --python .node/bin/python --require-hashes -r desk/node.lock

screenshots: $(VENV)/.test $(BUNDLES) /usr/bin/chromium-headless-shell  ## Screenshots of every form, figure and state into docs/img/all, and those of the docs into docs/img; six minutes
	$(BIN)/python -m pytest -q tests/browser/screenshots.py

lock: $(VENV)/.test  ## Update the lock files after a change of dependencies in pyproject.toml
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-header -q -o requirements.lock
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-header -q -o requirements-dev.lock
	$(BIN)/uv pip compile desk/node.in --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-header -q -o desk/node.lock
	$(BIN)/python desk/engine.py --lock

$(VENV)/bin/uv:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --require-hashes -r requirements-uv.lock

$(VENV)/.demo: $(VENV)/bin/uv requirements.lock pyproject.toml shardwise-bank/pyproject.toml
	$(BIN)/uv pip install -q --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/uv pip install -q --python $(BIN)/python --no-deps --editable . --editable shardwise-bank
	touch $@

$(VENV)/.test: $(VENV)/bin/uv requirements-dev.lock pyproject.toml shardwise-bank/pyproject.toml examples/bank/pyproject.toml
	$(BIN)/uv pip install -q --python $(BIN)/python --require-hashes -r requirements-dev.lock
	$(BIN)/uv pip install -q --python $(BIN)/python --no-deps --editable . --editable shardwise-bank --editable examples/bank
	touch $@

/usr/bin/bwrap:
	$(APT) update -q && $(APT) install -y -q --no-install-recommends bubblewrap

/usr/bin/chromium-headless-shell:
	$(APT) update -q && $(APT) install -y -q --no-install-recommends chromium-headless-shell fonts-dejavu-core fonts-liberation

clean:  ## Delete everything that was built and is not committed
	rm -rf $(VENV) .bench .mutants .mutmut .node .planner-peers .reality .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf $(DEMO) build dist site book/_build desk/node_modules docs/img/all $(BUNDLES) $(STATIC)/engine
