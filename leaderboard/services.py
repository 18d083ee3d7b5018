"""What the pages need from the rest of the program."""

from __future__ import annotations

from dataclasses import dataclass

from submissions.desk import Desk
from submissions.schema import PromptSet
from submissions.settings import Settings
from submissions.store import Store


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a page calls; made once by app.py."""

    store: Store
    desk: Desk
    settings: Settings

    def sets(self) -> dict[str, PromptSet]:
        """Prompt sets with a board, by id, in the order they are offered."""
        known = self.desk.prompt_sets
        offered = (known.eloquent_2024, known.demonstration)
        return {prompt_set.set_id: prompt_set for prompt_set in offered}

    def set_titles(self) -> dict[str, str]:
        """What people call the prompt sets, by id."""
        return {set_id: prompt_set.title for set_id, prompt_set in self.sets().items()}
