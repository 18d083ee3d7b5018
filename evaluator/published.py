"""Figures that others printed, kept as `published.json` in the room of their measure."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def printed_figures(room: str) -> Any:
    """The tables of a paper as printed, by the name of the table; `source` says whose they are and how they were taken.

    >>> printed_figures("evaluator.behavior_alignment")["table_1"]["rows"][2]
    {'system': 'Human', 'turns_before_recommendation': 2.5, 'success_rate': 0.571}
    """
    return json.loads(files(room).joinpath("published.json").read_text(encoding="utf-8"))


def published_source(room: str) -> str:
    """Whose figures they are: authors, title, where.

    >>> published_source("evaluator.behavior_alignment")[:9]
    'Dayu Yang'
    """
    source: str = printed_figures(room)["source"]
    return source.removesuffix("; figures as printed")
