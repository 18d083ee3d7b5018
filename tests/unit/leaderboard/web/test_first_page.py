from __future__ import annotations

import base64
import hashlib
import inspect
import json
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import escape

import pytest
from gradio.route_utils import get_request_origin
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from leaderboard.site.previews import Preview, general_preview
from leaderboard.web.addresses import Hosts
from leaderboard.web.event_stream import KEPT_OPEN
from leaderboard.web.first_page import OF_THE_ADDRESS, FirstPages
from leaderboard.web.first_values import FILLED_IN, FirstView
from leaderboard.web.page_paths import PagePaths
from leaderboard.web.working import WORKING

HOSTS = Hosts(frozenset({"here", "there", "down", "cookies", "elsewhere"}), 7860)
WRITTEN: list[str] = []
"""For which hosts a page was written."""

GRADIOS_HEAD = """<!doctype html><head>
<meta charset="utf-8" />
<meta property="og:title" content="Gradio" />
<meta
  property="og:image"
  content="https://raw.githubusercontent.com/gradio-app/header-image.jpg"
/>
<meta name="twitter:title" content="Gradio" />
<meta name="viewport" content="width=device-width" />
<script>let config = {"text": '<meta name="twitter:title" content="of a team">'}</script></head>"""


def preview_of(tab: str, query: Mapping[str, str]) -> Preview:
    return replace(general_preview(tab), title=f"{tab} {query.get('judge', '')}")


def page(request: Request) -> Response:
    WRITTEN.append(request.headers["host"])
    if request.headers["host"] == "down":
        return PlainTextResponse("not now", 503)
    host = request.headers["host"]
    scripts = f"<script src='x.js'></script><script async>let {host} = 1</script>"
    head = GRADIOS_HEAD if host == "elsewhere" else ""
    answer = HTMLResponse(head + f"<p>{host}</p>" * 100 + f"{scripts}</body></html>")
    if request.headers["host"] == "cookies":
        answer.set_cookie("session", "of one visitor")
    return answer


@pytest.fixture
def client() -> Iterator[TestClient]:
    WRITTEN.clear()
    routes = [Route("/", page), Route("/other", page)]
    views = {"/": FirstView(lambda: 1, lambda: {7: "</script><b>"})}
    pages = Middleware(FirstPages, hosts=HOSTS, views=views, preview_of=preview_of)
    with TestClient(Starlette(routes=routes, middleware=[Middleware(PagePaths), pages])) as client:
        yield client


def test_the_page_is_written_once_for_an_address_and_sent_packed(client: TestClient) -> None:
    first = client.get("/", headers={"host": "here"})
    second = client.get("/?board=robustness", headers={"host": "here"})
    assert first.text == second.text
    assert first.text.startswith("<p>here</p>" * 100)
    assert WRITTEN == ["here"]
    assert second.headers["content-encoding"] == "gzip"
    assert int(second.headers["content-length"]) < len(second.content) / 2
    assert second.headers["content-type"] == "text/html; charset=utf-8"


def test_each_link_has_its_own_preview_in_place_of_gradios(client: TestClient) -> None:
    for judge in ("gpt-4", '"><b>', "gpt-4"):
        text = client.get("/", params={"tab": "overview", "judge": judge}, headers={"host": "elsewhere"}).text
        head, _, rest = text.partition("<script>")
        assert f"<title>overview {escape(judge)}</title>" in head
        assert f'<meta property="og:title" content="overview {escape(judge)}">' in head
        assert '<meta property="og:url" content="http://elsewhere/">' in head
        assert head.count("og:title") == head.count("twitter:title") == head.count('og:image"') == 1
        assert "gradio" not in head.lower()
        assert 'name="viewport"' in head
        assert rest.startswith('let config = {"text": \'<meta name="twitter:title" content="of a team">\'}')
    assert WRITTEN == ["elsewhere"]


def test_a_preview_that_fails_or_dallies_leaves_the_page_its_general_one(caplog: pytest.LogCaptureFixture) -> None:
    is_over, waited_out = threading.Event(), threading.Event()

    def failing(tab: str, query: Mapping[str, str]) -> Preview:
        if "slow" in query:
            is_over.wait(60)
            waited_out.set()
        raise ValueError("no rows")

    pages = Middleware(FirstPages, hosts=HOSTS, views={}, preview_of=failing)
    site = Starlette(routes=[Route("/", page)], middleware=[Middleware(PagePaths), pages])
    with TestClient(site, headers={"host": "here", "sec-fetch-mode": "navigate"}) as client:
        for query in ("tab=overview", "tab=overview&slow=1"):
            assert "<title>Plumbline</title>" in client.get(f"/?{query}").text
        assert not waited_out.is_set()
        is_over.set()
    assert "no rows" in caplog.text


def test_its_policy_lets_its_own_inline_scripts_run(client: TestClient) -> None:
    policy = client.get("/", headers={"host": "here"}).headers["content-security-policy"]
    # sha256 of the text of each, as a browser works it out.
    own = (script.removeprefix(b"<script>").removesuffix(b"</script>") for script in (FILLED_IN, KEPT_OPEN, WORKING))
    for text in (b"let here = 1", *own):
        assert f"'sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode()}'" in policy
    assert policy.count("'sha256-") == 5  # these four, and the first values: data, which no browser runs
    assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]


def test_the_first_values_stand_in_the_page_and_cannot_end_their_element(client: TestClient) -> None:
    text = client.get("/", headers={"host": "here"}).text
    values = text.partition('<script type="application/json" id="first-values">')[2].partition("</script>")[0]
    assert "<" not in values
    assert json.loads(values) == {"7": "</script><b>"}
    assert text.endswith(f"{(FILLED_IN + KEPT_OPEN + WORKING).decode()}</body></html>")


def test_who_cannot_unpack_gets_it_as_it_is(client: TestClient) -> None:
    answer = client.get("/", headers={"host": "here", "accept-encoding": "identity"})
    assert "content-encoding" not in answer.headers
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.content.startswith(b"<p>here</p>" * 100)


def test_another_address_gets_its_own_and_made_up_ones_push_nobodys_page_out(client: TestClient) -> None:
    assert client.get("/", headers={"host": "there"}).text.startswith("<p>there</p>")
    for number in range(50):
        client.get("/", headers={"host": f"made-up-{number}"})
        client.get("/", headers={"host": f"there:{number}"})
        client.get("/", headers={"host": "there", "x-forwarded-host": f"made-up-{number}"})
    assert WRITTEN.count("there") == 51
    assert client.get("/", headers={"host": "there"}).text.startswith("<p>there</p>")
    assert WRITTEN.count("there") == 51


def test_nobody_can_put_another_address_into_everybodys_page(client: TestClient) -> None:
    # Whatever header gradio reads when it makes the address of the site, pages are kept apart by it.
    read = set(re.findall(r'get_first_header_value\(request, "([^"]+)"\)', inspect.getsource(get_request_origin)))
    assert read <= set(OF_THE_ADDRESS)
    for header in OF_THE_ADDRESS:
        client.get("/", headers={"host": "here", header: "elsewhere"})
    client.get("/", headers={"host": "here"})
    assert len(WRITTEN) == len(OF_THE_ADDRESS) + 1


@pytest.mark.parametrize(("host", "status"), [("down", 503), ("cookies", 200)])
def test_what_is_no_page_for_everybody_is_not_kept(client: TestClient, host: str, status: int) -> None:
    assert {client.get("/", headers={"host": host}).status_code for _ in range(2)} == {status}
    assert [host, host] == WRITTEN


def test_nothing_else_is_kept(client: TestClient) -> None:
    for _ in range(2):
        client.get("/other", headers={"host": "here"})
        client.post("/", headers={"host": "here"})
    assert len(WRITTEN) == 2
