"""What a team starts from: an unfilled submission and the sheet of prompts to answer (specs: eloquent, section 7)."""

from __future__ import annotations

import json

from submissions.formats.eloquent_2024 import ROOT_KEY
from submissions.promptsets import PromptSetError
from submissions.schema import PromptSet

TEAM_PLACEHOLDER = "YOUR TEAM NAME"
"""Of the official example; a file that still has it is refused with source_placeholder."""


def submission_template(prompt_set: PromptSet) -> str:
    """A submission in the 2024 format with an empty response for every variant, in test-set order."""
    items = [{"id": item.id, "responses": [{"response": ""} for _ in item.variants]} for item in prompt_set.items]
    return _json({ROOT_KEY: {"source": TEAM_PLACEHOLDER, "year": prompt_set.edition, "items": items}})


def answer_sheet(prompt_set: PromptSet) -> str:
    """Every prompt with its number (from 1) and language, item by item.

    Raises:
        PromptSetError: when only the shape of the set is at hand.
    """
    if not prompt_set.has_prompts:
        raise PromptSetError(
            f"the prompts of {prompt_set.set_id} are not at hand; set PLUMBLINE_ELOQUENT_DIR to a folder with "
            "task3.test.json"
        )
    items = [
        {
            "id": item.id,
            "variation": item.variation,
            "variants": [
                {"n": variant.number, "language": variant.language, "prompt": variant.prompt}
                for variant in item.variants
            ],
        }
        for item in prompt_set.items
    ]
    # The version in words; the checksums after the semicolon belong to the record of a run.
    return _json({"test-set": prompt_set.version.partition(";")[0], "items": items})


def _json(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"
