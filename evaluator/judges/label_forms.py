"""The ways a language model writes a label, and the label's probability: the sum over all of them.

Tokenizers of today's models keep a digit apart from the space before it, so the label 4 after "score:" is a space, then
"4"; others have one token for both, and some models begin with a line break or in bold. A form is a lead from `LEADS`
and the label behind it; a path is a form as tokens. The probability of a label is the sum over its paths, each the
product of its tokens' probabilities (docs/judges.md#how-a-label-is-read).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from evaluator.judges.protocol import UnsuitableJudge

Token = TypeVar("Token")

LEADS = ("", " ", "\n", "\n\n", "**", " **")
"""What may stand between the tail of a rubric and the label."""

LONGEST_PATH = 3
"""Tokens of a path at most."""

IGNORED_BELOW = 1e-3
"""A server is not asked what follows a lead that is less probable than this: no label gains more than that by it."""

_MARKS = str.maketrans({"\u0120": " ", "\u2581": " ", "\u010a": "\n"})
_LINE_BREAK_BYTE = "<0x0A>"


@dataclass(frozen=True)
class LabelForms(Generic[Token]):
    """The paths of some labels; tokens are ids, or texts where a server tells no ids."""

    labels: tuple[str, ...]
    paths: tuple[tuple[tuple[Token, ...], ...], ...]
    """For each label every path that writes it."""

    @cached_property
    def contexts(self) -> tuple[tuple[Token, ...], ...]:
        """The beginnings of paths, after each of which a next token is read; shorter ones first."""
        beginnings = {path[:length] for path in self.weights for length in range(len(path))}
        return tuple(sorted(beginnings, key=lambda beginning: (len(beginning), str(beginning))))

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Every token of any path, once."""
        return tuple(dict.fromkeys(token for path in self.weights for token in path))

    def next_tokens(self, context: tuple[Token, ...]) -> tuple[Token, ...]:
        """Return the tokens with which paths go on after a context."""
        length = len(context)
        going_on = (path for path in self.weights if len(path) > length and path[:length] == context)
        return tuple(dict.fromkeys(path[length] for path in going_on))

    @cached_property
    def weights(self) -> Mapping[tuple[Token, ...], tuple[tuple[int, int], ...]]:
        """Path -> (place of a label, how often the path counts for it).

        A path that goes on to a longer label ("1" to "10") is taken from the shorter one.
        """
        weights: dict[tuple[Token, ...], tuple[tuple[int, int], ...]] = {}
        for place, paths in enumerate(self.paths):
            for path in paths:
                shorter = [
                    (other, -1)
                    for other, others in enumerate(self.paths)
                    for beginning in others
                    if len(beginning) < len(path) and path[: len(beginning)] == beginning
                ]
                weights[path] = ((place, 1), *shorter)
        return weights

    def probabilities(self, steps: Mapping[tuple[Token, ...], Mapping[Token, float]]) -> tuple[float, ...]:
        """Return the probability of each label.

        Args:
            steps: Context -> probability of each next token. What is missing counts as 0.

        >>> forms = LabelForms(("1", "10"), (((1,), (9, 1)), ((1, 0),)))
        >>> forms.probabilities({(): {1: 0.5, 9: 0.4}, (9,): {1: 1.0}, (1,): {0: 0.2}})  # .5 x .8 + .4; .5 x .2
        (0.8, 0.1)
        """
        terms: list[list[float]] = [[] for _ in self.labels]
        for path, weights in self.weights.items():
            probability = _reached(path, steps)
            for place, weight in weights:
                terms[place].append(weight * probability)
        return tuple(math.fsum(of_label) for of_label in terms)

    def ask(self, next_probabilities: Callable[[tuple[Token, ...]], Mapping[Token, float]]) -> tuple[float, ...]:
        """Return the probability of each label, asking for one context after the other, likely ones only.

        Args:
            next_probabilities: Called with a context; returns the probability of each token after it.
        """
        steps: dict[tuple[Token, ...], Mapping[Token, float]] = {}
        for context in self.contexts:
            if not _reached(context, steps) < IGNORED_BELOW:  # a NaN is asked on: it leaves the judgment unscored
                steps[context] = next_probabilities(context)
        return self.probabilities(steps)


def _reached(path: tuple[Token, ...], steps: Mapping[tuple[Token, ...], Mapping[Token, float]]) -> float:
    """The probability that a reply begins with these tokens."""
    return math.prod(steps.get(path[:place], {}).get(token, 0.0) for place, token in enumerate(path))


def token_text(token: str) -> str:
    r"""Return the text of a token as a vocabulary spells it: byte-level BPE, SentencePiece or plain.

    >>> token_text("\u01204"), token_text("\u2581"), token_text("<0x0A>")
    (' 4', ' ', '\n')
    """
    return "\n" if token == _LINE_BREAK_BYTE else token.translate(_MARKS)


def forms_in_vocabulary(vocabulary: Iterable[tuple[str, int]], labels: Sequence[str]) -> LabelForms[int]:
    """Find the paths of labels in the vocabulary of a tokenizer.

    Args:
        vocabulary: Token as the vocabulary spells it, and its id; without special tokens.
        labels: In the order of the result.

    Raises:
        UnsuitableJudge: when a label cannot be written with these tokens.
    """
    ids: dict[str, list[int]] = {}
    for token, index in sorted(vocabulary, key=lambda entry: entry[1]):
        ids.setdefault(token_text(token), []).append(index)
    paths = tuple(tuple(_paths(label, lambda text: ids.get(text, []), _shortest_spelling)) for label in labels)
    missing = [label for label, of_label in zip(labels, paths, strict=True) if not of_label]
    if missing:
        raise UnsuitableJudge(f"its vocabulary has no single token for the labels {', '.join(missing)}")
    return LabelForms(tuple(labels), paths)


def tokens_of_forms(vocabulary: Iterable[tuple[str, int]], labels: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Return the entries of a vocabulary that may be part of a path of some labels."""
    parts = {*LEADS, *(f"{lead}{label}" for lead in LEADS for label in labels)}
    return tuple(sorted((token, index) for token, index in vocabulary if token_text(token) in parts))


def leads_in_vocabulary(vocabulary: Iterable[tuple[str, int]]) -> str:
    r"""Name the leads that a vocabulary can write before a label, for the pin of a judge.

    >>> leads_in_vocabulary([("\u0120", 0), ("\u010a", 1), ("4", 2)])
    'alone or behind " ", "\\n", "\\n\\n"'
    """
    ids = {token_text(token): index for token, index in vocabulary}
    leads = [
        lead for lead in LEADS if lead and _shortest_spelling(lead, lambda text: [ids[text]] if text in ids else [])
    ]
    return f"alone or behind {', '.join(map(json.dumps, leads))}" if leads else "alone"


def forms_as_texts(labels: Sequence[str]) -> LabelForms[str]:
    r"""Return the paths of labels for a server that tells its tokens as texts: its vocabulary is not known.

    >>> forms_as_texts(["4"]).paths[0][:3], ("\n", "4") in forms_as_texts(["4"]).paths[0]
    ((('4',), (' 4',), ('\n4',)), True)
    """
    paths = (tuple(_paths(label, lambda text: [text], _every_spelling)) for label in labels)
    return LabelForms(tuple(labels), tuple(paths))


def _paths(
    label: str,
    tokens_of: Callable[[str], Sequence[Token]],
    spellings: Callable[[str, Callable[[str], Sequence[Token]]], list[tuple[Token, ...]]],
) -> Iterator[tuple[Token, ...]]:
    """Every path of a label: a lead, and the label behind it or joined to the end of the lead."""
    paths: dict[tuple[Token, ...], None] = {}
    for lead in LEADS:
        for beginning in LEADS:
            if lead.startswith(beginning):
                for before in spellings(beginning, tokens_of):
                    for said in _endings(lead.removeprefix(beginning), label, tokens_of):
                        if len(path := before + said) <= LONGEST_PATH:
                            paths[path] = None
    yield from sorted(paths, key=lambda path: (len(path), [len(str(token)) for token in path]))


def _shortest_spelling(lead: str, tokens_of: Callable[[str], Sequence[Token]]) -> list[tuple[Token, ...]]:
    """A lead as one token; as two where it is none."""
    return [spelling for spelling in _every_spelling(lead, tokens_of) if len(spelling) < 2 or not tokens_of(lead)]


def _every_spelling(lead: str, tokens_of: Callable[[str], Sequence[Token]]) -> list[tuple[Token, ...]]:
    """A lead as one token, and as two."""
    if not lead:
        return [()]
    pairs = [
        (first, second)
        for cut in range(1, len(lead))
        for first in tokens_of(lead[:cut])
        for second in tokens_of(lead[cut:])
    ]
    return [*((token,) for token in tokens_of(lead)), *pairs]


def _endings(lead: str, label: str, tokens_of: Callable[[str], Sequence[Token]]) -> list[tuple[Token, ...]]:
    """A label, joined to what is left of its lead: as one token; a number of two digits also digit by digit."""
    said: list[tuple[Token, ...]] = [(token,) for token in tokens_of(f"{lead}{label}")]
    if len(label) > 1 and label.isdigit():
        said += [(first, second) for first in tokens_of(f"{lead}{label[:1]}") for second in tokens_of(label[1:])]
    return said
