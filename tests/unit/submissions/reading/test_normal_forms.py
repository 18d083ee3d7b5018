"""Unicode's normal forms of texts that people write, and of such as nobody does."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.reading.normal_forms import MOST_MARKS, normal_form

Form = Literal["NFC", "NFKC", "NFKD"]
FORMS: tuple[Form, ...] = ("NFC", "NFKC", "NFKD")
ACUTE, DOT_BELOW = "\u0301", "\u0323"


@pytest.mark.parametrize("form", FORMS)
@given(text=st.text() | st.text(alphabet=f"ae\u00e9{ACUTE}{DOT_BELOW}\u0f73\uff9e\u0344", max_size=MOST_MARKS))
def test_every_text_with_few_marks_in_a_row_has_the_form_that_unicode_gives_it(form: Form, text: str) -> None:
    assert normal_form(form, text) == unicodedata.normalize(form, text)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("marks", [ACUTE, DOT_BELOW, ACUTE + DOT_BELOW, "\u0f73", "\uff9f", "\U0001e94a"])
def test_of_endless_marks_the_first_are_kept(form: Form, marks: str) -> None:
    kept = (marks * MOST_MARKS)[:MOST_MARKS]
    assert normal_form(form, f"a{marks * 10_000}b") == unicodedata.normalize(form, f"a{kept}b")
