"""Files of recommender answers in our own words, and their results without a sentence encoder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from evaluator.behavior_alignment.evaluate import evaluate_behavior
from evaluator.behavior_alignment.result import BehaviorResult
from submissions.check import check_submission
from submissions.formats.behavior_alignment.submission import SET_ID, CrsSubmission, TurnLabel
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.store.queue import Role
from submissions.store.store import Store
from tests.readings import recommender

SETS = PromptSets.load(None)
NAMES = {"team": "Aurora", "system": "Asks first", "model": "own model", "run": "greedy"}
MOMENT = datetime(2026, 11, 1, tzinfo=UTC).timestamp()

SAID: dict[str, tuple[str, str]] = {
    "opinion_inquiry": ("What do you like to read on a train?", "Which kind of novel do you enjoy?"),
    "experience_inquiry": ("Have you read Harbour Lights?", "Did you ever finish a crime novel?"),
    "credibility": ("It won two prizes in the spring.", "The critics praised its author at once."),
    "encouragement": ("Do give it a try!", "You should really read it tonight."),
}
"""Strategy -> what the human says, and what a system says, with it."""
HUMAN: tuple[TurnLabel, ...] = ("opinion_inquiry", "experience_inquiry", "credibility", "encouragement")
"""The human's strategies of every dialogue, turn by turn."""
WRONG: tuple[TurnLabel, ...] = ("encouragement", "encouragement", "encouragement", "credibility")
"""A system's that equal the human's at no scored turn."""


def dialogue(name: str, system: Sequence[TurnLabel], *, labels: bool = True, copies: bool = False) -> dict[str, Any]:
    """A dialogue of four turns that a system answers with these strategies.

    Args:
        labels: Whether both sides are annotated.
        copies: Whether the system says the human's words.
    """
    turns: list[dict[str, Any]] = []
    said: list[dict[str, str]] = []
    for number, (mine, theirs) in enumerate(zip(HUMAN, system, strict=True), start=1):
        human = f"About {name}, {SAID[mine][0][0].lower()}{SAID[mine][0][1:]}"
        turns.append(
            {
                "turn": number,
                "context": list(said),
                "human_response": human,
                "system_response": human if copies else SAID[theirs][1],
                "human_recommends": number == 3,
                "system_recommends": theirs == "encouragement",
                **({"human_strategy": mine, "system_strategy": theirs} if labels else {}),
            }
        )
        said += [{"role": "recommender", "text": human}, {"role": "seeker", "text": f"Well, says {name} at {number}."}]
    return {"dialogue_id": name, "turns": turns, "human_success": True, "system_success": False}


def document(dialogues: Sequence[dict[str, Any]], **names: str) -> bytes:
    """A file of these dialogues."""
    return json.dumps({"kind": "crs_responses", **NAMES, **names, "dialogues": list(dialogues)}).encode()


def file_of(hits: int, *, size: int = 24, labels: bool = True, copies: bool = False, **names: str) -> bytes:
    """A file of `size` dialogues of four turns; the last three are scored.

    Args:
        hits: Dialogues in which the system has the human's strategy at every turn, the first ones; in the others it
            encourages at every turn but the last, where it gives credentials, so that none is a hit.
        labels: Whether both sides are annotated.
        copies: Whether the system says the human's words.
    """
    dialogues = [
        dialogue(f"d{number:02}", HUMAN if number < hits else WRONG, labels=labels, copies=copies)
        for number in range(size)
    ]
    return document(dialogues, **names)


def read(data: bytes, names: Names = Names()) -> CrsSubmission:
    """A file as the desk reads it."""
    report = check_submission(data, "made.json", names=names, prompt_sets=SETS)
    return recommender(report)


def scored(data: bytes) -> BehaviorResult:
    """The result of a file by the estimator on terms alone."""
    return evaluate_behavior(read(data), None)


def put_into(
    store: Store,
    data: bytes,
    result: BehaviorResult | None = None,
    *,
    role: Role = "entry",
    received_at: float = MOMENT,
) -> str:
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
        received_at=received_at,
    )
    store.restore_result(ticket_id, (result or scored(data)).model_dump_json(), received_at)
    return ticket_id
