"""About: what is measured and how, by which judge, and how to make a number anew."""

from __future__ import annotations

import gradio as gr

from leaderboard.components import JudgeCards
from leaderboard.judge_card import card_of_pin
from leaderboard.judge_quality import shipped_qualities
from leaderboard.methods_components import JudgesGuide, MethodsView, PracticeView
from leaderboard.methods_page import judges_value, methods_value, practice_value
from leaderboard.services import Services


def about_page(services: Services) -> None:
    """The page; generated from the declarations, so that it cannot drift."""
    cards = [card_of_pin(one.judge, one.order_gap, quality=one, bias=None) for one in shipped_qualities()]
    with gr.Column(elem_id="about"):
        MethodsView(methods_value(), elem_id="methods")
        JudgesGuide(judges_value(), elem_id="judges-guide")
        JudgeCards({"cards": cards}, elem_id="about-judge-cards")
        PracticeView(practice_value(list(services.sets().values())), elem_id="practice")
