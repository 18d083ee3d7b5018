"""What the pair judge reads of answers that do not fit into the network together: nothing is left out."""

from __future__ import annotations

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judge_quality.labelled_pairs import LabelledPair, labelled_pairs
from evaluator.judges.pair.alignment import (
    COUNTERPART_TOKENS,
    STRETCH_TOKENS,
    SplitAnswer,
    aligned_windows,
    sentence_pairs,
    split_answer,
)
from evaluator.judges.pair.network import PairTokenizer
from evaluator.judges.pair.reading import MOST_TOKENS
from evaluator.text.content_checks import sentences

TOPICS = ("tents", "soups", "chess", "rivers", "violins", "taxes", "horses", "bridges", "clouds", "ovens")


@pytest.fixture(scope="module")
def tokenizer() -> PairTokenizer:
    return PairTokenizer()


def _split(text: str, tokenizer: PairTokenizer) -> SplitAnswer:
    return split_answer(text, tokenizer, ScriptedEmbedder())


def _long_answer(last: str) -> str:
    """About 400 words in forty sentences, each about one of ten things, and a last one."""
    body = [f"Sentence {number} says much about {TOPICS[number % 10]} and only them." for number in range(40)]
    return " ".join([*body, last])


def _places(part: str, answer: SplitAnswer) -> list[int]:
    """Which sentences of an answer stand in a part of it, by their place."""
    return [answer.sentences.index(sentence) for sentence in sentences(part)]


def test_an_answer_is_its_sentences_with_their_lengths_and_unit_vectors(tokenizer: PairTokenizer) -> None:
    answer = _split("Go to bed early. No screens!", tokenizer)
    assert answer.sentences == ("Go to bed early.", "No screens!")
    assert answer.lengths == (5, 3)  # four words and a full stop; two words and a mark
    assert answer.origins == (0, 1)
    assert (answer.vectors**2).sum(axis=1) == pytest.approx([1, 1])


def test_a_sentence_too_long_for_a_window_is_cut_into_pieces_that_fit(tokenizer: PairTokenizer) -> None:
    long = " ".join(["word"] * 450)
    answer = _split(f"Short one. {long}\nAnother.", tokenizer)
    # 450 -> 225 + 225 -> 112 + 113 + 112 + 113
    assert answer.lengths == (3, 112, 113, 112, 113, 2)
    assert answer.origins == (0, 1, 1, 1, 1, 2)
    assert " ".join(answer.sentences[1:5]) == long


def test_an_endless_word_is_cut_too(tokenizer: PairTokenizer) -> None:
    endless = "a-" * 400
    answer = _split(endless, tokenizer)
    assert max(answer.lengths) <= STRETCH_TOKENS
    assert "".join(answer.sentences) == endless
    assert set(answer.origins) == {0}


def test_of_a_longer_answer_than_anybody_gives_the_beginning_is_read(tokenizer: PairTokenizer) -> None:
    whole = sentences(" ".join(_long_answer(f"Part {number} ends here.") for number in range(12)))
    answer = _split(" ".join(whole), tokenizer)
    assert answer.sentences == tuple(whole[: len(answer.sentences)])
    # 12 x 41 sentences are read in runs of two; the next run, of at most 21 tokens, would have been too much.
    assert MOST_TOKENS - 21 < sum(answer.lengths) <= MOST_TOKENS
    # 16 stretches of 200 tokens, which whole sentences do not fill; each answer is cut once
    assert len(aligned_windows(answer, answer)) <= 2 * (MOST_TOKENS // STRETCH_TOKENS + 2)


@pytest.mark.parametrize("number", [1, 2, 5, 60])
def test_every_sentence_of_either_answer_stands_in_some_window_in_its_order(
    tokenizer: PairTokenizer, number: int
) -> None:
    first = _split(_long_answer("The end is near."), tokenizer)
    second = _split(" ".join(f"Remark {place} is on {TOPICS[place % 7]}." for place in range(number)), tokenizer)
    windows = aligned_windows(first, second)
    for side, answer in ((0, first), (1, second)):
        seen = [_places(window[side], answer) for window in windows]
        assert {place for places in seen for place in places} == set(range(len(answer.sentences)))
        assert all(places == sorted(places) for places in seen)


def test_stretches_of_one_answer_do_not_overlap_and_come_in_order(tokenizer: PairTokenizer) -> None:
    first, second = (_split(_long_answer(end), tokenizer) for end in ("It ends well.", "It ends badly."))
    windows = aligned_windows(first, second)
    # 40 sentences of 10 tokens (9 words and a full stop) and one of 4: 404 tokens, so 3 stretches each
    assert len(windows) == 6
    assert [place for window in windows[:3] for place in _places(window[0], first)] == list(range(41))
    assert [place for window in windows[3:] for place in _places(window[1], second)] == list(range(41))


@pytest.mark.parametrize(
    "pair",
    [pair for pair in labelled_pairs("validation") if len(pair.a.split()) > 200][:4],
    ids=lambda pair: pair.id,
)
def test_both_sides_of_a_window_keep_to_their_budget(tokenizer: PairTokenizer, pair: LabelledPair) -> None:
    for one, two in aligned_windows(_split(pair.a, tokenizer), _split(pair.b, tokenizer)):
        shorter, longer = sorted((len(tokenizer.tokens(one)), len(tokenizer.tokens(two))))
        assert shorter <= STRETCH_TOKENS
        assert longer <= COUNTERPART_TOKENS
        assert tokenizer.fits(one, two)


def test_a_counterpart_within_budget_is_chosen_by_likeness(tokenizer: PairTokenizer) -> None:
    # the second answer says the same thing a hundred times: at most 280 tokens of it stand beside the first
    first = _split("Cats sleep a lot.", tokenizer)
    second = _split(" ".join(f"Cats sleep a lot, {place}." for place in range(100)), tokenizer)
    (forward, *_) = aligned_windows(first, second)
    assert forward[0] == "Cats sleep a lot."
    assert COUNTERPART_TOKENS - 8 < len(tokenizer.tokens(forward[1])) <= COUNTERPART_TOKENS


def test_a_changed_tail_stands_beside_the_tail_it_changes(tokenizer: PairTokenizer) -> None:
    kept, changed = "Never leave the oven on at night.", "Always leave the oven on at night."
    windows = aligned_windows(_split(_long_answer(kept), tokenizer), _split(_long_answer(changed), tokenizer))
    assert not tokenizer.fits(_long_answer(kept), _long_answer(changed))
    beside = [window for window in windows if kept in window[0] and changed in window[1]]
    assert len(beside) == 2  # once from each answer


def test_one_sentence_beside_a_long_answer_is_in_every_window(tokenizer: PairTokenizer) -> None:
    windows = aligned_windows(_split("Tents are fine.", tokenizer), _split(_long_answer("Bye."), tokenizer))
    assert {window[0] for window in windows} == {"Tents are fine."}


def test_an_answer_of_invisible_characters_has_windows_too(tokenizer: PairTokenizer) -> None:
    invisible = _split("\u200b", tokenizer)
    assert invisible.lengths == (0,)
    windows = aligned_windows(invisible, _split(_long_answer("Bye."), tokenizer))
    assert {window[0] for window in windows} == {"\u200b"}


def test_each_sentence_stands_beside_the_one_most_like_it(tokenizer: PairTokenizer) -> None:
    first = _split("Dogs bark at night. Soup is hot.", tokenizer)
    second = _split("The soup is hot. At night dogs bark.", tokenizer)
    assert sentence_pairs(first, second) == [
        ("Dogs bark at night.", "At night dogs bark."),
        ("Soup is hot.", "The soup is hot."),
    ]
