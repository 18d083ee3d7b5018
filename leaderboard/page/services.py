"""Services of the rest of the program to the pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluator.judges.protocol import Judgment
from evaluator.judges.recorded import judgment_from_json
from evaluator.lab.serving import LabService
from leaderboard.page.file_checks import FileChecks
from leaderboard.page.identity import LOCAL, Identity
from submissions.desk import Desk
from submissions.schema import PromptSet
from submissions.settings import Settings
from submissions.store.queue import Ticket
from submissions.store.store import Store


@dataclass(frozen=True)
class Services:
    """Everything a page calls; made once by app.py."""

    store: Store
    desk: Desk
    settings: Settings
    lab: LabService | None = None
    """None where no page offers the lab."""
    identity: Identity = LOCAL
    """How it is known who is asking."""

    def __post_init__(self) -> None:
        if self.settings.space_id and not self.identity.is_public:
            raise ValueError("on a Space nobody is the local owner: make the identity with Identity.of(settings)")

    @cached_property
    def checks(self) -> FileChecks:
        """Of the files that visitors send; whoever uses it closes it."""
        return FileChecks(self.desk.checking_prompt_sets, self.settings)

    def judgments(self, ticket: Ticket, keys: Sequence[str]) -> dict[str, Judgment]:
        """The stored verdicts on a run's answers, by key; none before the answers are public, which judges quote."""
        if not ticket.shows_answers:
            return {}
        return {key: judgment_from_json(text) for key, text in self.store.shown_verdicts(keys).items()}

    def sets(self) -> dict[str, PromptSet]:
        """Prompt sets with a board, by id, in the order they are offered."""
        known = self.desk.prompt_sets
        offered = (known.eloquent_2024, known.demonstration)
        return {prompt_set.set_id: prompt_set for prompt_set in offered}

    def set_titles(self) -> dict[str, str]:
        """What people call the prompt sets, by id."""
        return {set_id: prompt_set.title for set_id, prompt_set in self.sets().items()}
