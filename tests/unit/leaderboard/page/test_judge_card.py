from __future__ import annotations

from dataclasses import replace

from evaluator.judges.quality.trial_values import ProvenRubric
from evaluator.results import JudgeCard, MetricValue
from leaderboard.boards.position_bias.cache import JudgeBoards
from leaderboard.boards.position_bias.cards import card_of_row
from leaderboard.boards.position_bias.rows import judge_rows
from leaderboard.boards.robustness.cache import Boards
from leaderboard.page.benchmarks import BoardKey
from leaderboard.page.judge_card import card_of_baseline, card_of_pin
from leaderboard.page.services import Services
from leaderboard.parts.card_values import JudgeCardValue
from tests.unit.leaderboard.boards.position_bias.made_position_bias import (
    judges_result,
    put_into,
    scored_table,
    verdicts,
)
from tests.unit.leaderboard.boards.robustness.made_results import JUDGE
from tests.unit.leaderboard.page.made_quality import measured_quality, tried_quality

KEY = BoardKey("mtbench", 3)
NO_GAP = MetricValue(value=0.0, low=0.0, high=0.0, n=40)
QUALITY = measured_quality(JUDGE)
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
    assert (found["Label mass"], found["Agreement with labelled pairs"]) == ("n/a", "not measured")
    assert "judge-quality --judge J --record" in value["notes"][-1]
    assert {fact["name"] for fact in value["facts"] if fact["is_faint"]} >= {"Languages", "Label mass", "Order gap"}


def test_a_judge_without_position_figures_says_why() -> None:
    value = card_of_pin(JUDGE, NO_GAP, quality=QUALITY, bias=None)
    assert value["notes"] == ["No PC, PF or RS: it reads pairs symmetrically by construction, order gap 0.00."]
    assert facts(value)["Measured accuracy"] == "1.00 [1.00, 1.00]"
    lopsided = card_of_pin(JUDGE, MetricValue(value=0.3, n=3), quality=QUALITY, bias=None)
    assert "no verdict table" in lopsided["notes"][0]


def test_a_judge_that_writes_before_it_decides_says_how_much() -> None:
    tried = tried_quality(JUDGE, lambda _: 3.0)
    assert tried.trials is not None
    assert "Tokens written" not in facts(card_of_pin(JUDGE, NO_GAP, quality=tried, bias=None))
    cost = tried.trials.cost.model_copy(update={"tokens_written": 1234.5})
    writing = tried.model_copy(update={"trials": tried.trials.model_copy(update={"cost": cost})})
    value = card_of_pin(JUDGE, NO_GAP, quality=writing, bias=None)
    assert facts(value)["Tokens written"] == "1,234 for each judgement"


def test_a_language_model_says_which_plain_questions_it_passed() -> None:
    tried = tried_quality(JUDGE, lambda _: 3.0)
    assert tried.trials is not None
    assert "Plain questions" not in facts(card_of_pin(JUDGE, NO_GAP, quality=tried, bias=None))
    proofs = (
        ProvenRubric(rubric="similarity-pair 2", lowest_mass=0.712, fault=None),
        ProvenRubric(rubric="answers 2", lowest_mass=0.93, fault=None),
        ProvenRubric(rubric="followed 2", lowest_mass=0.68, fault="it cannot tell plain cases apart in followed 2"),
    )
    proven = tried.model_copy(update={"trials": tried.trials.model_copy(update={"proofs": proofs})})
    assert (
        facts(card_of_pin(JUDGE, NO_GAP, quality=proven, bias=None))["Plain questions"]
        == "passes 2 of 3 kinds, label mass 0.68 or more; not asked: followed 2"
    )


def test_an_unmeasured_judge_says_how_it_is_measured() -> None:
    value = card_of_pin(JUDGE, NO_GAP, quality=None, bias=None)
    assert facts(value)["Agreement with labelled pairs"] == "not measured"
    assert "Measured accuracy" not in facts(value)
    assert "judge-quality --judge J --record" in value["notes"][-1]
    assert value["quality"] == []


def test_a_measured_judge_shows_every_kind_of_pair_beside_the_baselines_weakest_first() -> None:
    value = card_of_pin(JUDGE, NO_GAP, quality=QUALITY, bias=None)
    assert facts(value)["Agreement with labelled pairs"] == "AUC 1.00 [0.54, 1.00] on 12 pairs"
    (panel,) = value["quality"]
    assert panel["heads"] == ["this judge", "word overlap", "length ratio"]
    assert [(line["name"], line["number"]) for line in panel["lines"]] == [
        ("all pairs", "12"),
        ("negation", "6"),
        ("paraphrase", "6"),
    ]
    # words in common and lengths are the same in every pair: all ties, AUC 1/2
    assert panel["lines"][0]["cells"] == ["1.00 [0.54, 1.00]", "0.50 [0.50, 0.50]", "0.50 [0.50, 0.50]"]
    assert panel["is_open"] is False
    assert "Not measured" not in " ".join(value["notes"])


def test_a_baseline_on_the_labelled_pairs_is_called_a_null_row() -> None:
    value = card_of_baseline("word overlap", QUALITY.baselines["word_overlap"])
    assert value["notes"] == ["null row: not a judge"]
    assert facts(value)["Balanced accuracy"] == "0.50 [0.50, 0.50]"  # 5 x 1/3 is below 2.5: "different" every time


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
    row = replace(judge_rows([scored_table(judges_result(verdicts({"j": "AB"})))], KEY)[0], name=hostile)
    assert card_of_row(row, KEY)["title"] == hostile
