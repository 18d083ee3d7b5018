"""How much of its prompt set a submission answers, and which views may rank it (specs: eloquent, section 5)."""

from __future__ import annotations

from collections import Counter

from submissions.schema import Count, Coverage, PromptSet, Submission

RANK_MIN_COVERAGE = 0.95
"""Share of each group's variants that must be answered for a rank."""

RANK_MIN_ANSWERS = 2
"""Answers every group needs: agreement is between two."""

_ENGLISH = "en"


def coverage_of(submission: Submission, prompt_set: PromptSet) -> Coverage:
    """Counts answers by language and by item and language.

    `rankable` has the views `english` and `all`: every group of the view (an item in a language with at least two
    variants) has at least two answers, and at least `RANK_MIN_COVERAGE` of the view's variants are answered. The
    English view of the 2024 set is that of the paper: its 15 groups, as item 009 has one English variant only.
    """
    expected = Counter((item.id, variant.language) for item in prompt_set.items for variant in item.variants)
    answered = Counter(
        (response.item_id, response.language) for response in submission.responses() if not response.is_blank
    )
    cells = {cell: Count(number, answered[cell]) for cell, number in expected.items()}
    groups = {cell: count for cell, count in cells.items() if expected[cell] >= RANK_MIN_ANSWERS}
    return Coverage(
        total=_sum(cells),
        by_language={
            language: _sum({cell: count for cell, count in cells.items() if cell[1] == language})
            for language in dict.fromkeys(language for _, language in cells)
        },
        by_item_language=cells,
        rankable={
            "english": _is_rankable({cell: count for cell, count in groups.items() if cell[1] == _ENGLISH}),
            "all": _is_rankable(groups),
        },
    )


def _sum(cells: dict[tuple[str, str], Count]) -> Count:
    return Count(sum(count.expected or 0 for count in cells.values()), sum(count.answered for count in cells.values()))


def _is_rankable(groups: dict[tuple[str, str], Count]) -> bool:
    if not groups or any(count.answered < RANK_MIN_ANSWERS for count in groups.values()):
        return False
    return (_sum(groups).share or 0.0) >= RANK_MIN_COVERAGE
