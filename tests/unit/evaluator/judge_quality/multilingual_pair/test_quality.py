"""What the judge was found to be worth, and what is good enough."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evaluator.judge_quality.multilingual_pair.measurement import answers_table, measured
from evaluator.judge_quality.multilingual_pair.statements import StatedPair, languages, statements_digest
from evaluator.judges.multilingual_pair.quality import (
    LanguageQuality,
    Measured,
    shipped_quality,
)
from evaluator.values import MetricValue

DOCS = Path(__file__).parents[5] / "docs" / "embedded_judges.md"
NOTHING = MetricValue(value=None, n=0)


def found(auc: float, low: float) -> Measured:
    value = MetricValue(value=auc, low=low, high=1.0, n=97)
    return Measured(
        same=33,
        different=148,
        auc=value,
        contradiction=NOTHING,
        by_kind={},
        accuracy=NOTHING,
        calibration_error=NOTHING,
    )


def quality(within: Measured, with_english: Measured | None) -> LanguageQuality:
    bad = found(0.5, 0.4)
    return LanguageQuality(
        language="sv",
        trained=True,
        within=within,
        with_english=with_english,
        answers=bad,
        answers_with_english=None if with_english is None else bad,
    )


def test_a_language_is_read_where_both_pass_at_085_with_a_lower_end_of_075() -> None:
    good, too_low, too_wide = found(0.85, 0.75), found(0.849, 0.80), found(0.95, 0.749)
    assert quality(good, good).passes
    assert quality(good, None).passes
    assert not quality(good, too_low).passes
    assert not quality(too_wide, good).passes


def test_each_kind_of_difference_is_set_against_what_says_the_same() -> None:
    scores = {"one": 4.0, "two": 3.0, "three": 3.5, "four": 1.0}
    pairs = [
        StatedPair("a", "same", "one", "sv", "x", "sv"),
        StatedPair("b", "same", "two", "sv", "x", "sv"),
        StatedPair("a", "negation", "three", "sv", "x", "sv"),
        StatedPair("b", "other_claim", "four", "sv", "x", "sv"),
    ]

    def rating(asked: Sequence[StatedPair]) -> list[float]:
        return [scores[pair.first] for pair in asked]

    result = measured(rating, pairs)
    assert (result.same, result.different) == (2, 2)
    assert result.contradiction.value == 0.5  # 4 > 3.5, 3 < 3.5
    assert {kind: value.value for kind, value in result.by_kind.items()} == {"negation": 0.5, "other_claim": 1.0}
    assert result.auc.value == 0.75  # 3 of 4
    assert result.accuracy.value == 0.75  # the negation stands above 2.5


def test_the_shipped_figures_are_of_these_statements_and_all_languages() -> None:
    shipped = shipped_quality()
    assert shipped.measured_on == statements_digest()
    assert tuple(one.language for one in shipped.languages) == languages()


def test_the_page_shows_the_shipped_figures() -> None:
    shown = " ".join(DOCS.read_text(encoding="utf-8").split())
    parts_at: dict[int, list[Measured]] = {}
    for one in shipped_quality().languages:
        for place, part in enumerate((one.within, one.with_english, one.answers, one.answers_with_english)):
            if part is not None:
                parts_at.setdefault(place, []).append(part)
    assert [len(parts) for parts in parts_at.values()] == [24, 23, 20, 19]
    for parts in parts_at.values():
        for figures in ([part.auc for part in parts], [part.contradiction for part in parts]):
            values = [figure.value for figure in figures if figure.value is not None]
            assert f"{min(values):.2f} to {max(values):.2f}" in shown
    assert f"{', '.join(languages()[:-1])} and {languages()[-1]}" in shown


def test_a_language_without_longer_texts_has_no_row_among_them() -> None:
    rated, not_written = (
        quality(found(0.9, 0.8), None),
        quality(found(0.9, 0.8), None).model_copy(update={"language": "he", "answers": None}),
    )
    shown = answers_table(shipped_quality().model_copy(update={"languages": (rated, not_written)}))
    assert "| sv | 0.50 [0.40, 1.00] " in shown
    assert "| he |" not in shown
