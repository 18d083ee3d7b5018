"""Connections to one server: they stand from one answer to the next, and whoever reads can stop at any moment."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from math import inf
from socket import socket
from threading import Event, Lock, Thread, Timer
from time import monotonic
from typing import Any, TypeVar

import httpcore2
import httpx2

from evaluator.generators.background import Stopped

UNUSED_S = 5.0
"""So long a connection that nobody uses is kept, at most twice as long; about as long as servers do."""
LOOK_S = 0.2
"""How often it is looked whether to stop: at 0.05 s, looking took most of the time that a slow answer costs."""

Headers = Sequence[tuple[str, str]]

Given = TypeVar("Given")
Result = TypeVar("Result")


class Connections:
    """Connections to one address, each for one answer at a time; safe to use from several threads.

    An answer is read by the thread that asks. A forked process makes connections of its own: its parent's are not its
    to use. No redirect is followed, and nothing taken from the environment.

    Args:
        address: What is posted to.
        headers: Of every call, besides what JSON and the address need.
        timeout_s: For connecting, and for each wait for a part of the answer.
    """

    def __init__(self, address: str, *, headers: Headers, timeout_s: float) -> None:
        url = httpx2.URL(address)
        self._url = httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        self._headers = [
            (b"Host", url.netloc),
            (b"User-Agent", b"Plumbline"),
            (b"Accept", b"*/*"),
            (b"Accept-Encoding", b"identity"),
            (b"Content-Type", b"application/json"),
            *((name.encode("ascii"), value.encode("ascii")) for name, value in headers),
        ]
        self._timeouts = {"timeout": dict.fromkeys(("connect", "read", "write"), timeout_s)}
        self._certificates = httpx2.create_ssl_context(trust_env=False)  # takes longer than many answers
        self._unused = _Unused()

    def post(self, content: bytes, stop: Event) -> Answer:
        """The answer to some JSON, as soon as it has begun; to be closed.

        Args:
            content: The JSON.
            stop: Ends every wait, also for parts of the answer.

        Raises:
            Stopped: when `stop` was set first.
            httpcore2.TimeoutException: when the server kept silent for too long.
            httpcore2.NetworkError, httpcore2.ProtocolError: when the connection failed.
        """
        if self._unused.process != os.getpid():
            self._unused = _Unused()
        connection = self._unused.taken() or _Connection(self._url.origin, self._certificates)
        connection.wire.stop = stop
        headers = [*self._headers, (b"Content-Length", str(len(content)).encode("ascii"))]
        request = httpcore2.Request("POST", self._url, headers=headers, content=content, extensions=self._timeouts)
        return Answer(connection.handle_request(request), connection, self._unused)


class Answer:
    """A server's answer that has begun."""

    def __init__(self, response: httpcore2.Response, connection: _Connection, unused: _Unused) -> None:
        self.status = response.status
        self.headers = response.headers
        self._response = response
        self._connection = connection
        self._unused = unused

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300

    def __enter__(self) -> Answer:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def read(self) -> bytes:
        """The whole answer; raises what `Connections.post` does."""
        return self._response.read()

    def lines(self) -> Iterator[str]:
        """The lines of the answer as they arrive; raises what `Connections.post` does.

        They end where those of server-sent events do: what else `str.splitlines` takes for an end may stand in a text.
        Bytes that are no UTF-8 become halves of characters (`surrogateescape`), which `whole_characters` puts together.
        """
        unfinished: list[bytes] = []
        for part in self._response.iter_stream():
            first, *others = part.split(b"\n")
            unfinished.append(first)
            for other in others:
                yield _text(unfinished)
                unfinished = [other]
        yield _text(unfinished)

    def close(self) -> None:
        """Keeps the connection for the next answer if this one was read to its end, and hangs up otherwise."""
        self._response.close()
        if self._connection.is_available():
            self._unused.put(self._connection)


class _Connection(httpcore2.HTTPConnection):
    """A connection with its wire, made when it is first used."""

    def __init__(self, origin: httpcore2.Origin, certificates: ssl.SSLContext) -> None:
        self.wire = _Wire()
        super().__init__(origin, certificates, keepalive_expiry=UNUSED_S, network_backend=self.wire)


class _Unused:
    """The connections of a process that nobody uses; closed when nobody has for a while."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._lock = Lock()
        self._connections: list[_Connection] = []
        self._is_watched = False

    def taken(self) -> _Connection | None:
        """One that still stands, for whoever takes it."""
        with self._lock:
            while self._connections:
                connection = self._connections.pop()
                if not connection.has_expired():
                    return connection
                connection.close()
        return None

    def put(self, connection: _Connection) -> None:
        with self._lock:
            self._connections.append(connection)
            self._watch()

    def _watch(self) -> None:
        if self._connections and not self._is_watched:
            self._is_watched = True
            watch = Timer(UNUSED_S, self._close_expired)
            watch.daemon = True
            watch.start()

    def _close_expired(self) -> None:
        with self._lock:
            expired = [connection for connection in self._connections if connection.has_expired()]
            self._connections = [connection for connection in self._connections if connection not in expired]
            self._is_watched = False
            self._watch()
        for connection in expired:
            connection.close()


class _Wire(httpcore2.NetworkBackend, httpcore2.NetworkStream):
    """The network of one connection, where no wait goes on when `stop` is set.

    Reading in the thread that asks, and looking at `stop` meanwhile, takes a third of the processor's time of an event
    loop beside it.
    """

    stop: Event

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        network = httpcore2.SyncBackend()
        return self._over(lambda: network.connect_tcp(host, port, timeout, local_address, socket_options))

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        plain = self._stream
        return self._over(lambda: plain.start_tls(ssl_context, server_hostname, timeout))

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._unless_stopped(self._socket.recv, max_bytes, timeout, httpcore2.ReadTimeout, httpcore2.ReadError)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        rest = memoryview(buffer)
        while rest:
            sent = self._unless_stopped(self._socket.send, rest, timeout, httpcore2.WriteTimeout, httpcore2.WriteError)
            rest = rest[sent:]

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def _over(self, make: Callable[[], httpcore2.NetworkStream]) -> httpcore2.NetworkStream:
        """This wire, over a stream made in a thread of its own: nothing interrupts the look-up of a name."""
        made: Future[httpcore2.NetworkStream] = Future()
        Thread(target=_make, args=(make, made), name="generator-connecting", daemon=True).start()
        while not made.done():
            if self.stop.is_set():
                made.add_done_callback(_hang_up)
                raise Stopped
            wait_for([made], LOOK_S)
        self._stream = made.result()
        self._socket: socket = self._stream.get_extra_info("socket")
        self._socket.settimeout(LOOK_S)
        return self

    def _unless_stopped(
        self,
        step: Callable[[Given], Result],
        given: Given,
        timeout: float | None,
        late: type[Exception],
        broken: type[Exception],
    ) -> Result:
        """What a step of the socket gives, however often it must be begun."""
        until = monotonic() + (inf if timeout is None else timeout)
        while not self.stop.is_set():
            try:
                return step(given)
            except TimeoutError as error:
                if monotonic() >= until:
                    raise late(error) from error
            except OSError as error:
                raise broken(error) from error
        raise Stopped


def _text(pieces: list[bytes]) -> str:
    return b"".join(pieces).decode("utf-8", "surrogateescape")


def _make(make: Callable[[], httpcore2.NetworkStream], made: Future[httpcore2.NetworkStream]) -> None:
    try:
        made.set_result(make())
    except Exception as fault:  # raised again where the stream is wanted
        made.set_exception(fault)


def _hang_up(made: Future[httpcore2.NetworkStream]) -> None:
    if made.exception() is None:
        made.result().close()
