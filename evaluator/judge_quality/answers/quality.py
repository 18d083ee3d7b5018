"""What the gate was found to be worth: figures that ship with it, and the bar that it has to reach in a language."""

from __future__ import annotations

from importlib.resources import files

from pydantic import BaseModel, ConfigDict, TypeAdapter

from evaluator.values import MetricValue, Pin

QUALITY = "answer_quality.json"
PEOPLE_QUALITY = "people_quality.json"
LANGUAGE_QUALITY = "other_languages_quality.json"

BAR_AUC = 0.95
"""A language is gated by the head where the AUC on its test texts is at least this ..."""
BAR_ANSWERS = 0.9
"""... and at least this share of the answers among them lies above 0.5."""

TITLES = {
    "long": "long answers, to their question",
    "long_right": "of these, right ones",
    "short": "answers of up to five words, to their question",
    "short_right": "of these, right ones",
    "long_other": "long answers, to another question",
    "short_other": "answers of up to five words, to another question",
    "chat": "chat replies, to their prompt",
    "chat_reported": "of these, prompts that no choice saw",
    "chat_other": "chat replies, to another prompt",
    "chat_other_reported": "of these, prompts that no choice saw",
    "one_text": "one text for every prompt",
    "task": "outputs of tasks over given texts, to their task",
    "task_few": "of these, up to three words",
    "task_some": "of these, 4 to 49 words",
    "task_other": "outputs of tasks over given texts, to another task",
    "task_other_few": "of these, up to three words",
    "task_beside": "outputs of four words or more, to another text of their task",
    "seed": "outputs of tasks that people wrote for a model, to their task",
    "seed_few": "of these, up to three words",
    "seed_some": "of these, 4 to 49 words",
    "seed_other": "outputs of tasks that people wrote for a model, to another task",
    "seed_other_few": "of these, up to three words",
}
"""Set of texts -> what they are."""

ANSWERING = frozenset(
    {"long", "long_right", "short", "short_right", "chat", "chat_reported"}
    | {"task", "task_few", "task_some", "seed", "seed_few", "seed_some"}
)
"""Sets of texts that answer."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class KindQuality(_Frozen):
    """Quality on one kind of texts."""

    is_answer: bool
    auc: MetricValue
    """Texts of the kind against all texts of the other label; n = texts of the kind."""
    right: MetricValue
    """Share of them on the right side of 0.5."""


class ProbabilityBin(_Frozen):
    """Texts whose probability lies in [low, high), in the last bin [low, high]."""

    low: float
    high: float
    mean_probability: float
    answers: float
    """Share of them that answer, as if answers were half of all texts: of a calibrated judge the mean probability."""
    n: int


class AnswerQuality(_Frozen):
    """One judge on labelled answers. Intervals: 95% bootstrap over topics."""

    judge: Pin
    measured_on: str
    """`examples_digest` of the examples: figures on others are not comparable."""
    examples: int
    topics: int
    answers: int
    unscored: int
    auc: MetricValue
    """Chance that an answer gets a higher probability than a text that is none (ties half), 0-1; 0.5 is guessing."""
    right: MetricValue
    """Share on the right side of 0.5, answers and other texts counting half each."""
    kinds: dict[str, KindQuality]
    calibration: tuple[ProbabilityBin, ...]
    """By rising probability; bins without a text are left out."""


class LetThrough(BaseModel):
    """How many texts of a set the gate lets through."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    texts: str
    """One of `TITLES`."""
    share: MetricValue
    """Of the texts, with a probability of at least 0.5; 95% interval over prompts, of tasks over templates."""
    prompts: int
    """How many prompts there are; of tasks, templates."""


LANGUAGE_QUALITIES = TypeAdapter(dict[str, AnswerQuality])
PEOPLE_QUALITIES = TypeAdapter(tuple[LetThrough, ...])


def reaches_bar(quality: AnswerQuality) -> bool:
    """Whether the head may gate in a language."""
    answers = quality.kinds["written"].right.value
    return (quality.auc.value or 0.0) >= BAR_AUC and (answers or 0.0) >= BAR_ANSWERS


def shipped_quality() -> AnswerQuality:
    """Read the measurement on written texts that ships with the answer head."""
    return AnswerQuality.model_validate_json(_shipped(QUALITY))


def shipped_people_quality() -> tuple[LetThrough, ...]:
    """Read the measurement on real answers that ships with the answer head."""
    return PEOPLE_QUALITIES.validate_json(_shipped(PEOPLE_QUALITY))


def shipped_language_quality() -> dict[str, AnswerQuality]:
    """Read the measurement that ships with the head of other languages: language -> figures."""
    return LANGUAGE_QUALITIES.validate_json(_shipped(LANGUAGE_QUALITY))


def _shipped(name: str) -> bytes:
    return files("evaluator.judge_quality.answers").joinpath(name).read_bytes()
