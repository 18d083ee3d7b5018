"""One message to a webhook: to the machine that was checked and no other, within a bounded time, read no further."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable, Mapping

import httpcore

from submissions.webhooks.addresses import Lookup, Reach, looked_up, reachable

WITHIN_S = 10.0
"""For all of it: name, connection, and an answer that comes drop by drop."""
MOST_READ = 16 * 1024
"""Bytes of an answer's head; its body is not asked for."""
PIECE = 1024
"""Bytes that are read at a time: so much of a body may come along with its head."""
_OK = range(200, 300)


class NotTold(Exception):
    """Raised where a webhook did not take a message; says why, without the address, which may hold a secret."""


def post(
    url: str,
    body: bytes,
    *,
    headers: Mapping[str, str] | None = None,
    reach: Reach = "public",
    within_s: float = WITHIN_S,
    lookup: Lookup = looked_up,
    trust: ssl.SSLContext | None = None,
) -> None:
    """Posts a message of JSON; redirects are not followed, proxies of the environment not asked.

    Args:
        url: Without a fault (`addresses.address_fault`) for the same reach.
        within_s: For the whole call.
        lookup: What names stand for.
        trust: Whose certificates are believed; None = those of public authorities.

    Raises:
        NotTold: it may not be reached, did not answer in time, or not with 2xx.
    """
    network = _CheckedNetwork(time.monotonic() + within_s, reach, lookup)
    told = [("Content-Type", "application/json"), ("User-Agent", "Plumbline"), *(headers or {}).items()]
    try:
        with (
            httpcore.ConnectionPool(ssl_context=trust, network_backend=network) as connections,
            connections.stream("POST", url, headers=told, content=body) as response,
        ):
            code = response.status
    except (httpcore.TimeoutException, TimeoutError):
        raise NotTold(f"no answer within {within_s:g} s") from None
    except (httpcore.NetworkError, httpcore.ProtocolError, OSError, ValueError) as error:
        # The last two: a name that TLS or a resolver takes for none. Whatever a stranger wrote ends here.
        # The class alone: the text of some of them repeats the address.
        raise NotTold(f"it cannot be reached ({type(error).__name__})") from None
    if code not in _OK:
        raise NotTold(f"it answered {code}")


class _CheckedNetwork(httpcore.NetworkBackend):
    """Connects to what a name stands for when all of it may be reached; looks the name up once."""

    def __init__(self, deadline: float, reach: Reach, lookup: Lookup) -> None:
        self._deadline = deadline
        self._reach: Reach = reach
        self._lookup = lookup

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        name = host.strip("[]")
        addresses = reachable(name, port, _left_s(self._deadline), reach=self._reach, lookup=self._lookup)
        if not addresses:
            # The same words for a name nobody knows: a stranger learns nothing of this machine's own network.
            raise NotTold("its name leads to no public address")
        return self._connected(list(dict.fromkeys(addresses)), port)

    def _connected(self, addresses: list[str], port: int) -> httpcore.NetworkStream:
        first, *others = addresses
        try:
            # Numbers, which nobody looks up once more.
            share_s = _left_s(self._deadline) / len(addresses)
            stream = httpcore.SyncBackend().connect_tcp(first, port, share_s, socket_options=())
        except (httpcore.ConnectError, httpcore.ConnectTimeout):
            if not others:
                raise
            return self._connected(others, port)
        return _TimedStream(stream, self._deadline)


class _TimedStream(httpcore.NetworkStream):
    """A connection that ends at one moment, and after `MOST_READ` bytes, however slowly its steps go on."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline
        self._read = 0

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._read >= MOST_READ:
            raise httpcore.ReadError("the head of the answer is too long")
        piece = self._stream.read(min(max_bytes, PIECE), _left_s(self._deadline))
        self._read += len(piece)
        return piece

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left_s(self._deadline))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        secure = self._stream.start_tls(ssl_context, server_hostname, _left_s(self._deadline))
        return _TimedStream(secure, self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


def _left_s(deadline: float) -> float:
    """Seconds; a socket that may wait 0 s would not wait at all, and say something else."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
