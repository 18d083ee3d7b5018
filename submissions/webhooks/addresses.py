"""Which addresses a webhook may have, and which machines it may reach.

An address that a team gives must not lead this machine to places that the team itself cannot reach: the machine's own
services, its network, or the metadata of its cloud. So its name is looked up here, and everything it stands for has to
be public; whoever connects takes exactly what was looked up (`submissions.webhooks.posting`).
"""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from queue import Empty, SimpleQueue
from typing import Literal
from urllib.parse import urlsplit

Reach = Literal["public", "any"]
"""public: https to the public network, for what a team gives. any: also the own network, and http to this machine, for
what whoever runs an installation has set."""

MOST_ADDRESS = 2_000
"""Characters."""

Lookup = Callable[[str, int, float], Sequence[str]]
"""(name, port, seconds) -> the network addresses that the name stands for, () where there are none.

Raises:
    TimeoutError: when that takes longer.
"""

_TRANSLATED = tuple(
    map(ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96", "::ffff:0:0:0/96"))
)
"""IPv6 addresses that stand for IPv4 ones in other ways than `::ffff:`: NAT64, 6to4, Teredo, the oldest form, SIIT."""

_UNLISTED = tuple(map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20")))
"""Not public by IANA's special-purpose registries, yet global to Python 3.11: protocol assignments (RFC 6890), the 6to4
relays (RFC 7526, deprecated) and the second block for documentation (RFC 9637)."""

_LAST_LABEL_IS_A_NUMBER = re.compile(r"(^|\.)(0[xX][0-9a-fA-F]*|[0-9]+)\.?$")


def is_public(address: str) -> bool:
    """May a stranger's message go to this network address? False for what is none.

    >>> is_public("9.9.9.9"), is_public("10.0.0.1"), is_public("::ffff:127.0.0.1"), is_public("169.254.169.254")
    (True, False, False, False)
    """
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped is not None:
            return _is_public_itself(ip.ipv4_mapped)
        if ip.scope_id is not None or ip.is_site_local or any(ip in network for network in _TRANSLATED):
            return False
    return _is_public_itself(ip)


def _is_public_itself(ip: IPv4Address | IPv6Address) -> bool:
    # `is_global` alone says yes to multicast.
    is_unlisted = any(ip in network for network in _UNLISTED)
    is_special = is_unlisted or ip.is_private or ip.is_loopback or ip.is_link_local or ip.is_multicast or ip.is_reserved
    return ip.is_global and not (is_special or ip.is_unspecified)


def address_fault(url: str, reach: Reach = "public") -> str | None:
    """What is wrong with the address of a webhook as it is written, without repeating it; None = nothing is.

    >>> address_fault("https://hooks.example.org/T0/secret"), address_fault("http://127.0.0.1:9000/x", "any")
    (None, None)
    >>> address_fault("http://hooks.example.org/T0/secret", "any")
    'expected https://NAME/..., or http:// to this machine'
    >>> address_fault("https://2130706433/")
    'expected a name or an address of the public network after https://'
    """
    expected = "expected https://NAME/..." + (", or http:// to this machine" if reach == "any" else "")
    if len(url) > MOST_ADDRESS:
        return f"expected at most {MOST_ADDRESS:,} characters"
    if not (url.isascii() and url.isprintable() and not {" ", "\\"} & set(url)):
        return expected
    try:
        parts = urlsplit(url)
        host, is_port = parts.hostname or "", parts.port is None or parts.port > 0
    except ValueError:
        return expected
    is_safe = parts.scheme == "https" or (reach == "any" and parts.scheme == "http" and _is_this_machine(host))
    if not (host and is_port and is_safe):
        return expected
    if "@" in parts.netloc:
        return "expected no user name before the name of the machine: put what the receiver has to know into the path"
    if reach == "public" and not _may_be_public(host):
        return "expected a name or an address of the public network after https://"
    return None


def _may_be_public(host: str) -> bool:
    """Not the name of this machine, no address that is not public, and no number that only some read as an address."""
    if ":" in host or re.fullmatch(r"\d+\.\d+\.\d+\.\d+", host):
        return is_public(host)
    return not (_LAST_LABEL_IS_A_NUMBER.search(host) or host.rstrip(".").rpartition(".")[2] == "localhost")


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def looked_up(name: str, port: int, within_s: float) -> Sequence[str]:
    """A `Lookup` by the system's resolver."""
    answer: SimpleQueue[Sequence[str]] = SimpleQueue()

    def ask() -> None:
        try:
            entries = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):  # a label that is empty or too long is the latter
            entries = []
        answer.put([str(entry[4][0]) for entry in entries])

    # The resolver knows no time limit; left alone, the thread ends with the resolver's own.
    threading.Thread(target=ask, name="webhook-lookup", daemon=True).start()
    try:
        return answer.get(timeout=max(within_s, 0.0))
    except Empty:
        raise TimeoutError from None


def reachable(name: str, port: int, within_s: float, *, reach: Reach, lookup: Lookup) -> Sequence[str]:
    """What a name stands for, if a message may go to each of it; () where it stands for nothing, or for anything else.

    Raises:
        TimeoutError: as `Lookup`.
    """
    addresses = lookup(name, port, within_s)
    return addresses if reach == "any" or all(map(is_public, addresses)) else ()
