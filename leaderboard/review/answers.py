"""The answers of a run as a table, whatever kind of file they came in: what was answered, and nothing around it.

Names, dates, notes and cards of a file are no answers: only the fields listed here are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from submissions.check import CheckReport
from submissions.formats.behavior_alignment.submission import CrsSubmission
from submissions.formats.judge_verdicts.submission import VerdictSubmission
from submissions.formats.own_task.reader import OwnTaskSubmission
from submissions.formats.personalization.submission import PersonalizedRow, PersonalizedSubmission
from submissions.formats.personalized_evaluation.submission import PairsSubmission, RatingsSubmission
from submissions.schema import Submission
from submissions.store.queue import Ticket
from submissions.verdicts.items import VERDICT_CODES

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """Answers, one a row."""

    heads: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    """In the order of the file."""
    left_out: str = ""
    """What of the file stands in no row, in words; blank where nothing of its answers is missing."""


def answer_table(report: CheckReport, judge_name: Callable[[str], str]) -> AnswerTable | None:
    """The answers of one file.

    Args:
        report: Of a check that kept the rows.
        judge_name: What a judge of a table of verdicts is called here: such a table is about judges, and their names
            are those of the systems.

    Returns:
        None where the file cannot be read any more.
    """
    # Where a kind may be taken in without its rows, they stand beside what is taken in.
    match getattr(report.reading, "submission", None) or report.entry:
        case Submission() as sent:
            return AnswerTable(
                ("Item", "Variant", "Language", "Prompt", "Answer"),
                [(row.item_id, row.variant, row.language, row.prompt, row.response) for row in sent.responses()],
            )
        case PersonalizedSubmission(rows=rows):
            return AnswerTable(_PERSONALIZED, list(map(_personalized, rows)))
        case RatingsSubmission(items=ratings):
            return AnswerTable(
                ("Item", "Reader", "Text", "Rating by the reader", "Predicted rating", "As the model wrote it"),
                [(item.id, item.reviewer, item.text, item.gold, item.score, item.response) for item in ratings],
            )
        case PairsSubmission(items=pairs):
            return AnswerTable(
                _CHOICES,
                [
                    (
                        *(item.id, item.reviewer, item.aspect, item.text_a, item.text_b, item.gold),
                        *(item.choice, item.response, item.choice_swapped, item.response_swapped),
                    )
                    for item in pairs
                ],
            )
        case CrsSubmission(dialogues=dialogues):
            return AnswerTable(
                ("Dialogue", "Turn", "Before it", "Person's answer", "System's answer"),
                [
                    (
                        *(dialogue.dialogue_id, turn.number),
                        "\n".join(f"{said.role}: {said.text}" for said in turn.context),
                        *(turn.human.text, turn.system.text),
                    )
                    for dialogue in dialogues
                    for turn in dialogue.turns
                ],
            )
        case VerdictSubmission() as table:
            return AnswerTable(_VERDICTS, list(_verdicts(table, judge_name)))
        case OwnTaskSubmission(predictions=predictions, files=files):
            said = f"{len(files):,} files that only the program of the task reads" if files else ""
            return AnswerTable(
                ("Item", "Prediction"), [(item, _cell(answer)) for item, answer in predictions.items()], said
            )
    return None


def named_in(answers: AnswerTable, ticket: Ticket) -> dict[str, int]:
    """Names of a run that stand in its answers -> in how many, whatever their case; those in none are left out.

    Args:
        ticket: As the whole store has it.
    """
    names = ticket.names
    stated = {name for name in (names.team, names.system, names.model, names.run, ticket.owner_name) if name}
    texts = [" ".join(cell for cell in row if isinstance(cell, str)).casefold() for row in answers.rows]
    counts = {name: sum(name.casefold() in text for text in texts) for name in sorted(stated)}
    return {name: count for name, count in counts.items() if count}


_PERSONALIZED = (
    *("Example", "Data set", "Setting", "Method", "Repetition", "Question", "Options", "Preferences"),
    *("Answer without preferences", "Answer with preferences", "Draft"),
)
_CHOICES = (
    *("Item", "Reader", "Aspect", "Text A", "Text B", "Choice of the reader"),
    *("Predicted choice", "As the model wrote it", "Predicted in the other order", "As the model wrote that"),
)
_VERDICTS = ("Benchmark", "Judge", "Task", "Model", "Query", "Repetition", "First order", "Other order")


def _personalized(row: PersonalizedRow) -> Sequence[Cell]:
    return (
        *(row.example_id, row.dataset, row.setting, row.method, row.repeat, row.question),
        *("\n".join(row.options), "\n".join(row.preferences)),
        *(row.response_without_preference, row.response_with_preference, row.draft),
    )


def _verdicts(sent: VerdictSubmission, judge_name: Callable[[str], str]) -> Iterable[Sequence[Cell]]:
    letters = {code: letter for letter, code in VERDICT_CODES.items()}
    for benchmark, table in sent.tables.items():
        for place in range(len(table)):
            yield (
                *(benchmark, judge_name(table.judge.cell(place))),
                *(column.cell(place) for column in (table.task, table.model, table.query)),
                int(table.repetition[place]),
                *(letters[int(codes[place])] for codes in (table.original, table.swapped)),
            )


def _cell(answer: object) -> Cell:
    return answer if isinstance(answer, (str, int, float)) or answer is None else str(answer)
