"""The terms that a visitor's account has still to accept, and the box that accepts them; on Submit, until then."""

from __future__ import annotations

from typing import Any, TypedDict

import gradio as gr

from leaderboard.assets import template
from leaderboard.page.identity import Visitor, current_request
from leaderboard.page.region import Arrival
from leaderboard.page.services import Services
from leaderboard.page.state import PageState
from leaderboard.parts.components import TemplateComponent
from submissions.seasons.terms import Terms


class TermsValue(TypedDict):
    """One text; every string is shown as text."""

    title: str
    version: str
    text: str
    link: str


class AskedTermsValue(TypedDict):
    """What is asked for on Submit."""

    terms: list[TermsValue]


class AskedTermsView(TemplateComponent):
    """The texts (`AskedTermsValue`); None shows nothing."""

    TEMPLATE = template("asked_terms_view")


class TermsBox:
    """The texts and the box below them; nothing is made where no terms are stated.

    Args:
        services: Of the page; made within its blocks.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self.view = AskedTermsView(elem_id="asked-terms")
        self.box = gr.Checkbox(
            value=False,
            label="My team accepts these terms",
            visible=False,
            elem_id="accept-terms",
            container=False,
        )

    @property
    def outputs(self) -> list[Any]:
        """What `opened` fills."""
        return [self.view, self.box] if self._services.desk.seasons.all_terms() else []

    def opened(self, state: PageState, arrival: Arrival) -> tuple[PageState, tuple[Any, ...]]:
        """What whoever comes has still to accept."""
        return state, self.values(self._services.identity.visitor(current_request()))

    def values(self, visitor: Visitor | None) -> tuple[Any, ...]:
        """One value per output."""
        if not self.outputs:
            return ()
        asked = self._services.desk.unaccepted_terms(visitor.owner if visitor else None)
        # A box that is hidden keeps no tick: the next version is another question.
        box = gr.update(visible=True) if asked else gr.update(visible=False, value=False)
        return asked_terms_value(asked), box


def asked_terms_value(asked: tuple[Terms, ...]) -> AskedTermsValue | None:
    """The texts, ready for the page; None where everything is accepted."""
    if not asked:
        return None
    return {
        "terms": [
            {"title": terms.title, "version": terms.version, "text": terms.text, "link": f".{terms.link}"}
            for terms in asked
        ]
    }
