"""Label probabilities of many prompts at the last position, in as few token computations as possible.

No text is generated and no logits are computed but at the places that are read. Prompts share their prefixes: what a
group of prompts has in common is computed once, and many prompts lie side by side in one forward pass under a mask
that lets each token see its own prompt only.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal, Protocol, cast

import torch

from evaluator.judges.prefix_trie import Pack, TokenIds, TrieStep, plan, plan_behind, prefix_trie, whole_passes

logger = logging.getLogger(__name__)

Packing = Literal["tree", "whole"]
"""`tree` packs what shares a prefix behind that prefix's stored keys and values: the least work, many shapes, for CPUs.
`whole` fills passes of one size with parts that need nothing from elsewhere: few, large passes, for GPUs."""

PromptParts = tuple[TokenIds, TokenIds, TokenIds]
"""A prompt: what all of its rubric begin with, what those begin with that differ in their last text only, the rest."""

PASS_MULTIPLE = 1024
"""Block-sparse passes are filled up to a multiple of this: every new shape would be compiled anew."""

FLEX = "flex_attention"

SMALLEST_BUDGET = 128
"""Below this many tokens a pass is not made smaller: memory is then short for other reasons."""


class CausalModel(Protocol):
    """What the engine needs of a transformers causal language model."""

    config: Any
    device: torch.device
    dtype: torch.dtype

    def __call__(self, **arguments: Any) -> Any: ...


@dataclass(slots=True)
class Work:
    """How much one call computed."""

    prompts: int = 0
    prompt_tokens: int = 0
    """Tokens of all prompts: what a computation without sharing needs."""
    computed_tokens: int = 0
    passes: int = 0


class LabelEngine:
    """Computes log-probabilities of label tokens after each prompt.

    Args:
        model: A causal language model in evaluation mode, loaded with any of the attention implementations `sdpa`,
            `eager` (the fastest for bf16 on CPUs) and `flex_attention` (block-sparse, for GPUs).
        token_budget: Tokens per forward pass; halved, for this engine's lifetime, when memory runs out.
        on_pass: Called before every forward pass.
    """

    def __init__(self, model: CausalModel, *, token_budget: int, on_pass: Callable[[], None] = lambda: None) -> None:
        self._model = model
        self._budget = token_budget
        self._attention: str = model.config._attn_implementation
        self._on_pass = on_pass
        self.work = Work()

    def label_log_probabilities(
        self, prompts: Sequence[TokenIds], token_ids: Sequence[int], *, packing: Packing | None = None
    ) -> torch.Tensor:
        """Log-probabilities of the given tokens right after each prompt.

        Args:
            prompts: Token ids of each prompt, at least one token each.
            token_ids: Tokens whose probability is asked for.
            packing: How the prompts are computed; the numbers agree to rounding. None = by attention: `whole` with
                block-sparse attention, else `tree`.

        Returns:
            float32 tensor on the CPU, shape (prompts, token_ids).
        """
        if not prompts:
            return torch.empty((0, len(token_ids)))
        self.work.prompts += len(prompts)
        self.work.prompt_tokens += sum(len(prompt) for prompt in prompts)
        packing = packing or ("whole" if self._attention == FLEX else "tree")
        return self._packed(prompts, token_ids, packing)

    def log_probabilities_alone(
        self, prompts: Sequence[PromptParts], endings: Sequence[TokenIds], token_ids: Sequence[int]
    ) -> torch.Tensor:
        """The same right after each ending of each prompt, whatever else is asked.

        Each part of a prompt has passes of its own, whose shapes depend on that prompt alone: in bf16 sums of another
        shape are rounded in another order, and probabilities move by some hundredths. Beginnings that prompts share
        are computed once all the same.

        Args:
            prompts: Each in three parts; the first two are what others may share.
            endings: What may stand behind any prompt.
            token_ids: Tokens whose probability is asked for.

        Returns:
            float32 tensor on the CPU, shape (prompts, endings, token_ids).
        """
        wanted = torch.tensor(token_ids, device=self._model.device)
        values = torch.full((len(prompts), len(endings), len(token_ids)), torch.nan)
        order = sorted(range(len(prompts)), key=lambda place: prompts[place])
        with torch.inference_mode():
            for head, behind_head in groupby(order, key=lambda place: prompts[place][0]):
                begun = self._extended(_Prefix(), head)
                for middle, places in groupby(behind_head, key=lambda place: prompts[place][1]):
                    prefix = self._extended(begun, middle)
                    for place in places:
                        group = [(*prompts[place][2], *ending) for ending in endings]
                        self.work.prompts += len(group)
                        self.work.prompt_tokens += sum(prefix.length + len(sequence) for sequence in group)
                        step = plan_behind(prefix_trie(group), prefix.length, self._budget)
                        for indices, part in self._steps(step, prefix, wanted):
                            values[place, indices] = part
        return values

    def _packed(self, prompts: Sequence[TokenIds], token_ids: Sequence[int], packing: Packing) -> torch.Tensor:
        wanted = torch.tensor(token_ids, device=self._model.device)
        log_probabilities = torch.full((len(prompts), len(token_ids)), torch.nan)
        while True:
            try:
                with torch.inference_mode():
                    for indices, values in self._computed(prompts, wanted, packing):
                        log_probabilities[indices] = values
                return log_probabilities
            except torch.OutOfMemoryError:
                if self._budget // 2 < SMALLEST_BUDGET:
                    raise
                self._budget //= 2
                logger.warning("out of memory: going on with %d tokens per pass", self._budget)
                torch.cuda.empty_cache()

    def _computed(
        self, prompts: Sequence[TokenIds], wanted: torch.Tensor, packing: Packing
    ) -> Iterator[tuple[list[int], torch.Tensor]]:
        trie = prefix_trie(prompts)
        if packing == "whole":
            multiple = PASS_MULTIPLE if self._attention == FLEX else 1
            passes = whole_passes(trie, self._budget)
            return (self._answers(_padded(pass_, multiple), _Prefix(), wanted) for pass_ in passes)
        return self._steps(plan(trie, self._budget), _Prefix(), wanted)

    def _steps(self, step: TrieStep, above: _Prefix, wanted: torch.Tensor) -> Iterator[tuple[list[int], torch.Tensor]]:
        prefix = self._extended(above, step.prefix) if step.prefix else above
        for pack in step.packs:
            yield self._answers(pack, prefix, wanted)
        for inner in step.inner:
            yield from self._steps(inner, prefix, wanted)

    def _extended(self, above: _Prefix, tokens: TokenIds) -> _Prefix:
        """The prefix `above` with further tokens behind it, computed in chunks of the budget."""
        prefix = above
        for start in range(0, len(tokens), self._budget):
            chunk = tokens[start : start + self._budget]
            first = prefix.length
            pack = Pack(
                chunk, tuple(range(first, first + len(chunk))), (len(chunk),) * len(chunk), ((0, len(chunk) - 1),)
            )
            cache = prefix.cache(self._model.config)
            self._forward(pack, prefix, cache)
            prefix = _Prefix.of(cache)
        return prefix

    def _answers(self, pack: Pack, prefix: _Prefix, wanted: torch.Tensor) -> tuple[list[int], torch.Tensor]:
        output = self._forward(pack, prefix, prefix.cache(self._model.config) if prefix.length else None)
        logits = output.logits[0].float()
        log_probabilities = logits[:, wanted] - torch.logsumexp(logits, dim=-1, keepdim=True)
        return [index for index, _ in pack.answers], log_probabilities.cpu()

    def _forward(self, pack: Pack, prefix: _Prefix, cache: Any) -> Any:
        self._on_pass()
        self.work.computed_tokens += len(pack.tokens)
        self.work.passes += 1
        device = self._model.device
        places = torch.tensor([place for _, place in pack.answers], device=device)
        ends = torch.tensor(pack.subtree_ends, device=device)
        return self._model(
            input_ids=torch.tensor([pack.tokens], device=device),
            position_ids=torch.tensor([pack.positions], device=device),
            attention_mask=self._mask(ends, prefix.length),
            past_key_values=cache,
            use_cache=cache is not None,
            logits_to_keep=places,
        )

    def _mask(self, ends: torch.Tensor, prefix_length: int) -> Any:
        if self._attention == FLEX:
            return _block_mask(ends, prefix_length)
        count = len(ends)
        places = torch.arange(count, device=ends.device)
        seen = (places[None, :] <= places[:, None]) & (places[:, None] < ends[None, :])
        before = torch.ones((count, prefix_length), dtype=torch.bool, device=ends.device)
        visible = torch.cat([before, seen], dim=1)[None, None]
        if self._attention != "eager":
            return visible
        # Written-out attention adds its mask to the scores.
        lowest = torch.finfo(self._model.dtype).min
        return torch.zeros(visible.shape, dtype=self._model.dtype, device=ends.device).masked_fill_(~visible, lowest)


def _padded(pack: Pack, multiple: int) -> Pack:
    """A pack filled up to a multiple of some length with tokens that see only themselves, so that few shapes occur."""
    length = len(pack.tokens)
    missing = -length % multiple
    return Pack(
        pack.tokens + (0,) * missing,
        pack.positions + (0,) * missing,
        pack.subtree_ends + tuple(range(length + 1, length + missing + 1)),
        pack.answers,
    )


def _block_mask(ends: torch.Tensor, prefix_length: int) -> Any:
    from torch.nn.attention.flex_attention import create_block_mask

    count = len(ends)

    def visible(batch: torch.Tensor, head: torch.Tensor, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
        place = key - prefix_length
        return (place < 0) | ((place <= query) & (query < ends[place.clamp(min=0)]))

    return create_block_mask(
        visible, B=None, H=None, Q_LEN=count, KV_LEN=prefix_length + count, device=str(ends.device)
    )


@dataclass(frozen=True, slots=True)
class _Prefix:
    """Keys and values of a prefix, layer by layer; never changed, so that many passes can start from it."""

    layers: tuple[tuple[torch.Tensor, torch.Tensor], ...] = ()

    @property
    def length(self) -> int:
        return int(self.layers[0][0].shape[-2]) if self.layers else 0

    def cache(self, config: Any) -> Any:
        """A cache of its own for one pass."""
        from transformers import DynamicCache

        cache = DynamicCache(config=config)
        for index, (keys, values) in enumerate(self.layers):
            cache.update(keys, values, index)
        return cache

    @classmethod
    def of(cls, cache: Any) -> _Prefix:
        return cls(tuple((layer.keys, layer.values) for layer in cast("Any", cache).layers))
