"""Rows of the board of recommenders: who is ranked among whom, and what each row must say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evaluator.results import MetricValue
from evaluator.statistics.rank_bands import RankBand
from leaderboard.boards.behavior_alignment.cache import BehaviorBoards, DialogueCollection
from leaderboard.boards.behavior_alignment.rows import (
    REFERENCE_NAMES,
    Basis,
    BehaviorRow,
    behavior_rows,
    scored_recommender,
    unranked_reason,
)
from leaderboard.page.services import Services
from submissions.store.store import Store
from tests.unit.leaderboard.boards.behavior_alignment.made_behavior_alignment import (
    HUMAN,
    MOMENT,
    dialogue,
    document,
    file_of,
    put_into,
    read,
    scored,
)

Put = Callable[..., str]


@pytest.fixture
def store(services: Services) -> Store:
    return services.store


@pytest.fixture
def boards(store: Store) -> BehaviorBoards:
    return BehaviorBoards(store, {})


def rows_of(boards: BehaviorBoards, data: bytes, basis: Basis) -> dict[str, BehaviorRow]:
    """The rows of the collection of a file, by name."""
    return {row.name: row for row in boards.rows(read(data).collection, basis)}


def test_annotated_and_estimated_systems_are_ranked_apart(store: Store, boards: BehaviorBoards) -> None:
    put_into(store, file_of(24, system="Whole"))
    put_into(store, file_of(2, system="Eager"))
    put_into(store, file_of(24, system="Bare", labels=False))
    annotated = rows_of(boards, file_of(24), "annotated")
    estimated = rows_of(boards, file_of(24), "estimated")
    assert {name: row.rank for name, row in annotated.items() if not row.is_null} == {
        "Whole": RankBand(1, 1),
        "Eager": RankBand(2, 2),
    }
    assert {name: row.rank for name, row in estimated.items() if not row.is_null} == {"Bare": RankBand(1, 1)}
    assert (annotated["Whole"].badge, estimated["Bare"].badge) == ("annotated", "estimated (accuracy 0.75)")
    assert boards.bases(read(file_of(24)).collection) == {"annotated": 2, "estimated": 1}


def test_an_estimate_never_stands_without_its_badge(store: Store, boards: BehaviorBoards) -> None:
    put_into(store, file_of(12, labels=False))
    row = rows_of(boards, file_of(12), "estimated")["Asks first"]
    assert row.alignment == row.corrected
    assert row.explicit.reason == "0% of the scored turns annotated"
    assert row.corrected_remark.startswith("(estimated, 0.")
    assert row.figures.implicit is not None
    assert row.mix("human") == row.figures.implicit.strategy_mix.human  # type: ignore[union-attr]


def test_reference_rows_stand_beside_every_collection(store: Store, boards: BehaviorBoards) -> None:
    put_into(store, file_of(20))
    rows = rows_of(boards, file_of(20), "annotated")
    references = {name: row for name, row in rows.items() if row.is_null}
    assert {name: round(row.alignment.value or 0, 3) for name, row in references.items()} == {
        REFERENCE_NAMES["previous"]: 0.0,  # the human never repeats a strategy
        REFERENCE_NAMES["constant"]: 0.333,  # credibility at one of three scored turns
        REFERENCE_NAMES["human"]: 1.0,
    }
    assert {(row.style, row.rank, row.tier) for row in references.values()} == {("null-row", None, 0)}
    put_into(store, file_of(20, labels=False, system="Bare"))
    estimated = [row.name for row in rows_of(boards, file_of(20), "estimated").values() if row.is_null]
    assert estimated == [REFERENCE_NAMES["previous"], REFERENCE_NAMES["human"]]  # the constant one has no words


def test_a_system_level_with_a_null_row_says_so(store: Store, boards: BehaviorBoards) -> None:
    put_into(store, file_of(0, system="Eager"))
    put_into(store, file_of(24, system="Whole"))
    rows = rows_of(boards, file_of(0), "annotated")
    assert rows["Eager"].note == f"not separable from baseline: {REFERENCE_NAMES['previous']}"
    assert rows["Whole"].note == ""


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (file_of(24, copies=True), "copies the human's words in 100% of the longer answers"),
        (file_of(19, size=19), "too few: 19 scored dialogues of at least 20"),
        (document([{**dialogue("one", HUMAN), "turns": dialogue("one", HUMAN)["turns"][:1]}]), "too few: 0 scored"),
    ],
)
def test_who_is_not_ranked_is_told_why(store: Store, boards: BehaviorBoards, file: bytes, why: str) -> None:
    put_into(store, file)
    found = [row for basis in ("annotated", "estimated") for row in rows_of(boards, file, basis).values()]
    (row,) = [row for row in found if not row.is_null]
    assert (row.rank, row.tier, row.style) == (None, 1, "unranked-row")
    assert row.note.startswith(f"not ranked: {why}")


def test_systems_that_another_estimator_read_are_shown_unranked(store: Store) -> None:
    made = scored(file_of(12, labels=False))
    assert made.implicit is not None
    other = made.model_copy(update={"implicit": made.implicit.model_copy(update={"estimator": "older head"})})
    assert unranked_reason(other, "default") == "estimated by another estimator than the other rows"
    ids = [
        put_into(store, file_of(12, labels=False, system="One")),
        put_into(store, file_of(13, labels=False, system="Two")),
        put_into(store, file_of(14, labels=False, system="Three"), other),
    ]
    ranks = {row.id: row.rank for row in BehaviorBoards(store, {}).rows(made.collection, "estimated")}
    assert [ranks[one] is not None for one in ids] == [True, True, False]


def test_partly_annotated_files_say_how_much_is(store: Store, boards: BehaviorBoards) -> None:
    dialogues = [dialogue(f"d{number:02}", HUMAN, labels=number > 5) for number in range(24)]
    put_into(store, document(dialogues))
    (row,) = [row for row in rows_of(boards, document(dialogues), "estimated").values() if not row.is_null]
    assert "75% of the scored turns annotated, so that nothing explicit is known" in row.note  # 18 of 24 dialogues


def test_a_file_that_labels_the_human_otherwise_says_so(store: Store, boards: BehaviorBoards) -> None:
    put_into(store, file_of(20, system="One"))
    put_into(store, file_of(19, system="Two"))
    relabelled: list[dict[str, Any]] = [dialogue(f"d{number:02}", HUMAN) for number in range(24)]
    for one in relabelled:
        one["turns"][1]["human_strategy"] = "credibility"
    put_into(store, document(relabelled, system="Three"), received_at=MOMENT + 60)
    notes = {row.name: row.note for row in rows_of(boards, file_of(20), "annotated").values()}
    assert "its file labels the human's turns differently from most rows" in notes["Three"]
    assert "labels" not in notes["One"] + notes["Two"]
    constant = rows_of(boards, file_of(20), "annotated")[REFERENCE_NAMES["constant"]]
    # By the labels of most files credibility stands at one of three scored turns; by those of Three at two.
    assert constant.alignment.value == pytest.approx(1 / 3)


def test_the_newest_run_of_a_system_stands_on_the_board(store: Store, boards: BehaviorBoards) -> None:
    put_into(store, file_of(3))
    newest = put_into(store, file_of(20), received_at=MOMENT + 60)
    (row,) = [row for row in rows_of(boards, file_of(3), "annotated").values() if not row.is_null]
    assert (row.id, row.alignment.value) == (newest, 20 / 24)


def test_collections_are_named_or_said_to_be_unregistered(store: Store) -> None:
    small, large = file_of(3, size=5, system="Small"), file_of(3)
    put_into(store, large)
    put_into(store, file_of(4, system="Other"))
    put_into(store, small)
    found = BehaviorBoards(store, {read(small).collection: "Five dialogues"}).collections()
    assert found == [
        DialogueCollection(read(small).collection, "Five dialogues", 5, 1),
        DialogueCollection(read(large).collection, "", 24, 2),
        DialogueCollection("INSPIRED", "INSPIRED", 20, 0, is_published=True),
    ]
    assert found[1].title == f"{read(large).collection[:8]}… (unregistered), 24 dialogues"


def test_a_withdrawn_system_leaves_the_board(store: Store, boards: BehaviorBoards) -> None:
    ticket = put_into(store, file_of(3))
    assert boards.scored(ticket) is not None
    before = boards.stamp()
    store.withdraw(ticket, "local")
    assert boards.rows(read(file_of(3)).collection, "annotated") == ()
    assert [one.id for one in boards.collections()] == ["INSPIRED"]
    assert boards.stamp() != before


def test_the_board_keeps_no_turns_in_memory(store: Store, boards: BehaviorBoards) -> None:
    ticket = put_into(store, file_of(3))
    kept = boards.scored(ticket)
    assert kept is not None
    assert len(kept.result.per_turn) == 0
    assert kept.result.rate_draws == ()
    whole = boards.result(ticket)
    assert whole is not None
    assert len(whole.per_turn) == 72
    assert boards.result("nobody") is None


def test_a_metric_rests_on_the_scored_dialogues(store: Store) -> None:
    ticket = put_into(store, file_of(18))
    one = scored_recommender(store.require(ticket), scored(file_of(18)))
    (row, *_) = behavior_rows([one], "annotated")
    ba = one.result.explicit
    assert row.alignment == MetricValue(value=0.75, low=ba.ba_ci[0], high=ba.ba_ci[1], n=24)  # type: ignore[index]
    assert behavior_rows([one], "estimated") == ()


def test_the_papers_systems_stand_on_dialogues_of_their_own_as_printed(boards: BehaviorBoards) -> None:
    rows = {row.name: row for row in boards.rows("INSPIRED", "annotated")}
    # arXiv 2404.11773, Table 1: GPT 3.5 recommends after 1.158 turns, people after 2.5.
    assert {name: (row.turns_before("system"), row.success("system")) for name, row in rows.items()} == {
        "GPT 3.5": (1.158, 0.158),
        "Llama 2": (1.0, 0.053),
        "Human": (2.5, 0.571),
    }
    gpt = rows["GPT 3.5"]
    assert (gpt.alignment.value, gpt.alignment.reason, gpt.rank) == (None, "not printed", None)
    assert (gpt.published, gpt.measured, gpt.style) == (*["published, as printed"] * 2, "published-row")
    assert boards.rows("INSPIRED", "estimated") == boards.rows("INSPIRED", "annotated")
