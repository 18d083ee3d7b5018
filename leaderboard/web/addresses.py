"""From where a request comes and for whom it asks, as far as either can be believed."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from submissions.reading.quoting import quoted
from submissions.settings import Settings

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
EVERY_ADDRESS = frozenset({"0.0.0.0", "::", "[::]"})
"""What a server listens on to be reached under whatever addresses its machine has."""

CLIENT, HOST, PROTOCOL = "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"
PREFIX = "x-forwarded-prefix"
"""The path below which a proxy shows this site."""
NOBODYS = ("forwarded", "x-gradio-server")
"""Headers that no proxy in front of us sends; gradio 6.31 makes the address of the site of the second."""


class TrustedProxies:
    """Takes from the headers of a request what the proxies in front of this server say, and drops what its client says.

    Each proxy adds the address that it was asked from to the end of X-Forwarded-For; whatever stands before those of
    ours, the client may have made up.

    Args:
        proxies: How many there are; 0 = clients reach this server themselves.
    """

    def __init__(self, app: ASGIApp, proxies: int) -> None:
        self._app = app
        self._proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope = {**scope, "headers": list(scope["headers"])}
        headers = MutableHeaders(scope=scope)
        said = {name: self._believed(headers, name) for name in (CLIENT, HOST, PROTOCOL, PREFIX)}
        for name in (CLIENT, HOST, PROTOCOL, PREFIX, *NOBODYS):
            del headers[name]
        if said[CLIENT]:
            scope["client"] = (said[CLIENT], 0)
            headers[CLIENT] = said[CLIENT]
        if said[HOST]:
            headers[HOST] = said[HOST]
        if _IS_PREFIX.fullmatch(said[PREFIX]):
            headers[PREFIX] = said[PREFIX].rstrip("/")
        if said[PROTOCOL] in ("http", "https"):
            scope["scheme"] = headers[PROTOCOL] = said[PROTOCOL]
        await self._app(scope, receive, send)

    def _believed(self, headers: Headers, name: str) -> str:
        values = [value.strip() for line in headers.getlist(name) for value in line.split(",")]
        return values[-min(self._proxies, len(values))] if self._proxies and values else ""


_IS_PREFIX = re.compile(r"(?:/[\w.~-]+)+/?", re.ASCII)


def address_of_site(scope: Scope, host: str = "") -> str:
    """Return the address under which a visitor reaches the first page, with a slash at its end.

    Args:
        scope: A request behind `TrustedProxies`, which dropped what nobody vouches for.
        host: The one name of the site, reached by https; blank = the name it was asked under.
    """
    headers = Headers(scope=scope)
    scheme = "https" if host else scope["scheme"]
    name = host or headers.get(HOST) or headers.get("host", "")
    below = headers.get(PREFIX) or scope.get("root_path", "").rstrip("/")
    return f"{scheme}://{name}{below}/"


@dataclass(frozen=True, slots=True)
class Hosts:
    """The names under which the pages are asked for.

    Args:
        names: Host names and addresses, lower case, IPv6 in brackets; each with a port where it has one of its own.
        port: Where this server listens.
        instead: What pages are written for when somebody asks under another name; blank = they are refused.
    """

    names: frozenset[str]
    port: int
    instead: str = ""

    @classmethod
    def of(cls, settings: Settings) -> Hosts:
        """Loopback, the names that the settings state, and where it listens on every address those of the machine.

        A Space is shown under one name by the Hub, and looked at by it under others.
        """
        stated = {*settings.host_names, settings.space_host, settings.host}
        if settings.host in EVERY_ADDRESS:
            stated |= {socket.gethostname(), socket.getfqdn()}
        names = frozenset(name.lower() for name in stated - EVERY_ADDRESS if name)
        return cls(LOOPBACK | names, settings.port, settings.space_host.lower())

    def knows(self, host: str) -> bool:
        """May pages be asked for under this name?

        Whoever lets a name of their own lead to this machine (DNS rebinding) has a name: addresses are nobody's.
        """
        name, _ = _parts(host)
        return name in self._bare or is_address(name)

    def keeps(self, host: str, own: str) -> bool:
        """Is it one of the few under which pages are asked for again and again?

        Args:
            own: The address of this machine at which the request came in.
        """
        name, port = _parts(host)
        is_own_port = port in ("", str(self.port))
        return host.lower() in self.names or (is_own_port and (name in self._bare or name in (own, f"[{own}]")))

    @property
    def _bare(self) -> frozenset[str]:
        return frozenset(_parts(name)[0] for name in self.names)


class KnownHosts:
    """Answers 421 to whoever asks for the pages under a name that is not theirs.

    Without it a page elsewhere could let its own name lead to this machine, and act for its owner from their browser.
    """

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = MutableHeaders(scope=scope)
        if HOST in headers and not self._hosts.knows(headers[HOST]):
            del headers[HOST]
        asked = headers.get("host", "")
        if not self._hosts.knows(asked):
            if not self._hosts.instead:
                said = f"This site is not known as {quoted(asked)}: PLUMBLINE_HOSTS lists its names (docs/settings.md)."
                await PlainTextResponse(said, 421)(scope, receive, send)
                return
            headers["host"] = self._hosts.instead
        await self._app(scope, receive, send)


def is_address(name: str) -> bool:
    """Is it an IP address, as a Host header states one?

    >>> is_address("192.0.2.7"), is_address("[2001:db8::7]"), is_address("2001.example.org")
    (True, True, False)
    """
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def network_of(address: str) -> str:
    """Whom an address counts for: itself, or with IPv6 the network of one household.

    >>> network_of("192.0.2.7"), network_of("::ffff:192.0.2.7"), network_of("2001:db8:1:2:3:4:5:6"), network_of("x")
    ('192.0.2.7', '192.0.2.7', '2001:db8:1:2::/64', 'unknown')
    """
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return "unknown"
    if not isinstance(ip, IPv6Address):
        return str(ip)
    return str(ip.ipv4_mapped or ip_network((ip, 64), strict=False))


def _parts(host: str) -> tuple[str, str]:
    """Name and port of a Host header, lower case; a name that is none is blank.

    >>> _parts("Localhost:7860"), _parts("[::1]"), _parts("a b:c")
    (('localhost', '7860'), ('[::1]', ''), ('', ''))
    """
    name, colon, port = host.lower().rpartition(":")
    if not colon or port.endswith("]"):
        name, port = host.lower(), ""
    is_name = bool(name) and not set(name) & set(" /\\@?#") and (not port or port.isdigit())
    return (name, port) if is_name else ("", "")
