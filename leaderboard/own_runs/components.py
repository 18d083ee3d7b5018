"""The table of an account's runs."""

from __future__ import annotations

from leaderboard.assets import asset, template
from leaderboard.parts.components import TemplateComponent


class OwnRunsView(TemplateComponent):
    """An account's runs with their versions (`screen.OwnRunsValue`); None shows nothing.

    Events: `report` and `paper` with {ticket}: the report of that run is asked for, as a file or to print; `choose`
    with {ticket, choice}: it is to be the run that is ranked, or the latest one again.
    """

    IS_LARGE = True
    TEMPLATE = template("own_runs_view")
    SCRIPT = asset("own_runs.js")
