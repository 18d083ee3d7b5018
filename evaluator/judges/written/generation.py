"""Replies of a local language model: written greedily, many at once, each up to where it is decided."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from transformers import GenerationConfig, StoppingCriteria, StoppingCriteriaList

from evaluator.judges.label_engine import FLEX

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

logger = logging.getLogger(__name__)

CPU_REPLIES = 8
GPU_REPLIES = 32
"""Replies that are written at once: each step reads all weights, for one reply or for many."""

LENGTH_MULTIPLE = 64
"""Outside float32 prompts are filled up to a multiple of this, and only prompts of one length are written together."""

IsDecided = Callable[[str], bool]
"""Whether a reply so far need not go on; asked at line ends only."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a reply is to follow."""

    tokens: tuple[int, ...]
    is_decided: IsDecided | None = None
    """None = the reply goes on until the model ends it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model wrote after a prompt."""

    text: str
    tokens: int
    """How many were written, the one that ends the reply included."""
    is_cut: bool
    """Whether the model would have gone on behind the last token it was allowed."""


class ReplyWriter:
    """Writes replies in batches whose neighbours do not change what is written.

    Prompts are filled up on the left. In float32 a neighbour moves probabilities by less than one in a million.
    Elsewhere every batch has the same number of rows, and a length that depends on the prompt alone: each prompt is
    always computed in the same shape.

    Args:
        model: A causal language model in evaluation mode, on its device.
        tokenizer: Its tokenizer.
        replies_at_once: None = by device.
        on_token: Called before each token.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: PreTrainedTokenizerBase,
        *,
        replies_at_once: int | None = None,
        on_token: Callable[[], None] = lambda: None,
    ) -> None:
        if model.config._attn_implementation == FLEX:  # made for packed prompts: compiled anew for each length
            model.set_attn_implementation("sdpa")
        self._model = model
        self._tokenizer = tokenizer
        self.replies_at_once = replies_at_once or (GPU_REPLIES if model.device.type == "cuda" else CPU_REPLIES)
        self.is_exact = model.dtype is torch.float32
        self._on_token = on_token
        self._ends = _end_tokens(model, tokenizer)
        filler = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else min(self._ends, default=0)
        self._filler = int(filler)
        self._breaks_line: dict[int, bool] = {}

    def write(self, prompts: Sequence[Prompt], most_tokens: int) -> list[Reply]:
        """Return one reply for each prompt, in order; short prompts are written first."""
        replies: dict[int, Reply] = {}
        for places in self._batches(prompts):
            written = self._fitting([prompts[place] for place in places], most_tokens)
            replies.update(zip(places, written, strict=True))
        return [replies[place] for place in range(len(prompts))]

    def _batches(self, prompts: Sequence[Prompt]) -> Iterator[list[int]]:
        ordered = sorted(range(len(prompts)), key=lambda place: (len(prompts[place].tokens), prompts[place].tokens))
        batch: list[int] = []
        for place in ordered:
            is_other_length = bool(batch) and self._length(prompts[place]) != self._length(prompts[batch[0]])
            if len(batch) == self.replies_at_once or (is_other_length and not self.is_exact):
                yield batch
                batch = []
            batch.append(place)
        if batch:
            yield batch

    def _length(self, prompt: Prompt) -> int:
        """How many tokens a prompt has once it is filled up."""
        return len(prompt.tokens) if self.is_exact else -(-len(prompt.tokens) // LENGTH_MULTIPLE) * LENGTH_MULTIPLE

    def _fitting(self, prompts: Sequence[Prompt], most_tokens: int) -> list[Reply]:
        """The replies of one batch; of halves of it where memory runs out."""
        try:
            return self._batch(prompts, most_tokens)
        except torch.OutOfMemoryError:
            if self.replies_at_once == 1:
                raise
        self.replies_at_once //= 2
        logger.warning("out of memory: going on with %d replies at once", self.replies_at_once)
        torch.cuda.empty_cache()
        cut = range(0, len(prompts), self.replies_at_once)
        parts = [prompts[start : start + self.replies_at_once] for start in cut]
        return [reply for part in parts for reply in self._fitting(part, most_tokens)]

    def _batch(self, prompts: Sequence[Prompt], most_tokens: int) -> list[Reply]:
        rows = list(prompts)
        if not self.is_exact:
            rows += [prompts[0]] * (self.replies_at_once - len(prompts))
        length = max(self._length(prompt) for prompt in rows)
        ids = torch.full((len(rows), length), self._filler)
        mask = torch.zeros_like(ids)
        for row, prompt in enumerate(rows):
            ids[row, length - len(prompt.tokens) :] = torch.tensor(prompt.tokens)
            mask[row, length - len(prompt.tokens) :] = 1
        ends = _ReplyEnds(self, rows, length, n_asked=len(prompts))
        with torch.inference_mode(), _plain_generation(self._model, self._ends, self._filler):
            generated = self._model.generate(
                ids.to(self._model.device),
                attention_mask=mask.to(self._model.device),
                max_new_tokens=most_tokens,
                stopping_criteria=StoppingCriteriaList([ends]),
            )
        written = generated[: len(prompts), length:].tolist()
        return [self._reply(tokens, ends.ended.get(row)) for row, tokens in enumerate(written)]

    def _reply(self, tokens: Sequence[int], ended: int | None) -> Reply:
        return Reply(self.text(tokens[:ended]), len(tokens[:ended]), is_cut=ended is None)

    def text(self, tokens: Sequence[int]) -> str:
        """Tokens as text, up to the one that ends the reply; marks that are special tokens are kept."""
        kept = tokens[:-1] if tokens and tokens[-1] in self._ends else tokens
        return str(self._tokenizer.decode(list(kept), skip_special_tokens=False))

    def ends(self, token: int) -> bool:
        """Whether a token ends a reply."""
        return token in self._ends

    def breaks_line(self, token: int) -> bool:
        """Whether a token ends in a line break."""
        if token not in self._breaks_line:
            self._breaks_line[token] = str(self._tokenizer.decode([token])).endswith("\n")
        return self._breaks_line[token]

    def get_on(self) -> None:
        """Say that one more token is written."""
        self._on_token()


class _ReplyEnds(StoppingCriteria):
    """Ends each reply of a batch by itself, and notes after how many tokens."""

    def __init__(self, writer: ReplyWriter, rows: Sequence[Prompt], prompt_length: int, n_asked: int) -> None:
        self._writer = writer
        self._rows = rows
        self._prompt_length = prompt_length
        self._n_asked = n_asked
        self.ended: dict[int, int] = {}
        """Row -> how many tokens its reply has."""

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
        self._writer.get_on()
        for row, token in enumerate(input_ids[: self._n_asked, -1].tolist()):
            if row not in self.ended and self._is_over(row, token, input_ids):
                self.ended[row] = input_ids.shape[1] - self._prompt_length
        is_over = [row in self.ended or row >= self._n_asked for row in range(len(self._rows))]
        return torch.tensor(is_over, device=input_ids.device)

    def _is_over(self, row: int, token: int, input_ids: Any) -> bool:
        if self._writer.ends(token):
            return True
        is_decided = self._rows[row].is_decided
        if is_decided is None or not self._writer.breaks_line(token):
            return False
        return is_decided(self._writer.text(input_ids[row, self._prompt_length :].tolist()))


def _end_tokens(model: Any, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """The tokens that end a reply: those of the model's settings, and the tokenizer's."""
    stated = model.generation_config.eos_token_id
    ids = stated if isinstance(stated, list) else [stated]
    return frozenset(int(index) for index in (*ids, tokenizer.eos_token_id) if index is not None)


@contextmanager
def _plain_generation(model: Any, ends: frozenset[int], filler: int) -> Iterator[None]:
    """Greedy and nothing else: penalties in a model's own settings would count the tokens that fill a prompt up."""
    own = model.generation_config
    make: Any = GenerationConfig
    model.generation_config = make(
        do_sample=False, eos_token_id=sorted(ends) or None, pad_token_id=filler, use_cache=True
    )
    try:
        yield
    finally:
        model.generation_config = own
