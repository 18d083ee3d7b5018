"""How large an encoder is, and how it computes; without torch, for who only reads the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Attention = Literal["eager", "sdpa"]
"""As separate matrix products, or by the fused kernel of torch: which is faster depends on the length of the rows. They
differ by rounding."""


ENGINE = "transformers 5.23.0"
"""What pins say of the models computed here: their token states are those of this version, to the bit (a test holds
it), so that verdicts which it computed stay valid."""


@dataclass(frozen=True, slots=True)
class BertShape:
    """What an encoder is made of."""

    width: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    token_types: int
    epsilon: float
    """Of its layer norms."""
