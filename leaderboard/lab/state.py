"""State of the lab."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.lab.links import is_lab_parameter
from leaderboard.page.state import PageState


@dataclass(frozen=True, slots=True)
class LabState(PageState):
    """What the lab shows, as a link."""

    tab: str = "lab"
    lab: str = ""
    """Link to what it shows (`lab.links`); blank = as on a first visit."""

    @property
    def written_link(self) -> str:
        """The link that the lab writes."""
        return self.lab

    @classmethod
    def reads_itself(cls, name: str) -> bool:
        """What the lab is asked for."""
        return is_lab_parameter(name)
