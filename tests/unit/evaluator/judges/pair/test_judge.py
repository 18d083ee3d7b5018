"""The trained pair judge as it ships: what it scores, what it leaves alone, what it points at."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.shared_text import ENDS, SHARED_TEXTS, End, with_shared
from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.judge_quality.long_answers import all_pairs
from evaluator.judges.pair.judge import CHECKS, PairJudge, load_pair_judge
from evaluator.judges.prompts import SIMILARITY_GROUP, SIMILARITY_PAIR
from evaluator.judges.protocol import JudgeRequest, Judgment, UnsuitableJudge
from evaluator.text.content_checks import sentences

TALK = (
    "Practise the talk aloud twice. Begin with a question to the room. Keep each slide to one thought. "
    "Look at people, not at the screen."
)
TALK_ENDING_OTHERWISE = (
    "Practise the talk aloud twice. Begin with a question to the room. Keep each slide to one thought. "
    "Turn your back to people and read from the screen."
)
LONG = " ".join(f"Point {number}: keep the receipts of that month in an envelope of their own." for number in range(40))


@pytest.fixture(scope="module")
def judge() -> PairJudge:
    return load_pair_judge(MiniLMEmbedder())


def _request(first: str, second: str, language: str = "en") -> JudgeRequest:
    return JudgeRequest(SIMILARITY_PAIR, {"answer_a": first, "answer_b": second}, language)


def _judged(judge: PairJudge, first: str, second: str, language: str = "en") -> Judgment:
    return judge.judge([_request(first, second, language)])[0]


def test_identical_answers_are_five_and_blank_ones_unscored(judge: PairJudge) -> None:
    assert _judged(judge, "Yes, do.", " Yes,  do. ").rating == 5.0
    blank = _judged(judge, "Yes.", "  ")
    assert (blank.rating, blank.reason) == (None, "an answer is blank")


def test_other_languages_are_not_judged(judge: PairJudge) -> None:
    judgment = _judged(judge, "Ja, gern.", "Nein.", "de")
    assert judgment.rating is None
    assert judgment.reason is not None
    assert "'de'" in judgment.reason


def test_it_reads_pairs_only(judge: PairJudge) -> None:
    with pytest.raises(ValueError, match="similarity_group"):
        judge.judge([JudgeRequest(SIMILARITY_GROUP, {"answer_1": "a", "answer_2": "b"}, "en")])


def test_a_paraphrase_stands_above_a_contradiction_in_the_same_words(judge: PairJudge) -> None:
    said = "You should rinse the rice before you cook it."
    paraphrase = _judged(judge, said, "Before cooking it is best to wash the rice.").rating
    denied = _judged(judge, said, "You should not rinse the rice before you cook it.").rating
    assert paraphrase is not None
    assert denied is not None
    assert 0 <= denied < 2.5 < paraphrase <= 5


def test_orders_are_judged_separately_and_neighbours_do_not_matter(judge: PairJudge) -> None:
    ab, ba = _request(TALK, TALK_ENDING_OTHERWISE), _request(TALK_ENDING_OTHERWISE, TALK)
    together = judge.judge([ab, ba])
    assert judge.judge([ba])[0] == together[1]
    assert judge.judge([ab])[0] == together[0]
    assert judge.key(ab) != judge.key(ba)


def test_the_details_hold_the_logit_the_checks_and_the_least_supported_sentences(judge: PairJudge) -> None:
    judgment = _judged(judge, TALK, TALK_ENDING_OTHERWISE)
    assert {"network", *CHECKS} <= set(judgment.details)
    assert judgment.rating is not None
    assert judgment.rating < 3.5
    for name, text in (("least_supported_a", TALK), ("least_supported_b", TALK_ENDING_OTHERWISE)):
        assert 0 <= judgment.details[name] < len(sentences(text))
    assert judgment.details["least_supported_b"] == 3  # all other sentences stand in the other answer word by word


def test_a_changed_tail_of_an_answer_beyond_the_window_lowers_the_rating(judge: PairJudge) -> None:
    end, other_end = " Send the form before the end of May.", " Never send the form before the end of May."
    same = _judged(judge, LONG + end, LONG + " By the end of May, send off the form.").rating
    changed = _judged(judge, LONG + end, LONG + other_end).rating
    assert same is not None
    assert changed is not None
    assert changed < same


def test_sentences_in_another_order_and_layout_are_the_same_and_neither_stands_above_the_other(
    judge: PairJudge,
) -> None:
    moved = "Look at people, not at the screen. Keep each slide to one thought. Practise the talk aloud twice. " + (
        "Begin with a question to the room."
    )
    listed = "## Giving a talk\n" + "\n".join(f"- **{sentence}**" for sentence in sentences(TALK))
    assert _judged(judge, TALK, moved).rating == 5.0
    assert _judged(judge, listed.split("\n", 1)[1], moved).rating == 5.0
    assert _judged(judge, TALK, moved).details == {"same_sentences": 1.0}
    headed = _judged(judge, TALK, listed).rating
    assert headed is not None
    assert headed <= 5.0


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("text", SHARED_TEXTS, ids=lambda text: f"{len(text.split())} words")
def test_a_text_that_both_answers_share_moves_the_score_by_015_points_at_most(
    judge: PairJudge, text: str, end: End
) -> None:
    pairs = [pair for pair in all_pairs("test") if 20 < len(pair.a) + len(pair.b) < 250][::70]
    bare = judge.judge([_request(pair.a, pair.b) for pair in pairs])
    shared = [with_shared(pair, text, end) for pair in pairs]
    after = judge.judge([_request(pair.a, pair.b) for pair in shared])
    assert len(pairs) >= 4
    for one, two in zip(bare, after, strict=True):
        assert one.rating is not None
        assert two.rating == pytest.approx(one.rating, abs=0.15)


def test_the_order_of_sentences_that_differ_matters_little(judge: PairJudge) -> None:
    """Half a point is the stated tolerance."""
    other = "Say the talk out loud two times. Open by asking the audience something. One idea to a slide is enough."
    first, *rest = sentences(other)
    straight, turned = _judged(judge, TALK, other).rating, _judged(judge, TALK, " ".join([*rest, first])).rating
    assert straight is not None
    assert turned == pytest.approx(straight, abs=0.5)


def test_yes_against_no_is_not_the_same(judge: PairJudge) -> None:
    rating = _judged(judge, "Yes, you can wash it at sixty degrees.", "No, sixty degrees is too hot for it.").rating
    assert rating is not None
    assert rating < 2.5


def test_what_is_too_long_to_be_read_is_counted_and_costs_no_more(judge: PairJudge) -> None:
    long = " ".join(f"word{number}" for number in range(4_000))
    judgment = _judged(judge, f"{long} first.", "Another answer, and a short one.")
    assert judgment.rating is not None
    # Every "wordN" is one token at least, so that 1,000 of them are read at most, and 4,001 words stand there.
    assert judgment.details["unread_words_a"] > 3_000
    assert "unread_words_b" not in judgment.details


def test_a_folder_without_the_trained_part_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnsuitableJudge, match="train-pair-judge"):
        load_pair_judge(MiniLMEmbedder(), tmp_path)


def test_it_tells_which_pair_it_is_at_so_that_one_it_stands_still_at_is_known(judge: PairJudge) -> None:
    long = " ".join(f"This is sentence {number} of a long answer." for number in range(60))
    requests = [_request("same", "same"), _request("It rains today.", "It snows today."), _request(long, long[:-9])]
    told: list[int | None] = []
    judge.on_request = told.append
    try:
        judge.judge(requests)
    finally:
        judge.on_request = lambda place: None
    # Identical answers are settled before anything is read; from the others what they share is taken, then they are
    # cut, read together and checked.
    assert [place for place in told if place is not None] == [1, 2, 1, 2, 1, 2]
    assert None in told
