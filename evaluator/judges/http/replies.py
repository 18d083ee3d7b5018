"""What a judge's server replies: the probabilities of labels after a prompt, or a few words that state one label."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, Field, ValidationError

from evaluator.judges.label_distribution import read_labels
from evaluator.judges.parsing import SIMILARITY, Scale, parse_score
from evaluator.judges.prompts import NO_LETTER
from evaluator.judges.protocol import JudgeUnavailable, Judgment, RequestKind, Rubric
from evaluator.judges.text_replies import parse_letter
from submissions.verdicts.thoughts import answer_begin

logger = logging.getLogger(__name__)

LONGEST_LOGGED_REPLY = 200
CUT_THOUGHTS = "truncated: the thoughts were cut off"
TOO_LONG_FOR_IT = "the texts are longer than the judge's context"


class _Logprobs(BaseModel):
    top_logprobs: list[dict[str, float] | None] | None = None


class ReplyChoice(BaseModel):
    """The part of an answer of `/v1/completions` that is read; the rest is passed over."""

    text: str = ""
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None
    tokens_written: int | None = None
    """Of the whole answer; None where the server does not count."""

    @property
    def first_token(self) -> dict[str, float]:
        """Log-probabilities at the first generated token; empty where the server gave none."""
        top = self.logprobs.top_logprobs if self.logprobs else None
        return (top[0] or {}) if top else {}


class _Usage(BaseModel):
    completion_tokens: int | None = None


class _Completion(BaseModel):
    choices: list[ReplyChoice] = Field(min_length=1)
    usage: _Usage | None = None


def read_choice(answer: Any) -> ReplyChoice:
    """The first choice of an answer.

    Raises:
        JudgeUnavailable: when the answer has another shape.
    """
    try:
        completion = _Completion.model_validate(answer)
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in fault["loc"]) or "its answer"
        raise JudgeUnavailable(
            f"the judge's server does not answer as /v1/completions does: {where}: {fault['msg']}"
        ) from error
    tokens = completion.usage.completion_tokens if completion.usage else None
    return completion.choices[0].model_copy(update={"tokens_written": tokens})


# --- probabilities ---------------------------------------------------------------------------------------------------


def probability_of(logprob: float) -> float:
    """exp, where rounding may have put a logarithm a hair above 0; a NaN stays one."""
    return math.exp(min(logprob, 0.0))


_ID_MARK = "token_id:"


def by_token_id(logprobs: Mapping[str, float]) -> dict[int, float]:
    """The entries vLLM writes as `token_id:123`."""
    return {
        int(token.removeprefix(_ID_MARK)): logprob
        for token, logprob in logprobs.items()
        if token.startswith(_ID_MARK) and token.removeprefix(_ID_MARK).isdigit()
    }


def measured(rubric: Rubric, probabilities: Sequence[float]) -> Judgment:
    """Return the judgment in the probabilities of a rubric's labels, unscored where too little falls on them."""
    reading = read_labels(probabilities, rubric.labels)
    return Judgment(
        rating=reading.expected if rubric.is_rating else None,
        distribution=reading.probabilities,
        label_mass=reading.mass,
        reason=reading.reason,
        verdict=None if rubric.is_rating else reading.label,
    )


# --- free text -------------------------------------------------------------------------------------------------------


_SCALES: Mapping[RequestKind, str] = {"followed": "rating", "profile_rating": "score"}
"""What ratings are called in the tails of rubrics; that of the others is a similarity score."""

_NO_LETTER = re.compile(rf"\s*{NO_LETTER}(?!\w)")


class _Said(NamedTuple):
    rating: float | None
    verdict: str | None
    reason: str | None


def spoken(rubric: Rubric, choice: ReplyChoice) -> Judgment:
    """What a reply says, if it says one thing only; a reply that was cut off must mean the same however it went on."""
    # The tail is what the judge's reply begins with (`Rubric.tail`): the reply is read from there.
    begin = answer_begin(choice.text)
    reply = f"{rubric.tail}{choice.text[begin:]}"
    said = _Said(None, None, CUT_THOUGHTS) if begin is None else _reading_of(rubric, reply)
    if (
        begin is not None
        and choice.finish_reason == "length"
        and any(_reading_of(rubric, reply + more)[:2] != said[:2] for more in ("9", " 9"))
    ):
        said = _Said(None, None, "truncated: the reply was cut off where the label stood")
    if said.reason is not None:
        logger.info("unusable reply of the judge (%s): %r", said.reason, choice.text[:LONGEST_LOGGED_REPLY])
    return Judgment(said.rating, reason=said.reason, verdict=said.verdict)


def _reading_of(rubric: Rubric, reply: str) -> _Said:
    if rubric.kind == "answer_letter":
        return _chosen(reply.removeprefix(rubric.tail), len(rubric.labels) - 1)
    if rubric.is_rating:
        name = _SCALES.get(rubric.kind, SIMILARITY.name)
        score = parse_score(reply, Scale(name, int(rubric.labels[0]), int(rubric.labels[-1])))
        return _Said(score.score, None, score.reason)
    return unanimous_label(reply.removeprefix(rubric.tail), rubric.labels)


def _chosen(reply: str, n_options: int) -> _Said:
    """The letter a reply consists of, or that no option was chosen."""
    if _NO_LETTER.match(reply):
        return _Said(None, NO_LETTER, None)
    letter = parse_letter(reply.lstrip().removesuffix('"'), n_options)
    return _Said(None, letter, None if letter else "none: the reply states no letter")


def unanimous_label(reply: str, labels: Sequence[str]) -> _Said:
    """The one label a reply states as a word of its own; none, or several different ones, leave it unscored.

    No label stands above another, the first match least of all: that would invent a preference for a place.

    >>> unanimous_label(" B. Answer B is more exact.", ["A", "B", "C"]).verdict
    'B'
    >>> unanimous_label("A is better than B", ["A", "B", "C"]).reason
    'ambiguous: the reply states the labels A, B'
    >>> unanimous_label("Both are fine.", ["A", "B", "C"]).reason
    'none: the reply states no label'
    """
    stated = [label for label in labels if re.search(rf"(?<![^\W_]){re.escape(label)}(?![^\W_])", reply)]
    if not stated:
        return _Said(None, None, "none: the reply states no label")
    if len(stated) > 1:
        return _Said(None, None, f"ambiguous: the reply states the labels {', '.join(stated)}")
    return _Said(None, stated[0], None)
