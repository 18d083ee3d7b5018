"""A local language model that writes before it decides: its label is read from the text, if the text states one.

See docs/judges.md#judges-that-write-before-they-decide.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from evaluator.judges.protocol import SHORTENED, TOKENS_WRITTEN, JudgeRequest, Judgment, UnsuitableJudge
from evaluator.judges.transformers import WRITTEN_TOKENS, FittedPrompt, TransformersJudge
from evaluator.judges.written.formats import ReplyFormat, format_shown_by
from evaluator.judges.written.generation import Prompt, Reply, ReplyWriter
from evaluator.judges.written.parsing import has_marks, is_decided, read_judgment
from evaluator.judges.written.work import WrittenWork
from evaluator.values import Pin

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_UNPROVEN = ", unproven"
_TokenIds = tuple[int, ...]


class WrittenJudge(TransformersJudge):
    """A causal language model that writes thoughts or feedback, then a label.

    Args:
        model: In evaluation mode, on its device.
        tokenizer: A fast tokenizer; its chat template is used where it has one.
        pin: What the model is; what it says of the prompt is replaced by format and token budget.
        reply_format: The form of its replies.
        tokens: Tokens a reply may have; None = what the format needs, at most half of the context.
        replies_at_once: None = by device.

    Raises:
        UnsuitableJudge: when such replies would leave less than half of the context for what is asked.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: PreTrainedTokenizerBase,
        pin: Pin,
        reply_format: ReplyFormat,
        *,
        tokens: int | None = None,
        replies_at_once: int | None = None,
    ) -> None:
        super().__init__(model, tokenizer, pin)
        self.reply_format = reply_format
        self.reply_tokens = min(reply_format.tokens, self._context // 2) if tokens is None else tokens
        if not 0 < self.reply_tokens <= self._context // 2:
            raise UnsuitableJudge(
                f"tokens: found {tokens}, expected 1 to {self._context // 2}, half of what {pin.model} can read"
            )
        self._context -= self.reply_tokens
        self._writer = ReplyWriter(model, tokenizer, replies_at_once=replies_at_once, on_token=self._get_on)
        prompt = reply_format.pinned(self.reply_tokens)
        if not self._writer.is_exact:
            prompt += f", {self._writer.replies_at_once} at once"
        if pin.prompt.endswith(_UNPROVEN):
            prompt += _UNPROVEN
        self._pin = pin.model_copy(update={"prompt": prompt})
        self.written = WrittenWork()
        self._beginning = reply_format.beginning(self._after)

    @classmethod
    def around(cls, judge: TransformersJudge, reply_format: ReplyFormat, tokens: int | None = None) -> WrittenJudge:
        """Return a judge that lets the model of another one write."""
        return cls(judge._model, judge._tokenizer, judge.pin, reply_format, tokens=tokens)

    @property
    def replies_at_once(self) -> int:
        """How many replies are written together."""
        return self._writer.replies_at_once

    def key(self, request: JudgeRequest) -> str:
        """SHA-256 over pin, exact token ids and labels, as hex."""
        payload = [self.pin.model_dump(mode="json"), self.prompt_ids(request), request.rubric.labels]
        return hashlib.sha256(json.dumps(payload, separators=(",", ":"), sort_keys=True).encode()).hexdigest()

    def answer(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        """One judgment per request, in order: of free replies the text, of all others the label it states."""
        with_label = [place for place, request in enumerate(requests) if request.rubric.labels]
        free = [place for place, request in enumerate(requests) if not request.rubric.labels]
        judgments: dict[int, Judgment] = {}
        for places, most_tokens in ((with_label, self.reply_tokens), (free, WRITTEN_TOKENS)):
            fitted = [self._fitted(requests[place]) for place in places]
            prompts = [self._prompt(requests[place], whole.ids) for place, whole in zip(places, fitted, strict=True)]
            replies = self._writer.write(prompts, most_tokens)
            for place, reply, whole in zip(places, replies, fitted, strict=True):
                judgments[place] = self._judgment(requests[place], reply, whole.is_cut)
        in_order = [judgments[place] for place in range(len(requests))]
        self.written.add(in_order)
        return in_order

    def wanted_tokens(self, request: JudgeRequest, n: int) -> tuple[tuple[str, float], ...]:
        """Nothing: the first token of a reply is no label."""
        return ()

    def explanation(self, request: JudgeRequest, judgment: Judgment) -> str:
        """What the judge wrote before it decided, on one line."""
        return " ".join((judgment.text or "").split())

    def _prompt(self, request: JudgeRequest, ids: _TokenIds) -> Prompt:
        quotable = any(has_marks(self.reply_format, text) for text in request.fields.values())
        if quotable or not request.rubric.labels:
            # A judge that quotes a text with our marks must not be stopped there: it is read to its end.
            return Prompt(ids)
        return Prompt(ids, partial(self._is_decided, labels=request.rubric.labels))

    def _is_decided(self, written: str, labels: Sequence[str]) -> bool:
        return is_decided(self.reply_format, f"{self.reply_format.begins}{written}", labels)

    def _judgment(self, request: JudgeRequest, reply: Reply, is_shortened: bool) -> Judgment:
        if not request.rubric.labels:
            return Judgment(None, text=reply.text.strip())
        details = {TOKENS_WRITTEN: float(reply.tokens), **({SHORTENED: 1.0} if is_shortened else {})}
        text = f"{self.reply_format.begins}{reply.text}"
        return read_judgment(self.reply_format, request.rubric, text, is_cut=reply.is_cut, details=details)

    def _fitted(self, request: JudgeRequest) -> FittedPrompt:
        asked = self.reply_format.asked(request, self._beginning) if request.rubric.labels else request
        return super()._fitted(asked)


def format_of_thoughts(judge: TransformersJudge) -> ReplyFormat | None:
    """Return the format with thoughts that a model's tokenizer knows; None where it knows none."""
    tokenizer = judge._tokenizer
    return format_shown_by(str(tokenizer.chat_template or ""), tokenizer.get_vocab())
