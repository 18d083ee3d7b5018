"""Template of personalized answers: a small file of our own words, valid but for the names."""

from __future__ import annotations

import json

from submissions.formats.eloquent.template import TEAM_PLACEHOLDER
from submissions.formats.personalization.submission import KIND, NAIVE, NO_PREFERENCE, PREF_ALIGNER
from submissions.questionsets.option_order import option_order_hash

NO_ANSWER_SHEET = "Personalized answers have no answer sheet: every team brings its own questions and preferences."

_SHORT = "Please keep it to one short sentence."
_COOKING = "I like comparisons with cooking."
_TRAINS = "I prefer to travel by night train."

_LAMP = ("The lamp in a room goes out when its plug is pulled. What did it run on?", ["gas", "electricity", "oil"], "B")
_BRIDGE = ("Steel grows when it gets warm. When is a steel bridge longest?", ["in summer", "in winter"], "A")


def personalized_template() -> str:
    """A file of personalized answers: two questions, their controls, and rows of each setting and two methods."""
    document = {
        "kind": KIND,
        "team": TEAM_PLACEHOLDER,
        "system": "YOUR SYSTEM NAME",
        "model": "MODEL IDENTIFIER",
        "run": "ID TO DISTINGUISH SUBMISSIONS",
        "notes": "The rows are an example of our own: put yours in their place.",
        "rows": [
            _control("lamp", "It is electricity, so the answer is B. The plug is what connects the lamp to the mains."),
            _control("bridge", "The answer is A, in summer. Warm steel takes more room."),
            {
                **_question("lamp", "relevant", NAIVE, [_SHORT], 0),
                "response_with_preference": "The answer is B, electricity.",
            },
            {
                **_question("lamp", "irrelevant", NAIVE, [_TRAINS], None),
                "response_with_preference": "The answer is B: the plug brought it electricity.",
            },
            {
                **_question("bridge", "mixed", PREF_ALIGNER, [_TRAINS, _COOKING], 1),
                "draft": "The answer is A, in summer. Warm steel takes more room.",
                "response_with_preference": "The answer is A, in summer. Warm steel takes more room, as dough does.",
                "aligner_raw": json.dumps(
                    {
                        "response": "The answer is A, in summer. Warm steel takes more room, as dough does.",
                        "thoughts": "Added a comparison with cooking; trains have nothing to do with it.",
                    }
                ),
                "thoughts": "Added a comparison with cooking; trains have nothing to do with it.",
                "fallback": False,
            },
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _control(example_id: str, response: str) -> dict[str, object]:
    """The run without preferences that every row of the example is compared with."""
    row = _question(example_id, "none", NO_PREFERENCE, [], None)
    return {**row, "response_without_preference": response}


def _question(
    example_id: str, setting: str, method: str, preferences: list[str], relevant_index: int | None
) -> dict[str, object]:
    """The fields that every row needs."""
    question, options, gold = {"lamp": _LAMP, "bridge": _BRIDGE}[example_id]
    return {
        "example_id": example_id,
        "dataset": "our_questions",
        "setting": setting,
        "method": method,
        "question": question,
        "options": options,
        "option_order_hash": option_order_hash(options),
        "gold": gold,
        "preferences": preferences,
        "relevant_index": relevant_index,
        "finish_reason": "stop",
    }
