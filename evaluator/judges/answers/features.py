"""What the answer head looks at: its network, how near a text comes to its prompt, and which language it is in."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from evaluator.embeddings.protocol import Embedder, Vectors, text_vectors
from evaluator.text.content_checks import content_words, sentences, words
from submissions.formats.eloquent.guards import voting_text
from submissions.formats.eloquent.languages import sure_language

if TYPE_CHECKING:
    from evaluator.judges.pair.network import PairNetwork, PairTokenizer

LANGUAGE = "en"
"""What the head reads."""

MOST_CHARACTERS = 16_000
"""Of a longer text the first ones are read: bounds the time."""

MOST_LOGIT = 12.0
"""Beyond it the network is as sure as can be; keeps a text without tokens finite."""

OTHERS_QUANTILE = 0.8
"""Of the similarities to other prompts: what a text that is about something, but not about this, reaches."""

ENOUGH_NEAR = 0.35
ENOUGH_NEARER = 0.3
"""Cosines above these say more about wording than about an answer, so they stop counting (chosen on validation)."""

SHORT_WORDS = (3, 15)
"""Up to the first a text is short, from the second on it is not: few words share little with their prompt."""

LONG_WORDS = (40, 100)
"""Up to the first a text is not long, from the second on it is."""

ENOUGH_WHOLE = 0.3
"""Cosine of a prompt and a whole text that long answers reach: 98% of the real replies that the head was chosen on, and
2% of those to another prompt."""

MOST_FOREIGN = 0.5
"""Share of a text's letters in other languages above which it is in another language."""

MOST_SENTENCES_TOLD = 40
"""Sentences whose language is looked up: of a longer text the first ones."""

_ADDRESS = re.compile(r"\b(?:https?://|www\.)\S+", re.IGNORECASE)

_NAMES_A_LANGUAGE = re.compile(
    r"\b(?:arabic|bengali|catalan|chinese|czech|danish|dutch|finnish|french|german|greek|hebrew|hindi|icelandic|italian|"
    r"japanese|kannada|korean|latin|marathi|norwegian|polish|portuguese|russian|slovak|spanish|swedish|tamil|telugu|"
    r"turkish|ukrainian|translat\w*)\b",
    re.IGNORECASE,
)
"""A prompt that does may want an answer in it."""


def answer_features(
    network: PairNetwork,
    tokenizer: PairTokenizer,
    embedder: Embedder,
    others: Vectors,
    asked: Sequence[tuple[str, str]],
    told: Callable[[], None] = lambda: None,
) -> list[dict[str, float]]:
    """What the calibration weighs, for each prompt and text that is not blank.

    `network` is the network's logit and `content` its log-sigmoid, which a sure text cannot raise further; `near` is
    the cosine of the prompt and the text without the prompt's own words, `nearer` how far it lies above that of most
    other prompts; `short` is 1 for a few words, 0 from a sentence on; `far` is how much a long text as a whole lacks to
    the cosine that long answers reach, 0 or less; `foreign` is 1 for a text in another language, else 0.

    Args:
        network: With its trained part.
        tokenizer: Of the network.
        embedder: Of prompts and texts.
        others: Unit vectors of prompts of other topics; shape (prompts, dimension).
        asked: Prompts and texts.
        told: Called each time it gets on.
    """
    from evaluator.judges.answers.network import logits

    begun = [(prompt, without_addresses(text[:MOST_CHARACTERS])) for prompt, text in asked]
    features = []
    for (prompt, text), logit, (near, nearer), far in zip(
        begun,
        logits(network, tokenizer, begun, told),
        nearness(embedder, others, begun),
        farness(embedder, begun),
        strict=True,
    ):
        told()
        said = float(min(MOST_LOGIT, max(-MOST_LOGIT, logit)))
        features.append(
            {
                "network": said,
                "content": -math.log1p(math.exp(-said)),
                "near": min(ENOUGH_NEAR, near),
                "nearer": min(ENOUGH_NEARER, nearer),
                "short": 1.0 - _rise(len(text.split()), SHORT_WORDS),
                "far": far,
                "foreign": float(is_foreign(prompt, text)),
            }
        )
    return features


def nearness(embedder: Embedder, others: Vectors, asked: Sequence[tuple[str, str]]) -> list[tuple[float, float]]:
    """How near what a text adds to its prompt comes to it: the cosine, and that less the one most other prompts reach.

    Copying the prompt's words brings a text no nearer, they are taken out first. A text without other words: (0, 0).
    """
    rests = [own_words(prompt, text) for prompt, text in asked]
    needed = list(
        dict.fromkeys(text for (prompt, _), rest in zip(asked, rests, strict=True) for text in (prompt, rest))
    )
    rows = {text: row for row, text in enumerate(needed)}
    vectors = text_vectors(embedder, needed).astype(np.float64) if needed else np.zeros((0, 1))
    nearnesses = []
    for (prompt, _), rest in zip(asked, rests, strict=True):
        if not content_words(rest):
            nearnesses.append((0.0, 0.0))
            continue
        vector = vectors[rows[rest]]
        own = float(vectors[rows[prompt]] @ vector)
        nearnesses.append((own, own - float(np.quantile(others.astype(np.float64) @ vector, OTHERS_QUANTILE))))
    return nearnesses


def farness(embedder: Embedder, asked: Sequence[tuple[str, str]]) -> list[float]:
    """By how much the cosine of a prompt and a long text, its prompt's words included, lies below `ENOUGH_WHOLE`.

    0 or less; 0 for texts of up to `LONG_WORDS[0]` words, which are not embedded for it.
    """
    lengths = [_rise(len(text.split()), LONG_WORDS) for _, text in asked]
    needed = list(dict.fromkeys(text for both, length in zip(asked, lengths, strict=True) if length for text in both))
    vectors = dict(zip(needed, text_vectors(embedder, needed).astype(np.float64), strict=True)) if needed else {}
    return [
        -length * max(0.0, ENOUGH_WHOLE - float(vectors[prompt] @ vectors[text])) if length else 0.0
        for (prompt, text), length in zip(asked, lengths, strict=True)
    ]


def _rise(number: int, ends: tuple[int, int]) -> float:
    """0 up to the first end, 1 from the second on, linear between."""
    return min(1.0, max(0.0, (number - ends[0]) / (ends[1] - ends[0])))


def without_addresses(text: str) -> str:
    """A text without web addresses: nobody follows them here, and one made of the prompt's words looks like a source.

    >>> without_addresses("See https://example.org/how-to-boil-rice for all of it.")
    'See  for all of it.'
    """
    return _ADDRESS.sub("", text)


def own_words(prompt: str, text: str) -> str:
    """A text without the content words of its prompt.

    >>> own_words("How do I boil rice?", "Boil the rice in salted water.")
    'the in salted water.'
    """
    asked = set(content_words(prompt))
    return " ".join(word for word in text.split() if not ((content := set(content_words(word))) and content <= asked))


def is_foreign(prompt: str, text: str) -> bool:
    """Is most of a text in another language than English? Not where the prompt names a language: it may want it.

    >>> is_foreign("How do I boil rice?", "Rice: kannattaa keittää vedessä noin kymmenen minuuttia.")
    True
    """
    return not _NAMES_A_LANGUAGE.search(prompt) and foreign_share(prompt, text) > MOST_FOREIGN


def foreign_share(prompt: str, text: str, language: str = LANGUAGE) -> float:
    """Share of a text's letters that stand in sentences surely of another language than it should be in, 0-1.

    Words of the prompt do not make a sentence one of its language; a sentence that surely is with them is.

    >>> foreign_share("Hur kokar jag ris?", "Boil it in salted water for about ten minutes, then drain it.", "sv")
    1.0
    """
    own = set(words(prompt))
    letters = foreign = 0
    for sentence in sentences(text)[:MOST_SENTENCES_TOLD]:
        count = sum(character.isalpha() for character in sentence)
        letters += count
        if _in_another_language(sentence, own, language):
            foreign += count
    return foreign / letters if letters else 0.0


def _in_another_language(sentence: str, own: set[str], language: str) -> bool:
    rest = " ".join(word for word in sentence.split() if not own.issuperset(words(word)))
    expected = _CALLED.get(language, language)
    return _language(rest) not in (None, expected) and _language(sentence) != expected


_CALLED = {"no": "nb"}
"""Languages that the detector calls otherwise."""


def _language(text: str) -> str | None:
    votes = voting_text(text)
    return sure_language(votes) if votes else None
