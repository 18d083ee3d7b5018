"""What counts less says why, and what takes long says what it does."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from evaluator.results import ItemResult, ResponseResult, RobustnessResult
from evaluator.robustness.figures import PairRating, group_result, summarise
from submissions.schema import Names
from submissions.settings import Settings
from submissions.store.store import Store
from tests.browser.conftest import running_app, serious_violations
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result

REQUESTS = 104
DATA = b"a file"


@pytest.fixture(scope="module")
def address_and_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Store]]:
    """An app without a worker, and its store."""
    data = tmp_path_factory.mktemp("reasons")
    app = running_app(data, {"PLUMBLINE_WORKERS": "0", "PLUMBLINE_DEMONSTRATION": "0"})
    address = next(app)
    store = Store.open(Settings.from_env({"PLUMBLINE_DATA": str(data)}).resolved_database_url)
    yield address, store
    store.close()
    next(app, None)


def add(store: Store, ticket_id: str) -> None:
    store.add(
        ticket_id=ticket_id,
        owner="owner",
        role="entry",
        edition="2024",
        set_id="demonstration",
        names=Names(team="Team", system="Perhaps", model="Model", run="1"),
        file_name="perhaps.json",
        data=DATA,
        received_at=1_790_000_000.0,
    )


def doubtful_result() -> RobustnessResult:
    """A run of one item: two answers that agree at (5.00 + 4.96) / 2 = 4.98, the second of which may be no answer."""
    answers = [
        ResponseResult(
            variant=number, flags=(), blank=False, own_relevance=0.6, relevance_threshold=0.1, answers=answers_at,
            answers_key=f"key {number}",
        )
        for number, answers_at in ((1, 0.99), (2, 0.53))
    ]  # fmt: skip
    group = group_result("en", answers, {(1, 2): PairRating(5.0, 4.96)}, asks_answers=True)
    items = (ItemResult(id="911", variation="formality", groups=(group,)),)
    views, by_language = summarise(items, rankable={"english": True, "all": True})
    return robustness_result({"911": 5.0}).model_copy(
        update={"items": items, "views": views, "by_language": by_language}
    )


def test_a_pair_that_counts_less_says_why(page: Page, address_and_store: tuple[str, Store]) -> None:
    address, store = address_and_store
    ticket_id = "a" * 16
    add(store, ticket_id)
    store.restore_result(ticket_id, doubtful_result().model_dump_json(), 1_790_000_030.0)
    page.goto(f"{address}/?set=demonstration&system={ticket_id}&item=911")
    # An answer weighs nothing up to p = 0.5 and all from 0.7 on: 0.03 / 0.2 = 15%, and 15% of 4.98 is 0.75.
    expect(page.locator("#item tbody tr")).to_contain_text("0.75")
    expect(page.locator("#item tbody tr")).to_contain_text(
        re.compile(r"counts 15%: .* 2 only perhaps answers its prompt, p = 0\.53")
    )
    expect(page.locator("#item .item-sentence")).to_have_text(
        "The answers agree at 4.98 of 5; 0.75 after the relevance check, as 0 of 1 pairs count in full, 1 in part."
    )
    assert serious_violations(page) == {}


def test_a_run_whose_judgements_are_all_made_says_what_it_waits_for(
    page: Page, address_and_store: tuple[str, Store]
) -> None:
    address, store = address_and_store
    ticket_id = "b" * 16
    add(store, ticket_id)
    store.worker_seen("worker", "pair")
    job = store.claim("worker")
    assert job is not None
    store.progress(ticket_id, "worker", judged=REQUESTS, to_judge=REQUESTS, newly_stored=REQUESTS)
    page.goto(f"{address}/?tab=queue&ticket={ticket_id}")
    expect(page.locator("#ticket .state")).to_have_text("running")
    expect(page.locator("#ticket")).to_contain_text(
        "all judgements are made; its figures and intervals are being computed"
    )
