"""From a file of personalized answers to its figures, by a judge whose ratings stand in the answers."""

from __future__ import annotations

from typing import Any

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.evaluate import CannotBeJudged, evaluate_payload, result_text
from evaluator.judges.http.replies import measured
from evaluator.judges.protocol import JudgeRequest, Judgment
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.personalization import row_figures
from evaluator.personalization.evaluate import NEEDS_LANGUAGE_MODEL, evaluate_personalization, outcome_rows
from evaluator.results import PersonalizationGroup, PersonalizationResult
from submissions.promptsets import PromptSets
from submissions.questionsets.option_order import option_order_hash
from submissions.schema import Names
from tests.unit.leaderboard.boards.personalization.made_personalization import (
    OTHER,
    PREFERENCE,
    WORKED_EXAMPLE,
    answered,
    control,
    document,
    pairs,
    rating_judge,
    read,
    row,
    saying,
    scored,
)


def group(
    result: PersonalizationResult, setting: str = "relevant", method: str = "naive", dataset: str = "ours"
) -> PersonalizationGroup:
    return next(one for one in result.groups if (one.setting, one.method, one.dataset) == (setting, method, dataset))


def values(found: PersonalizationGroup) -> dict[str, float | None]:
    return {name: metric.value for name, metric in found.metrics.items()}


class LowMassJudge(ScriptedJudge):
    """Gives every rating label a tenth of the probability that a script names."""

    def judge(self, requests: Any) -> list[Judgment]:
        return [
            measured(request.rubric, [0.05] * len(request.rubric.labels)) if request.rubric.kind == "followed" else one
            for request, one in zip(requests, super().judge(requests), strict=True)
        ]


def test_the_worked_example_of_the_docs_comes_out_of_a_file() -> None:
    result = scored(document(pairs(WORKED_EXAMPLE)))
    found = group(result)
    assert (found.n, found.n_qstar, found.n_rating_unparsable, found.n_unjudged) == (8, 5, 1, 0)
    # Q* = rows 1-5: wrong with preferences 3, 4; not followed 2, 4; either 2, 3, 4. A0 = 1-5, A1 = 1, 2, 5, 6, 8.
    assert values(found) == pytest.approx(
        {
            "breakage_rate": 2 / 5,
            "alignment_failure": 2 / 5,
            "robustness_error": 3 / 5,
            "performance_variation": 1 - 3 / 7,
            "repeat_breakage": None,
            "excess_breakage": None,
        }
    )
    assert found.metrics["repeat_breakage"].reason == "no repeat run"
    assert found.shares["acc_no_pref"] == found.shares["acc_pref"] == 5 / 8
    assert found.shares["unparsable"] == 1 / 8
    assert found.shares["truncated"] is None  # no row says how it ended
    assert not found.rankable
    answers = [
        outcome
        for outcome, setting in zip(result.outcomes.outcome, result.outcomes.setting, strict=True)
        if setting == "relevant"
    ]
    assert answers == [
        *("robust", "alignment_failure", "breakage", "breakage_and_alignment_failure"),
        *("robust", "recovered", "never_right", "recovered"),
    ]


def test_the_stored_rows_give_the_same_figures_again() -> None:
    result = scored(document(pairs(WORKED_EXAMPLE)))
    again = PersonalizationResult.model_validate_json(result.model_dump_json())
    assert again == result
    rows = [one for one in outcome_rows(again.outcomes) if one.setting == "relevant"]
    figures = row_figures(rows, "relevant")
    assert figures["robustness_error"] == values(group(result))["robustness_error"]
    assert [again.outcomes.row[place] for place in (0, 1)] == [0, 1]


def test_controls_are_never_rated_and_nothing_is_asked_twice() -> None:
    data = document(pairs(WORKED_EXAMPLE))
    judge, verdicts = rating_judge(), MemoryVerdicts()
    evaluate_personalization(read(data), RecordedJudge(judge, verdicts))
    assert judge.calls == 8  # one for each answer under preferences, none for the 8 controls
    evaluate_personalization(read(data), RecordedJudge(judge, verdicts))
    assert judge.calls == 8


def test_the_judge_sees_the_relevant_preference_alone_with_control_and_answer() -> None:
    seen: list[JudgeRequest] = []

    def followed(request: JudgeRequest) -> float:
        seen.append(request)
        return 5.0

    mixed = row("q1", "mixed", "naive", [OTHER, PREFERENCE], 1, response_with_preference="The answer is A. Short.")
    scored(document([control("q1", saying(True)), mixed]), rating_judge(followed=followed))
    (request,) = seen
    assert dict(request.fields) == {
        "question": "Which colour has flag q1?",
        "options": "A. red\nB. blue",
        "preference": PREFERENCE,
        "control": "The answer is A.",
        "answer": "The answer is A. Short.",
    }


def test_irrelevant_preferences_are_not_rated_and_their_error_is_the_breakage() -> None:
    rows = [
        control("q1", saying(True)),
        control("q2", saying(True)),
        row("q1", "irrelevant", "naive", [OTHER], None, response_with_preference=saying(True)),
        row("q2", "irrelevant", "naive", [OTHER], None, response_with_preference=saying(False)),
    ]
    judge = rating_judge()
    found = group(scored(document(rows), judge), setting="irrelevant")
    assert judge.calls == 0
    assert values(found)["robustness_error"] == values(found)["breakage_rate"] == 1 / 2
    assert found.metrics["alignment_failure"].reason == "no preference is relevant"


def test_too_little_probability_on_the_labels_is_unreadable_and_not_followed() -> None:
    # 5 labels with 0.05 each: mass 0.25, below one half
    judge = LowMassJudge(followed=lambda request: 5.0)
    result = scored(document(pairs([(True, True, 5)])), judge)
    found = group(result)
    assert found.shares["unparsable"] == 1.0
    assert values(found)["alignment_failure"] == 1.0
    place = result.outcomes.setting.index("relevant")
    assert result.outcomes.unparsable[place]
    assert result.outcomes.rating[place] is None
    assert result.outcomes.label_mass[place] == pytest.approx(0.25)
    assert result.outcomes.distribution[place] == (0.05,) * 5


def test_a_judge_that_only_compares_texts_leaves_correctness_standing() -> None:
    result = scored(document(pairs(WORKED_EXAMPLE)), ScriptedJudge())
    found = group(result)
    assert result.judge_reason == NEEDS_LANGUAGE_MODEL
    assert values(found)["breakage_rate"] == 2 / 5
    for name in ("alignment_failure", "robustness_error"):
        assert (found.metrics[name].value, found.metrics[name].reason) == (None, NEEDS_LANGUAGE_MODEL)
    assert (found.n_unjudged, found.n_rating_unparsable, found.shares["unparsable"]) == (5, 0, None)
    assert not found.rankable
    assert "not_known" in result.outcomes.outcome


@pytest.mark.parametrize(
    ("label", "letter", "rule", "is_right"),
    [
        ("A", "A", "judge", True),
        ("B", "B", "judge", False),
        ("0", None, "no_rule", False),
        (None, None, "no_rule", False),
    ],
)
def test_what_no_rule_settles_is_put_to_the_judge(
    label: str | None, letter: str | None, rule: str, is_right: bool
) -> None:
    rows = [control("q1", saying(True)), answered("q1", "Hard to say, really. Style 5.")]
    result = scored(document(rows), rating_judge(letter=lambda request: label))
    place = result.outcomes.setting.index("relevant")
    assert (result.outcomes.letter[place], result.outcomes.rule[place]) == (letter, rule)
    assert result.outcomes.c1[place] is is_right
    assert group(result).shares["invalid_pref"] == (0.0 if letter else 1.0)
    assert group(result).rules == {rule: 1.0}


def test_without_a_judge_of_letters_an_unsettled_answer_is_wrong_and_counted() -> None:
    rows = [control("q1", saying(True)), answered("q1", "Hard to say, really. Style 5.")]
    judge = ScriptedJudge(followed=lambda request: 5.0)
    found = group(scored(document(rows), judge))
    assert values(found)["breakage_rate"] == 1.0
    assert found.shares["invalid_pref"] == 1.0
    assert found.rules == {"no_rule": 1.0}


def test_the_same_text_to_the_same_question_is_read_once() -> None:
    rows = [control("q1", "Hard to say."), answered("q1", "Hard to say."), answered("q1", "Hard to say.", method="cot")]
    judge = rating_judge(followed=lambda request: 5.0, letter=lambda request: "A")
    result = scored(document(rows), judge)
    # one letter for three equal texts, and one rating: both requests for it are equal
    assert judge.calls == 2
    assert set(result.outcomes.letter) == {"A"}


def test_rows_without_a_right_option_count_nowhere_and_their_letters_are_not_judged() -> None:
    rows = [control("q1", "Hard to say.", gold=None), answered("q1", "Hard to say. Style 5.", gold=None)]
    asked: list[str] = []
    found = group(scored(document(rows), rating_judge(letter=lambda request: asked.append("letter"))))
    assert asked == []
    assert (found.n, found.n_no_gold, found.n_qstar) == (0, 1, 0)
    assert found.metrics["breakage_rate"].reason == "no control is right"


def test_an_open_question_has_no_letters() -> None:
    open_row: dict[str, Any] = {"options": [], "option_order_hash": option_order_hash([]), "gold": None}
    rows = [control("q1", "Some.", **open_row), answered("q1", "Some. Style 4.", **open_row)]
    result = scored(document(rows))
    found = group(result)
    assert (found.rules, found.shares["invalid_pref"]) == ({}, None)
    assert result.outcomes.rule == (None, None)


def test_another_control_run_is_the_noise_floor() -> None:
    rows = [
        *pairs([(True, False, 5), (True, True, 5), (True, True, 5), (False, True, 5)]),
        control("q1", saying(True), repeat=2),
        control("q2", saying(False), repeat=2),
        control("q4", saying(True), repeat=2),
    ]
    found = group(scored(document(rows)))
    # Q* with a repeat: q1, q2; the repeat loses q2, the preferences lose q1
    assert found.metrics["repeat_breakage"].value == 1 / 2
    assert found.metrics["excess_breakage"].value == 0.0
    assert found.metrics["repeat_breakage"].n == 2


def test_unchanged_ignores_white_space_and_looks_at_the_draft_first() -> None:
    draft = "The answer is A.\n"
    rows = [
        control("q1", "The answer is A."),
        control("q2", "The answer is A."),
        answered(
            "q1", " The  answer is A. ", method="pref_aligner", draft=draft, aligner_raw="no JSON", fallback=False
        ),
        answered(
            "q2", "A, of course.", method="pref_aligner", draft=draft, aligner_raw='{"response": "A, of course."}'
        ),
        answered("q2", "The answer is A.", method="naive"),
    ]
    result = scored(document(rows), rating_judge(followed=lambda request: 5.0))
    aligner, naive = group(result, method="pref_aligner"), group(result)
    assert aligner.shares["unchanged_rate"] == 1 / 2
    assert aligner.shares["fallback_rate"] == 1 / 2  # by the reply, whatever the flag says
    assert (naive.shares["unchanged_rate"], naive.shares["fallback_rate"]) == (1.0, None)


def test_long_texts_are_cut_for_the_judge_and_counted() -> None:
    seen: list[str] = []

    def followed(request: JudgeRequest) -> float:
        seen.append(request.fields["answer"])
        return 5.0

    rows = [control("q1", saying(True)), answered("q1", saying(True) + "x" * 9_000)]
    result = scored(document(rows), rating_judge(followed=followed))
    assert [len(text) for text in seen] == [8_000]
    assert group(result).n_cut == 1
    assert group(result, setting="none", method="no_preference").n_cut == 0
    assert result.outcomes.cut == (False, True)


def test_truncated_answers_and_the_teams_own_ratings_are_shown_beside_ours() -> None:
    rows = [
        *[control(f"q{number}", saying(True)) for number in (1, 2, 3)],
        answered("q1", saying(True, 4), finish_reason="length", followed_rating=5),
        answered("q2", saying(True, 2), finish_reason="stop", followed_rating=4),
        answered("q3", saying(True, 3), finish_reason="unknown"),
    ]
    found = group(scored(document(rows)))
    assert found.shares["truncated"] == 1 / 2  # "unknown" says nothing
    assert (found.mean_rating.value, found.reported_rating.value) == (3.0, 4.5)
    assert found.reported_rating.n == 2
    # 2 of 5 is not followed, whatever the team says
    assert values(found)["alignment_failure"] == pytest.approx(1 / 3)


def test_full_pools_the_data_sets_and_names_them() -> None:
    rows = [
        *pairs([(True, False, 5)]),
        *[{**one, "dataset": "theirs"} for one in pairs([(True, True, 5), (True, True, 5), (True, True, 5)])],
    ]
    found = group(scored(document(rows)), dataset="full")
    assert found.datasets == ("ours", "theirs")
    assert values(found)["breakage_rate"] == 1 / 4  # no mean of 1 and 0


def test_pref_aligner_is_compared_with_the_plain_prompt_on_common_examples() -> None:
    rows = pairs([(True, False, 5), (True, False, 5), (True, True, 5), (True, True, 5)])
    aligned = [
        answered(f"q{number}", saying(True, 5), method="pref_aligner", draft=saying(True)) for number in (1, 2, 3)
    ]
    result = scored(document([*rows, *aligned]))
    difference = next(one for one in result.aligner_differences if one.dataset == "ours")
    # common: q1, q2, q3; plain loses 2 of 3, the aligner none
    assert difference.metrics["breakage_rate"].value == pytest.approx(-2 / 3)
    assert (difference.metrics["breakage_rate"].n, difference.metrics["breakage_rate"].unscored) == (3, 1)


def test_figures_by_preference_keep_the_beginning_of_each() -> None:
    rows = pairs([(True, False, 5), (True, True, 5)])
    rows[1]["preferences"] = ["Tell it\nas a story. " + "x" * 300]
    cells = {one.preference: one for one in scored(document(rows)).by_preference}
    assert [len(name) for name in cells] == [len(PREFERENCE), 160]
    assert cells[PREFERENCE].breakage_rate == 0.0
    assert next(one for name, one in cells.items() if name.startswith("Tell it as a story.")).breakage_rate == 1.0


def test_the_command_line_and_the_worker_score_the_bytes_of_an_upload() -> None:
    result = evaluate_payload(
        document(pairs(WORKED_EXAMPLE)),
        "made.json",
        edition="",
        names=Names(),
        prompt_sets=PromptSets.load(None),
        judge=RecordedJudge(rating_judge(), MemoryVerdicts()),
        embedder=ScriptedEmbedder(),
    )
    assert isinstance(result, PersonalizationResult)
    text = result_text(result)
    assert "relevant, ours, naive: 8 rows, 5 in Q*" in text
    assert "*   robustness_error       60.0 %" in text
    assert "fallback_rate n/a" in text


# --- the profile perg ------------------------------------------------------------------------------------------------


def written(request: JudgeRequest) -> str:
    """Writes what the answer says it shall write, after "write:"."""
    if "preference" in request.fields:
        return request.fields["answer"].partition("rate:")[2].partition(";")[0]
    return request.fields["answer"].partition("letter:")[2].partition(";")[0]


def perg(rows: list[Any]) -> PersonalizationResult:
    judge = ScriptedJudge(written=written)
    return evaluate_personalization(read(document(rows)), RecordedJudge(judge, MemoryVerdicts()), profile="perg")


def test_perg_reads_letters_and_ratings_as_they_are_written_and_uses_no_rule() -> None:
    right = "The answer is B. letter:{'answer': 'A'};"
    rows = [
        *[control(f"q{number}", right) for number in (1, 2, 3)],
        answered("q1", right + "rate:<answer>7</answer>;"),  # no range check: followed
        answered("q2", "The answer is A. letter:{'answer': 'a'};rate:<answer>5</answer>;"),  # small letter: wrong
        answered("q3", right + "rate:<answer>good</answer>;"),  # no digits: not followed
    ]
    result = perg(rows)
    found = group(result)
    assert result.profile == "perg"
    assert found.n_qstar == 3  # the rules would read B everywhere
    # wrong: q2; not followed: q3; either: two of three
    expected = {"breakage_rate": 1 / 3, "alignment_failure": 1 / 3, "robustness_error": 2 / 3}
    assert {name: values(found)[name] for name in expected} == pytest.approx(expected)
    assert found.rules == {"judge": 1.0}
    assert result.outcomes.letter[-2] == "a"
    assert result.outcomes.rating[-3] == 7.0
    assert "profile perg" in result_text(result)


def test_perg_takes_a_reply_that_is_no_dictionary_for_no_letter() -> None:
    result = perg([control("q1", "The answer is A. letter:A;"), control("q2", "letter:{'answer': None};")])
    assert result.outcomes.letter == (None, None)
    assert result.outcomes.c0 == (False, False)


def test_perg_needs_a_judge_that_writes() -> None:
    with pytest.raises(CannotBeJudged, match="needs a language-model judge: scripted writes no replies"):
        evaluate_payload(
            document(pairs([(True, True, 5)])),
            "made.json",
            edition="",
            names=Names(),
            prompt_sets=PromptSets.load(None),
            judge=RecordedJudge(rating_judge(), MemoryVerdicts()),
            embedder=ScriptedEmbedder(),
            profile="perg",
        )
