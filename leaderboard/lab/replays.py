"""Replay in the lab: which stored rows and examples stand side by side, and under which ids links name them.

No generator and no judge is needed: everything shown was written and judged before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from evaluator.lab.replay import ReplayEntry, ReplayExample, ReplayLibrary, ReplayRow, common_examples, replayed
from evaluator.lab.state import LabState
from leaderboard.parts.visible_text import visible
from submissions.formats.personalization.submission import NO_PREFERENCE

NOTHING_STORED = (
    "No answers are stored yet. Submit a file of personalized answers on the Submit page: once it is scored, its "
    "answers can be read here side by side."
)
NOTHING_COMMON = "These two rows have no example in common. Choose another row for one of the columns."

PREFERENCE_DIGITS = 8
"""Hexadecimal digits that tell two preference lists of one example apart."""


def row_id(ticket_id: str, method: str) -> str:
    """What links call a row of the board: one method of one submission."""
    return f"{ticket_id}.{method}"


def example_id(example: ReplayExample) -> str:
    """What links call an example under its preferences.

    >>> example_id(ReplayExample("own", "q1", "none", ()))
    'own/q1/none'
    """
    parts = [example.dataset, example.example_id, example.setting]
    if example.preferences:
        text = json.dumps(example.preferences, ensure_ascii=False)
        parts.append(hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:PREFERENCE_DIGITS])
    return "/".join(parts)


@dataclass(frozen=True, slots=True)
class ReplayChoice:
    """What a visitor asks to see; blank = whatever comes first."""

    a: str = ""
    b: str = ""
    example: str = ""


@dataclass(frozen=True, slots=True)
class ReplayView:
    """What is there to see."""

    rows: list[tuple[str, str]]
    """Label and id of every stored row."""
    examples: list[tuple[str, str]]
    """Label and id of the examples both rows have."""
    choice: ReplayChoice
    """With the blanks filled in."""
    state: LabState | None
    """The example as a finished run; None where there is none to show."""
    notes: tuple[str, ...]
    """What was asked for and is not there, and what to do."""


def replay_view(library: ReplayLibrary | None, asked: ReplayChoice) -> ReplayView:
    """Two stored rows on one example. Reads files: not for the event loop."""
    entries = library.entries() if library else ()
    by_id = {row_id(entry.ticket_id, entry.method): entry for entry in entries}
    rows = [(visible(f"{entry.system}, {entry.method}"), id_) for id_, entry in by_id.items()]
    if library is None or not by_id:
        return ReplayView([], [], ReplayChoice(), None, (NOTHING_STORED,))
    notes = [_gone(name, id_) for name, id_ in (("A", asked.a), ("B", asked.b)) if id_ and id_ not in by_id]
    a = asked.a if asked.a in by_id else _first(by_id)
    b = asked.b if asked.b in by_id else _other(a, by_id)
    first, second = library.row(by_id[a]), library.row(by_id[b])
    if first is None or second is None:
        return ReplayView(
            rows, [], ReplayChoice(a, b), None, (*notes, "One of the submissions was withdrawn meanwhile.")
        )
    return _on_examples(rows, ReplayChoice(a, b, asked.example), first, second, notes)


def _on_examples(
    rows: list[tuple[str, str]], asked: ReplayChoice, a: ReplayRow, b: ReplayRow, notes: list[str]
) -> ReplayView:
    common = {example_id(example): example for example in common_examples(a, b)}
    if not common:
        return ReplayView(rows, [], ReplayChoice(asked.a, asked.b), None, (*notes, NOTHING_COMMON))
    if asked.example and asked.example not in common:
        notes = [*notes, f"These rows have no example {visible(asked.example)[:80]} in common; the first one is shown."]
    chosen = asked.example if asked.example in common else next(iter(common))
    labels = [(_example_label(example), id_) for id_, example in common.items()]
    choice = ReplayChoice(asked.a, asked.b, chosen)
    return ReplayView(rows, labels, choice, replayed(a, b, common[chosen]), tuple(notes))


def _first(by_id: Mapping[str, ReplayEntry]) -> str:
    """The newest row that shows preferences; controls have nothing in common with any of these."""
    return next((id_ for id_, entry in by_id.items() if entry.method != NO_PREFERENCE), next(iter(by_id)))


def _other(a: str, by_id: Mapping[str, ReplayEntry]) -> str:
    """Another method of the same submission, else another submission's row, else the row itself."""
    ticket, is_control = by_id[a].ticket_id, by_id[a].method == NO_PREFERENCE
    alike = [id_ for id_, entry in by_id.items() if id_ != a and (entry.method == NO_PREFERENCE) == is_control]
    same = [id_ for id_ in alike if by_id[id_].ticket_id == ticket]
    return (same or alike or [a])[0]


def _gone(column: str, id_: str) -> str:
    return f"The row asked for in column {column} ({visible(id_)[:80]}) is not stored here; another one is shown."


def _example_label(example: ReplayExample) -> str:
    preferences = "; ".join(example.preferences)
    shown = f"{example.dataset} {example.example_id}, {example.setting}"
    return visible(f"{shown}: {preferences}"[:110] if preferences else shown)


def stepped(view: ReplayView, step: int) -> ReplayChoice:
    """The choice with the next example of the list, or the one before; it goes round."""
    ids = [id_ for _, id_ in view.examples]
    if view.choice.example not in ids:
        return view.choice
    place = (ids.index(view.choice.example) + step) % len(ids)
    return ReplayChoice(view.choice.a, view.choice.b, ids[place])
