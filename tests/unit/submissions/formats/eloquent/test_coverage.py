"""Coverage: what is answered, and which views may be ranked."""

from __future__ import annotations

from typing import Any

from submissions.formats.eloquent.coverage import coverage_of, cultural_coverage
from submissions.promptsets.cultural import CULTURAL_KINDS, cultural_places
from submissions.schema import Coverage, Item, Names, PromptSet, Response, ResponseSet, Submission, Variant

SHAPE = (("001", "en en en sv sv"), ("002", "en sv"), ("003", "en en"))
"""Groups of at least two: 001 in en and sv, 003 in en. Slots in groups: 3 + 2 + 2 = 7, English 5."""


def coverage(answered: str) -> Coverage:
    """Of a submission to SHAPE; `answered` has one sign per variant ("x" answered, "-" blank), items after blanks."""
    items, sets = [], []
    for (item_id, languages), signs in zip(SHAPE, answered.split(), strict=True):
        variants = tuple(Variant(n, language, "?") for n, language in enumerate(languages.split(), start=1))
        items.append(Item(item_id, "vocabulary", variants))
        texts = ["an answer" if sign == "x" else " " for sign in signs]
        sets.append(
            ResponseSet(
                item_id,
                tuple(
                    Response(item_id, item_id, "variant", each.number, each.language, None, (("", text),), text)
                    for each, text in zip(variants, texts, strict=True)
                ),
            )
        )
    prompt_set = PromptSet("set", "2024", "Set", "1", None, tuple(items))
    return coverage_of(Submission("2024", "set", Names(), None, None, (), "0", tuple(sets)), prompt_set)


def test_everything_answered() -> None:
    found = coverage("xxxxx xx xx")
    assert (found.total.expected, found.total.answered, found.total.share) == (9, 9, 1.0)
    assert {language: count.expected for language, count in found.by_language.items()} == {"en": 6, "sv": 3}
    assert found.by_item_language[("001", "sv")].expected == 2
    assert found.rankable == {"english": True, "all": True}


def test_a_language_left_out_leaves_the_english_view() -> None:
    assert coverage("xxx-- x- xx").rankable == {"english": True, "all": False}


def test_an_item_with_one_variant_in_a_language_is_no_group() -> None:
    assert coverage("xxxxx -- xx").rankable == {"english": True, "all": True}


def test_a_group_with_two_answers_can_still_fall_short_of_the_share() -> None:
    # 4 of the 5 English slots = 0.8 < 0.95; 6 of 7 = 0.857 < 0.95.
    assert coverage("xx-xx xx xx").rankable == {"english": False, "all": False}


def test_a_group_with_one_answer_is_not_enough() -> None:
    assert coverage("xxxx- xx xx").rankable == {"english": True, "all": False}


FIVE = ("de", "el", "en", "fi", "sv")


def complete(**less: int) -> dict[tuple[Any, str], int]:
    """Every answer of five languages, but for so many unspecific ones of some."""
    return {
        (kind, language): len(cultural_places(kind)) - (less.get(language, 0) if kind == "unspecific" else 0)
        for kind in CULTURAL_KINDS
        for language in FIVE
    }


def test_a_run_of_2026_is_ranked_with_five_languages_of_which_no_file_falls_short() -> None:
    assert cultural_coverage(FIVE, complete()).rankable == {"cultural": True}
    # 96 of 101 = 0.9505; 95 of 101 = 0.9406.
    assert cultural_coverage(FIVE, complete(fi=5)).rankable == {"cultural": True}
    assert cultural_coverage(FIVE, complete(fi=6)).rankable == {"cultural": False}
    assert cultural_coverage(FIVE[:4], complete()).rankable == {"cultural": False}
    # A sixth language that is listed and not answered.
    assert cultural_coverage((*FIVE, "ua"), complete()).rankable == {"cultural": False}


def test_a_run_of_2026_is_counted_by_language_and_kind() -> None:
    found = cultural_coverage(("en", "ua"), complete(en=1))
    assert (found.total.expected, found.total.answered) == (8_482, 4_240)
    assert {kind: (count.expected, count.answered) for kind, count in found.by_kind.items()} == {
        "unspecific": (202, 100),
        "specific": (8_280, 4_140),
    }
    assert (found.by_language["ua"].expected, found.by_language["ua"].answered) == (4_241, 0)
    assert found.by_item_language["specific", "en"].answered == 4_140
