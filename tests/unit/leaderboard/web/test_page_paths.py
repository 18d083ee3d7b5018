from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.lab.state import LabState
from leaderboard.page.links import address_of, link_of
from leaderboard.page.state import PageState, QueueState
from leaderboard.web.page_paths import PagePaths, page_paths
from tests.registered import TABS


@pytest.fixture
def client() -> Iterator[TestClient]:
    async def seen(request: Request) -> PlainTextResponse:
        return PlainTextResponse(f"{request.url.path} {request.url.query}")

    routes = [Route("/{path:path}", seen, methods=["GET", "HEAD", "POST"])]
    with TestClient(Starlette(routes=routes, middleware=[Middleware(PagePaths)])) as client:
        yield client


def leads_to(client: TestClient, address: str) -> str:
    """Where a browser ends up, as it puts it into its address bar."""
    return str(client.get(address).url).removeprefix("http://testserver")


@pytest.mark.parametrize("tab", TABS)
def test_every_public_link_leads_to_its_page(client: TestClient, tab: str) -> None:
    assert leads_to(client, f"/?tab={tab}") == ("/?tab=overview" if tab == "overview" else f"/{tab}")


def test_a_link_keeps_everything_it_says(client: TestClient) -> None:
    said = "benchmark=mtbench-3&judge=a%2Fb&search=steady%3B+onerror&filter_kind=&__theme=dark"
    assert leads_to(client, f"/?tab=judges&{said}") == f"/judges?{said}"
    assert leads_to(client, "/?search=x&tab=judges&search=y") == "/judges?search=x&search=y"
    assert leads_to(client, "/?search=%C3%A5%00%0d%0aLocation:x&tab=judges") == (
        "/judges?search=%C3%A5%00%0D%0ALocation%3Ax"
    )


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("/?set=demonstration&page=2", "/robustness?set=demonstration&page=2"),
        ("/?ticket=7f3a", "/queue?ticket=7f3a"),
        ("/?tab=nowhere&set=x", "/robustness?tab=nowhere&set=x"),  # the page says that it is unknown
        ("/?utm_source=mail", "/?utm_source=mail"),
        ("/judges?tab=queue&ticket=7f3a", "/queue?ticket=7f3a"),  # relative to the page it stands on
        ("/judges?ticket=7f3a", "/judges?ticket=7f3a"),
        ("/judges?tab=nowhere", "/judges?tab=nowhere"),
        ("/judges/?search=x", "/judges?search=x"),
        ("/judges?tab=overview", "/"),
    ],
)
def test_links_of_all_ages_arrive(client: TestClient, link: str, address: str) -> None:
    assert leads_to(client, link) == address


def test_what_a_link_says_is_not_taken_for_gradios_own(client: TestClient) -> None:
    assert client.get("/robustness?page=2&deep_link=x").text == "/robustness "
    assert client.get("/gradio_api/queue/data?session_hash=x").text == "/gradio_api/queue/data session_hash=x"
    assert client.post("/judges?tab=queue").text == "/judges tab=queue"  # nobody follows a link by POST


def test_below_a_path_of_a_proxy_links_stay_below_it(client: TestClient) -> None:
    for link in ("/?tab=judges&search=x", "/queue?tab=judges&search=x"):
        assert client.get(link, follow_redirects=False).headers["location"] == "./judges?search=x"
    assert client.get("/judges/", follow_redirects=False).headers["location"] == "../judges"


def test_pages_call_each_other_by_their_addresses(client: TestClient) -> None:
    states = [PageState(tab=tab) for tab in TABS] + [
        RobustnessState(set="demonstration", system="7f3a"),
        QueueState(ticket="7f3a"),
        LabState(lab="?tab=lab&question=A%26B"),
    ]
    for state in states:
        assert leads_to(client, f"/{address_of(state).removeprefix('./')}") == leads_to(
            client, f"/{link_of(state)}"
        ).removesuffix("?")
    assert set(page_paths().values()) == set(TABS)
