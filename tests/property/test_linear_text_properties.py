"""What was made linear finds what it found before: each beside the expression that it replaced."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.generators.scripted import _draft
from evaluator.judges.http.calls import TOO_LONG
from evaluator.text.content_checks import _CLAUSE_END
from leaderboard.parts import text_difference
from research.pair.perturbations import _WHOLE_SENTENCE
from submissions.formats.personalized_evaluation.published_lines import _plots
from tests.stub_judge_server import _ANSWER, _TEXT, _sections

_OLD_CLAUSE_END = re.compile(r"[.,;:!?…()\n]+(?=\s|$)| [-–—] ")
_OLD_TOO_LONG = re.compile(r"context[ _]length|`inputs`.*tokens", re.IGNORECASE)
_OLD_WORD = re.compile(
    rf"\s*(?:[{text_difference._UNSPACED}][{text_difference._MARKS}]*|[^\s{text_difference._UNSPACED}]+)"
)
_OLD_WHOLE_SENTENCE = re.compile(r".*[^\W\d_].*[.!?…]", re.DOTALL)
_OLD_DRAFT = re.compile(r"\n\[begin draft\]\n(.*)\n\[end draft\]\n", re.DOTALL)
_OLD_PLOT = re.compile(r"\[The Start of Plot ([AB])\](.*?)\[The End of Plot \1\]", re.DOTALL)
_OLD_SECTION = re.compile(r"\n([^\n]*):\n\[begin ([0-9a-f]{16})\]\n(.*?)\n\[end \2\]\n", re.DOTALL)
_OLD_ANSWER = re.compile(r"\n(Answer [^\n]*):\n\[begin ([0-9a-f]{16})\]\n(.*?)\n\[end \2\]\n", re.DOTALL)

_MARKS = (16 * "a", 16 * "b")
_TOKENS = {
    "clauses": (*".,;!…()\n \t-–x", " - ", ". ", "word"),
    "refusals": ("`inputs`", "`INPUTS`", "tokens", "\n", "context length", "Context_", "length", " "),
    "words": (*" \n\t\u00a0", "word", "x", ".", "火", "ด", "ี"),
    "sentences": (*".!? _7\n", "a", "é", "…"),
    "drafts": ("\n[begin draft]\n", "\n[end draft]\n", "[begin draft]\n", "[end draft]", "\n", "text"),
    "plots": (*(f"[The {end} of Plot {letter}]" for end in ("Start", "End") for letter in "ABC"), "[", "x", "\n"),
    "sections": (
        *(f"\n[{end} {mark}]\n" for end in ("begin", "end") for mark in _MARKS),
        *(f"[{end} {mark}]\n" for end in ("begin", "end") for mark in _MARKS),
        "\nAnswer 1:",
        "\nThe question:",
        ":",
        "\n",
        "x",
    ),
}
"""What makes a difference to an expression, and little else: random text would hardly ever meet it."""


def _found(pattern: re.Pattern[str]) -> Callable[[str], object]:
    return lambda text: [found.span() for found in pattern.finditer(text)]


def _old_draft(text: str) -> str | None:
    drafts = _OLD_DRAFT.findall(text)
    return drafts[-1] if drafts else None


@pytest.mark.parametrize(
    ("tokens", "now", "before"),
    [
        ("clauses", _found(_CLAUSE_END), _found(_OLD_CLAUSE_END)),
        ("refusals", lambda text: bool(TOO_LONG.search(text)), lambda text: bool(_OLD_TOO_LONG.search(text))),
        ("words", _found(text_difference._WORD), _found(_OLD_WORD)),
        (
            "sentences",
            lambda text: bool(_WHOLE_SENTENCE.fullmatch(text)),
            lambda text: bool(_OLD_WHOLE_SENTENCE.fullmatch(text)),
        ),
        ("drafts", _draft, _old_draft),
        (
            "plots",
            lambda text: [tuple(plot) for plot in _plots(text)],
            lambda text: [(plot[1], plot[2], *plot.span()) for plot in _OLD_PLOT.finditer(text)],
        ),
        (
            "sections",
            lambda text: list(_sections(_TEXT, text)),
            lambda text: [(title, inner) for title, _, inner in _OLD_SECTION.findall(text)],
        ),
        (
            "sections",
            lambda text: list(_sections(_ANSWER, text)),
            lambda text: [(title, inner) for title, _, inner in _OLD_ANSWER.findall(text)],
        ),
    ],
)
@given(data=st.data())
def test_every_text_is_read_as_before(
    tokens: str, now: Callable[[str], object], before: Callable[[str], object], data: st.DataObject
) -> None:
    text = "".join(data.draw(st.lists(st.sampled_from(_TOKENS[tokens]) | st.characters(), max_size=30)))
    assert now(text) == before(text)
