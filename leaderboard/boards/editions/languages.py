"""Which language hurts most on the board of 2025: the languages of its ranked runs, each against the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from plotly.graph_objects import Figure

from evaluator.statistics.part_differences import MIN_PARTS, PartComparison, PartDifference, compared_parts
from leaderboard.boards.editions.rows import EditionRow
from leaderboard.boards.robustness.charts import language_name
from leaderboard.parts.chart import Chart, ChartRow, ChartTable, Head
from leaderboard.parts.columns import text_of
from leaderboard.parts.drawing import Colours, NothingToShow, empty_figure, name_rows
from leaderboard.parts.row_charts import BoardChart
from leaderboard.parts.row_figures import ROW_PIXELS, many_whiskers
from leaderboard.parts.shown_rows import ShownRows


@dataclass(frozen=True, slots=True)
class LanguageComparison:
    """The languages that all compared runs answer, over the questions that one of them answers in each."""

    languages: PartComparison
    systems: int
    """Ranked runs that are compared."""

    @property
    def questions(self) -> int:
        """Questions that every figure is over."""
        return self.languages.parts[0].difference.n

    @property
    def sentence(self) -> str:
        """The answer in words, to stand after a semicolon."""
        lowest = self.languages.lowest
        first = lowest or self.languages.parts[0]
        name, by = language_name(first.part), text_of(first.difference, "signed")
        if lowest:
            return f"{name} hurts most: {by} against the mean of the other languages (n = {self.questions})"
        return (
            f"no language is separable from the others (lowest: {name}, {by} against their mean, n = {self.questions})"
        )

    @property
    def record(self) -> dict[str, Any]:
        """The comparison for a file."""
        return {
            "hurts_most": self.languages.lowest.part if self.languages.lowest else None,
            "systems": self.systems,
            "questions": self.questions,
            "languages": [_record(language) for language in self.languages.parts],
        }


def compared_languages(rows: Iterable[EditionRow]) -> LanguageComparison | None:
    """The languages of the ranked rows side by side; None where fewer than three are answered by all of them.

    Each question has one value per language: the mean over the runs that have a value there in every language. A run
    in two languages takes no part, since its one pair is the figure of both.
    """
    by_run = [row.language_values for row in rows if row.rank is not None and len(row.languages) >= MIN_PARTS]
    if not by_run:
        return None
    shared = set.intersection(*({language for of in run.values() for language in of} for run in by_run))
    values = _question_means(by_run, shared)
    comparison = compared_parts(values) if values else None
    return LanguageComparison(comparison, len(by_run)) if comparison else None


def _question_means(
    by_run: Iterable[Mapping[str, Mapping[str, float]]], languages: set[str]
) -> dict[str, dict[str, float]]:
    whole: defaultdict[str, list[Mapping[str, float]]] = defaultdict(list)
    for run in by_run:
        for question, of_question in run.items():
            if languages <= of_question.keys():
                whole[question].append(of_question)
    return {
        question: {language: fmean(of_run[language] for of_run in runs) for language in languages}
        for question, runs in whole.items()
    }


def _record(language: PartDifference) -> dict[str, Any]:
    difference = language.difference
    return {
        "language": language.part,
        "mean": language.mean,
        "difference": difference.value,
        "low": difference.low,
        "high": difference.high,
        "n": difference.n,
    }


# --- the chart -------------------------------------------------------------------------------------------------------


def _table(shown: ShownRows[EditionRow]) -> ChartTable:
    comparison = compared_languages(shown.rows)
    languages = comparison.languages.parts if comparison else ()
    lines = (
        ChartRow(
            language.part,
            language_name(language.part),
            (language.difference, language.mean, language.difference.n, _stands(language)),
        )
        for language in languages
    )
    heads: tuple[Head, ...] = (
        ("against the mean of the others", "signed"),
        ("mean, 0-5", "decimal"),
        ("n, questions", "whole"),
        ("stands apart", "text"),
    )
    return ChartTable("Language", heads, tuple(lines), leads=False)


def _words(language: PartDifference) -> str:
    difference = language.difference
    return f"{language_name(language.part)}: {text_of(difference, 'signed')}, n = {difference.n} questions"


def _stands(language: PartDifference) -> str:
    low, high = language.difference.low, language.difference.high
    if low is None or high is None:
        return "too few questions"
    if high < 0:
        return "lower"
    return "higher" if low > 0 else "no"


def _figure(shown: ShownRows[EditionRow], colours: Colours) -> Figure:
    comparison = compared_languages(shown.rows)
    if comparison is None:
        raise NothingToShow("The ranked rows shown share fewer than three languages.")
    languages = comparison.languages.parts
    differences = [language.difference for language in languages]
    figure = empty_figure(colours, height=120 + ROW_PIXELS * len(languages))
    figure.add_scatter(
        x=[difference.value for difference in differences],
        y=list(range(len(languages))),
        error_x=many_whiskers(differences, colours.judges[0]),
        mode="markers",
        marker={"size": 10, "color": colours.judges[0]},
        text=[_words(language) for language in languages],
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
    )
    figure.add_vline(x=0, line={"color": colours.muted, "width": 1, "dash": "dot"})
    name_rows(figure, [language_name(language.part) for language in languages])
    figure.update_xaxes(title="points of the score below or above the mean of the other languages", zeroline=False)
    return figure


LANGUAGES_CHART: BoardChart[EditionRow] = Chart(
    "hurts",
    "Which language hurts most",
    "A language's mean over the pairs it is one of, minus the mean of the other languages, question by question, over "
    "the ranked systems shown. The whiskers hold together with 95%: a language stands apart where its own exclude 0.",
    _figure,
    _table,
)
