"""No address that leads into a private network passes, however it is written."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_network

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from submissions.webhooks.addresses import MOST_ADDRESS, address_fault, is_public, reachable

PRIVATE_V4 = [
    ip_network(text)
    for text in [
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "255.255.255.255/32",
    ]
]
"""Of RFC 6890 and its register at IANA."""
PRIVATE_V6 = [
    ip_network(text)
    for text in [
        "::/128",
        "::1/128",
        "fe80::/10",
        "fec0::/10",
        "fc00::/7",
        "ff00::/8",
        "100::/64",
        "2001::/32",
        "2001:db8::/32",
        "2002::/16",
        "64:ff9b::/96",
        "3fff::/20",
    ]
]
PUBLIC = ["1.1.1.1", "9.9.9.9", "140.82.112.3", "2606:4700:4700::1111", "2a00:1450:4001:80b::200e"]

private_v4 = st.sampled_from(PRIVATE_V4).flatmap(lambda network: st.ip_addresses(network=network))
private_v6 = st.sampled_from(PRIVATE_V6).flatmap(lambda network: st.ip_addresses(network=network))


def forms_of(address: IPv4Address) -> list[str]:
    """How an IPv4 address may be written where a resolver of C reads it (`inet_aton`)."""
    number, parts = int(address), [*address.packed]
    return [
        str(address),
        str(number),
        hex(number),
        f"0{number:o}",
        ".".join(map(hex, parts)),
        ".".join(f"0{part:o}" for part in parts),
        f"{parts[0]}.{number & 0xFFFFFF}",
        f"{parts[0]}.{parts[1]}.{number & 0xFFFF}",
        f"{address}.",
    ]


@given(private_v4)
@example(IPv4Address("169.254.169.254"))
@example(IPv4Address("0.0.0.0"))
@example(IPv4Address("127.0.0.1"))
def test_a_private_ipv4_address_is_refused_in_every_form(address: IPv4Address) -> None:
    assert not is_public(str(address))
    for form in forms_of(address):
        assert address_fault(f"https://{form}/hook") is not None, form
        assert address_fault(f"https://{form}:8443/hook") is not None, form


@given(private_v4)
def test_a_private_ipv4_address_is_refused_within_an_ipv6_one(address: IPv4Address) -> None:
    for prefix in ("::ffff:", "::", "64:ff9b::", "64:ff9b:1::", "::ffff:0:"):
        wrapped = str(IPv6Address(f"{prefix}{address}"))
        assert not is_public(wrapped), wrapped
        assert address_fault(f"https://[{wrapped}]/") is not None, wrapped
        assert address_fault(f"https://[{prefix}{address}]/") is not None
    sixtofour = IPv6Address((0x2002 << 112) | (int(address) << 80) | 1)
    assert not is_public(str(sixtofour))


@given(private_v6)
@example(IPv6Address("::1"))
def test_a_private_ipv6_address_is_refused(address: IPv6Address) -> None:
    assert not is_public(str(address))
    assert not is_public(f"{address}%eth0")
    assert address_fault(f"https://[{address}]/") is not None
    assert address_fault(f"https://[{address.exploded.upper()}]/") is not None


@given(st.ip_addresses())
def test_what_is_public_is_global_unicast(address: IPv4Address | IPv6Address) -> None:
    if is_public(str(address)):
        assert address.is_global
        assert not address.is_multicast
        is_ipv4 = isinstance(address, IPv4Address) or address.ipv4_mapped is not None
        assert is_ipv4 or address in IPv6Network("2000::/3")


@given(st.lists(st.sampled_from(PUBLIC), max_size=3), private_v4 | private_v6)
def test_of_what_a_name_stands_for_nothing_is_reached_when_any_of_it_is_private(
    public: list[str], private: IPv4Address | IPv6Address
) -> None:
    for place in range(len(public) + 1):
        found = [*public[:place], str(private), *public[place:]]
        assert reachable("name", 443, 1.0, reach="public", lookup=lambda *_, given=found: given) == ()
    assert reachable("name", 443, 1.0, reach="public", lookup=lambda *_: public) == public


@given(private_v4)
def test_the_forms_are_those_that_the_resolver_reads(address: IPv4Address) -> None:
    """Else the test above would show nothing."""
    for form in forms_of(address)[:-1]:
        assert socket.inet_aton(form) == address.packed, form


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_pass(address: str) -> None:
    assert is_public(address)
    host = f"[{address}]" if ":" in address else address
    assert address_fault(f"https://{host}/hook") is None


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://hooks.example.org/", "expected https://NAME/..."),
        ("http://127.0.0.1/", "expected https://NAME/..."),
        ("ftp://hooks.example.org/", "expected https://NAME/..."),
        ("hooks.example.org", "expected https://NAME/..."),
        ("https://", "expected https://NAME/..."),
        ("https:///path", "expected https://NAME/..."),
        ("https://hooks.example.org:0/", "expected https://NAME/..."),
        ("https://hooks.example.org:99999/", "expected https://NAME/..."),
        ("https://hooks.example.org /", "expected https://NAME/..."),
        ("https://hooks.example.org/\n", "expected https://NAME/..."),
        ("https://hooks.example.org\\@127.0.0.1/", "expected https://NAME/..."),
        ("https://b\u00fccher.example/", "expected https://NAME/..."),
        ("https://[::1/", "expected https://NAME/..."),
        ("https://user:word@hooks.example.org/", "no user name"),
        ("https://localhost/", "public network"),
        ("https://api.localhost./", "public network"),
        ("https://[::1]/", "public network"),
        ("https://h.example/" + "x" * MOST_ADDRESS, "at most 2,000 characters"),
    ],
)
def test_what_is_wrong_with_an_address_is_said_without_repeating_it(url: str, words: str) -> None:
    fault = address_fault(url)
    assert fault is not None
    assert words in fault
    assert "hooks" not in fault


def test_who_runs_an_installation_may_name_a_machine_of_its_own_network() -> None:
    for url in ("https://10.0.0.7/x", "https://chat.internal/x", "http://localhost:9/x", "http://[::1]:9/x"):
        assert address_fault(url, "any") is None
    assert address_fault("http://10.0.0.7/x", "any") is not None
