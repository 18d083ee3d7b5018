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
    """Adds the ratings of one log.

    Only the same answer rated again is a repetition: another answer to the same question is an item of its own.
    """

    collector: Collector
    _answers: dict[tuple[str, str], dict[bytes, int]] = field(default_factory=dict)

    def add(self, judge: str, rated: RatedAnswer, rating: float | None, place: str) -> None:
        """Adds one rating; None = the reply was not usable."""
        judge = printable(judge, _NAME_CHARACTERS)
        system = printable(rated.system, _NAME_CHARACTERS)
        item = self._item(rated)
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

    def _item(self, rated: RatedAnswer) -> str:
        known = self._answers.setdefault((rated.question, rated.system), {})
        digest = blake2b(repr(rated.answer).encode("utf-8", "replace"), digest_size=8).digest()
        number = known.setdefault(digest, len(known) + 1)
        return "" if number == 1 else f"answer {number}"


def first_text(values: Iterable[object]) -> str | None:
    """The first text among values and lists in them; None where there is none."""
    for value in values:
        text = first_text(value) if isinstance(value, list) else value
        if isinstance(text, str):
            return text
    return None
