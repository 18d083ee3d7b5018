"""Who is asking, as a running app on a Space finds out: signed sessions over HTTP, as MCP tools and in page events."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx  # the client of MCP takes this one
import httpx2
import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judge_loading.loading import Scorer
from evaluator.judges.scripted import ScriptedJudge
from evaluator.results import GroupResult, ItemResult, PairResult, ResponseResult
from evaluator.worker.loop import Worker
from leaderboard.page.human_check_files import human_check_files
from leaderboard.site.api import ENDPOINTS
from submissions.promptsets import PromptSets, example_submissions
from submissions.schema import Names
from submissions.store.queue import JobStatus
from submissions.store.store import Store
from submissions.store.votes import verdict_id
from tests.browser.conftest import running_app
from tests.service.space_sessions import SECRET, SPACE, TOKEN, signed_session
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result

FILE = {"_type": "gradio.FileData"}


@dataclass
class Space:
    """A running app as visitors of a Space meet it."""

    address: str
    data: Path
    opened: ExitStack

    @cached_property
    def store(self) -> Store:
        store = Store.open(f"sqlite:///{self.data / 'plumbline.db'}")
        self.opened.callback(store.close)
        return store

    def entries(self) -> list[str]:
        """Tickets of all teams; the baselines are ours."""
        return [one.id for one in self.store.tickets() if one.role == "entry"]

    def visitor(self, cookie: str = "", **headers: str) -> httpx2.Client:
        """Somebody with that session cookie."""
        sent = {"cookie": f"session={cookie}"} if cookie else {}
        client = httpx2.Client(base_url=f"{self.address}/gradio_api", headers=sent | headers, timeout=60)
        return self.opened.enter_context(client)


ANNA = signed_session("subject-of-anna", "anna")
BEN = signed_session("subject-of-ben", "ben")
OLGA = signed_session("subject-of-olga", "olga")


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Space]:
    data = tmp_path_factory.mktemp("space")
    for address in running_app(data, SPACE):
        with ExitStack() as opened:
            yield Space(address, data, opened)


def file_of(team: str) -> bytes:
    document = json.loads(next(data for _, data in example_submissions()))
    document["eloquent-robustness-results"] |= {"source": team, "system": "Keel", "model": "", "run": ""}
    return json.dumps(document).encode()


def submitted(client: httpx2.Client, team: str, **headers: str) -> str:
    """What a submission over HTTP is answered: the receipt, or the sentence it is refused with."""
    (path,) = client.post("/upload", files={"files": (f"{team}.json", file_of(team))}).json()
    values = [{"path": path, "meta": FILE}, "", "", "", "", "auto", None, "", ""]
    event = client.post("/call/submit", json={"data": values}, headers=headers).json()["event_id"]
    _, _, data = client.get(f"/call/submit/{event}").text.strip().partition("data: ")
    answer = json.loads(data)
    said: str = answer["error"] if isinstance(answer, dict) else answer[0]
    return said


@pytest.fixture(scope="module")
def ticket(space: Space) -> str:
    """Anna's run, submitted with her session."""
    receipt = json.loads(submitted(space.visitor(ANNA), "aurora"))
    return str(receipt["ticket"])


def test_a_submission_belongs_to_the_account_of_the_signed_session(space: Space, ticket: str) -> None:
    kept = space.store.require(ticket)
    assert (kept.owner, kept.owner_name) == ("subject-of-anna", "anna")


def test_what_is_not_signed_with_our_secret_is_nobody(space: Space, ticket: str) -> None:
    forged = base64.b64encode(json.dumps({"oauth_info": {"userinfo": {"sub": "subject-of-anna"}}}).encode()).decode()
    strangers = {
        "no cookie": "",
        "not signed": forged,
        "signed with another secret": signed_session("subject-of-anna", "anna", secret="another"),
        "signed with what gradio takes without a secret": signed_session("subject-of-anna", "anna", secret=""),
        "expired": signed_session("subject-of-anna", "anna", lasts_s=-1.0),
        "changed after it was signed": "X" + ANNA[1:],
    }
    for who, cookie in strangers.items():
        assert "cannot tell who is calling" in submitted(space.visitor(cookie), "stranger"), who
    assert space.entries() == [ticket]


def test_no_header_and_no_other_site_claims_an_owner(space: Space, ticket: str) -> None:
    headers = {"x-owner": "subject-of-anna", "x-forwarded-user": "anna", "authorization": f"Bearer {TOKEN}"}
    assert "cannot tell who is calling" in submitted(space.visitor(**headers), "header")
    # A page elsewhere makes Anna's browser call: her cookie comes along, and the browser says where from.
    assert "cannot tell who is calling" in submitted(space.visitor(ANNA, **{"sec-fetch-site": "cross-site"}), "evil")
    assert space.entries() == [ticket]


def test_the_quota_of_an_account_is_told_to_programs(space: Space, ticket: str) -> None:
    refusal = submitted(space.visitor(ANNA), "aurora two")
    assert refusal == (
        "You have 1 run in the queue or at work, and the limit is 1. "
        f"The next one is free when ticket {ticket} (queued) is scored, fails or is cancelled."
    )
    assert json.loads(submitted(space.visitor(ANNA), "aurora"))["ticket"] == ticket  # the very same costs nothing


def test_gradio_client_brings_its_session_as_documented(space: Space, ticket: str, tmp_path: Path) -> None:
    path = tmp_path / "aurora.json"
    path.write_bytes(file_of("aurora"))
    with closing(Client(space.address, headers={"Cookie": f"session={ANNA}"}, verbose=False)) as client:
        assert json.loads(client.predict(handle_file(path), api_name="/submit"))["ticket"] == ticket
    refused = pytest.raises(AppError, match="cannot tell who is calling")
    with closing(Client(space.address, verbose=False)) as client, refused:
        client.predict(handle_file(path), api_name="/submit")


def test_mcp_tools_know_the_caller_by_the_same_session(space: Space, ticket: str) -> None:
    def tool(team: str, cookie: str) -> tuple[bool, str]:
        async def called() -> tuple[bool, str]:
            headers = {"cookie": f"session={cookie}"} if cookie else {}
            async with (
                httpx.AsyncClient(headers=headers, timeout=60, follow_redirects=True) as client,
                streamable_http_client(f"{space.address}/gradio_api/mcp/", http_client=client) as (read, write, _),
                ClientSession(read, write) as session,
            ):
                await session.initialize()
                names = [one.name for one in (await session.list_tools()).tools]
                assert sorted(name.removeprefix("plumbline_") for name in names) == sorted(ENDPOINTS)
                name = next(name for name in names if name.endswith("submit"))
                file = f"data:application/json;base64,{base64.b64encode(file_of(team)).decode()}"
                result = await session.call_tool(name, {"file": file})
                return result.isError, "".join(part.text for part in result.content if isinstance(part, TextContent))

        return asyncio.run(called())

    for cookie in ("", signed_session("subject-of-anna", "anna", secret="another")):
        is_error, said = tool("tool", cookie)
        assert (is_error, "cannot tell who is calling" in said) == (True, True), said
    is_error, said = tool("barque", BEN)
    assert not is_error, said
    assert space.store.require(json.loads(said)["ticket"]).owner == "subject-of-ben"


@dataclass
class PageVisit:
    """A page as its script would use it, with whatever a dishonest one sends."""

    client: httpx2.Client
    config: dict[str, Any]
    """Of this page alone."""
    session_hash: str

    @classmethod
    def open(cls, space: Space, cookie: str, page: str, query: str) -> PageVisit:
        client = space.visitor(cookie)
        config = httpx2.get(f"{space.address}/config?page={page}").json()
        visit = cls(client, config, hashlib.sha256(f"{cookie}{query}".encode()).hexdigest()[:10])
        loads = [one for one in config["dependencies"] if any(event == "load" for _, event in one["targets"])]
        load = max(loads, key=lambda one: len(one["outputs"]))
        assert visit.call(load, [False, ""], query).is_success
        return visit

    def call(self, dependency: dict[str, Any], data: list[Any], query: str = "") -> httpx2.Response:
        body = {"fn_index": dependency["id"], "data": data, "session_hash": self.session_hash}
        return self.client.post(f"/run/predict{query}", json=body)

    def pressed(self, elem_id: str, *fields: str) -> httpx2.Response:
        """The button is pressed, shown or not; fields that are not given are blank."""
        button = next(one["id"] for one in self.config["components"] if one["props"].get("elem_id") == elem_id)
        (dependency,) = [
            one for one in self.config["dependencies"] if [button, "click"] in one["targets"] and one["backend_fn"]
        ]
        blank = len(dependency["inputs"]) - 1 - len(fields)
        return self.call(dependency, [None, *fields, *[""] * blank])


OWNER_BUTTONS = ("cancel", "confirm-withdraw", "rerun", "primary", "latest", "confirm-erase")
ORGANISER_BUTTONS = tuple(
    f"organiser-{act}" for act in ("pause", "resume", "hide", "show", "rerun", "primary", "latest", "erase")
)


@pytest.mark.parametrize("cookie", [BEN, ""], ids=["another account", "nobody"])
def test_page_events_do_not_act_for_another_owner_whatever_is_sent(space: Space, ticket: str, cookie: str) -> None:
    before = space.store.require(ticket)
    visit = PageVisit.open(space, cookie, "queue", f"?ticket={ticket}")
    for button in OWNER_BUTTONS:
        assert visit.pressed(button).status_code == 200
    for button in ORGANISER_BUTTONS:
        assert "Only organisers can do that." in visit.pressed(button, "because").text
    assert space.store.require(ticket) == before
    assert space.store.acts() == []
    assert space.store.pause() is None


def test_page_events_act_for_the_owner_and_for_organisers(space: Space, ticket: str) -> None:
    organiser = PageVisit.open(space, OLGA, "queue", f"?ticket={ticket}")
    assert organiser.pressed("organiser-hide", "a test").status_code == 200
    assert space.store.require(ticket).hidden == "a test"
    assert organiser.pressed("organiser-show", "over").status_code == 200
    (shown, hidden) = space.store.acts(about=ticket)
    assert [(act.kind, act.actor, act.actor_name, act.reason) for act in (hidden, shown)] == [
        ("hide", "subject-of-olga", "olga", "a test"),
        ("show", "subject-of-olga", "olga", "over"),
    ]
    owner = PageVisit.open(space, ANNA, "queue", f"?ticket={ticket}")
    assert owner.pressed("cancel").status_code == 200
    assert space.store.require(ticket).status is JobStatus.CANCELLED


def test_my_submissions_are_those_of_whoever_has_signed_in(space: Space, ticket: str) -> None:
    shown = {}
    for who, cookie in (("anna", ANNA), ("ben", BEN), ("nobody", "")):
        client = space.visitor(cookie)
        config = httpx2.get(f"{space.address}/config?page=mine").json()
        loads = [one for one in config["dependencies"] if any(event == "load" for _, event in one["targets"])]
        load = max(loads, key=lambda one: len(one["outputs"]))
        body = {"fn_index": load["id"], "data": [False, ""], "session_hash": f"mine{who}"}
        shown[who] = client.post("/run/predict", json=body).text
    assert ticket in shown["anna"]
    assert ticket not in shown["ben"]
    assert ticket not in shown["nobody"]
    assert "Sign in to see what your account submitted." in shown["nobody"]


def test_one_cell_is_judged_again_for_the_owner_and_for_organisers_only(space: Space) -> None:
    ticket = json.loads(submitted(space.visitor(ANNA), "cells"))["ticket"]
    Worker(
        name="w",
        store=space.store,
        archive=None,
        prompt_sets=PromptSets.load(None),
        scorer=Scorer(ScriptedJudge(), ScriptedEmbedder()),
        stop=threading.Event(),
    ).run(until_empty=True)
    before = space.store.require(ticket)
    assert before.status is JobStatus.SCORED
    query = f"?ticket={ticket}"
    for cookie in (BEN, ""):
        visit = PageVisit.open(space, cookie, "queue", query)
        assert visit.pressed("rerun", "901 en", "because").status_code == 200
        assert "Only organisers can do that." in visit.pressed("organiser-rerun", "because", "901 en").text
    anna = PageVisit.open(space, ANNA, "queue", query)
    assert "Say why" in anna.pressed("rerun", "901 en", "  ").text
    assert "choose one cell" in anna.pressed("rerun", "", "because").text
    assert "has no cell '999 en'" in anna.pressed("rerun", "999 en", "because").text.replace("\\u0027", "'")
    assert space.store.require(ticket) == before
    assert "This cell is in the queue again" in anna.pressed("rerun", "901 en", "a typing error").text
    assert space.store.require(ticket).is_rejudged
    assert "the former result stands" in anna.pressed("cancel").text
    olga = PageVisit.open(space, OLGA, "queue", query)
    assert "This cell is in the queue again" in olga.pressed("organiser-rerun", "a complaint", "901 sv").text
    assert [(act.actor_name, act.cell, act.reason) for act in space.store.acts(about=ticket)] == [
        ("olga", "901 sv", "a complaint"),
        ("anna", "901 en", "a typing error"),
    ]


def test_no_token_is_in_the_log(space: Space, ticket: str) -> None:
    log = (space.data / "app.log").read_text(encoding="utf-8")
    assert "Plumbline is open" in log
    for secret in (TOKEN, SECRET, SPACE["HF_TOKEN"], ANNA[:40]):
        assert secret not in log


@pytest.fixture(scope="module")
def judged_run(space: Space) -> str:
    """Ben's scored run, whose only pair a judge called the same."""
    pair = PairResult(a=1, b=2, ab=4.0, ba=4.0, score=4.0, passes=True, gated=4.0, key_ab="k1", key_ba="k2")
    answers = tuple(ResponseResult(variant=number, flags=(), blank=False) for number in (1, 2))
    group = GroupResult(language="en", responses=answers, pairs=(pair,), figures={}, gate_share=1.0)
    item = ItemResult(id="901", variation="formality", groups=(group,))
    result = robustness_result({"901": 4.0}).model_copy(update={"items": (item,)})
    data = file_of("judged")
    space.store.add(
        ticket_id="judged",
        owner="subject-of-ben",
        role="entry",
        edition="2024",
        set_id="demonstration",
        names=Names("judged", "Keel"),
        file_name="judged.json",
        data=data,
        received_at=1.0,
    )
    space.store.restore_result("judged", result.model_dump_json(), 2.0)
    return "judged"


def voted(space: Space, cookie: str, ticket: str, **said: str) -> httpx2.Response:
    visit = PageVisit.open(space, cookie, "robustness", f"?set=demonstration&system={ticket}&item=901")
    item = next(one["id"] for one in visit.config["components"] if one["props"].get("elem_id") == "item")
    (dependency,) = [one for one in visit.config["dependencies"] if [item, "vote"] in one["targets"]]
    body = {
        "fn_index": dependency["id"],
        "data": [None],
        "event_data": {"verdict": verdict_id("k1", "k2"), **said},
        "session_hash": visit.session_hash,
    }
    return visit.client.post("/run/predict", json=body)


def test_a_vote_is_counted_for_the_account_of_the_session_and_for_nobody_else(space: Space, judged_run: str) -> None:
    assert voted(space, ANNA, judged_run, stance="agree").status_code == 200
    claims = {"stance": "disagree", "person": "subject-of-anna", "owner": "subject-of-anna", "voter": "subject-of-anna"}
    assert voted(space, OLGA, judged_run, **claims).status_code == 200
    assert "Sign in with Hugging Face" in voted(space, "", judged_run, **claims).text
    assert voted(space, signed_session("subject-of-anna", "anna", secret="another"), judged_run, **claims).is_success
    assert voted(space, BEN, judged_run, stance="agree").status_code == 200
    assert [(one.person, one.stance, one.is_own) for one in space.store.verdict_votes()] == [
        ("subject-of-anna", "agree", False),
        ("subject-of-olga", "disagree", False),
        ("subject-of-ben", "agree", True),  # the run is his
    ]


def test_no_page_and_no_export_names_who_voted(space: Space, judged_run: str) -> None:
    shown = voted(space, OLGA, judged_run, stance="agree").text
    assert "2 votes by 2 people on 1 verdict" in shown
    assert "1 vote on a run of the voter" in shown
    assert "subject-of" not in shown
    assert all(b"subject-of" not in data for data in human_check_files(space.store.verdict_votes()).values())
