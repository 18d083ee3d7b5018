"""Reading a judge's free-text reply."""

from __future__ import annotations

import pytest

from evaluator.judges import parsing
from evaluator.judges.parsing import parse_score


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("The similarity score is 4.", 4.0),
        ("Similarity score of 3.5 out of 5", 3.5),
        ("Similarity score: [[4]]", 4.0),
        ('{"similarity_score": 2}', 2.0),
        ("Similarity score: **4**/5", 4.0),
        ("Similarity score (0-5): 4", 4.0),
        ("Similarity score 0–5: 2", 2.0),
        ("Similarity score - 4", 4.0),
        ("Similarity score: 4\n- texts 1 and 2 agree", 4.0),
        ("Similarity score：４", 4.0),  # full-width
        ("Similarity score: 4 because text 1 of 5 differs", 4.0),
        ("The similarity score is high. Similarity score: 4", 4.0),
        ("Similarity score: 3. Similarity score: 3,0", 3.0),
    ],
)
def test_a_score_is_read_through_decoration(reply: str, score: float) -> None:
    assert parse_score(reply) == parsing.ParsedScore(score)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("", "none"),
        ("4", "none"),
        ("Similarity score: four", "none"),
        ("Similarity score: 0-5", "none"),
        ("Dissimilarity score: 4", "none"),
        ("Similarity score: 3 to 4", "range"),
        ("Similarity score: 3 or 4", "range"),
        ("Similarity score: 4, 5", "range"),
        ("Similarity score: 1-5", "range"),
        ("Similarity score: 4/10", "outside"),
        ("Similarity score: 4%", "outside"),
        ("Similarity score: 5.1", "outside"),
        ("Similarity score: −1", "outside"),
        ("Similarity score: 1e5", "ambiguous"),
        ("Similarity score: ~4", "ambiguous"),
        ("Similarity score: 4.5.1", "ambiguous"),
        ("Similarity score: " + "9" * 5_000, "ambiguous"),
        ("Similarity score: 2. Similarity score: 4", "ambiguous"),
        ("Similarity score: 2. Similarity score: 3-4", "range"),
    ],
)
def test_anything_else_is_unscored_with_its_reason(reply: str, kind: str) -> None:
    parsed = parse_score(reply)
    assert parsed.score is None
    assert parsed.reason is not None
    assert parsed.reason.startswith(f"{kind}: ")


def test_a_huge_reply_is_read_in_linear_time() -> None:
    reply = "similarity score " * 20_000 + "Similarity score: 3"
    assert parse_score(reply).score == 3.0
