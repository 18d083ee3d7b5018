"""What the pair judge reads of two answers."""

from __future__ import annotations

import pytest

from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.judges.pair.network import PairTokenizer
from evaluator.judges.pair.reading import Reading, reading

FERN, BREAD = "Water the fern once a week.", "Bread dough rises in an hour."
SHARED = f"{FERN} {BREAD}"


@pytest.mark.parametrize(
    ("added", "belongs_to"),
    [("A fern that gets too much water rots.", FERN), ("Rye dough needs longer to rise than other bread.", BREAD)],
)
def test_an_addition_is_read_with_the_shared_sentence_that_it_belongs_to(added: str, belongs_to: str) -> None:
    tokenizer, embedder = PairTokenizer(), MiniLMEmbedder()
    longer = f"{SHARED} {added}"
    assert reading(longer, SHARED, tokenizer, embedder) == Reading(f"{belongs_to} {added}", belongs_to)
    assert reading(SHARED, longer, tokenizer, embedder) == Reading(belongs_to, f"{belongs_to} {added}")


def test_what_each_adds_is_read_without_what_they_share() -> None:
    first, second = f"{SHARED} Keep it in the shade.", f"{SHARED} Keep it in the sun."
    read = reading(first, second, PairTokenizer(), MiniLMEmbedder(), "How do I keep it?")
    assert read == Reading("Keep it in the shade.", "Keep it in the sun.", question="How do I keep it?")


def test_of_two_answers_that_say_the_same_nothing_is_left() -> None:
    assert reading(SHARED, f"{BREAD} {FERN}", PairTokenizer(), MiniLMEmbedder()) is None
