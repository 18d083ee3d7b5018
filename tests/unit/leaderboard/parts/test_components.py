from __future__ import annotations

import json
import re
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plotly.graph_objects import Figure

from leaderboard import assets
from leaderboard.boards.robustness.atlas.page import AtlasView
from leaderboard.boards.robustness.table2_components import PublishedTable
from leaderboard.desk.components import QueueTable
from leaderboard.page.frame import PageLinks, ViewLink
from leaderboard.parts.chart import Chart, ChartSheet, ChartTable
from leaderboard.parts.chart_components import ChartsView
from leaderboard.parts.components import (
    ChangeMarker,
    Download,
    Freshness,
    ItemView,
    JudgeCards,
    Notice,
    Table,
    TemplateComponent,
    TicketView,
    literal_safe,
    literal_safe_bytes,
)
from leaderboard.parts.downloads import CSV, file_value
from leaderboard.parts.export_components import Handover, file_ready, text_ready
from leaderboard.site.overview_page import Overview
from leaderboard.systems.page import SystemCard

COMPONENTS: tuple[type[TemplateComponent], ...] = (
    Table,
    Notice,
    JudgeCards,
    ItemView,
    TicketView,
    PageLinks,
    ChangeMarker,
    Freshness,
    Overview,
    AtlasView,
    PublishedTable,
    ChartsView,
    Handover,
    Download,
)


def evaluated(literal: str) -> str:
    """What a JavaScript template literal makes of an escaped text: a backslash stands for the next character."""
    assert re.search(r"(?<!\\)(\\\\)*\$", literal) is None, "a bare $ could open a substitution"
    return re.sub(r"\\(.)", r"\1", literal, flags=re.DOTALL)


@pytest.mark.parametrize("text", ["${alert(1)}", "\\u003cimg\\u003e", "$\\${x}", "\\", "$", "C:\\new\\x41", "plain"])
def test_no_text_is_code_in_a_template_literal(text: str) -> None:
    assert evaluated(literal_safe(text)) == text


def test_texts_are_escaped_however_deep() -> None:
    value = {"rows": [{"cells": ({"text": "${x}"},)}], "page": 1, "none": None, "yes": True}
    assert literal_safe(value) == {"rows": [{"cells": [{"text": "\\${x}"}]}], "page": 1, "none": None, "yes": True}


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(codec="utf-8"), max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc$\\", max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON_VALUES | st.text('$\\{}"\n\x00u003c', max_size=12))
def test_long_values_are_escaped_in_their_json_just_as_others_are(value: Any) -> None:
    def safe(part: Any) -> Any:  # what is sent escapes keys as well
        if isinstance(part, dict):
            return {literal_safe(key): safe(inner) for key, inner in part.items()}
        return [safe(inner) for inner in part] if isinstance(part, list) else literal_safe(part)

    assert json.loads(literal_safe_bytes(value)) == safe(value)


@pytest.mark.parametrize("component", COMPONENTS[:-3])
def test_components_escape_what_they_show(component: type[TemplateComponent]) -> None:
    sent = component().postprocess({"title": "${x}"})
    assert (json.loads(sent) if component.IS_LARGE else sent) == {"title": "\\${x}"}


@pytest.mark.parametrize("component", [*COMPONENTS, ViewLink])
def test_templates_use_escaped_expressions_and_known_helpers_only(component: type[TemplateComponent]) -> None:
    template = component.TEMPLATE
    assert "{{{" not in template
    assert "${" not in template
    assert "{{&" not in template
    assert not re.search(r"{{[>!]", template)  # parts are put in, comments dropped
    assert set(re.findall(r"{{#(\w+)", template)) <= {"if", "each"}  # an unknown helper blanks the component
    assert template.count("{{#") == template.count("{{/")


def test_a_part_of_a_template_is_what_is_given_under_its_name_else_the_file_of_that_name() -> None:
    interval_bar = assets.template("interval_bar")
    assert interval_bar.startswith("<span")  # what the file says of itself is no part of it
    assert assets.template("overview_place").count(interval_bar) == 1
    assert 'aria-label="{{title}}, samples: who leads"' in assets.template("overview_board", of=", samples")


@pytest.mark.parametrize("component", [Table, JudgeCards, ItemView, ChartsView, SystemCard, QueueTable])
def test_a_table_shows_that_it_scrolls_whatever_shows_it(component: type[TemplateComponent]) -> None:
    assert "goes-on" in str(component().js_on_load)
    assert Notice().js_on_load is None  # shows no table


@pytest.mark.parametrize("component", COMPONENTS)
def test_a_component_can_be_made_anew_from_its_arguments(component: type[TemplateComponent]) -> None:
    arguments = component(elem_id="here").constructor_args
    assert component(**arguments).elem_id == "here"  # what gr.update() does


def test_no_stub_file_is_written_beside_the_source() -> None:
    from pathlib import Path

    import leaderboard

    assert not list(Path(leaderboard.__file__).parent.rglob("*.pyi"))


def test_charts_escape_what_a_template_shows_and_leave_figures_alone() -> None:
    chart: Chart[int] = Chart(
        "one",
        "${title}",
        "why",
        lambda board, colours: Figure(layout={"title": "$x"}),
        lambda board: ChartTable("${x}", (), ()),
    )
    text = ChartsView().postprocess(ChartSheet([chart], "pre-").value(1, is_dark=False))
    assert text is not None
    sent = json.loads(text)
    assert (sent["prefix"], sent["charts"][0]["title"]) == ("pre-", "\\${title}")
    assert sent["charts"][0]["table"]["columns"][0]["label"] == "\\${x}"
    assert sent["figures"]["one"]["layout"]["title"]["text"] == "$x"
    assert "figures" not in ChartsView.TEMPLATE  # what is not escaped is never shown by the template


def test_a_text_to_copy_is_escaped_and_a_file_to_save_is_not() -> None:
    text = json.loads(orjson.dumps(Handover().postprocess(text_ready("", "LaTeX", "$x$"))))
    assert (text["text"], text["file"]) == ("\\$x\\$", None)
    file = json.loads(orjson.dumps(Handover().postprocess(file_ready("", file_value("a.csv", CSV, "$x$")))))
    assert (file["text"], file["file"]["text"]) == ("", "$x$")
    assert "file" not in re.sub(r"download|files", "", Handover.TEMPLATE)
