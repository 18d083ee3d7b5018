"""Labels by people: agreement and corrected scores, derived by hand from small logs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from evaluator.__main__ import main
from evaluator.judge_logs.judgements import Judgement, JudgementLog
from evaluator.judge_logs.registry import read_log
from evaluator.judge_report.figure import Figure
from evaluator.judge_report.labels import labels_of
from evaluator.judge_report.report import log_report
from evaluator.statistics import intervals
from evaluator.statistics.intervals import FloatArray
from submissions.verdicts.swap_outcomes import Verdict


def _log(*judgements: Judgement) -> JudgementLog:
    return JudgementLog("csv", "t", judgements, {}, ())


def _compared(question: str, verdict: Verdict, first: str = "x", second: str = "y") -> Judgement:
    return Judgement(judge="j", question=question, systems=(first, second), verdict=verdict, place="$")


def _figures(log: JudgementLog, people: JudgementLog) -> dict[str, Figure]:
    return {figure.key: figure for figure in log_report(log, "f", labels_of(people)).judges[0].figures}


def test_a_label_is_compared_by_system_whatever_order_it_was_given_in() -> None:
    log = _log(_compared("1", "A"), _compared("2", "A", "y", "x"), _compared("3", "C"), _compared("4", "B"))
    # People say x, x, tie, x: the judge said x, y, tie, y.
    people = _log(_compared("1", "B", "y", "x"), _compared("2", "A"), _compared("3", "C"), _compared("4", "A"))
    figures = _figures(log, people)
    assert (figures["label_accuracy"].value, figures["label_accuracy"].n) == (2 / 4, 4)
    # By place the judge says A A C B and the labels A B C A: p_o = 1/2, p_e = 2/4 x 2/4 + 1/4 x 1/4 + 1/4 x 1/4 = 3/8.
    assert figures["label_kappa"].value == pytest.approx((1 / 2 - 3 / 8) / (1 - 3 / 8))
    assert figures["right_first"].value == 1 / 2  # of questions 1 and 4
    assert figures["right_second"].value == 0.0  # of question 2


def test_agreement_beyond_chance_has_intervals_over_questions() -> None:
    # On each of 12 questions the judge is asked twice, once in either place, and says the first both times: right once.
    log = _log(*(_compared(str(n), "A", *pair) for n in range(12) for pair in (("x", "y"), ("y", "x"))))
    people = _log(*(_compared(str(n), "A") for n in range(12)))
    figures = _figures(log, people)
    # All questions are alike, so that drawing them again changes nothing. Kappa is (1/2 - 1/2) / (1 - 1/2) = 0. Judge
    # and people together say A 36 times and B 12 times, and differ in 12 of 24 pairs: alpha is
    # 1 - 47 x 24 / (48^2 - 36^2 - 12^2) = 1 - 1128 / 864.
    kappa, alpha = figures["label_kappa"], figures["label_alpha"]
    assert (kappa.value, kappa.low, kappa.high) == (0.0, 0.0, 0.0)
    assert alpha.value == pytest.approx(1 - 1128 / 864)
    assert alpha.low == alpha.high == pytest.approx(1 - 1128 / 864)
    # Right on half of the questions: now it matters which are drawn.
    said = _log(*(_compared(str(n), "A" if n % 4 < 2 else "B") for n in range(40)))
    right = _log(*(_compared(str(n), "A" if n % 2 else "B") for n in range(40)))
    mixed = _figures(said, right)["label_alpha"]
    assert mixed.low is not None
    assert mixed.high is not None
    assert mixed.value is not None
    assert mixed.low < mixed.value < mixed.high
    few = _figures(_log(_compared("1", "A"), _compared("2", "B")), _log(_compared("1", "A"), _compared("2", "B")))
    assert few["label_alpha"].low is None


def test_intervals_are_the_same_where_draws_are_not_held_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """2,000 draws of 60,000 labelled questions at once did not fit into the memory of a check."""
    numbers, verdicts = range(40), get_args(Verdict)
    judged = _log(*(_compared(str(n), verdicts[n % 3]) for n in numbers), *(_rated(str(n), n % 7) for n in numbers))
    people = _log(
        *(_compared(str(n), verdicts[n % 2]) for n in numbers), *(_rated(str(n), n % 5 + 0.1) for n in numbers)
    )
    at_once = _figures(judged, people)
    held: list[int] = []

    def drawn(generator: np.random.Generator, units: int, draws: int) -> FloatArray:
        held.append(units * draws)
        return draws_of(generator, units, draws)

    draws_of = intervals._drawn
    monkeypatch.setattr(intervals, "_drawn", drawn)
    monkeypatch.setattr(intervals, "BLOCK_NUMBERS", 1_000)
    in_blocks = _figures(judged, people)
    assert in_blocks == at_once
    assert {in_blocks[key].low is None for key in ("label_kappa", "label_alpha", "rating_alpha")} == {False}
    # Confusions and ratings, 2,000 draws of 40 questions each: 83 blocks of 24 draws, which are 960 counts, and 8 more.
    assert (max(held), sum(held)) == (960, 2 * 2_000 * 40)


def _sure(question: str, probability: float) -> Judgement:
    verdict: Verdict = "B" if probability > 0.5 else "A"
    return replace(_compared(question, verdict), probability=probability)


def test_stated_probabilities_stand_beside_how_often_people_say_so() -> None:
    # 0.2 is stated of 20 questions of which people find the second answer better in 10, 0.9 of 30, in 27.
    surely = [_sure(str(n), 0.2 if n < 20 else 0.9) for n in range(50)]
    log = _log(*surely, _sure("a tie", 0.9), _compared("unsure", "A"))
    labels: list[Verdict] = ["B" if n % 2 else "A" for n in range(20)]
    labels += ["A" if n % 10 == 0 else "B" for n in range(20, 50)]
    people = _log(
        *(_compared(str(n), label) for n, label in enumerate(labels)), _compared("a tie", "C"), _compared("unsure", "A")
    )
    figures = _figures(log, people)
    # (10 x 0.2^2 + 10 x 0.8^2 + 3 x 0.9^2 + 27 x 0.1^2) / 50 = (0.4 + 6.4 + 2.43 + 0.27) / 50
    assert figures["label_brier"].value == pytest.approx(9.5 / 50)
    assert figures["label_brier"].n == 50
    points = [figure for key, figure in figures.items() if key.startswith("label_calibration_")]
    assert [(one.value, one.n) for one in points] == [(0.5, 20), (0.9, 30)]
    assert "0.20 was stated" in points[0].meaning
    assert points[1].low is not None
    assert points[1].low < 0.9 < (points[1].high or 0.0)
    assert "label_brier" not in _figures(_log(_compared("1", "A")), _log(_compared("1", "A")))


def test_equal_statements_stand_in_one_point_of_the_curve() -> None:
    # 60 statements, 12 a point: the first 30 are equal and stay together, and so do 0.6, 0.7 and 0.8 by tens, which
    # makes points of 30, 20 and 10.
    stated = [0.1] * 30 + [0.6] * 10 + [0.7] * 10 + [0.8] * 10
    log = _log(*(_sure(str(n), one) for n, one in enumerate(stated)))
    figures = _figures(log, _log(*(_compared(str(n), "B") for n in range(60))))
    assert [figures[f"label_calibration_{n}"].n for n in (1, 2, 3)] == [30, 20, 10]


def test_several_labels_of_a_pair_count_as_their_majority() -> None:
    votes = [_compared("1", "A"), _compared("1", "A"), _compared("1", "B"), _compared("2", "A"), _compared("2", "B")]
    assert list(labels_of(_log(*votes)).pairs.values()) == ["x", ""]


def test_the_better_system_changes_when_the_judge_favours_one() -> None:
    # The judge calls x better on 199 of 200 questions; people on 42 of 100: no spread of the judge on those, the labels
    # stand alone.
    log = _log(*(_compared(str(n), "A") for n in range(199)), _compared("199", "B"))
    people = _log(*(_compared(str(n), "A" if n < 42 else "B") for n in range(100)))
    corrected = _figures(log, people)["corrected x / y"]
    assert corrected.value == pytest.approx(42 / 100)
    # Its interval, 0.326 to 0.520, holds one half: 42 of 100 do not say that y is better.
    assert "which system is better cannot be told: the interval holds one half" in corrected.meaning
    fewer = _log(*(_compared(str(n), "A" if n < 30 else "B") for n in range(100)))
    assert "the better system changes" in _figures(log, fewer)["corrected x / y"].meaning
    # Labels: variance (42 x 58 / 100 + 2 x 0.25) / 101 = 0.24614, 3.8416 x 0.24614 / 0.08^2 = 147.7. The judge says the
    # same of all that are labelled, so that it helps nothing; 100 there are.
    assert (
        "about 148 labels with the judge's help, 48 more than there are; labels alone: about 148" in corrected.meaning
    )


def test_labels_that_were_chosen_by_the_verdict_are_found_and_not_corrected_by_rates() -> None:
    # The judge says x on half of 1,000 questions; labelled are 150 of those where it said x and 30 of the others.
    log = _log(*(_compared(str(n), "A" if n % 2 else "B") for n in range(1_000)))
    chosen = [n for n in range(1_000) if n % 2][:150] + [n for n in range(1_000) if not n % 2][:30]
    people = _log(*(_compared(str(n), "A" if (n % 2 == 1) != (n % 10 == 0) else "B") for n in chosen))
    figures = _figures(log, people)
    corrected = figures["corrected x / y"]
    assert "the labels are no random sample" in corrected.meaning
    assert corrected.title.endswith("corrected (by verdict)")
    # People say x wherever the judge does, and on 6 of the 30 others (10, 20, .. of the first 60), which are half of
    # all: 1/2 + 1/2 x 6/30. The labels alone say (150 + 6) / 180 = .87.
    assert corrected.value == pytest.approx(0.6)
    assert corrected.low is not None
    assert corrected.high is not None
    assert corrected.low < 0.6 < corrected.high
    assert "rogan_gladen x / y" not in figures
    at_random = _log(*(_compared(str(n), "A" if (n % 2 == 1) != (n % 10 == 0) else "B") for n in range(180)))
    assert "no random sample" not in _figures(log, at_random)["corrected x / y"].meaning
    assert "rogan_gladen x / y" in _figures(log, at_random)


def test_below_a_hundred_labels_a_score_is_corrected_without_an_interval_and_what_is_missing_is_said() -> None:
    # As above, with 99 labels, 40 for x. Rogan-Gladen has the same questions: the judge says x on all of them, is right
    # on 40 of 40 of x and on 0 of 59 of y, which is no better than a coin: no value.
    log = _log(*(_compared(str(n), "A") for n in range(199)), _compared("199", "B"))
    report = log_report(
        log, "f", labels_of(_log(*(_compared(str(n), "A" if n < 40 else "B") for n in range(99))))
    ).judges[0]
    corrected = next(one for one in report.figures if one.key == "corrected x / y")
    assert corrected.value == pytest.approx(40 / 99)
    assert corrected.low is corrected.high is None
    assert corrected.meaning == "As judged 0.995. No interval below 100 labels: 1 is missing."
    assert report.missing[-1] == (
        "Intervals of corrected scores: they need 100 labelled questions, and no score has more than 99. Label 1 more, "
        "drawn at random from the questions of the log."
    )


def test_rogan_gladen_without_an_interval_says_how_many_labels_are_missing() -> None:
    # Judge and people agree on 60 of 60, half of them x: right on every kind. The judge says x on 70 of 140 others.
    log = _log(*(_compared(str(n), "A" if n % 2 else "B") for n in range(200)))
    people = _log(*(_compared(str(n), "A" if n % 2 else "B") for n in range(60)))
    share = _figures(log, people)["rogan_gladen x / y"]
    assert share.value == pytest.approx(0.5)
    assert share.low is None
    assert share.meaning.endswith("No interval below 100 labels: 40 are missing.")


def _rated(question: str, rating: float, system: str = "x") -> Judgement:
    return Judgement(judge="j", question=question, systems=(system,), rating=rating, place="$")


def test_ratings_are_compared_answer_by_answer_with_the_mean_of_peoples() -> None:
    figures = _figures(
        _log(_rated("1", 2.0), _rated("2", 3.0), _rated("3", 9.0)),  # nobody rated the third
        _log(_rated("1", 0.0), _rated("1", 2.0), _rated("2", 2.0)),
    )
    assert (figures["rating_error"].value, figures["rating_error"].n) == (1.0, 2)
    # Ratings 2, 1, 3, 2: squared differences over ordered pairs 2 (4 x 18 - 8^2) = 16, within answers 2 + 2 = 4:
    # 1 - 3 x 4 / 16.
    assert figures["rating_alpha"].value == pytest.approx(0.25)
    assert figures["rating_alpha"].low is None  # two questions


def test_agreement_of_ratings_has_an_interval_over_questions() -> None:
    log = _log(*(_rated(str(n), float(n % 5 + 1)) for n in range(40)))
    equal = _figures(log, log)["rating_alpha"]
    assert (equal.value, equal.low, equal.high) == (1.0, 1.0, 1.0)
    people = _log(*(_rated(str(n), float(n % 5 + n % 2)) for n in range(40)))
    alpha = _figures(log, people)["rating_alpha"]
    assert alpha.low is not None
    assert alpha.value is not None
    assert alpha.high is not None
    assert alpha.low < alpha.value < alpha.high < 1.0


def test_corrected_mean_ratings_tell_where_a_system_changes_its_place() -> None:
    # The judge gives x a 5 and y a 4 throughout, which tells nothing apart within a system: the labels stand alone.
    log = _log(*(_rated(str(n), rating, system) for n in range(300) for system, rating in (("x", 5.0), ("y", 4.0))))
    people = _log(*(_rated(str(n), rating, system) for n in range(100) for system, rating in (("x", 1.0), ("y", 4.0))))
    figures = _figures(log, people)
    x, y = figures["corrected mean x"], figures["corrected mean y"]
    assert [x.value, y.value] == pytest.approx([1.0, 4.0])
    assert (x.n, x.of) == (100, "labelled questions beside 200 without")
    assert "As judged 5.000, place 1 of 2; corrected place 2." in x.meaning
    assert "As judged 4.000, place 2 of 2; corrected place 1." in y.meaning
    assert x.low is not None
    assert x.high is not None
    assert 1.0 <= x.low <= 1.0 < x.high < 2.0  # a hundred equal labels do not make it certain
    fewer = _log(*(_rated(str(n), rating, system) for n in range(60) for system, rating in (("x", 1.0), ("y", 4.0))))
    x = _figures(log, fewer)["corrected mean x"]
    assert x.value == pytest.approx(1.0)
    assert x.low is x.high is None
    assert x.meaning == "As judged 5.000, place 1 of 2. No interval below 100 labels: 40 are missing."
    too_few = log_report(log, "f", labels_of(_log(_rated("1", 1.0)))).judges[0]
    assert any(sentence.startswith("Corrected scores: no system") for sentence in too_few.missing)


def test_labels_of_other_questions_are_said_to_help_nothing() -> None:
    report = log_report(_log(_compared("1", "A")), "f", labels_of(_log(_compared("2", "A"))))
    assert any(sentence.startswith("Labels: none of them") for sentence in report.judges[0].missing)


def test_the_command_takes_labels_beside_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, verdicts in (("log.csv", "ABABABAB"), ("labels.csv", "ABABABBA")):
        rows = [f"{n},x,y,{verdict}" for n, verdict in enumerate(verdicts)]
        (tmp_path / name).write_text("\n".join(["question,first,second,verdict", *rows]))
    assert read_log((tmp_path / "labels.csv").read_bytes(), "labels.csv").log is not None
    assert main(["judge-report", str(tmp_path / "log.csv"), "--labels", str(tmp_path / "labels.csv")]) == 0
    assert "Agreement with people: 0.750" in capsys.readouterr().out
