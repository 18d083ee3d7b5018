"""Attention of several prompts in one forward pass, computed prompt by prompt or span by span.

Everything else in a pass treats each token by itself, so a prompt's figures do not depend on what stands beside it.
Under one mask for the whole pass they would: a sum over more places is rounded in another order, though all of them
but the prompt's own are zero. What is masked between prompts is also computed for nothing, a seventh of the time of
short prompts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from evaluator.judges.prefix_trie import Pack

BY_PROMPT = "by_prompt"
WRITTEN_OUT = "eager"
"""The attention that is computed for each prompt: matrix products, which bf16 hardware speeds up."""

BY_SPAN = "sdpa_by_span"
PACKED = "sdpa"
"""The attention that is computed for each span: torch's own."""

Span = tuple[slice, torch.Tensor]
"""Places of a pass that no other place of it sees, and the mask added to their scores, shape (1, 1, places, tokens of
prefix and span)."""

KeysAndValues = tuple[tuple[torch.Tensor, torch.Tensor], ...]
"""Of each layer, shape (1, heads, places, size of a head)."""


@dataclass(slots=True)
class PromptPart:
    """Tokens of one prompt in a pass."""

    pack: Pack
    prefix: KeysAndValues
    """Of the tokens before them."""
    mask: torch.Tensor
    """Added to their scores, shape (1, 1, tokens, tokens of prefix and part)."""
    is_kept: bool = False
    """Whether keys and values are wanted after the pass."""
    layers: list[tuple[torch.Tensor, torch.Tensor]] = field(default_factory=list)
    """Keys and values of prefix and part, where they are wanted."""


def attend_by_prompt(model: Any) -> bool:
    """Let a model compute attention by prompt where a pass names its parts; other passes stay as they are.

    Returns:
        Whether the model can: it was loaded with written-out attention, and lets it be exchanged.
    """
    from transformers.masking_utils import eager_mask

    return _exchanged(model, WRITTEN_OUT, BY_PROMPT, _attention, eager_mask)


def _exchanged(model: Any, loaded: str, name: str, attention: Callable[..., Any], mask: Callable[..., Any]) -> bool:
    """Whether a model computes the attention of this name, which takes the place of the one it was `loaded` with."""
    from transformers import AttentionInterface, AttentionMaskInterface

    if model.config._attn_implementation == loaded and hasattr(model, "set_attn_implementation"):
        AttentionInterface.register(name, attention)
        AttentionMaskInterface.register(name, mask)
        model.set_attn_implementation(name)
    return bool(model.config._attn_implementation == name)


def _attention(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    parts: Sequence[tuple[int, PromptPart]] = (),
    **arguments: Any,
) -> tuple[torch.Tensor, None]:
    """Attention as the model's own file writes it out, part by part; without parts, over the whole pass.

    Args:
        parts: Each with the place of its first token, one behind the other.
    """
    written_out = sys.modules[type(module).__module__].eager_attention_forward
    if not parts:
        output, _ = written_out(module, query, key, value, attention_mask, **arguments)
        return output, None
    outputs = []
    for start, part in parts:
        places = slice(start, start + len(part.pack.tokens))
        keys, values = key[:, :, places], value[:, :, places]
        if part.prefix:
            keys_before, values_before = part.prefix[module.layer_idx]
            keys, values = torch.cat([keys_before, keys], dim=2), torch.cat([values_before, values], dim=2)
        if part.is_kept:
            part.layers.append((keys, values))
        # A copy: how the numbers lie in memory must not depend on the pass either.
        own = (query[:, :, places].contiguous(), keys.contiguous(), values.contiguous())
        outputs.append(written_out(module, *own, part.mask, **arguments)[0])
    filling = query.shape[2] - sum(output.shape[1] for output in outputs)
    outputs.append(outputs[0].new_zeros((1, filling, *outputs[0].shape[2:])))
    return torch.cat(outputs, dim=1), None


def attend_by_span(model: Any) -> bool:
    """Let a model compute attention by span where a pass names its spans; other passes stay as they are.

    Returns:
        Whether the model can: it was loaded with torch's own attention, and lets it be exchanged.
    """
    from transformers.masking_utils import sdpa_mask

    return _exchanged(model, PACKED, BY_SPAN, _attention_by_span, sdpa_mask)


def _attention_by_span(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    spans: Sequence[Span] = (),
    **arguments: Any,
) -> tuple[torch.Tensor, None]:
    """Torch's own attention, span by span behind one prefix; without spans, over the whole pass.

    Args:
        spans: One behind the other, together the whole pass.
    """
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    if not spans:
        output, _ = sdpa_attention_forward(module, query, key, value, attention_mask, **arguments)
        return output, None
    before = key.shape[2] - query.shape[2]
    outputs = []
    for places, mask in spans:
        keys, values = (
            torch.cat([whole[:, :, :before], whole[:, :, before:][:, :, places]], dim=2) for whole in (key, value)
        )
        outputs.append(sdpa_attention_forward(module, query[:, :, places], keys, values, mask, **arguments)[0])
    return torch.cat(outputs, dim=1), None
