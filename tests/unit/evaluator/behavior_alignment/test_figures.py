"""Behavior alignment of dialogues made by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from evaluator.behavior_alignment import (
    COPIED,
    SIDES,
    behavior_report,
    explicit_figures,
    success,
    turns_before_recommendation,
)
from evaluator.behavior_alignment.implicit import (
    RATE_DRAWS,
    Rates,
    StrategyEstimator,
    corrected_share,
    last_sentence,
    turn_estimates,
)
from evaluator.statistics.dialogues import Draws
from evaluator.statistics.intervals import FloatArray
from submissions.formats.behavior_alignment.submission import NO_STRATEGY, STRATEGIES, Answer, Dialogue, Turn, TurnLabel
from tests.unit.submissions.formats.behavior_alignment.dialogue_files import answer, dialogue, submission

ROOT = Path(__file__).parents[4]

A: TurnLabel = "acknowledgment"
B: TurnLabel = "credibility"
C: TurnLabel = "offer_help"
NONE: TurnLabel = NO_STRATEGY


def labelled(dialogue_id: str, *turns: tuple[tuple[TurnLabel, ...], tuple[TurnLabel, ...]]) -> Dialogue:
    """A dialogue whose first turn is a hit that must not count."""
    first = (answer(strategies=[NONE]), answer(strategies=[NONE]))
    return dialogue(dialogue_id, [first, *((answer(strategies=one), answer(strategies=two)) for one, two in turns)])


def test_the_worked_example_of_the_documentation() -> None:
    found = explicit_figures(
        [
            labelled(
                "d",
                (("experience_inquiry", "personal_experience"), ("experience_inquiry",)),
                (("credibility",), ("credibility",)),
                (("acknowledgment", "encouragement"), ("encouragement", NONE)),
            )
        ]
    )
    assert found["ba"] == 2 / 3
    assert found["ba_eq2"] == 2 / 4
    assert found["alternatives"] == {"first": 2 / 3, "any_overlap": 1.0, "jaccard": pytest.approx(2 / 3)}


def test_a_long_dialogue_counts_no_more_than_a_short_one() -> None:
    # a: 0 of 3 scored turns, 4 in all; b: 1 of 1, 2 in all.
    found = explicit_figures([labelled("a", ((A,), (B,)), ((A,), (C,)), ((B,), (A,))), labelled("b", ((A,), (A,)))])
    assert (found["ba"], found["ba_pooled"]) == (1 / 2, 1 / 4)
    assert (found["ba_eq2"], found["ba_eq2_pooled"]) == (1 / 4, 1 / 6)


def test_no_strategy_equals_only_itself_and_is_left_out_of_the_strategic_figure() -> None:
    found = explicit_figures([labelled("a", ((NONE,), (NONE,)), ((NONE,), (A,)), ((A,), (NONE,)), ((A,), (A,)))])
    assert found["ba"] == 2 / 4
    assert (found["ba_strategic"], found["human_no_strategy_turns"]) == (1 / 2, 2)
    # Its set is {no_strategy} only where nothing else is left.
    assert found["alternatives"] is not None
    assert found["alternatives"]["any_overlap"] == 2 / 4


def test_dialogues_of_one_turn_are_left_out() -> None:
    one, two = labelled("one"), labelled("two", ((A,), (A,)))
    assert explicit_figures([one, two])["ba"] == 1.0
    assert explicit_figures([one]) == dict.fromkeys(explicit_figures([one]))


def test_an_unlabelled_turn_is_no_miss() -> None:
    known = labelled("a", ((A,), (A,)))
    unknown = dialogue("b", [(answer(), answer()), (answer(strategies=[A]), answer())])
    found = explicit_figures([known, unknown])
    assert found["annotated_share"] == 1 / 2
    assert {value for name, value in found.items() if name != "annotated_share"} == {None}


def test_the_first_turn_need_not_be_labelled() -> None:
    first = (answer(), answer())
    found = explicit_figures([dialogue("a", [first, (answer(strategies=[A]), answer(strategies=[A]))])])
    assert (found["annotated_share"], found["ba"]) == (1.0, 1.0)


def test_the_strategy_mix_is_of_turn_labels() -> None:
    found = explicit_figures([labelled("a", ((A, NONE), (B,)), ((A,), (NONE,)))])["strategy_mix"]
    assert found is not None
    assert set(found["human"]) == {*STRATEGIES, NONE}
    assert (found["human"][A], found["system"][B], found["system"][NONE]) == (1.0, 0.5, 0.5)
    assert found["distance"] == 1.0


def test_an_interval_needs_six_dialogues_and_is_the_same_again() -> None:
    made = [labelled(f"d{number}", ((A,), (A if number % 3 else B,))) for number in range(9)]
    assert explicit_figures(made[:5])["ba_ci"] is None
    interval = explicit_figures(made)["ba_ci"]
    assert interval is not None
    assert interval == pytest.approx(list(stats.binomtest(6, 9).proportion_ci(method="exact")))
    assert explicit_figures(made[::-1])["ba_ci"] == interval


# --- marks -----------------------------------------------------------------------------------------------------------


def marked(dialogue_id: str, *marks: bool | None) -> Dialogue:
    return dialogue(dialogue_id, [(answer(recommends=mark), answer(recommends=False)) for mark in marks])


def test_turns_before_the_first_recommendation() -> None:
    made = [
        marked("at once", True, False),
        marked("third", False, False, True),
        marked("never", False, False),
        marked("unmarked before", False, None, True),
        marked("unmarked after", False, True, None),
        marked("unmarked at the end", False, None),
    ]
    # 0, 2 and 1 turns before: mean 1.
    found = turns_before_recommendation(made, "human")
    assert found == {"mean": 1.0, "dialogues": 3, "never": 1, "not_marked": 2}
    assert turns_before_recommendation(made, "system") == {"mean": None, "dialogues": 0, "never": 6, "not_marked": 0}


def test_success_is_of_the_marked_dialogues() -> None:
    marks = [(True, None), (False, None), (True, None), (None, None)]
    made = [Dialogue(str(number), (), *mark) for number, mark in enumerate(marks)]
    assert success(made, "human") == {"rate": 2 / 3, "dialogues": 3}
    assert success(made, "system") == {"rate": None, "dialogues": 0}
    assert SIDES == ("human", "system")


# --- implicit --------------------------------------------------------------------------------------------------------


def rates(tpr: float, cross: float, adjacent: float) -> Rates:
    return Rates(tpr, cross, adjacent, 1000, 100, np.tile([tpr, cross, adjacent], (RATE_DRAWS, 1)), "made up")


class FirstWords(StrategyEstimator):
    """Takes sentences with one first word for the same strategy."""

    def __init__(self, known: Rates | None = None) -> None:
        self._rates = known
        self.asked: list[tuple[str, str]] = []

    name = "first words"
    threshold = 0.5
    pair_accuracy = 0.8

    @property
    def rates(self) -> Rates | None:
        return self._rates

    def similarities(self, pairs: Any) -> list[float]:
        self.asked += pairs
        return [float(human.split()[0] == system.split()[0]) for human, system in pairs]

    def probabilities(self, texts: Any) -> FloatArray | None:
        return np.eye(13)[[len(text.split()) - 1 for text in texts]]


def spoken(dialogue_id: str, *turns: tuple[str, str]) -> Dialogue:
    return dialogue(dialogue_id, [(answer("Hello."), answer("Hello.")), *((answer(a), answer(b)) for a, b in turns)])


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (Answer("Hm. Is it? Yes!", None, None, None), "Yes!"),
        (Answer("One\ntwo", None, None, None), "two"),
        (Answer("Mr. X", None, None, None), "X"),
        (Answer("3.5 stars.  ", None, None, None), "3.5 stars."),
        (Answer("a. b. c.", ("a. b.", "c."), None, None), "c."),
        (Answer("a ", ("a", " "), None, None), "a"),
        (Answer("", None, None, None), ""),
        (Answer("", (), None, None), ""),
    ],
)
def test_the_last_sentence_is_read(said: Answer, read: str) -> None:
    assert last_sentence(said) == read


def test_the_estimator_reads_last_sentences_of_scored_turns_and_silence_is_different() -> None:
    estimator = FirstWords()
    found = turn_estimates([spoken("a", ("Hi. Do try it!", "So. Do it!"), ("Well, yes.", " "))], estimator)
    assert estimator.asked == [("Do try it!", "Do it!")]
    assert found["a", 2].is_same
    assert (found["a", 3].similarity, found["a", 3].is_same) == (None, False)


def test_implicit_figures_are_corrected_by_the_rates() -> None:
    made = [spoken("a", ("Do it", "Do"), ("Oh", "Ah")), spoken("b", ("Do", "Do"))]
    report = behavior_report(submission(*made), FirstWords(rates(0.9, 0.1, 0.3)))
    found = report["implicit"]
    assert found is not None
    # raw: (1/2 + 1) / 2 = .75; fpr .2: .55 / .7; with .1 .65 / .8 = .8125, with .3 .45 / .6 = .75.
    assert (found["raw"], found["tpr"]) == (0.75, 0.9)
    assert found["fpr"] == pytest.approx(0.2)
    assert found["corrected"] == pytest.approx(0.55 / 0.7)
    assert found["corrected_range"] == pytest.approx([0.75, 0.8125])
    assert (found["raw_ci"], found["corrected_ci"]) == (None, None)  # two dialogues
    assert (found["status"], found["estimator"], found["pair_accuracy"]) == ("estimated", "first words", 0.8)
    # Human sentences of 2, 1 and 1 words, system's of 1 each: shares 2/3 and 1 of the first strategy.
    assert found["strategy_mix"] is not None
    assert found["strategy_mix"]["distance"] == pytest.approx(1 / 3)


def test_without_rates_nothing_is_corrected_and_nothing_ranked() -> None:
    made = [spoken(f"d{number}", ("Do", "Do")) for number in range(25)]
    report = behavior_report(submission(*made), FirstWords())
    assert report["implicit"] is not None
    assert report["implicit"]["raw"] == 1.0
    assert report["implicit"]["raw_ci"] == pytest.approx([0.025 ** (1 / 25), 1.0])
    assert report["implicit"]["corrected"] is None
    assert not report["rankable"]
    assert behavior_report(submission(*made), FirstWords(rates(0.9, 0.1, 0.1)))["rankable"]


def test_rates_too_close_to_each_other_correct_nothing() -> None:
    made = [spoken(f"d{number}", ("Do", "Do")) for number in range(6)]
    found = behavior_report(submission(*made), FirstWords(rates(0.5, 0.45, 0.45)))["implicit"]
    assert found is not None
    assert (found["corrected"], found["corrected_range"], found["corrected_ci"]) == (None, None, None)


def test_the_corrected_share_is_that_of_the_strategies_in_a_simulation_with_known_error_rates() -> None:
    tpr, fpr = 0.79, 0.22  # about what the specification measured
    generator = np.random.default_rng(1)
    for share in (0.1, 0.35, 0.7):
        # 3,000 dialogues of 10 scored turns: the standard error of the raw share is .003, of the corrected one .005.
        equal = generator.random((3000, 10)) < share
        same = np.where(equal, generator.random(equal.shape) < tpr, generator.random(equal.shape) < fpr)
        made = [
            Dialogue(
                str(number),
                (
                    Turn(1, (), answer(), answer()),
                    *(
                        Turn(
                            place + 2,
                            (),
                            answer("yes", [A]),
                            answer("yes" if same[number, place] else "no", [A if equal[number, place] else B]),
                        )
                        for place in range(10)
                    ),
                ),
            )
            for number in range(3000)
        ]
        report = behavior_report(submission(*made), FirstWords(rates(tpr, fpr, fpr)), draws=Draws(100))
        implicit, explicit = report["implicit"], report["explicit"]["ba"]
        assert implicit is not None
        assert implicit["corrected"] is not None
        assert explicit is not None
        assert abs(implicit["corrected"] - explicit) < 0.02
        assert implicit["raw"] is not None
        assert abs(implicit["raw"] - explicit) > 0.03  # uncorrected it would be off


def test_the_corrected_interval_is_wider_where_the_rates_are_less_sure() -> None:
    made = [spoken(f"d{number}", ("Do", "Do" if number % 2 else "No")) for number in range(40)]
    sure = rates(0.8, 0.2, 0.2)
    spread = np.random.default_rng(0).normal(0, 0.08, (RATE_DRAWS, 3))
    unsure = Rates(0.8, 0.2, 0.2, 1000, 100, sure.draws + spread, "made up")
    widths = []
    for known in (sure, unsure):
        found = behavior_report(submission(*made), FirstWords(known))["implicit"]
        assert found is not None
        assert found["corrected_ci"] is not None
        widths.append(found["corrected_ci"][1] - found["corrected_ci"][0])
    assert widths[1] > widths[0] + 0.02


def test_the_corrected_share_stays_between_0_and_1() -> None:
    assert corrected_share(0.9, 0.8, 0.2) == 1.0
    assert corrected_share(0.1, 0.8, 0.2) == 0.0
    assert corrected_share(0.5, 0.55, 0.5) is None


# --- report ----------------------------------------------------------------------------------------------------------


def test_a_copy_of_the_human_is_flagged_and_not_ranked() -> None:
    text = "It runs for ninety minutes."
    made = [
        dialogue(f"d{number}", [(answer("Hello."), answer("Hi.")), (answer(text, [B]), answer(f"Well: {text}", [B]))])
        for number in range(25)
    ]
    report = behavior_report(submission(*made))
    assert (report["copied_share"], report["flags"], report["rankable"]) == (1.0, [COPIED], False)
    assert report["explicit"]["ba"] == 1.0


def test_twenty_scored_dialogues_are_ranked_and_nineteen_are_not() -> None:
    made = [labelled(f"d{number:02}", ((A,), (B,))) for number in range(20)]
    assert behavior_report(submission(*made))["rankable"]
    assert not behavior_report(submission(*made[1:], labelled("alone")))["rankable"]


def test_every_scored_turn_can_be_listed() -> None:
    made = [labelled("a", ((A,), (B,)), ((B,), (B,))), spoken("b", ("Do", "Do"))]
    report = behavior_report(submission(*made), FirstWords(), per_turn=True)
    assert [(row["dialogue_id"], row["turn"], row["equal"], row["same"]) for row in report["per_turn"]] == [
        ("a", 2, False, True),
        ("a", 3, True, True),
        ("b", 2, None, True),
    ]
    assert (report["per_turn"][0]["human_label"], report["per_turn"][2]["human_label"]) == (A, None)
    assert "per_turn" not in behavior_report(submission(*made))


def test_the_figures_and_the_agreement_need_no_torch() -> None:
    code = (
        "import sys, evaluator.behavior_alignment, evaluator.statistics.label_agreement, "
        "evaluator.commands.behavior_alignment, "
        "evaluator.behavior_alignment.strategies.loading; print('torch' in sys.modules, 'sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["False", "False"]
