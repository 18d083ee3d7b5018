from __future__ import annotations

import socket

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from leaderboard.web.addresses import Hosts, KnownHosts, TrustedProxies, address_of_site
from submissions.settings import Settings


def told(request: Request) -> JSONResponse:
    """What the pages learn of a request."""
    client = request.client.host if request.client else None
    kept = {name: value for name, value in request.headers.items() if name.startswith(("x-", "forwarded"))}
    return JSONResponse({"client": client, "scheme": request.url.scheme, "host": request.headers["host"], **kept})


def address(request: Request) -> PlainTextResponse:
    return PlainTextResponse(address_of_site(request.scope, request.query_params.get("only", "")))


def site(settings: dict[str, str], root_path: str = "") -> TestClient:
    known = Settings.from_env(settings)
    middleware = [
        Middleware(TrustedProxies, proxies=known.proxies),
        Middleware(KnownHosts, hosts=Hosts.of(known)),
    ]
    return TestClient(
        Starlette(routes=[Route("/", told), Route("/address", address)], middleware=middleware),
        base_url="http://localhost",
        client=("10.0.0.1", 1),
        root_path=root_path,
    )


FORGED = {
    "x-forwarded-for": "203.0.113.9",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
    "x-gradio-server": "http://evil.example",
    "forwarded": "for=203.0.113.9",
}


def test_where_clients_come_themselves_nothing_they_say_of_themselves_counts() -> None:
    answer = site({}).get("/", headers=FORGED).json()
    assert answer == {"client": "10.0.0.1", "scheme": "http", "host": "localhost"}


def test_of_a_list_of_addresses_the_one_that_the_proxy_wrote_counts() -> None:
    client = site({"SPACE_ID": "owner/space", "SPACE_HOST": "owner-space.hf.space"})
    by_the_hub = {"host": "owner-space.hf.space", "x-forwarded-proto": "https"}
    assert client.get("/", headers=by_the_hub | {"x-forwarded-for": "203.0.113.9, 198.51.100.4"}).json() == {
        "client": "198.51.100.4",
        "scheme": "https",
        "host": "owner-space.hf.space",
        "x-forwarded-for": "198.51.100.4",
        "x-forwarded-proto": "https",
    }
    # A client may send a header line of its own before the proxy's.
    lines = [("x-forwarded-for", "203.0.113.9"), ("x-forwarded-for", "198.51.100.4"), *by_the_hub.items()]
    assert client.get("/", headers=lines).json()["client"] == "198.51.100.4"


def test_with_two_proxies_the_last_but_one_counts() -> None:
    client = site({"PLUMBLINE_TRUSTED_PROXIES": "2"})
    for line, counted in {
        "203.0.113.9, 198.51.100.4, 10.0.0.2": "198.51.100.4",
        "198.51.100.4": "198.51.100.4",
    }.items():
        assert client.get("/", headers={"x-forwarded-for": line}).json()["client"] == counted
    assert client.get("/").json()["client"] == "10.0.0.1"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:7860", "127.0.0.1:8080", "[::1]:7860", "192.0.2.7"])
def test_local_pages_are_asked_for_under_the_names_of_the_machine(host: str) -> None:
    assert site({}).get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:7860", "localhost.evil.example", "127.0.0.1.evil.example", "", "a b", "x:y"]
)
def test_a_name_that_somebody_lets_lead_here_is_refused(host: str) -> None:
    answer = site({}).get("/", headers={"host": host})
    assert answer.status_code == 421
    assert "This site is not known as" in answer.text
    assert "PLUMBLINE_HOSTS lists its names" in answer.text


def test_further_names_are_a_setting() -> None:
    client = site({"PLUMBLINE_HOSTS": "board.example.org, Lab.example.org:8443"})
    for host in ("board.example.org", "board.example.org:7860", "lab.example.org:8443"):
        assert client.get("/", headers={"host": host}).status_code == 200
    assert client.get("/", headers={"host": "example.org"}).status_code == 421


def test_who_listens_on_every_address_is_known_by_the_name_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "Desk")
    monkeypatch.setattr(socket, "getfqdn", lambda: "desk.example.org")
    for host in ("desk:7860", "desk.example.org"):
        assert site({"GRADIO_SERVER_NAME": "0.0.0.0"}).get("/", headers={"host": host}).status_code == 200
        assert site({}).get("/", headers={"host": host}).status_code == 421


def test_pages_of_a_space_are_written_for_its_own_name_whatever_is_asked() -> None:
    client = site({"SPACE_ID": "owner/space", "SPACE_HOST": "owner-space.hf.space"})
    for headers in (
        {"host": "evil.example"},
        {"host": "owner-space.hf.space", "x-forwarded-host": "evil.example"},
        {"host": "evil.example", "x-forwarded-host": "evil.example"},
    ):
        answer = client.get("/", headers=headers).json()
        assert "evil" not in str(answer)
        assert answer["host"] == "owner-space.hf.space"
    # What looks after the Space on the machine itself.
    assert client.get("/", headers={"host": "localhost:7860"}).json()["host"] == "localhost:7860"


def test_pages_are_kept_for_few_names_and_for_the_port_that_is_ours() -> None:
    hosts = Hosts.of(Settings.from_env({"PLUMBLINE_HOSTS": "lab.example.org:8443"}))
    own = "192.0.2.7"
    for host in ("localhost", "localhost:7860", "[::1]:7860", "192.0.2.7:7860", "lab.example.org:8443"):
        assert hosts.keeps(host, own), host
    for host in ("localhost:1", "192.0.2.8:7860", "evil.example", "lab.example.org:1"):
        assert not hosts.keeps(host, own), host


def test_the_address_of_the_site_is_the_one_that_visitors_ask_for() -> None:
    behind = site({"PLUMBLINE_TRUSTED_PROXIES": "1", "PLUMBLINE_HOSTS": "board.example"})
    said = {"x-forwarded-host": "board.example", "x-forwarded-proto": "https"}
    assert behind.get("/address", headers=said).text == "https://board.example/"
    assert behind.get("/address", headers=said | {"x-forwarded-prefix": "/eval/"}).text == "https://board.example/eval/"
    assert behind.get("/address").text == "http://localhost/"
    assert site({}, root_path="/board").get("/board/address").text == "http://localhost/board/"
    # Of a Space, which the Hub asks under its own names as well.
    assert behind.get("/address?only=owner-space.hf.space").text == "https://owner-space.hf.space/"


def test_an_address_that_nobody_vouches_for_does_not_count() -> None:
    made_up = FORGED | {"x-forwarded-prefix": "/evil"}
    assert site({}).get("/address", headers=made_up).text == "http://localhost/"
    behind = site({"PLUMBLINE_TRUSTED_PROXIES": "1"})
    for prefix in ('/"><script>', "//evil.example", "evil", "/a b"):
        assert behind.get("/address", headers={"x-forwarded-prefix": prefix}).text == "http://localhost/"
