from __future__ import annotations

from typing import Any

from submissions.formats.preview import expected_judgements


def test_equal_and_blank_answers_make_no_work(check: Any, demonstration_document: Any) -> None:
    # Every item's answers are equal in the fixture, so that no pair is asked about.
    assert expected_judgements(check(demonstration_document).submission) == 0
    responses = demonstration_document["eloquent-robustness-results"]["items"][0]["responses"]
    responses[0]["response"] = "another"
    first = check(demonstration_document).submission
    language = first.items[0].responses[0].language
    others = sum(one.language == language for one in first.items[0].responses) - 1
    assert expected_judgements(first) == 2 * others  # the one that differs with each other, in both orders
    responses[0]["response"] = "  "
    assert expected_judgements(check(demonstration_document).submission) == 0
