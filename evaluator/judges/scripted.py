"""A judge with fixed answers, for tests and demonstrations; it counts what it was asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from evaluator.judges.answers.verdict import answer_judgment
from evaluator.judges.protocol import Judge, JudgeRequest, Judgment, RequestKind, text_key
from evaluator.values import Pin


def word_overlap(request: JudgeRequest) -> float:
    """5 x Jaccard similarity of the two answers' lower-cased words: a rating anyone can check by hand."""
    first = set(request.fields["answer_a"].casefold().split())
    second = set(request.fields["answer_b"].casefold().split())
    return 5.0 * len(first & second) / len(first | second) if first | second else 0.0


class ScriptedJudge(Judge):
    """Rates pairs with `script` (default: word overlap); `calls` counts the requests it answered.

    Args:
        script: Request -> rating 0-5, or None for unscored.
        answers: Request -> probability that the text answers its prompt, or None for unscored; without it the judge is
            not asked.
        preference: Request -> A, B or C, or None for unusable; without it the judge states no preferences.
        followed: Request -> rating 1-5, or None for unreadable; without it the judge rates no answers.
        letter: Request -> a label of the rubric, or None for unusable; without it the judge finds no letters.
        written: Request -> a free reply; without it the judge writes none.
        profile_rating: Request -> a reader's rating 1-10, or None for unreadable; without it the judge predicts none.
        profile_choice: Request -> A or B, the plot a reader prefers, or None; without it the judge predicts none.
    """

    def __init__(
        self,
        script: Callable[[JudgeRequest], float | None] = word_overlap,
        *,
        answers: Callable[[JudgeRequest], float | None] | None = None,
        preference: Callable[[JudgeRequest], str | None] | None = None,
        followed: Callable[[JudgeRequest], float | None] | None = None,
        letter: Callable[[JudgeRequest], str | None] | None = None,
        written: Callable[[JudgeRequest], str] | None = None,
        profile_rating: Callable[[JudgeRequest], float | None] | None = None,
        profile_choice: Callable[[JudgeRequest], str | None] | None = None,
        script_version: str = "word-overlap-1",
        languages: tuple[str, ...] | None = None,
        seconds_per_call: float = 0.0,
    ) -> None:
        ratings: dict[RequestKind, Callable[[JudgeRequest], float | None] | None]
        ratings = {"similarity_pair": script, "followed": followed, "profile_rating": profile_rating}
        verdicts: dict[RequestKind, Callable[[JudgeRequest], str | None] | None]
        verdicts = {"preference_pair": preference, "answer_letter": letter, "profile_choice": profile_choice}
        self._ratings = {kind: scripted for kind, scripted in ratings.items() if scripted is not None}
        self._verdicts = {kind: scripted for kind, scripted in verdicts.items() if scripted is not None}
        self._answers = answers
        self._written = written
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
        others: set[RequestKind] = {"written"} if self._written else set()
        if self._answers:
            others.add("answers")
        return frozenset({*self._ratings, *self._verdicts, *others})

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        judgments = []
        for place, request in enumerate(requests):
            self.on_request(place)
            self.calls += 1
            if self._seconds_per_call:
                time.sleep(self._seconds_per_call)
            judgments.append(self._judgment(request))
        return judgments

    def _judgment(self, request: JudgeRequest) -> Judgment:
        if request.rubric.kind == "written" and self._written:
            return Judgment(None, text=self._written(request))
        if request.rubric.kind == "answers" and self._answers:
            probability = self._answers(request)
            if probability is None:
                return Judgment(None, reason="the script gives no probability")
            return answer_judgment(probability)
        if request.rubric.kind in self._verdicts:
            verdict = self._verdicts[request.rubric.kind](request)
            reason = None if verdict is not None else "the script gives no verdict"
            return Judgment(None, verdict=verdict, reason=reason)
        rating = self._ratings[request.rubric.kind](request)
        return Judgment(rating, reason=None if rating is not None else "the script gives no rating")

    def key(self, request: JudgeRequest) -> str:
        return text_key(self._pin, request)
