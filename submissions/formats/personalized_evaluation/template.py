"""Template of predicted ratings and choices: small files of our own words, valid but for the names."""

from __future__ import annotations

import json

from submissions.formats.eloquent.template import TEAM_PLACEHOLDER
from submissions.formats.personalized_evaluation.submission import ASPECTS, PAIRS_KIND, RATINGS_KIND

NO_PERSE_ANSWER_SHEET = "Predicted ratings and choices have no answer sheet: profiles and texts are in the file itself."

_DESERT = "A night guard follows a stray dog into the desert and finds the well his father dug."
_LETTER = "Two sisters read a letter that was never meant for them, and keep it."
_TRAIN = "A conductor stops the last train of the year for a passenger nobody else can see."
_FERRY = "A ferry pilot teaches her rival the one channel that is safe in winter."


def ratings_template() -> str:
    """Predicted ratings: one reviewer, two earlier reviews, two new texts, answered as a number and as raw text."""
    profile = [
        {"text": _DESERT, "review": "Slow, and I loved every step of it.", "score": 9},
        {"text": _LETTER, "review": "Clever, but nobody in it is kind.", "score": 5},
    ]
    return _json(
        {
            **_envelope(RATINGS_KIND, k=2),
            "scale": [1, 10],
            "gold_scale": [1, 10],
            "items": [
                {
                    "id": "anna-train",
                    "reviewer": "anna",
                    "profile": profile,
                    "text": _TRAIN,
                    "gold": 8,
                    "score": 7.4,
                    "shuffled_scores": [7.1, 7.6],
                    "review": "A quiet story with a warm heart; she will like the pace.",
                    "reference_review": "Warm and strange. I read it twice.",
                    "memorized": False,
                },
                {
                    "id": "anna-ferry",
                    "reviewer": "anna",
                    "profile": profile,
                    "text": _FERRY,
                    "gold": 7,
                    "response": '{"Review": "Patient and exact.", "Score": 8}',
                    "shuffled_scores": [7.9, None],
                },
            ],
        }
    )


def pairs_template() -> str:
    """Predicted choices: one reviewer and one comparison in all five aspects, asked in both orders."""
    return _json(
        {
            **_envelope(PAIRS_KIND, k=1),
            "items": [
                {
                    "id": f"anna-1-{aspect[0].lower()}",
                    "reviewer": "anna",
                    "comparison": "1",
                    "aspect": aspect,
                    "profile": [{"text_a": _DESERT, "text_b": _LETTER, "choice": "A"}],
                    "text_a": _TRAIN,
                    "text_b": _FERRY,
                    "gold": gold,
                    "choice": choice,
                    "choice_swapped": "A",
                    "memorized": {"a": False, "b": False},
                }
                for aspect, gold, choice in zip(ASPECTS, "AABAB", "AABBB", strict=True)
            ],
        }
    )


def _envelope(kind: str, k: int) -> dict[str, object]:
    return {
        "kind": kind,
        "team": TEAM_PLACEHOLDER,
        "system": "YOUR SYSTEM NAME",
        "model": "MODEL IDENTIFIER",
        "run": "ID TO DISTINGUISH SUBMISSIONS",
        "dataset": "our_stories",
        "notes": "The items are an example of our own: put yours in their place.",
        "k": k,
    }


def _json(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"
