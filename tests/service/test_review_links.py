"""A real `app.py`: with a key, pseudonyms and review links outlive it; without one they do not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx2
import pytest

from leaderboard.__main__ import main
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.formats.eloquent.template import submission_template
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.store.store import Store
from tests.browser.conftest import started_app
from tests.service.test_public_api import raw
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result

KEY = "made by chance, in a test only: 0f"
SEASON = """
title = "Spring"
set = "demonstration"
time_zone = "UTC"
opens = 2026-03-01T00:00:00
closes = 2090-03-31T23:59:59
freezes = 2090-04-10T12:00:00
[public]
names = 2091-05-01T00:00:00
"""


def test_pseudonyms_and_review_links_hold_over_a_restart_with_the_same_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, seasons = tmp_path / "data", tmp_path / "seasons"
    data.mkdir()
    seasons.mkdir()
    (seasons / "spring.toml").write_text(SEASON, encoding="utf-8")
    ticket = _scored(data)
    settings = {"PLUMBLINE_SEASONS": str(seasons), "PLUMBLINE_WORKERS": "0"}
    for name, value in (settings | {"PLUMBLINE_DATA": str(data), "PLUMBLINE_PSEUDONYM_KEY": KEY}).items():
        monkeypatch.setenv(name, value)
    assert main(["review-link", ticket]) == 0
    link = capsys.readouterr().out.splitlines()[0]
    assert link.startswith("/review?run=")
    assert ticket not in link

    keyed = settings | {"PLUMBLINE_PSEUDONYM_KEY": KEY}
    first, opened = _seen(data, keyed, ticket, link)
    second, opened_again = _seen(data, keyed, ticket, link)
    assert first == second
    assert opened.status_code == opened_again.status_code == 200
    assert "Score 3.00" in opened.text
    assert "quokka" not in opened.text.lower()
    assert (opened.headers["x-robots-tag"], opened.headers["referrer-policy"]) == ("noindex, nofollow", "no-referrer")
    assert "no-store" in opened.headers["cache-control"]
    other, refused = _seen(data, settings | {"PLUMBLINE_PSEUDONYM_KEY": ""}, ticket, link)
    assert other != first
    assert refused.status_code == 404
    assert "no review link of this site" in refused.text


def _scored(data: Path) -> str:
    """A run whose names are private, scored."""
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    prompts = PromptSets.load(None)
    document = json.loads(submission_template(prompts.demonstration))
    root = document["eloquent-robustness-results"]
    root["source"] = "Quokkas"
    for item in root["items"]:
        for response in item["responses"]:
            response["response"] = f"An answer to {item['id']}."
    names = Names(team="Quokkas", system="quokka-net", model="quokka-7b", run="quokka-run")
    desk = Desk(store, Archive(data / "archive"), prompts)
    receipt = desk.submit(json.dumps(document).encode(), "quokka.json", owner="local", names=names)
    job = store.claim("worker")
    assert job is not None
    store.finish(job.id, "worker", robustness_result(dict.fromkeys(["901", "902", "903"], 3.0)).model_dump_json())
    store.close()
    return receipt.ticket.id


def _seen(data: Path, settings: dict[str, str], ticket: str, link: str) -> tuple[str, httpx2.Response]:
    """What a started app calls the team, and what it answers to the link."""
    with started_app(data, settings) as (address, _):
        (pseudonym,) = set(re.findall(r"team [0-9a-f]{6}", raw(address, "ticket", ticket)))
        return pseudonym, httpx2.get(f"{address}{link}", timeout=60)
