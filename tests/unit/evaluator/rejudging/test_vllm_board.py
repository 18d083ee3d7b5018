"""What a pipeline of vLLM is asked and how its answers are read; the pipeline itself needs vLLM (docs/judges.md)."""

from __future__ import annotations

import importlib.util
import json
from math import log
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from evaluator.judges.http.replies import TOO_LONG_FOR_IT
from evaluator.judges.kind import UnknownJudge
from evaluator.judges.prompts import SIMILARITY_PAIR
from evaluator.judges.protocol import JudgeRequest, UnsuitableJudge
from evaluator.judges.recorded import judgment_from_json
from evaluator.rejudging.open_questions import request_from_json, request_to_json
from evaluator.rejudging.vllm_board import (
    Answers,
    VllmBoardJudge,
    VllmSetting,
    answer,
    engine_options,
    load_vllm_judge,
    question,
    steps,
)

VOCABULARY = {"?": 0, "\u0120": 1, **{str(label): 10 + label for label in range(6)}, "\u01204": 24}
PAIR = JudgeRequest(SIMILARITY_PAIR, {"answer_a": "one text", "answer_b": "another text"}, "en")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model's folder without weights: a vocabulary of the labels and a space; 4 has a token with a space, too."""
    tokenizer = Tokenizer(models.WordLevel(VOCABULARY, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "config.json").write_text(json.dumps({"max_position_embeddings": 240}), encoding="utf-8")
    return tmp_path


@pytest.fixture
def judge(folder: Path) -> VllmBoardJudge:
    return VllmBoardJudge(VllmSetting(folder, "chatml"), "revision", "vllm 1")


def row(request: JudgeRequest) -> dict[str, Any]:
    return {"key": "k", "request": request_to_json(request)}


def answered(judge: VllmBoardJudge, request: JudgeRequest, by_context: dict[str, dict[int, float]]) -> str:
    """The verdict where vLLM answers each step with these log-probabilities."""
    answers = Answers(judge, request_from_json)
    found = []
    for step in steps(lambda: judge, request_from_json, row(request)):
        said = {
            token: {"logprob": one, "rank": 1, "decoded_token": None}
            for token, one in by_context[step["context"]].items()
        }
        got = answer(question(step) | {"logprobs": [said]})
        found.append(answers.add(got["key"], got["request"], got["context"], got["answer"]))
    assert found[:-1] == [None] * (len(found) - 1)  # not before all of them are there
    assert found[-1] is not None
    key, text = found[-1]
    assert key == "k"
    return text


def test_the_log_probabilities_of_exactly_the_next_tokens_of_labels_are_asked_for(judge: VllmBoardJudge) -> None:
    first, behind_a_space = (question(step) for step in steps(lambda: judge, request_from_json, row(PAIR)))
    assert first["tokenized_prompt"] == judge.prompt_ids(PAIR)
    assert sorted(first["sampling_params"]["logprob_token_ids"]) == [1, 10, 11, 12, 13, 14, 15, 24]
    assert (first["sampling_params"]["logprobs"], first["sampling_params"]["max_tokens"]) == (8, 1)
    assert behind_a_space["tokenized_prompt"] == [*judge.prompt_ids(PAIR), 1]
    assert sorted(behind_a_space["sampling_params"]["logprob_token_ids"]) == [10, 11, 12, 13, 14, 15]


def test_probabilities_of_a_labels_forms_are_summed_and_read_as_those_of_a_server(judge: VllmBoardJudge) -> None:
    never = dict.fromkeys((10, 11, 12, 13), float("-inf"))
    # Token 7 was written and is part of no label. A space: 0.5, then 5: 0.5.
    # 4: 0.125 + 0.125; 5: 0.125 + 0.5 x 0.5 = 0.375 -> (4 x 0.25 + 5 x 0.375) / 0.625 = 4.6
    first = {7: log(0.125), 14: log(0.125), 24: log(0.125), 15: log(0.125), 1: log(0.5), **never}
    text = answered(judge, PAIR, {"[]": first, "[1]": {15: log(0.5), 14: float("-inf"), **never}})
    found = judgment_from_json(text)
    assert found.rating == pytest.approx(4.6)
    assert found.distribution == pytest.approx((0, 0, 0, 0, 0.25, 0.375))


def test_too_little_probability_on_labels_is_unscored(judge: VllmBoardJudge) -> None:
    little = dict.fromkeys((1, 10, 11, 12, 13, 14, 24, 15), log(0.01))
    found = judgment_from_json(answered(judge, PAIR, {"[]": little, "[1]": little}))
    assert (found.rating, found.reason) == (None, "the judge did not answer with a label")


def test_a_question_that_is_too_long_is_unscored_and_ends_no_pipeline(judge: VllmBoardJudge) -> None:
    long = JudgeRequest(SIMILARITY_PAIR, {"answer_a": "one " * 240, "answer_b": "two"}, "en")
    assert [len(step["prompt"]) for step in steps(lambda: judge, request_from_json, row(long))] == [1]
    found = judgment_from_json(answered(judge, long, {"null": {0: 0.0}}))
    assert (found.rating, found.reason) == (None, TOO_LONG_FOR_IT)


def test_the_key_changes_with_the_words_and_the_weights(judge: VllmBoardJudge, folder: Path) -> None:
    plain = VllmBoardJudge(VllmSetting(folder), "revision", "vllm 1")
    others = VllmBoardJudge(VllmSetting(folder, "chatml"), "other", "vllm 1")
    assert len({judge.key(PAIR), plain.key(PAIR), others.key(PAIR)}) == 3
    assert judge.key(PAIR) == VllmBoardJudge(VllmSetting(folder, "chatml"), "revision", "vllm 1").key(PAIR)


def test_nothing_but_a_pipeline_asks_it(judge: VllmBoardJudge) -> None:
    with pytest.raises(UnsuitableJudge, match="start the same command again"):
        judge.judge([PAIR])


@pytest.mark.parametrize("text", ["", "/m;frame=cobol", "/m;frame=chatml;frame=plain", "/m;actors=2"])
def test_what_cannot_be_read_as_a_setting_is_said(text: str) -> None:
    with pytest.raises(UnknownJudge, match=r"expected vllm:FOLDER\[;frame=NAME\]"):
        VllmSetting.from_text(text)


@pytest.mark.skipif(importlib.util.find_spec("vllm") is not None, reason="vLLM is installed here")
def test_what_is_missing_is_said_in_a_sentence(folder: Path) -> None:
    with pytest.raises(UnsuitableJudge, match=r"needs vLLM and ray.data.llm; vllm is not installed: pip install"):
        load_vllm_judge(VllmSetting(folder))


def test_a_folder_that_does_not_say_how_much_the_model_reads_is_refused(folder: Path) -> None:
    (folder / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UnsuitableJudge, match="does not say how much the model reads"):
        VllmBoardJudge(VllmSetting(folder), "revision", "vllm 1")


@pytest.mark.parametrize(("engines", "gpus", "expected"), [(None, 0, 1), (None, 4, 4), (2, 4, 2), (3, 0, 3)], ids=str)
def test_an_engine_for_each_card_or_one_on_cpus(
    judge: VllmBoardJudge, engines: int | None, gpus: int, expected: int
) -> None:
    options = engine_options(judge, engines, gpus)
    assert options["concurrency"] == expected
    assert ("placement_group_config" in options) == (gpus == 0)  # else ray asks for a card for each engine


@pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince20")  # of Ray's own models
@pytest.mark.parametrize("gpus", [0, 2])
def test_rays_own_config_takes_the_options(judge: VllmBoardJudge, gpus: int) -> None:
    from ray.data.llm import vLLMEngineProcessorConfig  # here, since it takes seconds

    config = vLLMEngineProcessorConfig(**engine_options(judge, None, gpus))
    assert config.engine_kwargs["max_model_len"] == 240
