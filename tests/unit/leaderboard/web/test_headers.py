from __future__ import annotations

import base64
import hashlib

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from leaderboard.web.headers import SafeHeaders, page_policy


def site(*, is_on_the_hub: bool = False) -> TestClient:
    def said(request: Request) -> Response:
        return PlainTextResponse("x", 404 if request.url.path == "/missing" else 200)

    routes = [Route("/{path:path}", said, methods=["GET", "POST"])]
    return TestClient(
        Starlette(routes=routes, middleware=[Middleware(SafeHeaders, is_on_the_hub=is_on_the_hub)]),
    )


def directives(policy: str) -> dict[str, str]:
    return {name: sources for name, _, sources in (part.strip().partition(" ") for part in policy.split(";"))}


@pytest.mark.parametrize("path", ["/", "/missing", "/assets/index.js", "/gradio_api/file=x", "/healthz", "/metrics"])
def test_every_answer_has_the_headers(path: str) -> None:
    headers = site().get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "strict-origin-when-cross-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert directives(headers["content-security-policy"])["frame-ancestors"] == "'self'"
    assert directives(headers["content-security-policy"])["default-src"] == "'none'"


def test_only_the_hub_shows_the_pages_of_a_space_in_a_frame() -> None:
    policy = directives(site(is_on_the_hub=True).get("/").headers["content-security-policy"])
    assert policy["frame-ancestors"] == "'self' https://huggingface.co"


def test_data_and_downloads_run_nothing() -> None:
    for path in ("/gradio_api/file=/tmp/gradio/x.html", "/gradio_api/queue/data", "/healthz"):
        policy = directives(site().get(path).headers["content-security-policy"])
        assert set(policy) == {"default-src", "sandbox", "frame-ancestors"}


def test_a_page_runs_its_own_inline_scripts_and_no_others() -> None:
    page = b'<script>one\r\ntwo</script><SCRIPT src="x.js"></SCRIPT><script type="module" data-x>three</script>'
    scripts = directives(page_policy(page))["script-src"].split()
    # A browser reads the two line ends as one before it works out the hash.
    hashes = [base64.b64encode(hashlib.sha256(text).digest()).decode() for text in (b"one\ntwo", b"three")]
    assert scripts == ["'self'", "'unsafe-eval'", *(f"'sha256-{one}'" for one in hashes)]
    assert "http" not in page_policy(page)
