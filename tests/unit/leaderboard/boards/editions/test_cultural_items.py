"""One base question of a 2026 run on the page."""

from __future__ import annotations

from dataclasses import replace

from evaluator.cultural.evaluate import evaluate_cultural
from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.robustness.edition_results import CulturalResult
from leaderboard.boards.editions.cultural_items import (
    MOST_CHARACTERS,
    UNKNOWN_FLAGS,
    Texts,
    cultural_item_value,
    shown_texts,
)
from leaderboard.boards.robustness.items import FILE_GONE
from submissions.formats.eloquent.guards import flagged
from submissions.formats.eloquent.result import slot_of
from submissions.promptsets.cultural import eloquent_2026_without_prompts
from submissions.schema import Flag, Response
from tests.unit.evaluator.robustness.eloquent_runs import asked, cultural_run

QUESTIONS, VARIANTS = 4, 8
ECHO: Flag = "echo"


def said(language: str, kind: str, question: int, variant: int) -> str:
    """English is apart from the others where culture is open; Swedish speaks of the next question twice."""
    if (language, kind, question) == ("sv", "specific", 2) and variant in (1, 3):
        return "topic3"
    other = " word" if (language, kind) == ("en", "unspecific") else ""
    return f"topic{question}{other}"


def scored() -> tuple[CulturalResult, Texts]:
    written, coverage = cultural_run(("en", "fi", "sv"), said, questions=QUESTIONS, variants=VARIANTS)
    aside = (response for response in written.responses() if response.language == "sv")
    marks = {slot_of(response): frozenset({ECHO}) for response in aside if response.item_id in ("2-1", "2-3")}
    submission = flagged(written, marks)
    judge = RecordedJudge(ScriptedJudge(), MemoryVerdicts(), lambda _: None)
    result = evaluate_cultural(submission, coverage, eloquent_2026_without_prompts(), judge, ScriptedEmbedder(4096))
    return result, shown_texts(one for one in submission.responses() if one.base_id == "2")


RESULT, TEXTS = scored()


def test_every_pair_of_languages_has_both_distances_raw_and_gated() -> None:
    shown = cultural_item_value(RESULT, "2", TEXTS)
    assert shown["title"] == "Base question 2"
    pairs = {pair["title"]: pair for pair in shown["pairs"]}
    assert list(pairs) == ["en and fi", "en and sv", "fi and sv"]
    # U of en: 1 - cos("topic2 word", "topic2") = 1 - 1 / sqrt(2) = 0.29; the others say the same.
    assert [pair["unspecific"] for pair in pairs.values()] == ["0.29", "0.29", "0.00"]
    # A with sv: 2 of 8 variants have nothing in common: d = 1, mean 0.25. Both are flagged: d stays max(1, 1).
    assert [pair["specific"] for pair in pairs.values()] == ["0.00", "0.25", "0.25"]
    assert [pair["specific_gated"] for pair in pairs.values()] == ["0.00", "0.25", "0.25"]
    assert [pair["variants"] for pair in pairs.values()] == ["8, 8 pass", "8, 6 pass", "8, 6 pass"]
    assert [pair["id"] for pair in pairs.values()] == ["en-fi", "en-sv", "fi-sv"]
    # CD = (0.29 + 0.29 + 0) / 3 = 0.20; CR = 1 - (0 + 0.25 + 0.25) / 3 = 0.83
    assert shown["context"] == (
        "Difference where no culture is named (CD) 0.20 (0.20 before the relevance check), "
        "agreement where one is (CR) 0.83 (0.83 before it)"
    )
    # Both as they are before the relevance check; 1 - 0.83 = 0.17.
    assert shown["sentence"] == (
        "Answers in different languages lie 0.20 apart where no culture is named and 0.17 where one is: naming it "
        "brings them closer."
    )
    assert shown["notes"] == []


def test_every_language_shows_its_unspecific_answer_six_variants_and_the_rest_folded() -> None:
    english, _, swedish = cultural_item_value(RESULT, "2", TEXTS)["sections"]
    assert (english["title"], english["summary"]) == ("en", "8 variants answered")
    assert [one["title"] for one in english["shown"]] == ["Unspecific", *(f"Variant {n}" for n in range(1, 7))]
    assert [one["title"] for one in english["rest"]] == ["Variant 7", "Variant 8"]
    assert english["rest_title"] == "2 more answers, en"
    assert english["shown"][0]["answer"] == "topic2 word"
    assert english["shown"][0]["prompt"] == asked("en unspecific 1", 2)
    marks = [(one["flags"], one["relevance"]) for one in swedish["shown"]]
    assert marks[:4] == [([], ""), (["echo"], ""), ([], ""), (["echo"], "")]


def test_an_opened_pair_stands_side_by_side_variant_by_variant() -> None:
    lacking = {**TEXTS, "sv": {item: one for item, one in TEXTS["sv"].items() if item != "2-2"}}
    shown = cultural_item_value(RESULT, "2", lacking, "en-sv")
    (section,) = shown["sections"]
    assert shown["is_pair_opened"]
    assert [pair["is_opened"] for pair in shown["pairs"]] == [False, True, False]
    assert section["is_paired"]
    titles = [one["title"] for one in section["shown"]]
    assert titles[:4] == ["en, unspecific", "sv, unspecific", "en, variant 1", "sv, variant 1"]
    assert len(titles) == 2 + 2 * 6
    assert [one["is_blank"] for one in section["shown"]][:6] == [False, False, False, False, False, True]
    assert shown["pairs"][1]["variants"] == "7, 5 pass"  # variants 1 and 3 of the seven answered in both fail
    assert cultural_item_value(RESULT, "2", TEXTS, "sv-en") == cultural_item_value(RESULT, "2", TEXTS)


def test_without_the_zip_the_distances_still_stand() -> None:
    shown = cultural_item_value(RESULT, "2", None, "en-sv")
    assert shown["notes"] == [FILE_GONE]
    assert shown["sections"] == []
    assert shown["pairs"][0]["unspecific"] == "0.29"


def test_where_the_gate_is_not_known_gated_distances_are_not_available() -> None:
    gone = dict.fromkeys(("unspecific_gated", "specific_gated"))
    pairs = tuple(pair.model_copy(update=gone) for pair in RESULT.pairs)
    values = RESULT.question_values | {"cd_gated": {}, "cr_gated": {}}
    shown = cultural_item_value(RESULT.model_copy(update={"pairs": pairs, "question_values": values}), "2", TEXTS)
    assert {(pair["unspecific_gated"], pair["specific_gated"]) for pair in shown["pairs"]} == {("n/a", "n/a")}
    assert shown["pairs"][1]["specific"] == "0.25"
    assert shown["context"] == (
        "Difference where no culture is named (CD) n/a (0.20 before the relevance check), "
        "agreement where one is (CR) n/a (0.83 before it)"
    )


def test_of_a_result_that_does_not_say_which_answers_are_flagged_nothing_is_claimed() -> None:
    old = {name: share.model_copy(update={"flagged": None}) for name, share in RESULT.languages.items()}
    shown = cultural_item_value(RESULT.model_copy(update={"languages": old}), "2", TEXTS)
    assert shown["notes"] == [UNKNOWN_FLAGS]
    assert {one["relevance"] for one in shown["sections"][2]["shown"]} == {""}
    assert [pair["variants"] for pair in shown["pairs"]] == ["8", "8", "8"]


def test_a_language_the_embedding_model_does_not_declare_is_shown_and_said_to_be_unjudged() -> None:
    languages = RESULT.languages | {"sv": RESULT.languages["sv"].model_copy(update={"read": False})}
    sections = cultural_item_value(RESULT.model_copy(update={"languages": languages}), "2", TEXTS)["sections"]
    assert "the embedding model does not declare the language" in sections[2]["summary"]
    assert "does not declare" not in sections[0]["summary"]


def test_long_texts_are_cut_and_say_so_blank_ones_left_out_and_hidden_signs_written_out() -> None:
    answer = TEXTS["en"]["2"]
    long, blank = replace(answer, response="x" * (MOST_CHARACTERS + 1)), replace(answer, response=" \n")
    assert shown_texts([long])["en"]["2"].response.startswith("x" * MOST_CHARACTERS + " [… the first 2,000 of 2,001")
    assert shown_texts([blank]) == {}
    turned: Response = replace(answer, prompt="a\u202eb", response="c\u200bd")
    shown = shown_texts([turned])["en"]["2"]
    assert (shown.prompt, shown.response) == ("a[U+202E]b", "c[U+200B]d")
