"""Who is asking, told from a request alone; tests/service/test_identity.py asks a running app."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import gradio as gr
import pytest
from gradio import oauth
from starlette.requests import Request

from leaderboard.page.identity import LOCAL, Identity, Visitor, lab_visitor, visitor_key, visitor_token
from leaderboard.page.services import Services
from submissions.settings import Settings
from submissions.store.quotas import NO_QUOTAS, Quotas

SPACE = Identity(is_public=True, signs_in=True)
ANNA = {"sub": "subject-of-anna", "preferred_username": "anna"}


def signed_in(userinfo: Any = ANNA, *, lasts_s: float | None = 60.0) -> dict[str, Any]:
    """A session as gradio keeps it, its signature checked."""
    expiry = {} if lasts_s is None else {"expires_at": time.time() + lasts_s}
    return {"oauth_info": {"userinfo": userinfo, "access_token": "hf_token", **expiry}}


def request(session: object = None, **headers: str) -> gr.Request:
    scope: dict[str, Any] = {
        "type": "http",
        "client": ("192.0.2.7", 40_000),
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()],
    }
    if session is not None:
        scope["session"] = session
    return gr.Request(Request(scope), session_hash="abc")


def test_on_a_local_installation_everybody_is_its_owner_and_nobody_an_organiser() -> None:
    for asked in (request(), request(signed_in()), None):
        assert LOCAL.visitor(asked) == Visitor("local", "")
    assert not replace(LOCAL, organisers=("local",)).is_organiser(LOCAL.visitor(None))


def test_on_a_space_the_signed_session_tells_who_it_is() -> None:
    assert SPACE.visitor(request(signed_in())) == Visitor("subject-of-anna", "anna")


@pytest.mark.parametrize(
    "session",
    [
        None,
        {},
        {"oauth_info": None},
        {"oauth_info": "x"},
        signed_in(None),
        signed_in({"preferred_username": "anna"}),
        signed_in({"sub": ""}),
        signed_in({"sub": 5}),
        signed_in(lasts_s=-1.0),
        signed_in(lasts_s=None),
    ],
)
def test_a_session_that_does_not_say_who_and_until_when_is_nobodys(session: object) -> None:
    assert SPACE.visitor(request(session)) is None
    assert visitor_key(request(session)) == "address 192.0.2.7"
    assert visitor_token(request(session)) is None


def test_where_sessions_are_signed_with_no_secret_everybody_is_nobody() -> None:
    assert replace(SPACE, signs_in=False).visitor(request(signed_in())) is None


def test_the_cookie_does_not_count_on_calls_that_another_site_makes() -> None:
    for site in ("cross-site", "same-site"):
        assert SPACE.visitor(request(signed_in(), sec_fetch_site=site)) is None
        assert visitor_key(request(signed_in(), sec_fetch_site=site)) == "address 192.0.2.7"
    for site in ("same-origin", "none"):
        assert SPACE.visitor(request(signed_in(), sec_fetch_site=site)) is not None


@pytest.mark.parametrize(
    ("client", "key"),
    [
        (("192.0.2.7", 1), "address 192.0.2.7"),
        (("::ffff:192.0.2.7", 1), "address 192.0.2.7"),
        # A household has 2^64 addresses of IPv6, and may use another one for every request.
        (("2001:db8:1:2:aaaa::1", 1), "address 2001:db8:1:2::/64"),
        (("2001:db8:1:2:bbbb::2", 1), "address 2001:db8:1:2::/64"),
        (("a name", 1), "address unknown"),
        (None, "address unknown"),
    ],
)
def test_a_visitor_without_account_is_counted_by_network_address(client: tuple[str, int] | None, key: str) -> None:
    for session_hash in ("abc", "another"):
        asked = gr.Request(Request({"type": "http", "headers": [], "client": client}), session_hash=session_hash)
        assert visitor_key(asked) == key


def test_runs_of_an_address_are_counted_together_while_each_of_its_pages_has_a_place_in_line() -> None:
    pages = [gr.Request(request().request, session_hash=name) for name in ("abc", "xyz")]
    first, second = (lab_visitor(page) for page in pages)
    assert (first.key, first.people) == (second.key, second.people) == ("address 192.0.2.7", 3)
    assert first.name != second.name
    # An account has one run, in whichever of its pages.
    accounts = [lab_visitor(gr.Request(request(signed_in()).request, session_hash=name)) for name in ("abc", "xyz")]
    assert {(account.name, account.people) for account in accounts} == {("account subject-of-anna", 1)}


def test_runs_of_the_lab_are_counted_for_the_account_and_paid_with_its_token() -> None:
    assert visitor_key(request(signed_in())) == "account subject-of-anna"
    assert visitor_token(request(signed_in())) == "hf_token"


def test_organisers_are_named_by_user_name_or_by_account_and_the_two_are_not_mixed_up() -> None:
    space = replace(SPACE, organisers=("Olga", "id:65f0aa"))
    assert space.is_organiser(Visitor("1", "olga"))
    assert space.is_organiser(Visitor("65f0aa", "whoever"))
    for visitor in (Visitor("1", "65f0aa"), Visitor("Olga", "ben"), Visitor("1", ""), Visitor("", "id:65f0aa"), None):
        assert not space.is_organiser(visitor)
    assert not replace(SPACE, organisers=("",)).is_organiser(Visitor("1", ""))


def oauth_of_a_space(monkeypatch: pytest.MonkeyPatch, **missing: None) -> Identity:
    monkeypatch.setenv("SYSTEM", "spaces")
    monkeypatch.setenv("SPACE_ID", "team/plumbline")
    for name in ("OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES", "OPENID_PROVIDER_URL"):
        monkeypatch.setattr(oauth, name, missing.get(name, "set"))
    return Identity.of(Settings.from_env({"SPACE_ID": "team/plumbline", "PLUMBLINE_ORGANISERS": " olga , id:7,"}))


def test_a_space_with_its_oauth_variables_signs_in_and_has_quotas(monkeypatch: pytest.MonkeyPatch) -> None:
    identity = oauth_of_a_space(monkeypatch)
    assert (identity.is_public, identity.signs_in) == (True, True)
    assert identity.quotas == Quotas(submissions_per_day=10, active_runs=1, lab_runs_per_hour=20, votes_per_day=500)
    assert identity.organisers == ("olga", "id:7")


@pytest.mark.parametrize("name", ["OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES", "OPENID_PROVIDER_URL"])
def test_a_space_without_one_of_them_knows_nobody(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    identity = oauth_of_a_space(monkeypatch, **{name: None})
    assert (identity.is_public, identity.signs_in) == (True, False)


def test_without_a_space_there_are_no_quotas() -> None:
    assert Identity.of(Settings.from_env({"PLUMBLINE_SUBMISSIONS_PER_DAY": "1"})).quotas == NO_QUOTAS


def test_services_of_a_space_are_not_made_with_a_local_owner(services: Services) -> None:
    with pytest.raises(ValueError, match="nobody is the local owner"):
        replace(services, settings=Settings.from_env({"SPACE_ID": "team/plumbline"}))
