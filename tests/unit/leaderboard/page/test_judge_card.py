from __future__ import annotations

from dataclasses import replace

from evaluator.judge_quality.people_values import AnswersGiven, Likeness
from evaluator.judge_quality.trial_values import ProvenRubric
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
from tests.unit.leaderboard.page.made_quality import made_people, measured_quality, tried_quality

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
    # What nobody stated, and what cannot be known of verdicts that were sent, is left out.
    assert found.keys() == {
        *("Model", "Revision", "Decoding", "Pin", "Consistency (PC)", "Fairness (PF)", "Errors"),
    }
    assert "judge-quality --judge J --record" in value["notes"][-1]


def test_a_judge_without_position_figures_says_why() -> None:
    value = card_of_pin(JUDGE, NO_GAP, quality=QUALITY, bias=None)
    assert value["notes"] == ["No position bias: this judge scores both orders alike by construction (order gap 0.00)."]
    assert facts(value)["Stress test: accuracy"] == "1.00 [0.54, 1.00]"
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
    value = card_of_pin(JUDGE, NO_GAP, quality=proven, bias=None)
    assert facts(value)["Plain questions"] == "passed 2 of 3 kinds, label mass 0.68 or more; failed: followed 2"
    (tooltip,) = (fact["tooltip"] for fact in value["facts"] if fact["name"] == "Plain questions")
    assert tooltip.endswith("; it cannot tell plain cases apart in followed 2.")


def test_an_unmeasured_judge_says_how_it_is_measured() -> None:
    value = card_of_pin(JUDGE.model_copy(update={"name": "mine"}), NO_GAP, quality=None, bias=None)
    assert facts(value)["Stress test"] == "not measured"
    assert "Stress test: accuracy" not in facts(value)
    assert "judge-quality --judge J --record" in value["notes"][-1]
    assert value["quality"] == []


def test_a_measured_judge_shows_every_kind_of_pair_beside_the_baselines_weakest_first() -> None:
    value = card_of_pin(JUDGE, NO_GAP, quality=QUALITY, bias=None)
    assert facts(value)["Stress test"] == "AUC 1.00 [0.54, 1.00] on 12 pairs"
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


def test_texts_that_were_not_asked_about_have_no_line() -> None:
    """A measurement without the file of real answers has short ones only."""
    none = MetricValue(value=None, n=0, reason="no text was judged")
    given = AnswersGiven(real=none, other_prompt=none, short=MetricValue(value=0.74, n=100))
    people = made_people(JUDGE)
    figures = people.figures.model_copy(update={"answers": given})
    quality = QUALITY.model_copy(update={"people": people.model_copy(update={"figures": figures})})
    found = facts(card_of_pin(JUDGE, NO_GAP, quality=quality, bias=None))
    assert found["Short right answers"] == "0.74, n = 100"
    assert "Real answers let through" not in found
    assert "Answers to another prompt" not in found


def test_agreement_with_people_stands_first_with_its_source_and_what_it_does_not_cover() -> None:
    people = made_people(JUDGE)
    unread = MetricValue(value=None, n=0, unscored=300, reason="it does not read de")
    likeness = Likeness(languages={"en": MetricValue(value=0.5, low=0.25, high=0.75, n=1500), "de": unread})
    answers = AnswersGiven(
        real=MetricValue(value=0.97, n=168),
        other_prompt=MetricValue(value=0.04, n=168),
        short=MetricValue(value=0.9, n=254),
    )
    figures = people.figures.model_copy(update={"likeness": {"dev": likeness}, "answers": answers})
    quality = QUALITY.model_copy(update={"people": people.model_copy(update={"figures": figures})})
    value = card_of_pin(JUDGE, NO_GAP, quality=quality, bias=None)
    names = [fact["name"] for fact in value["facts"]]
    assert names.index("Agreement with people") < names.index("Stress test")
    found = facts(value)
    assert found["Agreement with people"] == "AUC 1.00 [0.54, 1.00] on 12 pairs of answers"
    assert found["Right by people"] == "1.00 [0.54, 1.00]"
    assert found["Likeness by people"] == "English 0.50 [0.25, 0.75], n = 1,500"
    assert found["Real answers let through"] == "0.97, n = 168"
    assert found["Answers to another prompt"] == "0.04, n = 168"
    assert found["Short right answers"] == "0.90, n = 254"
    note = value["notes"][-1]
    assert "arXiv 2305.12421" in note
    assert "held out from training" in note
    assert "machine translations" in note
    people_panel, stress_panel = value["quality"]
    assert people_panel["heads"] == ["this judge", "words beyond the question"]
    assert [line["name"] for line in people_panel["lines"][:3]] == [
        "same answer: AUC",
        "same answer: accuracy at 2.5",
        "STS dev, English",
    ]
    assert not any("de" in line["name"].split() for line in people_panel["lines"])  # it does not read German
    first = people_panel["lines"][0]
    assert (first["name"], first["number"]) == ("same answer: AUC", "12")
    assert first["cells"] == ["1.00 [0.54, 1.00]", "0.50 [0.50, 0.50]"]
    assert stress_panel["title"].startswith("Stress test: 12 labelled pairs")


def test_a_judge_nobody_compared_with_people_says_how_that_is_done() -> None:
    value = card_of_pin(JUDGE, NO_GAP, quality=QUALITY, bias=None)
    (line,) = [fact for fact in value["facts"] if fact["name"] == "Agreement with people"]
    assert (line["text"], line["is_faint"]) == ("not measured", True)
    assert "judge-quality --judge J --people FOLDER" in line["tooltip"]


def test_a_baseline_on_the_labelled_pairs_is_called_a_null_row() -> None:
    value = card_of_baseline("word overlap", QUALITY.baselines["word_overlap"], None)
    assert value["notes"] == ["baseline: not a judge"]
    assert (
        facts(value)["Stress test: balanced accuracy"] == "0.50 [0.50, 0.50]"
    )  # 5 x 1/3 is below 2.5: "different" every time


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
