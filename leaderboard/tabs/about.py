"""About: what is measured and how, by which judge, and how to reproduce a number."""

from __future__ import annotations

import gradio as gr

from leaderboard.about_text import about_markdown
from leaderboard.judge_quality import shipped_qualities
from leaderboard.services import Services


def about_tab(services: Services) -> None:
    """The tab's text; generated from the column declarations, so that it cannot drift."""
    gr.Markdown(about_markdown(list(services.sets().values()), shipped_qualities()), elem_id="about")
