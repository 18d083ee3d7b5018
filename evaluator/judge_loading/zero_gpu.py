"""The language model that judges in the lab of a ZeroGPU Space: a graphics card is lent for each call."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from evaluator.judges.protocol import Judge, JudgeRequest, JudgeUnavailable, Judgment, RequestKind
from evaluator.judges.transformers import EXPLANATION_TOKENS, WRITTEN_TOKENS, TransformersJudge
from evaluator.judges.written.judge import WrittenJudge
from evaluator.values import Pin
from evaluator.zero_gpu import START_S, TOKEN_S, CardRefused, ZeroGpu, refusals_in_words

PASS_S = 0.2
"""For each question whose labels are read: a pass over its prompt. Assumed, not measured."""


class ZeroGpuJudge(Judge):
    """A judge that is in memory here and answers in forks of this process.

    Args:
        inner: Loaded; asked here for keys only, which take its tokenizer alone.
        zero_gpu: Who lends the card.
    """

    def __init__(self, inner: TransformersJudge, zero_gpu: ZeroGpu) -> None:
        self._inner = inner
        judges_for = partial(replying_s, inner) if isinstance(inner, WrittenJudge) else judging_s
        self._judge_on_card = zero_gpu.lent(inner.judge, judges_for)
        self._explain_on_card = zero_gpu.lent(inner.explanation, explaining_s)

    @property
    def pin(self) -> Pin:
        return self._inner.pin

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return self._inner.kinds

    def key(self, request: JudgeRequest) -> str:
        return self._inner.key(request)

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        """One judgment per request, in order.

        Raises:
            JudgeUnavailable: when no card is lent, in words for the visitor.
        """
        with _unavailable_without_card():
            return list(self._judge_on_card(list(requests)))

    def explanation(self, request: JudgeRequest, judgment: Judgment) -> str:
        """As `TransformersJudge.explanation`.

        Raises:
            JudgeUnavailable: when no card is lent, in words for the visitor.
        """
        with _unavailable_without_card():
            return str(self._explain_on_card(request, judgment))


def on_card(judge: Judge, zero_gpu: ZeroGpu) -> Judge:
    """A judge as it is asked on a ZeroGPU Space: one that no graphics card makes faster stays as it is."""
    return ZeroGpuJudge(judge, zero_gpu) if isinstance(judge, TransformersJudge) else judge


@contextmanager
def _unavailable_without_card() -> Iterator[None]:
    try:
        with refusals_in_words():
            yield
    except CardRefused as refused:
        raise JudgeUnavailable(str(refused)) from refused


def judging_s(requests: Sequence[JudgeRequest]) -> int:
    """Seconds that judging may take: a pass for each question with labels, a whole reply for each of the others.

    10 s to start, 2 questions of 0.2 s, one of 300 tokens of 0.05 s: 25.4, rounded up to 26.
    """
    written = sum(not request.rubric.labels for request in requests)
    return START_S + math.ceil(written * WRITTEN_TOKENS * TOKEN_S + (len(requests) - written) * PASS_S)


def replying_s(judge: WrittenJudge, requests: Sequence[JudgeRequest]) -> int:
    """Seconds that a judge may take that writes before it decides: a whole reply for each batch.

    10 s to start, 2 questions at once, 512 tokens of 0.05 s: 35.6, rounded up to 36.
    """
    with_label = sum(bool(request.rubric.labels) for request in requests)
    batches = math.ceil(with_label / judge.replies_at_once)
    free = math.ceil((len(requests) - with_label) / judge.replies_at_once)
    return START_S + math.ceil((batches * judge.reply_tokens + free * WRITTEN_TOKENS) * TOKEN_S)


def explaining_s(_request: JudgeRequest, _judgment: Judgment) -> int:
    """Seconds that one sentence may take: 10 s to start, 60 tokens of 0.05 s: 13."""
    return START_S + math.ceil(EXPLANATION_TOKENS * TOKEN_S)
