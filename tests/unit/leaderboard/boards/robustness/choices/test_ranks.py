"""Rank sensitivity, derived by hand for three systems and six items."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from evaluator.results import FIGURES, Figure, Pin, RobustnessResult, View
from evaluator.robustness.figures import GATES, Gate, JudgedGroup, Subset
from evaluator.statistics.rank_bands import RankBand, Ranking
from leaderboard.boards.robustness.choices import judges as choices_judges
from leaderboard.boards.robustness.choices.judges import JudgeChoice, Judged
from leaderboard.boards.robustness.choices.ranks import (
    PRESETS,
    ChoiceRanks,
    RankChoice,
    RankRange,
    choice_ranks,
    choices,
)
from leaderboard.boards.robustness.choices.values import choices_csv, choices_value
from leaderboard.boards.robustness.rows import RobustnessRow, ScoredTicket, board_rows
from submissions.schema import Item, PromptSet, Variant
from tests.unit.leaderboard.boards.robustness.made_results import JUDGE, robustness_result, ticket

IDS = [f"{number:03}" for number in range(1, 13)]
STEADY = dict.fromkeys(IDS, 3.0)
SPIKY = {**dict.fromkeys(IDS, 2.9), "006": 5.0}
"""0.1 below STEADY on eleven items and 2 above it on one: mean 3.075 against 3."""
POOR = dict.fromkeys(IDS, 1.0)
PAIR_JUDGE = JUDGE.model_copy(update={"name": "pair", "model": "trained"})


def prompt_set(set_id: str = "demonstration", ids: Sequence[str] = IDS, swedish: int = 0) -> PromptSet:
    """Every item has two English variants, and as many Swedish ones as asked for."""
    languages = ["en", "en", *["sv"] * swedish]
    variants = tuple(Variant(number, language, None) for number, language in enumerate(languages, start=1))
    items = tuple(Item(item, "formality" if item < "003" else "dialect", variants) for item in ids)
    return PromptSet(set_id, "2024", "A set", "1", None, items)


def judged(values: Mapping[str, float | None]) -> Judged:
    """A run whose English groups got these values."""
    return Judged(
        tuple(
            JudgedGroup(item, "formality" if item < "003" else "dialect", "en", dict.fromkeys(FIGURES, value), 2, 2,
                        relevance_known=True, reason=None if value is not None else "no reply",
                        gated=dict.fromkeys(GATES, value))
            for item, value in values.items()
        )
    )  # fmt: skip


SYSTEMS = {"steady": judged(STEADY), "spiky": judged(SPIKY), "poor": judged(POOR)}


def ranked(chosen: Sequence[RankChoice], by_judge: Mapping[str, Mapping[str, Judged]] | None = None) -> ChoiceRanks:
    return choice_ranks(chosen, by_judge or {"": SYSTEMS}, defaultdict(Ranking))


def bands(ranks: ChoiceRanks, label: str) -> dict[str, RankBand | None]:
    place = [choice.label for choice in ranks.choices].index(label)
    return {system: cells[place].band for system, cells in ranks.cells.items()}


def test_leaving_out_one_item_exchanges_two_systems() -> None:
    found = ranked(choices(prompt_set(), [], view="english"))
    # With item 006 SPIKY leads by 0.075, by that item alone: nobody can tell the two apart.
    shared = {"steady": RankBand(1, 2), "spiky": RankBand(1, 2), "poor": RankBand(3, 3)}
    assert bands(found, "Whole set") == shared
    assert [cells[0].standing.mean for cells in found.cells.values()] == pytest.approx([3.0, 3.075, 1.0])
    # Without it STEADY is 0.1 better on each of the eleven items that are left: 2^-10.
    assert bands(found, "without 006") == {"steady": RankBand(1, 1), "spiky": RankBand(2, 2), "poor": RankBand(3, 3)}
    assert all(bands(found, f"without {item}") == shared for item in IDS if item != "006")


def test_the_range_is_that_of_all_choices_which_can_tell_systems_apart() -> None:
    found = ranked(choices(prompt_set(), [], view="english"))
    # Whole set, three gates, worst pairs, all languages, dialect with its ten items and twelve left out; formality has
    # two: nobody is ranked.
    assert bands(found, "formality") == dict.fromkeys(SYSTEMS)
    assert {system: found.range(system) for system in SYSTEMS} == {
        "steady": RankRange(1, 2, ranked=19, of=19),
        "spiky": RankRange(1, 2, ranked=19, of=19),
        "poor": RankRange(3, 3, ranked=19, of=19),
    }


def test_a_system_is_ranked_only_where_it_is_judged_and_says_why_elsewhere() -> None:
    systems = {**SYSTEMS, "partly": judged({**POOR, "002": None})}
    found = ranked(choices(prompt_set(), [], view="english"), {"": systems})
    cells = dict(zip([choice.label for choice in found.choices], found.cells["partly"], strict=True))
    assert (cells["Whole set"].band, cells["Whole set"].reason) == (
        None,
        "partial: 1 of 12 groups are not judged (002)",
    )
    assert cells["without 002"].band == RankBand(3, 4)  # POOR is equal on the items that are left
    assert found.range("partly") == RankRange(3, 4, ranked=2, of=19)  # dialect lacks 002 too


def test_a_system_ranked_nowhere_has_no_range() -> None:
    found = ranked(choices(prompt_set(), [], view="english"), {"": {**SYSTEMS, "silent": judged(dict.fromkeys(IDS))}})
    assert found.range("silent") == RankRange(None, None, ranked=0, of=19)


def test_another_judge_ranks_anew_and_never_beside_the_first() -> None:
    other = JudgeChoice((PAIR_JUDGE,))
    reversed_ = {"steady": judged(POOR), "spiky": Judged(judged(dict.fromkeys(IDS)).groups, "not scored by pair"),
                 "poor": judged(STEADY)}  # fmt: skip
    found = ranked(choices(prompt_set(), [other], view="english"), {"": SYSTEMS, other.key: reversed_})
    assert bands(found, "pair") == {"steady": RankBand(2, 2), "spiky": None, "poor": RankBand(1, 1)}
    place = [choice.label for choice in found.choices].index("pair")
    assert found.cells["spiky"][place].reason == "not scored by pair"
    assert found.range("steady") == RankRange(1, 2, ranked=20, of=20)
    assert found.range("poor") == RankRange(1, 3, ranked=20, of=20)
    assert found.range("spiky") == RankRange(1, 2, ranked=19, of=20)


def test_what_a_gate_takes_or_leaves_exchanges_systems() -> None:
    plain = judged(dict.fromkeys(IDS, 3.0)).groups
    doubtful = judged(dict.fromkeys(IDS, 1.0)).groups
    raised: dict[Figure | Gate, float] = {"pair_mean": 4.0, "lenient": 3.5, "strict": 0.5, "pair_worst_gated": 3.5}

    def value(figure: Figure | Gate, own: float) -> float:
        return raised.get(figure, own)

    bought = tuple(
        replace(
            group,
            figures={figure: value(figure, 1.0) for figure in FIGURES},
            gated={gate: value(gate, 1.0) for gate in GATES},
        )
        for group in doubtful
    )
    found = ranked(choices(prompt_set(), [], view="english"), {"": {"plain": Judged(plain), "bought": Judged(bought)}})
    first, second = RankBand(1, 1), RankBand(2, 2)
    for label, band in (
        ("Whole set", second),
        ("off", first),
        ("lenient (0.3 to 0.5)", first),
        ("strict (0.7 to 0.9)", second),
        ("the worst", first),
    ):
        assert bands(found, label)["bought"] == band, label
    assert found.range("bought") == RankRange(1, 2, ranked=19, of=19)


def test_every_choice_changes_one_thing_and_no_two_are_the_same() -> None:
    judges = [JudgeChoice((PAIR_JUDGE,)), JudgeChoice((JUDGE, PAIR_JUDGE))]
    english = choices(prompt_set(swedish=2), judges, view="english")
    assert [(choice.kind, choice.label) for choice in english] == [
        ("whole", "Whole set"),
        ("judge", "pair"),
        ("judge", "panel mean"),
        ("gate", "off"),
        ("gate", "lenient (0.3 to 0.5)"),
        ("gate", "strict (0.7 to 0.9)"),
        ("pairs", "the worst"),
        ("view", "All languages"),
        ("language", "sv"),  # English alone is the view
        ("variation", "dialect"),
        ("variation", "formality"),
        *(("items", f"without {item}") for item in IDS),
    ]
    by_pair = choices(prompt_set(swedish=2), judges, view="all", judged_by=judges[0].key)
    # Of another judge than every run's own, pairs were not kept: no gate but ours and none.
    assert [choice.label for choice in by_pair[:8]] == [
        "Whole set", "as scored", "panel mean", "off", "the worst", "English", "en", "sv",
    ]  # fmt: skip
    assert {choice.judged_by for choice in by_pair if choice.kind != "judge"} == {judges[0].key}
    for found in (english, by_pair):
        assert len({choice.key for choice in found}) == len(found)


def test_an_item_of_another_language_is_not_left_out_of_the_english_view() -> None:
    swedish_alone = Item("099", "dialect", (Variant(1, "en", None), Variant(2, "sv", None), Variant(3, "sv", None)))
    made = prompt_set()
    with_swedish = PromptSet("demonstration", "2024", "A set", "1", None, (*made.items, swedish_alone))

    def left_out(view: View) -> set[frozenset[str]]:
        return {choice.subset.without for choice in choices(with_swedish, [], view=view) if choice.kind == "items"}

    assert frozenset({"099"}) not in left_out("english")
    assert frozenset({"099"}) in left_out("all")


def test_the_official_set_of_2024_has_the_preset_of_the_papers_items_05_and_11() -> None:
    official = choices(prompt_set("eloquent-2024", ["001", "005", "010", "012"]), [], view="english")
    assert official[-1].label == "without 005 and 012"
    assert official[-1].subset == Subset(without=frozenset({"005", "012"}))  # no 009 in the paper: its 11 is file 012
    assert "demonstration" not in PRESETS


def test_only_new_results_are_compared_again() -> None:
    rankings: defaultdict[str, Ranking] = defaultdict(Ranking)
    chosen = choices(prompt_set(), [], view="english")
    choice_ranks(chosen, {"": SYSTEMS}, rankings)
    changed = {**SYSTEMS, "poor": judged(dict.fromkeys(IDS, 4.9)), "new": judged(dict.fromkeys(IDS, 0.5))}
    again = choice_ranks(chosen, {"": changed}, rankings)
    assert again.cells == ranked(chosen, {"": changed}).cells
    assert bands(again, "without 006")["new"] == RankBand(4, 4)


# --- as it is shown ---


def board() -> tuple[ChoiceRanks, list[RobustnessRow]]:
    scored = [
        ScoredTicket(ticket(name, system=f"={name}"), robustness_result(values))
        for name, values in (("steady", STEADY), ("spiky", SPIKY), ("poor", POOR))
    ]
    rows = board_rows(scored, "english")
    return ranked(choices(prompt_set(), [], view="english")), sorted(rows, key=lambda row: row.id)


def test_the_table_shows_ranges_ranks_and_scores_in_the_order_of_the_rows() -> None:
    value = choices_value(*board(), "A set, English")
    assert [(row["id"], row["range"], row["ranked"]) for row in value["rows"]] == [
        ("poor", "3", "19 of 19"),
        ("spiky", "1-2", "19 of 19"),
        ("steady", "1-2", "19 of 19"),
    ]
    assert [(group["label"], group["span"]) for group in value["groups"]] == [
        ("As now", 1),
        ("Relevance check", 3),
        ("Pairs of an item", 1),
        ("View", 1),
        ("Items of one variation", 2),
        ("Items left out", 12),
    ]
    without_006 = value["rows"][1]["cells"][-7]
    assert (without_006["text"], without_006["score"]) == ("2", "2.90")
    assert without_006["hint"] == "score 2.90, 11 of 11 items"
    formality = value["rows"][1]["cells"][7]
    assert (formality["text"], formality["style"]) == ("n/a", "untold")
    assert "too few" in formality["hint"]
    assert "We compare 20 choices" in value["lines"][0]
    assert "19 choices with 6 items or more" in value["lines"][1]
    assert "fewer than 6 items" in value["lines"][2]


def test_what_is_not_ranked_says_why_below_the_table() -> None:
    ranks, rows = board()
    partly = {**SYSTEMS, "poor": judged({**POOR, "002": None})}
    found = ranked(ranks.choices, {"": partly})
    value = choices_value(found, rows, "A set, English")
    assert value["rows"][0]["cells"][0]["text"] == "n/a"
    # Of the 16 choices, those with item 002: eleven items left out, the whole set, all languages, formality.
    assert value["reasons"] == [
        "partial: 1 of 11 groups are not judged (002) (11 cells)",
        "partial: 1 of 12 groups are not judged (002) (6 cells)",
        "too few: 2 of at least 6 items; fewer tell nobody apart (2 cells)",
        "partial: 1 of 2 groups are not judged (002) (1 cell)",
    ]


def test_systems_beyond_the_most_are_counted() -> None:
    ranks, rows = board()
    cut = choice_ranks(ranks.choices, {"": SYSTEMS}, defaultdict(Ranking), left_out=7)
    assert (
        "The best 3 systems are compared, with each other alone; 7 more are not."
        in choices_value(cut, rows, "")["lines"]
    )


def test_without_rows_the_table_says_that_nobody_is_there() -> None:
    value = choices_value(ranked(choices(prompt_set(), [], view="english"), {"": {}}), [], "A set")
    assert value["empty"].startswith("Nothing to compare")
    assert value["lines"] == []


def test_the_csv_holds_the_table_with_full_numbers_and_nothing_a_spreadsheet_would_run() -> None:
    found = list(csv.DictReader(io.StringIO(choices_csv(*board()))))
    assert [row["system"] for row in found] == ["'=poor", "'=spiky", "'=steady"]
    spiky = found[1]
    assert (spiky["range_low"], spiky["range_high"], spiky["ranked"], spiky["choices"]) == ("1", "2", "19", "19")
    assert float(spiky["whole Whole set score"]) == pytest.approx(3.075)
    assert (spiky["items without 006 rank_low"], spiky["items without 006 n"]) == ("2", "11")


# --- judges ---


def by(judge: Pin) -> RobustnessResult:
    return robustness_result(STEADY).model_copy(update={"judge": judge})


def test_one_judge_is_no_choice_and_two_are() -> None:
    assert choices_judges.judge_choices([by(JUDGE), by(JUDGE)]) == ()
    two = choices_judges.judge_choices([by(JUDGE), by(PAIR_JUDGE), by(PAIR_JUDGE)])
    assert [choice.name for choice in two] == ["pair", "embedding"]  # of most runs first


def test_judges_of_one_name_are_told_apart_by_their_keys() -> None:
    other = JUDGE.model_copy(update={"revision": "another"})
    found = choices_judges.judge_choices([by(JUDGE), by(other)])
    labels = choices_judges.labels_of(found)
    assert len(set(labels)) == len(set(labels.values())) == 2
    assert set(choices_judges.names_of(found).values()) == set(labels.values())
