"""A webhook is told within a bounded time, at the machine that was checked, and no message repeats its address."""

from __future__ import annotations

import ipaddress
import ssl
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from submissions.webhooks.addresses import Lookup, looked_up
from submissions.webhooks.posting import NotTold, post
from tests.certificates import certificate
from tests.unit.submissions.webhooks.receiver import SECRET, receiver

NAME = "hooks.example.org"
NO_PUBLIC_ADDRESS = "its name leads to no public address"


def standing_for(*addresses: str) -> tuple[Lookup, list[str]]:
    """A lookup that gives these, and the names it was asked for."""
    asked: list[str] = []

    def lookup(name: str, port: int, within_s: float) -> Sequence[str]:
        asked.append(name)
        return addresses

    return lookup, asked


def test_a_webhook_is_told_once_as_json() -> None:
    with receiver(204) as hook:
        post(hook.url, b'{"others": 9}', headers={"X-Signed": "yes"}, reach="any")
    (message,) = hook.received
    assert message.body == b'{"others": 9}'
    assert message.headers["Content-Type"] == "application/json"
    assert message.headers["X-Signed"] == "yes"
    assert message.headers["Host"] == f"127.0.0.1:{hook.port}"


@pytest.mark.parametrize("code", [302, 400, 500])
def test_an_answer_that_is_no_2xx_is_said_and_no_redirect_followed(code: int) -> None:
    with receiver(code) as hook, pytest.raises(NotTold, match=f"it answered {code}") as raised:
        post(hook.url, b"{}", reach="any")
    assert len(hook.received) == 1
    assert SECRET not in str(raised.value)


def test_an_answer_that_comes_drop_by_drop_is_not_waited_for() -> None:
    started = time.monotonic()
    with receiver(drop=b"X") as hook, pytest.raises(NotTold, match=r"no answer within 0\.4 s"):
        post(hook.url, b"{}", reach="any", within_s=0.4)
    # Each drop comes within its own time and the answer never ends: the whole has to be what is limited.
    assert time.monotonic() - started < 30


def test_an_answer_without_end_is_not_read_on() -> None:
    # 1 KiB of head in each drop: 16 of them are read, in a quarter of a second.
    with receiver(drop=b"X-More: " + b"x" * 1014 + b"\r\n") as hook, pytest.raises(NotTold, match=r"ReadError"):
        post(hook.url, b"{}", reach="any", within_s=5)


def test_an_address_where_nobody_listens_is_not_repeated() -> None:
    with receiver() as hook:
        pass
    with pytest.raises(NotTold, match="cannot be reached") as raised:
        post(hook.url, b"{}", reach="any")
    assert SECRET not in str(raised.value)
    assert raised.value.__cause__ is None


def test_a_name_that_nobody_looks_up_in_time_is_given_up() -> None:
    def slow(name: str, port: int, within_s: float) -> Sequence[str]:
        raise TimeoutError

    with pytest.raises(NotTold, match="no answer within"):
        post(f"https://{NAME}/", b"{}", lookup=slow)


@pytest.mark.parametrize("url", ["http://127.0.0.1:{port}/", "http://2130706433:{port}/", "http://0x7f.1:{port}/"])
def test_what_a_team_gives_does_not_reach_this_machine(url: str) -> None:
    """Also where a number is written as only the system's resolver reads it."""
    with receiver() as hook, pytest.raises(NotTold, match=NO_PUBLIC_ADDRESS):
        post(url.format(port=hook.port), b"{}", lookup=looked_up)
    assert hook.received == []


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["9.9.9.9", "127.0.0.1"], ["::ffff:127.0.0.1"], ["::1"], []])
def test_a_name_is_refused_when_any_of_what_it_stands_for_is_not_public(addresses: list[str]) -> None:
    lookup, _ = standing_for(*addresses)
    with receiver() as hook, pytest.raises(NotTold, match=NO_PUBLIC_ADDRESS):
        post(f"http://{NAME}:{hook.port}/", b"{}", lookup=lookup)
    assert hook.received == []


def test_the_connection_goes_to_what_was_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that stands for something else by then (DNS rebinding) changes nothing: it is not asked for again."""
    lookup, asked = standing_for("9.9.9.9", "149.112.112.112")
    connected: list[tuple[str, int]] = []

    def create_connection(address: tuple[str, int], *_: object, **__: object) -> None:
        connected.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr("socket.create_connection", create_connection)
    with pytest.raises(NotTold, match="cannot be reached"):
        post(f"https://{NAME}/x", b"{}", lookup=lookup)
    assert connected == [("9.9.9.9", 443), ("149.112.112.112", 443)]
    assert asked == [NAME]


@pytest.mark.parametrize("certified", [NAME, "other.example.org"])
def test_the_certificate_has_to_be_of_the_name_though_the_connection_goes_to_a_number(
    certified: str, tmp_path: Path
) -> None:
    file = certificate(tmp_path, certified)
    of_server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    of_server.load_cert_chain(file)
    trust = ssl.create_default_context(cafile=str(file))
    lookup, _ = standing_for(str(ipaddress.ip_address("127.0.0.1")))
    with receiver(tls=of_server) as hook:
        url = f"https://{NAME}:{hook.port}/"
        if certified == NAME:
            post(url, b"{}", reach="any", lookup=lookup, trust=trust)
        else:
            with pytest.raises(NotTold, match="ConnectError"):
                post(url, b"{}", reach="any", lookup=lookup, trust=trust)
    assert len(hook.received) == (1 if certified == NAME else 0)
