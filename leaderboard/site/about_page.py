"""About: what is measured and how, by which judge, and how to reproduce a score."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from evaluator.judge_quality.shipped import shipped_qualities
from leaderboard.boards import registry
from leaderboard.page.judge_card import card_of_pin
from leaderboard.page.language_quality import is_measured, languages_card, pair_languages_card
from leaderboard.page.links import ignored, part_of, section_of
from leaderboard.page.methods_page import LIMITS, PRACTICE, judges_value, methods_value, parts, practice_value
from leaderboard.page.region import Arrival
from leaderboard.page.services import Services
from leaderboard.page.state import AboutState
from leaderboard.parts.card_values import JudgeCardValue
from leaderboard.parts.components import JudgeCards
from leaderboard.parts.methods_components import JudgesGuide, MethodsView, PracticeView


def understood(state: AboutState) -> tuple[AboutState, list[str]]:
    """The state of a link without a section that there is not, and what was left out, in words."""
    kinds = [board.kind for board in registry.BOARDS]
    sections = parts(kinds) | {section_of(kind.key, column.key) for kind in kinds for column in kind.columns}
    if not state.section or state.section in sections:
        return state, []
    return replace(state, section=""), [ignored("section", state.section)]


@dataclass(frozen=True, slots=True)
class AboutPage:
    """The page as its link opens it: its contents, or one part of it."""

    services: Services
    methods: MethodsView
    judges: JudgesGuide
    cards: JudgeCards
    practice: PracticeView

    @property
    def outputs(self) -> list[Any]:
        """What `opened` fills."""
        return [self.methods, self.judges, self.cards, self.practice]

    def opened(self, state: AboutState, arrival: Arrival) -> tuple[AboutState, tuple[Any, ...]]:
        """The state that is shown when somebody comes by a link, and one value per output."""
        kinds = [board.kind for board in registry.BOARDS]
        part = part_of(state.section)
        return state, (
            methods_value(kinds, part),
            judges_value() if part == LIMITS else None,
            {"cards": _judge_cards()} if part == LIMITS else None,
            practice_value(kinds, list(self.services.sets().values())) if part == PRACTICE else None,
        )


def about_page(services: Services) -> AboutPage:
    """The page's components; what they say is made from the declarations, so that it cannot drift."""
    with gr.Column(elem_id="about"):
        return AboutPage(
            services,
            MethodsView(elem_id="methods"),
            JudgesGuide(elem_id="judges-guide"),
            JudgeCards(elem_id="about-judge-cards"),
            PracticeView(elem_id="practice"),
        )


def _judge_cards() -> list[JudgeCardValue]:
    measured = [quality for quality in shipped_qualities() if not is_measured(quality.judge)]
    cards = [card_of_pin(quality.judge, quality.order_gap, quality=quality, bias=None) for quality in measured]
    return [*cards, pair_languages_card(), languages_card()]
