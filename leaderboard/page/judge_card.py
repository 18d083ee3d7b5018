"""The judge card: who judged, and how far its verdicts depend on the order of what it was shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import fmean

from evaluator.judge_loading.registry import RETIRED
from evaluator.judge_quality.human_check import ANCHORING, SAME_ABOVE, HumanCheck
from evaluator.judge_quality.measurement import JudgeQuality, Quality
from evaluator.judge_quality.people_values import PeopleFigures, PeopleQuality
from evaluator.results import MetricValue, PairwiseResult, Pin
from leaderboard.page.judge_quality import BASELINE_NAMES, GRADED_BY, HOW_TO_MEASURE
from leaderboard.page.language_quality import PIN, is_measured, language_panels, limits_of
from leaderboard.page.people_agreement import figure_facts, people_notes, people_panels, people_quality_facts
from leaderboard.parts.card_values import CardFactValue, JudgeCardValue, QualityLineValue, QualityPanelValue
from leaderboard.parts.columns import NOT_AVAILABLE, text_of

NOT_MEASURED = "not measured"
_EMPTY = ("", NOT_AVAILABLE)
"""Lines of a card that say one of these are left out."""

STRESS_TEST = "Stress test"
"""What the measurement on our own pairs is called: language models wrote and graded them."""

SYMMETRIC_GAP = 0.005
"""An order gap below it is written 0.00."""


@dataclass(frozen=True, slots=True)
class PositionReport:
    """What the board of judges knows of one judge."""

    benchmark: str
    """The title of the benchmark it was measured on."""
    pairs: int
    """How many valid pairs of verdicts that rests on."""
    facts: tuple[CardFactValue, ...]
    """PC, PF, RS and error rate."""


JudgeReport = Callable[[Pin], PositionReport | None]
"""What is known of exactly this judge; None where no table of its verdicts was measured."""


def card_of_pin(
    judge: Pin,
    order_gap: MetricValue,
    *,
    quality: JudgeQuality | None,
    bias: PositionReport | None,
    mass: MetricValue | None = None,
    people: HumanCheck | None = None,
    canary: str = "",
    is_open: bool = False,
) -> JudgeCardValue:
    """The card of a judge we ran ourselves, beside the verdicts it gave.

    Args:
        order_gap: mean difference between its ratings in both orders, on what is shown.
        quality: its measured agreement with people and with our labelled pairs; None where it was not measured.
        bias: what the board of judges knows of it; None where it knows nothing.
        mass: probability it put on the allowed labels, for judges that read labels.
        people: what people say of its verdicts; None where that is not shown.
        canary: what its canaries say (`leaderboard.page.canaries`); blank = it has none.
        is_open: whether the agreement by kind of pair is unfolded.
    """
    languages = "any" if judge.languages is None else ", ".join(judge.languages)
    return {
        "title": judge.name,
        "context": f"position figures on {bias.benchmark}" if bias else "",
        "facts": stated(
            [
                fact("Model", judge.model),
                fact("Languages", languages),
                *people_quality_facts(_people_of(quality)),
                *(bias.facts if bias else ()),
                fact("Label mass", _metric_text(mass), "Probability on the allowed labels."),
                fact("Order gap", _metric_text(order_gap), "Mean |rating(a, b) - rating(b, a)| on what is shown, 0-5."),
                *quality_facts(quality),
                *written_facts(quality),
                *proof_facts(quality),
                *people_facts(people),
                *canary_facts(canary),
            ]
        ),
        "version": version_facts(judge.revision, f"{judge.prompt}, {judge.dtype}, {judge.engine}"),
        "notes": [
            *([] if bias else [_without_bias(order_gap)]),
            *([limits_of(judge)] if is_measured(judge) else without_quality(quality, judge.name)),
            *people_notes(_people_of(quality)),
        ],
        "quality": [
            *people_panels(_people_of(quality), is_open=is_open),
            *quality_panels(quality, is_open=is_open),
            *language_panels(judge, is_open=is_open),
        ],
    }


def _people_of(quality: JudgeQuality | None) -> PeopleQuality | None:
    return quality.people if quality else None


def card_of_baseline(name: str, quality: Quality | None, people: PeopleFigures | None) -> JudgeCardValue:
    """The card of a score that does not read meaning.

    Args:
        name: What it is called.
        quality: On our labelled pairs.
        people: On people's labels.
    """
    return {
        "title": name,
        "context": "on the same pairs as judges",
        "facts": [*(figure_facts(people) if people else []), *(_agreement_facts(quality) if quality else [])],
        "notes": ["baseline: not a judge"],
        "quality": [],
    }


def card_beside_verdict(
    judge: Pin, bias: PositionReport | None, people: HumanCheck | None = None, canary: str = ""
) -> JudgeCardValue:
    """The short card beside a single verdict: PC, PF, RS and error rate of exactly this judge, and what they rest on.

    Args:
        bias: What the board of judges knows of it; None where it knows nothing.
        canary: What its canaries say; blank = it has none.
    """
    return {
        "title": judge.name,
        "context": f"position figures on {bias.benchmark}, n = {bias.pairs} pairs" if bias else "",
        "facts": [
            fact("Model", judge.model),
            *(stated(bias.facts) if bias else [fact("Position bias", NOT_MEASURED)]),
            *people_facts(people),
            *canary_facts(canary),
        ],
        "version": version_facts(judge.revision, judge.prompt),
        "notes": []
        if bias
        else ["Position bias not measured yet: the Judges board has no verdict table of this judge."],
        "quality": [],
    }


def label_mass(pairwise: PairwiseResult | None) -> MetricValue | None:
    """Mean probability on the allowed labels over the comparisons that have one; None where none has."""
    masses = [record.label_mass for record in pairwise.records if record.label_mass is not None] if pairwise else []
    return MetricValue(value=fmean(masses), n=len(masses)) if masses else None


def _without_bias(order_gap: MetricValue) -> str:
    if order_gap.value is not None and order_gap.value < SYMMETRIC_GAP:
        return "No position bias: this judge scores both orders alike by construction (order gap 0.00)."
    return "Position bias not measured yet: the Judges board has no verdict table of this judge."


def stated(facts: Iterable[CardFactValue]) -> list[CardFactValue]:
    """Return the lines of a card that say something."""
    return [line for line in facts if line["text"] not in _EMPTY]


def version_facts(revision: str, pin: str) -> list[CardFactValue]:
    """Which version exactly: the whole revision, and what else it was read with."""
    return [fact("Revision", revision), fact("Pin", pin, PIN)]


def fact(name: str, text: str, tooltip: str = "") -> CardFactValue:
    """One line of a card; faint where it says that nothing was measured."""
    return {
        "name": name,
        "text": text,
        "tooltip": tooltip,
        "is_faint": text == NOT_MEASURED,
    }


def _metric_text(metric: MetricValue | None) -> str:
    return NOT_AVAILABLE if metric is None else text_of(metric, "interval")


# --- agreement with people -------------------------------------------------------------------------------------------

NOT_CHECKED = "nobody has checked it yet"


def people_text(people: HumanCheck) -> str:
    """How far people agree with a judge: `kappa 0.61 [0.40, 0.78], 37 votes by 5 people on 31 verdicts, 30 agree`."""
    if not people.votes:
        return NOT_CHECKED
    kappa = f"kappa {text_of(people.kappa, 'interval')}"
    if people.kappa.value is None:
        kappa += f" ({people.kappa.reason})"
    by = "1 person" if people.people == 1 else f"{people.people} people"
    votes, verdicts = _counted(people.votes, "vote"), _counted(people.verdicts, "verdict")
    return f"{kappa}, {votes} by {by} on {verdicts}, {people.agreed} agree"


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def people_facts(people: HumanCheck | None) -> list[CardFactValue]:
    """How far people agree with a judge; nothing where that is not shown."""
    if people is None:
        return []
    line = fact(
        "People agree with it",
        people_text(people),
        "Cohen's kappa of people's votes with its words on pairs of answers: the same above "
        f"{SAME_ABOVE} of 5, else different; 95% interval over items. {ANCHORING}",
    )
    return [{**line, "is_faint": not people.votes}]


def written_facts(quality: JudgeQuality | None) -> list[CardFactValue]:
    """How much a judge writes before it decides; nothing for one that does not, or was not measured."""
    tokens = quality.trials.cost.tokens_written if quality and quality.trials else None
    if tokens is None:
        return []
    return [fact("Tokens written", f"{tokens:,.0f} for each judgement", "Mean on our labelled pairs, in both orders.")]


def proof_facts(quality: JudgeQuality | None) -> list[CardFactValue]:
    """Which plain questions a language model passed; nothing for other judges, or where it was not measured."""
    proofs = quality.trials.proofs if quality and quality.trials else ()
    if not proofs:
        return []
    failed = {proof.rubric: proof.fault for proof in proofs if proof.fault}
    masses = [proof.lowest_mass for proof in proofs if proof.lowest_mass is not None]
    said = f"passed {len(proofs) - len(failed)} of {len(proofs)} kinds"
    if masses:
        said += f", label mass {min(masses):.2f} or more"
    if failed:
        said += f"; failed: {', '.join(failed)}"
    meaning = "Questions whose answers nobody would dispute. What a judge fails it is not asked on the boards"
    return [fact("Plain questions", said, f"{meaning}{''.join(f'; {fault}' for fault in failed.values())}.")]


def canary_facts(said: str) -> list[CardFactValue]:
    """Whether a judge has changed since it was first watched; nothing where nobody watches it."""
    if not said:
        return []
    return [fact("Canary", said, "The same pairs asked again on a schedule; a change is told by a sequential test.")]


# --- stress test: our labelled pairs ---------------------------------------------------------------------------------


def quality_facts(quality: JudgeQuality | None) -> list[CardFactValue]:
    """How far a judge agrees with our labelled pairs, which language models wrote and graded."""
    if quality is None:
        return [fact(STRESS_TEST, NOT_MEASURED, f"AUC on pairs of answers. {GRADED_BY}")]
    return _agreement_facts(quality.quality)


def _agreement_facts(quality: Quality) -> list[CardFactValue]:
    return [
        fact(
            STRESS_TEST,
            f"AUC {text_of(quality.auc, 'interval')} on {quality.auc.n} pairs",
            f"Chance that a pair that says the same scores above one that does not; 0.5 is guessing. {GRADED_BY}",
        ),
        fact(
            f"{STRESS_TEST}: accuracy",
            text_of(quality.accuracy, "interval"),
            "Same meaning or not, split at a score of 2.5.",
        ),
        fact(
            f"{STRESS_TEST}: balanced accuracy",
            text_of(quality.balanced_accuracy, "interval"),
            "Mean of the accuracy on pairs that say the same and on the others; one answer for all reaches 0.5.",
        ),
        fact(
            f"{STRESS_TEST}: rank correlation",
            text_of(quality.spearman, "interval"),
            "Spearman's, of scores and grades.",
        ),
    ]


def without_quality(quality: JudgeQuality | None, judge: str | None) -> list[str]:
    """What to say of a judge that was never measured, or was retired; None = a baseline, of which nothing is said."""
    if quality is not None or judge is None:
        return []
    if judge in RETIRED:
        return [f"Retired: {RETIRED[judge]} took its place."]
    return [f"Not measured on labelled pairs. A judge that runs here is measured by: {HOW_TO_MEASURE}"]


def quality_panels(quality: JudgeQuality | None, *, is_open: bool) -> list[QualityPanelValue]:
    """The agreement by kind of pair, beside that of baselines."""
    if quality is None:
        return []
    columns = {"this judge": quality.quality} | {
        BASELINE_NAMES.get(name, name): baseline for name, baseline in quality.baselines.items()
    }
    categories = sorted(quality.quality.categories.items(), key=lambda entry: entry[1].auc.value or 0.0)
    lines: list[QualityLineValue] = [
        {
            "name": "all pairs",
            "number": str(quality.pairs),
            "cells": [text_of(column.auc, "interval") for column in columns.values()],
        }
    ]
    lines += [
        {
            "name": name.replace("_", " "),
            "number": str(measured.accuracy.n + measured.accuracy.unscored),
            "cells": [text_of(column.categories[name].auc, "interval") for column in columns.values()],
        }
        for name, measured in categories
    ]
    return [
        {
            "title": f"Stress test: {quality.pairs} labelled pairs by kind of pair (AUC)",
            "explanation": "Written and graded by language models. Chance that a pair that says the same scores "
            f"above one that does not, with 95% interval over {quality.topics} topics; 0.5 is guessing. Each kind is "
            f"held against all pairs of the other label; weakest first. Unscored: {quality.unscored}.",
            "is_open": is_open,
            "heads": list(columns),
            "lines": lines,
        }
    ]
