"""The ways a label is written, found in vocabularies of three makes, against generation written out by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product

import pytest

from evaluator.judges.label_forms import IGNORED_BELOW, LEADS, LabelForms, forms_as_texts, forms_in_vocabulary
from evaluator.judges.protocol import UnsuitableJudge

JOINED = {
    "\u0120": 1,
    "\u010a": 2,
    "\u010a\u010a": 3,
    "**": 4,
    "\u0120**": 5,
    "4": 6,
    "\u01204": 7,
    "5": 8,
    "\u01205": 9,
    "x": 10,
}
"""Digits have a token with their space, as in GPT-2."""
APART = {"\u0120": 1, "\u010a": 2, "\u010a\u010a": 3, "**": 4, "\u0120**": 5, "4": 6, "5": 8, "x": 10}
"""Digits stand alone, as in Qwen and Llama 3."""
NEITHER = {"4": 6, "5": 8, "x": 10}
"""No space and no line break at all."""
SENTENCE_PIECE = {"\u2581": 1, "<0x0A>": 2, "4": 6, "\u25814": 7, "5": 8, "*": 11, "x": 10}


def next_probabilities(vocabulary: Mapping[str, int], written: tuple[int, ...]) -> dict[int, float]:
    """A distribution that differs with what was written before."""
    weights = {index: 1.0 + (7 * index + 3 * sum(written) + len(written)) % 11 for index in vocabulary.values()}
    total = sum(weights.values())
    return {index: weight / total for index, weight in weights.items()}


def generated(vocabulary: Mapping[str, int], label: str) -> float:
    """Every reply of up to three tokens, its probability multiplied out: those that begin as a form of the label does.

    A lead that has a token of its own is not also counted in two pieces: no tokenizer writes it so.
    """
    texts = {
        index: "\n"
        if token == "<0x0A>"
        else token.replace("\u0120", " ").replace("\u2581", " ").replace("\u010a", "\n")
        for token, index in vocabulary.items()
    }
    total = 0.0
    for length in (1, 2, 3):
        for reply in product(texts, repeat=length):
            pieces = [texts[token] for token in reply]
            lead = "".join(pieces[:-1])
            said = lead + pieces[-1]
            if said.removesuffix(label) not in LEADS or not said.endswith(label) or label in lead:
                continue
            if (length == 3 and lead in texts.values()) or (length > 1 and lead not in LEADS):
                continue
            total += math.prod(
                next_probabilities(vocabulary, reply[:place])[token] for place, token in enumerate(reply)
            )
    return total


@pytest.mark.parametrize(
    "vocabulary", [JOINED, APART, NEITHER, SENTENCE_PIECE], ids=["joined", "apart", "neither", "sp"]
)
def test_the_sum_over_the_paths_is_that_of_every_reply_written_out(vocabulary: Mapping[str, int]) -> None:
    forms = forms_in_vocabulary(vocabulary.items(), ["4", "5"])
    steps = {context: next_probabilities(vocabulary, context) for context in forms.contexts}
    assert forms.probabilities(steps) == pytest.approx([generated(vocabulary, "4"), generated(vocabulary, "5")])


def test_the_contexts_begin_with_none_and_hold_each_others_beginnings() -> None:
    forms = forms_in_vocabulary({**APART, "1": 20, "0": 21}.items(), [str(number) for number in (1, 4, 5, 10)])
    assert forms.contexts[0] == ()
    known = set(forms.contexts)
    assert all(context[:-1] in known for context in forms.contexts[1:])
    # a space, a line break, two, bold, bold behind a space; each of them and none before a 1, for "10"
    assert len(known) == 1 + 5 + 6


def test_a_number_that_goes_on_counts_for_the_longer_label_only() -> None:
    forms = forms_in_vocabulary({"1": 1, "0": 2, "2": 3}.items(), ["1", "2", "10"])
    steps = {(): {1: 0.6, 3: 0.3}, (1,): {2: 0.25}}
    # 1: .6 x (1 - .25); 10: .6 x .25
    assert forms.probabilities(steps) == pytest.approx((0.45, 0.3, 0.15))


def test_a_label_without_a_token_is_refused_by_name() -> None:
    with pytest.raises(UnsuitableJudge, match="no single token for the labels 7, 9"):
        forms_in_vocabulary({"4": 1}.items(), ["4", "7", "9"])


def test_only_leads_that_are_likely_are_asked_about() -> None:
    forms = forms_as_texts(["4", "5"])
    asked = []

    def answer(context: tuple[str, ...]) -> Mapping[str, float]:
        asked.append(context)
        return {"4": 0.5, " ": 0.3, "\n": IGNORED_BELOW / 2} if not context else {"5": 1.0}

    assert forms.ask(answer) == pytest.approx((0.5, 0.3))
    assert asked == [(), (" ",)]


def test_a_probability_that_is_no_number_is_handed_on() -> None:
    forms = LabelForms(("4",), (((1,), (2, 1)),))
    assert math.isnan(forms.ask(lambda context: {1: math.nan, 2: math.nan})[0])
