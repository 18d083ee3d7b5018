"""A judge with fixed answers, for tests and demonstrations; it counts what it was asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from evaluator.judges.protocol import Judge, JudgeRequest, Judgment, RequestKind, text_key
from evaluator.results import Pin


def word_overlap(request: JudgeRequest) -> float:
    """5 x Jaccard similarity of the two answers' lower-cased words: a rating anyone can check by hand."""
    first = set(request.fields["answer_a"].casefold().split())
    second = set(request.fields["answer_b"].casefold().split())
    return 5.0 * len(first & second) / len(first | second) if first | second else 0.0


class ScriptedJudge(Judge):
    """Rates pairs with `script` (default: word overlap); `calls` counts the requests it answered.

    Args:
        script: Request -> rating 0-5, or None for unscored.
        preference: Request -> A, B or C, or None for unusable; without it the judge states no preferences.
    """

    def __init__(
        self,
        script: Callable[[JudgeRequest], float | None] = word_overlap,
        *,
        preference: Callable[[JudgeRequest], str | None] | None = None,
        script_version: str = "word-overlap-1",
        languages: tuple[str, ...] | None = None,
        seconds_per_call: float = 0.0,
    ) -> None:
        self._script = script
        self._preference = preference
        self._seconds_per_call = seconds_per_call
        self._pin = Pin(
            name="scripted",
            model="-",
            revision=script_version,
            tokenizer="-",
            prompt="-",
            dtype="-",
            engine="plumbline",
            languages=languages,
        )
        self.calls = 0

    @property
    def pin(self) -> Pin:
        return self._pin

    @property
    def kinds(self) -> frozenset[RequestKind]:
        pairs: frozenset[RequestKind] = frozenset({"similarity_pair"})
        return pairs if self._preference is None else pairs | {"preference_pair"}

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        judgments = []
        for request in requests:
            self.calls += 1
            if self._seconds_per_call:
                time.sleep(self._seconds_per_call)
            judgments.append(self._judgment(request))
        return judgments

    def _judgment(self, request: JudgeRequest) -> Judgment:
        if request.rubric.kind == "preference_pair" and self._preference is not None:
            verdict = self._preference(request)
            reason = None if verdict is not None else "the script gives no verdict"
            return Judgment(None, verdict=verdict, reason=reason)
        rating = self._script(request)
        return Judgment(rating, reason=None if rating is not None else "the script gives no rating")

    def key(self, request: JudgeRequest) -> str:
        return text_key(self._pin, request)
