"""What the pages need from the rest of the program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.judges.protocol import Judgment
from evaluator.judges.recorded import judgment_from_json
from evaluator.lab.serving import LabService
from submissions.desk import ANONYMOUS_OWNER, LOCAL_OWNER, Desk
from submissions.schema import PromptSet
from submissions.settings import Settings
from submissions.store import Store


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a page calls; made once by app.py."""

    store: Store
    desk: Desk
    settings: Settings
    lab: LabService | None = None
    """None where no page offers the Preference lab."""

    @property
    def owner(self) -> str:
        """Whom a submission from the page belongs to."""
        return ANONYMOUS_OWNER if self.settings.space_id else LOCAL_OWNER

    @property
    def visitors_may_end_runs(self) -> bool:
        """May the page cancel and withdraw? Not where strangers cannot be told apart."""
        return not self.settings.space_id

    def judgments(self, keys: Sequence[str]) -> dict[str, Judgment]:
        """The stored verdicts of those keys that are known."""
        return {key: judgment_from_json(text) for key, text in self.store.load_verdicts(keys).items()}

    def sets(self) -> dict[str, PromptSet]:
        """Prompt sets with a board, by id, in the order they are offered."""
        known = self.desk.prompt_sets
        offered = (known.eloquent_2024, known.demonstration)
        return {prompt_set.set_id: prompt_set for prompt_set in offered}

    def set_titles(self) -> dict[str, str]:
        """What people call the prompt sets, by id."""
        return {set_id: prompt_set.title for set_id, prompt_set in self.sets().items()}
