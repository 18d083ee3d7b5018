"""The report on one log: every figure that its judgements allow, by judge, and what would be needed for the others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from evaluator.judge_logs.judgements import Judgement, JudgementLog, Unread
from evaluator.judge_report.biases import bias_figures, biases, family
from evaluator.judge_report.confusion import Confusion
from evaluator.judge_report.corrected import missing_corrections
from evaluator.judge_report.family_taste import LEAST_OTHERS
from evaluator.judge_report.figure import Figure, clusters_of, metric_figure, share_figure
from evaluator.judge_report.label_figures import label_confusions, label_figures
from evaluator.judge_report.labels import Labels, asked_of, missing_labellers
from evaluator.judge_report.systems import system_figures
from evaluator.position_bias import position_bias_report
from evaluator.position_bias.repetition import repetition_report
from evaluator.statistics.intervals import mean_metric
from submissions.reading.quoting import quoted

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class JudgeLogReport:
    """The figures of one judge."""

    judge: str
    comparisons: int
    ratings: int
    figures: tuple[Figure, ...]
    missing: tuple[str, ...]
    """What cannot be said from this log, and what to record next time."""
    confusions: tuple[Confusion, ...] = ()
    """What people said against what the judge said; () without labels."""


@dataclass(frozen=True, slots=True)
class LogReport:
    """The report on one log."""

    file: str
    format: str
    title: str
    questions: int
    systems: tuple[str, ...]
    judges: tuple[JudgeLogReport, ...]
    notes: tuple[str, ...]
    unknown_columns: Mapping[str, int]
    unread: tuple[Unread, ...] = ()
    """Of the log and of the labels: what no figure rests on."""

    def as_json(self) -> dict[str, Any]:
        """The report as `--json` prints it."""
        return asdict(self)


def log_report(log: JudgementLog, name: str, labels: Labels | None = None) -> LogReport:
    """Every figure of every judge of a log, with labels of people also those of `labels`; judges in order of names."""
    by_judge: dict[str, list[Judgement]] = {}
    for judgement in log.judgements:
        by_judge.setdefault(judgement.judge, []).append(judgement)
    of_bias = bias_figures(biases(log.judgements, labels))
    return LogReport(
        file=name,
        format=log.format,
        title=log.title,
        questions=len({judgement.question for judgement in log.judgements}),
        systems=tuple(sorted({system for judgement in log.judgements for system in judgement.systems})),
        judges=tuple(
            _judge_report(judge, by_judge[judge], labels, of_bias.get(judge, [])) for judge in sorted(by_judge)
        ),
        notes=log.notes if labels is None else (*log.notes, _matched(log, labels)),
        unknown_columns=log.unknown_columns,
        unread=log.unread,
    )


def _matched(log: JudgementLog, labels: Labels) -> str:
    """How many labels are of what the log judged; the others say nothing of it."""
    asked, known = asked_of(log), labels.keys
    matched = len(known & asked)
    sentence = f"Labels: {matched:,} of {len(known):,} labelled pairs and answers are in this log."
    if matched == len(known):
        return sentence
    question, item, _ = min(known - asked, key=str)
    other = f"question {quoted(question)}" + (f", {quoted(item)}" if item else "")
    return (
        f"{sentence} The others, {other} the first of them, are of questions, turns or systems that it does not name: "
        "labels count where question, turn and both systems have the same names."
    )


def _judge_report(
    judge: str, judgements: Sequence[Judgement], labels: Labels | None, of_bias: Sequence[Figure]
) -> JudgeLogReport:
    comparisons = [judgement for judgement in judgements if judgement.is_comparison]
    ratings = [judgement for judgement in judgements if not judgement.is_comparison]
    figures: list[Figure] = [_unusable(judgements)]
    missing: list[str] = []
    if comparisons:
        for figures_of in (_position, _comparison_repetition, _length, _own, _gold, _ties):
            _extend(figures, missing, figures_of(judge, comparisons))
        figures += of_bias
    if ratings:
        for of_ratings in (_distribution, _rating_repetition):
            _extend(figures, missing, of_ratings(judge, ratings))
    if labels is not None:
        _extend(figures, missing, label_figures(judgements, labels))
        missing += filter(None, (missing_labellers(labels), missing_corrections(figures)))
    _extend(figures, missing, system_figures(judgements))
    confusions = () if labels is None else tuple(label_confusions(judgements, labels))
    return JudgeLogReport(judge, len(comparisons), len(ratings), tuple(figures), tuple(missing), confusions)


Found = list[Figure] | str
"""Figures, or the sentence that says what they would need."""


def _extend(figures: list[Figure], missing: list[str], outcome: Found) -> None:
    if isinstance(outcome, str):
        missing.append(outcome)
    else:
        figures.extend(outcome)


# --- comparisons and ratings -----------------------------------------------------------------------------------------


def _unusable(judgements: Sequence[Judgement]) -> Figure:
    return share_figure(
        "unusable",
        "Unusable replies",
        judgements,
        lambda judgement: not judgement.is_usable,
        "calls",
        "Share of the judge's replies that say nothing; 0-1, lower is better. They count in no other figure.",
    )


def _position(judge: str, comparisons: Sequence[Judgement]) -> Found:
    """The measures of the Judges board (`evaluator.position_bias`), over pairs asked in both orders."""
    known = [comparison for comparison in comparisons if comparison.order_known]
    if not known:
        return (
            "Position bias: the log does not say which answer was shown first. Record the order of every call, and ask "
            "every pair in both orders."
        )
    figures = position_bias_report(_verdict_table(known))[judge]
    if not figures["n_valid"]:
        return "Position bias: no pair has usable verdicts in both orders. Ask every pair in both orders."
    consistency, fairness = figures["position_consistency_ci95"], figures["preference_fairness_ci95"]
    return [
        Figure(
            "position_consistency",
            "Position consistency",
            figures["position_consistency"],
            *_ends(consistency),
            figures["n_valid"],
            "pairs in both orders",
            "Share of the verdicts that survive when the two answers exchange places; 0-1, higher is better.",
        ),
        Figure(
            "preference_fairness",
            "Preference fairness",
            figures["preference_fairness"],
            *_ends(fairness),
            figures["n_valid"],
            "pairs in both orders",
            "Which place wins when a verdict does not survive: below 0 the first, above 0 the second; 0 is best.",
        ),
    ]


def _comparison_repetition(judge: str, comparisons: Sequence[Judgement]) -> Found:
    figures = repetition_report(_verdict_table(comparisons))[judge]
    if not figures["n_items"]:
        return "Repetition: no pair was judged twice in the same order. Ask some pairs again, at the same settings."
    return [
        Figure(
            "repetition_stability",
            "Repetition stability",
            figures["repetition_stability"],
            *_ends(figures["repetition_stability_ci95"]),
            figures["n_items"],
            "pairs judged again",
            "Mean share of the votes on one pair and order that agree with their majority; 1 is best.",
        )
    ]


def _length(_: str, comparisons: Sequence[Judgement]) -> Found:
    decided = [
        comparison
        for comparison in comparisons
        if comparison.verdict in ("A", "B") and None not in comparison.lengths and len(set(comparison.lengths)) == 2
    ]
    if not decided:
        return "Length preference: no lengths of both answers are in the log. Record the answers, or their lengths."
    return [
        share_figure(
            "longer_wins",
            "Longer answer wins",
            decided,
            lambda comparison: (
                (comparison.verdict == "A") == ((comparison.lengths[0] or 0) > (comparison.lengths[1] or 0))
            ),
            "decided comparisons of unequal length",
            "Share won by the longer answer; 0.5 if length does not matter. Longer answers may also be better ones: "
            "only labels tell the two apart.",
        )
    ]


def _own(judge: str, comparisons: Sequence[Judgement]) -> Found:
    figures = [
        share_figure(
            key,
            title,
            mixed,
            lambda comparison, is_own=is_own: is_own(comparison.systems[0 if comparison.verdict == "A" else 1]),  # type: ignore[misc]
            "decided comparisons",
            f"Share won by {whose} against others; it holds quality as well as preference, which labels tell apart, "
            f"and another judge of the same pairs where at least {LEAST_OTHERS} systems are of other families.",
        )
        for key, title, whose, is_own in (
            ("own_wins", "Own answer wins", "the judge's own answers", lambda system: _is_same(judge, system)),
            ("family_wins", "Own family wins", "models of its family", lambda system: family(system) == family(judge)),
        )
        if (mixed := _mixed(comparisons, is_own))
    ]
    return figures or (
        "Self-preference: no comparison sets the judge's own model or family against another. Name judges and systems "
        "by their models, and let the judge see answers of its own among others."
    )


def _mixed(comparisons: Sequence[Judgement], is_own: Callable[[str], bool]) -> list[Judgement]:
    """Decided comparisons of which exactly one side is the judge's own."""
    return [
        comparison
        for comparison in comparisons
        if comparison.verdict in ("A", "B") and sum(map(is_own, comparison.systems)) == 1
    ]


def _is_same(judge: str, system: str) -> bool:
    """Whether a system's name is the judge's, or the judge's without the name of its prompt."""
    return judge.split(" ", 1)[0].lower() == system.lower()


def _gold(_: str, comparisons: Sequence[Judgement]) -> Found:
    labelled = [comparison for comparison in comparisons if comparison.gold is not None and comparison.is_usable]
    if not labelled:
        return "Accuracy: the log holds no labels. About 100 pairs labelled by people say how often the judge is right."
    return [
        share_figure(
            "accuracy",
            "Agreement with the log's labels",
            labelled,
            lambda comparison: comparison.verdict == comparison.gold,
            "labelled comparisons with a usable reply",
            "Share of verdicts equal to the label; 0-1, higher is better; a tie agrees with a tie only.",
        )
    ]


def _ties(_: str, comparisons: Sequence[Judgement]) -> Found:
    usable = [comparison for comparison in comparisons if comparison.is_usable]
    if not usable:
        return "Ties: no comparison has a usable reply."
    meaning = "Share of usable verdicts that are ties; neither high nor low is better."
    return [
        share_figure(
            "ties", "Ties", usable, lambda comparison: comparison.verdict == "C", "usable comparisons", meaning
        )
    ]


def _distribution(_: str, ratings: Sequence[Judgement]) -> Found:
    usable = [rating for rating in ratings if rating.rating is not None]
    if not usable:
        return "Ratings: no rating is usable."
    values = [rating.rating or 0.0 for rating in usable]
    low, high = min(values), max(values)
    if low == high:
        return f"Ratings: all {len(values)} are {high:g}, so that they tell nothing apart."
    clusters = clusters_of(usable, lambda rating: rating.rating or 0.0)
    distinct = len(set(values))
    return [
        metric_figure(
            "mean_rating",
            "Mean rating",
            mean_metric(clusters, (low, high)),
            "ratings",
            f"On the ratings seen, {low:g} to {high:g}, {distinct} of them different.",
        ),
        share_figure(
            "ceiling",
            "Ratings at the ceiling",
            usable,
            lambda rating: rating.rating == high,
            "ratings",
            f"Share of ratings at the highest value seen, {high:g}; a judge near 1 cannot tell good systems apart.",
        ),
    ]


def _rating_repetition(_: str, ratings: Sequence[Judgement]) -> Found:
    repeated: dict[tuple[str, str, tuple[str, ...]], list[Judgement]] = {}
    for rating in ratings:
        if rating.rating is not None:
            repeated.setdefault((rating.question, rating.item, rating.systems), []).append(rating)
    asked_again = [group for group in repeated.values() if len(group) > 1]
    if not asked_again:
        return "Repetition: nothing was rated twice. Rate some answers again, at the same settings."
    changed = {group[0].place: len({rating.rating for rating in group}) > 1 for group in asked_again}
    return [
        share_figure(
            "flicker",
            "Ratings that change",
            [group[0] for group in asked_again],
            lambda rating: changed[rating.place],
            "answers rated again",
            "Share of answers whose repeated ratings are not all equal; 0-1, lower is better.",
        )
    ]


# --- from judgements to numbers --------------------------------------------------------------------------------------


def _verdict_table(comparisons: Iterable[Judgement]) -> pd.DataFrame:
    """Comparisons as the long table that the measures of the Judges board read; the first name in order is first."""
    import pandas as pd  # here: processes that check files need no tables

    rows = [
        (
            comparison.judge,
            "log",
            # In brackets: outer blanks are trimmed there, and no two pairs of names may become one text.
            f"[{comparison.item}]",
            json.dumps(sorted(comparison.systems)),
            comparison.question,
            "original" if list(comparison.systems) == sorted(comparison.systems) else "swapped",
            comparison.verdict,
            str(comparison.repetition),
        )
        for comparison in comparisons
    ]
    names = ["judge", "benchmark", "task", "model", "query", "order", "verdict", "repetition"]
    return pd.DataFrame(rows, columns=names)


def _ends(interval: Sequence[float] | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval[0], interval[1])
