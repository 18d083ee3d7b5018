"""Values that the Recommenders page shows of its state; no components, so that it is tested without a browser."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter

from evaluator.behavior_alignment import turn_label
from evaluator.behavior_alignment.comparison import dialogue_means, paired_difference
from evaluator.behavior_alignment.published import DIALOGUES
from evaluator.behavior_alignment.result import BehaviorResult
from leaderboard.boards.behavior_alignment.cache import BehaviorBoards, DialogueCollection
from leaderboard.boards.behavior_alignment.charts import TURN_CHARTS
from leaderboard.boards.behavior_alignment.dialogues import DialogueValue, dialogue_value, stored_dialogue
from leaderboard.boards.behavior_alignment.figures import figures_table
from leaderboard.boards.behavior_alignment.kind import BEHAVIOR
from leaderboard.boards.behavior_alignment.methods import EXAMPLE_TURNS, Labels
from leaderboard.boards.behavior_alignment.published import PUBLICATION, printed_table, published_rows
from leaderboard.boards.behavior_alignment.rows import (
    BASES,
    REFERENCE,
    REFERENCE_REMARKS,
    Basis,
    BehaviorRow,
    ScoredRecommender,
)
from leaderboard.boards.behavior_alignment.sentences import pace_sentence, strategy_sentence
from leaderboard.boards.behavior_alignment.state import BehaviorState
from leaderboard.boards.behavior_alignment.strategy_words import strategy_words
from leaderboard.boards.behavior_alignment.turns import DIALOGUE_COLUMNS, dialogue_places, dialogue_rows
from leaderboard.page.board_charts import BoardCharts
from leaderboard.page.board_table import BoardTable
from leaderboard.page.links import address_of, ignored
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.page.state import PageState, QueueState, chosen
from leaderboard.parts.chart import ChartRow, ChartSheet, ChartsValue, ChartTable, Head
from leaderboard.parts.manifests import result_manifest
from leaderboard.parts.notices import NoticeValue, answers_words, notice, run_head, sent_by
from leaderboard.parts.published import awaiting_notice, published_figures, published_notice
from leaderboard.parts.tables import TableValue, table_value
from leaderboard.parts.verdict_words import planned_words, verdict_words

TURN_LABEL_RULE = "turn label: last labelled sentence"

HOW_TO_SUBMIT = (
    "Let your recommender answer every turn of human dialogues, each from the human's own context, and write one JSON "
    "file with both answers of every turn and, where you have them, the strategies of both sides. Without strategies "
    "the alignment is estimated from the texts."
)

NO_CHOICE = "choose a system"
_UNITS = ("dialogue", "dialogues")


class BehaviorScreen:
    """Page state -> values of the page's components."""

    @classmethod
    def of(cls, tools: BoardTools) -> BehaviorScreen:
        """Of the site that the tools are of."""
        return cls(tools.services, tools.shared(BehaviorBoards.of))

    def __init__(self, services: Services, boards: BehaviorBoards) -> None:
        self._services = services
        self._boards = boards
        # The turns of one system may be many: the systems last looked at are kept.
        self._result = lru_cache(maxsize=4)(self._loaded)
        self.board = BoardTable(
            BehaviorState,
            all_rows=self._rows,
            caption=self._caption,
            empty=lambda state: "Awaiting first submission.",
            about=self._about,
            completed=self.completed,
            item_opened=self._dialogue_opened,
        )
        self.board_charts = BoardCharts(self.board, boards.stamp)

    # Choices

    def collection_ids(self) -> tuple[str, ...]:
        """Collections a link may name."""
        return tuple(collection.id for collection in self._boards.collections())

    def collection_choices(self) -> list[tuple[str, str]]:
        """Collections one can choose: title, id."""
        return [(collection.title, collection.id) for collection in self._boards.collections()]

    def basis_choices(self, state: BehaviorState) -> list[tuple[str, str]]:
        """Annotated or estimated, with how many systems are: words, id."""
        counts = self._boards.bases(self.completed(state).conversations)
        return [(f"{basis} ({counts[basis]})", basis) for basis in BASES]

    def completed(self, state: BehaviorState) -> BehaviorState:
        """The state with a collection and a basis: the first that has systems."""
        ids = self.collection_ids()
        collection = state.conversations if state.conversations in ids else next(iter(ids), "")
        if state.basis in BASES:
            return replace(state, conversations=collection)
        counts = self._boards.bases(collection)
        basis = next((basis for basis in BASES if counts[basis]), BASES[0])
        return replace(state, conversations=collection, basis=basis)

    def understood(self, state: BehaviorState) -> tuple[BehaviorState, tuple[str, ...]]:
        """The state of a link, and what of it is unknown here; an opened system brings its collection and basis."""
        opened = self._opened(state)
        if opened is not None:
            return replace(state, conversations=opened.result.collection, basis=opened.basis), ()
        asked = state.conversations
        notes = (ignored("conversations", asked),) if asked and asked not in self.collection_ids() else ()
        return self.completed(state), notes

    def _rows(self, state: BehaviorState) -> tuple[BehaviorRow, ...]:
        state = self.completed(state)
        return self._boards.rows(state.conversations, _basis(state))

    def _dialogue_opened(self, state: BehaviorState, recommender: str, dialogue: str) -> BehaviorState:
        """One dialogue of a system; all of them where it has no such dialogue."""
        opened: BehaviorState = chosen("recommender")(state, recommender)
        run = self._opened(opened)
        dialogues = list(run.dialogues) if run is not None else []
        return replace(opened, dialogue=dialogues.index(dialogue) + 1 if dialogue in dialogues else 0)

    def _collection(self, state: BehaviorState) -> DialogueCollection:
        chosen = self.completed(state).conversations
        return next(collection for collection in self._boards.collections() if collection.id == chosen)

    def is_published(self, state: BehaviorState) -> bool:
        """Is the chosen collection the one that only the paper reports on?"""
        return self._collection(state).is_published

    def printed_table(self, state: BehaviorState) -> TableValue | None:
        """What the paper prints besides its systems, below its collection; None below others."""
        return printed_table() if self.is_published(state) else None

    def _caption(self, state: BehaviorState) -> str:
        collection, basis = self._collection(state), _basis(self.completed(state))
        title = collection.title
        if collection.is_published:
            return f"{title}, as printed: turns before the first recommendation, and success"
        return f"{title}; {basis} systems; {TURN_LABEL_RULE}. 0-1 with 95% intervals, higher is better"

    def _about(self, state: BehaviorState) -> dict[str, str]:
        state = self.completed(state)
        return {"collection": state.conversations, "basis": state.basis}

    # The board

    def is_empty(self) -> bool:
        """Has nobody been scored yet?"""
        return not self._boards.latest()

    def state_notice(self, state: BehaviorState) -> NoticeValue | None:
        """Why the board says little, and what to do; None where it speaks for itself."""
        state = self.completed(state)
        if self.is_empty():
            title = self._collection(state).title
            return awaiting_notice(PUBLICATION, title, HOW_TO_SUBMIT, address_of(PageState(tab="submit")))
        if self.is_published(state):
            return published_notice(PUBLICATION, self._collection(state).title)
        rows = [row for row in self._rows(state) if not row.is_null]
        lines = self._other_basis_lines(state)
        if not any(row.rank for row in rows):
            title = "No system is ranked here; each says why in its note." if rows else f"No system is {state.basis}."
            return notice("plain", title, *lines)
        return notice("plain", *lines) if lines else None

    def _other_basis_lines(self, state: BehaviorState) -> list[str]:
        """That other systems of the collection stand apart."""
        counts = self._boards.bases(state.conversations)
        others = [basis for basis in BASES if basis != state.basis and counts[basis]]
        return [
            f"{counts[basis]} {'system is' if counts[basis] == 1 else 'systems are'} {basis} and ranked apart: choose "
            f"“{basis}” above."
            for basis in others
        ]

    def example_table(self) -> TableValue:
        """One dialogue as it is counted, for those who have not sent one yet."""
        heads: tuple[Head, ...] = (("The human", "text"), ("The system", "text"), ("Counted as", "text"))
        rows = tuple(
            ChartRow(str(number), f"Turn {number}", (_words(human), _words(system), _counted(number, human, system)))
            for number, (human, system) in enumerate(EXAMPLE_TURNS, start=1)
        )
        return ChartTable("One example", heads, rows).value("Strategies of one dialogue: 2 hits of 3 scored turns")

    # One system

    def _opened(self, state: BehaviorState) -> ScoredRecommender | None:
        return self._boards.scored(state.recommender) if state.recommender else None

    def _loaded(self, ticket_id: str, stamp: str) -> BehaviorResult | None:
        return self._boards.result(ticket_id)

    def _whole(self, ticket_id: str) -> BehaviorResult | None:
        return self._result(ticket_id, self._boards.stamp())

    def _open(self, state: BehaviorState) -> BehaviorResult | None:
        """The opened system's result turn by turn; None before its answers are public."""
        opened = self._opened(state)
        return self._whole(opened.ticket.id) if opened is not None and opened.ticket.shows_answers else None

    def has_turns(self, state: BehaviorState) -> bool:
        """Is the opened row a system, whose turns can be read?"""
        return self._opened(state) is not None

    def row_notice(self, state: BehaviorState) -> NoticeValue | None:
        """The head of the opened row, or that there is none to open."""
        if not state.recommender:
            return None
        opened = self._opened(state)
        if opened is not None:
            return _head(opened, self._row(opened))
        published = next((row for row in published_rows() if row.id == state.recommender), None)
        if published is not None:
            figures = published_figures(self.board.columns, published)
            where = f"Table 1: {DIALOGUES} dialogues of INSPIRED."
            said = pace_sentence(published.name, published.turns_before("system"), published.turns_before("human"))
            return published_notice(PUBLICATION, published.name, said, figures, where)
        name = state.recommender.removeprefix(REFERENCE)
        remark = next((words for key, words in REFERENCE_REMARKS.items() if key == name), "")
        if state.recommender.startswith(REFERENCE) and remark:
            return notice("plain", "A reference row: not a system.", f"{remark[0].upper()}{remark[1:]}.")
        return notice(
            "warning",
            "This system is not on this board.",
            "It was withdrawn or hidden, or the link is mistyped.",
        )

    def _row(self, opened: ScoredRecommender) -> BehaviorRow | None:
        """Its row; None where another run of its system stands on the board."""
        rows = self._boards.rows(opened.result.collection, opened.basis)
        return next((row for row in rows if row.id == opened.ticket.id), None)

    def figures(self, state: BehaviorState) -> TableValue | None:
        """Every figure of the opened system, the human's beside it."""
        opened = self._opened(state)
        return figures_table(opened.result) if opened else None

    def manifest(self, state: BehaviorState) -> tuple[str, str] | None:
        """Name and text of what reproduces the opened system's score; None where none is open."""
        opened = self._opened(state)
        text = self._services.store.result(opened.ticket.id) if opened else None
        if opened is None or text is None:
            return None
        body = {
            **result_manifest(opened.ticket, text),
            "command": "python -m evaluator reproduce MANIFEST FILE",
        }
        name = f"plumbline-manifest-{opened.ticket.id}.json"
        return name, json.dumps(body, ensure_ascii=False, indent=2) + "\n"

    # Another system beside it

    def against_choices(self, state: BehaviorState) -> list[tuple[str, str]]:
        """Systems the opened one can be compared with: words, ticket; none where there is no other."""
        opened = self._opened(state)
        if opened is None:
            return []
        rows = self._boards.rows(opened.result.collection, opened.basis)
        others = [row for row in rows if not row.is_null and row.id != opened.ticket.id]
        others.sort(key=attrgetter("place"))
        choices = [(_choice_words(row), row.id) for row in others]
        return [(NO_CHOICE, ""), *choices] if choices else []

    def comparison(self, state: BehaviorState) -> NoticeValue | None:
        """The opened system and another one in words; None where none is chosen."""
        opened = self._opened(state)
        if opened is None or not state.against:
            return None
        other = self._boards.scored(state.against)
        first = self._whole(opened.ticket.id)
        second = self._whole(other.ticket.id) if other else None
        if other is None or first is None or second is None or other.ticket.id == opened.ticket.id:
            return notice("warning", "These two cannot be compared.", "The second one is gone, or is the same.")
        difference = paired_difference(first, second)
        names = _two_names(opened, other)
        if difference.value is None:
            return notice("warning", "These two cannot be compared.", f"{_sentence(difference.reason)}.")
        lines = [_tally_words(first, second, names), _planned_words(first, second)]
        return notice("plain", f"{verdict_words(difference, *names, units=_UNITS)}.", *lines)

    # Its turns

    def charts_value(self, state: BehaviorState) -> ChartsValue | None:
        """The charts of the opened system; None where it has no turns to draw."""
        result = self._open(state)
        return ChartSheet(TURN_CHARTS, "behavior-").value(result, is_dark=state.is_dark) if result else None

    def dialogues_table(self, state: BehaviorState) -> TableValue | None:
        """The dialogues of the opened system."""
        result = self._open(state)
        if result is None:
            return None
        return table_value(
            dialogue_rows(result),
            DIALOGUE_COLUMNS,
            leads=("", "share"),
            caption="Dialogues, least aligned first"
            f"{'' if result.is_annotated else ' (estimated)'}; open one to read both answers of every turn",
            empty="No dialogue has two turns, so that none is scored.",
            page=state.table.page,
        )

    def dialogue(self, state: BehaviorState) -> DialogueValue | None:
        """The opened dialogue with its texts; None where none is open, or it is missing."""
        opened = self._opened(state) if state.dialogue else None
        result = self._open(state)
        if opened is None or result is None:
            return None
        ids = dict(enumerate(dialogue_places(result), start=1))
        dialogue_id = ids.get(state.dialogue)
        if dialogue_id is None:
            return None
        data = self._services.store.payload(opened.ticket.file_sha256)
        dialogue = stored_dialogue(
            data, opened.ticket.file_name, opened.ticket.names, self._services.desk.prompt_sets, dialogue_id
        )
        return dialogue_value(result, dialogue) if dialogue else None

    def dialogue_notice(self, state: BehaviorState, shown: DialogueValue | None) -> NoticeValue | None:
        """Says that the opened dialogue cannot be shown."""
        if not state.dialogue or shown is not None:
            return None
        return notice("warning", "This dialogue is missing.", "The file has no such dialogue, or it was withdrawn.")


def _basis(state: BehaviorState) -> Basis:
    return next((basis for basis in BASES if basis == state.basis), BASES[0])


def _words(labels: Labels) -> str:
    return ", ".join(map(strategy_words, labels))


def _counted(number: int, human: Labels, system: Labels) -> str:
    """What becomes of a turn of the example."""
    if number == 1:
        return "not scored"
    return "hit" if turn_label(human) == turn_label(system) else "miss"


def _head(opened: ScoredRecommender, row: BehaviorRow | None) -> NoticeValue:
    result = opened.result
    place = f"{BEHAVIOR.said_of(row)} among {opened.basis} systems" if row and row.rank else ""
    said = "; ".join(part for part in (place, row.note if row else "") if part) or "Another run of it is ranked"
    lines = [
        strategy_sentence(row) if row else "",
        f"{said[0].upper()}{said[1:]}.",
        sent_by(opened.ticket.names),
        f"{result.dialogues:,} dialogues, {result.turns:,} turns, {result.scored_turns:,} of them scored.",
        answers_words(opened.ticket),
    ]
    folded = [
        f"Collection {result.collection}.",
        f"{TURN_LABEL_RULE[0].upper()}{TURN_LABEL_RULE[1:]}.",
        f"SHA-256 of the file {opened.ticket.file_sha256}.",
    ]
    return run_head(opened.name, lines, folded, link=address_of(QueueState(ticket=opened.ticket.id)))


def _choice_words(row: BehaviorRow) -> str:
    return " · ".join(word for word in (row.name, row.team, row.place_words) if word)


def _two_names(first: ScoredRecommender, second: ScoredRecommender) -> tuple[str, str]:
    """What the two are called; their tickets tell two of one name apart."""
    if first.name != second.name:
        return first.name, second.name
    return f"{first.name} ({first.ticket.id[:8]})", f"{second.name} ({second.ticket.id[:8]})"


def _sentence(reason: str | None) -> str:
    return f"{reason[0].upper()}{reason[1:]}" if reason else ""


def _tally_words(first: BehaviorResult, second: BehaviorResult, names: tuple[str, str]) -> str:
    """On how many dialogues each is ahead."""
    differences = _differences(first, second)
    ahead, behind = (sum(sign * difference > 0 for difference in differences.values()) for sign in (1, -1))
    level = len(differences) - ahead - behind
    return f"Dialogue by dialogue: {names[0]} is ahead on {ahead}, {names[1]} on {behind}; {level} level."


def _planned_words(first: BehaviorResult, second: BehaviorResult) -> str:
    """How many dialogues would tell the two apart; of estimates nothing is predicted."""
    if not first.is_annotated:
        return "Both are estimated by one estimator: its rates are drawn alike for both."
    return planned_words(list(_differences(first, second).values()), _UNITS)


def _differences(first: BehaviorResult, second: BehaviorResult) -> Mapping[str, float]:
    first_means, second_means = dialogue_means(first), dialogue_means(second)
    return {
        dialogue: first_means[dialogue] - second_means[dialogue]
        for dialogue in first_means.keys() & second_means.keys()
    }


# What a visitor does to the page state. Values come from the browser: anything unknown changes nothing.


def compared_with(state: BehaviorState, ticket: object) -> BehaviorState:
    """Another system to stand beside the opened one; blank ends the comparison."""
    return replace(state, against=ticket) if isinstance(ticket, str) and ticket != state.recommender else state
