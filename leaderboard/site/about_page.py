"""About: what is measured and how, by which judge, and how to make a number anew."""

from __future__ import annotations

import gradio as gr

from leaderboard.page.judge_card import card_of_pin
from leaderboard.page.judge_quality import shipped_qualities
from leaderboard.page.methods_page import judges_value, methods_value, practice_value
from leaderboard.page.services import Services
from leaderboard.parts.components import JudgeCards
from leaderboard.parts.methods_components import JudgesGuide, MethodsView, PracticeView


def about_page(services: Services) -> None:
    """The page; generated from the declarations, so that it cannot drift."""
    cards = [card_of_pin(one.judge, one.order_gap, quality=one, bias=None) for one in shipped_qualities()]
    with gr.Column(elem_id="about"):
        MethodsView(methods_value(), elem_id="methods")
        JudgesGuide(judges_value(), elem_id="judges-guide")
        JudgeCards({"cards": cards}, elem_id="about-judge-cards")
        PracticeView(practice_value(list(services.sets().values())), elem_id="practice")
