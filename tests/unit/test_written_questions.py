"""The questions of our run of 2026 are as different as a real set's, in every one of its languages."""

from __future__ import annotations

import pytest

from submissions.promptsets.cultural import BASE_QUESTIONS
from tests.many_languages import WRITTEN_LANGUAGES, written_countries, written_questions


@pytest.mark.parametrize("language", WRITTEN_LANGUAGES)
def test_no_question_and_no_answer_stands_twice_and_every_question_can_name_a_country(language: str) -> None:
    wordings = written_questions(language)
    assert len({wording.question for wording in wordings}) == BASE_QUESTIONS
    assert len({answer for wording in wordings for answer in (wording.first, wording.second)}) == 2 * BASE_QUESTIONS
    countries = written_countries(language)
    assert len(set(countries)) == 8
    for wording in wordings:
        asked = {wording.question.format(country) for country in ("", *countries)}
        assert len(asked) == 9
        # No answer gives a country away: only the question names one.
        assert not any(country in f"{wording.first} {wording.second}" for country in countries)
