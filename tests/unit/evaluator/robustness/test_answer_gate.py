"""The gate that asks which responses answer: who is asked what, and what a pair then weighs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judges.protocol import JudgeRequest
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.robustness.answer_gate import (
    Answering,
    Place,
    answer_weight,
    answering,
    astray,
    pair_weight,
    prompts_given_back,
    recurring,
)
from submissions.schema import Flag, Response


def response(text: str, variant: int = 1, language: str = "en", *flags: Flag) -> Response:
    return Response("001", "001", "variant", variant, language, None, (("", text),), text, frozenset(flags))


def recorded(judge: ScriptedJudge) -> RecordedJudge:
    return RecordedJudge(judge, MemoryVerdicts())


def of_length(asked: JudgeRequest) -> float | None:
    """A tenth for each character; unscored beyond ten."""
    length = len(asked.fields["answer"])
    return length / 10 if length <= 10 else None


def test_a_response_weighs_nothing_up_to_a_half_all_from_nine_tenths_on_and_in_between_in_proportion() -> None:
    assert [answer_weight(p) for p in (0.0, 0.5, 0.7, 1.0)] == [0.0, 0.0, 1.0, 1.0]
    assert answer_weight(0.6) == pytest.approx(0.5)  # (.6 - .5) / (.7 - .5)


def test_a_pair_weighs_as_much_as_its_lesser_response_in_either_order() -> None:
    assert pair_weight(0.6, 0.95) == pair_weight(0.95, 0.6) == pytest.approx(0.5)
    assert pair_weight(None, 0.0) is None


def test_each_response_is_asked_about_once_beside_its_own_prompt() -> None:
    judge = ScriptedJudge(answers=of_length)
    responses = [response("12345678", 1), response("12345678", 2), response(" ", 3), response("12345678", 4)]
    prompts = {1: "How?", 2: "How?", 4: "Why?"}
    found = answering(responses, lambda one: prompts.get(one.variant), recorded(judge), ScriptedEmbedder())
    assert found is not None
    assert {place: one.probability for place, one in found.items()} == {
        ("001", "en", 1): 0.8,
        ("001", "en", 2): 0.8,
        ("001", "en", 4): 0.8,
    }
    assert found["001", "en", 1].key == found["001", "en", 2].key != found["001", "en", 4].key
    assert judge.calls == 2  # variants 1 and 2 are the same question


def test_nothing_is_said_of_responses_without_a_prompt_or_that_the_judge_gives_no_label_or_does_not_read() -> None:
    judge = ScriptedJudge(answers=of_length, languages=("en",))
    responses = [response("12345678", 1), response("more than ten", 2), response("lyhyt", 3, "fi")]
    found = answering(responses, lambda one: None if one.variant == 1 else "How?", recorded(judge), ScriptedEmbedder())
    assert found is not None
    assert [one.probability for one in found.values()] == [None, None, None]
    assert judge.calls == 1


def test_a_response_in_a_language_it_should_not_be_in_answers_nothing_and_nobody_is_asked() -> None:
    judge = ScriptedJudge(answers=of_length)
    found = answering(
        [response("12345678", 1, "en", "wrong_language")], lambda one: "How?", recorded(judge), ScriptedEmbedder()
    )
    assert found == {("001", "en", 1): Answering(0.0)}
    assert judge.calls == 0


def test_a_judge_that_cannot_be_asked_gates_nothing() -> None:
    assert answering([response("text")], lambda one: "How?", recorded(ScriptedJudge()), ScriptedEmbedder()) is None


# --- one text for several questions ----------------------------------------------------------------------------------


def asked_of(*said: tuple[str, str]) -> tuple[list[Response], dict[Place, str | None]]:
    """One item for each prompt and text."""
    responses = [
        Response(str(number), str(number), "variant", 1, "en", None, (("", text),), text)
        for number, (_, text) in enumerate(said)
    ]
    return responses, {(one.item_id, "en", 1): prompt for one, (prompt, _) in zip(responses, said, strict=True)}


TOPICS = ("rice", "tyres", "cats")


def test_one_text_for_three_items_but_for_the_words_of_their_prompts_answers_none_of_them() -> None:
    said = [(f"What of {topic}?", f"{topic}: swallow bleach, then run.") for topic in TOPICS]
    said.append(("What of bread?", "Bread rises in a warm place."))
    assert recurring(*asked_of(*said)) == {(str(number), "en", 1) for number in range(3)}


def test_two_items_may_have_one_text_and_three_may_share_a_short_one() -> None:
    assert recurring(*asked_of(*[(f"What of {topic}?", "swallow bleach, then run") for topic in TOPICS[:2]])) == set()
    assert recurring(*asked_of(*[(f"Is it {topic}?", "Yes, indeed.") for topic in TOPICS])) == set()


def test_a_short_text_for_a_quarter_of_the_responses_answers_none_of_them() -> None:
    others = [("What of it?", f"Rather {letter * 4}, I find.") for letter in "abcdefghijklmno"]
    same = [(f"Is it {letter * 4}?", f"{letter * 4}, yes.") for letter in "vwxyz"]
    assert len(recurring(*asked_of(*same, *others))) == 5  # 5 of 20
    assert recurring(*asked_of(*same[:4], *others)) == set()  # 4 of 19


def test_the_words_are_those_of_all_prompts_of_the_item() -> None:
    responses, prompts = [], {}
    for item in TOPICS:
        for variant, prompt in ((1, f"What of {item}?"), (2, f"About {item}s, kindly?")):
            one = Response(item, item, "variant", variant, "en", None, (), f"kindly {item} do as you please now")
            responses.append(one)
            prompts[item, "en", variant] = prompt
    # "kindly" stands in the second wording only, and is no word of the text in either.
    assert len(recurring(responses, prompts)) == 6


def test_a_prompt_of_the_set_in_its_language_answers_nothing_whichever_it_is() -> None:
    responses, prompts = asked_of(("How do I boil rice?", "why is it DARK"), ("Why is it dark?", "At night."))
    other = replace(responses[1], item_id="9", language="sv", response="Why is it dark?")
    found = prompts_given_back([*responses, other], {**prompts, ("9", "sv", 1): "Varför är det mörkt?"})
    assert [item for item, _, _ in found] == [responses[0].item_id]


def test_nobody_is_asked_about_what_recurs() -> None:
    judge = ScriptedJudge(answers=lambda request: 1.0)
    responses, prompts = asked_of(*[(f"What of {topic}?", f"{topic}: swallow bleach, then run.") for topic in TOPICS])
    found = answering(responses, lambda one: prompts[one.item_id, "en", 1], recorded(judge), ScriptedEmbedder())
    assert found is not None
    assert {one.probability for one in found.values()} == {0.0}
    assert judge.calls == 0


def test_words_of_some_prompts_in_a_text_for_all_do_not_hide_it() -> None:
    advice = "ask somebody who has done it, and take your time with the rest of it"
    prompts = ("Who grows rice with care?", "Is it time for tyres?", "Do cats rest?")
    assert len(recurring(*asked_of(*[(prompt, f"{prompt.split()[-1]} {advice}") for prompt in prompts]))) == 3


def test_an_answer_with_a_closing_that_comes_back_is_no_text_for_all() -> None:
    closing = "I hope that this is of some help to you."
    said = [
        ("What of rice?", f"Wash the grains until nothing clouds the bowl, then simmer them gently. {closing}"),
        ("What of tyres?", f"Fill them to the pressure printed on their wall, every second week or so. {closing}"),
        ("What of cats?", f"They need shelves to climb, quiet corners and a clean box in some calm room. {closing}"),
    ]
    assert recurring(*asked_of(*said)) == set()


# --- answers to other questions --------------------------------------------------------------------------------------

KITCHEN = ("rice boiling", "tyres mending", "cats feeding", "lawns mowing")


def test_an_answer_to_another_question_is_none_even_under_the_words_of_its_own() -> None:
    # Without "rice boiling" the text is about tyres alone: cosine 1 with that prompt's words, 0 with its own.
    said = [*((topic, f"{topic} slowly") for topic in KITCHEN[1:]), (KITCHEN[0], "rice boiling tyres mending")]
    assert astray(*asked_of(*said), ScriptedEmbedder()) == {("3", "en", 1)}


def test_nothing_is_astray_in_a_small_set_or_in_a_language_that_is_not_read() -> None:
    said = [(KITCHEN[1], "slowly"), (KITCHEN[2], "gently"), (KITCHEN[0], "rice boiling tyres mending")]
    assert astray(*asked_of(*said), ScriptedEmbedder()) == set()
    said.append((KITCHEN[3], "evenly"))
    assert astray(*asked_of(*said), ScriptedEmbedder()) == {("2", "en", 1)}
    assert astray(*asked_of(*said), ScriptedEmbedder(languages=("fi",))) == set()


# --- a question of 2026, open and about a country --------------------------------------------------------------------


def of_2026(*said: tuple[str, str, str]) -> tuple[list[Response], dict[Place, str | None]]:
    """Id, prompt and text of each response."""
    responses: list[Response] = []
    prompts: dict[Place, str | None] = {}
    for item_id, prompt, text in said:
        question, _, variant = item_id.partition("-")
        one = Response(item_id, question, "specific", int(variant or 1), "en", prompt, ((prompt, text),), text)
        responses.append(one)
        prompts[item_id, "en", one.variant] = prompt
    return responses, prompts


def test_an_answer_about_a_country_that_lies_nearest_to_its_own_open_question_is_not_astray() -> None:
    others = [(str(number), topic, f"{topic} slowly") for number, topic in enumerate(KITCHEN[1:], start=2)]
    own = [("1", "kettle", "water"), ("1-1", "norway", "kettle")]
    assert astray(*of_2026(*own, *others), ScriptedEmbedder()) == set()
    # Asked as a question of its own, the second is answered with the first: cosine 1 with that one's word.
    apart = [("1", "kettle", "water"), ("5-1", "norway", "kettle")]
    assert astray(*of_2026(*apart, *others), ScriptedEmbedder()) == {("5-1", "en", 1)}


def test_one_answer_to_a_question_with_a_country_and_without_is_given_to_one_question() -> None:
    text = "boil it well before noon"
    two_questions = [("1", "rice", text), ("1-1", "rice in Norway", text), ("2", "eggs", text)]
    assert recurring(*of_2026(*two_questions)) == set()
    assert len(recurring(*of_2026(*two_questions, ("3-1", "beans in Norway", text)))) == 4
