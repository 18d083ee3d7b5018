"""One run of the Personalization board down to its answers: the list of examples, and one example's texts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import TypedDict

from evaluator.personalization import OUTCOMES
from evaluator.personalization.judging import MAX_JUDGED_CHARACTERS
from evaluator.results import PersonalizationResult, PersonalizedOutcomes
from leaderboard.boards.personalization.sentences import answer_sentence
from leaderboard.parts.card_values import JudgeCardValue
from submissions.check import check_submission
from submissions.formats.file_kind import HEAD_BYTES
from submissions.formats.personalization.reader import PersonalizedReading, are_personalized_lines
from submissions.formats.personalization.submission import FOLLOW_THRESHOLD, PersonalizedRow, Setting
from submissions.promptsets import PromptSets
from submissions.schema import Names

NOT_JUDGED = "n/a"

OUTCOME_WORDS: dict[str, str] = {
    "robust": "robust",
    "breakage": "breakage",
    "alignment_failure": "alignment failure",
    "breakage_and_alignment_failure": "breakage and alignment failure",
    "recovered": "recovered",
    "never_right": "never right",
    "not_known": "not known",
}

RULE_WORDS: dict[str | None, str] = {
    None: "open question",
    "statement": "stated in the text",
    "leading": "the text begins with it",
    "option_text": "named by its text",
    "judge": "read by the judge",
    "empty": "empty answer",
    "unfinished_thinking": "thoughts never end",
    "no_rule": "no option found",
    "conflict": "names several options",
    "not_an_option": "names no option there is",
}


@dataclass(frozen=True, slots=True)
class ExampleRow:
    """One answer of one run."""

    id: str
    """Its row of the file."""
    example: str
    dataset: str
    method: str
    outcome: str
    gold: str | None
    control_letter: str | None
    letter: str | None
    rule: str
    rating: float | None
    unchanged: str
    fallback: str
    remark: str
    tier: int = 0

    @property
    def style(self) -> str:
        """Lost answers stand out."""
        return "worst-row" if self.outcome.startswith("breakage") else ""


def example_rows(
    outcomes: PersonalizedOutcomes, *, method: str, setting: Setting, datasets: Sequence[str], outcome: str
) -> list[ExampleRow]:
    """The answers of one method (blank = all) in one setting, of one outcome (blank = all), in file order."""
    places = _places(outcomes, method=method, setting=setting, datasets=datasets)
    return [_example_row(outcomes, place) for place in places if outcome in ("", outcomes.outcome[place])]


def outcome_counts(
    outcomes: PersonalizedOutcomes, *, method: str, setting: Setting, datasets: Sequence[str]
) -> dict[str, int]:
    """How often each outcome occurs there, in their order; those that do not are left out."""
    places = _places(outcomes, method=method, setting=setting, datasets=datasets)
    counts = Counter(outcomes.outcome[place] for place in places)
    return {name: counts[name] for name in OUTCOMES if counts[name]}


def _places(outcomes: PersonalizedOutcomes, *, method: str, setting: Setting, datasets: Sequence[str]) -> Iterator[int]:
    return (
        place
        for place in range(len(outcomes.row))
        if outcomes.setting[place] == setting
        and method in ("", outcomes.method[place])
        and outcomes.dataset[place] in datasets
    )


def _example_row(outcomes: PersonalizedOutcomes, place: int) -> ExampleRow:
    return ExampleRow(
        id=str(outcomes.row[place]),
        example=outcomes.example[place],
        dataset=outcomes.dataset[place],
        method=outcomes.method[place],
        outcome=OUTCOME_WORDS[outcomes.outcome[place]],
        gold=outcomes.gold[place],
        control_letter=outcomes.control_letter[place],
        letter=outcomes.letter[place],
        rule=RULE_WORDS.get(outcomes.rule[place], outcomes.rule[place] or ""),
        rating=outcomes.rating[place],
        unchanged=_yes_or_no(outcomes.unchanged[place]),
        fallback=_yes_or_no(outcomes.fallback[place]),
        remark=_remark(outcomes, place),
    )


def _yes_or_no(flag: bool | None) -> str:
    return {True: "yes", False: "no", None: ""}[flag]


def _remark(outcomes: PersonalizedOutcomes, place: int) -> str:
    remarks = ["the judge gave no readable rating"] if outcomes.unparsable[place] else []
    if outcomes.cut[place]:
        remarks.append(f"the judge saw the first {MAX_JUDGED_CHARACTERS:,} characters only")
    return "; ".join(remarks)


# --- one example -----------------------------------------------------------------------------------------------------


class PreferenceValue(TypedDict):
    """One preference as it was shown."""

    text: str
    is_relevant: bool


class TextValue(TypedDict):
    """One text of an example."""

    title: str
    text: str
    marks: list[str]
    """What was found about it, in words."""


class FactValue(TypedDict):
    """One line about the example."""

    name: str
    text: str


class ExampleValue(TypedDict):
    """One example of one run, ready for the page; every string is shown as text."""

    title: str
    context: str
    sentence: str
    """What became of it; above everything else."""
    question: str
    options: list[str]
    preferences: list[PreferenceValue]
    texts: list[TextValue]
    facts: list[FactValue]
    cards: list[JudgeCardValue]


def stored_row(
    data: bytes, file_name: str, names: Names, prompt_sets: PromptSets, outcomes: PersonalizedOutcomes, row: int
) -> PersonalizedRow | None:
    """One row of a stored file, read by the reader of the desk from a small file that holds its example alone.

    So no more than one example's texts need memory, however long the file is. None where the file has no such row.
    """
    if row not in outcomes.row:
        return None
    place = outcomes.row.index(row)
    example = (outcomes.dataset[place], outcomes.example[place])
    rows = [
        outcomes.row[other]
        for other in range(len(outcomes.row))
        if (outcomes.dataset[other], outcomes.example[other]) == example
    ]
    small = _lines_of(data, rows) if are_personalized_lines(data[:HEAD_BYTES]) else _document_of(data, rows)
    report = check_submission(small, file_name, names=names, prompt_sets=prompt_sets)
    reading = report.of(PersonalizedReading)
    kept = reading.submission.rows if reading and reading.submission else ()
    return kept[rows.index(row)] if len(kept) == len(rows) else None


def _lines_of(data: bytes, rows: Sequence[int]) -> bytes:
    """The first line and those of some rows; blank lines are none."""
    lines = (line for line in data.split(b"\n") if line.strip(b" \t\r\xef\xbb\xbf"))
    first = next(lines)
    wanted = set(rows)
    return b"\n".join([first, *(line for number, line in enumerate(lines) if number in wanted), b""])


def _document_of(data: bytes, rows: Sequence[int]) -> bytes:
    document = json.loads(data.decode("utf-8-sig"))
    return json.dumps(document | {"rows": [document["rows"][row] for row in rows]}).encode()


def example_value(
    result: PersonalizationResult, row: int, answer: PersonalizedRow, card: JudgeCardValue
) -> ExampleValue:
    """Everything the page shows about one answer."""
    outcomes = result.outcomes
    place = outcomes.row.index(row)
    return {
        "title": f"Example {answer.example_id}",
        "context": f"{answer.dataset}, {answer.method}, {OUTCOME_WORDS[outcomes.outcome[place]]}",
        "sentence": answer_sentence(outcomes, place),
        "question": answer.question,
        "options": [f"{letter}. {option}" for letter, option in zip(ascii_uppercase, answer.options, strict=False)],
        "preferences": [
            {"text": text, "is_relevant": number == answer.relevant_index}
            for number, text in enumerate(answer.preferences)
        ],
        "texts": _texts(outcomes, place, answer),
        "facts": _facts(result, place, answer),
        "cards": [card] if outcomes.rating[place] is not None or outcomes.unparsable[place] else [],
    }


def _texts(outcomes: PersonalizedOutcomes, place: int, answer: PersonalizedRow) -> list[TextValue]:
    control: TextValue = {
        "title": "Control: without preferences",
        "text": answer.response_without_preference or "",
        "marks": _letter_marks(
            outcomes.control_letter[place], outcomes.control_rule[place], outcomes.gold[place], outcomes.c0[place]
        ),
    }
    if answer.is_control:
        return [control]
    texts = [control]
    if answer.draft is not None and answer.draft != answer.response_without_preference:
        texts.append({"title": "Draft: stage 1", "text": answer.draft, "marks": []})
    marks = _letter_marks(outcomes.letter[place], outcomes.rule[place], outcomes.gold[place], outcomes.c1[place])
    if outcomes.unchanged[place]:
        marks.append("unchanged")
    if outcomes.fallback[place]:
        marks.append("aligner failed; draft kept")
    if answer.finish_reason == "length":
        marks.append("truncated")
    texts.append({"title": "Answer: with preferences", "text": answer.final, "marks": marks})
    if answer.thoughts:
        texts.append({"title": "Thoughts of stage 2", "text": answer.thoughts, "marks": []})
    if outcomes.fallback[place] and answer.aligner_raw:
        texts.append({"title": "Reply of stage 2 as it came", "text": answer.aligner_raw, "marks": []})
    return texts


def _letter_marks(letter: str | None, rule: str | None, gold: str | None, is_right: bool | None) -> list[str]:
    word = RULE_WORDS.get(rule, rule or "")
    said = f"letter {letter}, {word}" if letter else word
    return [said, {True: "right", False: "wrong", None: "right or wrong is not known"}[is_right]]


def _facts(result: PersonalizationResult, place: int, answer: PersonalizedRow) -> list[FactValue]:
    outcomes = result.outcomes
    facts = {
        "Right option": outcomes.gold[place] or "not stated",
        "Followed": _followed_words(result, place),
        "Reported by the team": "" if answer.followed_rating is None else f"{answer.followed_rating:g} of 5",
        "Label probabilities": _distribution_words(outcomes, place),
        "Outcome": OUTCOME_WORDS[outcomes.outcome[place]],
        "Note": _remark(outcomes, place),
    }
    return [{"name": name, "text": text} for name, text in facts.items() if text]


def _followed_words(result: PersonalizationResult, place: int) -> str:
    outcomes = result.outcomes
    if outcomes.unparsable[place]:
        return "unreadable: counts as not followed"
    rating = outcomes.rating[place]
    if rating is None:
        return NOT_JUDGED if result.judge_reason is None else f"{NOT_JUDGED}: {result.judge_reason}"
    reached = "followed" if rating >= FOLLOW_THRESHOLD else "not followed"
    return f"{rating:.2f} of 5, {reached} (threshold {FOLLOW_THRESHOLD})"


def _distribution_words(outcomes: PersonalizedOutcomes, place: int) -> str:
    distribution, mass = outcomes.distribution[place], outcomes.label_mass[place]
    if distribution is None:
        return ""
    shares = ", ".join(f"{label}: {share:.2f}" for label, share in enumerate(distribution, start=1))
    return shares if mass is None else f"{shares}; on labels {mass:.2f}"
