"""What the house itself enters: baselines of every board, our example systems, and the recorded answers of SmolLM2."""

from __future__ import annotations

import json
import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from evaluator.consistency.figures import RANK_MIN_LANGUAGES, RANK_MIN_QUESTIONS
from evaluator.robustness.edition_relevance import question_of
from evaluator.seeding.null_rows import NullSubmission, null_cultural, null_questions, null_submissions
from submissions.archive.events import ArchiveError
from submissions.desk import HOUSE_OWNER, Desk
from submissions.formats.eloquent.cultural_metadata import LABEL_2026
from submissions.formats.eloquent.writing import cultural_zip
from submissions.problems import SubmissionError
from submissions.promptsets import (
    DEMONSTRATION_2025,
    DEMONSTRATION_2026,
    ELOQUENT_2025,
    ELOQUENT_2026,
    demonstration_2026,
    example_submissions,
    examples_of_2025,
)
from submissions.promptsets.questions import Registered, questions_by_language
from submissions.recorded import recorded_submissions
from submissions.schema import Response
from submissions.store.queue import Role
from submissions.store.runs import RunFile
from submissions.store.store import Store, StoreError

FILE_NAME = "tide.zip"


def example_of_2026() -> bytes:
    """The zip; the same bytes each time."""
    text = files("submissions.promptsets").joinpath("examples", "2026", "tide.json").read_text(encoding="utf-8")
    written: dict[str, Any] = json.loads(text)
    metadata = {
        "team": written["team"],
        "system": written["system"],
        "model": written["model"],
        "submissionid": written["run"],
        "date": "2026",
        "label": LABEL_2026,
        "languages": sorted(written["answers"]),
        "modifications": {"notes": written["notes"]},
    }
    return cultural_zip(json.dumps(metadata).encode(), _responses(written["answers"]))


def _responses(answers: dict[str, dict[str, str]]) -> Iterator[Response]:
    prompts = {
        (item.id, variant.language): variant.prompt or ""
        for item in demonstration_2026().items
        for variant in item.variants
    }
    for language, rows in answers.items():
        for item_id, answer in rows.items():
            question, _, variant = item_id.partition("-")
            prompt = prompts[item_id, language]
            yield Response(
                item_id=item_id,
                base_id=question,
                kind="specific" if variant else "unspecific",
                variant=int(variant or 1),
                language=language,
                prompt=prompt,
                turns=((prompt, answer),),
                response=answer,
            )


logger = logging.getLogger(__name__)

DEMONSTRATION_NULL_LANGUAGES = ("de", "en")
"""Of the baselines on our questions of 2025: as many as a rank needs. Each question has its value, whatever languages a
run is in."""
_RUNS: tuple[Role, ...] = ("entry", "example", "recorded")
LOOK_S = 2.0
"""How often is looked whether a run was scored that baselines are to stand beside."""


class House:
    """Enters what a board needs before anyone comes, and beside what has come; nothing is entered twice.

    Only the page server has a house, however many workers there are; a second one would find what the first entered.
    """

    def __init__(self, desk: Desk, store: Store) -> None:
        self._desk = desk
        self._store = store
        self._marker: int | None = None
        self._read: set[str] = set()
        """Files whose questions are known, by their SHA-256."""
        self._refused: set[str] = set()
        """Baselines that cannot be entered."""
        self._beside: set[str] = set()
        """Demonstration sets whose baselines are entered."""
        self._asked: defaultdict[str, dict[str, str]] = defaultdict(dict)
        """Language -> question id -> question, as files of 2025 state them."""

    def open(self, *, demonstration: bool, recorded: bool = False) -> None:
        """Queues what a board needs before anyone comes.

        Baselines go to every prompt set whose prompts are at hand, those of 2025 and of our own questions in the form
        of 2025 and 2026 where runs have come.
        Submissions that were scored without prompts are judged again once the prompts are here, those of 2025 and 2026
        also once others are (their stored verdicts and vectors cost nothing).
        """
        if recorded:
            # First, so that the lab soon has something to open with.
            for file_name, data in recorded_submissions():
                self._desk.submit(data, file_name, owner=HOUSE_OWNER, role="recorded")
        sets = self._desk.prompt_sets
        for prompt_set in (sets.eloquent_2024, sets.demonstration):
            # Of hidden prompts those rows that know none of them.
            if prompt_set.has_prompts or prompt_set.is_hidden:
                self._enter(null_submissions(prompt_set))
        self._enter(null_questions(self._questions_asked()))
        self._enter(null_cultural(sets.eloquent_2026))
        if demonstration:
            for file_name, data in (*example_submissions(), *examples_of_2025(), (FILE_NAME, example_of_2026())):
                self._desk.submit(data, file_name, owner=HOUSE_OWNER, role="example")
        self._judge_again_with_prompts()

    def keep(self, stopped: threading.Event, *, demonstration: bool, recorded: bool = False) -> None:
        """Opens the boards, and looks after them until stopped."""
        is_open, said = False, ""
        while True:
            try:
                if is_open:
                    self.look()
                else:
                    self.open(demonstration=demonstration, recorded=recorded)
                is_open, said = True, ""
            except (OSError, SQLAlchemyError, StoreError, ArchiveError) as error:
                # The disk is full, the database restarts: the pages go on, and so does this when it has passed.
                fault = f"{type(error).__name__}: {error}".splitlines()[0]
                if fault != said:
                    logger.error("baselines could not be entered, trying again: %s", fault)
                said = fault
            if stopped.wait(LOOK_S):
                return

    def look(self) -> None:
        """Enters the baselines of languages in which 2025 runs were scored since, and those of our own questions.

        A language that has them keeps them until the next start, also those that failed: their files are not written
        anew with every question that somebody adds.
        """
        marker = self._store.change_marker()
        if marker == self._marker:
            return
        entered = {file.file_name for file in self._store.files_of_set(ELOQUENT_2025, "baseline")} | self._refused
        asked = self._questions_asked()
        lacking = {language: asked[language] for language in asked if not _null_files(language) <= entered}
        self._enter(tuple(null for null in null_questions(lacking) if null.file_name not in entered))
        self._stand_beside_demonstrations()
        self._marker = marker

    def _stand_beside_demonstrations(self) -> None:
        """Enters the baselines of our own questions of 2025 and 2026 once a run on them is scored."""
        sets = self._desk.prompt_sets
        ours = questions_by_language(sets.demonstration_2025)
        asked = {language: ours[language] for language in DEMONSTRATION_NULL_LANGUAGES}
        nulls: tuple[tuple[str, Callable[[], tuple[NullSubmission, ...]]], ...] = (
            (DEMONSTRATION_2025, lambda: null_questions(asked)),
            (DEMONSTRATION_2026, lambda: null_cultural(sets.demonstration_2026)),
        )
        for set_id, made in nulls:
            has_run = any(self._store.files_of_set(set_id, role, scored=True) for role in _RUNS)
            if has_run and set_id not in self._beside:
                self._enter(made())
                self._beside.add(set_id)

    def _enter(self, nulls: tuple[NullSubmission, ...]) -> None:
        for null in nulls:
            try:
                self._desk.submit(null.data, null.file_name, owner=HOUSE_OWNER, names=null.names, role="baseline")
            except SubmissionError as refused:
                # What is echoed is what teams say was asked: it may be longer than an answer may be.
                logger.error("the baseline %s cannot be entered: %s", null.file_name, refused)
                self._refused.add(null.file_name)

    def _questions_asked(self) -> dict[str, Mapping[str, str]]:
        """Language -> question id -> question, in the languages of scored 2025 files of teams.

        The registered ones; where none are, as the files state them, the newest first: a question that the baselines
        have keeps its words, so that they keep their bytes. Nothing where fewer languages or questions are known than
        the guards need.
        """
        scored = self._store.files_of_set(ELOQUENT_2025, "entry", scored=True)
        if any(file.file_sha256 not in self._read for file in scored):
            for file in (*self._store.files_of_set(ELOQUENT_2025, "baseline"), *scored):
                self._read_questions(file)
        registered = questions_by_language(self._desk.prompt_sets.eloquent_2025)
        known: Registered = registered or self._asked
        asked = {language: known.get(language, {}) for language in self._asked}
        enough = {language: questions for language, questions in asked.items() if len(questions) >= RANK_MIN_QUESTIONS}
        return enough if len(enough) >= RANK_MIN_LANGUAGES else {}

    def _read_questions(self, file: RunFile) -> None:
        if file.file_sha256 in self._read:
            return
        report = self._desk.check(self._store.payload(file.file_sha256), file.file_name, names=file.names)
        for response in report.submission.responses() if report.submission else ():
            if question := question_of(response):
                self._asked[response.language].setdefault(response.item_id, question)
        self._read.add(file.file_sha256)

    def _judge_again_with_prompts(self) -> None:
        every = self._desk.whole_prompt_sets.every
        at_hand = {entry.set_id: entry.sha256 for entry in every if entry.has_prompts}
        for ticket, payload in self._store.results():
            if ticket.set_id not in at_hand:
                continue
            known = json.loads(payload)["prompt_set"]["sha256"]
            if known is None:
                self._store.requeue(ticket.id, "judged again: the official prompts are at hand now")
            elif ticket.set_id in _CHANGED and known != at_hand[ticket.set_id]:
                self._store.requeue(ticket.id, f"judged again: {_CHANGED[ticket.set_id]} now")


_CHANGED = {
    ELOQUENT_2025: "other questions of 2025 are registered",
    ELOQUENT_2026: "other prompts of 2026 are installed",
    DEMONSTRATION_2025: "other demonstration questions are shipped",
    DEMONSTRATION_2026: "other demonstration questions are shipped",
}
"""Sets that an organiser may exchange or complete -> what is said of a run that was held against other texts."""


def _null_files(language: str) -> set[str]:
    """Names of the baselines of 2025 in a language, which its questions do not change."""
    return {null.file_name for null in null_questions({language: {}})}
