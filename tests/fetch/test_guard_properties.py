"""What holds for any address: special ones are refused in every spelling, public ones are not."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wireroom.errors import RefusedError, UnreachableError
from wireroom.fetch.guard import check
from wireroom.fetch.ranges import SPECIAL_IPV4, SPECIAL_IPV6, judge_address

PUBLIC = "93.184.215.14"
IPV4 = [IPv4Network(text) for text in SPECIAL_IPV4]
IPV6 = [IPv6Network(text) for text in SPECIAL_IPV6]


def gaps() -> list[tuple[int, int]]:
    """What lies between the special ranges of IPv4."""
    spans = sorted((int(network[0]), int(network[-1])) for network in IPV4)
    pairs = pairwise(spans)
    return [(end + 1, start - 1) for (_, end), (start, _) in pairs if end + 1 < start]


@st.composite
def special_ipv4(draw: st.DrawFn) -> IPv4Address:
    network = draw(st.sampled_from(IPV4))
    return network[draw(st.integers(0, network.num_addresses - 1))]


@st.composite
def special_ipv6(draw: st.DrawFn) -> IPv6Address:
    network = draw(st.sampled_from(IPV6))
    return network[draw(st.integers(0, network.num_addresses - 1))]


def ipv4_spellings(address: IPv4Address) -> list[str]:
    """How resolvers of the C library can be made to read one address."""
    number = int(address)
    a, b, c, d = address.packed
    return [
        str(number),
        f"0x{number:x}",
        f"0X{number:X}",
        f"0{number:o}",
        f"{a}.{number & 0xFFFFFF}",
        f"{a}.{b}.{number & 0xFFFF}",
        f"0{a:o}.0{b:o}.0{c:o}.0{d:o}",
        f"0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}",
        f"{a}.{b}.{c}.0x{d:x}",
        f"{a}.{b}.{c}.0{d:o}",
        f"{a}.{b}.{c}.{d}.",
        f"{a}。{b}。{c}。{d}",
        str(address).translate({ord("0") + n: ord("０") + n for n in range(10)}),
        "".join(f"%{ord(char):02x}" for char in str(address)),
    ]


def ipv6_disguises(address: IPv4Address) -> list[IPv6Address]:
    """The ways to put one IPv4 address into an IPv6 one."""
    number = int(address)
    site = int(IPv6Address("2606:4700::"))
    return [
        IPv6Address(number | 0xFFFF << 32),
        IPv6Address(number),
        IPv6Address(number | 0xFFFF << 48),
        IPv6Address(int(IPv6Address("64:ff9b::")) | number),
        IPv6Address(int(IPv6Address("64:ff9b:1::")) | number),
        IPv6Address(0x2002 << 112 | number << 80 | 1),
        IPv6Address(0x20010000 << 96 | number ^ 0xFFFFFFFF),
        IPv6Address(site | 0x5EFE << 32 | number),
        IPv6Address(site | 0x0200_5EFE << 32 | number),
    ]


def refused(url: str, answer: str = PUBLIC) -> bool:
    try:
        check(url, resolve=lambda host: [answer])
    except RefusedError:
        return True
    return False


@settings(deadline=None)
@given(special_ipv4())
def test_special_ipv4_addresses_are_refused_in_every_spelling(address: IPv4Address) -> None:
    assert judge_address(str(address))
    assert refused(f"http://{address}/")
    assert refused("http://courier.example/", str(address))
    for spelling in ipv4_spellings(address):
        assert refused(f"http://{spelling}/"), spelling


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_no_ipv4_address_hides_in_an_odd_spelling_or_in_ipv6(address: IPv4Address) -> None:
    for spelling in ipv4_spellings(address):
        assert refused(f"http://{spelling}/"), spelling
    for disguise in ipv6_disguises(address):
        assert judge_address(str(disguise)), disguise
        assert refused(f"http://[{disguise}]/")
        assert refused(f"http://[{disguise.exploded.upper()}]/")


@settings(deadline=None)
@given(special_ipv6())
def test_special_ipv6_addresses_are_refused_in_every_spelling(address: IPv6Address) -> None:
    for spelling in (str(address), address.exploded, str(address).upper()):
        assert judge_address(spelling)
        assert refused(f"http://[{spelling}]/")
        assert refused("http://courier.example/", spelling)


@settings(deadline=None)
@given(st.sampled_from(gaps()).flatmap(lambda gap: st.integers(*gap)).map(IPv4Address))
def test_public_ipv4_addresses_are_allowed(address: IPv4Address) -> None:
    assert judge_address(str(address)) == ""
    assert not refused(f"http://{address}/")
    # What Python calls global may be more than we allow, never less than what we refuse.
    assert address.is_global


@settings(deadline=None)
@given(st.integers(0x2003 << 112, (0x3FFE << 112) - 1).map(IPv6Address))
def test_public_ipv6_addresses_are_allowed(address: IPv6Address) -> None:
    assume(not any(address in network for network in IPV6))
    assume(int(address) >> 32 & 0xFCFF_FFFF != 0x5EFE)
    assert not refused(f"http://[{address}]/")


@settings(deadline=None)
@given(st.integers(0, 2**128 - 1).map(IPv6Address))
def test_nothing_outside_of_global_unicast_is_allowed(address: IPv6Address) -> None:
    assume(address not in IPv6Network("2000::/3"))
    assert refused(f"http://[{address}]/")


@settings(deadline=None)
@given(st.text(max_size=80))
def test_no_text_makes_the_guard_stumble(text: str) -> None:
    for url in (
        text,
        f"http://{text}",
        f"http://{text}.example/",
        f"http://courier.example:{text}",
    ):
        try:
            checked = check(url, resolve=lambda host: [PUBLIC])
        except (RefusedError, UnreachableError):
            continue
        assert checked.port in {80, 443}
        assert not any(map(judge_address, checked.addresses))
        assert checked.host.isascii()


@pytest.mark.parametrize("network", [*IPV4, *IPV6], ids=str)
def test_every_range_is_refused_from_its_first_to_its_last(
    network: IPv4Network | IPv6Network,
) -> None:
    for address in (network[0], network[-1]):
        assert judge_address(str(address))
