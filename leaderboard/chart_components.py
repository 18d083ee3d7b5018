"""What lets charts wait until somebody comes near them."""

from __future__ import annotations

from typing import TypedDict

from leaderboard.components import TemplateComponent


class WaitingValue(TypedDict):
    """Charts that wait to be drawn."""

    marker: str
    """Another one asks to draw them anew."""
    target: str
    """elem_id of what holds them."""


class DrawnWhenNear(TemplateComponent):
    """Shows nothing; its event `near` with {width} tells that the charts have to be drawn and are in or near sight.

    Value: `WaitingValue`; None while they cannot be looked at.
    """

    # The place is looked up each time: what was hidden comes back as another element.
    SCRIPT = """
let drawn = null;
let observer = null;
const wait = (tries) => {
  if (observer) observer.disconnect();
  const value = props.value;
  if (!value) return;
  const place = document.getElementById(value.target);
  if (!place) {
    if (tries) requestAnimationFrame(() => wait(tries - 1));
    return;
  }
  observer = new IntersectionObserver((entries) => {
    if (!entries.at(-1).isIntersecting || drawn === value.marker) return;
    drawn = value.marker;
    trigger('near', {width: Math.round(place.clientWidth)});
  }, {rootMargin: '300px 0px'});
  observer.observe(place);
};
watch('value', () => wait(300));
wait(300);
"""
