"""A judge that is not asked which texts answer: for numbers that were made before there was that question."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.judges.protocol import Judge, JudgeRequest, Judgment, RequestKind
from evaluator.values import Pin


class Ungated(Judge):
    """All that a judge can do but `answers`.

    Args:
        judge: Is asked everything else.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    @property
    def pin(self) -> Pin:
        return self._judge.pin

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return self._judge.kinds - {"answers"}

    @property
    def width(self) -> int:
        return self._judge.width

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        self._judge.on_request = self.on_request
        return self._judge.judge(requests)

    def key(self, request: JudgeRequest) -> str:
        return self._judge.key(request)
