"""Ratings of answers, as several tools write them: adding one, and telling one answer to a question from another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b

from evaluator.judge_logs.judgements import Collector, Judgement, length
from evaluator.judge_logs.label_sample import texts_of
from submissions.reading.quoting import printable

_NAME_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class RatedAnswer:
    """An answer that was rated."""

    question: str
    system: str
    prompt: object
    """What was asked; no text where the log has none."""
    answer: object
    criterion: object = ""


@dataclass(slots=True)
class RatingAdder:
    """Adds the ratings of one log, when all of them are known.

    Only the same answer rated again is a repetition. Where a system gave several answers to one question, each is an
    item named after its text, so that the order of the file changes nothing.
    """

    collector: Collector
    _ratings: list[tuple[str, RatedAnswer, float | None, str]] = field(default_factory=list)
    _answers: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def add(self, judge: str, rated: RatedAnswer, rating: float | None, place: str) -> None:
        """Takes one rating; None = the reply was not usable."""
        self._ratings.append((printable(judge, _NAME_CHARACTERS), rated, rating, place))
        self._answers.setdefault((rated.question, rated.system), set()).add(_digest(rated.answer))

    def finish(self) -> None:
        """Adds the ratings to the log."""
        for rating in self._ratings:
            self._add(*rating)

    def _add(self, judge: str, rated: RatedAnswer, rating: float | None, place: str) -> None:
        system = printable(rated.system, _NAME_CHARACTERS)
        is_only = len(self._answers[rated.question, rated.system]) == 1
        item = "" if is_only else f"answer {_digest(rated.answer)}"
        repetition = self.collector.repetition(judge, rated.question, item, (system,), place)
        if repetition is None:
            return
        judgement = Judgement(
            judge=judge,
            question=rated.question,
            item=item,
            systems=(system,),
            rating=rating,
            repetition=repetition,
            lengths=(length(rated.answer),),
            place=place,
        )
        self.collector.add(judgement, texts_of(rated.prompt, rated.answer, criterion=rated.criterion))


def _digest(answer: object) -> str:
    return blake2b(repr(answer).encode("utf-8", "replace"), digest_size=6).hexdigest()


def first_text(values: Iterable[object]) -> str | None:
    """The first text among values and lists in them; None where there is none."""
    for value in values:
        text = first_text(value) if isinstance(value, list) else value
        if isinstance(text, str):
            return text
    return None
