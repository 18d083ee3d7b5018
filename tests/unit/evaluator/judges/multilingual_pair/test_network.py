"""The network that reads two texts at once, on a tiny encoder with weights of chance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from evaluator.embeddings.bert import BertModel
from evaluator.embeddings.bert_shape import BertShape
from evaluator.judges.multilingual_pair.network import (
    OWN_LAYERS,
    batch,
    counterparts,
    logits,
    trained_network,
    trained_part,
    untrained_network,
)

WIDTH = 16


@pytest.fixture(scope="module")
def encoder() -> Any:
    torch.manual_seed(0)
    shape = BertShape(
        width=WIDTH,
        layers=OWN_LAYERS + 1,
        heads=2,
        feed_forward=24,
        vocabulary=5,
        positions=64,
        token_types=2,
        epsilon=1e-12,
    )
    model = BertModel(shape, "sdpa")
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "LayerNorm" not in name:
                weight.normal_(std=0.02)
    return model.eval()


def text(length: int, seed: int) -> list[torch.Tensor]:
    return [torch.randn(length, WIDTH, generator=torch.Generator().manual_seed(seed))]


def test_what_ships_gives_the_logits_of_what_was_trained(encoder: Any) -> None:
    network = untrained_network(encoder)
    with torch.no_grad():
        for weight in network.parameters():
            if weight.requires_grad:
                weight.add_(torch.randn_like(weight) * 0.05)
    pairs = [(text(7, 1), text(5, 2)), (text(3, 3), text(4, 4))]
    trained, shipped = network.eval(), trained_network(encoder, trained_part(network))
    assert logits(shipped, pairs) == pytest.approx(logits(trained, pairs), abs=0.02)  # halves keep three digits
    assert np.ptp(logits(shipped, pairs)) > 0.001


def test_a_logit_does_not_depend_on_what_else_is_read(encoder: Any) -> None:
    network = untrained_network(encoder).eval()
    pair = (text(7, 1), text(5, 2))
    alone = logits(network, [pair])
    among = logits(network, [(text(9, 5), text(4, 6)), pair, (text(30, 7), text(20, 8))])
    assert among[1] == alone[0]


def test_a_token_finds_its_counterpart_in_the_other_text_and_never_in_its_own() -> None:
    one, two = torch.eye(4)[:2], torch.eye(4)[[1, 0, 3]]
    states, is_second, visible = batch([(one, two)])
    found = counterparts(states, is_second, visible)[0]
    # each of the first text's tokens stands in the second in another place; the second's third stands nowhere
    assert found[:2] == pytest.approx(one.numpy(), abs=1e-6)
    assert found[2:4] == pytest.approx(two[:2].numpy(), abs=1e-6)
    assert found[4] == pytest.approx(one.mean(dim=0).numpy(), abs=1e-6)


def test_a_long_text_is_read_window_by_window_and_its_worst_window_counts_most(encoder: Any) -> None:
    network = untrained_network(encoder).eval()
    near, far, short = text(6, 1)[0], text(6, 2)[0], text(6, 1)[0]
    found = logits(network, [([near, far], [short])])[0]
    first, second = logits(network, [([near], [short]), ([far], [short])])
    # half the mean of both, half the worst of them
    assert found == pytest.approx(0.5 * (first + second) / 2 + 0.5 * min(first, second))
