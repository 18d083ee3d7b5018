"""Files of predicted ratings and choices in our own words, and their results as a worker would store them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from evaluator.judges.protocol import JudgeRequest, Judgment
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.personalized_evaluation.evaluate import evaluate_personalized_evaluation
from evaluator.personalized_evaluation.result import PersonalizedEvaluationResult
from submissions.check import check_submission
from submissions.formats.personalized_evaluation.submission import ASPECTS, SET_ID, AnyPerseSubmission
from submissions.promptsets import PromptSets
from submissions.store.queue import Role
from submissions.store.store import Store
from tests.readings import predictions

Document = dict[str, Any]

NAMES = {"team": "Aurora", "system": "Close reader", "model": "own/model", "run": "1", "dataset": "our stories"}
MOMENT = datetime(2026, 11, 1, tzinfo=UTC).timestamp()
TASTES = (
    (2, 4, 6, 8),
    (3, 5, 9, 7),
    (1, 2, 4, 3),
    (8, 10, 6, 9),
    (5, 4, 3, 7),
    (7, 9, 10, 8),
)
"""What each of six readers gave four new texts."""
ERRORS = (0.2, -0.4, 0.1, 0.3, -0.2, 0.5)
"""How far a good evaluator is off, in turn."""


def profile(taste: Sequence[float], k: int) -> list[Document]:
    """k earlier reviews of a reader, around this reader's mean."""
    mean = sum(taste) / len(taste)
    return [
        {"text": f"Earlier story {n}.", "review": f"Words {n}.", "score": max(1, round(mean) - n)} for n in range(k)
    ]


def ratings(
    error: float = 1.0,
    *,
    k: int = 1,
    missing: Iterable[int] = (),
    changes: dict[int, Document] | None = None,
    **names: Any,
) -> Document:
    """A run on 24 items of six readers; `error` scales how far it is off, `missing` items have no answer."""
    items: list[Document] = []
    for reader, taste in enumerate(TASTES):
        for text, gold in enumerate(taste):
            number = len(items)
            score = min(10.0, max(1.0, gold + error * ERRORS[(number * 5 + reader) % len(ERRORS)]))
            items.append(
                {
                    "id": f"r{reader}t{text}",
                    "reviewer": f"reader {reader}",
                    "profile": profile(taste, k),
                    "text": f"New story {text}.",
                    "gold": gold,
                    "score": None if number in set(missing) else score,
                    **(changes or {}).get(number, {}),
                }
            )
    return {"kind": "personalized_ratings", **NAMES, **names, "k": k, "items": items}


def choices(wrong: Iterable[int] = (), *, flipped: Iterable[int] = (), k: int = 1, **names: Any) -> Document:
    """A run on 30 items: six readers, one comparison, five aspects; readers choose A in even ones.

    Item 5 * reader + aspect is predicted right unless it is `wrong`, and follows its place where it is `flipped`.
    """
    items: list[Document] = []
    for reader in range(6):
        for place, aspect in enumerate(ASPECTS):
            number = 5 * reader + place
            gold = "A" if number % 2 == 0 else "B"
            choice = {"A": "B", "B": "A"}[gold] if number in set(wrong) else gold
            swapped = {"A": "B", "B": "A"}[choice] if number in set(flipped) else choice
            items.append(
                {
                    "id": f"p{number}",
                    "reviewer": f"reader {reader}",
                    "comparison": "one",
                    "aspect": aspect,
                    "profile": [{"text_a": "Old a.", "text_b": "Old b.", "choice": "A"}] * k,
                    "text_a": "New story a.",
                    "text_b": "New story b.",
                    "gold": gold,
                    "choice": choice,
                    "choice_swapped": swapped,
                }
            )
    return {"kind": "personalized_pairs", **NAMES, **names, "k": k, "items": items}


def unanswered(document: Document) -> Document:
    """The same file with every answer null, for a local judge."""
    answers = dict.fromkeys(("choice", "choice_swapped") if document["kind"] == "personalized_pairs" else ("score",))
    return document | {"items": [item | answers for item in document["items"]]}


class LabelJudge(ScriptedJudge):
    """Gives 7 six tenths and 6 three tenths of its probability, and prefers the plot shown first; one tenth is lost."""

    def __init__(self) -> None:
        super().__init__(profile_rating=lambda request: 6.7, profile_choice=lambda request: "A")

    def _judgment(self, request: JudgeRequest) -> Judgment:
        labels = {"7": 0.6, "6": 0.3} if request.rubric.is_rating else {"A": 0.6, "B": 0.3}
        distribution = tuple(labels.get(label, 0.0) for label in request.rubric.labels)
        rating = (7 * 0.6 + 6 * 0.3) / 0.9 if request.rubric.is_rating else None
        verdict = None if request.rubric.is_rating else "A"
        return Judgment(rating, distribution=distribution, label_mass=0.9, verdict=verdict)


def encoded(document: Document) -> bytes:
    return json.dumps(document).encode()


def read(data: bytes) -> AnyPerseSubmission:
    """The file as the desk reads it; it must be accepted."""
    report = check_submission(data, "made.json", prompt_sets=PromptSets.load(None))
    return predictions(report)


def scored(document: Document, judge: ScriptedJudge | None = None) -> PersonalizedEvaluationResult:
    """The result of a file."""
    return _scored(encoded(document), type(judge or ScriptedJudge()))


@lru_cache
def _scored(data: bytes, judge: type[ScriptedJudge]) -> PersonalizedEvaluationResult:
    """Once for equal files: 2,000 draws take a moment."""
    return evaluate_personalized_evaluation(read(data), RecordedJudge(judge(), MemoryVerdicts()))


def put_into(
    store: Store, document: Document, judge: ScriptedJudge | None = None, *, role: Role = "entry", later_s: float = 0.0
) -> str:
    """Stores a scored file as a worker would; returns its ticket."""
    data = encoded(document)
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
        received_at=MOMENT + later_s,
    )
    store.restore_result(ticket_id, scored(document, judge).model_dump_json(), MOMENT + later_s)
    return ticket_id
