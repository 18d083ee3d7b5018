from __future__ import annotations

import json
import re

import pytest

from leaderboard.desk.components import GridView, PreviewView, ProblemsView, QueueTable, ReceiptView, StatusLine
from leaderboard.parts.components import TemplateComponent

COMPONENTS: tuple[type[TemplateComponent], ...] = (
    ProblemsView,
    GridView,
    PreviewView,
    ReceiptView,
    QueueTable,
    StatusLine,
)
_NAME = r"(?:\.\./)?(?:this|value|[a-z_]+)(?:\.[a-z_]+)*"


@pytest.mark.parametrize("component", COMPONENTS)
def test_every_expression_escapes_what_it_shows(component: type[TemplateComponent]) -> None:
    template = component.TEMPLATE
    assert not any(raw in template for raw in ("{{{", "{{&", "${"))
    expressions = re.findall(r"\{\{(.*?)\}\}", template)
    assert expressions
    for expression in expressions:
        assert re.fullmatch(rf"{_NAME}|#(?:if|each) {_NAME}|/(?:if|each)|else", expression), expression


@pytest.mark.parametrize("component", COMPONENTS)
def test_texts_are_escaped_for_the_template_literal_too(component: type[TemplateComponent]) -> None:
    sent = component().postprocess({"rows": [{"text": "${x}"}]})
    assert (json.loads(sent) if component.IS_LARGE else sent) == {"rows": [{"text": "\\${x}"}]}


@pytest.mark.parametrize("component", COMPONENTS)
def test_no_script_writes_markup(component: type[TemplateComponent]) -> None:
    assert not any(
        word in (component.SCRIPT or "") for word in ("innerHTML", "insertAdjacentHTML", "outerHTML", "eval")
    )
