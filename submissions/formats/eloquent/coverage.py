"""Coverage of a prompt set by a submission, and the views that may rank it (docs/metrics.md#coverage)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from submissions.promptsets.cultural import CULTURAL_KINDS, ELOQUENT_2026, CulturalKind, cultural_places
from submissions.schema import Count, Coverage, PromptSet, Submission

RANK_MIN_COVERAGE = 0.95
"""Share of each group's variants that must be answered for a rank."""

RANK_MIN_ANSWERS = 2
"""Answers every group needs: agreement is between two."""

CULTURAL_MIN_LANGUAGES = 5
"""Languages a run of 2026 needs for a rank."""

_ENGLISH = "en"


def coverage_of(submission: Submission, prompt_set: PromptSet) -> Coverage:
    """What of its set a submission of 2024 or 2025 answers."""
    return question_coverage(submission) if submission.edition == "2025" else variant_coverage(submission, prompt_set)


def question_coverage(submission: Submission) -> Coverage:
    """Of one file of 2025: nobody knows how many questions there were, and a rank needs the run's other languages."""
    languages = dict.fromkeys(response.language for response in submission.responses())
    answered = Counter(response.language for response in submission.responses() if not response.is_blank)
    return Coverage(
        total=Count(None, answered.total()),
        by_language={language: Count(None, answered[language]) for language in languages},
        rankable={"consistency": None},
    )


def cultural_coverage(
    languages: Sequence[str], answered: Mapping[tuple[CulturalKind, str], int], set_id: str = ELOQUENT_2026
) -> Coverage:
    """Of one zip of 2026.

    Args:
        languages: Listed in its metadata or present, in this order.
        answered: Kind and language -> responses that are not blank.
        set_id: Whose prompts are answered.

    Returns:
        The counts, with the kinds as the grid's items. `cultural` may be ranked with `CULTURAL_MIN_LANGUAGES` languages
        of which each file has `RANK_MIN_COVERAGE` of its answers.
    """
    cells = {
        (kind, language): Count(len(cultural_places(kind, set_id)), answered.get((kind, language), 0))
        for kind in CULTURAL_KINDS
        for language in languages
    }
    is_rankable = len(languages) >= CULTURAL_MIN_LANGUAGES and all(
        (count.share or 0.0) >= RANK_MIN_COVERAGE for count in cells.values()
    )
    return Coverage(
        total=_sum(cells.values()),
        by_language={
            language: _sum(count for cell, count in cells.items() if cell[1] == language) for language in languages
        },
        by_item_language={(str(kind), language): count for (kind, language), count in cells.items()},
        by_kind={kind: _sum(count for cell, count in cells.items() if cell[0] == kind) for kind in CULTURAL_KINDS},
        rankable={"cultural": is_rankable},
    )


def variant_coverage(submission: Submission, prompt_set: PromptSet) -> Coverage:
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
        total=_sum(cells.values()),
        by_language={
            language: _sum(count for cell, count in cells.items() if cell[1] == language)
            for language in dict.fromkeys(language for _, language in cells)
        },
        by_item_language=cells,
        rankable={
            "english": _is_rankable({cell: count for cell, count in groups.items() if cell[1] == _ENGLISH}),
            "all": _is_rankable(groups),
        },
    )


def _sum(counts: Iterable[Count]) -> Count:
    counted = list(counts)
    return Count(sum(count.expected or 0 for count in counted), sum(count.answered for count in counted))


def _is_rankable(groups: dict[tuple[str, str], Count]) -> bool:
    if not groups or any(count.answered < RANK_MIN_ANSWERS for count in groups.values()):
        return False
    return (_sum(groups.values()).share or 0.0) >= RANK_MIN_COVERAGE
