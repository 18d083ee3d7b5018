from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd
import pytest

from evaluator.position_bias.judge_comparisons import deciding_queries
from evaluator.results import JudgeCard, QueryCounts
from evaluator.statistics.deciding_items import DecidingItems
from evaluator.statistics.rank_bands import RankBand
from leaderboard.boards.position_bias.columns import JUDGES_COLUMNS
from leaderboard.boards.position_bias.rows import (
    JudgeRow,
    ScoredTable,
    baseline_rows,
    fairness_stars,
    group_rows,
    judge_rows,
)
from leaderboard.page import benchmarks
from leaderboard.page.benchmarks import Benchmark, BoardKey
from leaderboard.parts.tables import column_of, ordered
from submissions.verdicts.swap_outcomes import Options
from tests.unit.leaderboard.boards.position_bias.made_position_bias import judges_result, scored_table, verdicts

KEY = BoardKey("small", 3)


@pytest.fixture(autouse=True)
def _small_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    small = Benchmark("small", "Small", 3, "reference", n_items=40)
    monkeypatch.setattr(benchmarks, "BENCHMARKS", (small, *benchmarks.BENCHMARKS))


def rows_of(judges: dict[str, str], *, queries: int = 40, key: BoardKey = KEY) -> dict[str, JudgeRow]:
    """Rows of judges that repeat these pairs of letters, by name."""
    result = judges_result(verdicts(judges, queries=queries), benchmark=key.benchmark, options=key.options)
    return {row.name: row for row in judge_rows([scored_table(result)], key)}


def test_judges_are_ranked_by_consistency_in_bands() -> None:
    rows = rows_of({"steady": "AB", "half": "AB AA", "other half": "AB BB", "flips": "BB"})
    assert rows["steady"].rank == RankBand(1, 1)
    assert rows["half"].rank == rows["other half"].rank == RankBand(2, 3)
    assert rows["flips"].rank == RankBand(4, 4)
    assert rows["half"].metric("position_consistency").value == 0.5


def test_the_most_consistent_judge_says_on_how_many_questions_its_place_rests() -> None:
    # Two pairs a question. The first keeps both on 20 questions and one on 20, 60 of 80; the second both on 19 of the
    # others and one on 21, 59. Without a question on which the first is ahead both keep 58, without two 56 and 57.
    first = {str(n): QueryCounts(consistent=2 if n < 20 else 1, valid=2, primacy=0, recency=0) for n in range(40)}
    second = {str(n): QueryCounts(consistent=2 if n > 20 else 1, valid=2, primacy=0, recency=0) for n in range(40)}
    deciding = deciding_queries({"first": first, "second": second})
    assert deciding is not None
    assert (deciding.leaders, len(deciding.items), deciding.successor) == (("first",), 2, "second")
    rows = rows_of({"steady": "AB", "flips": "BB"})
    assert rows["flips"].deciding is None
    assert rows["steady"].deciding is not None
    assert (rows["steady"].deciding.items, rows["steady"].deciding_among) == ((), "")


def test_published_judges_say_on_what_their_first_place_rests_where_nobody_else_is_ranked() -> None:
    result = judges_result(verdicts({"theirs": "AB", "other": "AA"}, queries=40), benchmark="small")
    released = result.model_copy(update={"source": "published"})
    decides = DecidingItems(("theirs",), ("t / 1", "t / 2"), "other", 40, "at_most")
    others = ScoredTable.published(released, "arXiv 1", decides)
    rows = {row.name: row for row in judge_rows([others], KEY)}
    deciding = rows["theirs"].deciding
    assert deciding is not None
    assert (deciding.items, rows["theirs"].deciding_among) == (
        decides.items,
        "Among published judges asked about every pair",
    )
    assert (deciding.leaders, deciding.successor) == ((rows["theirs"].id,), rows["other"].id)
    assert rows["theirs"].rank is None
    # A judge with a rank is what the sentence is about, as soon as there are two.
    sent = scored_table(judges_result(verdicts({"stated": "AB", "worse": "AA"}, queries=40), benchmark="small"))
    both = {row.name: row for row in judge_rows([others, sent], KEY)}
    assert both["theirs"].deciding is None
    assert both["stated"].deciding is not None


def test_what_teams_state_and_what_we_measured_never_share_a_band() -> None:
    sent = scored_table(judges_result(verdicts({"stated": "AB", "worse": "AA"}, queries=40), benchmark="small"))
    now = datetime(2026, 11, 1, tzinfo=UTC)
    own = ScoredTable.own(judges_result(verdicts({"ours": "AB AA"}, queries=40), benchmark="small"), now)
    released = judges_result(verdicts({"theirs": "AB"}, queries=40), benchmark="small")
    others = ScoredTable.published(released.model_copy(update={"source": "published"}), "arXiv 1")
    rows = {row.name: row for row in judge_rows([others, sent, own], KEY) if not row.is_null}
    assert {name: (row.measured, row.rank) for name, row in rows.items()} == {
        "stated": ("self-reported", RankBand(1, 1)),
        "worse": ("self-reported", RankBand(2, 2)),
        "ours": ("measured here", RankBand(1, 1)),
        "theirs": ("published verdicts, recomputed", None),
    }
    assert (rows["stated"].deciding_among, rows["ours"].deciding) == ("Among self-reported judges", None)
    theirs = rows["theirs"]
    assert (theirs.id, theirs.style, theirs.received_at) == ("published/theirs", "published-row", None)
    assert theirs.note == "published verdicts, recomputed (arXiv 1)"
    assert {row.measured for row in baseline_rows(3)} == {""}


def test_the_direction_is_told_only_where_the_interval_excludes_zero() -> None:
    rows = rows_of({"first": "AA", "second": "BB", "both": "AA BB", "none": "AB"})
    words = {name: rows[name].direction_words for name in ("first", "second", "both", "none")}
    assert words == {
        "first": "← primacy",
        "second": "→ recency",
        "both": "no clear position preference",
        "none": "no clear position preference",
    }
    assert rows["none"].number("preference_fairness") == 0


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("NN", "no pair has two usable verdicts"),
        ("A-", "only one order was run"),
        ("AB AB AB AB AB AB AB AN", "5 of 40 items are unusable or unpaired (at most 2%)"),  # every eighth of 40
        ("AB AB AB AB AB AB AB A-", "5 of 40 items are unusable or unpaired"),
        ("CC CC AB", "68% ties (at most 50%)"),  # 27 of 40 pairs
    ],
)
def test_a_judge_is_not_ranked_for_a_reason(written: str, reason: str) -> None:
    row = rows_of({"judge": written})["judge"]
    assert row.rank is None
    assert row.tier == 1
    assert f"not ranked: {reason}" in row.note


def test_a_partial_table_and_another_reference_are_not_ranked() -> None:
    partial = rows_of({"judge": "AB"}, queries=37)["judge"]  # 37 of 40 < 95 %
    assert "covers 37 of 40 items" in partial.note
    result = judges_result(verdicts({"judge": "AB"}), benchmark="small", reference_model="another")
    row = judge_rows([scored_table(result)], KEY)[0]
    assert "compares with another, not with reference" in row.note


def test_an_unregistered_benchmark_is_shown_and_not_ranked() -> None:
    row = rows_of({"judge": "AB"}, key=BoardKey("home-made", 3))["judge"]
    assert row.number("position_consistency") == 1.0
    assert row.note == "not ranked: the benchmark is not registered"


def test_few_queries_carry_a_badge() -> None:
    assert "few queries: 29 of at least 30" in rows_of({"judge": "AB"}, queries=29)["judge"].note
    assert "few queries" not in rows_of({"judge": "AB"}, queries=40)["judge"].note


@pytest.mark.parametrize(
    ("options", "coin", "names"),
    [
        (3, 1 / 3, ["always the first", "always the second", "always a tie", "coin flip"]),
        (2, 1 / 2, ["always the first", "always the second", "coin flip"]),
    ],
)
def test_judges_that_do_not_read_stand_on_every_board(options: Options, coin: float, names: list[str]) -> None:
    rows = {row.name: row for row in baseline_rows(options)}
    assert list(rows) == names
    numbers = {
        name: (row.number("position_consistency"), row.number("preference_fairness")) for name, row in rows.items()
    }
    assert numbers["always the first"] == (0.0, -1.0)
    assert numbers["always the second"] == (0.0, 1.0)
    assert numbers["coin flip"] == (coin, 0.0)
    assert numbers.get("always a tie", (1.0, 0.0)) == (1.0, 0.0)
    assert {(row.rank, row.tier, row.style) for row in rows.values()} == {(None, 2, "null-row")}
    assert rows["always the first"].direction_words == "← primacy"


def test_the_latest_table_of_a_team_stands_for_its_judge() -> None:
    old = scored_table(judges_result(verdicts({"judge": "AA"}), benchmark="small"), "old", day=1)
    new = scored_table(judges_result(verdicts({"judge": "AB"}), benchmark="small"), "new", day=2)
    other = scored_table(judges_result(verdicts({"judge": "BB"}), benchmark="small"), "other", team="Others")
    ids = {row.id for row in judge_rows([new, old, other], KEY) if not row.is_null}
    assert ids == {"new/judge", "other/judge"}


def test_fairness_is_sorted_without_its_sign_and_undefined_comes_last() -> None:
    rows = rows_of({"first": "AA AB", "second": "BB BB AB", "fair": "AB", "broken": "NN"})
    asked = [row for row in rows.values() if not row.is_null]
    fairness = column_of(JUDGES_COLUMNS, "preference_fairness")
    assert [row.name for row in ordered(asked, fairness, descending=True)] == ["second", "first", "fair", "broken"]
    assert [row.name for row in ordered(asked, fairness, descending=False)] == ["fair", "first", "second", "broken"]


def test_stability_is_shown_with_repetitions_and_floor() -> None:
    lines = [["judge", str(time), "t", "m", "q", letter, "A"] for time, letter in enumerate("AAB", 1)]
    names = ["judge", "repetition", "task", "model", "query", "verdict_original", "verdict_swapped"]
    repetitions = pd.DataFrame(lines, columns=names)
    result = judges_result(verdicts({"judge": "AB"}), benchmark="small", repetitions=repetitions)
    row = judge_rows([scored_table(result)], KEY)[0]
    # two of three, and three of three: (2/3 + 1)/2 = .83; ceil(3/3)/3 = .33
    assert column_of(JUDGES_COLUMNS, "repetition_stability").text(row) == "0.83 (t=3, floor 0.33)"


def test_a_stability_computed_from_distributions_says_so() -> None:
    row = JudgeRow(id="id", name="judge", figures={}, repetition={"repetition_stability": 0.75})
    assert row.stability_words == "(expected, t=3)"
    assert JudgeRow(id="id", name="judge", figures={}).stability_words == ""


def test_what_is_stated_about_a_judge_is_shown() -> None:
    card = JudgeCard(family="llama", temperature=0.0, precision="bf16", prompt_template="Which is better? " * 20)
    result = judges_result(verdicts({"judge": "AB"}), benchmark="small", cards={"judge": card})
    row = judge_rows([scored_table(result)], KEY)[0]
    assert row.decoding == "temperature 0, bf16"
    assert row.template.endswith("…")
    assert len(row.template) == 81
    assert [task.id for task in group_rows(row.by_task)] == ["maths", "writing"]


def test_only_what_holds_after_adjustment_is_starred() -> None:
    rows = rows_of({"biased": "BB", "mixed": "AA AA BB BB"})  # 20 queries per task
    starred = fairness_stars(list(rows.values()), ["maths", "writing"])
    assert starred == {("one/biased", "maths"), ("one/biased", "writing")}
