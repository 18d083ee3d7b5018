"""The one protocol of all judges: requests in, judgments out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

from evaluator.values import Pin


class UnsuitableJudge(Exception):
    """Raised when a model cannot judge: it cannot be loaded as pinned, or a label has no single token."""


class JudgeUnavailable(Exception):
    """Raised when a judge cannot be used now or as it is set up; the text is for the team that waits."""


class JudgeAway(JudgeUnavailable):
    """Raised when a judge does not answer now, and may later: what waits for it goes on waiting."""


class JudgeLost(JudgeUnavailable):
    """Raised when a judge is gone for good for this process; another process may have it once it is back."""


RequestKind = Literal[
    "similarity_pair",
    "similarity_group",
    "answers",
    "preference_pair",
    "followed",
    "answer_letter",
    "written",
    "profile_rating",
    "profile_choice",
]
LANGUAGE_MODEL_KINDS: frozenset[RequestKind] = frozenset(get_args(RequestKind))
"""What a language model can be asked: all of it."""


SHORTENED = "shortened"
"""Among the details of a judgment: a text was cut because the context would not hold all of them."""

TOKENS_WRITTEN = "tokens_written"
"""Among the details of a judgment: how many tokens the judge wrote for it."""


@dataclass(frozen=True, slots=True)
class Rubric:
    """What a judge is asked; prompts are data with an id, a version and a source."""

    id: str
    version: str
    kind: RequestKind
    text: str
    labels: tuple[str, ...]
    """Candidate labels, in order; where all of them are numbers, the judgment has a rating. None = the reply is free
    text (kind `written`)."""
    source: str
    tail: str = ""
    """What the judge's reply begins with: the label follows it."""
    reworded_from: str = ""
    """The version that asked the same question in other words. Judges that read no words keep its verdicts."""

    @property
    def is_rating(self) -> bool:
        return bool(self.labels) and all(label.isdigit() for label in self.labels)


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """One question to a judge.

    `similarity_pair` and `preference_pair` have the fields answer_a and answer_b, `similarity_group` answer_1 ..
    answer_n; all may have prompt_1 .. prompt_m, the distinct prompts that were answered, and note, what to overlook.
    `answers` has prompt_1, the one prompt, and answer.
    `followed` has question, preference, control and answer, `answer_letter` question and answer; both have options, one
    lettered line each, unless the question is open. `written` has the fields of either.
    `profile_rating` has new_text, `profile_choice` plot_a and plot_b, as shown. Both may have the earlier judgments of
    a reader, numbered from 1: earlier_text_n, earlier_review_n (may be left out) and earlier_score_n, or
    earlier_plot_a_n, earlier_plot_b_n and earlier_choice_n.
    """

    rubric: Rubric
    fields: Mapping[str, str]
    language: str
    place: str = field(default="", compare=False)
    """Where in the submission it comes from, for people; no judge sees it."""
    second_language: str = ""
    """Of answer_b, where it is another than that of answer_a."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """What a judge made of one request."""

    rating: float | None
    """Expected rating, unrounded; None when unscored, and for rubrics whose labels are not numbers."""
    distribution: tuple[float, ...] | None = None
    """Probability of each label in the rubric's order; None for judges that score without labels."""
    label_mass: float | None = None
    """Share of the probability that fell on labels; below 0.5 the judgment is unscored."""
    reason: str | None = None
    """Why there is neither rating nor verdict."""
    details: Mapping[str, float] = field(default_factory=dict)
    """Named intermediate figures a person may want to see (cosine, mismatched numbers, ...)."""
    verdict: str | None = None
    """The most probable label of a rubric whose labels are not numbers; None when unscored."""
    text: str | None = None
    """The whole reply to a question of the kind `written`, and of a judge that writes before it decides."""


Told = Callable[[int | None], None]
"""Hears how far a judge is: the place of the request it is at, None where it is at several together."""


def unheard(place: int | None) -> None:
    """Where nobody listens to how far a judge is."""


class Judge(Protocol):
    """A judge answers a batch of requests, in order, deterministically."""

    on_request: Told = staticmethod(unheard)
    """Called while it judges, each time it gets on: with the place, among the requests, of the one it is at; None where
    it is at several together. A worker that hears nothing for long is ended."""

    @property
    def pin(self) -> Pin: ...

    @property
    def kinds(self) -> frozenset[RequestKind]:
        """Kinds of request the judge reads."""
        ...

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]: ...

    @property
    def gate_pin(self) -> Pin:
        """Who says whether a text answers its prompt (kind `answers`); the judge itself unless it says otherwise."""
        return self.pin

    @property
    def width(self) -> int:
        """How many processes judge at once: so many batches are worth asking for in one call."""
        return 1

    def key(self, request: JudgeRequest) -> str:
        """The verdict key: same judge, same question -> same key."""
        ...


def text_key(pin: Pin, request: JudgeRequest) -> str:
    """Return the verdict key of judges that read no rubric: SHA-256 over pin, question and exact texts, as hex."""
    payload = [
        pin.model_dump(mode="json"),
        [request.rubric.id, request.rubric.reworded_from or request.rubric.version, list(request.rubric.labels)],
        dict(request.fields),
        request.language,
        *([request.second_language] if request.second_language else []),
    ]
    text = json.dumps(payload, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def reads_language(pin: Pin, language: str) -> bool:
    """A judge or embedding model is not used on languages it does not declare."""
    return pin.languages is None or language in pin.languages
