"""Identity of whoever asks: an account of the Hub on a Space, one owner for everybody on a local installation.

On a Space gradio keeps what the Hub said about a visitor in a session cookie that it signs with the secret of the
Space's OAuth application. That session, read on the server, is the only thing that tells who somebody is: no field of a
form or call, no header and no user name does. Programs send the same cookie, over HTTP and as MCP clients.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluator.lab.gate import LabVisitor
from leaderboard.web.addresses import network_of
from leaderboard.web.browser_name import browser_of
from submissions.desk import LOCAL_OWNER
from submissions.settings import Settings
from submissions.store.quotas import NO_QUOTAS, Quotas

if TYPE_CHECKING:
    import gradio as gr

SUBJECT_PREFIX = "id:"
"""Begins an organiser who is named by account, not by user name; no user name holds a colon."""

_OWN_SITE = ("same-origin", "none")
"""What a browser says of requests that a page of this site makes, or its visitor."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """An account that acts."""

    owner: str
    """The OAuth subject, which stays with an account for ever; `local` where nobody signs in."""
    name: str
    """Its user name, for people; blank where nobody signs in."""

    def is_among(self, organisers: Sequence[str]) -> bool:
        """Is it one of these user names or accounts (`PLUMBLINE_ORGANISERS`)?"""
        names = {name.casefold() for name in organisers if not name.startswith(SUBJECT_PREFIX)}
        subjects = {name.removeprefix(SUBJECT_PREFIX) for name in organisers if name.startswith(SUBJECT_PREFIX)}
        return self.owner in subjects or (bool(self.name) and self.name.casefold() in names)


@dataclass(frozen=True, slots=True)
class Identity:
    """How an installation knows who is asking.

    Args:
        is_public: A Space: whoever has not signed in is nobody.
        signs_in: Sessions are signed with a secret that only this installation and the Hub know.
    """

    is_public: bool
    signs_in: bool
    quotas: Quotas = NO_QUOTAS
    organisers: tuple[str, ...] = ()

    @classmethod
    def of(cls, settings: Settings) -> Identity:
        """As the settings and the OAuth variables of a Space say."""
        if not settings.space_id:
            return LOCAL
        quotas = Quotas(
            settings.submissions_per_day, settings.active_runs, settings.lab_runs_per_hour, settings.votes_per_day
        )
        return cls(True, _oauth_is_set_up(), quotas, settings.organiser_names)

    def visitor(self, request: gr.Request | None) -> Visitor | None:
        """Whoever makes a request; None where that is not known."""
        if not self.is_public:
            return Visitor(LOCAL_OWNER, "")
        if not self.signs_in or request is None or _is_foreign(request):
            return None
        return _signed_in(_session(request))

    def voter(self, request: gr.Request | None) -> str | None:
        """Whom a vote is counted for: the account; where nobody signs in, the browser; None = nobody may vote."""
        if self.is_public:
            visitor = self.visitor(request)
            return visitor.owner if visitor else None
        if request is not None and _is_foreign(request):
            return None
        return browser_of(request) or LOCAL_OWNER

    def is_organiser(self, visitor: Visitor | None) -> bool:
        """May the visitor do what organisers do? On a local installation that is done by command."""
        return self.is_public and visitor is not None and visitor.is_among(self.organisers)


LOCAL = Identity(is_public=False, signs_in=False)
"""Of an installation without sign-in: one owner, no quotas."""


PEOPLE_OF_AN_ADDRESS = 3
"""Many may stand behind one network address (a school, a company): it has the places and quotas of so many accounts."""


def visitor_key(request: gr.Request) -> str:
    """Whom something is counted for: the account that has signed in, else the network address that asks.

    Nothing that a client chooses itself counts: not the name of its browser session, and no header that none of our
    own proxies wrote (`leaderboard.web.addresses`).
    """
    visitor = None if _is_foreign(request) else _signed_in(_session(request))
    client = getattr(request.request, "client", None)
    return f"account {visitor.owner}" if visitor else f"address {network_of(client.host if client else '')}"


def lab_visitor(request: gr.Request) -> LabVisitor:
    """Who asks for a run of the lab: an account with its one run, or one of the pages of an address."""
    key = visitor_key(request)
    if key.startswith("account "):
        return LabVisitor(key)
    return LabVisitor(key, f"session {request.session_hash or ''}", PEOPLE_OF_AN_ADDRESS)


def visitor_token(request: gr.Request) -> str | None:
    """The token of a visitor who has signed in, for Inference Providers; never logged and never stored."""
    session = _session(request)
    if _is_foreign(request) or _signed_in(session) is None:
        return None
    token = session["oauth_info"].get("access_token")
    return token if isinstance(token, str) else None


def current_request() -> gr.Request | None:
    """The request that the running event came with, for what is only shown; whoever acts is asked for its own."""
    from gradio.context import LocalContext

    return LocalContext.request.get(None)


def _oauth_is_set_up() -> bool:
    """Does gradio sign sessions with a secret here? Without one it would sign them with a text that everybody knows."""
    # Here: exporting boards knows nobody, and gradio takes seconds to load.
    from gradio import oauth
    from gradio.utils import get_space

    stated = (oauth.OAUTH_CLIENT_ID, oauth.OAUTH_CLIENT_SECRET, oauth.OAUTH_SCOPES, oauth.OPENID_PROVIDER_URL)
    return get_space() is not None and all(stated)


def _session(request: gr.Request) -> Mapping[str, Any]:
    """The session of a request, its signature checked; empty without one."""
    scope = getattr(request.request, "scope", None)
    session = scope.get("session") if isinstance(scope, dict) else None
    return session if isinstance(session, Mapping) else {}


def _signed_in(session: Mapping[str, Any]) -> Visitor | None:
    """What the Hub said about the visitor; None without it, or once it has expired."""
    said = session.get("oauth_info")
    if not isinstance(said, Mapping) or not isinstance(said.get("userinfo"), Mapping):
        return None
    expires_at = said.get("expires_at")
    if not isinstance(expires_at, int | float) or expires_at < time.time():
        return None
    subject, name = (said["userinfo"].get(key) for key in ("sub", "preferred_username"))
    if not isinstance(subject, str) or not subject:
        return None
    return Visitor(subject, name if isinstance(name, str) else "")


def _is_foreign(request: gr.Request) -> bool:
    """Does a page of another site make the request? Its visitor's cookie comes along and must not count.

    gradio lets every site call a Space with the cookies of its visitor (`SameSite=None`, as the Hub shows Spaces in a
    frame). Browsers say where a request comes from, and no script can change what they say; programs do not say it.
    """
    headers = getattr(request.request, "headers", None) or {}
    said = headers.get("sec-fetch-site")
    return said is not None and said not in _OWN_SITE
