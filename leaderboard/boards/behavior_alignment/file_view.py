"""The desk's words on a file of recommender answers before it is submitted."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.behavior_alignment import COPIED, MAX_COPIED_SHARE, MIN_RANKED_DIALOGUES, answer_label
from evaluator.behavior_alignment.implicit import last_sentence
from evaluator.behavior_alignment.response_texts import copied_share
from leaderboard.boards.behavior_alignment.strategy_words import strategy_words
from leaderboard.parts.columns import Column
from leaderboard.parts.file_previews import FileView, Preview, cut
from leaderboard.parts.tables import TableValue, table_value
from submissions.formats.behavior_alignment.reader import CrsReading
from submissions.formats.behavior_alignment.submission import Answer, CrsCoverage, CrsSubmission, TurnLabel
from submissions.formats.preview import FIRST_ROWS

PREVIEW_HEADS = ["Dialogue", "Turn", "The human, as read", "The system, as read", "Strategies (human / system)"]


def read_words(held: CrsCoverage) -> str:
    """What a file was read as, in a sentence.

    >>> read_words(CrsCoverage(2, 5, 3, 2, "56e9f1441973297f"))
    'Read as recommender answers: 2 dialogues, 5 turns, 2 of 3 scored turns annotated; collection 56e9f1441973297f'
    """
    return (
        f"Read as recommender answers: {held.n_dialogues:,} dialogues, {held.n_turns:,} turns, "
        f"{held.n_annotated_turns:,} of {held.n_scored_turns:,} scored turns annotated; collection {held.collection}"
    )


def preview_facts(submission: CrsSubmission, held: CrsCoverage) -> dict[str, str]:
    """What would be scored of a file."""
    scored = sum(bool(dialogue.scored_turns) for dialogue in submission.dialogues)
    return {
        "Dialogues": f"{held.n_dialogues:,}, of which {scored:,} have two turns or more; a rank needs "
        f"{MIN_RANKED_DIALOGUES}",
        "Turns": f"{held.n_turns:,}, of which {held.n_scored_turns:,} are scored (all but the first of a dialogue)",
        "Strategies": _strategies_words(held),
        "Collection": f"{held.collection}: systems that answer the very same human dialogues are compared",
        "Work": f"no judgements: up to {_sentences(submission):,} sentences are read by the estimator",
    }


def _strategies_words(held: CrsCoverage) -> str:
    annotated, scored = held.n_annotated_turns, held.n_scored_turns
    if scored and annotated == scored:
        return "annotated on both sides of every scored turn: the row is ranked among annotated systems"
    return (
        f"{annotated:,} of {scored:,} scored turns are annotated on both sides: the row is ranked among estimated "
        "systems"
    )


def _sentences(submission: CrsSubmission) -> int:
    answers = (
        side for dialogue in submission.dialogues for turn in dialogue.turns for side in (turn.human, turn.system)
    )
    return len({last_sentence(answer) for answer in answers} - {""})


def preview_flags(submission: CrsSubmission) -> list[str]:
    """What would keep it off the ranks although it is in order."""
    scored = [turn for dialogue in submission.dialogues for turn in dialogue.scored_turns]
    copied = copied_share((turn.system.text, turn.human.text) for turn in scored)
    if copied is None or copied <= MAX_COPIED_SHARE:
        return []
    return [f"{copied:.0%} of the longer answers hold the human's words whole or nearly ({COPIED}): not ranked"]


def preview_rows(submission: CrsSubmission, most: int) -> list[list[str]]:
    """The first turns as they were read."""
    turns = ((dialogue.dialogue_id, turn) for dialogue in submission.dialogues for turn in dialogue.turns)
    return [
        [
            dialogue_id,
            str(turn.number),
            turn.human.text,
            turn.system.text or "(nothing said)",
            f"{_label_words(turn.human)} / {_label_words(turn.system)}",
        ]
        for (dialogue_id, turn), _ in zip(turns, range(most), strict=False)
    ]


def _label_words(answer: Answer) -> str:
    label = answer_label(answer)
    return strategy_words(label) if label else "not annotated"


# --- what the file holds ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StrategyRow:
    """One turn label, with how often either side has it."""

    id: str
    human: int
    system: int
    style: str = ""
    tier: int = 0


STRATEGY_COLUMNS: tuple[Column[StrategyRow], ...] = (
    Column(
        "strategy",
        "Turn label",
        "text",
        lambda row: strategy_words(row.id),
        "The strategy of the last labelled sentence of a turn.",
        is_name=True,
        sortable=False,
    ),
    Column("human", "The human", "whole", lambda row: row.human, "Scored turns of the human.", sortable=False),
    Column("system", "The system", "whole", lambda row: row.system, "Scored turns of the system.", sortable=False),
)


def strategies_table(submission: CrsSubmission) -> TableValue:
    """How often each turn label stands on either side of the scored turns, those of the human first."""
    counts: dict[TurnLabel | None, list[int]] = {}
    for dialogue in submission.dialogues:
        for turn in dialogue.scored_turns:
            for place, answer in enumerate((turn.human, turn.system)):
                counts.setdefault(answer_label(answer), [0, 0])[place] += 1
    rows = [StrategyRow(label or "not annotated", human, system) for label, (human, system) in counts.items()]
    rows.sort(key=lambda row: (-row.human, -row.system, row.id))
    return table_value(
        rows, STRATEGY_COLUMNS, caption="Strategies of the scored turns", empty="No turn is scored.", opens=False
    )


def _read_as(reading: CrsReading) -> str:
    return read_words(reading.coverage) if reading.coverage else ""


def _preview(reading: CrsReading) -> Preview | None:
    submission, held = reading.submission, reading.coverage
    if submission is None or held is None:
        return None
    rows = [[cut(cell) for cell in row] for row in preview_rows(submission, FIRST_ROWS)]
    return Preview(preview_facts(submission, held), PREVIEW_HEADS, rows, preview_flags(submission))


def _held(reading: CrsReading) -> TableValue | None:
    return strategies_table(reading.submission) if reading.submission else None


RECOMMENDER_VIEW = FileView(CrsReading, _read_as, _preview, _held)
