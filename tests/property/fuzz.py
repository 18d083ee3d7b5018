"""`make fuzz`: mutated files of every kind are checked, twice each; none may crash or be refused without a place.

Half of the files are real ones with bytes, lines or archive members changed, half are documents in which Hypothesis
puts any value in any place. What is at fault is kept as a file, with how it was read beside it, and can be checked
again with `--replay`.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import multiprocessing
import os
import random
import re
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, given

from benchmarks.provenance import commit
from evaluator.lab.session_file import loaded_session
from leaderboard.desk.checked_file import normalisation_words, preview_value
from leaderboard.desk.problem_values import problems_value
from submissions.check import EDITIONS, CheckReport, check_submission
from submissions.formats.personalization.submission import KIND as PERSONALIZED_KIND
from submissions.problems import listed
from submissions.promptsets import PromptSets
from submissions.schema import Names, VerdictChoices
from submissions.settings import Settings
from submissions.verdicts.swap_outcomes import Options
from tests.eloquent_files import laid_out
from tests.property.mutants import Seed, byte_mutant, changed_documents, places, seeds

BATCH = 500
"""Files that one process checks before it reports."""
CHECKS_OF_A_FILE = 2
"""Each is checked twice: the report must be the same."""
HANGS_AFTER_S = CHECKS_OF_A_FILE * Settings.from_env({}).check_s
"""CPU seconds: what is beyond the budget of a check would be refused for it."""

OPTIONS: tuple[Options | None, ...] = (None, 2, 3)

FAULTS = (
    "crashes",
    "files that hang",
    "refusals without a place",
    "reports out of order",
    "other reports of the same file",
)
"""Every line must be 0."""

_STEP = r"""(\.\w[\w-]* | \[\d+\] | \["([^"\\]|\\.)*"\])"""
PLACE = re.compile(
    rf"""\$ {_STEP}*                       # from the root: $.items[3].id; $ is the whole file
    |   \w[\w-]* {_STEP}*                 # from a member of the root: rows[2].options[0]
    |   {_STEP}+                          # ... with an unusual name: ["a b"].options
    |   .+ : \d+ ( : (\d+ | \w.*))?       # a line of JSON Lines or of a broken document: run.jsonl:12
    |   .+ : \$ {_STEP}*                  # a place in a member of an archive: metadata.json:$.languages
    """,
    re.VERBOSE | re.DOTALL,
)
"""How a problem names its place."""


@dataclass(frozen=True, slots=True)
class Case:
    """A file and how it is read."""

    name: str
    data: bytes
    edition: str = "auto"
    team: str | None = None
    options: Options | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A fault, and the file that shows it."""

    case: Case
    fault: str
    """One of `FAULTS`."""
    said: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of some files."""

    seen: Counter[str]
    """Files by kind and decision."""
    failures: list[Failure]
    compute_s: list[float]
    """CPU seconds that the check of each file took, in the order they were made."""
    seed: int
    """`Fuzzer.batch` makes the same files of it again."""


def faults_of(report: CheckReport) -> list[tuple[str, str]]:
    """What is wrong with the report of any file: the fault and where it was seen."""
    shown = json.loads(json.dumps(report.as_json(), ensure_ascii=False).encode("utf-8"))
    problems = shown["problems"]
    severities = {problem["severity"] for problem in problems}
    laws = {
        "totals": shown["problems_total"] == sum(shown["problems_by_code"].values()),
        "at most 200 listed": len(problems) <= 200,
        "codes": {problem["code"] for problem in problems} == set(shown["problems_by_code"]),
        "an error refuses, nothing else": (report.decision == "refused") == ("error" in severities),
        "words": all(problem["message"].strip() and problem["hint"].strip() for problem in problems),
        "one line": not any("\n" in problem["path"] + problem["message"] for problem in problems),
    }
    faults = [("reports out of order", law) for law, holds in laws.items() if not holds]
    for problem in problems:
        # A member of an archive with a wrong name is at no other place than that name.
        if not PLACE.fullmatch(problem["path"]) and problem["code"] != "file_name":
            faults.append(("refusals without a place", f"{problem['code']} at {problem['path']!r}"))
    return faults


class Fuzzer:
    """Checks cases in this process."""

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            eloquent = laid_out(Path(folder) / "eloquent")
            self._sets = PromptSets.load(eloquent / "official")
            files = seeds(eloquent)
        kinds: dict[tuple[str | None, str | None], list[Seed]] = {}
        for seed in files:
            report = self._report(Case(seed.name, seed.data))
            kinds.setdefault((report.kind, report.edition), []).append(seed)
        self._kinds = list(kinds.values())
        """Every kind is as likely as any other, however many files there are of it."""
        documents = [[document for seed in group if (document := seed.document)] for group in self._kinds]
        self._documents = [[(document, places(document)) for document in group] for group in documents if group]

    def batch(self, seed: int, count: int) -> Checked:
        """Checks so many files; the same seed gives the same ones."""
        seen: Counter[str] = Counter()
        failures: list[Failure] = []
        compute_s: list[float] = []
        for case in (*self._changed_files(seed, count // 2), *self._changed_documents(seed, count - count // 2)):
            begun = time.process_time()
            report, failure = self.checked(case)
            compute_s.append((time.process_time() - begun) / CHECKS_OF_A_FILE)
            seen[f"{report.kind or 'unknown kind'}: {report.decision}" if report else "no report"] += 1
            failures += [failure] if failure else []
        return Checked(seen, failures, compute_s, seed)

    def checked(self, case: Case) -> tuple[CheckReport | None, Failure | None]:
        """The report of a file, and the first thing that is wrong with it."""
        try:
            with _alarm():
                report = self._report(case)
                faults = faults_of(report)
                if self._report(case).as_json() != report.as_json():
                    faults.append(("other reports of the same file", report.decision))
                _shown(case, report)
        except TimeoutError:
            return None, Failure(case, "files that hang", f"still at it after {HANGS_AFTER_S} s of computing")
        except Exception:  # whatever it is, it is the fault that is looked for
            return None, Failure(case, "crashes", traceback.format_exc())
        return report, Failure(case, *faults[0]) if faults else None

    def _report(self, case: Case) -> CheckReport:
        return check_submission(
            case.data,
            case.name,
            edition=case.edition,
            names=Names(team=case.team),
            choices=VerdictChoices(options=case.options),
            prompt_sets=self._sets,
        )

    def _changed_files(self, seed: int, count: int) -> Iterator[Case]:
        dice = random.Random(seed)
        for _ in range(count):
            first, other = (dice.choice(dice.choice(self._kinds)) for _ in range(2))
            yield _case(first, byte_mutant(first, other, dice), dice)

    def _changed_documents(self, seed: int, count: int) -> list[Case]:
        made: list[bytes] = []

        @hypothesis.seed(seed)
        @hypothesis.settings(
            max_examples=count,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(changed_documents(self._documents))
        def collect(data: bytes) -> None:
            made.append(data)

        collect()
        dice = random.Random(seed)
        return [_case(Seed("file.json", b""), data, dice) for data in made[:count]]


def _case(seed: Seed, data: bytes, dice: random.Random) -> Case:
    """A file with, as a rule, its own name and nothing said about it."""
    name = seed.name if dice.randrange(8) else dice.choice(("a.csv", "a.json", "a.jsonl", "a.zip", "../\u202e", ""))
    return Case(
        name,
        data,
        edition=dice.choice(EDITIONS) if dice.randrange(4) == 0 else "auto",
        team=dice.choice((None, None, "aurora", "\u202e<b>")),
        options=dice.choice(OPTIONS),
    )


def _shown(case: Case, report: CheckReport) -> None:
    """What the desk makes of the report: none of it may fail either."""
    problems_value(listed(report.problems), io.BytesIO(case.data))
    preview_value(report)
    normalisation_words(report)
    if report.kind == PERSONALIZED_KIND:
        session = loaded_session(case.data, case.name)
        assert bool(session.states) != bool(session.faults), "a session is shown or refused with a reason"


@contextmanager
def _alarm() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError

    # Of CPU time: on a busy machine nothing takes longer.
    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, HANGS_AFTER_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


_fuzzer: list[Fuzzer] = []
"""Of this process, made when it is first asked."""


def _batch(task: tuple[int, int]) -> Checked:
    if not _fuzzer:
        _fuzzer.append(Fuzzer())
    return _fuzzer[0].batch(*task)


def fuzzed(count: int, seed: int, jobs: int) -> Iterator[Checked]:
    """Checks so many files in so many processes; yields each batch as it ends."""
    dice = random.Random(seed)
    sizes = [min(BATCH, count - start) for start in range(0, count, BATCH)]
    tasks = [(dice.randrange(2**32), size) for size in sizes]
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(_batch, tasks)


def timing(times: list[tuple[float, str]]) -> list[str]:
    """CPU seconds of the check of a file, and which file took longest.

    >>> timing([(0.5, "file 0 of seed 7"), (0.25, "file 1 of seed 7")])
    ['CPU seconds of a check: p50 0.5000, p99 0.5000, at most 0.5000 (file 0 of seed 7)']
    """
    if not times:
        return []
    ordered = sorted(times)
    at = {percent: ordered[min(len(ordered) * percent // 100, len(ordered) - 1)][0] for percent in (50, 99)}
    longest, file = ordered[-1]
    return [f"CPU seconds of a check: p50 {at[50]:.4f}, p99 {at[99]:.4f}, at most {longest:.4f} ({file})"]


def keep(failure: Failure, folder: Path) -> Path:
    """Writes a file at fault, and beside it how it was read and what happened; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{failure.fault.replace(' ', '-')}-{hashlib.sha256(failure.case.data).hexdigest()[:12]}"
    path.write_bytes(failure.case.data)
    read_as = {name: value for name, value in asdict(failure.case).items() if name != "data"}
    about = json.dumps({"case": read_as, "fault": failure.fault, "said": failure.said}, indent=1)
    path.with_suffix(".json").write_text(about + "\n", encoding="utf-8")
    return path


def kept(path: Path) -> Case:
    """The case of a file that `keep` wrote."""
    read_as: dict[str, Any] = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["case"]
    return Case(data=path.read_bytes(), **read_as)


def main(arguments: list[str] | None = None) -> int:
    """Prints what was checked, then every fault with its count; exit 1 where one is not 0."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="files (default 100,000)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one per core)")
    parser.add_argument("--failures", type=Path, default=Path(tempfile.gettempdir()) / "plumbline-fuzz")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="check one kept file again")
    options = parser.parse_args(arguments)
    if options.replay:
        return _replay(options.replay)
    print(f"{options.count:,} files, seed {options.seed}, commit {commit()}", flush=True)
    seen: Counter[str] = Counter()
    faults: Counter[str] = Counter(dict.fromkeys(FAULTS, 0))
    times: list[tuple[float, str]] = []
    began = said = time.monotonic()
    try:
        for checked in fuzzed(options.count, options.seed, options.jobs):
            seen += checked.seen
            files = (f"file {number} of seed {checked.seed}" for number in range(len(checked.compute_s)))
            times += zip(checked.compute_s, files, strict=True)
            for failure in checked.failures:
                faults[failure.fault] += 1
                print(
                    f"{failure.fault}: {keep(failure, options.failures)}: {failure.said.splitlines()[-1]}", flush=True
                )
            if time.monotonic() - said > 30:
                said = time.monotonic()
                print(f"{seen.total():,} checked, {said - began:.0f} s", flush=True)
    except KeyboardInterrupt:
        print(f"stopped after {seen.total():,} files")
    for name, number in [*sorted(seen.items()), ("seconds", round(time.monotonic() - began)), *faults.items()]:
        print(f"{number:>9,}  {name}")
    for line in timing(times):
        print(line)
    return int(any(faults.values()) or seen.total() != options.count)


def _replay(path: Path) -> int:
    report, failure = Fuzzer().checked(kept(path))
    print(failure.said if failure else f"no fault: {report.decision if report else ''}")
    return int(failure is not None)


if __name__ == "__main__":
    sys.exit(main())
