"""The desk's words on answers to prompts: the coverage grid, item by language, and the first answers as read."""

from __future__ import annotations

from leaderboard.parts.file_previews import CellState, FileView, GridCellValue, GridValue, Preview, cut, flag_words
from submissions.formats.eloquent.result import EloquentReading
from submissions.formats.preview import expected_judgements, first_answers, guard_flags
from submissions.schema import Count, Coverage, Flag

MOST_GAPS_NAMED = 12

SIGNS: dict[CellState, str] = {"full": "●", "part": "◐", "none": "○", "absent": ""}
"""Told apart without colour."""

_VIEWS = {"english": "English", "all": "all languages", "cultural": "cultural figures", "consistency": "consistency"}
_RANKABLE = {True: "yes", False: "no", None: "told by all files of the run together"}


def coverage_grid(coverage: Coverage | None) -> GridValue | None:
    """What a file answers, item by language; None where that is not known."""
    if coverage is None or not coverage.by_item_language:
        return None
    cells = coverage.by_item_language
    items = list(dict.fromkeys(item for item, _ in cells))
    languages = list(dict.fromkeys(language for _, language in cells))
    totals = [coverage.by_language.get(language) for language in languages]
    return {
        "caption": f"Coverage: {coverage.total.answered:,} of {coverage.total.expected:,} responses",
        "heads": languages,
        "rows": [
            {"item": item, "cells": [_cell(cells.get((item, language))) for language in languages]} for item in items
        ],
        "totals": [_text(total) for total in totals],
        "words": [*_ranks(coverage), _gaps(coverage)],
    }


def cell_state(count: Count | None) -> CellState:
    """How far a cell is answered."""
    if count is None or not count.expected:
        return "absent"
    if count.answered >= count.expected:
        return "full"
    return "part" if count.answered else "none"


def _cell(count: Count | None) -> GridCellValue:
    state = cell_state(count)
    return {"state": state, "sign": SIGNS[state], "text": _text(count)}


def _text(count: Count | None) -> str:
    return f"{count.answered}/{count.expected}" if count and count.expected else ""


def _gaps(coverage: Coverage) -> str:
    """The grid in a sentence: which cells lack answers."""
    gaps = [
        f"{item} {language} {_text(count)}"
        for (item, language), count in coverage.by_item_language.items()
        if cell_state(count) in ("part", "none")
    ]
    if not gaps:
        return "Every variant of every item is answered."
    more = f" and {len(gaps) - MOST_GAPS_NAMED} more" if len(gaps) > MOST_GAPS_NAMED else ""
    return f"Not fully answered: {', '.join(gaps[:MOST_GAPS_NAMED])}{more}."


def _ranks(coverage: Coverage) -> list[str]:
    known = [f"{_VIEWS.get(view, view)} {_RANKABLE[may]}" for view, may in coverage.rankable.items()]
    return [f"Enough for a rank: {', '.join(known)}."] if known else []


def read_as_set(reading: EloquentReading) -> str:
    """The prompt set a file of any edition is entered under."""
    return f"Read as {reading.entry.set_id}" if reading.entry else ""


def _preview(reading: EloquentReading) -> Preview | None:
    submission = reading.submission
    if submission is None:
        return None
    answered = [response for response in submission.responses() if not response.is_blank]
    languages = list(dict.fromkeys(response.language for response in answered))
    work = expected_judgements(submission)
    facts = {
        "Answers": f"{len(answered):,} of {sum(len(item.responses) for item in submission.items):,}",
        "Items": f"{len({response.item_id for response in answered}):,} of {len(submission.items):,}",
        "Languages": f"{len(languages)}: {', '.join(languages)}",
        "Work": "judgements of every two languages of the run: all of its files are scored together"
        if submission.edition == "2025"
        else f"up to {work:,} judgements of pairs of answers, each pair in both orders"
        if work
        else "no judgements: no two answers differ within a language",
    }
    rows = [
        [answer.item_id, str(answer.variant), answer.language, cut(answer.response), flags_text(answer.flags)]
        for answer in first_answers(submission)
    ]
    flags = [flag_words(flag, count, len(answered)) for flag, count in guard_flags(answered).items()]
    return Preview(facts, ["Item", "Variant", "Language", "Answer, as it was read", "Flags"], rows, flags)


def flags_text(flags: frozenset[Flag]) -> str:
    """Flags of one answer."""
    return ", ".join(sorted(flags)) or "none"


ANSWERS_VIEW = FileView(EloquentReading, read_as_set, _preview, grid=lambda reading: coverage_grid(reading.coverage))
