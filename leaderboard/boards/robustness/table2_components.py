"""The component that shows Table 2 of the 2024 paper."""

from __future__ import annotations

from leaderboard.assets import template
from leaderboard.parts.components import TemplateComponent


class PublishedTable(TemplateComponent):
    """A printed table beside what its cells come to (`table2_values.PublishedValue`); None shows nothing.

    Event: `save`.
    """

    IS_LARGE = True
    TEMPLATE = template("published_table")
    SCRIPT = """
element.addEventListener('click', (event) => {
  if (event.target.closest('[data-save]')) trigger('save', {});
});
"""
