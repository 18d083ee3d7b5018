"""A team has one cell of its run judged again, and reads in the ticket what came of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judge_loading.loading import Scorer
from evaluator.judges.scripted import ScriptedJudge
from evaluator.worker.loop import Worker
from submissions.archive.record import Archive
from submissions.desk import LOCAL_OWNER, Desk
from submissions.promptsets import PromptSets, example_submissions
from submissions.store.store import Store
from tests.browser.conftest import running_app, serious_violations

PROMPT_SETS = PromptSets.load(None)


class House:
    """An open page on a store that this test judges for."""

    def __init__(self, address: str, data: Path) -> None:
        self.address = address
        self.store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
        desk = Desk(self.store, Archive(data / "archive"), PROMPT_SETS)
        self.ticket = desk.submit(dict(example_submissions())["tide.json"], "tide.json", owner=LOCAL_OWNER).ticket.id
        self.work()

    def work(self) -> None:
        Worker(
            name="w",
            store=self.store,
            archive=None,
            prompt_sets=PROMPT_SETS,
            scorer=Scorer(ScriptedJudge(), ScriptedEmbedder()),
            stop=threading.Event(),
        ).run(until_empty=True)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    for address in running_app(tmp_path, {"PLUMBLINE_WORKERS": "0", "PLUMBLINE_DEMONSTRATION": "0"}):
        opened = House(address, tmp_path)
        yield opened
        opened.store.close()


def test_one_cell_of_a_scored_run_is_judged_again(page: Page, house: House) -> None:
    page.goto(f"{house.address}/?tab=queue&ticket={house.ticket}")
    expect(page.locator("#ticket .state")).to_have_text("scored")
    cell = page.get_by_label("Request re-scoring")
    expect(cell).to_have_value("choose a cell")
    cell.click()
    page.get_by_role("option", name="901 en").click()
    expect(cell).to_have_value("901 en")

    # Without a reason nothing happens, and what was chosen stays, also when the ticket is drawn anew.
    page.get_by_role("button", name="Judge again").click()
    expect(page.locator("#act-notice")).to_contain_text("Say why")
    with page.expect_response(lambda response: "run/predict" in response.url or "queue/data" in response.url):
        pass
    expect(cell).to_have_value("901 en")
    page.get_by_label("Reason (public)").fill("its prompt was mended")
    assert serious_violations(page) == {}
    page.get_by_role("button", name="Judge again").click()
    expect(page.locator("#act-notice")).to_contain_text("This cell is in the queue again")
    expect(page.locator("#ticket .state")).to_have_text("queued")
    expect(page.locator("#ticket")).to_contain_text("the former result stays on the board until that is done")
    expect(page.locator("#acts")).to_contain_text("its prompt was mended")
    expect(page.locator("#judge-again")).to_be_hidden()

    # The four English answers make 6 pairs in both orders.
    house.work()
    expect(page.locator("#ticket .state")).to_have_text("scored")
    expect(page.locator("#ticket")).to_contain_text("judged again: 12 verdicts, 0 changed")
    expect(cell).to_have_value("choose a cell")
