"""Our sentences in many languages, and the pairs that follow from them."""

from __future__ import annotations

from collections import Counter

import pytest

from evaluator.judge_quality.e5.pairs import languages, pairs_within, texts, topics


def test_no_topic_is_both_fitted_on_and_measured_on() -> None:
    fitted, measured = ({topic.name for topic in topics(split)} for split in ("calibration", "test"))
    assert (len(fitted), len(measured), fitted & measured) == (10, 20, set())


@pytest.mark.parametrize("language", languages())
def test_a_language_has_thirty_pairs_that_say_the_same_and_five_times_as_many_that_do_not(language: str) -> None:
    pairs = [*pairs_within(language, "calibration"), *pairs_within(language, "test")]
    kinds = Counter(pair.kind for pair in pairs)
    # 30 topics: two contradictions (10, 11 and 9 topics of the three sorts), two other claims, one other subject each
    assert kinds == {
        "same": 30,
        "negation": 2 * 10,
        "changed_fact": 2 * 11,
        "swapped_roles": 2 * 9,
        "other_claim": 60,
        "other_subject": 30,
    }
    assert all(pair.first != pair.second for pair in pairs)


def test_no_sentence_stands_twice_in_a_language() -> None:
    known = [*texts("calibration").values(), *texts("test").values()]
    counted = Counter((one.language, sentence) for one in known for sentence in one.sentences)
    assert [sentence for sentence, count in counted.items() if count > 1] == []
