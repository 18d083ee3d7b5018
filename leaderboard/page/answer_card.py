"""The card of what says whether a text answers its prompt: how often it is right, and on what that rests."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from evaluator.judge_quality.answers.quality import (
    AnswerQuality,
    KindQuality,
    reaches_bar,
    shipped_language_quality,
    shipped_quality,
)
from evaluator.judge_quality.people_values import PeopleQuality
from evaluator.judge_quality.shipped import shipped_people
from evaluator.judges.answers.other_languages import joined_pin
from evaluator.results import Pin
from leaderboard.page.judge_card import NOT_MEASURED, fact, version_facts
from leaderboard.page.people_agreement import people_notes, people_quality_facts
from leaderboard.parts.card_values import CardFactValue, JudgeCardValue, QualityLineValue, QualityPanelValue
from leaderboard.parts.columns import text_of

WRITTEN_BY = (
    "Prompts, answers and the other texts were written and labelled by a language model. Those that were taken from "
    "labelled pairs, that are about the subject or by a very small model were read once more, by further runs of it. "
    "No person has read any of them. No topic of the demonstration set is among them. English only."
)
OTHER_LANGUAGES = (
    "The figures by kind are of English. Other languages are read by a lesser head, which was trained on English and "
    "seven of them and measured on a few texts by a language model, read by no speaker. It is asked where it reached "
    "its bar; in the other languages only a text in another language and a repeated prompt count as no answer."
)
WHAT_IT_DECIDES = (
    "Pairs of answers count as far as both answer: not at all up to a probability of 0.5, in full from 0.7 on. It does "
    "not know what is true: a wrong answer is an answer."
)


@cache
def measured_head() -> AnswerQuality:
    """The measurement that ships with the answer head."""
    return shipped_quality()


@cache
def measured_by_language() -> dict[str, AnswerQuality]:
    """The measurement that ships with the head for other languages."""
    return shipped_language_quality()


@cache
def _of_both() -> Pin:
    """Who is asked where many languages are: both heads as one."""
    return joined_pin(measured_head().judge, next(iter(measured_by_language().values())).judge)


def _agreement(gate: Pin) -> PeopleQuality | None:
    """How far the head agrees with people; both heads together are the English one on English texts."""
    return shipped_people(measured_head().judge if gate == _of_both() else gate)


def is_earlier_head(gate: Pin) -> bool:
    """Whether an earlier version of the answer head that ships was asked; no other judge has versions here."""
    return any(gate.is_other_version_of(head) for head in (measured_head().judge, _of_both()))


def answer_card(gate: Pin) -> JudgeCardValue:
    """The card of whoever was asked what answers, as a result names it.

    The shipped measurements count for exactly the heads they were made of.
    """
    shipped, by_language, of_both = measured_head(), measured_by_language(), _of_both()
    quality = shipped if gate in (shipped.judge, of_both) else None
    languages = "any" if gate.languages is None else ", ".join(gate.languages)
    return {
        "title": f"{gate.name}: does a text answer its prompt?",
        "context": f"on {quality.examples} English texts of {quality.topics} topics it has not seen" if quality else "",
        "facts": [
            fact("Model", gate.model),
            fact("Languages", languages),
            *people_quality_facts(_agreement(gate)),
            *(_measured(quality) if quality else [fact("Answers told from other texts", NOT_MEASURED)]),
        ],
        "version": version_facts(gate.revision, f"{gate.prompt}, {gate.dtype}, {gate.engine}"),
        "notes": [
            WHAT_IT_DECIDES,
            *people_notes(_agreement(gate)),
            *([WRITTEN_BY] if quality else []),
            *([OTHER_LANGUAGES] if gate == of_both else []),
        ],
        "quality": [
            *([_by_kind(quality)] if quality else []),
            *([_by_language(by_language)] if gate == of_both else []),
        ],
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
        "lines": [_line(kind, kind_quality) for kind, kind_quality in weakest_first],
    }


def _by_language(measured: Mapping[str, AnswerQuality]) -> QualityPanelValue:
    return {
        "title": "In other languages (AUC)",
        "explanation": "Chance that an answer gets a higher probability than a text that is none, with 95% interval "
        "over topics where there are five or more. Answers to other questions are not among the texts: a board tells "
        "them by its other questions. It is asked from an AUC of 0.95 on where 90% of the answers are above 0.5.",
        "is_open": False,
        "heads": ["AUC", "right side of 0.5", "answers on it", "is asked"],
        "lines": [
            {
                "name": language,
                "number": str(quality.examples),
                "cells": [
                    text_of(quality.auc, "interval"),
                    text_of(quality.right, "interval"),
                    text_of(quality.kinds["written"].right, "interval"),
                    "yes" if reaches_bar(quality) else "no",
                ],
            }
            for language, quality in measured.items()
        ],
    }


def _line(kind: str, quality: KindQuality) -> QualityLineValue:
    words = kind.replace("_", " ")
    return {
        "name": words if quality.is_answer else f"no answer: {words}",
        "number": str(quality.auc.n),
        "cells": [text_of(quality.auc, "interval"), text_of(quality.right, "interval")],
    }
