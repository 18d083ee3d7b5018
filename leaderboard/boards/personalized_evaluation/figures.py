"""Every figure of one run of an evaluator, by the names of docs/personalized_evaluation.md."""

from __future__ import annotations

from typing import Any, cast

from evaluator.personalized_evaluation.reports import PairsReport, RatingsReport
from evaluator.results import MetricValue
from leaderboard.boards.personalized_evaluation.rows import with_ends
from leaderboard.parts.columns import Value
from submissions.formats.personalized_evaluation.submission import RATINGS_KIND

FigureLine = tuple[str, Value, str]
"""Name, value, and what it rests on."""


def report_figures(report: RatingsReport | PairsReport, headline: MetricValue) -> list[FigureLine]:
    """Every figure of a report, in the words of docs/personalized_evaluation.md."""
    lines: list[FigureLine] = [
        ("headline", headline, f"all {report['n']} items"),
        ("parse_rate", report["parse_rate"], f"{report['answered']} of {report['n']} items answered"),
    ]
    lines += [(f"missing: {reason}", str(count), "items") for reason, count in report["missing"].items()]
    if gain := report["gain_over_reviewer_avg"]:
        lines.append(("gain_over_reviewer_avg", with_ends(gain["value"], gain["ci"]), "paired on the same draws"))
    own = _ratings_lines(report) if report["kind"] == RATINGS_KIND else _pairs_lines(report)
    return [*lines, *own, *(("flag", flag.replace("_", " "), "") for flag in report["flags"])]


def _ratings_lines(report: RatingsReport) -> list[FigureLine]:
    metrics, penalized = report["metrics"], report["penalized"]
    lines: list[FigureLine] = []
    for name in ("pearson", "spearman", "kendall"):
        metric = metrics[name]
        p = "" if metric["p"] is None else f", p = {metric['p']:.2g} as if items were independent"
        lines.append(
            (f"metrics.{name}", with_ends(metric["value"], metric["ci"]), f"{report['answered']} answered items{p}")
        )
    lines += [
        ("penalized.pearson", penalized["pearson"], "all items"),
        ("penalized.spearman", penalized["spearman"], "all items"),
        ("metrics.mae", metrics["mae"], "points of the readers' scale"),
        ("metrics.exact_match", metrics["exact_match"], "share of the answered items"),
        (
            "metrics.within_reviewer_kendall",
            metrics["within_reviewer_kendall"],
            f"{metrics['within_reviewer_n']} readers with a defined tau",
        ),
    ]
    for name, values in (
        ("reviewer_avg", report["references"]["reviewer_avg"]),
        ("matrix_factorization", report["references"]["matrix_factorization"]),
    ):
        words = "the mean of the scores shown" if name == "reviewer_avg" else "known ratings of readers and texts"
        lines.append((f"references.{name}.kendall", values["kendall"] if values else None, words))
    if shuffle := report["order_shuffle"]:
        words = f"{shuffle['runs']} other orders of the profile"
        lines += [
            (f"order_shuffle.kendall, order {n}", tau, words) for n, tau in enumerate(shuffle["kendall"], start=1)
        ]
        lines += [
            (f"order_shuffle.{name}", shuffle[name], words) for name in ("kendall_mean", "kendall_std", "item_std")
        ]
    for group, part in (report["contamination"] or {}).items():
        words = f"n = {part['n']}, {part['percent']:.0%} of the marked items"
        lines += [(f"contamination.{group}.{name}", part[name], words) for name in ("pearson", "spearman", "kendall")]
    if quality := report["explanation"]:
        words = f"n = {quality['n']} explanations"
        lines += [("explanation.bleu", quality["bleu"], words), ("explanation.rouge1", quality["rouge1"], words)]
        lines += [
            ("explanation.bertscore", quality["bertscore"], quality["bertscore_model"] or "no model was available"),
            ("explanation.bartscore", quality["bartscore"], quality["bartscore_model"] or "no model was available"),
        ]
    return lines


def _pairs_lines(report: PairsReport) -> list[FigureLine]:
    macro, matched, orders = report["accuracy_macro"], report["alignment"], report["both_orders"]
    lines: list[FigureLine] = [("accuracy_macro.value", with_ends(macro["value"], macro["ci"]), "answered items")]
    for aspect, accuracy in report["accuracy"].items():
        lines.append(
            (f"accuracy.{aspect}", with_ends(accuracy["value"], accuracy["ci"]), f"answered of {accuracy['n']} items")
        )
        lines.append((f"accuracy.{aspect}, penalized", accuracy["penalized"], f"all {accuracy['n']} items"))
    complete = f"{matched['complete']} of {matched['comparisons']} comparisons are complete"
    lines += [
        ("alignment.winner_accuracy", matched["winner_accuracy"], complete),
        ("alignment.kendall", matched["kendall"], complete),
        ("alignment.mae", matched["mae"], complete),
        ("bias_first", report["bias_first"], "+ favours the first text"),
        ("both_orders.consistency", orders["consistency"], f"{orders['n']} items answered twice"),
        ("both_orders.bias_first_both_orders", orders["bias_first_both_orders"], "+ favours the first"),
        ("both_orders.positional_fairness", orders["positional_fairness"], "+ is recency: the opposite sign"),
    ]
    fixed, shown = report["references"], report["references"]["reviewer_avg"]
    lines += [
        ("references.reviewer_avg.macro", shown["macro"] if shown else None, "the choice shown most often"),
        ("references.always_a", fixed["always_a"], "macro accuracy"),
        ("references.always_b", fixed["always_b"], "macro accuracy"),
    ]
    for group, figures in (report["contamination"] or {}).items():
        words = f"n = {figures['n']}, {figures['percent']:.0%} of the marked items: {group} recognised"
        names = ("accuracy", "consistency", "bias_first", "bias_memorized")
        lines += [
            (f"contamination.{group}.{name}", cast(dict[str, Any], figures)[name], words)
            for name in names
            if name in figures
        ]
    return lines
