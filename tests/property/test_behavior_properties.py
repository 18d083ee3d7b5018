"""Laws of behavior alignment and of agreement."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluator.behavior_alignment import explicit_figures
from evaluator.behavior_alignment.implicit import corrected_share
from evaluator.behavior_alignment.response_texts import ORDERS, bleu, copied_share, variety
from evaluator.behavior_alignment.strategies.loading import default_estimator
from evaluator.statistics.dialogues import Draws
from evaluator.statistics.label_agreement import label_agreement
from submissions.formats.behavior_alignment.submission import (
    NO_STRATEGY,
    Answer,
    Dialogue,
    Turn,
    TurnLabel,
    collection_id,
)
from tests.unit.submissions.formats.behavior_alignment.dialogue_files import answer

FEW = settings(max_examples=40)
MANY = settings(max_examples=150)
ROUNDING = 1e-12
DRAWS = Draws(50)

labels: st.SearchStrategy[TurnLabel] = st.sampled_from(["credibility", "offer_help", "similarity", NO_STRATEGY])
single: st.SearchStrategy[tuple[TurnLabel, ...]] = labels.map(lambda label: (label,))
several: st.SearchStrategy[tuple[TurnLabel, ...]] = st.lists(labels, min_size=1, max_size=3).map(tuple)
words = st.lists(st.sampled_from(["a", "tale", "of", "ships", "two", "Of", "tale,"]), max_size=8).map(" ".join)


def dialogues(sides: st.SearchStrategy[tuple[TurnLabel, ...]]) -> st.SearchStrategy[list[Dialogue]]:
    """Annotated dialogues of one to five turns."""
    turns = st.lists(st.tuples(sides, sides), min_size=1, max_size=5)
    return st.lists(turns, min_size=1, max_size=6).map(
        lambda found: [
            Dialogue(
                f"d{place}",
                tuple(
                    Turn(number, (), answer(strategies=one), answer(strategies=two))
                    for number, (one, two) in enumerate(turns, start=1)
                ),
            )
            for place, turns in enumerate(found)
        ]
    )


def with_answers(dialogue: Dialogue, place: int, human: Answer, system: Answer) -> Dialogue:
    turns = list(dialogue.turns)
    turns[place] = replace(turns[place], human=human, system=system)
    return replace(dialogue, turns=tuple(turns))


@MANY
@given(dialogues(several).flatmap(lambda made: st.tuples(st.just(made), st.permutations(made))))
def test_the_order_of_dialogues_is_irrelevant(both: tuple[list[Dialogue], list[Dialogue]]) -> None:
    made, shuffled = both
    assert explicit_figures(shuffled) == explicit_figures(made)
    assert collection_id(shuffled) == collection_id(made)


@MANY
@given(dialogues(several))
def test_the_figures_stay_in_their_ranges(made: list[Dialogue]) -> None:
    found = explicit_figures(made)
    assume(found["ba"] is not None)
    assert found["ba"] is not None
    assert found["ba_eq2"] is not None
    assert 0 <= found["ba_eq2"] <= found["ba"] + ROUNDING <= 1 + ROUNDING
    assert found["alternatives"] is not None
    first, overlap, jaccard = (found["alternatives"][name] for name in ("first", "any_overlap", "jaccard"))
    assert first is not None
    assert overlap is not None
    assert jaccard is not None
    assert first <= overlap + ROUNDING
    assert jaccard <= overlap + ROUNDING
    assert found["strategy_mix"] is not None
    assert -ROUNDING <= found["strategy_mix"]["distance"] <= 1 + ROUNDING


@MANY
@given(dialogues(single))
def test_ba_is_one_exactly_where_every_scored_label_matches(made: list[Dialogue]) -> None:
    found = explicit_figures(made)
    scored = [turn for dialogue in made for turn in dialogue.scored_turns]
    assume(scored)
    assert (found["ba"] == 1.0) == all(turn.human.strategies == turn.system.strategies for turn in scored)


@MANY
@given(dialogues(single))
def test_rules_agree_where_every_turn_has_one_label(made: list[Dialogue]) -> None:
    found = explicit_figures(made)
    assume(found["ba"] is not None)
    assert found["alternatives"] is not None
    assert set(found["alternatives"].values()) == {found["ba"]}


@MANY
@given(dialogues(several), st.data())
def test_turning_a_hit_into_a_miss_lowers_ba(made: list[Dialogue], data: st.DataObject) -> None:
    before = explicit_figures(made)["ba"]
    long = [place for place, dialogue in enumerate(made) if dialogue.scored_turns]
    assume(long)
    dialogue = data.draw(st.sampled_from(long))
    place = data.draw(st.integers(1, len(made[dialogue].turns) - 1))
    hit = list(made)
    hit[dialogue] = with_answers(
        made[dialogue], place, answer(strategies=["similarity"]), answer(strategies=["similarity"])
    )
    missed = list(made)
    missed[dialogue] = with_answers(
        made[dialogue], place, answer(strategies=["similarity"]), answer(strategies=["credibility"])
    )
    high, low = explicit_figures(hit)["ba"], explicit_figures(missed)["ba"]
    assert before is not None
    assert high is not None
    assert low is not None
    assert low < high
    assert low - ROUNDING <= before <= high + ROUNDING


def test_mixtures_of_a_good_and_a_bad_system_are_ordered_by_their_share() -> None:
    # The paper's Figure 3: of 10 dialogues the first `good` are answered as the human did.
    def mixture(good: int) -> float | None:
        sides = [
            (answer(strategies=["similarity"]), answer(strategies=["similarity" if number < good else "credibility"]))
            for number in range(10)
        ]
        made = [
            Dialogue(str(number), (Turn(1, (), answer(), answer()), Turn(2, (), *both)))
            for number, both in enumerate(sides)
        ]
        return explicit_figures(made)["ba"]

    assert [mixture(good) for good in range(11)] == pytest.approx([good / 10 for good in range(11)])


@MANY
@given(dialogues(several))
def test_swapping_human_and_system_keeps_the_symmetric_figures(made: list[Dialogue]) -> None:
    swapped = [
        replace(dialogue, turns=tuple(replace(turn, human=turn.system, system=turn.human) for turn in dialogue.turns))
        for dialogue in made
    ]
    one, other = explicit_figures(made), explicit_figures(swapped)
    assert one["ba"] == other["ba"]
    assert one["alternatives"] == other["alternatives"]
    if one["strategy_mix"] is not None and other["strategy_mix"] is not None:
        assert one["strategy_mix"]["distance"] == pytest.approx(other["strategy_mix"]["distance"])


@MANY
@given(dialogues(several), several, several)
def test_the_first_turn_changes_nothing(
    made: list[Dialogue], human: tuple[TurnLabel, ...], system: tuple[TurnLabel, ...]
) -> None:
    changed = [with_answers(dialogue, 0, answer(strategies=human), answer(strategies=system)) for dialogue in made]
    assert explicit_figures(changed) == explicit_figures(made)


@MANY
@given(st.lists(st.floats(0, 1), min_size=2), st.floats(0, 1), st.floats(0, 1))
def test_the_corrected_share_is_monotone_in_the_raw_one(raws: list[float], tpr: float, fpr: float) -> None:
    found = [corrected_share(raw, tpr, fpr) for raw in sorted(raws)]
    if tpr - fpr < 0.1:
        assert set(found) == {None}
    else:
        known = [value for value in found if value is not None]
        assert len(known) == len(found)
        assert all(one <= other for one, other in pairwise(known))
        assert all(0 <= value <= 1 for value in known)


@MANY
@given(st.floats(0, 1))
def test_an_estimator_that_never_errs_needs_no_correction(raw: float) -> None:
    assert corrected_share(raw, tpr=1.0, fpr=0.0) == raw


@MANY
@given(words, words)
def test_the_figures_of_texts_stay_in_their_ranges(response: str, reference: str) -> None:
    assert all(0 <= bleu(response, reference, order) <= 1 for order in ORDERS)
    ratios = [figures["ratio"] for figures in variety([response, reference]).values()]
    assert all(ratio is None or 0 < ratio <= 1 for ratio in ratios)
    assert copied_share([(f"Oh, {reference}!", reference)]) in (1.0, None)


@FEW
@given(
    st.lists(st.sampled_from(["So you like trains.", "Have you seen it?", "I love it.", "Ok", "", "ß…"]), min_size=2)
)
def test_the_similarity_of_two_sentences_is_symmetric(texts: list[str]) -> None:
    estimator = default_estimator(None)
    pairs = list(pairwise(texts))
    found = estimator.similarities(pairs)
    assert found == pytest.approx(estimator.similarities([(second, first) for first, second in pairs]), abs=ROUNDING)
    assert all(0 <= s <= 1 for s in found)


label_columns = st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("ABC")), min_size=1, max_size=40)


@MANY
@given(label_columns)
def test_kappa_is_symmetric_and_blind_to_names_and_copies(rows: list[tuple[str, str]]) -> None:
    truth, prediction = [row[0] for row in rows], [row[1] for row in rows]

    def kappa(first: list[str], second: list[str]) -> float | None:
        return label_agreement(first, second, resamples=5)["kappa"]

    expected = pytest.approx(kappa(truth, prediction)) if kappa(truth, prediction) is not None else None
    names = {"A": "yes", "B": "no", "C": "same"}
    assert kappa(prediction, truth) == expected
    assert kappa([names[label] for label in truth], [names[label] for label in prediction]) == expected
    assert kappa(truth * 3, prediction * 3) == expected


@FEW
@given(label_columns)
def test_the_order_of_rows_changes_no_interval(rows: list[tuple[str, str]]) -> None:
    order = np.random.default_rng(len(rows)).permutation(len(rows)).tolist()
    units = [f"u{number % 7}" for number in range(len(rows))]
    for columns in ({}, {"a": units}, {"a": units, "b": units[::-1]}):
        one = label_agreement([row[0] for row in rows], [row[1] for row in rows], columns, resamples=50)
        other = label_agreement(
            [rows[place][0] for place in order],
            [rows[place][1] for place in order],
            {name: [column[place] for place in order] for name, column in columns.items()},
            resamples=50,
        )
        assert one["accuracy_ci"] == pytest.approx(other["accuracy_ci"]) if one["accuracy_ci"] else True
        assert (one["accuracy_ci"] is None) == (other["accuracy_ci"] is None)
        assert one["confusion"] == other["confusion"]
