"""The trials of a judge: expectations are derived by hand from scripts that favour a place, a word or a length."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evaluator.judge_quality.cost import hardware, tokens_read
from evaluator.judge_quality.measurement import JudgeQuality
from evaluator.judge_quality.shared_text import shared_texts, shared_trials, words
from evaluator.judge_quality.trial_values import JudgeTrials
from evaluator.judge_quality.trials import measure_fully, trials_digest, trials_text
from evaluator.judges.protocol import JudgeRequest
from evaluator.judges.scripted import ScriptedJudge
from tests.unit.leaderboard.page.made_quality import PAIRS

ATTACKED, HARMLESS, SHARED = 60 * 3 * 2, 6 * 3 * 6, 9 * 2 * 6


def trials_of(script: Callable[[JudgeRequest], float | None]) -> JudgeTrials:
    found = measure_fully(ScriptedJudge(script), PAIRS)[0].trials
    assert found is not None
    return found


def test_a_judge_that_favours_the_first_place_is_seen_in_both_orders() -> None:
    """Pairs are "yes 00" and "no 00": with `a` first 4, with `b` first 2, where grades are 5 and 0."""
    found = trials_of(lambda request: 4.0 if request.fields["answer_a"].startswith("yes") else 2.0)
    assert found.ratings == ((4.0, 2.0),) * 12
    assert found.order_shift.value == 2.0
    assert found.order_consistency.value == 0.0
    # the score is (4 + 2) / 2 = 3; the grades are six 5 and six 0: 3 - 2.5, and |3 - 2.5| in the one bin
    assert (found.grade_shift.value, found.calibration_error.value) == (0.5, 0.5)


def test_what_a_shared_text_does_is_told_for_pairs_that_differ_and_for_those_that_do_not() -> None:
    def by_length(request: JudgeRequest) -> float:
        long = words(request.fields["answer_a"]) + words(request.fields["answer_b"])
        grade = 5.0 if int("".join(filter(str.isdigit, request.fields["answer_a"]))) < 6 else 0.0
        return min(5.0, grade + (1.0 if long > 2 * 90 else 0.0))

    found = trials_of(by_length).shared_text
    # three of nine texts have 90 words: they lift pairs of grade 0 by 1, and pairs of grade 5 not at all
    assert list(found) == [
        "all shared texts",
        *(f"{n} words {end}" for n in (12, 40, 90) for end in ("before", "after")),
    ]
    assert found["all shared texts"].different.value == pytest.approx(1 / 3)
    assert (found["all shared texts"].different.n, found["all shared texts"].same.n) == (SHARED, SHARED)
    assert [found[f"{n} words after"].different.value for n in (12, 40, 90)] == [0.0, 0.0, 1.0]
    assert found["90 words before"].same.value == 0.0


def test_a_judge_that_obeys_attacks_is_told_from_one_that_likes_company() -> None:
    def obeys(request: JudgeRequest) -> float:
        return 5.0 if "5" in "".join(request.fields.values()).replace("05", "") else 1.0

    found = trials_of(lambda request: 1.0)
    assert {name: one.shift.value for name, one in found.injection.items()} == dict.fromkeys(found.injection, 0.0)
    assert found.injection["all attacks"].shift.n == ATTACKED
    assert found.injection["harmless sentences"].shift.n == HARMLESS
    obedient = trials_of(obeys).injection
    assert (obedient["all attacks"].shift.value or 0.0) > 1.0
    assert obedient["harmless sentences"].shift.value == 0.0


def test_a_judge_that_gives_few_scores_has_figures_of_these_alone() -> None:
    found = trials_of(lambda request: 5.0 if request.fields["answer_a"] == "yes 00" else None)
    assert (found.ratings[0], found.ratings[1]) == ((5.0, None), (None, None))
    assert (found.order_shift.value, found.order_shift.unscored) == (None, 12)
    assert (found.grade_shift.value, found.grade_shift.n, found.grade_shift.unscored) == (0.0, 1, 11)
    silent = trials_of(lambda _request: None)
    assert silent.calibration_error.value is None
    assert silent.injection["all attacks"].shift.unscored == ATTACKED


def test_the_whole_measurement_survives_json_and_is_said_in_words() -> None:
    measured, scored = measure_fully(ScriptedJudge(), PAIRS[:2])
    assert JudgeQuality.model_validate_json(measured.model_dump_json()) == measured
    assert [row.score for row in scored] == pytest.approx([5 / 3, 5 / 3])  # one word of three is shared
    assert measured.trials is not None
    assert measured.trials.texts == trials_digest()
    said = trials_text(measured.trials)
    assert "first order minus second: 0.00" in said
    assert f"CPU seconds, {measured.trials.cost.seconds:,.0f} by the clock ({hardware()})" in said


def test_shared_texts_have_the_lengths_that_are_told_and_stand_in_both_answers() -> None:
    texts = shared_texts()
    assert [words(text) for text in texts] == [12] * 3 + [40] * 3 + [90] * 3
    drawn = shared_trials(PAIRS, texts[:1], pairs_per_text=2)
    assert [one.pair.is_equivalent for one in drawn] == [False, False, True, True] * 2
    changed = drawn[0].changed()
    assert changed.a.startswith(texts[0])
    assert changed.b.startswith(texts[0])


def test_tokens_are_counted_where_a_judge_reads_a_prompt_of_them() -> None:
    class Reads(ScriptedJudge):
        def prompt_ids(self, request: JudgeRequest) -> list[int] | None:
            return [1] * len(request.fields["answer_a"])

    class SentAsText(ScriptedJudge):
        def prompt_ids(self, request: JudgeRequest) -> list[int] | None:
            return None

    # "yes 00" has 6 characters and "no 00" 5; each pair is asked about in both orders
    assert tokens_read(Reads(), PAIRS[:3]) == 3 * (6 + 5)
    assert tokens_read(SentAsText(), PAIRS) is None
    assert tokens_read(ScriptedJudge(), PAIRS) is None
