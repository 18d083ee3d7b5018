"""The gallery of the lab: where preferences broke an answer, each a link that replays it."""

from __future__ import annotations

from typing import TypedDict

from evaluator.lab.gallery import Breakage, Gallery
from leaderboard.lab.links import replay_link
from leaderboard.lab.replays import ReplayChoice, example_id, row_id
from leaderboard.lab.values import ALIGNER_FAILED, Tone
from leaderboard.parts.components import TemplateComponent
from leaderboard.parts.visible_text import visible

SHOWN = 3
"""So many stand open, the rest behind a fold."""


class BreakageValue(TypedDict):
    """One line of the gallery."""

    href: str
    question: str
    preference: str
    change: str
    aligner: str
    tone: str


class GalleryValue(TypedDict):
    """What `GalleryView` shows."""

    introduction: str
    first: list[BreakageValue]
    rest: list[BreakageValue]
    rest_title: str


def gallery_value(gallery: Gallery) -> GalleryValue:
    """The breakages of a gallery, each with the link that replays it."""
    lines = [_line(gallery, breakage) for breakage in gallery.breakages]
    held = sum(breakage.is_held for breakage in gallery.breakages)
    failed = sum(breakage.is_aligner_failed for breakage in gallery.breakages)
    kept = f" and failed on {failed}, where the draft was kept" if failed else ""
    broken = len(lines)
    return {
        "introduction": visible(
            f"{gallery.naive.system}: of {gallery.n_right} answers that were right without preferences, {broken} "
            f"{'is' if broken == 1 else 'are'} wrong with preferences in the prompt; Pref-Aligner held {held} of "
            f"these{kept}. Choose one to read it with draft and changes; nothing is run."
        ),
        "first": lines[:SHOWN],
        "rest": lines[SHOWN:],
        "rest_title": f"{broken - SHOWN} more" if broken > SHOWN else "",
    }


def gallery_choice(gallery: Gallery, breakage: Breakage) -> ReplayChoice:
    """The replay of a breakage: the naive answer beside that of Pref-Aligner."""
    a, b = (row_id(entry.ticket_id, entry.method) for entry in (gallery.naive, gallery.aligner))
    return ReplayChoice(a, b, example_id(breakage.example))


def wanted_breakage(gallery: Gallery | None, wanted: str) -> Breakage | None:
    """The breakage of an example id, blank = the first one; None where there is none such."""
    breakages = gallery.breakages if gallery else ()
    return next((breakage for breakage in breakages if not wanted or example_id(breakage.example) == wanted), None)


def following_breakage(gallery: Gallery | None, shown: str) -> str:
    """Example id of the breakage behind the one that is shown; it goes round. Blank where there is none."""
    ids = [example_id(breakage.example) for breakage in gallery.breakages] if gallery else []
    if shown in ids:
        return ids[(ids.index(shown) + 1) % len(ids)]
    return ids[0] if ids else ""


def _line(gallery: Gallery, breakage: Breakage) -> BreakageValue:
    count = len(breakage.example.preferences)
    shown = breakage.relevant_preference or breakage.example.preferences[0]
    aligner, tone = _aligner_badge(breakage)
    more = f" (and {count - 1} more)" if count > 1 else ""
    return {
        "href": replay_link(gallery_choice(gallery, breakage)),
        "question": visible(breakage.question),
        "preference": visible(f"{breakage.example.setting}: {shown}{more}"),
        "change": f"{breakage.gold} → {breakage.letter or 'no option'}",
        "aligner": aligner,
        "tone": tone,
    }


def _aligner_badge(breakage: Breakage) -> tuple[str, Tone]:
    """Return what Pref-Aligner came to, and the colour of the badge."""
    if breakage.is_aligner_failed:
        return ALIGNER_FAILED, "warning"
    return ("Pref-Aligner held", "good") if breakage.is_held else ("Pref-Aligner lost it, too", "bad")


_LINES = """<ul class="breakages">{{#each LIST}}<li><a href="{{href}}" dir="auto">{{question}}</a>
<span class="muted" dir="auto">{{preference}}</span>
<span><span class="badge bad" title="From the right option to the one chosen with preferences">{{change}}</span>
<span class="badge {{tone}}">{{aligner}}</span></span></li>{{/each}}</ul>"""


class GalleryView(TemplateComponent):
    """The gallery (`gallery_value`); None shows nothing."""

    TEMPLATE = f"""
{{{{#if value.introduction}}}}<section class="shown gallery" aria-label="Where preferences broke an answer">
<h3>Where preferences broke an answer</h3>
<p class="muted">{{{{value.introduction}}}}</p>
{_LINES.replace("LIST", "value.first")}
{{{{#if value.rest_title}}}}<details><summary>{{{{value.rest_title}}}}</summary>
{_LINES.replace("LIST", "value.rest")}</details>{{{{/if}}}}
</section>{{{{/if}}}}
"""
