"""A file of recommender answers becomes a result: figures, every scored turn, and what stands beside the system."""

from __future__ import annotations

from math import isclose

import pytest

from evaluator.behavior_alignment.evaluate import evaluate_behavior
from evaluator.behavior_alignment.result import BehaviorResult
from evaluator.behavior_alignment.task import behavior_lines
from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.evaluate import evaluate_payload, result_text
from evaluator.judges.recorded import Batch, MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from submissions.schema import Names
from tests.unit.leaderboard.boards.behavior_alignment.made_behavior_alignment import (
    HUMAN,
    SETS,
    dialogue,
    document,
    file_of,
    read,
    scored,
)


def payload_result(data: bytes, batches: list[Batch] | None = None) -> BehaviorResult:
    """What a worker makes of a file."""
    told = [] if batches is None else batches
    result = evaluate_payload(
        data,
        "answers.json",
        edition="",
        names=Names(),
        prompt_sets=SETS,
        judge=RecordedJudge(ScriptedJudge(), MemoryVerdicts(), told.append),
        embedder=ScriptedEmbedder(),
    )
    assert isinstance(result, BehaviorResult)
    return result


def test_an_annotated_file_is_scored_by_its_labels() -> None:
    result = payload_result(file_of(18))  # all three scored turns are hits in 18 of 24 dialogues
    assert result.is_annotated
    assert result.explicit.ba == 0.75
    assert result.explicit.ba_eq2 == 0.75 * 3 / 4  # three hits of four turns
    assert result.explicit.ba_ci is not None
    assert result.explicit.ba_ci[0] < 0.75 < result.explicit.ba_ci[1]
    assert (result.dialogues, result.scored_dialogues, result.turns, result.scored_turns) == (24, 24, 96, 72)
    assert result.rankable
    assert result.turns_before_recommendation["human"].mean == 2.0  # its third turn recommends
    # 18 dialogues recommend at turn 4, the others at once: (18 x 3 + 6 x 0) / 24
    assert result.turns_before_recommendation["system"].mean == 2.25
    assert (result.success["human"].rate, result.success["system"].rate) == (1.0, 0.0)


def test_every_scored_turn_is_kept_with_what_was_made_of_it() -> None:
    turns = payload_result(file_of(1)).per_turn
    assert len(turns) == 72
    assert turns.dialogue[:4] == ("d00", "d00", "d00", "d01")
    assert turns.turn[:4] == (2, 3, 4, 2)
    assert turns.human_label[:3] == HUMAN[1:]
    assert turns.system_label[3:6] == ("encouragement", "encouragement", "credibility")
    assert turns.equal[:6] == (True, True, True, False, False, False)
    assert all(s is not None and 0 <= s <= 1 for s in turns.s)


def test_without_labels_everything_is_estimated() -> None:
    result = payload_result(file_of(18, labels=False))
    assert not result.is_annotated
    assert result.explicit.annotated_share == 0
    assert set(result.per_turn.equal) == {None}
    assert result.implicit is not None
    assert result.implicit.status == "estimated"
    same = [value for value in result.per_turn.same if value is not None]
    assert isclose(result.implicit.raw or 0, sum(same) / len(same))  # dialogues of one length: pooled = averaged
    assert result.rankable


def test_what_stands_beside_it_depends_on_the_human_alone() -> None:
    one, other = scored(file_of(18)), scored(file_of(2))
    assert one.references == other.references
    assert list(one.references) == ["previous", "constant", "human"]
    # The human's strategies differ from turn to turn, so that the previous one never fits.
    assert one.references["previous"].explicit.ba == 0
    assert one.references["previous"].hits == (0.0,) * 24
    # Three strategies are equally frequent in turns 2 to 4: the first of the thirteen is credibility, at turn 3.
    assert isclose(one.references["constant"].explicit.ba or 0, 1 / 3)
    assert one.references["constant"].implicit is None
    assert (one.references["constant"].bleu, one.references["constant"].copied_share) == ({}, None)
    human = one.references["human"]
    assert (human.explicit.ba, human.bleu["1"], human.success["system"].rate) == (1.0, 1.0, 1.0)


def test_a_constant_strategy_needs_the_human_s_labels() -> None:
    assert list(scored(file_of(18, labels=False)).references) == ["previous", "human"]


def test_copies_are_flagged() -> None:
    result = scored(file_of(24, copies=True))
    assert (result.flags, result.rankable, result.copied_share) == (("copied_human_text",), False, 1.0)


def test_a_result_survives_its_json() -> None:
    result = scored(file_of(3))
    assert BehaviorResult.model_validate_json(result.model_dump_json()) == result


def test_another_encoder_leaves_the_estimator_on_terms_alone() -> None:
    result = evaluate_behavior(read(file_of(3)), ScriptedEmbedder())
    assert result.embedding is None
    assert result.implicit is not None
    assert result.implicit.estimator == "default_head_text tfidf"


def test_progress_counts_sentences_up_to_all_of_them() -> None:
    batches: list[Batch] = []
    payload_result(file_of(18), batches)
    # 24 dialogues x 4 human sentences of their own, and the 4 of the system
    assert {batch.to_judge for batch in batches} == {100}
    assert [batch.judged for batch in batches] == [0, 64, 100]
    assert {(batch.newly_stored, batch.seconds) for batch in batches} == {(0, 0.0)}


def test_a_worker_that_is_asked_to_stop_stops_between_sentences() -> None:
    class Stop(Exception):
        pass

    def told(done: int, total: int) -> None:
        if done:
            raise Stop

    with pytest.raises(Stop):
        evaluate_behavior(read(file_of(18)), None, told)


def test_a_dialogue_of_one_turn_is_counted_and_not_scored() -> None:
    short = dialogue("short", HUMAN)
    short["turns"] = short["turns"][:1]
    result = scored(document([dialogue("long", HUMAN), short]))
    assert (result.dialogues, result.scored_dialogues, result.scored_turns) == (2, 1, 3)
    assert set(result.per_turn.dialogue) == {"long"}


def test_a_terminal_shows_the_headline_with_a_star() -> None:
    result = scored(file_of(18))
    lines = result_text(result).splitlines()
    assert lines[0] == f"collection {result.collection}: 24 of 24 dialogues scored"
    assert lines[1].startswith("* behavior alignment 0.75 [")
    assert "beside it: previous" in lines
    estimated = list(behavior_lines(scored(file_of(18, labels=False))))
    assert estimated[1].startswith("* estimated ")
