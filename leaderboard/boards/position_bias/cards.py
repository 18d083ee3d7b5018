"""The card of a judge on its own board."""

from __future__ import annotations

from evaluator.judge_quality.human_check import HumanCheck
from evaluator.judge_quality.measurement import JudgeQuality
from leaderboard.boards.position_bias.columns import JUDGES_COLUMNS
from leaderboard.boards.position_bias.rows import JudgeRow
from leaderboard.page.benchmarks import BoardKey
from leaderboard.page.judge_card import (
    canary_facts,
    fact,
    people_facts,
    quality_facts,
    quality_panels,
    stated,
    without_quality,
)
from leaderboard.page.judge_effects import detectable_words
from leaderboard.page.language_quality import PIN
from leaderboard.page.people_agreement import people_notes, people_panels, people_quality_facts
from leaderboard.parts.card_values import CardFactValue, JudgeCardValue
from leaderboard.parts.columns import Column
from leaderboard.parts.tables import column_of


def card_of_row(
    row: JudgeRow,
    key: BoardKey,
    quality: JudgeQuality | None = None,
    people: HumanCheck | None = None,
    canary: str = "",
) -> JudgeCardValue:
    """The card of a judge on the Judges board.

    Args:
        quality: its own measurement, where there is one.
        people: what people say of its verdicts, where they can: it runs here.
        canary: what its canaries say; blank = it has none.
    """
    card = row.card
    named = {"Model": card.model_id, "Revision": card.revision, "Decoding": row.decoding}
    pin = [card.revision and f"revision {card.revision}", row.template and f"template {row.template}"]
    return {
        "title": row.name,
        "context": f"on {key.title}",
        "facts": stated(
            [
                *(fact(name, text or "") for name, text in named.items()),
                *position_facts(row),
                *([*people_quality_facts(quality.people), *quality_facts(quality)] if quality else ()),
                *people_facts(people),
                *canary_facts(canary),
                fact("Pin", ", ".join(part for part in pin if part), PIN),
            ]
        ),
        "notes": [
            *([f"{row.note[:1].upper()}{row.note[1:]}"] if row.note else []),
            *without_quality(quality, None if row.is_null else row.name),
            *people_notes(quality.people if quality else None),
        ],
        "quality": [
            *people_panels(quality.people if quality else None, is_open=True),
            *quality_panels(quality, is_open=True),
        ],
    }


def position_facts(row: JudgeRow) -> list[CardFactValue]:
    """PC, PF, RS and error rate of a judge, as its row states them."""
    keys = ["position_consistency", "preference_fairness", "repetition_stability", "error_rate"]
    if not row.effects:
        return [_column_fact(column_of(JUDGES_COLUMNS, key), row) for key in keys]
    keys += ["place_effect", "length_effect", "family_effect", "biases"]
    *facts, found = (_column_fact(column_of(JUDGES_COLUMNS, key), row) for key in keys)
    return [*facts, found | {"text": f"{found['text']}; {detectable_words(row.effects)}"}]


def _column_fact(column: Column[JudgeRow], row: JudgeRow) -> CardFactValue:
    is_faint = column.is_faint is not None and column.is_faint(row)
    return {"name": column.label, "text": column.text(row), "tooltip": column.tooltip, "is_faint": is_faint}
