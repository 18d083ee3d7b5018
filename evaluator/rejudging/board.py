"""Every stored submission by another judge: listed, asked, scored.

What the judge says is stored as it comes, under its verdict keys: whoever is killed goes on where it stopped. A row
stands on its board as it is until its result by the new judge takes its place, in one transaction.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from evaluator.judges.kind import Scorer
from evaluator.judges.protocol import Judge
from evaluator.judges.recorded import judgment_to_json
from evaluator.rejudging.open_questions import NotingJudge, OpenQuestions, ReadOnly
from evaluator.statistics.version import STATISTICS_VERSION, stated_version
from evaluator.task import CannotBeJudged, Reference
from evaluator.values import Result
from evaluator.worker.scoring import score_stored
from submissions.archive.record import Archive
from submissions.promptsets import PromptSets
from submissions.store.content import stored_for
from submissions.store.queue import REQUESTS_PER_BATCH, JobStatus, Ticket
from submissions.store.store import Store
from submissions.store.verdict_keys import verdict_keys

logger = logging.getLogger(__name__)

OPERATOR = "operator"
PANEL_BOARD = "robustness"
"""The one board whose results hold what several judges say."""
GATED_BOARDS = ("robustness", "consistency", "cultural")
"""Boards on which a pair of answers counts as far as both answer."""

Ask = Callable[[Judge, OpenQuestions], Iterator[dict[str, str]]]
"""Asks a judge all of it; yields verdicts (JSON by key) as they come. Raises what a judge raises."""

Told = Callable[[int], None]
"""Hears how many more are done."""


@dataclass(frozen=True, slots=True)
class RejudgedBoard:
    """A scored submission and the result that stands."""

    ticket: Ticket
    result: str


@dataclass(slots=True)
class Summary:
    """What became of the submissions."""

    judged_anew: int = 0
    as_before: int = 0
    """The judge has no part in their result, or it is the same."""
    already: int = 0
    """By this judge before."""
    changed_meanwhile: int = 0
    """Withdrawn, or judged by somebody else, while this went on."""
    refused: dict[str, str] = field(default_factory=dict)
    """Ticket -> why this judge can never score it; its former result stands."""


def ask_here(judge: Judge, questions: OpenQuestions) -> Iterator[dict[str, str]]:
    """In batches, as a worker does; the judge may be behind a server or on a Ray cluster."""
    for batch in questions.batches(REQUESTS_PER_BATCH * judge.width):
        judgments = judge.judge(list(batch.values()))
        yield {key: judgment_to_json(judgment) for key, judgment in zip(batch, judgments, strict=True)}


class Rejudging:
    """Judges what is scored by another judge.

    Args:
        archive: Where results are recorded at once; None on a machine without the data folder, where the page server
            records them.
        scorer: The judge with its embedding model.
        panel: Further judges.
        reason: Why, for the public log.
    """

    def __init__(
        self,
        store: Store,
        archive: Archive | None,
        prompt_sets: PromptSets,
        scorer: Scorer,
        panel: Sequence[Judge] = (),
        *,
        references: Mapping[str, Reference] | None = None,
        reason: str,
    ) -> None:
        self._store = store
        self._archive = archive
        self._prompt_sets = prompt_sets
        self._scorer = scorer
        self._panel = panel
        self._references = references
        self._reason = reason
        self.summary = Summary()

    @property
    def judges(self) -> list[Judge]:
        """Whoever may be asked, each pin once."""
        return list({pin_text(judge): judge for judge in self._every_judge()}.values())

    def standing(self, boards: Collection[str]) -> Iterator[RejudgedBoard]:
        """Scored submissions to those boards in which these judges have no part yet, or of earlier statistics."""
        for ticket in reversed(self._store.tickets()):
            result = self._store.result(ticket.id)
            if ticket.status is not JobStatus.SCORED or result is None:
                continue
            board, pins, gate = _judged_by(result)
            if board not in boards:
                continue
            is_current = stated_version(json.loads(result)) == STATISTICS_VERSION
            if not pins and gate is None and is_current:
                self.summary.as_before += 1
            elif (
                pins in (frozenset(), self._pins_for(board, ticket.set_id))
                and gate in (None, self._gate(ticket))
                and is_current
            ):
                self.summary.already += 1
            else:
                yield RejudgedBoard(ticket, result)

    def list_open(self, standing: Sequence[RejudgedBoard], folder: Path, told: Told) -> dict[str, OpenQuestions]:
        """What the judges have not said yet of these submissions: JSON of a pin -> questions."""
        open_questions: dict[str, OpenQuestions] = {}
        for number, judge in enumerate(self.judges):
            of_judge = folder / str(number)
            of_judge.mkdir()
            open_questions[pin_text(judge)] = OpenQuestions(of_judge)
        for board in standing:
            with suppress(CannotBeJudged):  # said when it is scored
                noting = partial(_noting, open_questions, board.ticket.id)
                self._scored(board.ticket, noting, True)
            told(1)
        for questions in open_questions.values():
            questions.close()
        return open_questions

    def ask(self, ask: Ask, open_questions: Mapping[str, OpenQuestions], told: Told) -> int:
        """Has every judge answer what is open; returns how many verdicts were stored."""
        stored = 0
        for judge in self.judges:
            questions = open_questions[pin_text(judge)]
            if questions:
                for verdicts in ask(judge, questions):
                    for ticket_id, of_ticket in questions.by_submission(verdicts).items():
                        with stored_for(ticket_id):
                            stored += self._store.save_verdicts(of_ticket)
                    told(len(verdicts))
        return stored

    def score(self, standing: Sequence[RejudgedBoard], told: Told) -> None:
        """Makes every result of what is stored and puts it in the place of the former one."""
        for board in standing:
            self._put(board)
            told(1)

    def _put(self, board: RejudgedBoard) -> None:
        try:
            result = self._scored(board.ticket, lambda judge: judge, False)
        except CannotBeJudged as reason:
            self.summary.refused[board.ticket.id] = str(reason)
            return
        made = result.model_dump_json()
        versions = [stated_version(json.loads(text)) for text in (made, board.result)]
        if _judged_by(made) == _judged_by(board.result) and versions[0] == versions[1]:
            self.summary.as_before += 1
        else:
            self._replace(board, made)

    def _replace(self, board: RejudgedBoard, made: str) -> None:
        judged = len(verdict_keys(made))
        act = self._store.replace_result(
            board.ticket.id, made, former=board.result, judged=judged, actor=OPERATOR, reason=self._reason
        )
        if act is None:
            self.summary.changed_meanwhile += 1
            return
        self.summary.judged_anew += 1
        if self._archive is not None:
            self._archive.record_act(act)
            self._archive.record_result(board.ticket.id, made, act.at.timestamp())

    def _scored(self, ticket: Ticket, stand_in: Callable[[Judge], Judge], is_listed: bool) -> Result:
        scorer = self._scorer.of_set(ticket.set_id)
        return score_stored(
            ticket,
            self._store,
            replace(scorer, judge=stand_in(scorer.judge)),
            [stand_in(judge) for judge in self._panel],
            prompt_sets=self._prompt_sets,
            references=self._references,
            verdicts=ReadOnly(self._store) if is_listed else None,
        )

    def _every_judge(self) -> tuple[Judge, ...]:
        return (*(scorer.judge for scorer in self._scorer.every), *self._panel)

    def _pins_for(self, board: str, set_id: str) -> frozenset[str]:
        judges = (self._scorer.of_set(set_id).judge, *(self._panel if board == PANEL_BOARD else ()))
        return frozenset(pin_text(judge) for judge in judges)

    def _gate(self, ticket: Ticket) -> str:
        judge = self._scorer.of_set(ticket.set_id).judge
        return _pin_text(judge.gate_pin.model_dump(mode="json") if "answers" in judge.kinds else None)


def _noting(questions: Mapping[str, OpenQuestions], ticket_id: str, judge: Judge) -> Judge:
    return NotingJudge(judge, questions[pin_text(judge)], ticket_id)


def pin_text(judge: Judge) -> str:
    """The pin of a judge as text, by which judges are told apart."""
    return _pin_text(judge.pin.model_dump(mode="json"))


def _pin_text(pin: Mapping[str, Any] | None) -> str:
    return json.dumps(pin, sort_keys=True, ensure_ascii=False)


def _judged_by(result: str) -> tuple[str, frozenset[str], str | None]:
    """The board of a result, the pins (JSON) of the judges it rests on, and that of who said which texts answer.

    No pins where no judge has a part in it; None of a board that has no answer gate.
    """
    told = json.loads(result)
    members = (told.get("panel") or {}).get("members", ())
    pins = [told.get("judge"), *(member["judge"] for member in members)]
    # Results from before there was a gate do not name it.
    gate = _pin_text(told.get("gate")) if told["board"] in GATED_BOARDS else None
    return told["board"], frozenset(_pin_text(pin) for pin in pins if pin is not None), gate
