"""How far a judge agrees with people, as the judge card and the board of judges show it."""

from __future__ import annotations

from evaluator.judge_quality.people_measurement import BASELINE_NAMES, NOT_COVERED, SOURCES, named_figures
from evaluator.judge_quality.people_values import Likeness, PeopleFigures, PeopleQuality
from evaluator.results import MetricValue
from leaderboard.parts.card_values import CardFactValue, QualityPanelValue
from leaderboard.parts.columns import text_of

HOW_TO_ASK_PEOPLE = "python -m evaluator judge-quality --judge J --people FOLDER --record"
SOURCE_SENTENCE = f"Source: {SOURCES}."
SAME_ANSWER_MEANING = (
    "Chance that two right answers of real systems to one question score above a right answer beside a wrong one; 0.5 "
    "is guessing. People said which answers are right."
)
LIKENESS_MEANING = "Spearman's rank correlation with how far people said that two sentences mean the same, -1 to 1."


def shown_likeness(figures: PeopleFigures) -> tuple[str, Likeness] | None:
    """The split of the STS benchmark that is shown: the test split where it was measured."""
    for split in ("test", "dev"):
        if split in figures.likeness:
            return split, figures.likeness[split]
    return None


def people_quality_facts(people: PeopleQuality | None) -> list[CardFactValue]:
    """The lines of a card; one that says so where nothing was measured."""
    if people is None:
        meaning = f"{SAME_ANSWER_MEANING} Measured by: {HOW_TO_ASK_PEOPLE}"
        return [{"name": "Agreement with people", "text": "not measured", "tooltip": meaning, "is_faint": True}]
    return figure_facts(people.figures)


def figure_facts(figures: PeopleFigures) -> list[CardFactValue]:
    """The lines of a judge, a gate or a baseline."""
    facts = []
    if same_answer := figures.same_answer:
        auc = f"AUC {text_of(same_answer.auc, 'interval')} on {same_answer.auc.n:,} pairs of answers"
        facts.append(_fact("Agreement with people", auc, SAME_ANSWER_MEANING))
        split = "Both right, or one of them wrong, split at a score of 2.5."
        facts.append(_fact("Right by people", text_of(same_answer.accuracy, "interval"), split))
    if shown := shown_likeness(figures):
        _, likeness = shown
        parts = [("English", likeness.english), ("other languages", likeness.others)]
        said = [
            f"{name} {text_of(value, 'interval')}, n = {value.n:,}"
            for name, value in parts
            if value is not None and value.value is not None
        ]
        facts.append(_fact("Likeness by people", "; ".join(said) or "not measured", LIKENESS_MEANING))
    if answers := figures.answers:
        facts += [
            _fact(name, f"{text_of(value, 'interval')}, n = {value.n:,}", meaning)
            for name, value, meaning in (
                ("Real answers let through", answers.real, "Of real systems, beside their prompt; 1 is best."),
                ("Answers to another prompt", answers.other_prompt, "Let through beside it; 0 is best."),
                ("Short right answers", answers.short, "Let through, of up to 5 words, which people called right."),
            )
            if value.n
        ]
    return facts


def people_notes(people: PeopleQuality | None) -> list[str]:
    """What the figures rest on, and what they do not cover."""
    if people is None:
        return []
    part = people.sample.questions
    words = {"held-out": "those held out from training and choosing", "all": "all, those of training among them"}
    questions = f"Questions: {words.get(part, f'the part {part}')}. " if people.figures.same_answer else ""
    return [f"Agreement with people. {SOURCE_SENTENCE} {questions}{NOT_COVERED}"]


def people_panels(people: PeopleQuality | None, *, is_open: bool) -> list[QualityPanelValue]:
    """Every figure of a judge beside those of baselines on the same pairs."""
    if people is None:
        return []
    columns = {"this judge": people.figures} | {
        BASELINE_NAMES.get(name, name): figures for name, figures in people.baselines.items()
    }
    named = {name: named_figures(figures) for name, figures in columns.items()}
    return [
        {
            "title": "Agreement with people, figure by figure",
            "explanation": "With 95% interval. Same answer: two right answers to a question, or a right one beside a "
            "wrong one. STS: Spearman's correlation with people's scores of 0-5.",
            "is_open": is_open,
            "heads": list(columns),
            "lines": [
                {
                    "name": figure,
                    "number": f"{value.n:,}",
                    "cells": [_cell(figures.get(figure)) for figures in named.values()],
                }
                for figure, value in named["this judge"].items()
                if value.n
            ],
        }
    ]


def _cell(value: MetricValue | None) -> str:
    return text_of(value, "interval") if value is not None and value.value is not None else "–"


def _fact(name: str, text: str, tooltip: str) -> CardFactValue:
    return {"name": name, "text": text, "tooltip": f"{tooltip} {SOURCE_SENTENCE}", "is_faint": False}
