from __future__ import annotations

from leaderboard.boards.position_bias.state import JudgesState
from leaderboard.page.frame import ViewLink, links_value, title_of
from leaderboard.page.links import path_of, view_link_value
from leaderboard.page.state import PageState
from leaderboard.site.page_register import beside, navigation
from tests.registered import TABS


def test_every_page_can_be_reached() -> None:
    listed = [tab for tabs in navigation().values() for tab in tabs]
    assert sorted(listed) == sorted(TABS)
    assert list(navigation()) == [
        *("Overview", "Robustness", "Judges", "Personalization", "Lab", "More boards", "Submit", "About"),
    ]


def test_pages_of_one_entry_are_told_apart_below_it() -> None:
    assert beside("queue") == {
        "Submit a file": ("submit",),
        "My submissions": ("mine",),
        "Queue": ("queue",),
    }
    assert beside("judge_report") == {
        "Position bias": ("judges",),
        "Which judge?": ("judge_quality",),
        "Against people's labels": ("llm_bar",),
        "AlpacaEval": ("alpaca_eval",),
        "Judge report": ("judge_report",),
    }
    assert list(beside("behavior"))[:3] == ["Personal raters: ratings", "Personal raters: pairs", "Recommenders"]
    assert beside("lab") == beside("overview") == {}
    for tab in TABS:
        assert not beside(tab) or [tabs for tabs in navigation().values() if tab in tabs] == [
            tuple(one for (one,) in beside(tab).values())
        ]


def test_one_entry_is_marked_on_every_page() -> None:
    for tab in TABS:
        entries = links_value("Pages", tab, navigation())["entries"]
        (marked,) = (entry for entry in entries if entry["is_current"])
        assert title_of(tab, navigation()) == ("Plumbline" if tab == "overview" else f"{marked['label']} - Plumbline")
        # The entry leads to the first of its pages.
        leads_here = any(tabs[0] == tab for tabs in navigation().values())
        assert (marked["href"] == (path_of(tab) or "./")) == leads_here


def test_the_link_of_a_view_goes_elsewhere_only_where_another_page_shows_it() -> None:
    value = view_link_value(JudgesState(judge="mini", turn=2))
    here, there = ViewLink("judges").postprocess(value), ViewLink("robustness").postprocess(value)
    shown = {"address": "judges?judge=mini", "query": "judge=mini", "is_first": False}
    shown |= {"turn": 2, "place": "benchmark=&judge=mini", "visit": 0}
    assert here == shown | {"elsewhere": ""}
    assert there == shown | {"elsewhere": "judges?judge=mini"}
    assert ViewLink("overview").postprocess(view_link_value(PageState(tab="overview")))["is_first"]
    assert ViewLink("overview").postprocess(None) is None
