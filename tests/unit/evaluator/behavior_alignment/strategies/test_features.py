"""What a head reads of a sentence."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from evaluator.behavior_alignment.strategies.features import TextFeatures, character_terms, term_counts, word_terms

TEXTS = (
    "So you like trains, and trains only?",
    "I'd love to see IT again!",
    "a b c",
    "Ein Café — für zwei.",
    "trains trains trains like you",
    "",
    "…",
)


def test_features_are_those_of_scikit_learn() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True)
    expected = sparse.hstack([words.fit_transform(TEXTS), characters.fit_transform(TEXTS)]).toarray()
    counts = [term_counts(text) for text in TEXTS]
    features = TextFeatures.of(counts)
    found = np.zeros((len(TEXTS), len(features)))
    for place, text in enumerate(counts):
        row = features.row(text)
        found[place, row.places] = row.values
    assert found.shape == expected.shape
    assert found == pytest.approx(expected)


def test_terms_that_were_not_seen_in_training_are_left_out() -> None:
    features = TextFeatures.of([term_counts("go and see")])
    row = features.row(term_counts("zzz"))
    assert len(row.places) == 0
    assert len(features.row(term_counts("go")).places) > 0


def test_short_words_make_one_term_of_each_length_they_have() -> None:
    assert list(character_terms("a")) == [" a", "a ", " a "]
    assert list(word_terms("a I x")) == []
