"""The recipe of the Robustness board, on a small set with a judge whose ratings can be worked out by hand."""

from __future__ import annotations

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judges.answers.ungated import Ungated
from evaluator.judges.protocol import JudgeRequest, Judgment, RequestKind
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.results import GroupResult, RobustnessResult
from evaluator.robustness.evaluate import evaluate_robustness
from submissions.schema import (
    Count,
    Coverage,
    Flag,
    Item,
    Names,
    PromptSet,
    Response,
    ResponseSet,
    Submission,
    Variant,
)
from submissions.store.verdict_keys import verdict_keys

TOPICS = ["soup", "bicycle", "garden", "violin", "volcano", "tax"]
RANKABLE: dict[str, bool | None] = {"english": True, "all": True}


def prompt_set(*, with_prompts: bool = True) -> PromptSet:
    """Six items; each has three English variants and two Swedish ones."""
    items = []
    for number, topic in enumerate(TOPICS, start=1):
        texts = [f"tell me of {topic} {topic}"] * 3 + [f"sag om {topic} {topic}"] * 2
        variants = tuple(
            Variant(place, "en" if place <= 3 else "sv", text if with_prompts else None)
            for place, text in enumerate(texts, start=1)
        )
        items.append(Item(f"{number:03}", "formality", variants))
    return PromptSet("demonstration", "2024", "six topics", "1", "a" * 64 if with_prompts else None, tuple(items))


def submission(
    answers: dict[tuple[str, int], str] | None = None,
    flags: dict[tuple[str, int], frozenset[Flag]] | None = None,
    prompts: bool = False,
) -> Submission:
    """On every prompt the same answer about its topic, unless given otherwise by (item, variant)."""
    sets = []
    for item in prompt_set().items:
        topic = TOPICS[int(item.id) - 1]
        responses = tuple(
            Response(
                item_id=item.id,
                base_id=item.id,
                kind="variant",
                variant=variant.number,
                language=variant.language,
                prompt=variant.prompt if prompts else None,
                turns=(("", text),),
                response=text,
                flags=(flags or {}).get((item.id, variant.number), frozenset()),
            )
            for variant in item.variants
            for text in [(answers or {}).get((item.id, variant.number), f"{topic} {topic} facts")]
        )
        sets.append(ResponseSet(item.id, responses))
    return Submission("2024", "demonstration", Names("aurora"), None, None, (), "b" * 64, tuple(sets))


def evaluate(
    of: Submission,
    *,
    judge: ScriptedJudge | None = None,
    verdicts: MemoryVerdicts | None = None,
    of_set: PromptSet | None = None,
    embedder: ScriptedEmbedder | None = None,
) -> RobustnessResult:
    answered = sum(not response.is_blank for response in of.responses())
    coverage = Coverage(Count(30, answered), rankable=RANKABLE)
    recorded = RecordedJudge(judge or ScriptedJudge(), verdicts or MemoryVerdicts())
    return evaluate_robustness(of, coverage, of_set or prompt_set(), recorded, embedder or ScriptedEmbedder())


def group(result: RobustnessResult, item: str, language: str) -> GroupResult:
    (found,) = [group for one in result.items if one.id == item for group in one.groups if group.language == language]
    return found


def test_one_item_worked_out_by_hand() -> None:
    answers = {("001", 1): "soup hot good", ("001", 2): "soup hot bad", ("001", 3): "soup cold"}
    result = evaluate(submission(answers))
    # Word overlap x 5: 1-2 share soup, hot of four words: 2.5; 1-3 soup of four: 1.25; 2-3 soup of four: 1.25
    english = group(result, "001", "en")
    assert [(pair.a, pair.b, pair.ab, pair.ba, pair.score) for pair in english.pairs] == [
        (1, 2, 2.5, 2.5, 2.5),
        (1, 3, 1.25, 1.25, 1.25),
        (2, 3, 1.25, 1.25, 1.25),
    ]
    assert english.figures["pair_mean"] == pytest.approx(5 / 3)  # (2.5 + 1.25 + 1.25) / 3
    assert english.figures["pair_worst"] == 1.25
    # The other five items have identical answers: 5. English view (5/3 + 5 x 5) / 6
    assert result.views["english"].figures["pair_mean"].mean.value == pytest.approx((5 / 3 + 25) / 6)
    # All languages: item 001 is the mean of its English group (5/3) and its Swedish group (5): 10/3
    assert result.views["all"].item_values["pair_mean"]["001"] == pytest.approx(10 / 3)
    assert result.views["english"].ranked


def test_identical_answers_are_rated_top_without_asking() -> None:
    judge = ScriptedJudge()
    result = evaluate(submission(), judge=judge)
    assert judge.calls == 0
    pair = group(result, "001", "en").pairs[0]
    assert (pair.score, pair.key_ab, pair.key_ba) == (5.0, None, None)


def test_evaluating_again_asks_nothing_and_gives_the_same_result() -> None:
    answers = {("001", 1): "soup one", ("001", 2): "soup two", ("001", 3): "soup three"}
    judge, verdicts = ScriptedJudge(), MemoryVerdicts()
    first = evaluate(submission(answers), judge=judge, verdicts=verdicts)
    assert judge.calls == 6  # 3 pairs in both orders
    assert evaluate(submission(answers), judge=judge, verdicts=verdicts) == first
    assert judge.calls == 6


def test_changing_one_of_n_answers_asks_for_its_2_x_n_minus_1_pairs() -> None:
    answers = {("001", 1): "soup one", ("001", 2): "soup two", ("001", 3): "soup three"}
    judge, verdicts = ScriptedJudge(), MemoryVerdicts()
    evaluate(submission(answers), judge=judge, verdicts=verdicts)
    before = judge.calls
    evaluate(submission(answers | {("001", 2): "soup anew"}), judge=judge, verdicts=verdicts)
    assert judge.calls - before == 4  # n = 3: 2 x (3 - 1)


def test_the_kth_submission_costs_what_the_first_did() -> None:
    judge, verdicts, costs = ScriptedJudge(), MemoryVerdicts(), []
    for number in range(4):
        before = judge.calls
        evaluate(
            submission({("001", place): f"soup {number} {place}" for place in (1, 2, 3)}),
            judge=judge,
            verdicts=verdicts,
        )
        costs.append(judge.calls - before)
    assert costs == [6, 6, 6, 6]


def test_a_language_the_judge_does_not_read_is_unjudged_with_the_reason() -> None:
    result = evaluate(submission(), judge=ScriptedJudge(languages=("en",)))
    swedish = group(result, "001", "sv")
    assert swedish.figures["pair_mean"] is None
    assert swedish.reason == "the judge scripted does not read the language sv"
    assert result.views["english"].ranked
    assert not result.views["all"].ranked
    assert "sv" in (result.views["all"].reason or "")


def test_an_unscored_judgment_is_none_with_its_reason_never_zero() -> None:
    answers = {("001", 1): "soup one", ("001", 2): "soup two", ("001", 3): "soup three"}
    result = evaluate(submission(answers), judge=ScriptedJudge(lambda request: None))
    english = group(result, "001", "en")
    assert english.figures["pair_mean"] is None
    assert english.reason == "the script gives no rating"
    summary = result.views["english"].figures["pair_mean"]
    assert (summary.mean.n, summary.mean.unscored, summary.mean.value) == (5, 1, 5.0)
    assert not result.views["english"].ranked


def test_one_reply_of_two_still_counts() -> None:
    answers = {("001", 1): "soup one", ("001", 2): "soup two", ("001", 3): "soup two"}

    def only_one_order(request: JudgeRequest) -> float | None:
        return 2.0 if request.fields["answer_a"].endswith("one") else None

    pair = group(evaluate(submission(answers), judge=ScriptedJudge(only_one_order)), "001", "en").pairs[0]
    assert (pair.ab, pair.ba, pair.score) == (2.0, None, 2.0)


def test_a_blank_answer_makes_no_pair_and_no_request() -> None:
    judge = ScriptedJudge()
    answers = {("001", 1): " ", ("001", 2): "soup two", ("001", 3): "soup three"}
    english = group(evaluate(submission(answers), judge=judge), "001", "en")
    assert [(pair.a, pair.b) for pair in english.pairs] == [(2, 3)]
    assert [response.blank for response in english.responses] == [True, False, False]
    assert judge.calls == 2


def test_an_answer_about_another_item_is_off_topic_and_its_pairs_count_zero() -> None:
    result = evaluate(submission({("001", 1): "bicycle bicycle facts"}))
    english = group(result, "001", "en")
    assert english.responses[0].flags == ("off_topic",)
    assert english.responses[0].off_topic_control is True  # it would answer the next item, 002 bicycle
    assert [pair.passes for pair in english.pairs] == [False, False, True]
    assert english.figures["pair_mean_gated"] == pytest.approx(5 / 3)  # (0 + 0 + 5) / 3
    assert result.flags == {"off_topic": 1}


def test_a_gating_flag_of_the_checks_counts_too() -> None:
    result = evaluate(submission(flags={("001", 1): frozenset({"echo"}), ("001", 4): frozenset({"wrong_language"})}))
    assert group(result, "001", "en").gate_share == pytest.approx(1 / 3)  # one of three pairs passes
    assert group(result, "001", "sv").gate_share == 1.0  # a wrong language is flagged, not gated
    assert result.flags == {"echo": 1, "wrong_language": 1}


def test_without_any_prompts_only_raw_figures_stand_and_nothing_is_ranked() -> None:
    result = evaluate(submission(), of_set=prompt_set(with_prompts=False))
    english = result.views["english"]
    assert english.figures["pair_mean"].mean.value == 5.0
    assert english.figures["pair_mean_gated"].mean.value is None
    assert not english.ranked
    assert (english.reason or "").startswith("set_unavailable")
    assert result.pass_share.value is None


def test_prompts_stated_in_the_file_serve_where_the_official_ones_are_missing() -> None:
    result = evaluate(submission(prompts=True), of_set=prompt_set(with_prompts=False))
    assert result.views["english"].figures["pair_mean_gated"].mean.value == 5.0
    assert result.views["english"].ranked


def test_the_embedding_model_is_not_used_on_languages_it_does_not_declare() -> None:
    result = evaluate(submission({("001", 4): "bicycle"}), embedder=ScriptedEmbedder(languages=("en",)))
    swedish = group(result, "001", "sv")
    assert [response.own_relevance for response in swedish.responses] == [None, None]
    assert swedish.responses[0].flags == ()
    assert swedish.gate_share == 1.0  # not checkable is not off topic


class GroupJudge(ScriptedJudge):
    """Also reads groups: the rating is the number of texts."""

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return frozenset({"similarity_pair", "similarity_group"})

    def judge(self, requests: object) -> list[Judgment]:
        assert isinstance(requests, list)
        return [
            Judgment(float(sum(name.startswith("answer_") for name in request.fields)))
            if request.rubric.kind == "similarity_group"
            else super(GroupJudge, self).judge([request])[0]
            for request in requests
        ]


def test_a_judge_that_reads_groups_gives_j_and_its_gated_form() -> None:
    flags: dict[tuple[str, int], frozenset[Flag]] = {("001", 1): frozenset({"constant"})}
    english = group(evaluate(submission(flags=flags), judge=GroupJudge()), "001", "en")
    assert english.group_rating == 3.0  # three texts
    assert english.figures["group_gated"] == pytest.approx(1.0)  # 3 x gate share 1/3


def test_the_result_names_judge_set_and_code_and_survives_its_json() -> None:
    result = evaluate(submission())
    assert (result.judge.name, result.embedding.name, result.prompt_set.sha256) == ("scripted", "scripted", "a" * 64)
    assert RobustnessResult.model_validate_json(result.model_dump_json()) == result


# --- which responses answer ------------------------------------------------------------------------------------------


def answers_by_mark(request: JudgeRequest) -> float | None:
    """No answer says "sorry", one says "perhaps" and half answers, one says "?" and cannot be told."""
    text = request.fields["answer"]
    return None if "?" in text else 0.1 if "sorry" in text else 0.6 if "perhaps" in text else 1.0


def gated(answers: dict[tuple[str, int], str]) -> GroupResult:
    return group(evaluate(submission(answers), judge=ScriptedJudge(answers=answers_by_mark)), "001", "en")


def test_a_response_that_does_not_answer_is_flagged_and_its_pairs_count_zero() -> None:
    english = gated({("001", 1): "soup sorry", ("001", 2): "soup sorry", ("001", 3): "soup hot"})
    assert [response.flags for response in english.responses] == [("no_answer",), ("no_answer",), ()]
    assert [response.answers for response in english.responses] == [0.1, 0.1, 1.0]
    # Identical refusals rate 5; with what answers they share soup, of three words: 5/3. All of it counts nothing.
    assert [(pair.score, pair.passes, pair.gated) for pair in english.pairs] == [
        (5.0, False, 0.0),
        (pytest.approx(5 / 3), False, 0.0),
        (pytest.approx(5 / 3), False, 0.0),
    ]


def test_a_pair_counts_as_far_as_both_responses_answer() -> None:
    english = gated({("001", 1): "soup perhaps", ("001", 2): "soup perhaps", ("001", 3): "soup perhaps"})
    # .6 weighs (.6 - .5) / (.7 - .5) = half
    assert [pair.score for pair in english.pairs] == [5.0] * 3
    assert [pair.weight for pair in english.pairs] == pytest.approx([0.5] * 3)
    assert [pair.gated for pair in english.pairs] == pytest.approx([2.5] * 3)
    assert english.figures["pair_mean"] == 5.0
    assert english.figures["pair_mean_gated"] == pytest.approx(2.5)


def test_a_pair_of_which_nobody_can_say_whether_it_answers_is_in_no_gated_figure() -> None:
    english = gated({("001", 1): "soup ?", ("001", 2): "soup hot", ("001", 3): "soup hot"})
    assert [(pair.weight, pair.gated) for pair in english.pairs][:2] == [(None, None), (None, None)]
    assert english.figures["pair_mean_gated"] == 5.0  # the one pair left


def test_a_result_says_who_was_asked_what_answers_and_names_the_verdicts() -> None:
    judge = ScriptedJudge(answers=answers_by_mark)
    result = evaluate(submission(), judge=judge)
    assert result.gate == judge.pin
    keys = {one.answers_key for item in result.items for found in item.groups for one in found.responses}
    assert None not in keys
    assert keys <= set(verdict_keys(result.model_dump_json()))
    assert evaluate(submission()).gate is None


def test_the_number_of_a_judge_that_is_not_asked_is_what_it_was() -> None:
    answers = {("001", 1): "soup sorry", ("001", 2): "soup perhaps"}
    judge = Ungated(ScriptedJudge(answers=answers_by_mark))
    recorded = RecordedJudge(judge, MemoryVerdicts())
    coverage = Coverage(Count(30, 30), rankable=RANKABLE)
    ungated = evaluate_robustness(submission(answers), coverage, prompt_set(), recorded, ScriptedEmbedder())
    assert ungated == evaluate(submission(answers))
