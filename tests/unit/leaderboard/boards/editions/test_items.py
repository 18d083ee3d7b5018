"""One question of a 2025 run on the page, made by hand: three languages, two questions."""

from __future__ import annotations

from collections.abc import Mapping

from evaluator.judges.protocol import Judgment
from evaluator.robustness.edition_results import QuestionResult
from evaluator.robustness.figures import PairRating, group_result
from evaluator.robustness.group_results import GroupResult, ResponseResult
from leaderboard.boards.editions.items import FIRST_ANSWERS, LAST_ANSWERS, pair_ids, question_value
from leaderboard.boards.robustness.items import FILE_GONE
from leaderboard.boards.robustness.pair_values import LEAST_SUPPORTED
from leaderboard.parts.card_values import JudgeCardValue
from leaderboard.parts.item_values import ItemValue
from submissions.schema import Response

LANGUAGES = ("en", "fi", "sv")
CARD: JudgeCardValue = {"title": "pairs", "context": "", "facts": [], "notes": [], "quality": []}


def answer(language: str, *turns: tuple[str, str]) -> Response:
    last = next((said for _, said in reversed(turns) if said.strip()), "")
    return Response("12", "12", "question", 1, language, turns[0][0] or None, turns, last)


ANSWERS = {
    "en": answer("en", ("Which city?", "Oslo. It has a fjord.")),
    "fi": answer("fi", ("Mikä kaupunki?", "Oslo.")),
    "sv": answer("sv", ("Vilken stad?", "Menar du huvudstaden?"), ("Ja.", "Bergen.")),
}


def group(ratings: Mapping[tuple[int, int], PairRating]) -> GroupResult:
    """The Finnish answer echoes its prompt, so that its pairs do not pass."""
    responses = [
        ResponseResult(variant=1, flags=(), blank=False, own_relevance=0.6, relevance_threshold=0.1),
        ResponseResult(variant=2, flags=("echo",), blank=False),
        ResponseResult(variant=3, flags=(), blank=False, own_relevance=0.5),
    ]
    return group_result("en, fi, sv", responses, ratings)


RATINGS = {(1, 2): PairRating(4.0, 3.0), (1, 3): PairRating(1.0, 2.0), (2, 3): PairRating(None, None)}


def question(*, has_turns: bool = True) -> QuestionResult:
    final = group(RATINGS)
    first = group(RATINGS | {(1, 3): PairRating(0.0, 1.0)}) if has_turns else final
    return QuestionResult(id="12", languages=LANGUAGES, final=final, first_turn=first)


def value(opened: str = "", *, answers: Mapping[str, Response] = ANSWERS, has_turns: bool = True) -> ItemValue:
    return question_value(question(has_turns=has_turns), answers, CARD, {}, opened)


def test_every_language_stands_with_its_prompt_answer_flags_and_relevance() -> None:
    shown = value()
    assert (shown["title"], shown["variation"], shown["comparisons"]) == ("Question 12", "in en, fi, sv", [])
    english, finnish, _ = shown["groups"][0]["variants"]
    assert (english["title"], english["prompt"], english["answer"]) == ("en", "Which city?", "Oslo. It has a fjord.")
    assert english["relevance"] == "relevance 0.60, other questions 0.10"
    assert english["turns"] == []
    assert finnish["flags"] == ["echo"]
    assert finnish["relevance"] == "relevance not checked"


def test_a_conversation_shows_all_its_turns_and_which_answer_was_judged() -> None:
    turns = value()["groups"][0]["variants"][2]["turns"]
    assert [(turn["question"], turn["answer"], turn["is_judged"]) for turn in turns] == [
        ("Vilken stad?", "Menar du huvudstaden?", False),
        ("Ja.", "Bergen.", True),
    ]
    blank_at_last = ANSWERS | {"sv": answer("sv", ("a?", "b"), ("c?", "d"), ("e?", " "))}
    judged = [turn["is_judged"] for turn in value(answers=blank_at_last)["groups"][0]["variants"][2]["turns"]]
    assert judged == [False, True, False]  # the last answer that says anything


def test_every_pair_of_languages_has_both_orders_its_gate_and_why_it_is_unscored() -> None:
    (pairs,) = (one["pairs"] for one in value(has_turns=False)["groups"])
    # en-fi: (4 + 3) / 2 = 3.5, but the echo counts 0; en-sv: (1 + 2) / 2 = 1.5 passes.
    shown = [(one["title"], one["first_order"], one["second_order"], one["score"], one["gated"]) for one in pairs]
    assert shown == [
        ("en and fi", "4.00", "3.00", "3.50", "0.00"),
        ("en and sv", "1.00", "2.00", "1.50", "1.50"),
        ("fi and sv", "n/a", "n/a", "n/a", "n/a"),
    ]
    assert [one["counts"] for one in pairs] == ["0", "in full", "0"]
    assert [one["is_worst"] for one in pairs] == [True, False, False]
    assert {one["id"] for one in pairs} == {"1-2", "1-3", "2-3"} == pair_ids(question())


def test_the_worst_pair_stands_side_by_side_until_another_one_is_opened_and_no_words_are_compared() -> None:
    (at_first,) = value(has_turns=False)["groups"]
    (opened,) = at_first["opened"]
    assert opened["title"] == "en and fi"
    assert [(one["title"], one["parts"][0]["text"]) for one in opened["answers"]] == [
        ("en", "Oslo. It has a fjord."),
        ("fi", "Oslo."),
    ]
    assert opened["details"] == []
    assert at_first["diffs"] == []
    assert at_first["paired"] == "Languages"
    assert at_first["cards"] == [CARD]
    (other,) = value("1-3", has_turns=False)["groups"][0]["opened"]
    assert other["title"] == "en and sv"
    assert value("9-9")["groups"][0]["opened"] == value()["groups"][0]["opened"]


def test_what_the_judge_noted_stands_beside_the_opened_pair() -> None:
    final = question(has_turns=False).final
    keyed = final.pairs[0].model_copy(update={"key_ab": "ab", "key_ba": "ba"})
    final = final.model_copy(update={"pairs": (keyed, *final.pairs[1:])})
    asked = QuestionResult(id="12", languages=LANGUAGES, final=final, first_turn=final)
    noted = {"ab": Judgment(4.0, details={"cosine": 0.5, "least_supported_a": 1.0})}
    (shown,) = question_value(asked, ANSWERS, CARD, noted)["groups"][0]["opened"]
    assert [(one["name"], one["first_order"], one["second_order"]) for one in shown["details"]] == [
        ("cosine of windows", "0.50", "n/a")
    ]
    assert shown["answers"][0]["parts"] == [
        {"text": "Oslo. ", "mark": ""},
        {"text": "It has a fjord.", "mark": f"{LEAST_SUPPORTED}, first order"},
    ]


def test_answers_to_the_first_turn_stand_by_themselves_where_anything_else_was_found_about_them() -> None:
    last, first = value()["groups"]
    assert (last["language"], first["language"]) == (LAST_ANSWERS, FIRST_ANSWERS)
    swedish = first["variants"][2]
    assert (swedish["prompt"], swedish["answer"], swedish["turns"]) == ("Vilken stad?", "Menar du huvudstaden?", [])
    assert first["pairs"][1]["score"] == "0.50"  # (0 + 1) / 2
    assert [one["language"] for one in value(has_turns=False)["groups"]] == [LAST_ANSWERS]


def test_a_file_that_is_no_longer_at_hand_leaves_its_answer_out_with_a_sentence() -> None:
    left = {language: one for language, one in ANSWERS.items() if language != "fi"}
    (shown,) = value(answers=left, has_turns=False)["groups"]
    assert [one["absent"] for one in shown["variants"]] == ["", FILE_GONE, ""]
    assert [one["title"] for one in shown["opened"][0]["answers"]] == ["en"]
    assert len(shown["pairs"]) == 3


def test_characters_that_hide_are_written_out_wherever_an_answer_stands() -> None:
    turned = ANSWERS | {"en": answer("en", ("a\u202eb?", "c\u202ed"), ("e\u200b?", "f\u200bg"))}
    english = value(answers=turned)["groups"][0]["variants"][0]
    texts = [text for turn in english["turns"] for text in (turn["question"], turn["answer"])]
    assert texts == ["a[U+202E]b?", "c[U+202E]d", "e[U+200B]?", "f[U+200B]g"]
    opened = value(answers=turned)["groups"][0]["opened"][0]
    assert opened["answers"][0]["parts"][0]["text"] == "f[U+200B]g"
