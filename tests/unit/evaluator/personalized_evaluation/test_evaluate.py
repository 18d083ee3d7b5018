"""From a file of predicted ratings or choices to its stored result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.__main__ import main
from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.evaluate import CannotBeJudged, evaluate_payload
from evaluator.judges.protocol import Judge
from evaluator.judges.recorded import Batch, MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.personalized_evaluation.evaluate import evaluate_personalized_evaluation
from evaluator.personalized_evaluation.result import PersonalizedEvaluationResult
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.store.verdict_keys import verdict_keys
from tests.unit.leaderboard.boards.personalized_evaluation.made_personalized_evaluation import (
    LabelJudge,
    choices,
    encoded,
    ratings,
    read,
    scored,
    unanswered,
)


def payload_result(data: bytes, judge: Judge) -> object:
    return evaluate_payload(
        data,
        "made.json",
        edition="",
        names=Names(),
        prompt_sets=PromptSets.load(None),
        judge=RecordedJudge(judge, MemoryVerdicts()),
        embedder=ScriptedEmbedder(),
    )


@pytest.mark.parametrize("document", [ratings(), choices()])
def test_a_file_with_answers_is_scored_as_it_is_and_no_judge_is_asked(document: dict[str, object]) -> None:
    judge = ScriptedJudge()
    result = payload_result(encoded(document), judge)
    assert isinstance(result, PersonalizedEvaluationResult)
    assert (result.judge, result.asked_keys, judge.calls) == (None, (), 0)
    assert result.report["parse_rate"] == 1.0


@pytest.mark.parametrize("document", [ratings(missing=[3]), choices([4])])
def test_a_stored_result_is_read_back_as_it_was(document: dict[str, object]) -> None:
    result = scored(document)
    assert PersonalizedEvaluationResult.model_validate_json(result.model_dump_json()) == result


def test_items_stand_in_the_order_of_the_file_with_what_was_read_of_them() -> None:
    result = scored(ratings(missing=[3], changes={0: {"score": None, "response": "Score: 11"}}))
    assert result.ratings is not None
    assert result.ratings.id[:4] == ("r0t0", "r0t1", "r0t2", "r0t3")
    assert result.ratings.reason[:4] == ("out_of_range", None, None, "no_answer")
    assert result.ratings.score[0] is None
    assert result.report["answered"] == 22
    assert (result.scale, result.gold_scale, result.pairs) == ((1, 10), (1, 10), None)


def test_choices_name_texts_in_both_orders() -> None:
    result = scored(choices([1], flipped=[2]))
    assert result.pairs is not None
    assert result.pairs.gold[:3] == ("A", "B", "A")
    assert result.pairs.choice[:3] == ("A", "A", "A")
    assert result.pairs.choice_swapped[:3] == ("A", "A", "B")


def test_a_file_without_answers_is_answered_by_the_judge_in_every_order() -> None:
    result = scored(unanswered(choices()), LabelJudge())
    assert result.pairs is not None
    assert result.judge is not None
    # It prefers the plot shown first: text A, then, swapped, text B.
    assert (set(result.pairs.choice), set(result.pairs.choice_swapped)) == ({"A"}, {"B"})
    assert result.pairs.distribution[0] == result.pairs.distribution_swapped[0] == (0.6, 0.3)
    assert result.pairs.label_mass[0] == 0.9
    assert len(set(result.asked_keys)) <= len(result.asked_keys) == 60  # 30 items in two orders
    assert verdict_keys(result.model_dump_json()) == sorted(set(result.asked_keys))


def test_a_judged_rating_keeps_its_distribution_over_one_to_ten() -> None:
    result = scored(unanswered(ratings(k=1)), LabelJudge())
    assert result.ratings is not None
    assert result.ratings.score[0] == pytest.approx((7 * 0.6 + 6 * 0.3) / 0.9)
    assert result.ratings.distribution[0] == (0, 0, 0, 0, 0, 0.3, 0.6, 0, 0, 0)
    # The same for everybody: no order, so no tau.
    assert result.report["kind"] == "personalized_ratings"
    assert result.report["penalized"]["kendall"] is None


def test_verdicts_are_stored_once_and_progress_is_told() -> None:
    judge, verdicts = LabelJudge(), MemoryVerdicts()
    submission, batches = read(encoded(unanswered(choices()))), list[Batch]()
    first = evaluate_personalized_evaluation(submission, RecordedJudge(judge, verdicts, batches.append))
    calls = judge.calls
    assert (batches[0].judged, batches[-1].judged, batches[-1].to_judge) == (0, 60, 60)
    again = evaluate_personalized_evaluation(submission, RecordedJudge(judge, verdicts))
    assert judge.calls == calls
    assert again == first


@pytest.mark.parametrize("document", [ratings(), choices()])
def test_a_judge_that_only_compares_texts_cannot_answer_and_says_so(document: dict[str, object]) -> None:
    with pytest.raises(CannotBeJudged, match="reads no questions about a reader; a language model does"):
        payload_result(encoded(unanswered(document)), ScriptedJudge())


def test_the_headline_is_kept_for_every_draw_of_readers() -> None:
    report = scored(ratings()).report
    assert len(report["headline_draws"]) == 2_000
    four_readers = ratings() | {"items": ratings()["items"][:16]}
    assert scored(four_readers).report["headline_draws"] == []


def test_the_command_prints_the_result(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "made.json"
    file.write_bytes(encoded(ratings()))
    assert main(["evaluate", str(file), "--json", "--judge", "scripted"]) == 0
    assert json.loads(capsys.readouterr().out)["board"] == "personalized_evaluation"
    assert main(["evaluate", str(file), "--judge", "scripted"]) == 0
    assert "headline" in capsys.readouterr().out
