"""About: what is measured and how, by which judge, and how to reproduce a score."""

from __future__ import annotations

from dataclasses import replace

import gradio as gr

from evaluator.judges.quality.shipped import shipped_qualities
from leaderboard.boards import registry
from leaderboard.page.judge_card import card_of_pin
from leaderboard.page.language_quality import is_measured, languages_card, pair_languages_card
from leaderboard.page.links import ignored, section_of
from leaderboard.page.methods_page import judges_value, methods_value, practice_value
from leaderboard.page.services import Services
from leaderboard.page.state import AboutState
from leaderboard.parts.components import JudgeCards
from leaderboard.parts.methods_components import JudgesGuide, MethodsView, PracticeView


def understood(state: AboutState) -> tuple[AboutState, list[str]]:
    """The state of a link without a section that there is not, and what was left out, in words."""
    sections = {section_of(board.key, column.key) for board in registry.BOARDS for column in board.kind.columns}
    if not state.section or state.section in sections:
        return state, []
    return replace(state, section=""), [ignored("section", state.section)]


def about_page(services: Services) -> None:
    """The page; generated from the declarations, so that it cannot drift."""
    cards = [
        card_of_pin(one.judge, one.order_gap, quality=one, bias=None)
        for one in shipped_qualities()
        if not is_measured(one.judge)
    ]
    cards += [pair_languages_card(), languages_card()]
    kinds = [board.kind for board in registry.BOARDS]
    with gr.Column(elem_id="about"):
        MethodsView(methods_value(kinds), elem_id="methods")
        JudgesGuide(judges_value(), elem_id="judges-guide")
        JudgeCards({"cards": cards}, elem_id="about-judge-cards")
        PracticeView(practice_value(kinds, list(services.sets().values())), elem_id="practice")
