"""Letters that models answered with and without a preference (arXiv 2509.19358), and our made-up ratings of them.

Only letters, positions and right or wrong are taken: no question, option, preference or response text is in a table.
"""

from __future__ import annotations

import ast
import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.golden_data.tables import Contents, as_csv, packed
from tests.golden_data.upstream import Upstream

PREFERENCES = {"truthful_qa": 14, "commonsense_qa": 12, "mmlu": 11}
SHORT = {"truthful_qa": "tqa", "commonsense_qa": "cqa", "mmlu": "mmlu"}
RATINGS = Path(__file__).parents[1] / "data" / "personalization" / "ratings.txt"
"""Per run and setting a line of ratings, one character each: 1 to 5, u for unparsable, - for not judged."""
RATING_WORDS = {"u": "unparsable", "-": ""}

MIXTRAL, LLAMA_8B, LLAMA_70B = "Mixtral-8x7B-Instruct-v0.1", "Llama-3.1-8B-Instruct", "Llama-3.3-70B-Instruct-4bit"
FOLDER = "results/mcq_results/relevant"
TRUTHFUL_QA_ROWS = 817
"""Two files hold these questions first, then those of CommonsenseQA."""

Cells = dict[str, str]


@dataclass(frozen=True, slots=True)
class Answered:
    """One question: what the model answered to it, and to it under each preference."""

    place: int
    """In its data set, from 0."""
    n_options: int
    gold: str
    control: str
    by_preference: dict[int, str]
    """By the number of the preference, from 1."""

    def assigned(self, n_preferences: int) -> int:
        """The preference that is given to this question: all in turn."""
        return self.place % n_preferences + 1


@dataclass(frozen=True, slots=True)
class Run:
    """The answers of one system to one data set."""

    system: str
    method: str
    dataset: str
    rows: list[Answered]
    repeats: dict[int, bool]
    """By place: whether a second control run was right."""
    settings: tuple[str, ...] = ("relevant",)
    """What the made-up ratings pretend that it was run under."""


def answers(upstream: Upstream) -> Contents:
    """The table of real answers, that with made-up ratings, and that of every preference."""
    runs = list(_runs(upstream))
    group = ["system", "run", "method", "dataset", "setting", "example_id"]
    letters = ["pref_id", "n_options", "gold", "no_pref_answer", "pref_answer"]
    flags = ["correct_no_pref", "correct_pref"]
    real = as_csv([*group, *letters, *flags, "correct_no_pref_repeat"], (row for run in runs for row in _real(run)))
    written = RATINGS.read_text(encoding="ascii").splitlines()
    synthetic = as_csv([*group, *flags, "rating"], (row for run in runs for row in _synthetic(run, written)))
    every = ["system", "method", "dataset", "example_id", "correct_no_pref", "correct_by_pref"]
    per_preference = as_csv(every, (row for run in runs if len(run.rows[0].by_preference) > 1 for row in _every(run)))
    return {
        "personalization/real_rows.csv.gz": packed(real),
        "personalization/synthetic_rows.csv.gz": packed(synthetic),
        "personalization/per_preference.csv.gz": packed(per_preference),
    }


def _runs(upstream: Upstream) -> Iterator[Run]:
    """In the order of the tables. One of ten parts of CommonsenseQA is not public: its 123 places stay empty."""
    direct, chain = f"{FOLDER}/direct", f"{FOLDER}/cot"
    yield Run(MIXTRAL, "naive", "truthful_qa", _parts(upstream, f"{direct}/truthful_qa/{MIXTRAL}", range(10)), {})
    yield Run(LLAMA_8B, "icl", "mmlu", _parts(upstream, f"{FOLDER}/icl/mmlu/{LLAMA_8B}", range(30)), {})
    again = _controlled(upstream, f"{FOLDER}/icl/full/{MIXTRAL}_0_1442_")[TRUTHFUL_QA_ROWS:]
    rows = _parts(upstream, f"{direct}/commonsense_qa/{MIXTRAL}", range(10), missing={4: 123})
    repeats = {place: row["no_pref_ans"] == row["gold_option"] for place, row in enumerate(again)}
    yield Run(MIXTRAL, "naive", "commonsense_qa", rows, repeats)
    yield Run(MIXTRAL, "cot", "truthful_qa", _parts(upstream, f"{chain}/truthful_qa/{MIXTRAL}", range(10)), {})
    both = _controlled(upstream, f"{direct}/full/Llama-3.3-70B-Instruct_0_1442_")
    settings = ("relevant", "mixed", "irrelevant")
    for dataset, part in (("truthful_qa", both[:TRUTHFUL_QA_ROWS]), ("commonsense_qa", both[TRUTHFUL_QA_ROWS:])):
        rows = [_of_one_preference(place, row, PREFERENCES[dataset]) for place, row in enumerate(part)]
        yield Run(LLAMA_70B, "naive", dataset, rows, {}, settings)


def _parts(
    upstream: Upstream, stem: str, numbers: Sequence[int], missing: dict[int, int] | None = None
) -> list[Answered]:
    """A data set that was answered in parts, one file each."""
    rows: list[Answered] = []
    place = 0
    for number in numbers:
        if missing and number in missing:
            place += missing[number]
            continue
        for cells in _table(upstream.read(f"{stem}_{number}.csv")):
            rows.append(_of_every_preference(place, cells))
            place += 1
    return rows


def _controlled(upstream: Upstream, start: str) -> list[Cells]:
    """The rows of the one file whose path begins so: a figure of the run ends its name."""
    (path,) = (path for path in upstream.paths() if path.startswith(start))
    return _table(upstream.read(path))


def _table(data: bytes) -> list[Cells]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8"), newline="")))


def _of_every_preference(place: int, cells: Cells) -> Answered:
    numbers = [int(name.split("_")[1]) for name in cells if name.startswith("profile_") and name.endswith("_answer")]
    letters = {number: letter_of(cells[f"profile_{number}_answer"]) for number in numbers}
    return Answered(place, n_options(cells["options"]), cells["gold_option"], letters.pop(0), letters)


def _of_one_preference(place: int, cells: Cells, n_preferences: int) -> Answered:
    letters = {place % n_preferences + 1: letter_of(cells["pref_ans"])}
    return Answered(place, n_options(cells["options"]), cells["gold_option"], letter_of(cells["no_pref_ans"]), letters)


def letter_of(extracted: str) -> str:
    """What the published extractor found: a letter or -1; nothing; or something longer.

    >>> [letter_of(text) for text in ("B", "-1", "None", "B, D, F")]
    ['B', '-1', '', 'OTHER']
    """
    if extracted == "None":
        return ""
    return extracted if len(extracted) == 1 or extracted == "-1" else "OTHER"


def n_options(written: str) -> int:
    """The number of options in a list as Python prints it, or in an array, which always has four.

    >>> n_options("['yes', 'no']"), n_options("['0' '4' '2' '6']")
    (2, 4)
    """
    try:
        options = ast.literal_eval(written)
    except SyntaxError:
        return 4
    return len(options) if len(options) > 1 else 4


def _real(run: Run) -> Iterator[list[object]]:
    n_preferences = PREFERENCES[run.dataset]
    for row in run.rows:
        pref_id = row.assigned(n_preferences)
        answer = row.by_preference[pref_id]
        repeat = run.repeats.get(row.place)
        yield [
            *(run.system, 1, run.method, run.dataset, "relevant", _example(run, row), pref_id),
            *(row.n_options, row.gold, row.control, answer, *_flags(row, answer)),
            "" if repeat is None else int(repeat),
        ]


def _synthetic(run: Run, written: list[str]) -> Iterator[list[object]]:
    start = f"{run.system} {run.method} {run.dataset}"
    ratings = [_line(written, f"{start} {setting} ") for setting in run.settings]
    for number, row in enumerate(run.rows):
        flags = _flags(row, row.by_preference[row.assigned(PREFERENCES[run.dataset])])
        for setting, of_setting in zip(run.settings, ratings, strict=True):
            rating = RATING_WORDS.get(of_setting[number], of_setting[number])
            key = (run.system, "synthetic", run.method, run.dataset, setting, _example(run, row))
            yield [*key, *flags, rating]


def _every(run: Run) -> Iterator[list[object]]:
    for row in run.rows:
        right = "".join(str(int(row.by_preference[number] == row.gold)) for number in sorted(row.by_preference))
        yield [run.system, run.method, run.dataset, _example(run, row), int(row.control == row.gold), right]


def _line(written: list[str], start: str) -> str:
    (line,) = (line for line in written if line.startswith(start))
    return line.removeprefix(start)


def _flags(row: Answered, answer: str) -> tuple[int, int]:
    return int(row.control == row.gold), int(answer == row.gold)


def _example(run: Run, row: Answered) -> str:
    return f"{SHORT[run.dataset]}-{row.place:04}"
