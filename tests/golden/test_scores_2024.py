"""The 2024 acceptance data: scores by group and view, judge replies, and Table 2 of the paper."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.judges.parsing import parse_score
from evaluator.results import FIGURES, VIEWS, Figure, GroupResult, ItemResult, ResponseResult, View
from evaluator.robustness.figures import PairRating, group_result, summarise

TOLERANCE = 1e-6

# Variants per item and language (docs/submit.md#the-format-of-2024); groups of the acceptance data have at least two.
SHAPE = {
    "001": {"en": 4, "ar": 4, "apc": 4},
    "002": {"sv": 5, "en": 4, "ar": 4},
    "003": {"en": 4, "ar": 4, "el": 3},
    "004": {"en": 2, "ar": 2, "apc": 2, "fi": 2},
    "005": {"en": 3, "ar": 3},
    "006": {"en": 3, "ar": 3},
    "007": {"sv": 8, "en": 6},
    "008": {"en": 4, "sv": 4},
    "009": {"en": 1, "sco": 1},
    "010": {"sv": 2, "en": 2},
    "011": {"en": 2},
    "012": {"en": 4, "sv": 3},
    "013": {"en": 2},
    "014": {"en": 3},
    "015": {"en": 2},
    "016": {"en": 3},
}


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def responses_of(group: dict[str, Any]) -> list[ResponseResult]:
    """The answered variants come first; the rest of the slots are blank."""
    flagged = group["flagged_responses"]
    return [
        ResponseResult(
            variant=number, flags=("constant",) if number in flagged else (), blank=number > group["responses"]
        )
        for number in range(1, SHAPE[group["item"]][group["language"]] + 1)
    ]


def built_group(group: dict[str, Any]) -> GroupResult:
    ratings = {(pair["a"], pair["b"]): PairRating(pair["ab"], pair["ba"]) for pair in group["pairs"]}
    return group_result(group["language"], responses_of(group), ratings, group_rating=group["group_score"])


@pytest.fixture(scope="module")
def scores(own_data: Path) -> Any:
    return read_json(own_data / "eloquent/examples/scores_2024.json")


@pytest.fixture(scope="module")
def items(scores: Any) -> list[ItemResult]:
    labels = {group["item"]: group["variation"] for group in scores["groups"]}
    single = group_result("en", [ResponseResult(variant=1, flags=(), blank=False)], {})
    return [
        *(
            ItemResult(
                id=item,
                variation=label,
                groups=tuple(built_group(group) for group in scores["groups"] if group["item"] == item),
            )
            for item, label in labels.items()
        ),
        # File item 009 has one English variant and stands in no view.
        ItemResult(id="009", variation="language", groups=(single,)),
    ]


def test_every_figure_of_every_group_is_as_published(scores: Any) -> None:
    assert len(scores["groups"]) == 30
    for group in scores["groups"]:
        built, expected = built_group(group), group["expected"]
        place = (group["item"], group["language"])
        assert built.gate_share == pytest.approx(expected["gate_share"], abs=TOLERANCE), place
        assert len(built.pairs) == expected["pairs_total"], place
        assert sum(pair.score is not None for pair in built.pairs) == expected["pairs_judged"], place
        for figure in FIGURES:
            assert built.figures[figure] == pytest.approx(expected[figure], abs=TOLERANCE), (*place, figure)


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("view", VIEWS)
def test_every_figure_of_every_view_is_as_published(
    scores: Any, items: list[ItemResult], view: View, figure: Figure
) -> None:
    expected = scores["expected"][view][figure]
    views, _ = summarise(items, rankable={})
    summary = views[view].figures[figure]

    assert summary.eligible == expected["items_eligible"] == 15
    assert summary.mean.n == expected["items_judged"]
    assert summary.mean.unscored == expected["items_eligible"] - expected["items_judged"]
    assert summary.mean.value == pytest.approx(expected["mean"], abs=TOLERANCE)
    assert summary.total == pytest.approx(expected["sum"], abs=TOLERANCE)
    judged = {label: metric.value for label, metric in summary.by_variation.items() if metric.value is not None}
    assert judged == pytest.approx(expected["by_variation"], abs=TOLERANCE)


@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_of_every_language_is_as_published(scores: Any, items: list[ItemResult], figure: Figure) -> None:
    _, by_language = summarise(items, rankable={})
    means = {language: figures[figure].value for language, figures in by_language.items()}
    assert means == pytest.approx(scores["expected"]["by_language"][figure], abs=TOLERANCE)


def test_the_golden_submission_is_not_ranked_over_all_languages_because_a_group_has_one_answer(
    items: list[ItemResult],
) -> None:
    views, _ = summarise(items, rankable={"english": True, "all": False})
    assert views["english"].ranked
    # Answered: 103 slots - 2 of item 009 = 101, less the blank ones of the data.
    assert not views["all"].ranked
    assert "1 of 30 groups have fewer than 2 answers (apc)" in (views["all"].reason or "")


def test_every_judge_reply_is_read_as_published(own_data: Path) -> None:
    replies = read_json(own_data / "eloquent/examples/judge_replies.json")["replies"]
    assert len(replies) == 19
    for example in replies:
        parsed = parse_score(example["reply"])
        assert parsed.score == example["score"], example["reply"]
        assert (parsed.reason is None) == (parsed.score is not None), example["reply"]


def test_table_2_of_the_paper_has_the_sums_and_means_of_its_cells(own_data: Path) -> None:
    table = read_json(own_data / "eloquent/table2_2024.json")
    answers = [ResponseResult(variant=number, flags=(), blank=False) for number in (1, 2)]
    for system in table["systems"]:
        cells = {row["file_item"]: row["cells"][system] for row in table["items"]}
        items = [
            ItemResult(
                id=item, variation="-", groups=(group_result("en", answers, {}, group_rating=rating, reason="paper"),)
            )
            for item, rating in cells.items()
        ]
        views, _ = summarise(items, rankable={})
        group = views["english"].figures["group"]
        assert group.mean.n == group.eligible == 15
        assert group.total == table["sum_printed"][system]
        assert group.mean.value == pytest.approx(table["mean_recomputed"][system], abs=TOLERANCE)


def test_the_printed_averages_of_table_2_disagree_with_their_cells_in_nine_items(own_data: Path) -> None:
    rows = read_json(own_data / "eloquent/table2_2024.json")["items"]
    means = [sum(row["cells"].values()) / len(row["cells"]) for row in rows]
    assert [row["avg_recomputed"] for row in rows] == pytest.approx(means)
    assert sum(abs(row["avg_printed"] - mean) > TOLERANCE for row, mean in zip(rows, means, strict=True)) == 9
