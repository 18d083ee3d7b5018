"""A submission judged end to end by a local language model made on the spot, through the path a real one takes."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from benchmarks.random_models import answering_model, small_tokenizer
from evaluator.judge_loading.loading import load_scorer
from evaluator.position_bias.own_judges import judge_label, own_judges_result
from evaluator.results import RobustnessResult
from evaluator.robustness.references import references_at_hand
from evaluator.worker.loop import Worker
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets, example_submissions
from submissions.settings import Settings
from submissions.store.queue import JobStatus
from submissions.store.store import Store

PROMPT_SETS = PromptSets.load(None)
KEPT_ITEMS = 2


@pytest.fixture(scope="module")
def judge_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny-judge"
    tokenizer = small_tokenizer()
    answering_model(tokenizer).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def shortened(name: str) -> bytes:
    """One of our examples with answers to its first items only."""
    document = json.loads(dict(example_submissions())[name])
    for item in document["eloquent-robustness-results"]["items"][KEPT_ITEMS:]:
        for response in item["responses"]:
            response["response"] = ""
    return json.dumps(document).encode()


@pytest.mark.slow
def test_a_tiny_local_model_judges_a_submission_and_gets_its_card(judge_folder: Path, tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    archive = Archive(tmp_path / "archive")
    desk = Desk(store, archive, PROMPT_SETS)
    tickets = {
        name: desk.submit(shortened(name), name, owner="local").ticket.id for name in ("tide.json", "flotsam.json")
    }
    Worker(
        name="w",
        store=store,
        archive=archive,
        prompt_sets=PROMPT_SETS,
        scorer=load_scorer(f"transformers:{judge_folder};unproven", store),
        stop=threading.Event(),
        references=references_at_hand(Settings.from_env({}), PROMPT_SETS),
    ).run(until_empty=True)

    results = {}
    for name, ticket in tickets.items():
        assert store.require(ticket).status is JobStatus.SCORED, store.require(ticket).reason
        results[name] = RobustnessResult.model_validate_json(store.result(ticket) or "")
    tide = results["tide.json"]
    assert tide.judge.name == "transformers"
    assert len(tide.judge.revision) == 64  # of the weights
    judged = [pair for item in tide.items for group in item.groups for pair in group.pairs]
    assert judged
    assert all(pair.score is not None and 0 <= pair.score <= 5 for pair in judged)
    assert all(group.group_rating is not None for item in tide.items[:KEPT_ITEMS] for group in item.groups)
    assert tide.order_gap.n > 0
    assert tide.pairwise is not None
    assert {record.original for record in tide.pairwise.records} <= {"A", "B", "C"}

    card = own_judges_result("demonstration", results)
    assert card is not None
    (report,) = card.judges
    assert report.judge == judge_label(tide.judge)
    expected = sum(len(result.pairwise.records) for result in results.values() if result.pairwise)
    assert report.position_bias["n_pairs"] == expected
    assert isinstance(report.position_bias["position_consistency_ci95"], list)
    assert report.repetition is not None
    stability = report.repetition["repetition_stability"]
    assert isinstance(stability, float)
    assert 1 / 3 <= stability <= 1  # three draws over three labels
    store.close()
