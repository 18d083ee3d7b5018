"""The figures of predicted ratings or choices as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluator.personalized_evaluation.reports import Gain, PairsReport, RatingsReport

NOT_AVAILABLE = "n/a"


def report_text(report: RatingsReport | PairsReport) -> str:
    """The figures of a report, one per line, each with its interval."""
    head = f"{report['kind']}, collection {report['collection']}, k = {report['k']}"
    missing = ", ".join(f"{reason} {count}" for reason, count in report["missing"].items())
    answered = f"{report['answered']:,} of {report['n']:,} answered ({report['parse_rate']:.1%}); missing: {missing}"
    body = _ratings_lines(report) if report["kind"] == "personalized_ratings" else _pairs_lines(report)
    ranked = "ranked" if report["rankable"] else f"not ranked: {', '.join(report['flags'])}"
    return "\n".join([head, answered, *body, ranked])


def _ratings_lines(report: RatingsReport) -> list[str]:
    metrics, penalized = report["metrics"], report["penalized"]
    lines = [
        f"Kendall, all items (headline)   {_shown(penalized['kendall'], penalized['kendall_ci'])}",
        *(
            f"{name:<32}{_shown(figure['value'], figure['ci'])}"
            for name, figure in (
                ("Kendall, answered", metrics["kendall"]),
                ("Spearman, answered", metrics["spearman"]),
                ("Pearson, answered", metrics["pearson"]),
            )
        ),
        f"{'Kendall within reviewers':<32}{_shown(metrics['within_reviewer_kendall'])}"
        f" ({metrics['within_reviewer_n']} reviewers)",
        f"{'mean absolute error':<32}{_shown(metrics['mae'])}",
        f"{'exact match':<32}{_shown(metrics['exact_match'])}",
    ]
    for label, values in (
        ("Kendall of the mean shown score", report["references"]["reviewer_avg"]),
        ("Kendall of matrix factorization", report["references"]["matrix_factorization"]),
    ):
        lines.append(f"{label:<32}{_shown(values and values['kendall'])}")
    lines += [
        f"{'gain over the mean shown score':<32}{_gain(report['gain_over_reviewer_avg'])}",
        f"{'gain over k = 0':<32}{_gain(report['gain_over_k0'])}",
    ]
    if shuffle := report["order_shuffle"]:
        spread = _shown(shuffle["kendall_std"])
        lines.append(f"{'Kendall in other orders':<32}{_shown(shuffle['kendall_mean'])}, std {spread}")
    lines += _group_lines(report["contamination"], "kendall")
    if explanation := report["explanation"]:
        lines.append(
            f"{'explanations':<32}n {explanation['n']}, BLEU {explanation['bleu']:.2f}, "
            f"ROUGE-1 {explanation['rouge1']:.3f}, BERTScore {_shown(explanation['bertscore'])}, "
            f"BARTScore {_shown(explanation['bartscore'])}"
        )
    return lines


def _pairs_lines(report: PairsReport) -> list[str]:
    macro, matched, orders = report["accuracy_macro"], report["alignment"], report["both_orders"]
    return [
        f"{'accuracy, all items (headline)':<32}{_shown(macro['penalized'])}",
        f"{'accuracy, answered':<32}{_shown(macro['value'], macro['ci'])}",
        *(
            f"{aspect:<32}{_shown(accuracy['value'], accuracy['ci'])} (n {accuracy['n']})"
            for aspect, accuracy in report["accuracy"].items()
        ),
        f"{'gain over the choice shown':<32}{_gain(report['gain_over_reviewer_avg'])}",
        f"{'winner accuracy':<32}{_shown(matched['winner_accuracy'])}"
        f" ({matched['complete']} of {matched['comparisons']} comparisons)",
        f"{'favours the first':<32}{_shown(report['bias_first'])}",
        f"{'consistency in both orders':<32}{_shown(orders['consistency'])} (n {orders['n']})",
        *_group_lines(report["contamination"], "accuracy"),
    ]


def _group_lines(groups: Mapping[str, Mapping[str, object]] | None, figure: str) -> list[str]:
    return [
        f"{name + ', ' + figure:<32}{_shown(group[figure])} (n {group['n']})" for name, group in (groups or {}).items()
    ]


def _gain(gain: Gain | None) -> str:
    return NOT_AVAILABLE if gain is None else _shown(gain["value"], gain["ci"])


def _shown(value: object, interval: Sequence[float] | None = None) -> str:
    """A figure to three places with its interval.

    >>> _shown(0.25, [0.1, 0.4]), _shown(None)
    ('0.250 [0.100, 0.400]', 'n/a')
    """
    if not isinstance(value, int | float):
        return NOT_AVAILABLE
    ends = "" if interval is None else f" [{interval[0]:.3f}, {interval[1]:.3f}]"
    return f"{value:.3f}{ends}"
