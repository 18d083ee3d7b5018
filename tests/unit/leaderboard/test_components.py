from __future__ import annotations

import re

import pytest

from leaderboard.components import (
    ChangeMarker,
    CopyText,
    Download,
    ItemView,
    JudgeCards,
    Notice,
    Table,
    TemplateComponent,
    TicketView,
    ViewLink,
    literal_safe,
)

COMPONENTS: tuple[type[TemplateComponent], ...] = (
    Table,
    Notice,
    JudgeCards,
    ItemView,
    TicketView,
    ViewLink,
    ChangeMarker,
    CopyText,
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


@pytest.mark.parametrize("component", COMPONENTS[:-1])
def test_components_escape_what_they_show(component: type[TemplateComponent]) -> None:
    assert component().postprocess({"title": "${x}"}) == {"title": "\\${x}"}


@pytest.mark.parametrize("component", COMPONENTS)
def test_templates_use_escaped_expressions_and_known_helpers_only(component: type[TemplateComponent]) -> None:
    template = component.TEMPLATE
    assert "{{{" not in template
    assert "${" not in template
    assert "{{&" not in template
    assert set(re.findall(r"{{#(\w+)", template)) <= {"if", "each"}  # an unknown helper blanks the component
    assert template.count("{{#") == template.count("{{/")


@pytest.mark.parametrize("component", COMPONENTS)
def test_a_component_can_be_made_anew_from_its_arguments(component: type[TemplateComponent]) -> None:
    arguments = component(elem_id="here").constructor_args
    assert component(**arguments).elem_id == "here"  # what gr.update() does


def test_no_stub_file_is_written_beside_the_source() -> None:
    from pathlib import Path

    import leaderboard

    assert not list(Path(leaderboard.__file__).parent.rglob("*.pyi"))
