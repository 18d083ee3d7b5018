"""How well a judge tells answers from other texts: figures worked out by hand, and floors of the head that ships."""

from __future__ import annotations

import pytest

from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.judge_quality.answers.quality import shipped_quality
from evaluator.judges.answers.judge import load_answer_head
from evaluator.judges.scripted import ScriptedJudge
from research.answers.examples import FALSE_KINDS, LabelledAnswer, labelled_answers
from research.answers.fitting import examples_digest
from research.answers.measurement import answer_quality, measure, quality_text

PIN = ScriptedJudge().pin


def examples(*kinds: str) -> list[LabelledAnswer]:
    return [LabelledAnswer(f"topic {place}", kind, "How?", "So.") for place, kind in enumerate(kinds)]


def test_the_figures_are_those_worked_out_by_hand() -> None:
    kinds = ("written", "written", "refusal", "hedge")
    found = answer_quality(PIN, [0.9, 0.3, 0.4, 0.1], examples(*kinds))
    # .9 beats both, .3 beats .1 only: 3 of 4. Right of .5: one of two answers, both others: (1/2 + 1) / 2
    assert (found.auc.value, found.right.value) == (0.75, 0.75)
    assert found.kinds["refusal"].auc.value == 0.5  # .9 beats .4, .3 does not
    assert found.kinds["hedge"].auc.value == 1.0
    # [.2, .5): one answer of two, one of two others -> half; mean of .3 and .4
    middle = next(one for one in found.calibration if one.low == 0.2)
    assert (middle.n, middle.answers) == (2, 0.5)
    assert middle.mean_probability == pytest.approx(0.35)
    assert "| no answer: hedge | 1 | 1.000" in quality_text(found)


def test_what_is_unscored_is_counted_and_in_no_figure() -> None:
    found = answer_quality(PIN, [0.9, None, 0.1], examples("written", "written", "refusal"))
    assert (found.unscored, found.auc.value) == (1, 1.0)


def test_there_is_no_interval_with_fewer_than_five_topics() -> None:
    assert answer_quality(PIN, [0.9, 0.1], examples("written", "refusal")).auc.low is None
    found = answer_quality(PIN, [0.9] * 3 + [0.1] * 3, examples(*["written"] * 3, *["refusal"] * 3))
    assert found.auc.low is not None


def test_the_published_measurement_is_of_the_head_and_the_test_split_that_ship() -> None:
    assert shipped_quality().judge == load_answer_head(MiniLMEmbedder()).pin
    assert shipped_quality().measured_on == examples_digest(labelled_answers("test"))


def test_the_head_holds_its_floors_on_topics_it_has_not_seen() -> None:
    found = shipped_quality()
    assert found.auc.value is not None
    assert found.auc.low is not None
    assert found.auc.low >= 0.95
    for kind in FALSE_KINDS:
        value = found.kinds[kind].auc.value
        assert value is not None
        assert value >= LOWER_FLOORS.get(kind, 0.90), kind


LOWER_FLOORS = {"subject_facts": 0.85, "same_topic": 0.70, "small_model_rambling": 0.75}
"""The hardest: what is true of the subject; real answers to other questions about the same subject, and a rambling
model's texts (35 and 129), of which docs/answer_gate.md warns."""


@pytest.mark.soak
def test_the_published_measurement_is_what_the_head_gives() -> None:
    fresh = measure(load_answer_head(MiniLMEmbedder()), labelled_answers("test"))
    assert fresh.auc.value == pytest.approx(shipped_quality().auc.value, abs=0.002)
    for kind, one in shipped_quality().kinds.items():
        assert fresh.kinds[kind].auc.value == pytest.approx(one.auc.value, abs=0.01), kind
