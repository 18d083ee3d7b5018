"""Ask a judge which of your own texts answer their prompts: JSON lines in, one line out per text, in order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice

from evaluator.judge_quality.json_rows import json_object, read_rows, row_problems
from evaluator.judges.answers.verdict import answer_probability
from evaluator.judges.prompts import ANSWERS
from evaluator.judges.protocol import Judge, JudgeRequest, Judgment, UnsuitableJudge, reads_language

DEFAULT_LANGUAGE = "en"
_ANSWERS_AT_ONCE = 256
"""Texts per call of a judge: results appear while a long file is still being judged."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A prompt and a text that may answer it."""

    id: str | int
    prompt: str
    answer: str
    language: str = DEFAULT_LANGUAGE
    """Of the prompt, as prompt sets call it."""


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """What a judge made of a text."""

    id: str | int
    answers: float | None
    """Probability 0-1 that the text answers its prompt; None where it could not be said."""
    reason: str | None
    """Why it could not."""


def score_answers_command(lines: Iterable[str], judges: Sequence[Judge]) -> Iterator[str]:
    """`python -m evaluator score-answers`: JSON lines `{id, prompt, answer, language?}` to lines of `ScoredAnswer`.

    Every line is checked before the first text is judged. Other keys are ignored, blank lines skipped.

    Raises:
        RowFileError: with all bad lines, by number; nothing has been scored then (the command exits with 2).
        UnsuitableJudge: when none of the judges can be asked.
    """
    answers = read_rows(lines, _answer)
    asked = [judge for judge in judges if "answers" in judge.kinds]
    if not asked:
        raise UnsuitableJudge(f"the judge {judges[0].pin.name} cannot be asked whether a text answers its prompt")
    return (json.dumps(asdict(scored), ensure_ascii=False) for scored in score_answers(answers, asked))


def score_answers(answers: Iterable[Answer], judges: Sequence[Judge]) -> Iterator[ScoredAnswer]:
    """Each text judged, in order of the input, by the first judge whose gate reads its language.

    Args:
        answers: Texts with their prompts.
        judges: Ones that can be asked (kind `answers`), the preferred one first.
    """
    remaining = iter(answers)
    while batch := list(islice(remaining, _ANSWERS_AT_ONCE)):
        answered: dict[int, ScoredAnswer] = {
            place: ScoredAnswer(answer.id, None, "the prompt is blank")
            for place, answer in enumerate(batch)
            if not answer.prompt.strip()
        }
        places: dict[int, list[int]] = {}
        for place, answer in enumerate(batch):
            if place not in answered:
                places.setdefault(_reader(answer.language, judges), []).append(place)
        for number, some in places.items():
            judgments = judges[number].judge([_request(batch[place]) for place in some])
            answered |= {
                place: _scored(batch[place], judgment) for place, judgment in zip(some, judgments, strict=True)
            }
        yield from (answered[place] for place in range(len(batch)))


def _reader(language: str, judges: Sequence[Judge]) -> int:
    """The place of the first judge that reads a language; where none does, the last one says so."""
    reading = (number for number, judge in enumerate(judges) if reads_language(judge.gate_pin, language))
    return next(reading, len(judges) - 1)


def _request(answer: Answer) -> JudgeRequest:
    return JudgeRequest(ANSWERS, {"prompt_1": answer.prompt, "answer": answer.answer}, answer.language)


def _scored(answer: Answer, judgment: Judgment) -> ScoredAnswer:
    probability = answer_probability(judgment)
    reason = (judgment.reason or "the judge gave no usable label") if probability is None else None
    return ScoredAnswer(answer.id, probability, reason)


def _answer(line: str) -> Answer:
    """One line as a text with its prompt; raises ValueError saying all that is wrong with it."""
    row = json_object(line, noun="an answer", keys="id, prompt and answer")
    if problems := row_problems(row, ("prompt", "answer"), ("language",)):
        raise ValueError("; ".join(problems))
    return Answer(row["id"], row["prompt"], row["answer"], row.get("language") or DEFAULT_LANGUAGE)
