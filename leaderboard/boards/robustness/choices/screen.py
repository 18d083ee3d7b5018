"""What the Robustness page shows of ranks under other choices; no components, so that no test needs a browser."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from threading import Lock

from evaluator.results import HEADLINE, Figure, View
from evaluator.robustness.figures import Gate
from evaluator.statistics.rank_bands import Ranking
from leaderboard.boards.robustness.cache import Boards
from leaderboard.boards.robustness.choices.judges import labels_of
from leaderboard.boards.robustness.choices.ranks import ChoiceRanks, RankChoice, choice_ranks, choices
from leaderboard.boards.robustness.choices.values import ChoicesValue, choices_csv, choices_value
from leaderboard.boards.robustness.rows import RobustnessRow
from leaderboard.boards.robustness.screen import VIEW_LABELS, RobustnessScreen
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.page.board_table import from_first_page
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.parts.downloads import CSV, FileValue, file_value

MOST_ROWS = 200
"""Systems that are compared, the best of the board: each choice compares all of them with each other, and 200 of them
under 40 choices are as much work as 1,000 under two."""
KEPT_TABLES = 16
"""Tables kept at a time: one for each prompt set, view and judge that somebody looks at."""

COLUMN_OF: dict[Figure | Gate, str] = {"pair_mean": "raw", "pair_worst_gated": "worst"}
"""A figure that a choice ranks by -> the column of the board that shows it."""

_Key = tuple[str, View, str]
"""Prompt set, view, judge."""


class ChoicesScreen:
    """Page state -> the table of ranks under other choices, computed once per change of results."""

    @classmethod
    def of(cls, tools: BoardTools) -> ChoicesScreen:
        """Of the site that the tools are of."""
        return cls(tools.services, tools.shared(Boards.of), tools.shared(RobustnessScreen.of))

    def __init__(self, services: Services, boards: Boards, robustness: RobustnessScreen) -> None:
        self._services = services
        self._boards = boards
        self._robustness = robustness
        self._lock = Lock()
        self._tables: dict[_Key, tuple[int, ChoiceRanks]] = {}
        self._rankings: dict[_Key, defaultdict[str, Ranking]] = {}

    def value(self, state: RobustnessState) -> ChoicesValue:
        """The table: systems in the order of the board, their ranks under every choice."""
        return choices_value(self._ranks(state), self._rows(state), self._kept(state))

    def file(self, state: RobustnessState) -> FileValue:
        """The same table as CSV."""
        names = ("plumbline-robustness-choices", state.set, state.view, self._robustness.judged_by(state))
        name = "-".join(text for text in names if text)
        return file_value(f"{name}.csv", CSV, choices_csv(self._ranks(state), self._rows(state)))

    def chosen(self, state: RobustnessState, key: object) -> RobustnessState:
        """The board under one of the choices; keys come from the browser: anything unknown changes nothing."""
        choice = next((choice for choice in self._choices(state) if choice.key == key), None)
        if choice is None:
            return state
        table = state.table
        if column := COLUMN_OF.get(choice.counted):
            table = replace(table, sort=column, direction="descending")
        return from_first_page(
            replace(
                state,
                table=table,
                look="board",
                view=choice.view,
                judged_by=choice.judged_by,
                language=choice.subset.language,
                variation=choice.subset.variation,
                without=",".join(sorted(choice.subset.without)),
            ),
        )

    def _kept(self, state: RobustnessState) -> str:
        """What every choice keeps of the others, in words."""
        title = self._robustness.set_titles().get(state.set, state.set)
        judge = self._robustness.judged_by(state)
        labels = labels_of(self._boards.judges(state.set))
        return f"{title}, {VIEW_LABELS[state.view]}" + (f", ranked by {labels[judge]}" if judge else "")

    def _choices(self, state: RobustnessState) -> tuple[RankChoice, ...]:
        prompt_set = self._services.sets().get(state.set)
        if prompt_set is None:
            return ()
        judges = self._boards.judges(state.set)
        return choices(prompt_set, judges, view=state.view, judged_by=self._robustness.judged_by(state))

    def _rows(self, state: RobustnessState) -> list[RobustnessRow]:
        """The rows of the board as it is sorted, searched and filtered, of the whole set; no baselines."""
        whole = replace(state, variation="", language="", without="")
        return [row for row in self._robustness.board.rows(whole) if row.role != "baseline"]

    def _ranks(self, state: RobustnessState) -> ChoiceRanks:
        """The ranks of all systems of the board, whatever is searched; kept until results change."""
        key = (state.set, state.view, self._robustness.judged_by(state))
        with self._lock:  # whoever looks at the same table waits for it instead of making it again
            marker = self._boards.marker()
            if key not in self._tables or self._tables[key][0] != marker:
                if len(self._tables) >= KEPT_TABLES and key not in self._tables:
                    oldest = next(iter(self._tables))
                    del self._tables[oldest], self._rankings[oldest]
                rankings = self._rankings.setdefault(key, defaultdict(Ranking))
                self._tables[key] = (marker, self._computed(state, rankings))
            return self._tables[key][1]

    def _computed(self, state: RobustnessState, rankings: defaultdict[str, Ranking]) -> ChoiceRanks:
        rows = self._boards.rows(state.set, state.view, judged_by=self._robustness.judged_by(state))
        systems = sorted((row for row in rows if row.role != "baseline"), key=_place)
        compared = {row.id for row in systems[:MOST_ROWS]}
        offered = self._choices(state)
        judges = dict.fromkeys(choice.judged_by for choice in offered)
        judged = {judge: self._boards.judged(state.set, compared, judge) for judge in judges}
        # A run withdrawn in between may be missing from some judges: it leaves all of them.
        common = set.intersection(*(set(runs) for runs in judged.values())) if judged else set()
        together = {judge: {id_: runs[id_] for id_ in sorted(common)} for judge, runs in judged.items()}
        return choice_ranks(offered, together, rankings, left_out=max(0, len(systems) - MOST_ROWS))


def _place(row: RobustnessRow) -> tuple[int, float, str]:
    """The best first."""
    score = row.figures[HEADLINE].mean.value
    return (row.tier, -score if score is not None else 0.0, row.id)
