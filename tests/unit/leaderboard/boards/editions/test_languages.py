"""Which language hurts most: over which runs and questions, and what is said, with figures worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evaluator.statistics.rank_bands import RankBand
from leaderboard.boards.editions.languages import LANGUAGES_CHART, LanguageComparison, compared_languages
from leaderboard.boards.editions.rows import EditionRow, edition_rows
from leaderboard.parts.columns import Column
from leaderboard.parts.shown_rows import ShownRows
from tests.unit.leaderboard.boards.editions.test_rows import consistency, scored

Values = Mapping[str, Mapping[str, float]]


def rows(*of_runs: Values, unranked: Sequence[int] = ()) -> list[EditionRow]:
    """A row for each run, as the board makes them, with these values; ranked but for those whose places are named."""
    (row,) = edition_rows(scored(consistency(shared=2)))
    made = []
    for place, values in enumerate(of_runs):
        languages = tuple(sorted({language for of_question in values.values() for language in of_question}))
        rank = None if place in unranked else RankBand(1, 1)
        made.append(replace(row, id=f"t{place}", languages=languages, language_values=values, rank=rank))
    return made


def compared(shown: Sequence[EditionRow]) -> LanguageComparison:
    comparison = compared_languages(shown)
    assert comparison is not None
    return comparison


def every(questions: int, **values: float) -> dict[str, dict[str, float]]:
    return {str(question): dict(values) for question in range(questions)}


def test_a_question_counts_as_the_mean_over_the_ranked_runs_and_unranked_ones_count_nothing() -> None:
    runs = (every(10, de=4, en=4, fr=2), every(10, de=2, en=4, fr=1), every(10, de=0, en=5, fr=5))
    comparison = compared(rows(*runs, unranked=[2]))
    # Means of the first two: de 3, en 4, fr 1.5; fr 1.5 - (3 + 4) / 2 = -2, de 3 - 2.75, en 4 - 2.25.
    assert comparison.systems == 2
    assert [(language.part, language.mean, language.difference.value) for language in comparison.languages.parts] == [
        ("fr", 1.5, -2.0),
        ("de", 3.0, 0.25),
        ("en", 4.0, 1.75),
    ]
    assert comparison.sentence == (
        "French hurts most: -2.00 [-2.00, -2.00] against the mean of the other languages (n = 10)"
    )


def test_a_question_without_one_of_the_languages_is_left_out_for_that_run() -> None:
    partial = every(10, de=4, en=4, fr=2) | {"9": {"de": 1.0, "en": 5.0}}
    assert compared(rows(partial)).questions == 9


def test_only_languages_that_all_ranked_runs_answer_are_compared_and_a_run_in_two_takes_no_part() -> None:
    wide, narrow = every(10, de=4, en=4, fr=2, sv=0), every(10, de=4, en=4, fr=2)
    comparison = compared(rows(wide, narrow, every(10, de=5, en=5)))
    assert [language.part for language in comparison.languages.parts] == ["fr", "de", "en"]
    assert comparison.systems == 2
    assert compared_languages(rows(every(10, de=5, en=5))) is None
    assert compared_languages([]) is None


def test_languages_that_cannot_be_told_apart_are_not_named() -> None:
    # fr is 1 lower in half of the questions and 1 higher in the others: its mean difference is 0, as all are.
    swaying = {str(number): {"de": 3.0, "en": 3.0, "fr": 2.0 if number % 2 else 4.0} for number in range(10)}
    comparison = compared(rows(swaying))
    assert comparison.languages.lowest is None
    assert comparison.sentence.startswith("no language is separable from the others (lowest: German, 0.00 [")
    assert comparison.record["hurts_most"] is None


def test_seven_questions_show_the_difference_and_do_not_name_the_language() -> None:
    comparison = compared(rows(every(7, de=4, en=4, es=4, fr=2, sv=4)))
    assert comparison.languages.lowest is None
    assert comparison.sentence == (
        "no language is separable from the others (lowest: French, -2.00 against their mean, n = 7)"
    )


def test_the_table_behind_the_chart_has_every_language_and_leads_to_no_row() -> None:
    name: Column[EditionRow] = Column("system", "System", "text", lambda row: row.name, "", is_name=True)
    table = LANGUAGES_CHART.table(ShownRows(rows(every(10, de=4, en=4, fr=2)), name))
    assert [(row.name, *row.values[1:]) for row in table.rows] == [
        ("French", 2.0, 10, "lower"),
        ("German", 4.0, 10, "higher"),
        ("English", 4.0, 10, "higher"),
    ]
    shown = table.value("", opens=True)
    assert not any(cell["opens"] for row in shown["rows"] for cell in row["cells"])
