"""Label probabilities of many prompts at the last position, in as few token computations as possible.

No text is generated and no logits are computed but at the places that are read. Prompts share their prefixes: what a
group of prompts has in common is computed once, and many prompts lie side by side in one forward pass under a mask
that lets each token see its own prompt only.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, cycle, groupby, islice
from typing import Any, Literal, Protocol, TypeVar, cast

import torch

from evaluator.judges.prefix_trie import Pack, TokenIds, TrieStep, plan, plan_behind, prefix_trie, whole_passes
from evaluator.judges.prompt_attention import (
    BY_PROMPT,
    BY_SPAN,
    WRITTEN_OUT,
    PromptPart,
    Span,
    attend_by_prompt,
    attend_by_span,
)

logger = logging.getLogger(__name__)

Packing = Literal["tree", "whole"]
"""`tree` packs what shares a prefix behind that prefix's stored keys and values: the least work, many shapes, for CPUs.
`whole` fills passes of one size with parts that need nothing from elsewhere: few, large passes, for GPUs."""

PromptParts = tuple[TokenIds, TokenIds, TokenIds]
"""A prompt: what all of its rubric begin with, what those begin with that differ in their last text only, the rest."""

PASS_MULTIPLE = 1024
"""Block-sparse passes are filled up to a multiple of this: every new shape would be compiled anew."""

FLEX = "flex_attention"

ROW_MULTIPLE = 32
"""Passes of several prompts are filled up to a multiple of this: a processor may compute the last rows of a matrix
product of another height in another way."""

TRIED_LENGTHS = (20, 75, 130)
"""Tokens of what is computed side by side, and then alone, to see whether that makes a difference."""
TRIED_PREFIX = 40

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
    """Of prompts: tokens that only fill a pass are not counted, but of a GPU's."""
    passes: int = 0


Item = TypeVar("Item")


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
        self._attends_by_span = model.device.type == "cpu" and attend_by_span(model)
        self._attention: str = model.config._attn_implementation
        self._on_pass = on_pass
        self.shares_passes: bool | None = None
        """Whether prompts stand side by side in a pass, as their figures are the same; None = not tried yet."""
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

        Prompts stand side by side in a pass where attention can be computed prompt by prompt and a trial gave the same
        figures to the last bit; elsewhere each has passes of its own. Under one mask sums of another shape are rounded
        in another order, and in bf16 probabilities move by some hundredths. Beginnings that prompts share are computed
        once all the same.

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
            if self.shares_passes is None and prompts:
                tried = tuple(chain(*prompts[0]))
                self.shares_passes = attend_by_prompt(self._model) and self._agree_side_by_side(tried)
            for head, behind_head in groupby(order, key=lambda place: prompts[place][0]):
                begun = self._extended(_Prefix(), head)
                by_middle = [(middle, list(of)) for middle, of in groupby(behind_head, lambda place: prompts[place][1])]
                for group in _filled(by_middle, self._budget, lambda pair: len(pair[0])):
                    prefixes = self._extended_side_by_side(begun, [middle for middle, _ in group])
                    rests = [
                        (place, prefix, prompts[place][2])
                        for (_, places), prefix in zip(group, prefixes, strict=True)
                        for place in places
                    ]
                    for place, indices, figures in self._read_behind(rests, endings, wanted):
                        values[place, indices] = figures
        return values

    def _extended_side_by_side(self, above: _Prefix, stretches: Sequence[TokenIds]) -> list[_Prefix]:
        """The prefix `above` with each of some distinct stretches behind it; one longer than the budget is alone."""
        if not self.shares_passes or any(len(stretch) > self._budget for stretch in stretches):
            return [self._extended(above, stretch) for stretch in stretches]
        parts = {
            stretch: self._part(_line(stretch, above.length), above, is_kept=True) for stretch in stretches if stretch
        }
        if parts:
            self._forward_side_by_side([*parts.values()], [])
        return [_Prefix(tuple(parts[stretch].layers)) if stretch else above for stretch in stretches]

    def _read_behind(
        self, rests: Sequence[tuple[int, _Prefix, TokenIds]], endings: Sequence[TokenIds], wanted: torch.Tensor
    ) -> Iterator[tuple[int, list[int], torch.Tensor]]:
        """The place of each prompt with the places of endings and their figures.

        Args:
            rests: For each prompt its place, what is computed of it, and what stands behind that.
        """
        fitting: list[tuple[int, _Prefix, Pack]] = []
        for place, prefix, rest in rests:
            group = [(*rest, *ending) for ending in endings]
            self.work.prompts += len(group)
            self.work.prompt_tokens += sum(prefix.length + len(sequence) for sequence in group)
            step = plan_behind(prefix_trie(group), prefix.length, self._budget)
            if self.shares_passes and not step.inner and len(step.packs) == 1:
                fitting.append((place, prefix, step.packs[0]))
            else:
                yield from ((place, *figures) for figures in self._steps(step, prefix, wanted))
        for pass_ in _filled(fitting, self._budget, lambda fit: len(fit[2].tokens)):
            parts = [self._part(pack, prefix) for _, prefix, pack in pass_]
            places = [
                start + at for start, part in zip(_starts(parts), parts, strict=True) for _, at in part.pack.answers
            ]
            logits = self._forward_side_by_side(parts, places).logits[0, : len(places)]
            figures = iter(_log_probabilities(logits, wanted))
            for place, _, pack in pass_:
                yield place, [index for index, _ in pack.answers], torch.stack([next(figures) for _ in pack.answers])

    def _agree_side_by_side(self, tokens: TokenIds) -> bool:
        """Whether stretches have the same figures side by side as alone: a trial, not counted as work.

        Args:
            tokens: Any that the model knows; they are repeated as needed.
        """
        counted = replace(self.work)
        above = self._extended(_Prefix(), _repeated(tokens, TRIED_PREFIX))
        parts = [
            self._part(_line(_repeated(tokens, length), above.length), above, is_kept=True) for length in TRIED_LENGTHS
        ]
        ends = [start + length - 1 for start, length in zip(_starts(parts), TRIED_LENGTHS, strict=True)]
        together = self._forward_side_by_side(parts, ends).logits[0]
        agrees = []
        for part, logits in zip(parts, together, strict=False):
            cache = above.cache(self._model.config)
            alone = self._forward(part.pack, above, cache).logits[0, 0]
            pairs = zip(chain([logits], *part.layers), chain([alone], *_Prefix.of(cache).layers), strict=False)
            agrees += [torch.equal(*pair) for pair in pairs]
        self.work = counted
        return all(agrees)

    def _part(self, pack: Pack, prefix: _Prefix, *, is_kept: bool = False) -> PromptPart:
        ends = torch.tensor(pack.subtree_ends, device=self._model.device)
        return PromptPart(pack, prefix.layers, self._mask(ends, prefix.length), is_kept)

    def _forward_side_by_side(self, parts: Sequence[PromptPart], places: Sequence[int]) -> Any:
        """One pass of parts that do not see each other, filled up to a multiple of `ROW_MULTIPLE`."""
        self._on_pass()
        tokens = [token for part in parts for token in part.pack.tokens]
        positions = [position for part in parts for position in part.pack.positions]
        self.work.computed_tokens += len(tokens)
        self.work.passes += 1
        device = self._model.device
        return self._model(
            input_ids=torch.tensor([_filled_up(tokens)], device=device),
            position_ids=torch.tensor([_filled_up(positions)], device=device),
            attention_mask=torch.zeros((1, 1, 1, 1), device=device),  # each part has its own
            use_cache=False,
            logits_to_keep=torch.tensor(_filled_up(places), dtype=torch.long, device=device),
            parts=[*zip(_starts(parts), parts, strict=True)],
        )

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
            cache = prefix.cache(self._model.config)
            self._forward(_line(chunk, prefix.length), prefix, cache)
            prefix = _Prefix.of(cache)
        return prefix

    def _answers(self, pack: Pack, prefix: _Prefix, wanted: torch.Tensor) -> tuple[list[int], torch.Tensor]:
        output = self._forward(pack, prefix, prefix.cache(self._model.config) if prefix.length else None)
        return [index for index, _ in pack.answers], _log_probabilities(output.logits[0], wanted)

    def _forward(self, pack: Pack, prefix: _Prefix, cache: Any) -> Any:
        self._on_pass()
        self.work.computed_tokens += len(pack.tokens)
        self.work.passes += 1
        device = self._model.device
        places = torch.tensor([place for _, place in pack.answers], device=device)
        ends = torch.tensor(pack.subtree_ends, device=device)
        spans = self._spans(pack, ends, prefix.length) if self._attends_by_span else []
        return self._model(
            input_ids=torch.tensor([pack.tokens], device=device),
            position_ids=torch.tensor([pack.positions], device=device),
            # Where there are spans each has its own.
            attention_mask=torch.zeros((1, 1, 1, 1), device=device) if spans else self._mask(ends, prefix.length),
            past_key_values=cache,
            use_cache=cache is not None,
            logits_to_keep=places,
            **({"spans": spans} if spans else {}),
        )

    def _spans(self, pack: Pack, ends: torch.Tensor, prefix_length: int) -> list[Span]:
        """The subtrees that lie side by side in a pack; none where it is one subtree."""
        starts = [0]
        while (end := pack.subtree_ends[starts[-1]]) < len(pack.tokens):
            starts.append(end)
        if len(starts) == 1:
            return []
        places = [slice(start, pack.subtree_ends[start]) for start in starts]
        return [(of_span, self._mask(ends[of_span] - of_span.start, prefix_length)) for of_span in places]

    def _mask(self, ends: torch.Tensor, prefix_length: int) -> Any:
        if self._attention == FLEX:
            return _block_mask(ends, prefix_length)
        count = len(ends)
        places = torch.arange(count, device=ends.device)
        seen = (places[None, :] <= places[:, None]) & (places[:, None] < ends[None, :])
        before = torch.ones((count, prefix_length), dtype=torch.bool, device=ends.device)
        visible = torch.cat([before, seen], dim=1)[None, None]
        if self._attention not in (WRITTEN_OUT, BY_PROMPT, BY_SPAN):
            return visible
        # Written-out attention adds its mask to the scores; torch's own would make one of it in each layer.
        lowest = torch.finfo(self._model.dtype).min
        return torch.zeros(visible.shape, dtype=self._model.dtype, device=ends.device).masked_fill_(~visible, lowest)


def _log_probabilities(logits: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    logits = logits.float()
    return (logits[:, wanted] - torch.logsumexp(logits, dim=-1, keepdim=True)).cpu()


def _line(tokens: TokenIds, depth: int) -> Pack:
    """A stretch of tokens that stands behind `depth` others, its last token read."""
    count = len(tokens)
    return Pack(tokens, tuple(range(depth, depth + count)), (count,) * count, ((0, count - 1),))


def _filled(items: Iterable[Item], budget: int, size: Callable[[Item], int]) -> Iterator[list[Item]]:
    """Groups of items in their order, as many as fit into the budget; a larger one is alone.

    >>> list(_filled([3, 4, 5, 20, 1], 9, lambda number: number))
    [[3, 4], [5], [20], [1]]
    """
    group: list[Item] = []
    for item in items:
        if group and sum(map(size, group)) + size(item) > budget:
            yield group
            group = []
        group.append(item)
    if group:
        yield group


def _repeated(tokens: TokenIds, length: int) -> TokenIds:
    return tuple(islice(cycle(tokens), length))


def _starts(parts: Sequence[PromptPart]) -> list[int]:
    """The place of each part's first token in their pass."""
    return [0, *accumulate(len(part.pack.tokens) for part in parts)][:-1]


def _filled_up(numbers: Sequence[int]) -> list[int]:
    """Numbers and zeros up to a multiple of `ROW_MULTIPLE`."""
    return [*numbers, *[0] * (-len(numbers) % ROW_MULTIPLE)]


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
