"""What the About page says, written from the declarations of boards, columns, judges and states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from evaluator.judge_loading import registry
from evaluator.judges.kind import AUTO
from leaderboard.page.copies import paper_entry
from leaderboard.page.judge_quality import HOW_TO_MEASURE
from leaderboard.page.links import address_of, path_of, section_of
from leaderboard.page.reproduction import STEPS
from leaderboard.page.state import AboutState
from leaderboard.parts.board_kind import Board, BoardKind
from leaderboard.parts.columns import Column, text_of
from leaderboard.parts.methods import BoardAbout, Example, Method
from submissions.schema import PromptSet
from submissions.store.queue import JobStatus
from submissions.version import VERSION


class FactValue(TypedDict):
    """A term and what it means."""

    name: str
    text: str


class ColumnMethodValue(TypedDict):
    """The section of one column."""

    id: str
    section: str
    label: str
    meaning: str
    facts: list[FactValue]


class BoardMethodValue(TypedDict):
    """The section of one board."""

    id: str
    title: str
    board_link: str
    ranks: str
    steps: list[str]
    ranking: str
    null_rows: list[FactValue]
    guards: list[FactValue]
    limits: list[str]
    licence: str
    pages: list[FactValue]
    columns: list[ColumnMethodValue]


class StepValue(TypedDict):
    """One step of reproducing a score."""

    words: str
    command: str


class PartValue(TypedDict):
    """One part of the page, as its contents name it."""

    name: str
    text: str
    """What it says, in a sentence."""
    link: str


class MethodsValue(TypedDict):
    """The contents of the page, or one of its parts; every string is shown as text."""

    contents: list[PartValue]
    """Empty where a part is shown."""
    back: str
    """The address of the contents; blank where they are shown."""
    boards: list[BoardMethodValue]
    """The board that is the part; empty where it is none."""


class GuideColumnValue(TypedDict):
    """One column in the guide below a table."""

    label: str
    meaning: str
    link: str


class GuideValue(TypedDict):
    """The guide to the columns of a board."""

    columns: list[GuideColumnValue]


class JudgesValue(TypedDict):
    """Which judges there are."""

    judges: list[FactValue]
    measure: str


class PracticeValue(TypedDict):
    """How to reproduce a score, to cite it, and what happens to a submission."""

    steps: list[StepValue]
    papers: list[FactValue]
    """Board and BibTeX of its paper."""
    states: list[FactValue]
    sets: list[FactValue]
    version: str


_BETTER = {"higher": "higher is better", "lower": "lower is better", "nearer_zero": "nearer 0 is better"}
_STATED = {"text": "text", "code": "text", "day": "a day (UTC)", "time": "a moment (UTC)"}
"""Units of columns that hold no numbers."""

LIMITS, PRACTICE = "limits", "practice"
"""The parts that are about no board."""
_OTHER_PARTS = {
    LIMITS: (
        "Judges and their limits",
        "Which judges there are, and how far each can be trusted.",
    ),
    PRACTICE: (
        "Reproduce a score, cite it",
        "The commands that reproduce a score, BibTeX of the papers, and the states of a submission.",
    ),
}


def parts(kinds: Sequence[BoardKind[Any]]) -> frozenset[str]:
    """What a link may name of the page: boards and other parts, by their keys."""
    return frozenset((*(kind.key for kind in kinds), *_OTHER_PARTS))


def methods_value(kinds: Sequence[BoardKind[Any]], part: str) -> MethodsValue:
    """What the page says of boards.

    Args:
        kinds: Every registered board.
        part: The part that is read; blank = the contents, which lead to all.
    """
    if part:
        boards = [board_method(kind) for kind in kinds if kind.key == part]
        return {"contents": [], "back": address_of(AboutState()), "boards": boards}
    said = {kind.key: (kind.title, kind.question) for kind in kinds} | _OTHER_PARTS
    contents: list[PartValue] = [
        {"name": name, "text": text, "link": address_of(AboutState(section=key))} for key, (name, text) in said.items()
    ]
    return {"contents": contents, "back": "", "boards": []}


def _about(kind: BoardKind[Any]) -> BoardAbout:
    """How a board comes about.

    Raises:
        ValueError: a registered board that does not say so.
    """
    if kind.about is None:
        raise ValueError(f"the board {kind.key} declares no `about`: say in its BoardKind how its figures come about")
    return kind.about


def board_method(kind: BoardKind[Any]) -> BoardMethodValue:
    """The part about one board.

    Raises:
        ValueError: a registered board that does not say how it comes about.
    """
    board, about = kind.key, _about(kind)
    return {
        "id": f"methods-{board}",
        "title": kind.title,
        "board_link": path_of(board),
        "ranks": about.ranks,
        "steps": list(about.steps),
        "ranking": about.ranking,
        "null_rows": _facts(about.null_rows),
        "guards": _facts(about.guards),
        "limits": list(about.limits),
        "licence": about.licence,
        "pages": _facts(about.pages),
        "columns": [_column_method(board, column, about.methods.get(column.key)) for column in kind.columns],
    }


def section_id(board: Board, column: str) -> str:
    """Where the page speaks of a column; ids hold no dots, which CSS would read as classes."""
    return f"methods-{board}-{column}"


def _column_method(board: Board, column: Column[Any], method: Method | None) -> ColumnMethodValue:
    return {
        "id": section_id(board, column.key),
        "section": section_of(board, column.key),
        "label": column.label,
        "meaning": column.tooltip,
        "facts": [{"name": name, "text": text} for name, text in _column_facts(column, method) if text],
    }


def _column_facts(column: Column[Any], method: Method | None) -> list[tuple[str, str]]:
    docs = f"docs/{column.docs_page}, {column.docs_anchor}" if column.docs_anchor else ""
    if method is None:
        return [("Unit", _STATED[column.format]), ("More", docs)]
    return [
        ("Unit and range", method.scale),
        ("Direction", direction_of(column, method)),
        ("Formula", method.formula),
        ("Rests on", method.rests_on),
        ("Example", example_text(method.example, column) if method.example else ""),
        ("No value", method.undefined),
        ("More", docs),
    ]


def direction_of(column: Column[Any], method: Method) -> str:
    """Which way is better; blank where nothing says so."""
    if column.better:
        return _BETTER[column.better]
    return f"neither end is better: {method.neither}" if method.neither else ""


def example_text(example: Example, column: Column[Any]) -> str:
    """The example with the figure the program computes for it, written as the column writes it."""
    return f"{example.given} {text_of(example.result(), column.format)}"


def guide_value(board: Board, columns: Sequence[Column[Any]]) -> GuideValue:
    """What the columns of a board mean, each with the link of its section; no links where no page speaks of them."""
    return {
        "columns": [
            {
                "label": column.label,
                "meaning": column.tooltip,
                "link": address_of(AboutState(section=section_of(board, column.key))),
            }
            for column in columns
        ]
    }


def judges_value() -> JudgesValue:
    """The judges one can configure."""
    known = [(" or ".join(kind.written), kind.words) for kind in registry.JUDGES] + [(AUTO, registry.WORDS_OF_AUTO)]
    judges: list[FactValue] = [{"name": name, "text": f"{words[0].upper()}{words[1:]}"} for name, words in known]
    return {"judges": judges, "measure": HOW_TO_MEASURE}


def practice_value(kinds: Sequence[BoardKind[Any]], prompt_sets: Sequence[PromptSet]) -> PracticeValue:
    """What one does with a number."""
    cited = {paper_entry(kind.paper): kind.title for kind in kinds if kind.paper}  # two boards may share one
    return {
        "steps": [{"words": step.words, "command": step.command} for step in STEPS],
        "papers": [{"name": name, "text": text} for text, name in cited.items()],
        "states": [{"name": status.value, "text": status.sentence} for status in JobStatus],
        "sets": [{"name": prompt_set.title, "text": prompt_set.version} for prompt_set in prompt_sets],
        "version": VERSION,
    }


def _facts(named: Sequence[tuple[str, str]]) -> list[FactValue]:
    return [{"name": name.replace("_", " "), "text": text} for name, text in named]
