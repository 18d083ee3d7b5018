"""Template of recommender answers: a small file of our own words, valid but for the names."""

from __future__ import annotations

import json

from submissions.formats.behavior_alignment.submission import KIND
from submissions.formats.eloquent.template import TEAM_PLACEHOLDER

NO_CRS_ANSWER_SHEET = "Recommender answers have no answer sheet: the human dialogues are in the file itself."

_FIRST = "Hello! What sort of music do you put on while you cook?"
_SECOND = ["Then you may like Paper Lanterns.", "Two critics called it the album of the spring."]


def crs_responses_template() -> str:
    """A file of recommender answers: one dialogue of three turns, annotated on both sides."""
    said = [
        {"role": "recommender", "text": _FIRST},
        {"role": "seeker", "text": "Something calm, with a piano."},
        {"role": "recommender", "text": " ".join(_SECOND)},
        {"role": "seeker", "text": "Do I know the pianist?"},
    ]
    document = {
        "kind": KIND,
        "team": TEAM_PLACEHOLDER,
        "system": "YOUR SYSTEM NAME",
        "model": "MODEL IDENTIFIER",
        "run": "ID TO DISTINGUISH SUBMISSIONS",
        "notes": "The dialogue is an example of our own: put yours in its place.",
        "dialogues": [
            {
                "dialogue_id": "kitchen",
                "human_success": True,
                "system_success": None,
                "turns": [
                    {
                        "turn": 1,
                        "context": [],
                        "human_response": _FIRST,
                        "human_strategy": "opinion_inquiry",
                        "human_recommends": False,
                        "system_response": "Hello! I can find an album for you.",
                        "system_strategy": "offer_help",
                        "system_recommends": False,
                    },
                    {
                        "turn": 2,
                        "context": said[:2],
                        "human_response": _SECOND,
                        "human_strategy": ["preference_confirmation", "credibility"],
                        "human_recommends": True,
                        "system_response": "Have you ever heard Paper Lanterns?",
                        "system_strategy": "experience_inquiry",
                        "system_recommends": True,
                    },
                    {
                        "turn": 3,
                        "context": said,
                        "human_response": "Possibly not, but I have loved her playing for years.",
                        "human_strategy": "personal_opinion",
                        "human_recommends": None,
                        "system_response": "I would not know, but do give it a try!",
                        "system_strategy": None,
                        "system_recommends": None,
                    },
                ],
            }
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"
