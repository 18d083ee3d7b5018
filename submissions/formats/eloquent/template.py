"""The unfilled submission a team starts from, and the sheet of prompts to answer (docs/submit.md#in-three-steps)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

from submissions.formats.eloquent.edition_2024 import ROOT_KEY
from submissions.formats.eloquent.edition_2025 import EXAMPLE_QUESTION
from submissions.formats.eloquent.writing import submission_file
from submissions.promptsets import DEMONSTRATION_2025, ELOQUENT_2025, PromptSetError
from submissions.promptsets.cultural import CULTURAL_KINDS, CULTURAL_LANGUAGES, cultural_places
from submissions.schema import Names, PromptSet, Response, ResponseSet, Submission

TEAM_PLACEHOLDER = "YOUR TEAM NAME"
"""Of the official example; a file that still has it is refused with source_placeholder."""

NAME_PLACEHOLDERS = Names("your-team-name", "your-system-name", "model-identifier", "id-to-distinguish-submissions")
"""The same of 2025 and 2026."""

DATE_PLACEHOLDER = "YYYY-MM-DD"

CULTURAL_EXAMPLE = ("de", "el", "en", "fi", "sv")
"""The languages of the official example of 2026: as many as a rank needs."""

NO_2025_SHEET = "the questions of 2025 were not published as a set: take them from the organisers"


def submission_template(prompt_set: PromptSet) -> str:
    """A submission in the 2024 format with an empty response for every variant, in test-set order."""
    items = [{"id": item.id, "responses": [{"response": ""} for _ in item.variants]} for item in prompt_set.items]
    return _json({ROOT_KEY: {"source": TEAM_PLACEHOLDER, "year": prompt_set.edition, "items": items}})


def question_template(language: str, prompt_set: PromptSet) -> bytes:
    """A submission in the 2025 format in one language: the questions of the set in it, or one that shows the form.

    Raises:
        PromptSetError: naming the languages of the set, where it has questions and none in that one.
    """
    asked = [
        (item, variant.prompt) for item in prompt_set.items for variant in item.variants if variant.language == language
    ]
    if asked and not prompt_set.is_hidden:
        return submission_file(
            _unfilled(
                "2025",
                prompt_set.set_id,
                [
                    ResponseSet(
                        item.id, (Response(item.id, item.id, "question", 1, language, said, ((said or "", ""),), ""),)
                    )
                    for item, said in asked
                ],
            )
        )
    if prompt_set.set_id == DEMONSTRATION_2025:
        known = sorted({variant.language for item in prompt_set.items for variant in item.variants})
        raise PromptSetError(f"{prompt_set.title} has no questions in {language!r}; expected one of {', '.join(known)}")
    response = Response("1", "1", "question", 1, language, EXAMPLE_QUESTION, ((EXAMPLE_QUESTION, ""),), "")
    return submission_file(_unfilled("2025", ELOQUENT_2025, [ResponseSet("1", (response,))]))


def cultural_template(prompt_set: PromptSet, languages: Sequence[str]) -> bytes:
    """A zip in the 2026 format with an empty answer to every prompt of both kinds in these languages.

    Args:
        prompt_set: Its prompts stand beside the answers, as many as are at hand.
        languages: Official codes.
    """
    prompts = {(item.id, variant.language): variant.prompt for item in prompt_set.items for variant in item.variants}
    items = [
        ResponseSet(
            item_id,
            tuple(
                Response(item_id, base_id, kind, variant, language, prompt, (("", ""),), "")
                for language in languages
                for prompt in (prompts.get((item_id, language)),)
            ),
        )
        for kind in CULTURAL_KINDS
        for item_id, (base_id, variant) in cultural_places(kind, prompt_set.set_id).items()
    ]
    return submission_file(_unfilled("2026", prompt_set.set_id, items))


def cultural_languages_at_hand(prompt_set: PromptSet) -> tuple[str, ...]:
    """Languages with prompts; those of the official example where there are none."""
    languages = {variant.language for item in prompt_set.items for variant in item.variants}
    return tuple(language for language in CULTURAL_LANGUAGES if language in languages) or CULTURAL_EXAMPLE


def _unfilled(edition: Literal["2025", "2026"], set_id: str, items: Sequence[ResponseSet]) -> Submission:
    modifications = (("generation_params", '{"do_sample": false, "max_new_tokens": 200}'),)
    return Submission(
        edition=edition,
        set_id=set_id,
        names=NAME_PLACEHOLDERS,
        date=DATE_PLACEHOLDER,
        notes=None,
        modifications=modifications if edition == "2026" else (),
        file_sha256="",
        items=tuple(items),
    )


def answer_sheet(prompt_set: PromptSet) -> str:
    """Every prompt with its number (from 1) and language, item by item.

    Raises:
        PromptSetError: when only the shape of the set is at hand.
    """
    if prompt_set.set_id == ELOQUENT_2025 and not prompt_set.has_prompts:
        raise PromptSetError(NO_2025_SHEET)
    if prompt_set.is_hidden:
        raise PromptSetError(f"the prompts of {prompt_set.set_id} are hidden: nobody is shown them (docs/seasons.md)")
    if not prompt_set.has_prompts:
        files = "task3.test.json" if prompt_set.edition == "2024" else "xx_unspecific.jsonl and xx_specific.jsonl"
        raise PromptSetError(
            f"the prompts of {prompt_set.set_id} are not installed; set PLUMBLINE_ELOQUENT_DIR to a folder with {files}"
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
