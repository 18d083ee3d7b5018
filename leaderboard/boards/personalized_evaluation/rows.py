"""Rows of the Personalized evaluation boards: every evaluator, beside references and the paper's figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from evaluator.personalized_evaluation.published import (
    PublishedPairs,
    PublishedRatings,
    published_pairs,
    published_ratings,
)
from evaluator.personalized_evaluation.reports import Gain, PairsReport, RatingsReport, TestedFigure, Values
from evaluator.published import published_source
from evaluator.results import MetricValue
from evaluator.statistics.deciding_items import DecidingItems, deciding_items
from evaluator.statistics.intervals import excludes_zero
from evaluator.statistics.rank_bands import RankBand, rank_bands
from leaderboard.boards.personalized_evaluation.headline_draws import difference_interval
from leaderboard.boards.personalized_evaluation.runs import EvaluatorKey, EvaluatorsKind, ScoredEvaluator, WinRate
from leaderboard.page.board_row import BoardRow, ticket_fields
from leaderboard.page.measured import HERE, ORIGIN, SELF_REPORTED
from leaderboard.parts.columns import text_of
from leaderboard.parts.published import AS_PRINTED, Publication
from leaderboard.parts.tables import folded
from submissions.formats.personalized_evaluation.submission import ASPECTS, RATINGS_KIND

PUBLICATION = Publication(
    citation=published_source("evaluator.personalized_evaluation"),
    short="arXiv 2310.03304",
    link="https://arxiv.org/abs/2310.03304",
    mark=AS_PRINTED,
)

ASPECT_KEYS = {aspect: aspect.split()[0].lower() for aspect in ASPECTS}
"""Columns of the five aspects."""

Figure = MetricValue | float | None

UNRANKED_WORDS = {
    "headline_undefined": "the headline is undefined",
    "few_reviewers": "fewer than 6 readers",
    "low_parse_rate": "fewer than half of the items have an answer",
    "gold_returned": "its answers are the gold ones, which are part of the file: nothing was predicted",
}
FLAG_WORDS = {"shortened": "the judge saw shortened texts"}


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorRow(BoardRow):
    """One evaluator with k reviews shown, or a row to read it beside.

    `judge` is the local one that answered; None where the file brought its answers.
    """

    k: int | None
    """None = the paper does not say."""
    figures: Mapping[str, Figure]
    """Column -> its figure."""
    hints: Mapping[str, str] = field(default_factory=dict)
    """Column -> what else one may want to know of its figure."""
    n: int | None = None
    n_reviewers: int | None = None
    by_k: tuple[tuple[int, MetricValue], ...] = ()
    """The evaluator's headline for every k it was run with on this data, in order of k."""
    win_rates: tuple[WinRate, ...] = ()

    @property
    def is_measured_here(self) -> bool:
        """Did a judge of this site answer?"""
        return self.judge is not None

    @property
    def label(self) -> str:
        """What charts call the row."""
        return self.name if self.k is None else f"{self.name}, k = {self.k}"

    def figure(self, key: str) -> Figure:
        """A figure, with its interval where it has one; None where it is unknown."""
        return self.figures.get(key)

    def metric(self, key: str) -> MetricValue | None:
        """The same as charts take it: published figures are bare numbers."""
        figure = self.figures.get(key)
        return MetricValue(value=figure, n=self.n or 0) if isinstance(figure, float) else figure

    def value(self, key: str) -> float | None:
        """A figure's number alone."""
        figure = self.figures.get(key)
        return figure.value if isinstance(figure, MetricValue) else figure

    def hint(self, key: str) -> str:
        """What else one may want to know of a figure; blank for nothing."""
        return self.hints.get(key, "")

    @property
    def bias_words(self) -> str:
        """Which text an evaluator leans to in the given order, with an arrow; blank where it is not known."""
        bias = self.value("bias_first")
        if bias is None:
            return ""
        rounded = round(bias, 3)
        return "no lean" if not rounded else "← first" if rounded > 0 else "→ second"


# --- runs ------------------------------------------------------------------------------------------------------------


def evaluator_rows(runs: Sequence[ScoredEvaluator], kind: EvaluatorsKind, dataset: str) -> tuple[EvaluatorRow, ...]:
    """Every row of one collection, all k together, in no particular order.

    Ranks are given within each k, to runs that were answered here and to self-reported ones apart.

    Args:
        runs: The latest run of every evaluator and k on the collection.
        kind: What was predicted.
        dataset: What the data is called: published rows of that name stand beside them.
    """
    of_evaluator: defaultdict[EvaluatorKey, list[ScoredEvaluator]] = defaultdict(list)
    for run in runs:
        of_evaluator[run.evaluator].append(run)
    own = [_run_row(run, of_evaluator[run.evaluator]) for run in runs]
    bands: dict[str, RankBand] = {}
    ranked: list[list[EvaluatorRow]] = []
    for k, measured in product(sorted({run.k for run in runs}), (HERE, SELF_REPORTED)):  # never in one band
        ranked.append([row for row in own if row.k == k and row.measured == measured and not row.unranked])
        apart = {row.id for row in ranked[-1]}
        bands |= rank_bands({run.ticket.id: run.contributions for run in runs if run.ticket.id in apart})
    largest = max(ranked, key=len, default=[])
    deciding = _deciding_readers([run for run in runs if run.ticket.id in {row.id for row in largest}])
    leader = deciding.leaders[0] if deciding else ""
    among = _among(largest[0]) if largest and sum(map(bool, ranked)) > 1 else ""
    return (
        *(
            replace(row, rank=bands.get(row.id), deciding=deciding, deciding_among=among)
            if row.id == leader
            else replace(row, rank=bands.get(row.id))
            for row in own
        ),
        *(row for k in sorted({run.k for run in runs}) for row in _references(_first_run(runs, k))),
        *published_rows(kind, dataset),
    )


def _deciding_readers(runs: Sequence[ScoredEvaluator]) -> DecidingItems | None:
    """The fewest readers without which another evaluator is first, to first order: a headline is no mean over them."""
    values = {
        run.ticket.id: {reader: len(run.contributions) * part for reader, part in run.contributions.items()}
        for run in runs
    }
    deciding = deciding_items(values)
    return replace(deciding, certainty="about") if deciding else None


def _among(row: EvaluatorRow) -> str:
    """Which evaluators are ranked together.

    >>> _among(EvaluatorRow(id="1", name="Tide", k=3, figures={}))
    'Among self-reported evaluators with 3 reviews'
    """
    where = "evaluators measured here" if row.is_measured_here else "self-reported evaluators"
    return f"Among {where} with {row.k} review{'' if row.k == 1 else 's'}"


def _first_run(runs: Sequence[ScoredEvaluator], k: int) -> ScoredEvaluator:
    """The first run with so many reviews: whose profiles the references of that k rest on."""
    return min((run for run in runs if run.k == k), key=lambda run: (run.ticket.received_at, run.ticket.id))


def _unranked(run: ScoredEvaluator) -> str:
    if run.ticket.role == "baseline":
        return "a baseline"
    if run.ticket.out_of_season:
        return run.ticket.out_of_season
    return "; ".join(UNRANKED_WORDS[flag] for flag in run.report["flags"] if flag in UNRANKED_WORDS)


def _run_row(run: ScoredEvaluator, same: Sequence[ScoredEvaluator]) -> EvaluatorRow:
    report = run.report
    figures, hints = (
        _ratings_figures(run, report, same) if report["kind"] == RATINGS_KIND else _pairs_figures(run, report)
    )
    return EvaluatorRow(
        **ticket_fields(run.ticket),
        id=run.ticket.id,
        name=run.name,
        k=run.k,
        figures={**_common_figures(report), **figures},
        hints={"parse_rate": _missing_words(report), **hints},
        n=report["n"],
        n_reviewers=run.n_reviewers,
        judge=run.result.judge,
        statistics_version=run.result.statistics_version,
        unranked=_unranked(run),
        remark=_remark(run),
        by_k=tuple(sorted(((other.k, other.headline) for other in same), key=lambda pair: pair[0])),
        win_rates=run.win_rates,
    )


def _remark(run: ScoredEvaluator) -> str:
    remarks = [ORIGIN[run.ticket.role]] if run.ticket.role in ORIGIN else []
    if run.result.judge is not None:
        remarks.append(f"answered here by the judge {run.result.judge.name} ({run.result.judge.model})")
    gain = _gain(run.report["gain_over_reviewer_avg"], run.report["n"])
    if gain is not None and gain.low is not None and not excludes_zero(gain):
        remarks.append("not told from Reviewer Avg.")
    remarks += [FLAG_WORDS[flag] for flag in run.report["flags"] if flag in FLAG_WORDS]
    return "; ".join(remarks)


def _missing_words(report: RatingsReport | PairsReport) -> str:
    reasons = [f"{reason.replace('_', ' ')} {count}" for reason, count in report["missing"].items() if count]
    return f"missing: {', '.join(reasons)}" if reasons else "nothing is missing"


def _common_figures(report: RatingsReport | PairsReport) -> dict[str, Figure]:
    return {
        "parse_rate": report["parse_rate"],
        "gain": _gain(report["gain_over_reviewer_avg"], report["n"]),
    }


def _gain(gain: Gain | None, n: int) -> MetricValue | None:
    return None if gain is None else with_ends(gain["value"], gain["ci"], n)


def with_ends(value: float | None, ends: list[float] | None, n: int = 0) -> MetricValue:
    """A figure of a report with the interval beside it."""
    low, high = ends or (None, None)
    return MetricValue(value=value, low=low, high=high, n=n)


def _ratings_figures(
    run: ScoredEvaluator, report: RatingsReport, same: Sequence[ScoredEvaluator]
) -> tuple[dict[str, Figure], dict[str, str]]:
    metrics, shuffle, quality = report["metrics"], report["order_shuffle"], report["explanation"]
    contamination = report["contamination"] or {}
    tested = {name: metrics[name] for name in ("pearson", "spearman", "kendall")}
    figures: dict[str, Figure] = {
        "tau": run.headline,
        **{name: with_ends(figure["value"], figure["ci"], report["answered"]) for name, figure in tested.items()},
        "within": MetricValue(value=metrics["within_reviewer_kendall"], n=metrics["within_reviewer_n"]),
        "gain_k0": gain_over_k0(run, same),
        "order_std": shuffle["kendall_std"] if shuffle else None,
        "mae": metrics["mae"],
        "exact_match": metrics["exact_match"],
        **{f"tau_{name}": group["kendall"] for name, group in contamination.items()},
        "bleu": quality["bleu"] if quality else None,
        "rouge1": quality["rouge1"] if quality else None,
        "bertscore": quality["bertscore"] if quality else None,
        "bartscore": quality["bartscore"] if quality else None,
    }
    hints = {name: _p_words(figure) for name, figure in tested.items()}
    hints |= {
        f"tau_{name}": f"n = {group['n']}, {group['percent']:.0%} of the marked items"
        for name, group in contamination.items()
    }
    hints["within"] = f"over {metrics['within_reviewer_n']} readers with three answered items and a defined tau"
    if shuffle:
        mean, spread = text_of(shuffle["kendall_mean"], "decimal"), text_of(shuffle["item_std"], "decimal")
        hints["order_std"] = f"{shuffle['runs']} other orders, mean tau {mean}; an item's predictions vary by {spread}"
    if quality:
        hints |= dict.fromkeys(("bleu", "rouge1"), f"n = {quality['n']} explanations")
        hints |= {name: quality[f"{name}_model"] or "" for name in ("bertscore", "bartscore")}  # type: ignore[literal-required]
    return figures, hints


def _p_words(figure: TestedFigure) -> str:
    return "" if figure["p"] is None else f"p = {figure['p']:.2g}, two-sided, as if items were independent"


def gain_over_k0(run: ScoredEvaluator, same: Iterable[ScoredEvaluator]) -> MetricValue | None:
    """The headline less that of the same evaluator without any review shown, on the same draws of reviewers.

    None for runs without reviews, where that run is missing, and where either headline is undefined.
    """
    bare = next((other for other in same if other.k == 0), None)
    if run.k == 0 or bare is None or run.headline.value is None or bare.headline.value is None:
        return None
    return with_ends(
        run.headline.value - bare.headline.value,
        difference_interval(run.draws, bare.draws, run.n_reviewers),
        run.headline.n,
    )


def _pairs_figures(run: ScoredEvaluator, report: PairsReport) -> tuple[dict[str, Figure], dict[str, str]]:
    orders, matched, macro = report["both_orders"], report["alignment"], report["accuracy_macro"]
    one_recognised = (report["contamination"] or {}).get("one")
    aspects = {ASPECT_KEYS[aspect]: report["accuracy"][aspect] for aspect in ASPECTS}
    figures: dict[str, Figure] = {
        "macro": run.headline,
        **{key: with_ends(accuracy["value"], accuracy["ci"], accuracy["n"]) for key, accuracy in aspects.items()},
        "macro_answered": with_ends(macro["value"], macro["ci"], report["answered"]),
        "winner_accuracy": MetricValue(value=matched["winner_accuracy"], n=matched["complete"]),
        "win_rate_tau": MetricValue(value=matched["kendall"], n=matched["complete"]),
        "consistency": MetricValue(value=orders["consistency"], n=orders["n"]),
        "bias_first": report["bias_first"],
        "bias_both": orders["bias_first_both_orders"],
        "bias_memorized": one_recognised.get("bias_memorized") if one_recognised else None,
    }
    hints = {
        key: f"all {accuracy['n']} items, missing = wrong: {text_of(accuracy['penalized'], 'percent')}"
        for key, accuracy in aspects.items()
    }
    hints["consistency"] = f"over {orders['n']} items answered in both orders"
    hints["winner_accuracy"] = (
        f"{matched['complete']} of {matched['comparisons']} comparisons are answered in every aspect"
    )
    if one_recognised:
        hints["bias_memorized"] = f"n = {one_recognised['n']} items with one recognised text"
    return figures, hints


# --- references ------------------------------------------------------------------------------------------------------


def _references(run: ScoredEvaluator) -> Iterator[EvaluatorRow]:
    """What needs no judge, on the items of one run; a rule that cannot be followed there has no row."""
    report = run.report
    if report["kind"] == RATINGS_KIND:
        references = report["references"]
        yield from _correlated(
            run, "reviewer_avg", "Reviewer Avg.", references["reviewer_avg"], "the mean of the scores shown"
        )
        yield from _correlated(
            run,
            "matrix_factorization",
            "Matrix Factorization",
            references["matrix_factorization"],
            "readers and texts by known ratings",
        )
        yield _reference(
            run, "constant", "Constant", {"tau": None, "mae": run.constant_error}, "always the middle of the scale"
        )
        return
    shown, fixed = report["references"]["reviewer_avg"], report["references"]
    if shown is not None:
        figures: dict[str, Figure] = {
            "macro": shown["macro"],
            **{ASPECT_KEYS[aspect]: shown[aspect] for aspect in ASPECTS},
        }
        yield _reference(run, "reviewer_avg", "Reviewer Avg.", figures, "the choice shown most often")
    yield _reference(run, "always_a", "Always A", {"macro": fixed["always_a"]}, "the first text, whatever it is")
    yield _reference(run, "always_b", "Always B", {"macro": fixed["always_b"]}, "the second text, whatever it is")


def _correlated(run: ScoredEvaluator, key: str, name: str, values: Values | None, rule: str) -> Iterator[EvaluatorRow]:
    if values is not None:
        figures: dict[str, Figure] = {
            "tau": values["kendall"],
            **{coefficient: values[coefficient] for coefficient in ("pearson", "spearman", "kendall")},
        }
        yield _reference(run, key, name, figures, rule)


def _reference(run: ScoredEvaluator, key: str, name: str, figures: Mapping[str, Figure], rule: str) -> EvaluatorRow:
    return EvaluatorRow(
        id=f"reference/{key}/{run.k}",
        name=name,
        is_null=True,
        k=run.k,
        figures=figures,
        n=run.report["n"],
        n_reviewers=run.n_reviewers,
        remark=f"reference: {rule}; from the profiles of {run.name}" if key in _OF_PROFILES else f"reference: {rule}",
    )


_OF_PROFILES = ("reviewer_avg", "matrix_factorization")


# --- published -------------------------------------------------------------------------------------------------------


def published_datasets(kind: EvaluatorsKind) -> tuple[str, ...]:
    """Data sets the paper reports on, in its order."""
    return tuple(dict.fromkeys(row.dataset for row in _published(kind)))


def published_rows(kind: EvaluatorsKind, dataset: str) -> tuple[EvaluatorRow, ...]:
    """The paper's figures on a data set of that name; none on any other."""
    return tuple(_published_row(row) for row in _published(kind) if folded(row.dataset) == folded(dataset.strip()))


def _published(kind: EvaluatorsKind) -> Sequence[PublishedRatings | PublishedPairs]:
    return published_ratings() if kind == RATINGS_KIND else published_pairs()


def _published_row(row: PublishedRatings | PublishedPairs) -> EvaluatorRow:
    figures: dict[str, Figure]
    hints: dict[str, str] = {}
    if isinstance(row, PublishedRatings):
        figures = {"tau": row.kendall, "pearson": row.pearson, "spearman": row.spearman, "kendall": row.kendall}
        figures |= {_EXPLAINED.get(name, name): value for name, value in row.explanation.items()}
        hints = {"rouge1": "printed as ROUGE, without saying which"} if row.explanation else {}
    else:
        figures = {"macro": row.average, **{ASPECT_KEYS[aspect]: value for aspect, value in row.accuracy.items()}}
    return EvaluatorRow(
        id=f"published/{row.dataset}/{row.name}",
        name=row.name,
        published=PUBLICATION.mark,
        k=row.k,
        figures=figures,
        hints=hints,
        team=PUBLICATION.short,
        remark=f"{PUBLICATION.mark} ({PUBLICATION.short}, {row.table})",
    )


_EXPLAINED = {"rouge": "rouge1"}
"""Columns that are called otherwise than in the paper."""
