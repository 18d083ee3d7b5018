"""Names: what a file states wins, what it leaves open is filled, and what a name may not hold."""

from __future__ import annotations

import pytest

from submissions.findings import Findings
from submissions.formats.names import read_name
from submissions.reading.limits import Limits
from submissions.reading.strict_json import ABSENT


def named(stated: object, given: str | None = None, *, required: bool = False) -> tuple[str | None, list[str]]:
    findings = Findings()
    name = read_name("team", stated, given, "$.source", findings, Limits(), required=required)
    return name, [problem.code for problem in findings.problems]


def test_a_stated_name_is_trimmed_and_composed() -> None:
    # e and a combining acute accent become one character.
    assert named(" Cafe\u0301 ") == ("Café", [])


@pytest.mark.parametrize("open_name", [ABSENT, None, "", "  ", "YOUR TEAM NAME", "your-team-name", "<Your Team Name>"])
def test_the_form_fills_what_the_file_leaves_open(open_name: object) -> None:
    assert named(open_name, "aurora", required=True) == ("aurora", [])


def test_a_stated_name_wins_over_the_form() -> None:
    assert named("aurora", "borealis") == ("aurora", ["identity_conflict"])
    assert named("aurora", " aurora ") == ("aurora", [])


def test_a_team_is_required_and_the_others_are_not() -> None:
    assert named(ABSENT, required=True) == (None, ["source_missing"])
    assert named(ABSENT) == (None, [])
    assert named(7, "aurora", required=True) == (None, ["source_type"])
    assert named(7, "aurora") == ("aurora", ["metadata_field"])


def test_an_example_text_is_no_name_wherever_it_comes_from() -> None:
    assert named("your-system-name") == (None, ["source_placeholder"])
    assert named(ABSENT, "model-identifier") == (None, ["source_placeholder"])


@pytest.mark.parametrize(
    "name",
    [
        "../aurora", "a/../b", "..\\aurora", "/etc/passwd", "\\\\server", "C:\\aurora", "c:/aurora",
        "au\nrora", "au\u2028rora", "au\trora", "au\u202erora", "au\u200brora", "\ud83d", "x" * 201,
    ],
)  # fmt: skip
def test_names_that_mislead_are_refused(name: str) -> None:
    assert named(name) == (None, ["source_chars"])


@pytest.mark.parametrize(
    "name", ["meta-llama/Llama-3-8B", "Équipe Ñandú 東京 (v2)", "x" * 200, "R&D", "C++ & co", "a_b__c 3 > 2", "v1.0..2"]
)
def test_ordinary_names_pass(name: str) -> None:
    assert named(name) == (name, [])


@pytest.mark.parametrize("name", ["<b>x</b>", "**x**", "[x](y)", "`x`", "&lt;x&gt;", "![x](y)"])
def test_markup_is_kept_and_told(name: str) -> None:
    assert named(name) == (name, ["markup_in_source"])
