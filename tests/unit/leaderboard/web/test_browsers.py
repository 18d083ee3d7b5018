from __future__ import annotations

from types import SimpleNamespace

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from leaderboard.web.browser_name import COOKIE, browser_of
from leaderboard.web.browsers import KnownBrowsers


def client() -> TestClient:
    def said(request: Request) -> PlainTextResponse:
        # What gradio wraps a request in.
        return PlainTextResponse(str(browser_of(SimpleNamespace(request=request))))  # type: ignore[arg-type]

    return TestClient(Starlette(routes=[Route("/", said), Route("/who", said)], middleware=[Middleware(KnownBrowsers)]))


def test_a_browser_is_named_once_with_its_first_page_and_stays_the_same() -> None:
    browser = client()
    given = browser.get("/").headers["set-cookie"]
    assert given.startswith(f"{COOKIE}=")
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(given.split("; "))
    who = browser.get("/who").text
    assert who.startswith("browser ")
    again = browser.get("/")
    assert "set-cookie" not in again.headers
    assert again.text == browser.get("/who").text == who


def test_browsers_differ_and_what_is_kept_is_not_the_cookie() -> None:
    first, second = client(), client()
    first.get("/")
    second.get("/")
    assert first.get("/who").text != second.get("/who").text
    assert first.cookies[COOKIE] not in first.get("/who").text


def test_only_the_page_names_a_browser_and_without_a_name_there_is_none() -> None:
    answer = client().get("/who")
    assert "set-cookie" not in answer.headers
    assert answer.text == "None"
    assert browser_of(None) is None


def test_another_cookie_is_no_name() -> None:
    assert "set-cookie" in client().get("/", headers={"cookie": f"other=1; {COOKIE}="}).headers
