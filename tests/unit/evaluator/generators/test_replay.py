"""Replay: stored answers as streams, found by what was asked and not by how."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from evaluator.generators.protocol import GeneratorUnavailable, Message
from evaluator.generators.replay import Replay, ReplayGenerator, ReplayKey
from submissions.formats.personalization.submission import (
    FinishReason,
    PersonalizedRow,
    PersonalizedSubmission,
    Setting,
)
from submissions.questionsets.option_order import option_order_hash
from submissions.schema import Names

OPTIONS = ("the sun", "the moon")
LIKING = ("I like short answers.",)


def row(
    setting: Setting,
    method: str,
    preferences: tuple[str, ...] = (),
    *,
    control: str | None = None,
    final: str | None = None,
    draft: str | None = None,
    repeat: int = 1,
    finish_reason: FinishReason | None = None,
) -> PersonalizedRow:
    return PersonalizedRow(
        example_id="d1",
        dataset="sky",
        setting=setting,
        method=method,
        question="What shines at night?",
        options=OPTIONS,
        option_order_hash=option_order_hash(OPTIONS),
        gold="B",
        preferences=preferences,
        relevant_index=0 if preferences else None,
        response_without_preference=control,
        response_with_preference=final,
        draft=draft,
        repeat=repeat,
        finish_reason=finish_reason,
    )


SUBMISSION = PersonalizedSubmission(
    names=Names("t", "s", "a-model", "r"),
    date=None,
    notes=None,
    file_sha256="0" * 64,
    rows=(
        row("none", "no_preference", control="It is  B.\nSurely.", finish_reason="stop"),
        row("none", "no_preference", control="another run", repeat=2),
        row("relevant", "naive", LIKING, control="It is  B.\nSurely.", final="B", finish_reason="length"),
        row("relevant", "pref_aligner", LIKING, final="B!", draft="the draft"),
    ),
)
REPLAY = Replay(SUBMISSION)
CONTROL = ReplayKey.control("sky", "d1")
NAIVE = ReplayKey("naive", "sky", "d1", "relevant", LIKING)
ALIGNED = ReplayKey("pref_aligner", "sky", "d1", "relevant", LIKING)


def written(generator: ReplayGenerator) -> tuple[str, str | None]:
    chunks = list(generator.stream([Message("user", "anything")], stop=threading.Event(), max_new_tokens=1))
    return "".join(chunk.text for chunk in chunks), chunks[-1].finish_reason


def test_a_stored_text_comes_back_unchanged_with_the_reason_the_file_states() -> None:
    assert written(REPLAY.answer(CONTROL)) == ("It is  B.\nSurely.", "stop")
    assert written(REPLAY.answer(NAIVE)) == ("B", "length")
    assert written(REPLAY.answer(ALIGNED)) == ("B!", "unknown")


def test_the_draft_is_the_stored_one_or_else_the_control() -> None:
    assert written(REPLAY.draft(ALIGNED))[0] == "the draft"
    assert written(REPLAY.draft(NAIVE))[0] == "It is  B.\nSurely."


def test_keys_are_those_of_the_first_control_run_and_of_all_other_rows() -> None:
    assert REPLAY.keys == (CONTROL, NAIVE, ALIGNED)
    found = REPLAY.row(CONTROL)
    assert found is not None
    assert found.response_without_preference == "It is  B.\nSurely."


def test_other_preferences_are_another_answer() -> None:
    other = NAIVE._replace(preferences=("I like long answers.",))
    assert REPLAY.row(other) is None
    with pytest.raises(GeneratorUnavailable, match=r"no answer of naive to d1 \(sky, relevant\)"):
        REPLAY.answer(other)


def test_a_replay_can_be_cancelled() -> None:
    stop = threading.Event()
    stop.set()
    (last,) = list(REPLAY.answer(CONTROL).stream([], stop=stop))
    assert last.finish_reason == "cancelled"


def test_the_pin_names_model_and_file() -> None:
    pin = REPLAY.answer(NAIVE).pin
    assert (pin.name, pin.model, pin.revision, pin.prompt) == ("replay", "a-model", "0" * 64, "naive")


def test_replay_and_allow_list_are_imported_without_torch_or_network_libraries() -> None:
    code = (
        "import sys, evaluator.generators.replay, evaluator.generators.loading, evaluator.commands.answer; "
        "print([name for name in ('torch', 'transformers', 'httpx2', 'huggingface_hub') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
