"""What two answers share word for word, and what is left of them to be read."""

from __future__ import annotations

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judges.pair.network import PairTokenizer
from evaluator.judges.pair.reading import MOST_TOKENS, Reading, reading
from evaluator.text.shared_text import folded, plain_sentences, unshared


@pytest.fixture(scope="module")
def tokenizer() -> PairTokenizer:
    return PairTokenizer()


def _reading(first: str, second: str, tokenizer: PairTokenizer) -> Reading | None:
    return reading(first, second, tokenizer, ScriptedEmbedder())


def test_only_what_the_other_answer_does_not_say_is_left_in_its_order() -> None:
    rest = unshared("Rinse it. Boil it for ten minutes. Serve it.", "Serve it! Rinse it. Boil it for two minutes.")
    assert rest.first == ("Boil it for ten minutes.",)
    assert rest.second == ("Boil it for two minutes.",)
    assert rest.shared == ("Rinse it.", "Serve it.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The colour of the centre is grey.", "The color of the center is gray."),
        ("We organised the travelling theatre.", "We organized the traveling theater."),
        ("**Do not** open `it`", "Don't open it."),
        ("1. It's 20 per cent", "- It is 20 percent."),
    ],
)
def test_spelling_contractions_and_markdown_make_no_other_sentence(one: str, other: str) -> None:
    assert [folded(part) for part in plain_sentences(one)] == [folded(part) for part in plain_sentences(other)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Take 2.5 g.", "Take 25 g."),
        ("It is -10 °C.", "It is 10 °C."),
        ("It costs 5 €.", "It costs 5 $."),
        ("You can go.", "You can't go."),
        ("It is four.", "It is for."),
        ("You may.", "You may?"),
    ],
)
def test_figures_signs_denials_and_questions_do(one: str, other: str) -> None:
    assert folded(one) != folded(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Leave any blisters closed.", "Leave the blisters closed."),
        ("Please rinse rice.", "Rinse the rice."),
        ("A doctor should see it.", "The doctor should see it."),
    ],
)
def test_an_article_makes_no_other_sentence(one: str, other: str) -> None:
    assert unshared(one, other).shared == (one,)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A few plants need it.", "Few plants need it."),
        ("A little salt helps.", "Little salt helps."),
        ("Take no rings off.", "Take any rings off."),
        ("Does any of it help?", "Does none of it help?"),
    ],
)
def test_a_word_that_changes_how_much_is_meant_does(one: str, other: str) -> None:
    assert unshared(one, other).shared == ()


def test_nothing_is_left_of_answers_of_the_same_sentences(tokenizer: PairTokenizer) -> None:
    assert _reading("Eat well. Sleep long.", "- Sleep long\n- Eat well\n- Eat well", tokenizer) is None


def test_an_addition_is_read_with_the_shared_sentence_that_is_most_like_it(tokenizer: PairTokenizer) -> None:
    said = "Salt the cheese late. The train leaves at nine."
    found = _reading(said, f"{said} Salt the cheese late, and never early.", tokenizer)
    assert found == Reading("Salt the cheese late.", "Salt the cheese late. Salt the cheese late, and never early.")


def test_a_text_shared_by_both_changes_nothing_of_what_is_read(tokenizer: PairTokenizer) -> None:
    shared = "Thank you for asking. I hope that this helps."
    bare = _reading("Rinse it first.", "Never rinse it.", tokenizer)
    assert bare == Reading("Rinse it first.", "Never rinse it.")
    assert _reading(f"{shared} Rinse it first.", f"{shared} Never rinse it.", tokenizer) == bare
    assert _reading(f"Rinse it first. {shared}", f"Never rinse it. {shared}", tokenizer) == bare


@pytest.mark.parametrize("text", ["tea " * 5_000, "x" * 40_000], ids=["words", "one word"])
def test_an_endless_answer_is_read_up_to_the_cap_and_the_rest_is_counted(text: str, tokenizer: PairTokenizer) -> None:
    found = _reading(text, "Milk.", tokenizer)
    assert found is not None
    assert 0 < len(tokenizer.tokens(found.first)) <= MOST_TOKENS
    assert found.unread_first == len(text[len(found.first) :].split())
    assert found.unread_first > 0
    assert found.unread_second == 0
