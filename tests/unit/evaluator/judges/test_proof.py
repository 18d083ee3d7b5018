"""The plain questions by which a language model proves that it can judge, and what becomes of one that fails."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import get_args

import pytest

from benchmarks.random_models import TINY, random_model, small_tokenizer
from evaluator.__main__ import main
from evaluator.judge_loading.registry import load
from evaluator.judge_quality.trials import measure_fully
from evaluator.judges.kind import Loading, UnknownJudge
from evaluator.judges.prompts import PREFERENCE_PAIR, SIMILARITY_PAIR, SIMILARITY_PAIR_PAPER
from evaluator.judges.proof import _SAME, LEAST_GAP, QUESTIONS, RUBRICS, FailedProof, ProvenJudge, proof_lines, prove
from evaluator.judges.protocol import (
    LANGUAGE_MODEL_KINDS,
    JudgeRequest,
    Judgment,
    RequestKind,
    UnsuitableJudge,
    text_key,
)
from evaluator.judges.transformers import TransformersJudge
from evaluator.values import Pin
from tests.unit.leaderboard.page.made_quality import PAIRS

PIN = Pin(
    name="transformers",
    model="tried",
    revision="r",
    tokenizer="-",
    prompt="per rubric",
    dtype="-",
    engine="-",
    languages=None,
)


class Tried(ProvenJudge):
    """Answer by a rule; `asked` counts what it was asked."""

    def __init__(self, rule: Callable[[JudgeRequest], Judgment]) -> None:
        self._rule = rule
        self.asked = 0

    @property
    def pin(self) -> Pin:
        return PIN

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return LANGUAGE_MODEL_KINDS

    def key(self, request: JudgeRequest) -> str:
        return text_key(PIN, request)

    def answer(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        self.asked += len(requests)
        return [self._rule(request) for request in requests]

    def wanted_tokens(self, request: JudgeRequest, n: int) -> tuple[tuple[str, float], ...]:
        return (("\n", 0.75), (" The", 0.1))[:n]


def pair(first: str = "a", second: str = "b") -> JudgeRequest:
    return JudgeRequest(SIMILARITY_PAIR, {"answer_a": first, "answer_b": second}, "en")


def preference() -> JudgeRequest:
    return JudgeRequest(PREFERENCE_PAIR, {"answer_a": "a", "answer_b": "b"}, "en")


def by_shared_words(request: JudgeRequest) -> Judgment:
    """Ratings by words in common; no preferences."""
    if request.rubric.kind != "similarity_pair":
        return Judgment(
            None, distribution=(0.1, 0.1, 0.1), label_mass=0.3, reason="the judge did not answer with a label"
        )
    first, second = (set(request.fields[name].rstrip(".").split()) for name in ("answer_a", "answer_b"))
    return Judgment(5 * len(first & second) / len(first | second), label_mass=0.9)


def always(rating: float) -> Callable[[JudgeRequest], Judgment]:
    return lambda request: Judgment(rating, label_mass=1.0)


def test_every_kind_of_question_with_labels_has_eight_plain_ones_of_each_side_in_both_orders() -> None:
    assert set(QUESTIONS) == set(get_args(RequestKind)) - {"written"}
    assert [rubric.kind for rubric in RUBRICS] == list(QUESTIONS)
    for kind, make in QUESTIONS.items():
        questions = make()
        assert len(questions) in (8, 16), kind
        assert sum(question.is_high for question in questions) == len(questions) / 2, kind
        assert all(question.request.rubric.kind == kind for question in questions)
    sides = {(q.request.fields["answer_a"], q.request.fields["answer_b"]) for q in QUESTIONS["similarity_pair"]()}
    assert sides == {(b, a) for a, b in sides}


def test_a_judge_that_tells_plain_cases_apart_passes() -> None:
    proof = prove(Tried(by_shared_words), SIMILARITY_PAIR)
    assert proof.fault is None
    assert proof.lowest_mass == 0.9
    assert str(proof).startswith("similarity-pair 2: label mass 0.900 or more, ")


def test_a_judge_that_gives_no_labels_is_refused_with_rubric_mass_and_the_tokens_it_wanted() -> None:
    silent = Tried(lambda request: Judgment(None, label_mass=0.0001, reason="the judge did not answer with a label"))
    with pytest.raises(UnsuitableJudge) as refused:
        silent.demand_proof()
    assert str(refused.value) == (
        "tried cannot judge: it cannot answer similarity-pair 2: 16 of 16 plain questions are unscored (the judge did "
        "not answer with a label; lowest label mass 0.0001, 0.5 is needed; it wanted '\\n' 0.75, ' The' 0.1)"
    )


@pytest.mark.parametrize("rating", [0.0, 2.5, 5.0])
def test_a_judge_that_always_says_the_same_is_refused_with_its_scores_mass_and_the_tokens_it_wanted(
    rating: float,
) -> None:
    with pytest.raises(UnsuitableJudge, match="cannot tell plain cases apart in similarity-pair 2") as refused:
        Tried(always(rating)).demand_proof()
    scores = ", ".join([f"{rating:g}"] * 4)
    said = str(refused.value)
    assert f"must be above have {scores}, the others {scores} (label mass 1.000 or more, " in said
    assert said.endswith("; where label mass was lowest, it wanted '\\n' 0.75, ' The' 0.1)")


def test_a_judge_that_passes_is_not_asked_what_it_wanted() -> None:
    assert prove(Tried(by_shared_words), SIMILARITY_PAIR).wanted == ()


def test_a_gap_of_a_rounding_error_is_none() -> None:
    def rule(gap: float) -> Callable[[JudgeRequest], Judgment]:
        high = {question.request.fields["answer_a"] for question in QUESTIONS["similarity_pair"]() if question.is_high}
        low = {q.request.fields["answer_a"] for q in QUESTIONS["similarity_pair"]() if not q.is_high} - high
        # Half of the low questions show an answer of a high one first: they get no gap.
        return lambda request: Judgment(2.5 - gap * (request.fields["answer_a"] in low), label_mass=1.0)

    enough = 2 * LEAST_GAP * 5
    assert prove(Tried(rule(enough * 1.01)), SIMILARITY_PAIR).fault is None
    assert prove(Tried(rule(enough * 0.99)), SIMILARITY_PAIR).fault is not None


def one_pair_astray(request: JudgeRequest) -> Judgment:
    """Same pairs have 4, but one has 3 in one order and 2 in the other; different ones 1, but one has 2.5 in both."""
    fields = request.fields
    if "violin" in fields["answer_a"] + fields["answer_b"]:
        return Judgment(2.5, label_mass=0.8)
    if "legs" in fields["answer_a"] and "legs" in fields["answer_b"]:
        return Judgment(3.0 if fields["answer_a"].startswith("A ") else 2.0, label_mass=0.9)
    is_same = any({fields["answer_a"], fields["answer_b"]} == set(answers) for _, *answers in _SAME)
    return Judgment(4.0 if is_same else 1.0, label_mass=0.9)


def test_each_same_pair_is_above_each_different_one_in_the_mean_of_its_orders() -> None:
    """Of all ways to put four same and four different pairs in order, 1 of C(8, 4) = 70 passes: 1.4% by chance."""
    proof = prove(Tried(one_pair_astray), SIMILARITY_PAIR)
    assert proof.high == (4.0, 4.0, 2.5, 4.0)  # of the spider's two orders 3 and 2
    assert proof.low == (1.0, 1.0, 1.0, 2.5)
    assert proof.fault == (
        "it cannot tell plain cases apart in similarity-pair 2: those that must be above have 4, 4, 2.5, 4, the others "
        "1, 1, 1, 2.5 (label mass 0.800 or more, each must be above each of the others; where label mass was lowest, "
        "it wanted '\\n' 0.75, ' The' 0.1)"
    )
    orders = [set(places) for places in combinations(range(8), 4)]
    assert len(orders) == 70
    passing = [
        places
        for places in orders
        if not replace(proof, high=tuple(places), low=tuple(set(range(8)) - places), scale=1.0).fault
    ]
    assert passing == [{4, 5, 6, 7}]


def test_a_refused_judge_tells_what_it_was_asked_and_stays_in_its_process() -> None:
    constant = Tried(always(2.5))
    with pytest.raises(FailedProof) as refused:
        constant.demand_proof()
    assert refused.value.judge is constant
    sent = pickle.loads(pickle.dumps(refused.value))
    assert type(sent) is UnsuitableJudge
    assert str(sent) == str(refused.value)


def test_what_is_measured_may_be_bad_but_must_answer_with_labels() -> None:
    constant = Tried(always(3.0))
    constant.demand_proof(is_measured=True)
    assert constant.judge([pair()])[0].rating == 3.0
    silent = Tried(lambda request: Judgment(None, label_mass=0.1, reason="no label"))
    with pytest.raises(UnsuitableJudge):
        silent.demand_proof(is_measured=True)


def test_each_kind_is_proved_once_and_what_fails_is_unscored_with_the_reason() -> None:
    judge = Tried(by_shared_words)
    judge.demand_proof()
    assert judge.asked == 16
    first = judge.judge([pair("red", "red"), preference(), pair("red", "blue")])
    assert [one.rating for one in first] == [5.0, None, 0.0]
    assert (first[1].reason or "").startswith("the judge failed its proof: it cannot answer preference-pair 2: 8 of 8")
    assert judge.asked == 16 + 8 + 2  # the preference itself was not asked
    judge.judge([pair(), preference()])
    assert judge.asked == 16 + 8 + 2 + 1


def test_the_published_question_is_proved_in_its_own_words() -> None:
    asked: list[str] = []

    def rule(request: JudgeRequest) -> Judgment:
        asked.append(request.rubric.version)
        return by_shared_words(request)

    assert prove(Tried(rule), SIMILARITY_PAIR_PAPER).rubric == "similarity-pair paper"
    assert set(asked) == {"paper"}


def test_without_a_demand_nothing_is_proved() -> None:
    judge = Tried(always(3.0))
    assert judge.judge([pair()])[0].rating == 3.0
    assert judge.asked == 1


def test_the_command_prints_a_line_for_each_kind() -> None:
    lines = list(proof_lines(Tried(by_shared_words)))
    assert len(lines) == len(RUBRICS)
    assert lines[0].startswith("passed: similarity-pair 2: label mass")
    assert all(line.startswith("failed: it cannot answer ") for line in lines[1:])


@pytest.fixture
def random_weights(tmp_path: Path) -> Path:
    """The folder of a tiny model that knows nothing."""
    folder = tmp_path / "random"
    random_model(TINY).save_pretrained(folder)
    small_tokenizer().save_pretrained(folder)
    return folder


def test_the_command_says_of_a_refused_model_what_it_did_in_each_kind(
    random_weights: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLUMBLINE_JUDGES", f"transformers:{random_weights}")
    assert main(["judges"]) == 1
    first, *kinds = capsys.readouterr().out.splitlines()
    assert first == f"transformers:{random_weights}: not ready: random cannot judge"
    assert len(kinds) == len(RUBRICS)
    for line, rubric in zip(kinds, RUBRICS, strict=True):
        assert line.startswith(f"  failed: it cannot answer {rubric.id} {rubric.version}: ")
        assert re.search(r"lowest label mass [\d.e-]+, 0\.5 is needed; it wanted ('.*' [\d.]+(, )?){5}\)$", line), line


def test_a_model_of_random_weights_is_refused_by_name_and_taken_where_no_proof_is_wanted(random_weights: Path) -> None:
    folder = random_weights
    with pytest.raises(UnsuitableJudge, match=r"^random cannot judge: it cannot answer similarity-pair 2.*it wanted"):
        load(f"transformers:{folder}", Loading())
    judge = load(f"transformers:{folder};unproven", Loading()).judge
    assert isinstance(judge, TransformersJudge)
    assert judge.pin.prompt.endswith(", unproven")
    with pytest.raises(UnknownJudge, match="Behind either may stand ;unproven"):
        load(f"transformers:{folder};trusted", Loading())


def test_a_measurement_keeps_the_proof_of_each_kind() -> None:
    trials = measure_fully(Tried(by_shared_words), PAIRS[:2])[0].trials
    assert trials is not None
    assert [proof.rubric.rpartition(" ")[0] for proof in trials.proofs] == [rubric.id for rubric in RUBRICS]
    passed, *failed = trials.proofs
    assert (passed.rubric, passed.lowest_mass, passed.fault) == ("similarity-pair 2", 0.9, None)
    assert all(proof.lowest_mass == 0.3 and "it wanted" in (proof.fault or "") for proof in failed)
