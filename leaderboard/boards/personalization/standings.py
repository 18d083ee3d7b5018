"""Standings of a system among methods of personalization, for its card."""

from __future__ import annotations

from collections.abc import Iterator, Set

from leaderboard.boards.personalization.cache import PersonalizationBoards, dataset_label
from leaderboard.boards.personalization.rows import pooled_name, row_id
from leaderboard.boards.personalization.state import PersonalizationState
from leaderboard.page.links import address_of
from leaderboard.page.registered import Standing
from leaderboard.parts.columns import text_of


def personalization_standings(boards: PersonalizationBoards, tickets: Set[str]) -> Iterator[Standing]:
    """The rows of these tickets, under every setting."""
    for run in boards.runs():
        for group in run.result.groups if run.ticket.id in tickets else ():
            if group.setting == "none":  # controls: no preferences, no robustness error
                continue
            dataset = pooled_name(group.datasets) if len(group.datasets) > 1 else group.dataset
            row = boards.board(group.setting, dataset).row(row_id(run.ticket.id, group.method))
            if row is not None:
                yield Standing(
                    f"Personalization, {dataset_label(dataset)}, {group.setting}",
                    group.method,
                    f"robustness error {text_of(group.metrics['robustness_error'], 'percent')}",
                    text_of(row.rank, "rank"),
                    address_of(PersonalizationState(setting=group.setting, dataset=dataset, answers=row.id)),
                )
