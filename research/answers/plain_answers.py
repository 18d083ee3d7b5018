"""How well short plain answers are told from short texts that answer nothing, in five languages: for measuring alone.

`plain_answers.tsv` has, in each language, 60 everyday questions with an answer and 30 about customs of a country with
two, of 4 to 15 words, and what each question is about; `plain_non_answers.tsv` has sentences in which {prompt} and
{subject} stand, `plain_facts.tsv` two texts about the subject of each question. Nothing is trained, calibrated or
chosen on them. `answered_prompts.md` says who wrote them.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, TypeAdapter

from evaluator.judge_quality.measurement import auc
from evaluator.judges.answers.verdict import answer_probability
from evaluator.judges.prompts import ANSWERS
from evaluator.judges.protocol import Judge, JudgeRequest
from research.answers.examples import FACTS, LabelledAnswer

QUESTIONS = "plain_answers.tsv"
SENTENCES = "plain_non_answers.tsv"
ABOUT = "plain_facts.tsv"
QUALITY = "plain_answers_quality.json"

LANGUAGES = ("de", "en", "es", "fr", "sv")
"""Languages of the questions."""

PARTS = ("everyday", "customs")
"""What the questions ask about."""

EMPTY_KINDS = ("own_prompt", "refusal", "hedge", "promise")
"""Kinds of texts that answer nothing, one of each beside every answer."""

_SHOWN = (*EMPTY_KINDS, FACTS)
"""What the table shows of what answers nothing."""


def plain_answers(language: str, part: str) -> list[LabelledAnswer]:
    """Each answer, one text of each of `EMPTY_KINDS`, one about the subject, and the answer to the next question.

    Args:
        language: One of `LANGUAGES`.
        part: One of `PARTS`.

    >>> written, own_prompt, *_ = plain_answers("en", "customs")
    >>> written.text
    'Little cheese rolls and a glass of juice.'
    >>> own_prompt.text
    'You are asking: What do children in Brazil eat after school?'
    """
    rows = [row for row in _rows(QUESTIONS) if (row["language"], row["part"]) == (language, part)]
    sentences = _sentences(language)
    about = {row["prompt"]: (row["facts"], row["short"]) for row in _rows(ABOUT) if row["language"] == language}
    texts = []
    for number, row in enumerate(rows):
        empty = {
            kind: of_kind[number % len(of_kind)].format(prompt=row["prompt"], subject=row["subject"])
            for kind, of_kind in sentences.items()
        }
        after = next(other for other in [*rows[number:], *rows] if other["topic"] != row["topic"])
        texts += [
            LabelledAnswer(row["topic"], kind, row["prompt"], text)
            for kind, text in {
                "written": row["answer"],
                **empty,
                FACTS: about[row["prompt"]][number % 2],
                "other_item": after["answer"],
            }.items()
        ]
    return texts


class PlainQuality(BaseModel):
    """A judge on the questions of one part in one language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    head: str
    """The pin's prompt of who was asked, which names weights and calibration."""
    language: str
    part: str
    answers: int
    answers_above: float
    """Share of the answers whose probability is at least 0.5."""
    auc: float
    """Chance that an answer gets a higher probability than a text of `EMPTY_KINDS`; 0.5 is guessing."""
    below: dict[str, float]
    """Of each kind that answers nothing: share whose probability lies below 0.5."""


def measure_plain(judge: Judge) -> list[PlainQuality]:
    """Asks the judge about every text of every language and part, and compares.

    Args:
        judge: One that can be asked (kind `answers`) in `LANGUAGES`.

    Raises:
        ValueError: where it leaves a text unscored.
    """
    return [_measured(judge, language, part) for part in PARTS for language in LANGUAGES]


def _measured(judge: Judge, language: str, part: str) -> PlainQuality:
    texts = plain_answers(language, part)
    asked = [JudgeRequest(ANSWERS, {"prompt_1": text.prompt, "answer": text.text}, language) for text in texts]
    of_kinds: dict[str, list[float]] = {}
    for text, judgment in zip(texts, judge.judge(asked), strict=True):
        probability = answer_probability(judgment)
        if probability is None:
            raise ValueError(f"{language}, {part}: {text.text!r} was left unscored: {judgment.reason}")
        of_kinds.setdefault(text.kind, []).append(probability)
    answers = of_kinds["written"]
    area = auc(answers, [probability for kind in EMPTY_KINDS for probability in of_kinds[kind]])
    assert area is not None  # there are texts of both labels
    return PlainQuality(
        head=judge.gate_pin.prompt,
        language=language,
        part=part,
        answers=len(answers),
        answers_above=round(_share(answers, lambda probability: probability >= 0.5), 6),
        auc=round(area, 6),
        below={
            kind: round(_share(of_kinds[kind], lambda probability: probability < 0.5), 6)
            for kind in (*_SHOWN, "other_item")
        },
    )


def shipped_plain_quality() -> list[PlainQuality]:
    """The measurement that ships with the heads."""
    return PLAIN_QUALITIES.validate_json(files("research.answers").joinpath(QUALITY).read_bytes())


PLAIN_QUALITIES = TypeAdapter(list[PlainQuality])


def plain_quality_text(qualities: Sequence[PlainQuality]) -> str:
    """The measurement as a Markdown table."""
    lines = [
        f"| questions | language | answers | above 0.5 | AUC | below 0.5: {' | '.join(_SHOWN)} |",
        f"|{'---|' * (5 + len(_SHOWN))}",
    ]
    for quality in qualities:
        shares = [
            f"{share:.3f}" for share in (quality.answers_above, quality.auc, *(quality.below[kind] for kind in _SHOWN))
        ]
        lines.append(f"| {quality.part} | {quality.language} | {quality.answers} | {' | '.join(shares)} |")
    return "\n".join(lines)


def _share(probabilities: Sequence[float], holds: Callable[[float], bool]) -> float:
    return sum(map(holds, probabilities)) / len(probabilities)


def _sentences(language: str) -> Mapping[str, Sequence[str]]:
    rows = [row for row in _rows(SENTENCES) if row["language"] == language]
    return {kind: [row["sentence"] for row in rows if row["kind"] == kind] for kind in EMPTY_KINDS}


@cache
def _rows(name: str) -> tuple[dict[str, str], ...]:
    text = files("research.answers").joinpath(name).read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
