"""What stands around every page: the masthead with the ways to the other pages, and the link of what is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

import gradio as gr

from leaderboard.page.drawers import REMEMBERED
from leaderboard.page.links import path_of
from leaderboard.parts.components import TemplateComponent

Entries = Mapping[str, tuple[str, ...]]
"""Links, each with the pages on which it is marked; it leads to the first of them."""

_MASTHEAD = """
<header class="masthead">
<svg viewBox="0 0 26 46" aria-hidden="true"><path d="M13 0v22" stroke="currentColor" stroke-width="2"/>
<path d="M6 22h14l2 6-9 18-9-18z" fill="currentColor"/></svg>
<div><h1>Plumbline</h1>
<p>Does a language model say the same thing when only the style of the question changes? Does its judge hold still?</p>
</div>
</header>
"""


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
        gr.HTML(_MASTHEAD, apply_default_css=False)
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

    TEMPLATE = """
<nav class="shown page-links" aria-label="{{value.label}}"><ul>
{{#each value.entries}}<li><a href="{{href}}"{{#if is_current}} aria-current="page"{{/if}}>{{label}}</a></li>
{{/each}}</ul></nav>
"""
    SCRIPT = """
// On a phone they are one line that scrolls. That line alone: `scrollIntoView` would move the page as well.
const here = element.querySelector('[aria-current]');
const line = here?.closest('ul');
if (line) {
  const middle = (one) => one.getBoundingClientRect().left + one.getBoundingClientRect().width / 2;
  line.scrollLeft += middle(here) - middle(line);
}
"""


HOSTS_OWN = """
const withHosts = (address) => {
  const url = new URL(address, location.href);
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (name.startsWith('__') && !url.searchParams.has(name)) url.searchParams.append(name, value);
  }
  return url;
};
"""
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
    SCRIPT = (
        HOSTS_OWN
        + PageLinks.SCRIPT
        + """
document.title = props.value.title;
element.querySelector('.skip-link').addEventListener('click', (event) => {
  event.preventDefault();
  const parts = [...document.querySelectorAll('.table-frame, .shown:not(.page-links, .handover)')];
  const shown = parts.find((part) => part.offsetParent);
  if (!shown) return;
  if (!shown.hasAttribute('tabindex')) shown.tabIndex = -1;
  shown.focus();
  shown.scrollIntoView({block: 'start'});
});
// Before a link of this site is followed, in whichever way.
for (const begins of ['pointerdown', 'keydown']) {
  document.addEventListener(begins, (event) => {
    const link = event.target instanceof Element && event.target.closest('a[href]');
    if (link && link.origin === location.origin && location.search.includes('__')) link.href = withHosts(link.href);
  }, {capture: true});
}
"""
    )


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


FOCUS = """
const reachable = 'a[href], button, input, select, textarea, summary, [tabindex]';
const describe = (element) => {
  const row = element.closest('tr[data-row]');
  const used = row?.querySelector('[data-open]') ?? element.closest(reachable);
  const part = used?.closest('[id]:not([id^="html-"])');  // gradio makes up those of its frames each time
  if (!part) return null;
  return {part: part.id, row: row?.dataset.row ?? null, at: [...part.querySelectorAll(reachable)].indexOf(used)};
};
const find = (told) => {
  const part = document.getElementById(told.part);
  if (!part || told.row === null) return part && (part.querySelectorAll(reachable)[told.at] ?? part);
  return part.querySelector(`tr[data-row="${CSS.escape(told.row)}"] [data-open]`);
};
const isSeen = (element) => Boolean(element?.checkVisibility({visibilityProperty: true}));
// What was used last, and in each view that was left what was used there.
let used = null, hands = 0;
const left = new Map();
const leave = (view) => {
  left.set(view, used);
  history.replaceState({...history.state, focus: used}, '');
};
for (const begins of ['click', 'focusin']) {
  document.addEventListener(begins, (event) => {
    if (event.target instanceof Element) used = describe(event.target) ?? used;
  }, {capture: true});
}
for (const begins of ['pointerdown', 'keydown']) {
  document.addEventListener(begins, () => { hands += 1; }, {capture: true});
}
window.addEventListener('beforeunload', () => {
  const focus = document.activeElement === document.body ? null : describe(document.activeElement);
  history.replaceState({...history.state, focus}, '');
});
// Once the view is drawn, and while nobody does anything else: there, else to what leads out of the view. A table that
// is drawn after that would lose it again, so this goes on for three seconds, and on a slow machine for 180 pictures.
let landing = 0;
const land = (told, hasMoved) => {
  landing += 1;  // whatever still waits for another view gives up
  if (!told && !hasMoved) return;
  const mine = landing, before = hands, ends = performance.now() + 3000;
  let pictures = 0;
  const act = () => {
    pictures += 1;
    if (mine !== landing || hands !== before || (performance.now() > ends && pictures > 180)) return;
    if (!isSeen(document.activeElement?.closest(reachable))) {
      const wanted = told && find(told);
      const out = [...document.querySelectorAll('button[id^="to-"]')].filter(isSeen).at(-1);
      if (isSeen(wanted)) wanted.focus();
      else if (!told) out?.focus();
    }
    requestAnimationFrame(act);
  };
  whenDrawn(act);
};
"""
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

    TEMPLATE = """
{{#if value.path}}<p class="shown view-link">Link to this view:
  <a href="{{value.path}}">{{#if value.is_first}}the first page{{else}}/{{value.path}}{{/if}}</a></p>{{/if}}
"""
    SCRIPT = (
        HOSTS_OWN
        + REMEMBERED
        + FOCUS
        + """
// What the browser is asked for by Back and Forward, the last that was answered, and where the page stands now.
let sought = 0, answered = 0, place = null;
const carry = () => {
  if (!props.value || props.value.visit < sought) return;
  const {elsewhere, query, place: shownPlace, visit} = props.value;
  if (elsewhere) { location[place === null ? 'replace' : 'assign'](withHosts(elsewhere)); return; }
  const shown = withHosts(location.pathname + (query ? '?' + query : ''));
  const drawer = openDrawer();
  if (drawer && !location.hash) shown.search += `${shown.search ? '&' : '?'}${DRAWER}=${drawer}`;
  const isFirst = place === null, isOther = shownPlace !== place, isRevisit = visit !== answered;
  if (isOther && !isFirst && !isRevisit) {
    leave(place);
    history.pushState(null, '', shown.pathname + shown.search);
  } else {
    history.replaceState(history.state, '', shown.pathname + shown.search + location.hash);
  }
  [place, answered] = [shownPlace, visit];
  if (isFirst || isRevisit) land(history.state?.focus, !isFirst);
  else if (isOther) land(left.get(shownPlace), true);
};
window.addEventListener('popstate', () => {
  const ours = new URLSearchParams(location.search);
  for (const name of [...ours.keys()]) if (name === DRAWER || name.startsWith('__')) ours.delete(name);
  const isShown = ours.toString() === new URLSearchParams(props.value?.query ?? '').toString();
  if (isShown && sought === answered) return;  // a chart of this very view
  sought += 1;
  landing += 1;
  trigger('revisited', {query: location.search.slice(1), visit: sought});
});
// *Reset* goes once nothing is left to take back: whoever pressed it goes on from the drawer behind it.
let next = null, turn = 0;
document.addEventListener('click', (event) => {
  const button = event.target instanceof Element && event.target.closest('.toolbar > button');
  next = button ? button.nextElementSibling?.querySelector('.label-wrap') : null;
});
const goOn = () => {
  if (next && document.activeElement === document.body) next.focus();
  next = null;
};
watch('value', () => {
  const isLate = props.value?.turn < turn;
  // The server knows this visitor no more: their address does.
  if (isLate && props.value.turn === 0) { location.reload(); return; }
  turn = props.value?.turn ?? turn;
  if (isLate) { trigger('late', {}); return; }
  if (props.value && !props.value.elsewhere) openAsked();
  carry();
  whenDrawn(() => { carry(); goOn(); });  // a drawer goes with what it stands above
});
onDrawerUsed(carry);
window.addEventListener('hashchange', carry);
"""
    )

    def __init__(self, tab: str, *, elem_id: str | None = None, render: bool = True) -> None:
        super().__init__(elem_id=elem_id, render=render)
        self.tab = tab

    def postprocess(self, value: Any) -> Any:
        if value is None:
            return None
        is_here = value["tab"] == self.tab
        shown = {"path": value["address"], "query": value["query"], "is_first": value["href"] == "?"}
        elsewhere = "" if is_here else value["address"]
        steps = {name: value[name] for name in ("turn", "place", "visit")}
        return super().postprocess(shown | steps | {"elsewhere": elsewhere})
