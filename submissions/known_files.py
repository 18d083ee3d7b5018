"""Every kind of file that some page or command reads, told from a look at it, and the door that takes it.

The one recogniser: Submit, Judge report, pack and the commands ask it, so that a file which is dropped at the wrong
door is named there and sent to the right one. A new reader is a line here.
"""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import BinaryIO, Literal

from submissions.formats.eloquent.cultural_metadata import LABEL_2026, METADATA_FILE
from submissions.formats.eloquent.edition_2024 import ROOT_KEY, TEST_SET_KEY
from submissions.formats.eloquent.edition_2025 import LABEL_2025
from submissions.formats.file_kind import states
from submissions.formats.judge_verdicts.reader import has_verdict_columns
from submissions.kinds import stated_kinds
from submissions.own_tasks.task import PREDICTION, TASK
from submissions.reading.glimpse import HEAD_BYTES, Glimpse, glimpse_of
from submissions.reading.quoting import keys_shown

DoorKey = Literal["submit", "pack", "judge_report", "labels", "position_bias", "personalization"]


@dataclass(frozen=True, slots=True)
class Door:
    """A page or a command that takes a file."""

    where: str
    """On the site, as a page calls it; blank for a command alone."""
    command: str
    """With {file} for the file."""

    def command_for(self, name: str) -> str:
        """The command for a file of that name."""
        return self.command.format(file=shlex.quote(name))

    def words(self, name: str) -> str:
        """What to do with a file of that name, as a sentence.

        >>> Door("Submit", "python -m submissions check {file}").words("a b.json")
        "Drop it on Submit, or run: python -m submissions check 'a b.json'"
        """
        command = self.command_for(name)
        return f"Drop it on {self.where}, or run: {command}" if self.where else f"Run: {command}"


DOORS: dict[DoorKey, Door] = {
    "submit": Door("Submit", "python -m submissions check {file}"),
    "pack": Door(
        "Submit, under “Several files, or a zip of any shape”",
        "python -m submissions pack {file} --team TEAM --system SYSTEM",
    ),
    "judge_report": Door("Judges, Judge report", "python -m evaluator judge-report {file}"),
    "labels": Door(
        "Judges, Judge report, as “Labels by people” beside the judge's log",
        "python -m evaluator judge-report LOG --labels {file}",
    ),
    "position_bias": Door("", "python -m evaluator position-bias {file}"),
    "personalization": Door("", "python -m evaluator personalization {file}"),
}


@dataclass(frozen=True, slots=True)
class FileType:
    """One kind of file."""

    key: str
    title: str
    """As messages name it: `this is TITLE`."""
    doors: tuple[DoorKey, ...]
    """Who takes it, the first before all others."""
    recognises: Callable[[Glimpse], bool]

    def pointer(self, name: str) -> str:
        """Where a file of that name is taken."""
        return DOORS[self.doors[0]].words(name)


ID_KEYS = ("id", "questionid", "question_id", "prompt_id", "qid")
ANSWER_KEYS = (
    "answer",
    "response",
    "output",
    "completion",
    "generated_text",
    "prediction",
    "model_response",
    "model_answer",
    "model_output",
)
_LIST_KEYS = ("responses", "variants", "answers", "turns")
SCORE_KEYS = ("score", "rating")
_LIST_OF_ROWS = re.compile(rb'"[ \t\r\n]{0,8}:[ \t\r\n]{0,80}\[[ \t\r\n]{0,80}\{')
_ID_OF_ROW = re.compile(rf'"(?:{"|".join(ID_KEYS)})"[ \t\r\n]{{0,8}}:'.encode())
_ANSWER_OF_ROW = re.compile(rf'"(?:{"|".join(ANSWER_KEYS)})"[ \t\r\n]{{0,8}}:[ \t\r\n]{{0,80}}"'.encode())
_COMPARISON = ("question", "first", "second", "verdict")
_RATING = ("question", "system", "rating")


def _is_row(seen: Glimpse) -> bool:
    return seen.is_list and seen.shape in ("json", "json_lines", "csv")


def _states_kind(seen: Glimpse) -> bool:
    return seen.has("kind") and any(states(key, seen.head) for key in stated_kinds())


def _is_verdict_table(seen: Glimpse) -> bool:
    return seen.shape == "csv" and has_verdict_columns(seen.keys) and not _is_wide(seen)


def _is_wide(seen: Glimpse) -> bool:
    """Whether a row holds the verdicts of both orders, which the form of submissions has in two rows."""
    return seen.shape == "csv" and seen.has("verdict_original", "verdict_swapped") and not seen.has("order")


def _is_inspect(seen: Glimpse) -> bool:
    if seen.shape == "zip":
        is_log = b"header.json" in seen.head and (b"samples/" in seen.head or b"_journal/" in seen.head)
        return seen.name.lower().endswith(".eval") or is_log
    return not seen.is_list and (seen.has("eval", "samples") or seen.has("eval", "plan", "status"))


def _is_mlflow(seen: Glimpse) -> bool:
    is_trace = seen.has("info", "data") or seen.has("trace_id", "spans") or (seen.has("traces") and not seen.is_list)
    is_table = seen.has("columns", "data") and any(mark in seen.head for mark in (b'/score"', b'\\/score"'))
    return (is_trace and b'"assessments"' in seen.head) or is_table


def _is_answers(seen: Glimpse) -> bool:
    has_id, has_answer = _has_any(seen, ID_KEYS), _has_any(seen, (*ANSWER_KEYS, *_LIST_KEYS))
    is_by_id = not seen.is_list and seen.shape == "json" and any(_is_id(key) for key in seen.keys)
    return (_is_row(seen) and has_id and has_answer) or is_by_id or _holds_rows(seen)


def _holds_rows(seen: Glimpse) -> bool:
    """Whether rows of answers stand within an object, `{"language": "de", "results": [{"id": ..., "answer": ...}]}`."""
    return (
        seen.shape == "json"
        and not seen.is_list
        and _LIST_OF_ROWS.search(seen.head) is not None
        and _ID_OF_ROW.search(seen.head) is not None
        and _ANSWER_OF_ROW.search(seen.head) is not None
    )


def _holds_json(seen: Glimpse) -> bool:
    return seen.shape == "zip" and any(suffix in seen.head for suffix in (b".jsonl", b".json"))


def _has_any(seen: Glimpse, keys: tuple[str, ...]) -> bool:
    return any(seen.has(key) for key in keys)


def _is_id(key: str) -> bool:
    first, _, second = key.strip()[:40].partition("-")
    return first.isdecimal() and (second.isdecimal() or "-" not in key)


SUBMISSIONS: tuple[FileType, ...] = (
    FileType("eloquent_2024", "a submission to ELOQUENT 2024", ("submit", "pack"), lambda seen: seen.has(ROOT_KEY)),
    FileType(
        "eloquent_test_set",
        "the test set of ELOQUENT 2024",
        ("submit", "pack"),
        lambda seen: seen.has(TEST_SET_KEY),
    ),
    FileType(
        "eloquent_2025",
        "a submission to ELOQUENT 2025",
        ("submit", "pack"),
        lambda seen: (
            not seen.is_list
            and (seen.has("questions") or (seen.has("label") and f'"{LABEL_2025}"'.encode() in seen.head))
        ),
    ),
    FileType(
        "eloquent_2026",
        "a submission to ELOQUENT 2026",
        ("submit", "pack"),
        lambda seen: seen.shape == "zip" and METADATA_FILE.encode() in seen.head,
    ),
    FileType(
        "eloquent_metadata",
        "the metadata of a submission to ELOQUENT 2026",
        ("pack",),
        lambda seen: seen.has("label") and f'"{LABEL_2026}"'.encode() in seen.head,
    ),
    FileType("stated_kind", "a submission that states its kind", ("submit",), _states_kind),
    FileType(
        "own_task",
        "predictions for a task of this site",
        ("submit",),
        lambda seen: seen.shape == "csv" and seen.has(TASK, PREDICTION),
    ),
    FileType("judge_verdicts", "a table of judge verdicts", ("submit", "position_bias"), _is_verdict_table),
)
"""What teams submit; asked first, as these say what they are."""

JUDGE_LOGS: tuple[FileType, ...] = (
    FileType(
        "fastchat",
        "FastChat / MT-bench judgment",
        ("judge_report",),
        lambda seen: (
            seen.has("question_id", "judge", "model_1", "g1_winner")
            or seen.has("question_id", "judge", "model", "score")
        ),
    ),
    FileType(
        "alpaca_eval",
        "AlpacaEval annotations",
        ("judge_report",),
        lambda seen: seen.has("output_1", "output_2", "preference"),
    ),
    FileType(
        "judge_arena",
        "JudgeArena annotations",
        ("judge_report",),
        lambda seen: seen.has("judge_completion", "model_A", "model_B"),
    ),
    FileType("inspect", "inspect_ai log", ("judge_report",), _is_inspect),
    FileType(
        "promptfoo",
        "promptfoo output",
        ("judge_report",),
        lambda seen: (
            seen.has("evalId", "results")
            or seen.has("results", "config", "shareableUrl")
            or (not seen.is_list and seen.has("results") and b'"gradingResult"' in seen.head)
        ),
    ),
    FileType(
        "reward_bench",
        "RewardBench results",
        ("judge_report",),
        lambda seen: seen.has("results", "subset") or seen.has("results", "text_chosen"),
    ),
    FileType(
        "judge_bench",
        "JudgeBench outputs",
        ("judge_report",),
        lambda seen: seen.has("pair_id", "judgments", "response_A"),
    ),
    FileType(
        "lmarena",
        "LMArena votes, MT-bench human judgments",
        ("judge_report", "labels"),
        lambda seen: (
            seen.has("model_a", "model_b")
            and _has_any(seen, ("question_id", "id"))
            and (seen.has("winner") or seen.has("winner_model_a", "winner_model_b", "winner_tie"))
        ),
    ),
    FileType(
        "comparia",
        "compar:IA votes",
        ("judge_report", "labels"),
        lambda seen: seen.has("model_a_name", "model_b_name", "chosen_model_name", "both_equal"),
    ),
    FileType(
        "lm_eval",
        "lm-evaluation-harness samples",
        ("judge_report",),
        lambda seen: seen.has("doc_id", "target", "resps") and _has_any(seen, ("filtered_resps", "metrics")),
    ),
    FileType(
        "llm_bar",
        "LLMBar results",
        ("judge_report",),
        lambda seen: seen.has("input", "output_1", "output_2", "label", "results"),
    ),
    FileType(
        "deep_eval",
        "DeepEval test run",
        ("judge_report",),
        # The keys behind the test cases of a large file are not seen.
        lambda seen: (
            (seen.has("testCases") and b'"metricsData"' in seen.head)
            or seen.has("testCases", "metricsScores")
            or (seen.has("test_results") and b'"metrics_data"' in seen.head)
            or seen.has("test_results", "confident_link")
        ),
    ),
    FileType("mlflow", "MLflow assessments", ("judge_report",), _is_mlflow),
    FileType(
        "every_eval_ever",
        "Every Eval Ever samples",
        ("judge_report", "pack"),
        lambda seen: seen.has("evaluation_id", "sample_id", "model_id", "evaluation"),
    ),
    FileType(
        "ratings",
        "answers with ids and scores",
        ("judge_report", "pack"),
        lambda seen: (
            _is_row(seen) and _has_any(seen, ID_KEYS) and _has_any(seen, ANSWER_KEYS) and _has_any(seen, SCORE_KEYS)
        ),
    ),
    FileType("csv", "CSV of judgements", ("judge_report", "labels"), lambda seen: seen.shape == "csv"),
)
"""What Judge report reads, under the keys and titles of `evaluator.judge_logs.registry`; asked in this order."""

_NAMED_LOGS = tuple(log for log in JUDGE_LOGS if log.key != "csv")
_OTHERS: tuple[FileType, ...] = (
    FileType(
        "label_sheet",
        "a sheet of answers to label",
        ("labels",),
        lambda seen: seen.shape == "csv" and seen.has("label_id", "label"),
    ),
    FileType(
        "wide_verdicts",
        "a table of judge verdicts, both orders in a row",
        ("position_bias",),
        _is_wide,
    ),
    FileType(
        "personalization_rows",
        "a table of answers under preferences",
        ("personalization",),
        lambda seen: seen.shape == "csv" and seen.has("example_id", "dataset", "setting"),
    ),
    FileType(
        "judgements",
        "a table of judgements",
        ("judge_report", "labels"),
        lambda seen: seen.shape == "csv" and (seen.has(*_COMPARISON) or seen.has(*_RATING)),
    ),
    FileType("openai_batch", "batch results of OpenAI", ("pack",), lambda seen: seen.has("custom_id", "response")),
    FileType("anthropic_batch", "batch results of Anthropic", ("pack",), lambda seen: seen.has("custom_id", "result")),
    FileType("answers", "answers with ids", ("pack",), _is_answers),
    FileType("packed_answers", "a zip of .json or .jsonl files", ("pack",), _holds_json),
    FileType("table", "a table", ("judge_report",), lambda seen: seen.shape == "csv"),
)


FILE_TYPES: tuple[FileType, ...] = (*SUBMISSIONS, *_NAMED_LOGS, *_OTHERS)
"""Asked in this order; the first that recognises a file has it."""


def file_type_of(seen: Glimpse) -> FileType | None:
    """What a file is; None where nothing here reads it."""
    return next((known for known in FILE_TYPES if known.recognises(seen)), None)


def look_at(content: bytes | BinaryIO, name: str, most: int = HEAD_BYTES) -> tuple[Glimpse, FileType | None]:
    """A look at a file, and what it is.

    Args:
        content: Its bytes, or the file itself at its start, where it stands afterwards.
        name: Its base name.
        most: Bytes that are looked at.
    """
    seen = glimpse_of(io.BytesIO(content) if isinstance(content, bytes) else content, name, most)
    return seen, file_type_of(seen)


def words_of_other(content: bytes | BinaryIO, name: str, own: Collection[DoorKey]) -> str:
    """Says what a file is that none of some doors takes, and who takes it; blank of a file that one of them takes.

    >>> words_of_other(b'{"custom_id": 1}', "a.json", {"pack"})
    ''
    """
    seen, known = look_at(content, name)
    if known is None or not known.doors or not set(known.doors).isdisjoint(own):
        return ""
    return f"this is {words_of(seen, known)}. {known.pointer(name)}"


def words_for_table_command(content: bytes, name: str, own: DoorKey) -> str:
    """As `words_of_other`, for a command that reads tables alone: a file that is no table is named too.

    >>> words_for_table_command(b'{"a": 1}', "a.json", "position_bias")
    'this is JSON with the keys "a", no table'
    """
    seen, known = look_at(content, name)
    if known is None and seen.shape != "csv":
        return f"this is {words_of(seen, known)}, no table"
    return words_of_other(content, name, {own})


def words_of(seen: Glimpse, known: FileType | None) -> str:
    """What a file is, as messages say it after `this is`.

    >>> words_of(Glimpse("a.csv", "csv", ("x", "y")), None)
    'a table with the columns "x", "y"'
    """
    if known is not None and known.key == "stated_kind":
        kind = next((key for key in stated_kinds() if states(key, seen.head)), "")
        return f"a submission of the kind {kind}" if kind else known.title
    if known is not None and known.key not in ("table", "csv"):
        return known.title
    match seen.shape:
        case "csv":
            return f"a table with the columns {keys_shown(list(seen.keys)) or 'of no name'}"
        case "json" | "json_lines" | "parquet":
            what = {"json": "JSON", "json_lines": "JSON Lines", "parquet": "a Parquet file"}[seen.shape]
            return f"{what} with the keys {keys_shown(list(seen.keys))}" if seen.keys else what
        case "zip":
            return "a zip archive"
        case "binary":
            return seen.what
        case "empty":
            return "an empty file"
    return "a text"
