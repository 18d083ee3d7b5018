"""Relevance of 2025 and 2026 answers: which prompts an answer is compared with."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.robustness.answer_vectors import embedded
from evaluator.robustness.edition_relevance import AnswerId, answer_relevances, question_of, relevance_prompts
from evaluator.robustness.relevance import Relevance
from submissions.schema import Item, Kind, PromptSet, Response, Variant


def response(
    question: str,
    text: str,
    *,
    language: str = "en",
    kind: Kind = "specific",
    variant: int = 1,
    prompt: str | None = None,
) -> Response:
    item = f"{question}-{variant}" if kind == "specific" else question
    return Response(item, question, kind, variant, language, prompt, ((prompt or "", text),), text)


def checked(answered: Sequence[Response], languages: tuple[str, ...] | None = None) -> dict[AnswerId, Relevance]:
    embedder = ScriptedEmbedder(languages=languages)
    prompts = relevance_prompts(answered, None)
    texts = [(one.response, one.language) for one in answered]
    texts += [(prompt, language) for (_, language), prompt in prompts.items()]
    vectors = embedded(texts, embedder, lambda done, total, *, stored=0, seconds=0.0: None)
    return answer_relevances(answered, prompts, vectors, embedder)


ASKED: tuple[tuple[Kind, int, int], ...] = (("specific", 1, 0), ("specific", 2, 1), ("unspecific", 1, 2))
"""Kind, variant, and how far the topic it asks about lies from its question's number."""


def test_an_answer_is_compared_with_prompts_of_its_own_kind_and_variant_only() -> None:
    answered = [
        response(str(number), f"topic{number + shift}", kind=kind, variant=variant, prompt=f"topic{number + shift}")
        for number in range(1, 6)
        for kind, variant, shift in ASKED
    ]
    found = checked(answered)
    assert len(found) == 15
    # With other variants' prompts among its own, the mean cosine would be below 1.
    assert {round(relevance.own or 0.0, 6) for relevance in found.values()} == {1.0}
    assert {relevance.off_topic for relevance in found.values()} == {False}


def test_languages_are_checked_apart() -> None:
    answered = [
        response(str(number), f"topic{number}", language=language, prompt=f"topic{number if language == 'en' else 9}")
        for number in range(1, 6)
        for language in ("en", "fi")
    ]
    found = checked(answered)
    assert not any(found[f"{number}-1", "en"].off_topic for number in range(1, 6))
    assert all(found[f"{number}-1", "fi"].off_topic for number in range(1, 6))


def test_with_fewer_than_three_other_questions_nothing_is_flagged() -> None:
    found = checked([response(str(number), "soup", prompt=f"topic{number}") for number in range(1, 4)])
    assert {relevance.unchecked for relevance in found.values()} == {"few_others"}
    assert all(relevance.gate_is_known for relevance in found.values())


def test_an_answer_without_any_prompt_leaves_the_gate_open() -> None:
    found = checked([response(str(number), "soup", prompt=None if number == 1 else "soup") for number in range(1, 7)])
    assert found["1-1", "en"].unchecked == "set_unavailable"
    assert not found["1-1", "en"].gate_is_known
    assert found["2-1", "en"].gate_is_known


def test_a_language_the_model_does_not_declare_is_not_checked_and_not_flagged() -> None:
    found = checked([response(str(number), "soup", prompt="bike") for number in range(1, 7)], languages=("fi",))
    assert {relevance.unchecked for relevance in found.values()} == {"language_not_read"}


def test_the_official_prompt_wins_over_the_stated_one_which_wins_over_the_question_of_the_first_turn() -> None:
    official = Item("7-3", "specific", (Variant(3, "en", "official"), Variant(3, "fi", "virallinen")))
    known = PromptSet("eloquent-2026", "2026", "-", "1", "a" * 64, (official,))
    turns = (("asked first", "soup"), ("asked later", "more soup"))
    answered = [
        Response("7-3", "7", "specific", 3, "en", "stated", turns, "more soup"),
        Response("8-3", "8", "specific", 3, "en", "stated", turns, "more soup"),
        Response("9-3", "9", "specific", 3, "en", None, turns, "more soup"),
        Response("10-3", "10", "specific", 3, "en", None, (("", "soup"),), "soup"),
    ]
    assert relevance_prompts(answered, known) == {
        ("7-3", "en"): "official",
        ("8-3", "en"): "stated",
        ("9-3", "en"): "asked first",
    }
    assert question_of(answered[-1]) == ""
