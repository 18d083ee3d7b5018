"""The pair network: what ships of a training, what is read of two texts, and that a score stands alone."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch

from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.judges.pair import base_weights, judge
from evaluator.judges.pair.base_weights import BaseWeightsDiffer, check_base_weights
from evaluator.judges.pair.judge import ADAPTER, load_pair_judge
from evaluator.judges.pair.network import (
    MAX_TOKENS,
    QUESTION_TOKENS,
    PairNetwork,
    PairTokenizer,
    Row,
    Texts,
    adapter_of,
    apply_adapter,
    batch,
    load_network,
    logits,
    mean_adapter,
)

SHIPPED = Path(judge.__file__).with_name(ADAPTER)
MIB = 2**20


@pytest.fixture(scope="module")
def tokenizer() -> PairTokenizer:
    return PairTokenizer()


@pytest.fixture(scope="module")
def network() -> PairNetwork:
    return load_network(SHIPPED)


def _tiny() -> PairNetwork:
    """An "encoder" of one 3 x 3 matrix with a bias."""
    return PairNetwork(torch.nn.Linear(3, 3), 3)


def test_an_adapter_of_full_rank_gives_the_change_back() -> None:
    torch.manual_seed(0)
    network = _tiny()
    base = {name: weight.clone() for name, weight in network.state_dict().items()}
    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(torch.randn_like(weight))
    wanted = {name: weight.clone() for name, weight in network.state_dict().items()}
    adapter = adapter_of(network, base, rank=3)
    network.load_state_dict(base)
    apply_adapter(network, adapter)
    for name, weight in network.state_dict().items():
        assert torch.allclose(weight, wanted[name], atol=5e-3), name  # half precision


def test_the_mean_of_two_trained_networks_is_the_mean_of_their_weights() -> None:
    torch.manual_seed(1)
    network = _tiny()
    base = {name: weight.clone() for name, weight in network.state_dict().items()}
    trained = []
    for _ in range(2):
        with torch.no_grad():
            for weight in network.parameters():
                weight.add_(torch.randn_like(weight))
        trained.append({name: weight.clone() for name, weight in network.state_dict().items()})
        network.load_state_dict(base)
    adapters = []
    for weights in trained:
        network.load_state_dict(weights)
        adapters.append(adapter_of(network, base))
        network.load_state_dict(base)
    mean = mean_adapter(adapters, network)
    assert all(torch.equal(weight, base[name]) for name, weight in network.state_dict().items())
    apply_adapter(network, mean)
    for name, weight in network.state_dict().items():
        assert torch.allclose(weight, (trained[0][name] + trained[1][name]) / 2, atol=5e-3), name  # half precision
    assert mean_adapter(adapters[:1], network) is adapters[0]


def test_a_smaller_rank_keeps_the_strongest_part_of_a_change() -> None:
    network = _tiny()
    base = {name: weight.clone() for name, weight in network.state_dict().items()}
    with torch.no_grad():
        network.encoder.weight.add_(torch.diag(torch.tensor([4.0, 2.0, 1.0])))  # type: ignore[operator]
    adapter = adapter_of(network, base, rank=1)
    assert set(adapter) >= {"encoder.weight.left", "encoder.weight.right"}
    network.load_state_dict(base)
    apply_adapter(network, adapter)
    change = network.state_dict()["encoder.weight"] - base["encoder.weight"]
    assert torch.allclose(change, torch.diag(torch.tensor([4.0, 0.0, 0.0])), atol=5e-3)


def test_weights_that_did_not_change_are_not_shipped() -> None:
    network = _tiny()
    base = {name: weight.clone() for name, weight in network.state_dict().items()}
    with torch.no_grad():
        network.encoder.bias.add_(1.0)  # type: ignore[operator]
    encoder = {name for name in adapter_of(network, base) if name.startswith("encoder.")}
    assert encoder == {"encoder.bias.added"}


def test_other_base_weights_are_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base_weights, "BASE_SHA256", "0" * 64)
    with pytest.raises(BaseWeightsDiffer, match="trained on 000"):
        check_base_weights()


def test_the_shipped_part_is_small() -> None:
    assert SHIPPED.stat().st_size <= 9 * MIB


def test_a_row_is_cls_first_sep_second_sep_and_a_written_separator_stays_text(tokenizer: PairTokenizer) -> None:
    row = tokenizer.row("a [SEP] b", "c")
    separator, start = row.tokens[-1], row.tokens[0]
    assert row.tokens[row.second_starts - 1] == separator
    assert row.tokens.count(separator) == 2
    assert row.tokens.count(start) == 1
    assert row.question_tokens == 0


def test_the_question_stands_before_both_texts_with_a_separator_of_its_own(tokenizer: PairTokenizer) -> None:
    row = tokenizer.row("rain", "snow", "what falls")
    # [CLS] what falls [SEP] rain [SEP] snow [SEP]: each word is one token
    separator = row.tokens[-1]
    assert [place for place, token in enumerate(row.tokens) if token == separator] == [3, 5, 7]
    assert (row.question_tokens, row.second_starts) == (3, 6)


def test_of_a_long_question_is_read_what_the_texts_leave_room_for(tokenizer: PairTokenizer) -> None:
    question = "no " * 100
    assert tokenizer.row("no", "no", question).question_tokens == QUESTION_TOKENS + 1
    for words, asked in ((MAX_TOKENS - 3 - 1, 0), (MAX_TOKENS - 4 - 1 - 7, 7)):
        row = tokenizer.row("no " * words, "no", question)
        assert len(row.tokens) <= MAX_TOKENS
        assert row.question_tokens == (asked + 1 if asked else 0)


def test_padding_and_the_question_belong_to_neither_text() -> None:
    tokens, parts, visible = batch([Row([1, 7, 2, 8, 2], 3), Row([1, 9, 2, 7, 2, 8, 2], 5, 2)], height=3)
    assert tokens.shape == (3, 16)
    assert parts[0].tolist() == [1, 1, 1, 2, 2, *[0] * 11]
    assert parts[1].tolist() == [1, 0, 0, 1, 1, 2, 2, *[0] * 9]
    assert visible.sum(dim=1).tolist() == [5, 7, 1]


def test_texts_fit_up_to_the_last_position(tokenizer: PairTokenizer) -> None:
    words = MAX_TOKENS - 3 - 1  # "no" is one token
    assert tokenizer.fits("no " * words, "no")
    assert not tokenizer.fits("no " * words, "no no")


def test_a_score_does_not_depend_on_its_neighbours(network: PairNetwork, tokenizer: PairTokenizer) -> None:
    pairs = [
        Texts(f"Wait {number} minutes." * (number % 4 + 1), "Wait a while.", "How long?" * (number % 2))
        for number in range(11)
    ]
    together = logits(network, tokenizer, pairs)
    shuffled = random.Random(0).sample(range(len(pairs)), len(pairs))
    again = logits(network, tokenizer, [pairs[place] for place in shuffled])
    assert [together[place] for place in shuffled] == again.tolist()
    assert logits(network, tokenizer, pairs[3:4])[0] == together[3]


def test_the_pin_names_base_and_trained_part() -> None:
    pin = load_pair_judge(MiniLMEmbedder()).pin
    assert pin.name == "pair"
    assert pin.revision != base_weights.BASE_SHA256
    assert pin.languages == ("en",)
