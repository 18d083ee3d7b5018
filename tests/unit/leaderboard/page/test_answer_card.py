"""The card of what says whether a text answers its prompt."""

from __future__ import annotations

from evaluator.judges.answers.other_languages import joined_pin
from evaluator.values import Pin
from leaderboard.page.answer_card import (
    OTHER_LANGUAGES,
    WRITTEN_BY,
    answer_card,
    is_earlier_head,
    measured_by_language,
    measured_head,
)


def test_the_shipped_head_shows_its_measurement_by_kind_and_how_its_data_were_made() -> None:
    quality = measured_head()
    card = answer_card(quality.judge)
    facts = {one["name"]: one["text"] for one in card["facts"]}
    # docs/answer_gate.md: AUC 0.963 [0.953, 0.972] on 2,845 texts of 65 topics, 986 of them answers.
    assert facts["Answers told from other texts"] == "AUC 0.96 [0.95, 0.97] on 2845 texts, 986 of them answers"
    assert facts["Languages"] == "en"
    assert card["context"] == "on 2845 English texts of 65 topics it has not seen"
    assert WRITTEN_BY in card["notes"]
    (panel,) = card["quality"]
    assert len(panel["lines"]) == 27
    weakest = {line["name"]: line["cells"][0] for line in panel["lines"][:2]}
    assert weakest["no answer: same topic"].startswith("0.79 ")  # 0.787
    assert weakest["no answer: small model rambling"].startswith("0.82 ")  # 0.817


def test_the_two_heads_of_the_later_editions_show_other_languages_too_and_that_these_are_read_worse() -> None:
    others = measured_by_language()["sv"].judge
    card = answer_card(joined_pin(measured_head().judge, others))
    assert [panel["title"] for panel in card["quality"]][1:] == ["In other languages (AUC)"]
    gates = {line["name"]: line["cells"][-1] for line in card["quality"][1]["lines"]}
    # docs/answer_gate.md: Italian has an AUC of 0.947, below the bar of 0.95.
    assert (gates["sv"], gates["it"]) == ("yes", "no")
    assert OTHER_LANGUAGES in card["notes"]


def test_a_head_that_was_never_measured_says_so() -> None:
    other: Pin = measured_head().judge.model_copy(update={"revision": "another"})
    card = answer_card(other)
    assert {one["name"]: one["text"] for one in card["facts"]}["Answers told from other texts"] == "not measured"
    assert card["quality"] == []
    assert WRITTEN_BY not in card["notes"]


def test_a_head_is_earlier_by_its_calibration_and_on_no_other_machine() -> None:
    english = measured_head().judge
    both = joined_pin(english, measured_by_language()["sv"].judge)
    elsewhere = {"dtype": "bfloat16", "engine": "transformers 9", "revision": "of the same weights as the Hub has them"}
    for head in (english, both):
        assert not is_earlier_head(head)
        assert not is_earlier_head(head.model_copy(update=elsewhere))
        former = head.prompt.replace("calibration 3", "calibration 2")
        assert is_earlier_head(head.model_copy(update={"prompt": former}))
    assert is_earlier_head(both.model_copy(update={"prompt": both.prompt[:-1] + "?"}))  # of the other languages alone
    assert not is_earlier_head(english.model_copy(update={"name": "transformers", "prompt": "answers 1"}))
