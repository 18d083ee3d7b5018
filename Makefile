# The commands of Plumbline. `make run` and `make test` install what they need first.
VENV   := .venv
PYTHON := $(VENV)/bin/python
ROOT   := $(if $(filter 0,$(shell id -u)),,sudo)
APT    := $(ROOT) env DEBIAN_FRONTEND=noninteractive apt-get

export HF_HUB_DISABLE_TELEMETRY := 1
export GRADIO_ANALYTICS_ENABLED := False

.PHONY: run test check clean

run: $(VENV)/.run  ## Start the page server and its worker on http://127.0.0.1:7860
	@exec $(PYTHON) app.py

test: $(VENV)/.dev chromium postgresql check  ## Everything: lint, types, import contract, all tests
	$(PYTHON) -m pytest $(ARGS)

check: $(VENV)/.dev  ## Lint, types, import contract
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

clean:  ## Remove the environment and caches; data/ stays
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	python3 -c 'import ensurepip' 2>/dev/null || ($(APT) update -qq && $(APT) install -y -qq python3-venv)
	python3 -m venv $(VENV)

# torch goes first and exactly pinned: a range would let pip choose a build with gigabytes of CUDA libraries.
$(VENV)/.run: requirements.txt | $(VENV)/bin/python
	$(PYTHON) -m pip install --quiet --disable-pip-version-check "$$(grep '^torch==' requirements.txt)"
	$(PYTHON) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

$(VENV)/.dev: pyproject.toml requirements.txt $(VENV)/.run
	$(PYTHON) -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

.PHONY: chromium
chromium:
	command -v chromium >/dev/null || ($(APT) update -qq && $(APT) install -y -qq chromium fonts-dejavu-core)

# Only its programs: tests start servers of their own. Debian also makes a cluster and, where it may, starts it.
.PHONY: postgresql
postgresql:
	ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || \
		($(APT) update -qq && $(APT) install -y -qq --no-install-recommends postgresql)

.PHONY: bench-judge
bench-judge: $(VENV)/.run  ## Speed of the judge engine, as ratios within one run (ARGS=--json, ARGS=--help)
	@HF_HUB_OFFLINE=1 $(PYTHON) -m benchmarks.judge_speed $(ARGS)

.PHONY: bench-injection
bench-injection: $(VENV)/.run  ## How far injected texts move a judge (ARGS="--judge J --json", ARGS=--help)
	@HF_HUB_OFFLINE=1 $(PYTHON) -m benchmarks.injection $(ARGS)

.PHONY: bench-coverage
bench-coverage: $(VENV)/.run  ## How often intervals hold the truth and rank bands the true rank (ARGS=--json, ARGS=--help)
	@$(PYTHON) -m benchmarks.coverage $(ARGS)

.PHONY: bench-board
bench-board: $(VENV)/.dev chromium  ## Speed of the board with many rows and visitors (ARGS="--rows 300 --visitors 100")
	@$(PYTHON) -m benchmarks.board_speed $(ARGS)

.PHONY: bench-attack
bench-attack: $(VENV)/.run chromium  ## What honest visitors see while somebody tries to stall the service (ARGS="--seconds 60")
	@HF_HUB_OFFLINE=1 $(PYTHON) -m benchmarks.under_attack $(ARGS)

.PHONY: bench-workers
bench-workers: $(VENV)/.run postgresql  ## Several workers on PostgreSQL against one on SQLite (ARGS="--workers 4 --json")
	@HF_HUB_OFFLINE=1 $(PYTHON) -m benchmarks.workers $(ARGS)

.PHONY: kill-rounds
kill-rounds: $(VENV)/.dev postgresql  ## Kill uploads, workers, pages, PostgreSQL (ARGS="--rounds 1000 --database sqlite --seed 1")
	@$(PYTHON) -m tests.service.kill_rounds $(ARGS)

.PHONY: fuzz
fuzz: $(VENV)/.dev  ## Check mutated files of every kind (ARGS="--count 100000 --seed 1", ARGS="--replay FILE")
	@$(PYTHON) -m tests.property.fuzz $(ARGS)
