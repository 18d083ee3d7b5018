"""Sentences that answer nothing in some languages beside English; nothing is trained on them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

FILE = "non_answers_by_language.json"


def native_sentences(language: str) -> Mapping[str, Sequence[str]]:
    """Kind -> sentences in which {} is the topic; {} for a language without any.

    Baselines are made of them, and the gate is measured with them: docs/answer_gate.md.

    >>> native_sentences("sv")["yes_no"][0].format("ris")
    'Ja, absolut: ris.'
    """
    return _sentences().get(language, {})


@cache
def _sentences() -> Mapping[str, Mapping[str, Sequence[str]]]:
    sentences: Mapping[str, Mapping[str, Sequence[str]]] = json.loads(
        files("evaluator.judges.answers").joinpath(FILE).read_text(encoding="utf-8")
    )
    return sentences
