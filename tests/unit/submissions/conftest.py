"""A tiny valid 2024 file of our own, and a check of anything made from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from submissions.check import CheckReport, check_submission
from submissions.promptsets import PromptSets, eloquent_2024_without_prompts, load_demonstration
from submissions.schema import Names

Check = Callable[..., CheckReport]


@pytest.fixture(scope="session")
def bare_sets() -> PromptSets:
    """The 2024 set as its bare shape, as on a machine without the official files; and the demonstration set."""
    return PromptSets(eloquent_2024_without_prompts(), load_demonstration())


@pytest.fixture
def document(bare_sets: PromptSets) -> dict[str, Any]:
    """A complete 2024 submission. Its answers have too few letters to tell a language."""
    items = [
        {"id": item.id, "responses": [{"response": f"answer {item.id}"} for _ in item.variants]}
        for item in bare_sets.eloquent_2024.items
    ]
    return {"eloquent-robustness-results": {"source": "aurora", "year": "2024", "items": items}}


@pytest.fixture
def demonstration_document(bare_sets: PromptSets) -> dict[str, Any]:
    """A complete submission for the demonstration set."""
    items = [
        {"id": item.id, "responses": [{"response": f"answer {item.id}"} for _ in item.variants]}
        for item in bare_sets.demonstration.items
    ]
    return {"eloquent-robustness-results": {"source": "aurora", "year": "2024", "items": items}}


@pytest.fixture
def check(bare_sets: PromptSets) -> Check:
    """Checks a document, a text or bytes under the name file.json."""

    def check(content: Any, *, edition: str = "auto", names: Names = Names(), **options: Any) -> CheckReport:
        text = content if isinstance(content, (str, bytes)) else json.dumps(content)
        data = text.encode("utf-8") if isinstance(text, str) else text
        return check_submission(data, "file.json", edition=edition, names=names, prompt_sets=bare_sets, **options)

    return check
