"""The card of what says whether a text answers its prompt: how often it is right, and on what that rests."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from evaluator.judges.answers.measurement import AnswerQuality, KindQuality
from evaluator.results import Pin
from leaderboard.page.judge_card import NOT_MEASURED, fact
from leaderboard.parts.card_values import CardFactValue, JudgeCardValue, QualityLineValue, QualityPanelValue
from leaderboard.parts.columns import text_of

WRITTEN_BY = (
    "Prompts, answers and the other texts were written and labelled by a language model in one go; no second reader "
    "has looked at the labels. No topic of the demonstration set is among them. English only."
)
WHAT_IT_DECIDES = (
    "Pairs of answers count as far as both answer: not at all up to a probability of 0.5, in full from 0.9 on. It does "
    "not know what is true: a wrong answer is an answer."
)


@cache
def measured_head() -> AnswerQuality:
    """The measurement that ships with the answer head."""
    text = files("evaluator.judges.answers").joinpath("answer_quality.json").read_text(encoding="utf-8")
    return AnswerQuality.model_validate_json(text)


def answer_card(gate: Pin, quality: AnswerQuality | None = None) -> JudgeCardValue:
    """The card of whoever was asked what answers.

    Args:
        gate: As a result names it.
        quality: A measurement; the shipped one counts for exactly the head it was made of.
    """
    shipped = quality or measured_head()
    found = shipped if gate == shipped.judge else None
    languages = "any" if gate.languages is None else ", ".join(gate.languages)
    return {
        "title": f"{gate.name}: does a text answer its prompt?",
        "context": f"on {found.examples} texts of {found.topics} topics it has not seen" if found else "",
        "facts": [
            fact("Model", gate.model),
            fact("Revision", gate.revision[:12], gate.revision),
            fact("Languages", languages),
            *(_measured(found) if found else [fact("Answers told from other texts", NOT_MEASURED)]),
            fact("Pin", f"{gate.prompt}, {gate.dtype}, {gate.engine}"),
        ],
        "notes": [WHAT_IT_DECIDES, *([WRITTEN_BY] if found else [])],
        "quality": [_by_kind(found)] if found else [],
    }


def _measured(quality: AnswerQuality) -> list[CardFactValue]:
    return [
        fact(
            "Answers told from other texts",
            f"AUC {text_of(quality.auc, 'interval')} on {quality.auc.n} texts, {quality.answers} of them answers",
            "Chance that an answer gets a higher probability than a text that is none; 0.5 is guessing.",
        ),
        fact(
            "On the right side of 0.5",
            text_of(quality.right, "interval"),
            "Answers and other texts count half each; 95% interval over topics.",
        ),
    ]


def _by_kind(quality: AnswerQuality) -> QualityPanelValue:
    weakest_first = sorted(quality.kinds.items(), key=lambda entry: entry[1].auc.value or 0.0)
    return {
        "title": f"By kind of text, of {quality.examples} (AUC)",
        "explanation": "Chance that an answer gets a higher probability than a text that is none, each kind against "
        f"all texts of the other label, with 95% interval over {quality.topics} topics; 0.5 is guessing; weakest "
        f"first. Unscored: {quality.unscored}.",
        "is_open": False,
        "heads": ["AUC", "right side of 0.5"],
        "lines": [_line(kind, one) for kind, one in weakest_first],
    }


def _line(kind: str, found: KindQuality) -> QualityLineValue:
    words = kind.replace("_", " ")
    return {
        "name": words if found.is_answer else f"no answer: {words}",
        "number": str(found.auc.n),
        "cells": [text_of(found.auc, "interval"), text_of(found.right, "interval")],
    }
