"""What a changed answer costs the embedded judge: its own sentences, nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.evaluate import evaluate_payload
from evaluator.judges.embedding import EmbeddingJudge
from evaluator.judges.recorded import RecordedJudge
from submissions.promptsets import PromptSets, example_submissions
from submissions.schema import Names
from submissions.store.store import Store


def texts_embedded(store: Store, data: bytes) -> int:
    """Texts a fresh process embeds for a file, with what the store has kept."""
    embedder = MiniLMEmbedder(cache=store)
    evaluate_payload(
        data,
        "run.json",
        edition="2024",
        names=Names(),
        prompt_sets=PromptSets.load(None),
        judge=RecordedJudge(EmbeddingJudge(embedder), store),
        embedder=embedder,
    )
    return embedder.texts_embedded


@pytest.mark.slow
def test_only_the_changed_answer_is_embedded_anew(tmp_path: Path) -> None:
    document = json.loads(dict(example_submissions())["keel.json"])
    items = document["eloquent-robustness-results"]["items"]
    for item in items[5:]:  # enough to judge; the rest only costs time
        for response in item["responses"]:
            response["response"] = ""
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    assert texts_embedded(store, json.dumps(document).encode()) > 0
    assert texts_embedded(store, json.dumps(document).encode()) == 0
    items[0]["responses"][0]["response"] = "Wash the tube with cider. Then sing to it until it holds air."
    # the answer and each of its two sentences
    assert texts_embedded(store, json.dumps(document).encode()) == 3
    store.close()
