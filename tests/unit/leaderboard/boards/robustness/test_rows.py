from __future__ import annotations

from dataclasses import replace

from evaluator.results import HEADLINE, PairwiseRecord, PairwiseResult, RobustnessResult
from evaluator.robustness.pairwise import conservative_win_rate, win_rate
from evaluator.statistics.deciding_items import DecidingItems
from evaluator.statistics.rank_bands import RankBand
from leaderboard.boards.robustness.rows import RobustnessRow, ScoredTicket, board_rows
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.page.answer_card import measured_head
from leaderboard.page.board_table import BoardTable, preset_chosen
from leaderboard.page.ledger import Ledger
from leaderboard.page.measured import EARLIER_HEAD
from leaderboard.page.system_keys import standing_runs
from leaderboard.parts.board_kind import ALL
from submissions.store.queue import JobStatus, Ticket
from submissions.verdicts.swap_outcomes import classify
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result, ticket

ITEMS = [f"90{number}" for number in range(1, 8)]


def flat(rating: float, **options: object) -> RobustnessResult:
    """Items differ a little, systems by the rating."""
    return robustness_result({item: rating + index / 20 for index, item in enumerate(ITEMS)}, **options)  # type: ignore[arg-type]


def test_the_board_shows_the_latest_scored_run_and_counts_every_attempt() -> None:
    tickets = [
        ticket("new", day=3, status=JobStatus.FAILED),
        ticket("middle", day=2),
        ticket("old", day=1),
        ticket("other", system="Other"),
    ]
    assert [found.id for found in standing_runs(tickets)] == ["middle", "other"]
    scored = [ScoredTicket(found, flat(3.0)) for found in standing_runs(tickets)]
    rows = {row.id: row for row in Ledger(tickets).counted(board_rows(scored, "english"))}
    assert rows["middle"].attempts == 3
    assert rows["other"].attempts == 1


def run_of(name: str, run: str, *, day: int, is_primary: bool = False) -> Ticket:
    made = ticket(name, day=day)
    return replace(made, names=replace(made.names, run=run), is_primary=is_primary)


def test_runs_of_a_system_are_rows_of_their_own_and_the_latest_is_ranked() -> None:
    tickets = [
        run_of("again", "sampled", day=4),
        run_of("sampled", "sampled", day=3),
        run_of("greedy", "greedy", day=2),
    ]
    standing = standing_runs(tickets)
    assert [one.id for one in standing] == ["again", "greedy"]  # what is sent again takes its run's place alone
    rows = {row.id: row for row in board_rows([ScoredTicket(one, flat(3.0)) for one in standing], "english")}
    assert (rows["again"].rank, rows["again"].run, rows["again"].note) == (RankBand(1, 1), "sampled", "")
    assert (rows["greedy"].rank, rows["greedy"].tier, rows["greedy"].run) == (None, 1, "greedy")
    assert rows["greedy"].note == "not ranked: its system is ranked by its run sampled"


def test_a_team_ranks_its_system_by_the_run_it_chose() -> None:
    tickets = [run_of("new", "new", day=4), run_of("chosen", "old", day=1, is_primary=True)]
    rows = {row.id: row for row in board_rows([ScoredTicket(one, flat(3.0)) for one in tickets], "english")}
    assert rows["chosen"].rank == RankBand(1, 1)
    assert rows["new"].note == "not ranked: its system is ranked by its run old"


def test_a_later_run_that_answers_a_part_does_not_displace_a_whole_one() -> None:
    part, whole = run_of("part", "part", day=4), run_of("whole", "", day=1)
    scored = [ScoredTicket(part, flat(5.0, rankable=False)), ScoredTicket(whole, flat(3.0))]
    rows = {row.id: row for row in board_rows(scored, "english")}
    assert (rows["part"].rank, rows["whole"].rank) == (None, RankBand(1, 1))
    # Where a baseline equals the latest, the system is no better today: an older run does not stand in for it.
    null = ScoredTicket(ticket("null", system="constant answer", role="baseline"), flat(1.0))
    scored = [ScoredTicket(part, flat(1.0)), ScoredTicket(whole, flat(3.0)), null]
    rows = {row.id: row for row in board_rows(scored, "english")}
    assert "its system is ranked by its run part" in rows["whole"].note


def test_two_accounts_with_the_same_names_are_two_rows() -> None:
    tickets = [ticket("mine", owner="one"), ticket("yours", owner="two")]
    assert len(standing_runs(tickets)) == 2


def test_systems_that_cannot_be_told_apart_share_a_rank_band() -> None:
    # alternate wins the odd items and loses the even ones against equal: the paired difference covers zero
    wobbling = robustness_result({item: 3.0 + (0.5 if index % 2 else -0.5) for index, item in enumerate(ITEMS)})
    level = robustness_result(dict.fromkeys(ITEMS, 3.0))
    scored = [
        ScoredTicket(ticket("best", system="A"), flat(4.0)),
        ScoredTicket(ticket("wobbling", system="B"), wobbling),
        ScoredTicket(ticket("level", system="C"), level),
    ]
    ranks = {row.id: row.rank for row in board_rows(scored, "english")}
    assert ranks == {"best": RankBand(1, 1), "wobbling": RankBand(2, 3), "level": RankBand(2, 3)}


def test_null_rows_have_no_rank_and_flag_what_is_no_better() -> None:
    scored = [
        ScoredTicket(ticket("good", system="Good"), flat(4.0)),
        ScoredTicket(ticket("canned", system="Canned"), flat(1.0)),
        ScoredTicket(ticket("null", system="constant answer", role="baseline"), flat(1.0)),
    ]
    rows = {row.id: row for row in board_rows(scored, "english")}
    assert rows["null"].rank is None
    assert (rows["null"].style, rows["null"].tier) == ("null-row", 0)
    assert rows["good"].rank == RankBand(1, 1)
    assert rows["good"].note == ""
    assert rows["canned"].note == "not separable from baseline: constant answer"


def test_a_partial_row_is_listed_after_the_others_with_its_reason() -> None:
    row = board_rows([ScoredTicket(ticket("partial"), flat(5.0, rankable=False))], "english")
    assert row[0].rank is None
    assert row[0].tier == 1
    assert row[0].note.startswith("not ranked: ")


def test_a_view_the_judge_cannot_read_is_not_ranked() -> None:
    scored = [ScoredTicket(ticket("one"), flat(4.0))]
    row = board_rows(scored, "all")[0]
    assert row.figures[HEADLINE].mean.value is None
    assert row.rank is None
    assert "not ranked" in row.note


def compared(verdicts: str) -> RobustnessResult:
    """A result whose answers were compared with the reference; "BA" a win from both places, "AB" a loss."""
    pairs = verdicts.split()
    records = tuple(
        PairwiseRecord(
            item=ITEMS[index % len(ITEMS)],
            variant=index,
            variation="v",
            original=pair[0],
            swapped=pair[1],
            outcome=classify(pair[0], pair[1]).value,
        )
        for index, pair in enumerate(pairs)
    )
    pairwise = PairwiseResult(
        reference="keel",
        reference_sha256="ef" * 32,
        records=records,
        win_rate=win_rate(records),
        conservative_win_rate=conservative_win_rate(records),
    )
    return flat(3.0).model_copy(update={"pairwise": pairwise})


def test_comparisons_with_the_reference_stand_in_columns_of_their_own() -> None:
    tickets = [ticket("strong", system="Strong"), ticket("weak", system="Weak"), ticket("alone", system="Alone")]
    results = [compared("BA BA BA AB"), compared("AB AB AB BA"), flat(3.0)]
    scored = [ScoredTicket(one, result) for one, result in zip(tickets, results, strict=True)]
    rows = {row.id: row for row in board_rows(scored, "english")}
    strong = rows["strong"].comparison
    assert strong is not None
    assert strong.win_rate.value == 0.75  # three of four
    assert (rows["strong"].strength or 0) > 0 > (rows["weak"].strength or 0)
    assert (rows["alone"].comparison, rows["alone"].strength) == (None, None)


def test_columns_nobody_has_a_value_in_are_left_out() -> None:
    tickets = [ticket("one", system="One")]

    def shown(result: RobustnessResult) -> set[str]:
        rows = board_rows([ScoredTicket(tickets[0], result)], "english")
        table = BoardTable(
            RobustnessState,
            all_rows=lambda state: rows,
            caption=lambda state: "",
            empty=lambda state: "",
            about=lambda state: {},
        )
        return {column.key for column in table.shown_columns(preset_chosen(RobustnessState(), ALL))}

    optional = {"win_rate", "won_from_both_places", "strength"}
    assert optional <= shown(compared("BA AB"))
    assert not optional & shown(flat(3.0))
    assert "score" in shown(flat(3.0))


# --- where a judge was asked which responses answer ------------------------------------------------------------------


def asked(result: RobustnessResult) -> RobustnessResult:
    """The result as if a judge had been asked which responses answer."""
    return result.model_copy(update={"gate": result.judge})


def rows_of(*scored: ScoredTicket) -> dict[str, RobustnessRow]:
    return {row.id: row for row in board_rows(scored, "english")}


def test_a_system_that_is_not_above_the_best_null_row_is_not_ranked_and_its_row_names_it() -> None:
    rows = rows_of(
        ScoredTicket(ticket("good", system="Good"), asked(flat(4.0))),
        ScoredTicket(ticket("canned", system="Canned"), asked(flat(1.5))),
        ScoredTicket(ticket("low", system="Null: refusal", role="baseline"), asked(flat(0.0))),
        ScoredTicket(ticket("high", system="Null: topic words", role="baseline"), asked(flat(1.5))),
    )
    assert rows["good"].rank == RankBand(1, 1)
    # It is above the refusals, but not above the best.
    assert (rows["canned"].rank, rows["canned"].tier) == (None, 1)
    assert rows["canned"].note == "not ranked: not separable from baseline: Null: topic words"


def test_a_run_scored_without_that_question_is_not_ranked_beside_one_that_was_asked() -> None:
    rows = rows_of(
        ScoredTicket(ticket("old", system="Old"), flat(4.0)),
        ScoredTicket(ticket("new", system="New"), asked(flat(3.0))),
    )
    assert rows["new"].rank == RankBand(1, 1)
    assert rows["old"].rank is None
    assert "to be judged again" in rows["old"].note


def test_where_no_judge_could_be_asked_rows_that_only_the_question_stops_say_nothing_of_a_system() -> None:
    rows = rows_of(
        ScoredTicket(ticket("good", system="Good"), flat(4.0)),
        ScoredTicket(ticket("words", system="Null: topic words", role="baseline"), flat(5.0)),
    )
    assert (rows["good"].rank, rows["good"].note) == (RankBand(1, 1), "")


def test_with_few_common_items_no_null_row_takes_a_rank_away() -> None:
    few = robustness_result(dict.fromkeys(ITEMS[:4], 1.0))
    rows = rows_of(
        ScoredTicket(ticket("canned", system="Canned"), asked(few)),
        ScoredTicket(ticket("null", system="Null: refusal", role="baseline"), asked(few)),
    )
    # Four items rank nobody, and no baseline is the reason.
    assert rows["canned"].rank is None
    assert "too few: 4 of at least 6 items" in rows["canned"].note


def test_a_run_that_an_earlier_answer_head_gated_is_not_ranked_until_it_is_judged_again() -> None:
    now = measured_head().judge
    earlier = now.model_copy(update={"prompt": "answer-calibration 1"})
    rows = rows_of(
        ScoredTicket(ticket("bought", system="Bought"), flat(4.0).model_copy(update={"gate": earlier})),
        ScoredTicket(ticket("good", system="Good"), flat(3.0).model_copy(update={"gate": now})),
        ScoredTicket(
            ticket("low", system="Null: refusal", role="baseline"), flat(0.0).model_copy(update={"gate": now})
        ),
    )
    assert (rows["bought"].rank, rows["bought"].note) == (None, f"not ranked: {EARLIER_HEAD}")
    assert rows["good"].rank == RankBand(1, 1)


def test_the_leading_row_says_which_items_its_place_rests_on() -> None:
    # Tide 5 + 6 x 3 = 23, Keel 0 + 6 x 3.5 = 21, so Tide leads; without 901 it is 18 against 21. A baseline and an
    # unranked run, 5 on every item, are never first.
    results = {
        "tide": robustness_result(dict.fromkeys(ITEMS, 3.0) | {"901": 5.0}),
        "keel": robustness_result(dict.fromkeys(ITEMS, 3.5) | {"901": 0.0}),
        "part": robustness_result(dict.fromkeys(ITEMS, 5.0), rankable=False),
    }
    scored = [ScoredTicket(ticket(name, system=name), result) for name, result in results.items()]
    null = ScoredTicket(ticket("null", system="constant answer", role="baseline"), flat(5.0))
    rows = {row.id: row for row in board_rows([*scored, null], "english")}
    assert rows["tide"].deciding == DecidingItems(("tide",), ("901",), "keel", 7)
    assert {id_ for id_, row in rows.items() if row.deciding is None} == {"keel", "part", "null"}


def test_one_ranked_system_leads_whatever_is_left_out() -> None:
    null = ScoredTicket(ticket("null", system="constant answer", role="baseline"), flat(1.0))
    rows = board_rows([ScoredTicket(ticket("tide"), flat(3.0)), null], "english")
    assert [row.deciding for row in rows] == [None, None]
