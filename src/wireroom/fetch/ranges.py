"""Address ranges that no publisher's site lives in, by name: data with its date.

After the special-purpose registries of IANA (IPv4, IPv6) and the papers they cite; written in
November 2026 from published copies of them. A row that is missing for IPv6 opens little: outside of
2000::/3 everything is refused. An own table, because what Python's `ipaddress` calls private or
global has changed between its versions. Knows addresses only: neither names nor URLs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

SPECIAL_IPV4: dict[str, str] = {
    "0.0.0.0/8": "an unspecified address (this network)",
    "10.0.0.0/8": "a private address",
    "100.64.0.0/10": "a carrier NAT address",
    "127.0.0.0/8": "a loopback address",
    "168.63.129.16/32": "a cloud provider's inner service",  # Azure: looks public, is not
    "169.254.0.0/16": "a link-local address",  # cloud metadata lives here
    "172.16.0.0/12": "a private address",
    "192.0.0.0/24": "a reserved address (protocol assignments)",
    "192.0.2.0/24": "a documentation address",
    "192.31.196.0/24": "a reserved address (AS112)",
    "192.52.193.0/24": "a reserved address (multicast tunnels)",
    "192.88.99.0/24": "a reserved address (6to4 relays)",
    "192.168.0.0/16": "a private address",
    "192.175.48.0/24": "a reserved address (AS112)",
    "198.18.0.0/15": "a benchmark address",
    "198.51.100.0/24": "a documentation address",
    "203.0.113.0/24": "a documentation address",
    "224.0.0.0/4": "a multicast address",
    "240.0.0.0/4": "a reserved address",
}
SPECIAL_IPV6: dict[str, str] = {
    "::/128": "an unspecified address",
    "::1/128": "a loopback address",
    "::ffff:0:0/96": "an IPv4 address inside IPv6 (mapped)",
    "::ffff:0:0:0/96": "an IPv4 address inside IPv6 (translated)",
    "::/96": "an IPv4 address inside IPv6 (compatible)",
    "64:ff9b::/96": "an IPv4 address inside IPv6 (NAT64)",
    "64:ff9b:1::/48": "an IPv4 address inside IPv6 (local NAT64)",
    "100::/64": "a discard-only address",
    "100:0:0:1::/64": "a reserved address (dummy prefix)",
    "2001::/32": "an IPv4 address inside IPv6 (Teredo)",
    "2001:2::/48": "a benchmark address",
    "2001::/23": "a reserved address (protocol assignments)",
    "2001:db8::/32": "a documentation address",
    "2002::/16": "an IPv4 address inside IPv6 (6to4)",
    "2620:4f:8000::/48": "a reserved address (AS112)",
    "3fff::/20": "a documentation address",
    "5f00::/16": "a reserved address (segment routing)",
    "fc00::/7": "a private address",
    "fe80::/10": "a link-local address",
    "fec0::/10": "a private address (site-local)",
    "ff00::/8": "a multicast address",
}
_GLOBAL_UNICAST = IPv6Network("2000::/3")  # all that has ever been given out
_NOT_GIVEN_OUT = "a reserved address (not given out)"

# ISATAP: any prefix, then 0000:5efe or 0200:5efe, then the IPv4 address. The two bits that may
# differ say "universal" and "group".
_ISATAP_MASK = 0xFCFF_FFFF
_ISATAP = 0x0000_5EFE


class _Spans:
    """Ranges as numbers, to be found by bisection; the narrower of two that overlap wins."""

    def __init__(self, networks: Iterable[tuple[IPv4Network | IPv6Network, str]]) -> None:
        spans: list[tuple[int, int, str]] = []
        for network, reason in sorted(networks, key=lambda pair: -pair[0].prefixlen):
            first, last = int(network.network_address), int(network.broadcast_address)
            spans.extend((start, end, reason) for start, end in _uncovered(first, last, spans))
        spans.sort()
        self._starts = [start for start, _, _ in spans]
        self._spans = spans

    def reason(self, number: int) -> str:
        """Why the address is special; empty when it is not."""
        at = bisect_right(self._starts, number) - 1
        if at < 0 or self._spans[at][1] < number:
            return ""
        return self._spans[at][2]


def _uncovered(first: int, last: int, spans: list[tuple[int, int, str]]) -> list[tuple[int, int]]:
    """The parts of a range that no narrower one has taken yet."""
    parts: list[tuple[int, int]] = []
    for start, end, _ in sorted(spans):
        if end < first or start > last:
            continue
        if start > first:
            parts.append((first, start - 1))
        first = end + 1
    if first <= last:
        parts.append((first, last))
    return parts


_IPV4 = _Spans((IPv4Network(text), reason) for text, reason in SPECIAL_IPV4.items())
_IPV6 = _Spans((IPv6Network(text), reason) for text, reason in SPECIAL_IPV6.items())


@lru_cache(maxsize=8192)  # the same few addresses are judged again for every request
def judge_address(address: str) -> str:
    """Why this address may not be connected to; empty when it is a public one.

    Pure, for use at connect time as well: what is connected to has to pass here, not its name.
    """
    if "%" in address:
        return "an address with a zone"
    try:
        parsed = ip_address(address)
    except ValueError:
        return "not an address"
    if isinstance(parsed, IPv4Address):
        return _IPV4.reason(int(parsed))
    return _judge_ipv6(parsed)


def is_address(text: str) -> bool:
    """Whether it is an address at all, with a zone or without."""
    if "%" in text:
        return True
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _judge_ipv6(address: IPv6Address) -> str:
    number = int(address)
    reason = _IPV6.reason(number)
    if reason:
        return reason
    if address not in _GLOBAL_UNICAST:
        return _NOT_GIVEN_OUT
    if (number >> 32) & _ISATAP_MASK == _ISATAP:
        return "an IPv4 address inside IPv6 (ISATAP)"
    return ""
