"""How the next token is chosen: names of decodings, and draws that follow the softmax."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from evaluator.generators.decoding import Decoding, decoding_of
from evaluator.generators.protocol import UnsuitableGenerator
from evaluator.generators.transformers import _Drawn

NO_TOKENS: Any = torch.zeros(1, 0, dtype=torch.long)


@pytest.mark.parametrize(
    "options", ["temperature=0;seed=1", "temperature=2.5;seed=1", "temperature=hot;seed=1", "temperature=0.7;seed=-1"]
)
def test_a_temperature_or_seed_that_is_none_is_named(options: str) -> None:
    with pytest.raises(UnsuitableGenerator, match=r"found the (temperature|seed) '.*', expected"):
        decoding_of(f"smollm2;{options}")


def test_a_name_with_other_options_is_left_as_it_is_for_whoever_knows_the_model() -> None:
    assert decoding_of("folder;speed=3") == ("folder;speed=3", Decoding())


def test_draws_follow_the_softmax_at_the_temperature() -> None:
    scores: Any = torch.tensor([[0.0, 0.5 * torch.log(torch.tensor(3.0)).item(), -50.0]])
    draws = [int(_Drawn(Decoding(0.5, 7), [prompt])(NO_TOKENS, scores).argmax()) for prompt in range(4000)]
    # Divided by 0.5 the scores are 0, ln 3, -100: probabilities 1/4, 3/4, 0. Four standard errors are 0.027.
    assert abs(draws.count(1) / 4000 - 0.75) < 4 * (0.75 * 0.25 / 4000) ** 0.5
    assert draws.count(2) == 0


def test_every_token_of_an_answer_draws_new_numbers_and_the_same_prompt_the_same() -> None:
    scores: Any = torch.zeros(1, 50)

    def drawn() -> list[int]:
        drawing = _Drawn(Decoding(1.0, 3), [5, 6])
        return [int(drawing(NO_TOKENS, scores).argmax()) for _ in range(8)]

    assert drawn() == drawn()
    assert len(set(drawn())) > 1
