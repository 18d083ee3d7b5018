from __future__ import annotations

from leaderboard.boards.editions.screen import EDITIONS
from leaderboard.boards.personalized_evaluation.screen import PREDICTIONS
from leaderboard.boards.position_bias.state import JudgesState
from leaderboard.page.frame import ViewLink, links_value, title_of
from leaderboard.page.links import path_of, view_link_value
from leaderboard.page.state import PageState
from leaderboard.site.page_register import navigation
from tests.registered import TABS


def test_every_page_can_be_reached() -> None:
    listed = [tab for tabs in navigation().values() for tab in tabs]
    assert sorted(listed) == sorted(TABS)
    # What the masthead marks as one entry is told apart above the table.
    assert navigation()["Robustness"] == tuple(tab for tabs in EDITIONS.values() for tab in tabs)
    assert navigation()["Evaluators"] == tuple(tab for tabs in PREDICTIONS.values() for tab in tabs)


def test_one_entry_is_marked_on_every_page() -> None:
    for tab in TABS:
        entries = links_value("Pages", tab, navigation())["entries"]
        (marked,) = (entry for entry in entries if entry["is_current"])
        assert title_of(tab, navigation()) == ("Plumbline" if tab == "overview" else f"{marked['label']} - Plumbline")
        assert (marked["href"] == (path_of(tab) or "./")) == (
            tab not in ("consistency", "cultural", "judge_quality", "personalized_pairs")
        )


def test_the_link_of_a_view_goes_elsewhere_only_where_another_page_shows_it() -> None:
    value = view_link_value(JudgesState(judge="mini"))
    here, there = ViewLink("judges").postprocess(value), ViewLink("robustness").postprocess(value)
    assert here == {"href": "?tab=judges&judge=mini", "query": "judge=mini", "is_first": False, "elsewhere": ""}
    assert there == here | {"elsewhere": "judges?judge=mini"}
    assert ViewLink("overview").postprocess(view_link_value(PageState(tab="overview")))["is_first"]
    assert ViewLink("overview").postprocess(None) is None
