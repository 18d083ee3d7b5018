"""The 2026 acceptance data: embedding vectors with their CD, CR, correlations and CSP."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluator.cultural.figures import LanguageAnswers, distances, question_means, specificity

TOLERANCE = 1e-6


@pytest.fixture(scope="module")
def cases(own_data: Path) -> list[dict[str, Any]]:
    data = json.loads((own_data / "eloquent/examples/cultural_2026.json").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = data["cases"]
    return found


def answers_of(
    unspecific: Mapping[str, Sequence[float] | None], specific: Mapping[str, Sequence[Sequence[float] | None]]
) -> LanguageAnswers:
    return LanguageAnswers(
        unspecific={question: np.array(vector) for question, vector in unspecific.items() if vector is not None},
        specific={
            (question, variant): np.array(vector)
            for question, vectors in specific.items()
            for variant, vector in enumerate(vectors, start=1)
            if vector is not None
        },
    )


def test_every_case_has_the_published_figures(cases: list[dict[str, Any]]) -> None:
    assert len(cases) == 4
    for case in cases:
        answers = {
            language: answers_of(case["unspecific"][language], case["specific"][language])
            for language in case["unspecific"]
        }
        questions = list(next(iter(case["unspecific"].values())))
        found = distances(answers, questions)
        apart = question_means([pair.unspecific["raw"] for pair in found.values()], questions)
        together = question_means([pair.specific["raw"] for pair in found.values()], questions)
        csp = specificity([(pair.unspecific["raw"], pair.specific["raw"]) for pair in found.values()])
        expected = case["expected"]
        assert np.mean(list(apart.values())) == pytest.approx(expected["CD"], abs=TOLERANCE), case["name"]
        assert 1 - np.mean(list(together.values())) == pytest.approx(expected["CR"], abs=TOLERANCE), case["name"]
        assert csp.value == pytest.approx(expected["CSP"], abs=TOLERANCE), case["name"]
        rhos = {f"{a}-{b}": rho for (a, b), rho in zip(found, csp.correlations, strict=True)}
        assert rhos == pytest.approx(expected["rho"], abs=TOLERANCE), case["name"]
