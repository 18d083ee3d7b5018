from __future__ import annotations

from dataclasses import replace

from evaluator.results import JudgeCard, MetricValue
from leaderboard.benchmarks import BoardKey
from leaderboard.boards import Boards
from leaderboard.card_values import JudgeCardValue
from leaderboard.judge_boards import JudgeBoards
from leaderboard.judge_card import card_of_pin, card_of_row
from leaderboard.judge_quality import JudgeQuality
from leaderboard.judge_rows import judge_rows
from leaderboard.services import Services
from tests.unit.leaderboard.made_judges import judges_result, put_into, scored_table, verdicts
from tests.unit.leaderboard.made_results import JUDGE

KEY = BoardKey("mtbench", 3)
NO_GAP = MetricValue(value=0.0, low=0.0, high=0.0, n=40)
QUALITY = JudgeQuality(JUDGE, MetricValue(value=0.84, low=0.79, high=0.88, n=179), {})
SAME = JudgeCard(model_id=JUDGE.model, revision=JUDGE.revision)


def facts(card: JudgeCardValue) -> dict[str, str]:
    return {fact["name"]: fact["text"] for fact in card["facts"]}


def test_the_card_of_a_row_holds_its_figures_and_says_what_is_not_known() -> None:
    card = JudgeCard(model_id="llama-3", revision="abc", temperature=0.0, prompt_template="v1")
    result = judges_result(verdicts({"judge": "BB"}), cards={"judge": card})
    value = card_of_row(judge_rows([scored_table(result)], KEY)[0], KEY)
    found = facts(value)
    assert value["title"] == "judge"
    assert value["context"] == "on MT-bench, A, B or tie"
    assert found["Fairness (PF)"].endswith("→ recency")
    assert (found["Model"], found["Decoding"], found["Pin"]) == (
        "llama-3",
        "temperature 0",
        "revision abc, template v1",
    )
    assert found["Label mass"] == found["Measured accuracy"] == "n/a"
    assert {fact["name"] for fact in value["facts"] if fact["is_faint"]} >= {"Languages", "Label mass", "Order gap"}


def test_a_judge_without_position_figures_says_why() -> None:
    value = card_of_pin(JUDGE, NO_GAP, quality=QUALITY, bias=None)
    assert value["notes"] == ["No PC, PF or RS: it reads pairs symmetrically by construction, order gap 0.00."]
    assert facts(value)["Measured accuracy"] == "0.84 [0.79, 0.88] on 179 pairs"
    lopsided = card_of_pin(JUDGE, MetricValue(value=0.3, n=3), quality=QUALITY, bias=None)
    assert "no verdict table" in lopsided["notes"][0]


def test_the_accuracy_of_another_judge_is_not_shown() -> None:
    other = JUDGE.model_copy(update={"revision": "fedcba"})
    assert facts(card_of_pin(other, NO_GAP, quality=QUALITY, bias=None))["Measured accuracy"] == "n/a"
    assert facts(card_of_pin(JUDGE, NO_GAP, quality=None, bias=None))["Measured accuracy"] == "n/a"


def test_a_judge_that_stands_on_a_board_brings_its_figures(services: Services) -> None:
    boards = JudgeBoards(services.store, Boards(services.store))
    assert boards.report_of(JUDGE) is None
    put_into(
        services.store,
        [
            judges_result(verdicts({"ours": "AB AA"}), cards={"ours": SAME}),
            judges_result(verdicts({"ours": "AB"}, queries=10), benchmark="other", cards={"ours": SAME}),
            judges_result(verdicts({"newer": "AB"}), cards={"newer": SAME.model_copy(update={"revision": "x"})}),
        ],
    )
    found = boards.report_of(JUDGE)
    assert found is not None
    value = card_of_pin(JUDGE, NO_GAP, quality=QUALITY, bias=found, mass=MetricValue(value=0.93, n=80))
    assert value["context"] == "position figures on MT-bench, A, B or tie"  # 40 pairs before 10
    assert facts(value)["Consistency (PC)"].startswith("0.50 [")
    assert facts(value)["Label mass"] == "0.93"
    assert value["notes"] == []


def test_a_hostile_name_is_carried_as_it_is() -> None:
    hostile = "<b onload=alert(1)>${alert(2)}"
    row = replace(judge_rows([scored_table(judges_result(verdicts({"j": "AB"})))], KEY)[0], judge=hostile)
    assert card_of_row(row, KEY)["title"] == hostile
