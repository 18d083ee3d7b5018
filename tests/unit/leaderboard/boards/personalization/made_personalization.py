"""Files of personalized answers in our own words, and their results by a judge that reads its rating off the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from evaluator.judges.protocol import Judge, JudgeRequest
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.personalization.evaluate import evaluate_personalization
from evaluator.results import PersonalizationResult
from submissions.check import check_submission
from submissions.formats.personalization.submission import SET_ID, PersonalizedSubmission
from submissions.promptsets import PromptSets
from submissions.questionsets.option_order import option_order_hash
from submissions.store.queue import Role
from submissions.store.store import Store
from tests.readings import personalized

Row = dict[str, Any]

OPTIONS = ["red", "blue"]
PREFERENCE = "I like short answers."
OTHER = "I travel by night train."
NAMES = {"team": "Aurora", "system": "Steady", "model": "own model", "run": "1"}
MOMENT = datetime(2026, 11, 1, tzinfo=UTC).timestamp()


def row(example: str, setting: str, method: str, preferences: list[str], relevant: int | None, **more: Any) -> Row:
    """One row with what every row needs; its right answer is A."""
    return {
        "example_id": example,
        "dataset": "ours",
        "setting": setting,
        "method": method,
        "question": f"Which colour has flag {example}?",
        "options": OPTIONS,
        "option_order_hash": option_order_hash(OPTIONS),
        "gold": "A",
        "preferences": preferences,
        "relevant_index": relevant,
        **more,
    }


def control(example: str, text: str, **more: Any) -> Row:
    """A row without preferences."""
    return row(example, "none", "no_preference", [], None, response_without_preference=text, **more)


def answered(example: str, text: str, *, method: str = "naive", preference: str = PREFERENCE, **more: Any) -> Row:
    """An answer under one relevant preference."""
    return row(example, "relevant", method, [preference], 0, response_with_preference=text, **more)


def saying(is_right: bool, rating: int | str | None = None) -> str:
    """An answer that names the right or the wrong option, and the rating the scripted judge gives it."""
    said = f"The answer is {'A' if is_right else 'B'}."
    return said if rating is None else f"{said} Style {rating}."


def document(rows: Iterable[Row], **names: str) -> bytes:
    """A file."""
    return json.dumps({"kind": "personalized_answers", **NAMES, **names, "rows": list(rows)}).encode()


def read(data: bytes) -> PersonalizedSubmission:
    """The file as the desk reads it; it must be accepted."""
    report = check_submission(data, "made.json", prompt_sets=PromptSets.load(None))
    return personalized(report)


def stated_rating(request: JudgeRequest) -> float | None:
    """The digit after "Style" in the answer; None where there is none."""
    found = re.search(r"Style (\d)", request.fields["answer"])
    return float(found[1]) if found else None


def rating_judge(**scripts: Any) -> ScriptedJudge:
    """A judge that gives every answer the rating it states."""
    return ScriptedJudge(**{"followed": stated_rating, "letter": lambda request: "0", **scripts})


def scored(data: bytes, judge: Judge | None = None) -> PersonalizationResult:
    """The result of a file."""
    return evaluate_personalization(read(data), RecordedJudge(judge or rating_judge(), MemoryVerdicts()))


def pairs(outcomes: Sequence[tuple[bool, bool, int | str]], **more: Any) -> list[Row]:
    """A control and an answer under one relevant preference for each (right without, right with, rating)."""
    rows: list[Row] = []
    for number, (without, with_preference, rating) in enumerate(outcomes, start=1):
        rows += [
            control(f"q{number}", saying(without)),
            answered(f"q{number}", saying(with_preference, rating), **more),
        ]
    return rows


WORKED_EXAMPLE: tuple[tuple[bool, bool, int | str], ...] = (
    (True, True, 5),
    (True, True, 2),
    (True, False, 4),
    (True, False, "?"),
    (True, True, 3),
    (False, True, 4),
    (False, False, 1),
    (False, True, 1),
)
"""The table of docs/personalization.md: right without, right with, rating."""


def put_into(store: Store, data: bytes, result: PersonalizationResult | None = None, *, role: Role = "entry") -> str:
    """Stores a scored file as a worker would; returns its ticket."""
    submission = read(data)
    ticket_id = submission.file_sha256[:12]
    store.add(
        ticket_id=ticket_id,
        owner="local",
        role=role,
        edition="",
        set_id=SET_ID,
        names=submission.names,
        file_name="made.json",
        data=data,
        received_at=MOMENT,
    )
    store.restore_result(ticket_id, (result or scored(data)).model_dump_json(), MOMENT)
    return ticket_id


def large_file(
    *,
    lost: int,
    ignored: int,
    aligner_lost: int | None = None,
    repeats: bool = False,
    datasets: Sequence[str] = ("ours",),
    size: int = 60,
    **names: str,
) -> bytes:
    """A file with `size` questions per data set, all right without preferences.

    Args:
        lost: Answers of the plain prompt that turn wrong, the first ones.
        ignored: Answers of the plain prompt that do not follow the preference, the last ones.
        aligner_lost: The same as `lost` for rows of Pref-Aligner, which follow every preference; None = no such rows.
        repeats: Whether every control is run again; every twentieth second run is wrong.
        datasets: What the questions belong to.
    """
    rows: list[Row] = []
    for dataset in datasets:
        for number in range(size):
            example, of = f"q{number}", {"dataset": dataset}
            preference = (PREFERENCE, "Write like a pirate.", "Name a fruit.")[number % 3]
            rating = 1 if number >= size - ignored else 5
            rows.append(control(example, saying(True), **of))
            if repeats:
                rows.append(control(example, saying(number % 20 != 0), repeat=2, **of))
            rows.append(answered(example, saying(number >= lost, rating), **of, preference=preference))
            rows.append(
                row(
                    example,
                    "irrelevant",
                    "naive",
                    [OTHER],
                    None,
                    response_with_preference=saying(number >= lost // 2),
                    **of,
                )
            )
            if aligner_lost is not None:
                text = saying(number >= aligner_lost, 5)
                rows.append(
                    answered(
                        example,
                        text,
                        method="pref_aligner",
                        draft=saying(True),
                        aligner_raw=json.dumps({"response": text, "thoughts": "Kept the option."}),
                        thoughts="Kept the option.",
                        **of,
                        preference=preference,
                    )
                )
    return document(rows, **names)
