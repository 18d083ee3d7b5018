"""What cards say of the judge and the embedding model of many languages."""

from __future__ import annotations

from evaluator.embeddings.e5_quality import shipped_quality
from evaluator.judges.multilingual_pair import quality as pair_quality
from evaluator.results import MetricValue, Pin
from leaderboard.page.judge_card import card_of_pin
from leaderboard.page.language_quality import (
    BLIND,
    PAIR_LIMITS,
    WRITTEN_BY,
    language_panels,
    languages_card,
    pair_languages_card,
)

SHIPPED = shipped_quality()
EMBEDDING = Pin(
    name="e5",
    model="multilingual-e5-small",
    revision=SHIPPED.embedding_revision,
    tokenizer="-",
    prompt="mean pooling",
    dtype="float32",
    engine="transformers",
    languages=SHIPPED.read,
)
NO_GAP = MetricValue(value=0.0, n=20)


def test_the_embedding_model_has_a_line_for_each_language_and_says_what_it_cannot_see() -> None:
    (panel,) = language_panels(EMBEDDING)
    assert sorted(line["name"] for line in panel["lines"]) == sorted(one.language for one in SHIPPED.languages)
    # 20 pairs that say the same and 40 of another claim
    assert {line["number"] for line in panel["lines"]} == {"60"}
    assert panel["heads"] == ["another claim", "negation", "changed fact", "exchanged roles"]
    assert WRITTEN_BY in panel["explanation"]
    card = languages_card()
    assert card["quality"] == [panel]
    assert BLIND in card["notes"]


def test_other_weights_and_other_models_have_no_figures() -> None:
    assert language_panels(EMBEDDING.model_copy(update={"revision": "another"})) == []
    assert language_panels(EMBEDDING.model_copy(update={"name": "pair"})) == []


def test_the_card_of_a_retired_judge_names_its_successor() -> None:
    card = card_of_pin(EMBEDDING.model_copy(update={"name": "multilingual"}), NO_GAP, quality=None, bias=None)
    assert card["quality"] == []
    assert "Retired: multilingual_pair took its place." in card["notes"]


def test_the_judge_that_reads_both_answers_shows_what_it_sees_of_contradictions() -> None:
    pin = pair_quality.shipped_quality().judge
    card = card_of_pin(pin, NO_GAP, quality=None, bias=None)
    within, with_english, answers, answers_with_english = card["quality"]
    assert within["heads"][:3] == ["all that differs", "contradictions", "negation"]
    # 33 pairs that say the same and 148 that do not; with English 97 and 180, for every language but English
    assert {line["number"] for line in within["lines"]} == {"181"}
    assert {line["number"] for line in with_english["lines"]} == {"277"}
    assert len(with_english["lines"]) == len(within["lines"]) - 1
    # Of ten topics of three sentences: 10 that say the same and 30 that do not; with English 30 and 40.
    assert {line["number"] for line in answers["lines"]} == {"40"}
    assert {line["number"] for line in answers_with_english["lines"]} == {"70"}
    assert answers["heads"] == ["all that differs", "contradictions"]
    assert card["notes"][-1] == PAIR_LIMITS
    assert pair_languages_card()["quality"] == card["quality"]
    assert language_panels(pin.model_copy(update={"revision": "another"})) == []
