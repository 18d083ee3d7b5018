"""Biases of judges: sizes derived by hand, and what a log does not allow to test."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from benchmarks.judge_biases import Made, reached
from evaluator.judge_logs.judgements import Judgement, JudgementLog
from evaluator.judge_report.biases import Bias, bias_figures, biases
from evaluator.judge_report.labels import Labels
from evaluator.judge_report.report import log_report
from evaluator.judge_report.text import facts
from submissions.verdicts.swap_outcomes import Verdict

A: Verdict = "A"
B: Verdict = "B"


def judged(
    question: int,
    verdict: Verdict,
    systems: tuple[str, ...] = ("red", "blue"),
    *,
    judge: str = "judge",
    lengths: tuple[int, ...] = (),
    gold: Verdict | None = None,
    order_known: bool = True,
) -> Judgement:
    return Judgement(
        judge=judge,
        question=f"q{question}",
        systems=systems,
        verdict=verdict,
        lengths=lengths,
        gold=gold,
        order_known=order_known,
        place="$",
    )


def by_kind(judgements: list[Judgement], judge: str = "judge", labels: Labels | None = None) -> dict[str, Bias]:
    return {bias.kind: bias for bias in biases(judgements, labels) if bias.judge == judge}


def test_the_place_effect_is_the_share_of_pairs_that_the_first_place_wins_twice() -> None:
    # 9 of 12 pairs keep their verdict, 3 go to the first place twice: 15 of 24 to the first, 15/24 - 9/24.
    log = [judged(n, A) for n in range(12)]
    log += [judged(n, A if n < 3 else B, ("blue", "red")) for n in range(12)]
    place = by_kind(log)["place"]
    assert place.size.value == pytest.approx(0.25)
    assert place.n == 24
    assert place.size.low < 0.25 < place.size.high


def test_one_order_tells_no_place_from_the_system_that_stands_there() -> None:
    assert by_kind([judged(n, A, gold=B if n % 2 else A) for n in range(20)]) == {}
    # Two orders of different questions and labels do: 20 verdicts for the first place, of which people say so of 10.
    log = [judged(n, A, ("red", "blue") if n % 4 < 2 else ("blue", "red"), gold=B if n % 2 else A) for n in range(20)]
    assert by_kind(log)["place"].size.value == pytest.approx(1.0)
    assert by_kind([judged(n, A, order_known=False, gold=B if n % 2 else A) for n in range(20)]) == {}


def test_the_length_effect_is_by_a_standard_deviation_of_the_log_ratio() -> None:
    # One is twice as long: by one root mean square. Where that is the first it wins 5 of 6, else 2 of 6: half of 3/6.
    log = [judged(n, A if n < 5 else B, lengths=(199, 99)) for n in range(6)]
    log += [judged(n, A if n < 8 else B, lengths=(99, 199)) for n in range(6, 12)]
    length = by_kind(log)["length"]
    assert length.size.value == pytest.approx(0.25)
    assert length.of == "comparisons with lengths"


def of_family(judge: str = "gpt-4") -> list[Judgement]:
    """Its family wins 10 of 12 where it is first, and 10 of 12 where it is second; people prefer either in half."""
    log = []
    for n in range(24):
        is_first, label = n < 12, A if n % 2 else B
        own, other = (A, B) if is_first else (B, A)
        says = own if label == own or n % 12 < 8 else other
        log.append(judged(n, says, ("gpt-4", "llama-3") if is_first else ("llama-3", "gpt-4"), judge=judge, gold=label))
    return log


def test_the_family_effect_is_beyond_what_people_say() -> None:
    # Of 12 its own right 6 times, and 4 of the 6 others: 10/12 and 2/12, half of the difference; labels are balanced.
    family = by_kind(of_family(), "gpt-4")["family"]
    assert family.size.value == pytest.approx(1 / 3)
    assert family.n == 24


SYSTEMS = tuple(
    f"{name}-chat" for name in ("alpaca", "bloom", "cohere", "dolly", "falcon", "guanaco", "hermes", "jais")
)
REFERENCE = "vicuna"


def won(wins: Mapping[str, float], judge: str) -> list[Judgement]:
    """Twelve questions on which each system is compared with a reference in both orders, and wins as often as said."""
    return [
        judged(n, A if (n < 12 * share) == is_first else B, (system, REFERENCE)[:: 1 if is_first else -1], judge=judge)
        for system, share in wins.items()
        for is_first in (True, False)
        for n in range(12)
    ]


def test_without_labels_a_family_is_held_against_the_line_through_other_systems() -> None:
    twelfths = dict(zip(SYSTEMS, range(1, 9), strict=True))
    even = {system: number / 12 for system, number in twelfths.items()} | {"gpt-4": 6 / 12, "gpt-3.5": 6 / 12}
    # As the other judge says, but the two of its family 4 of 12 more.
    own = even | {"gpt-4": 10 / 12, "gpt-3.5": 10 / 12}
    family = by_kind([*won(own, "gpt-4 strict"), *won(even, "claude-2")], "gpt-4 strict")["family"]
    assert family.size.value == pytest.approx(4 / 12, abs=0.03)  # the reference loses some of it
    assert family.size.p < 0.05
    assert family.n == 48
    kin = won(even, "vicuna-guard")  # of the family of what everything is compared with
    assert "family" not in by_kind([*won(own, "gpt-4 strict"), *kin], "gpt-4 strict")


def test_a_judge_that_is_more_decided_than_the_others_does_not_favour_its_family() -> None:
    # Everything that it likes wins twice as much above the half as the other judge says; its family is the best.
    usual = dict(zip(SYSTEMS, (3, 3, 4, 4, 5, 7, 8, 8), strict=True)) | {"gpt-4": 9, "gpt-3.5": 9}
    even = {system: number / 12 for system, number in usual.items()}
    decided = {system: (2 * number - 6) / 12 for system, number in usual.items()}
    family = by_kind([*won(decided, "gpt-4 strict"), *won(even, "claude-2")], "gpt-4 strict")["family"]
    assert family.size.value == pytest.approx(0, abs=0.001)
    assert family.size.p > 0.5


def test_a_family_is_not_tested_beside_a_handful_of_systems() -> None:
    even = dict.fromkeys(SYSTEMS[:4], 0.5) | {"gpt-4": 0.5}
    log = [*won(even | {"gpt-4": 1.0}, "gpt-4 strict"), *won(even, "claude-2")]
    assert "family" not in by_kind(log, "gpt-4 strict")


def test_a_report_shows_biases_with_what_could_be_seen_and_one_false_discovery_rate() -> None:
    report = log_report(JudgementLog("csv", "t", tuple(of_family()), {}, ()), "f")
    figures = {figure.key: figure for figure in report.judges[0].figures}
    effect = figures["family_effect"]
    assert effect.detectable is not None
    assert effect.false_discovery_rate is not None
    assert effect.meaning.endswith("would be seen in 80 of 100 such logs.")
    assert "over the 2 tests of this log" in effect.meaning  # of place and family: there are no lengths
    assert any(
        fact.startswith("2 tests of bias, false discovery rate 5%: gpt-4: family effect +0.33")
        for fact in facts(report)
    )
    assert bias_figures([]) == {}


def test_planted_biases_are_seen_and_nothing_else() -> None:
    planted = reached(Made(place=0.4, length=0.8, family=1.4), trials=30)
    assert min(planted.seen.values()) >= 0.8
    # 30 logs of 12 tests without a bias: a false finding in more than 6 of them has a chance of less than 1 in 1,000.
    assert reached(Made(), trials=30).logs_with_false <= 0.2
