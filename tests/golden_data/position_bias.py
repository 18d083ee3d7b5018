"""Verdicts of judges on MT-bench and DevBench, taken from the raw answers released with arXiv 2406.07791 (MIT).

Only verdict letters, identifiers and character counts are taken, no answer texts.
"""

from __future__ import annotations

import io
import pickle
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.golden_data.tables import Contents, as_csv
from tests.golden_data.upstream import Upstream
from tests.golden_data.workbook import rows_of

ABSENT = "nan"
"""What an empty cell of the workbook was counted as when its characters were counted."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """How the repository holds one benchmark."""

    name: str
    folder: str
    workbook: str
    sampled_workbook: str
    """Questions and tasks of the repetitions."""
    verdict: re.Pattern[str]
    """Its first match is the verdict, as published."""
    reference: str
    queries: re.Pattern[str]
    """Half of the questions: the expected figures are of these."""
    repeated: frozenset[str]
    """Half of the questions that judges were asked three times."""


MTBENCH = Benchmark(
    name="mtbench",
    folder="MTBench",
    workbook="QA_data/full_data/MTBench/MTBench_data.xlsx",
    sampled_workbook="QA_data/repetition_sampled_data/MTBench/Repetition1-MTBench_3q-4m-vicuna13b-v1.3.xlsx",
    verdict=re.compile(r"\[\[([ABCD])\]\]"),
    reference="vicuna-13b-v1.3",
    queries=re.compile(r"\d*[13579]"),
    repeated=frozenset(["86", "96", "102", "109", "116", "122", "129", "136", "142", "149", "152", "159"]),
)
DEVBENCH = Benchmark(
    name="devbench",
    folder="DevBench",
    workbook="QA_data/full_data/DevBench/human_4gpts_6opens_detailedTasks.xlsx",
    sampled_workbook=(
        "QA_data/repetition_sampled_data/DevBench/Repetition1-human_4gpts_6opens_sample-3q-4m-human.xlsx"
    ),
    verdict=re.compile("(?:Choice: |选择：)([ABCD])"),
    reference="human",
    queries=re.compile(r"(ArXiv_digest|TextCNN|listen-now-frontend|xlsx2csv)_.*"),
    repeated=frozenset(
        {
            "Actor_relationship_game_uml_class-faithfulness",
            "idcenter_UML_sequence-faithfulness",
            "idcenter_architecture_design-faithfulness",
            "idcenter_uml_class-faithfulness",
            "people_management_uml_class-general",
            "redis-cache_UML_sequence-faithfulness",
            "redis-cache_architecture_design-faithfulness",
            "xlsx2csv_UML_sequence-general",
            "xlsx2csv_architecture_design-general",
        }
    ),
)


_PAIR_COLUMNS = ("task", "model", "query", "verdict_original", "verdict_swapped")
_LENGTH_COLUMNS = ("benchmark", "task", "query", "model", "question_chars", "answer_chars")


def verdicts(upstream: Upstream) -> Contents:
    """Pairs, repetitions and lengths of both benchmarks: of half of the questions, and whole below `published`."""
    tables: Contents = {}
    for benchmark in (MTBENCH, DEVBENCH):
        questions = rows_of(upstream.read(benchmark.workbook))
        sampled = rows_of(upstream.read(benchmark.sampled_workbook))
        tasks = {row["index"]: row["task"] for row in (*questions, *sampled)}
        pairs = sorted(_pairs(upstream, benchmark, tasks))
        repetitions = sorted(_repetitions(upstream, benchmark, tasks))
        lengths = sorted(_lengths(benchmark, questions))
        tables |= _written(f"published/position_bias/{benchmark.name}", pairs, repetitions, lengths)
        tables |= _written(
            f"position_bias/{benchmark.name}",
            [row for row in pairs if benchmark.queries.fullmatch(row[3])],
            [row for row in repetitions if row[4] in benchmark.repeated],
            [row for row in lengths if benchmark.queries.fullmatch(row[2])],
        )
    return tables


def _written(
    stem: str, pairs: list[list[str]], repetitions: list[list[str]], lengths: list[tuple[str, str, str, str, int, int]]
) -> Contents:
    return {
        f"{stem}_pairs.csv": as_csv(["judge", *_PAIR_COLUMNS], pairs),
        f"{stem}_repetitions.csv": as_csv(["judge", "repetition", *_PAIR_COLUMNS], repetitions),
        f"{stem}_lengths.csv": as_csv(_LENGTH_COLUMNS, lengths),
    }


def _pairs(upstream: Upstream, benchmark: Benchmark, tasks: dict[str, str]) -> Iterator[list[str]]:
    for path in upstream.paths(rf"data_{benchmark.folder}_position_bias/.*/tmp\.pkl$"):
        for row in compared(plain_values(upstream.read(path)), benchmark, tasks):
            yield [_judge(path), *row]


def _repetitions(upstream: Upstream, benchmark: Benchmark, tasks: dict[str, str]) -> Iterator[list[str]]:
    for path in upstream.paths(rf"data_{benchmark.folder}_repetition/Repetition\d.*/tmp\.pkl$"):
        number = path.partition("/Repetition")[2][0]
        for row in compared(plain_values(upstream.read(path)), benchmark, tasks):
            yield [_judge(path), number, *row]


def compared(answers: dict[str, Any], benchmark: Benchmark, tasks: dict[str, str]) -> Iterator[list[str]]:
    """Task, model, query and the verdicts of both orders: answers are kept by "query;slot A;slot B"."""
    for key in answers:
        query, first, second = key.split(";")
        if first == benchmark.reference:
            both = (answers[key], answers[f"{query};{second};{first}"])
            yield [tasks[query], second, query, *(verdict_of(str(answer), benchmark.verdict) for answer in both)]


def verdict_of(answer: str, pattern: re.Pattern[str]) -> str:
    """The letter of the first match; N where there is none.

    >>> [verdict_of(text, MTBENCH.verdict) for text in ("[[C]], not [[A]]", "A")]
    ['C', 'N']
    """
    found = pattern.search(answer)
    return found[1] if found else "N"


def _judge(path: str) -> str:
    """The judge that a folder is named for: "..._record0_gpt-4-0613_3"."""
    return path.rpartition("_record0_")[2].rpartition("/")[0].rpartition("_")[0]


def _lengths(benchmark: Benchmark, questions: list[dict[str, str]]) -> Iterator[tuple[str, str, str, str, int, int]]:
    """Characters of each question and answer, without blanks around them; those of both turns together."""
    for row in questions:
        models = {re.sub(r"^answer(_[12])?-", "", name) for name in row if name.startswith("answer")}
        asked = _characters(row, "question(_[12])?")
        for model in models:
            said = _characters(row, rf"answer(_[12])?-{re.escape(model)}")
            yield (benchmark.name, row["task"], row["index"], model, asked, said)


def _characters(row: dict[str, str], columns: str) -> int:
    return sum(len((text or ABSENT).strip()) for name, text in row.items() if re.fullmatch(columns, name))


class _Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name}: only dictionaries, lists, texts and numbers are read")


def plain_values(data: bytes) -> dict[str, Any]:
    """A pickled dictionary of plain values.

    Raises:
        pickle.UnpicklingError: when it names a class or function; none is ever called.
    """
    values: dict[str, Any] = _Plain(io.BytesIO(data)).load()
    return values
