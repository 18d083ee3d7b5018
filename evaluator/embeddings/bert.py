"""The encoder of BERT (Devlin et al. 2019, arXiv 1810.04805, section 3) in torch alone.

MiniLM and multilingual-e5-small, which this project ships, are such encoders. The class of transformers computes the
same, to the bit (a test compares them), but imports torch's compiler and what spreads a model over machines: 160 MB in
a process that embeds a text (docs/decisions/an_encoder_of_our_own.md).

Parameters are named as in the files of the weights, and in transformers.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional

from evaluator.embeddings.bert_shape import Attention, BertShape


class TokenStates(NamedTuple):
    """What an encoder returns, named as in transformers."""

    last_hidden_state: torch.Tensor
    """(rows, length, width)"""


class BertModel(nn.Module):
    """Token ids to token states; its weights are to be put in.

    Args:
        shape: Of the model.
        attention: How it computes attention.
        dropout: While it is trained: of token states; attention has none, its random numbers would cost a third of
            the time.
    """

    def __init__(self, shape: BertShape, attention: Attention, dropout: float = 0.0) -> None:
        super().__init__()
        self.shape = shape
        self.embeddings = _Embeddings(shape, dropout)
        self.encoder = _Layers(shape, attention, dropout)

    @classmethod
    def with_weights(
        cls,
        shape: BertShape,
        weights: Mapping[str, torch.Tensor],
        attention: Attention,
        *,
        dropout: float = 0.0,
        word_embeddings: nn.Module | None = None,
    ) -> BertModel:
        """A model that holds these tensors themselves, so that what lies in a mapped file is not copied.

        Args:
            shape: Of the model.
            weights: By name, in float32.
            attention: See the class.
            dropout: See the class.
            word_embeddings: In place of a table among the weights.

        Raises:
            RuntimeError: naming what is missing, left over or of another shape.
        """
        model = cls(shape, attention, dropout)
        if word_embeddings is not None:
            model.embeddings.word_embeddings = word_embeddings
        model.load_state_dict(weights, assign=True)
        return model

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return next(self.parameters()).device

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor | None = None
    ) -> TokenStates:
        """The states of all tokens.

        Args:
            input_ids: (rows, length).
            attention_mask: (rows, length) 0 for padding, else 1.
            token_type_ids: (rows, length) which text a token is of; None: all of the first.
        """
        hidden = self.embeddings(input_ids, token_type_ids)
        hidden_from = torch.finfo(hidden.dtype).min
        mask = torch.zeros(attention_mask.shape, dtype=hidden.dtype, device=hidden.device)
        mask = mask.masked_fill(attention_mask == 0, hidden_from)[:, None, None, :]
        for layer in self.encoder.layer:
            hidden = layer(hidden, mask)
        return TokenStates(hidden)


class _Linear(nn.Linear):
    """One whose weights come from a file: drawing numbers for them would take time, and from the seed."""

    def reset_parameters(self) -> None:
        """Leaves them as they lie in memory."""


class _Embedding(nn.Embedding):
    """As `_Linear`."""

    def reset_parameters(self) -> None:
        """Leaves them as they lie in memory."""


class _Embeddings(nn.Module):
    def __init__(self, shape: BertShape, dropout: float) -> None:
        super().__init__()
        self.word_embeddings: nn.Module = _Embedding(shape.vocabulary, shape.width)
        self.position_embeddings = _Embedding(shape.positions, shape.width)
        self.token_type_embeddings = _Embedding(shape.token_types, shape.width)
        self.LayerNorm = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.dropout = nn.Dropout(dropout)

    def forward(self, input_ids: torch.Tensor, token_type_ids: torch.Tensor | None = None) -> torch.Tensor:
        positions = torch.arange(input_ids.shape[1], device=input_ids.device)[None]
        types = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        # In this order: sums of floats depend on it.
        states = self.word_embeddings(input_ids) + self.token_type_embeddings(types)
        states = states + self.position_embeddings(positions)
        normed: torch.Tensor = self.dropout(self.LayerNorm(states))
        return normed


class _Layers(nn.Module):
    def __init__(self, shape: BertShape, attention: Attention, dropout: float) -> None:
        super().__init__()
        self.layer = nn.ModuleList(BertLayer(shape, attention, dropout) for _ in range(shape.layers))


class BertLayer(nn.Module):
    """One layer: token states (rows, length, width) and a mask that is added to attention, to token states."""

    def __init__(self, shape: BertShape, attention: Attention, dropout: float = 0.0) -> None:
        super().__init__()
        self.attention = _AttentionBlock(shape, attention, dropout)
        self.intermediate = nn.Sequential(OrderedDict(dense=_Linear(shape.width, shape.feed_forward)))
        self.output = _Output(shape.feed_forward, shape, dropout)

    def forward(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        attended = self.attention(hidden, mask)
        states: torch.Tensor = self.output(functional.gelu(self.intermediate(attended)), attended)
        return states


class _AttentionBlock(nn.Module):
    def __init__(self, shape: BertShape, attention: Attention, dropout: float) -> None:
        super().__init__()
        self.self = SelfAttention(shape, attention)
        self.output = _Output(shape.width, shape, dropout)

    def forward(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        states: torch.Tensor = self.output(self.self(hidden, mask), hidden)
        return states


class SelfAttention(nn.Module):
    """Attention of several heads."""

    def __init__(self, shape: BertShape, attention: Attention) -> None:
        super().__init__()
        self.computed: Attention = attention
        self._heads = (shape.heads, shape.width // shape.heads)
        self.query = _Linear(shape.width, shape.width)
        self.key = _Linear(shape.width, shape.width)
        self.value = _Linear(shape.width, shape.width)

    def forward(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        query, key, value = (
            part(hidden).unflatten(-1, self._heads).transpose(1, 2) for part in (self.query, self.key, self.value)
        )
        if self.computed == "sdpa":
            seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        else:
            weights = torch.matmul(query, key.transpose(2, 3)) * self._heads[1] ** -0.5 + mask
            seen = torch.matmul(weights.softmax(dim=-1), value)
        return seen.transpose(1, 2).flatten(2)


class _Output(nn.Module):
    def __init__(self, width: int, shape: BertShape, dropout: float) -> None:
        super().__init__()
        self.dense = _Linear(width, shape.width)
        self.LayerNorm = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
        normed: torch.Tensor = self.LayerNorm(self.dropout(self.dense(states)) + before)
        return normed
