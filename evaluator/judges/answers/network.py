"""The network of the answer head: MiniLM reading a prompt and a text together, with a small trained part.

It shares base weights, tokenizer and padding with the pair judge (`evaluator.judges.pair.network`). What we trained is
a change of rank `RANK` to every linear layer of the upper half of the encoder, its biases and layer norms, and a head:
under 1 MiB.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn.utils import parametrize

from evaluator.judges.pair.network import (
    BATCH_ROWS,
    LENGTH_STEP,
    Adapter,
    PairNetwork,
    PairTokenizer,
    Row,
    Tokens,
    apply_adapter,
    batch,
    untrained_network,
)
from evaluator.text.content_checks import sentences

FROZEN_LAYERS = 3
"""The lower half of the encoder stays as it is: that saves a quarter of the training time."""

RANK = 48
"""Rank of the change of each linear layer above them: 16 of the head it starts from, and 32 more; about 2 MiB."""

HEAD_UNITS = 32

PROMPT_TOKENS = 160
"""Of a longer prompt the first and last half of this many tokens are read: what is asked stands at an end."""

WINDOW_TOKENS = 240
"""About this much of a text stands in one window, in whole sentences."""

MOST_WINDOWS = 6
"""A text that has not answered within so many windows is taken for none: bounds the time, 1,440 tokens."""


def untrained(dropout: float = 0.1) -> PairNetwork:
    """The base model with a fresh, narrow head (of the current torch seed)."""
    network = untrained_network(dropout)
    width = cast(nn.Linear, network.head[0]).in_features
    network.head = nn.Sequential(nn.Linear(width, HEAD_UNITS), nn.GELU(), nn.Dropout(dropout), nn.Linear(HEAD_UNITS, 1))
    return network


def load_network(trained: Path) -> PairNetwork:
    """The trained network, ready to score."""
    from safetensors.torch import load_file

    network = untrained()
    apply_adapter(network, load_file(trained))
    return network.eval()


class LowRankChange(nn.Module):
    """A weight plus left @ right, the only part of it that learns.

    Args:
        weight: As it stays.
        start: Left and right side of an earlier change of at most `RANK`; it is the first part of this one.
    """

    def __init__(self, weight: torch.Tensor, start: tuple[torch.Tensor, torch.Tensor] | None = None) -> None:
        super().__init__()
        rows, columns = weight.shape
        self.left = nn.Parameter(torch.zeros(rows, RANK))
        self.right = nn.Parameter(torch.randn(RANK, columns) / columns**0.5)
        if start:
            with torch.no_grad():
                self.left[:, : start[0].shape[1]] = start[0].float()
                self.right[: start[1].shape[0]] = start[1].float()

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return weight + self.left @ self.right


def make_trainable(network: PairNetwork, start: Adapter) -> None:
    """Lays a `LowRankChange` on the matrices of the upper layers; their biases and norms, and the head, learn whole.

    Args:
        network: Of `untrained()`.
        start: An earlier trained part, from which learning goes on; empty = from the base model.
    """
    apply_adapter(network, {name: value for name, value in start.items() if not name.endswith((".left", ".right"))})
    encoder: Any = network.encoder
    for frozen in (encoder.embeddings, *encoder.encoder.layer[:FROZEN_LAYERS]):
        frozen.requires_grad_(False)
    for number, layer in enumerate(encoder.encoder.layer[FROZEN_LAYERS:], FROZEN_LAYERS):
        for name, module in list(layer.named_modules()):
            if isinstance(module, nn.Linear):
                module.weight.requires_grad_(False)
                weight = f"encoder.encoder.layer.{number}.{name}.weight"
                sides = (start[f"{weight}.left"], start[f"{weight}.right"]) if start else None
                parametrize.register_parametrization(module, "weight", LowRankChange(module.weight, sides))


def trained_part(network: PairNetwork, base: dict[str, torch.Tensor]) -> Adapter:
    """What training changed, in half precision, under the names that `apply_adapter` reads.

    Args:
        network: After training.
        base: State of `untrained()` before `make_trainable`.
    """
    trained: Adapter = {}
    for name, parameter in network.named_parameters():
        if not parameter.requires_grad:
            continue
        if ".parametrizations.weight.0." in name:
            layer, side = name.split(".parametrizations.weight.0.")
            trained[f"{layer}.weight.{side}"] = parameter.detach().half().contiguous()
        elif name.startswith("encoder."):
            trained[f"{name}.added"] = (parameter.detach() - base[name]).half().contiguous()
        else:
            trained[name] = parameter.detach().half().contiguous()
    return trained


# --- what the network reads ------------------------------------------------------------------------------------------


def windows(text: str, tokenizer: PairTokenizer) -> list[Tokens]:
    """A text as stretches of whole sentences of about `WINDOW_TOKENS` tokens, at most `MOST_WINDOWS`; none is empty.

    A sentence longer than a window is cut. A text without tokens has no window.
    """
    stretches: list[Tokens] = [[]]
    for sentence in sentences(text):
        rest = tokenizer.tokens(sentence)
        if stretches[-1] and len(stretches[-1]) + len(rest) > WINDOW_TOKENS:
            stretches.append([])
        while len(stretches) <= MOST_WINDOWS and len(stretches[-1]) + len(rest) > WINDOW_TOKENS:
            room = WINDOW_TOKENS - len(stretches[-1])
            stretches[-1], rest = [*stretches[-1], *rest[:room]], rest[room:]
            stretches.append([])
        if len(stretches) > MOST_WINDOWS:
            break
        stretches[-1] = [*stretches[-1], *rest]
    return [window for window in stretches[:MOST_WINDOWS] if window]


def row(prompt: Tokens, window: Tokens, tokenizer: PairTokenizer) -> Row:
    """`[CLS] prompt [SEP] window [SEP]` of which the window is the second text."""
    start, end = tokenizer.ends
    half = PROMPT_TOKENS // 2
    asked = prompt if len(prompt) <= PROMPT_TOKENS else [*prompt[:half], *prompt[-half:]]
    return Row([start, *asked, end, *window, end], len(asked) + 2)


def logits(
    network: PairNetwork,
    tokenizer: PairTokenizer,
    asked: Sequence[tuple[str, str]],
    told: Callable[[], None] = lambda: None,
) -> npt.NDArray[np.float64]:
    """One logit per (prompt, text): that of the window that answers best; independent of what else is asked.

    Text without any token, which no window holds: minus infinity.

    Args:
        network: With its trained part.
        tokenizer: Of the network.
        asked: Prompts and texts.
        told: Called after every pass.
    """
    rows: list[Row] = []
    owners: list[int] = []
    for place, (prompt, text) in enumerate(asked):
        for window in windows(text, tokenizer):
            rows.append(row(tokenizer.tokens(prompt), window, tokenizer))
            owners.append(place)
    best = np.full(len(asked), -np.inf)
    order = sorted(range(len(rows)), key=lambda place: -(-len(rows[place].tokens) // LENGTH_STEP))
    with torch.inference_mode():
        for some in _alike(order, rows):
            scored = network(*batch([rows[place] for place in some], BATCH_ROWS)).double().numpy()
            for row_place, logit in zip(some, scored, strict=False):
                best[owners[row_place]] = max(best[owners[row_place]], float(logit))
            told()
    return best


def _alike(order: Sequence[int], rows: Sequence[Row]) -> list[list[int]]:
    """Runs of at most `BATCH_ROWS` rows of the same padded length: a score never depends on its neighbours."""
    runs: list[list[int]] = []
    for place in order:
        length = -(-len(rows[place].tokens) // LENGTH_STEP)
        if runs and len(runs[-1]) < BATCH_ROWS and -(-len(rows[runs[-1][0]].tokens) // LENGTH_STEP) == length:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs
