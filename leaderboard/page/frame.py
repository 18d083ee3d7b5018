"""What stands around every page: the masthead with the ways to the other pages, and the link of what is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

import gradio as gr

from leaderboard.assets import asset, template
from leaderboard.page.drawers import REMEMBERED
from leaderboard.page.links import CHART, path_of
from leaderboard.parts.components import TemplateComponent

Entries = Mapping[str, tuple[str, ...]]
"""Links, each with the pages on which it is marked; it leads to the first of them."""


def title_of(tab: str, entries: Entries) -> str:
    """What a browser calls a page.

    >>> title_of("overview", {}), title_of("judges", {"Judges": ("judges",)})
    ('Plumbline', 'Judges - Plumbline')
    """
    label = next((label for label, tabs in entries.items() if tab in tabs), "")
    return f"{label} - Plumbline" if label and path_of(tab) else "Plumbline"


def masthead(tab: str, entries: Entries, beside: Entries, *, signs_in: bool) -> gr.LoginButton | None:
    """The top of a page; returns the button to sign in, where there is one.

    Args:
        beside: The pages that share the page's entry; empty where it has its own.
    """
    button = None
    with gr.Row(elem_id="top"):
        gr.HTML(template("masthead"), apply_default_css=False)
        if signs_in:
            # No icon: gradio's has an address with a path of this machine, which is not open (`OpenPaths`).
            button = gr.LoginButton(
                logout_value="Sign out ({})", icon=None, elem_id="sign-in", size="sm", scale=0, min_width=220
            )
            # gradio 6.31 would let every such button ask for its label when the last page is opened; its own page asks.
            button.load_event_to_attach = None
    names = beside or entries
    heading = next((name for name, tabs in names.items() if tab in tabs), "")
    Navigation(links_value("Pages", tab, entries) | {"heading": heading}, elem_id="pages")
    if beside:
        label = next(entry for entry, tabs in entries.items() if tab in tabs)
        PageLinks(links_value(label, tab, beside), elem_id="pages-beside")
    return button


class PageLinks(TemplateComponent):
    """Ordinary links to pages, one of them perhaps this one. Value: `links_value`."""

    TEMPLATE = template("page_links")
    SCRIPT = asset("page_links.js")


HOSTS_OWN = asset("with_hosts.js")
"""`withHosts(address)`: the address with the parameters that the host put into this one (a Space: `__theme`, `__sign`,
which lets the visitor of a private one in)."""


class Navigation(PageLinks):
    """The links to all pages, before them one past them to what the page shows; they also give the page its title
    (gradio 6.31 has one for all pages), and its name as a heading to whoever hears it.

    Value: `links_value` and the `heading`.
    """

    TEMPLATE = (
        '<a class="skip-link" href="#view-link">Skip to the content</a>'
        + PageLinks.TEMPLATE
        + '<h2 class="sr-only">{{value.heading}}</h2>'
    )
    SCRIPT = HOSTS_OWN + PageLinks.SCRIPT + asset("terms.js") + asset("navigation.js")


class PageLink(TypedDict):
    """A link to a page."""

    label: str
    href: str
    is_current: bool


def links_value(label: str, here: str, entries: Entries) -> dict[str, Any]:
    """Links for `PageLinks`: each leads to its first page, and is marked on all of them."""
    links: list[PageLink] = [
        {"label": entry, "href": path_of(tabs[0]) or "./", "is_current": here in tabs}
        for entry, tabs in entries.items()
    ]
    return {"label": label, "title": title_of(here, entries), "entries": links}


FOCUS = asset("focus.js")
"""`leave(view)` keeps what has the focus in a view of the page, in the entry of the history too; `land(told, hasMoved)`
gives it the focus again, or what leads out of a view that was just opened."""


class ViewLink(TemplateComponent):
    """The link of what is shown; the address bar carries its query. Value: `links.view_link_value`.

    A view that another page shows is looked at there: the browser goes to it. The address bar alone says as well which
    drawer is open, but where it leads to a chart: whoever follows another link finds drawers closed.

    Every answer that draws the page brings the link. Its event `late` tells that one came after the answer to something
    the visitor did later: what that one drew is gone, and is to be drawn again.

    Args:
        tab: The page it stands on.
    """

    TEMPLATE = template("view_link")
    SCRIPT = HOSTS_OWN + REMEMBERED + FOCUS + f"const CHART = '{CHART}';\n" + asset("view_link.js")

    def __init__(self, tab: str, *, elem_id: str | None = None, render: bool = True) -> None:
        super().__init__(elem_id=elem_id, render=render)
        self.tab = tab

    def postprocess(self, value: Any) -> Any:
        if value is None:
            return None
        is_here = value["tab"] == self.tab
        # Not "path": it is sent back with every event (`Region`), where that names an uploaded file.
        shown = {"address": value["address"], "query": value["query"], "is_first": value["href"] == "?"}
        elsewhere = "" if is_here else value["address"]
        steps = {name: value[name] for name in ("turn", "place", "visit")}
        return super().postprocess(shown | steps | {"elsewhere": elsewhere})
