"""What is kept of how far a judge agrees with people: figures with n and interval, no text and no label."""

from __future__ import annotations

from pydantic import Field

from evaluator.values import Frozen, MetricValue, Pin

ENGLISH = "en"


class Likeness(Frozen):
    """Spearman's correlation of scores with the 0-5 of people on one split of the STS benchmark; n = pairs."""

    languages: dict[str, MetricValue]
    others: MetricValue | None = None
    """Mean over the languages but English that are read; None where none is."""

    @property
    def english(self) -> MetricValue | None:
        return self.languages.get(ENGLISH)


class SameAnswer(Frozen):
    """Two systems' answers to one question: do scores tell "both right" from "exactly one right"? n = pairs."""

    auc: MetricValue
    """Chance that a pair of right answers scores above a pair with a wrong one, ties half; 0.5 is guessing."""
    accuracy: MetricValue
    """Share of pairs on the right side of a score of 2.5."""


class AnswersGiven(Frozen):
    """What is let through as an answer (probability of 0.5 or more); shares, n = texts."""

    real: MetricValue
    """Of real answers to their prompt; 1 is best."""
    other_prompt: MetricValue
    """Of real answers to another prompt; 0 is best."""
    short: MetricValue
    """Of right answers of a few words; 1 is best."""


class PeopleFigures(Frozen):
    """The figures of a judge or a baseline; a part that was not measured is absent."""

    likeness: dict[str, Likeness] = Field(default_factory=dict)
    """By split of the STS benchmark: "dev" and, where it was measured, "test"."""
    same_answer: SameAnswer | None = None
    answers: AnswersGiven | None = None


class MeasuredFile(Frozen):
    """A file the figures were measured on."""

    name: str
    sha256: str
    """Of its unpacked content."""
    rows: int
    faults: int
    """Rows, or answers, that were left out."""


class Sample(Frozen):
    """How much of the files was measured, drawn by the SHA-256 of ids; None = all."""

    questions: str = "held-out"
    """Which questions: a part of `people.part_of`, or "all"."""
    english: int | None = None
    """Most English pairs of the STS benchmark."""
    other_languages: int | None = 300
    """Most such pairs of every other language."""
    same_answer: int | None = 1_200
    """Most pairs of answers."""
    texts: int | None = None
    """Most real answers to their prompt, to another prompt, and short right answers: of each."""
    languages: tuple[str, ...] | None = None
    """Languages of the STS benchmark; None = all of them."""


class PeopleQuality(Frozen):
    """One judge on people's labels, beside baselines on the same pairs."""

    judge: Pin
    measured_on: tuple[MeasuredFile, ...]
    sample: Sample
    figures: PeopleFigures
    by_question: dict[str, float] = Field(default_factory=dict)
    """Question -> what it adds to the AUC of the same answer (`ranking.topic_values`), so that judges can be ranked."""
    baselines: dict[str, PeopleFigures] = Field(default_factory=dict)
    """`word_overlap`, `new_words`, and `cosine_` with the name of an embedding model."""
    commit: str = ""
    """Of the program that measured; blank outside a checkout, and where it was not kept."""

    @property
    def same_answer_texts(self) -> tuple[str, ...]:
        """What the answers are told apart on: judges are ranked among those with the same."""
        files = (f"{file.name} {file.sha256}" for file in self.measured_on if file.name.startswith("same_answer"))
        return (*files, self.sample.questions, str(self.sample.same_answer))
