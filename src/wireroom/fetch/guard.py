"""May this address be asked at all? The URL's form first, then every address its name leads to.

Pure apart from calling `resolve`. It is asked anew on every hop, and the connection is made to the
addresses that come back from here: a name that answers differently a moment later changes nothing.

What is refused, is refused with its rule. There are two exceptions, both exact:

* `allow_private` lists `host:port` pairs that the operator runs. The pair has to be the one in the
  URL; nothing else at that host, and nothing else in its network, is opened by it.
* `hosts` pins a name to `address:port`. An address of that name with the scheme's own port or the
  pinned port is connected there, without asking DNS; with any other port it is refused.

Neither excuses a bad form: `http://2130706433:8080/` stays refused where `127.0.0.1:8080` is listed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address, ip_address
from typing import NoReturn

from wireroom.errors import RefusedError, UnreachableError
from wireroom.fetch.ranges import is_address, judge_address
from wireroom.urls import MAX_URL_LENGTH, host_of

PORTS = (80, 443)  # where publishers' sites are; other ports are other services
MAX_HOST_LENGTH = 253  # DNS: the longest name that can be asked for
MAX_LABEL_LENGTH = 63  # DNS: the longest part between two dots
MAX_PORT = 65_535  # TCP: two bytes
_SHOWN = 200  # characters of a refused address that an error repeats

# Names that mean this machine or this network wherever they are asked: RFC 6761, 6762, 8375,
# ICANN's reservation of .internal (2024), and what home routers and old hosts files use.
INNER_NAMES = ("localhost", "local", "internal", "localdomain", "home.arpa", "lan", "intranet")
_INNER_ENDS = tuple(f".{name}" for name in INNER_NAMES)

_DEFAULT_PORTS = {"http": 80, "https": 443}
_WEB = re.compile(r"(https?)://([^/?#]*)", re.IGNORECASE)
_HOST_AND_PORT = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::([0-9]*))?")
# The two joiners (U+200C, U+200D) are not among them: Persian and Indic names need them.
_ODD = re.compile(r"[\s\\\x00-\x20\x7f-\x9f\u200b\u200e\u200f\u2028-\u202f\u2060-\u206f\ufeff]")
_NAME = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_DOTS = ".。．｡"
_USER_INFO = re.compile(r"^([A-Za-z+.-]*+:?+[/\\]*+)[^/?#\\]*@")

Resolve = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An address whose form is sound; `addresses` is empty while its name is still to be resolved."""

    url: str
    scheme: str
    host: str
    """In lower-case ASCII, an IPv6 address in brackets."""
    port: int
    """To connect to; another than the URL's where `hosts` says so."""
    authority: str
    """The host, with `:port` only where it is not the scheme's own: for Host headers and manners."""
    addresses: tuple[str, ...] = ()
    excepted: bool = False
    """Whether the operator listed it: then its addresses may be private."""

    @property
    def origin(self) -> str:
        """Scheme, host and port as written in addresses."""
        return f"{self.scheme}://{self.authority}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked(Target):
    """A target that may be asked, at exactly these addresses."""


def check(
    url: str,
    *,
    resolve: Resolve,
    allow_private: Collection[str] = (),
    hosts: Mapping[str, str] | None = None,
    ports: Collection[int] = PORTS,
) -> Checked:
    """Where to connect for this URL; raises RefusedError with the rule that forbids it.

    `resolve` is called at most once, and not for literal or pinned addresses.
    """
    target = judge_form(url, allow_private=allow_private, hosts=hosts, ports=ports)
    return judge_answer(target, target.addresses or _resolved(target, resolve))


def judge_form(
    url: str,
    *,
    allow_private: Collection[str] = (),
    hosts: Mapping[str, str] | None = None,
    ports: Collection[int] = PORTS,
) -> Target:
    """What the URL asks for, when its form is sound; raises RefusedError."""
    scheme, host, written_port = _parts(url)
    name, literal = _host(url, host)
    usual = _DEFAULT_PORTS[scheme]
    port = connect_port = _port(url, written_port, usual)
    addresses, excepted = (literal,) if literal else (), False
    pinned = hosts.get(name) if hosts and not literal else None
    if pinned is not None:
        address, connect_port = _pinned(url, name, pinned)
        addresses, excepted = (address,), True
        if port not in {usual, connect_port}:
            _refuse(url, f"{name} is pinned to port {connect_port}, not to {port}")
    elif allow_private and _listed(name, port, allow_private):
        excepted = True
    else:
        _refuse_inner(url, name, literal, port, ports)
    return Target(
        url=url,
        scheme=scheme,
        host=name,
        port=connect_port,
        authority=name if port == usual else f"{name}:{port}",
        addresses=addresses,
        excepted=excepted,
    )


def judge_answer(target: Target, addresses: Sequence[str]) -> Checked:
    """The target with the addresses to connect to; raises RefusedError when one is not public.

    One inner address among public ones refuses them all: a mixed answer is how names are rebound,
    and which of them a connection would pick is not ours to hope for.
    """
    if not addresses:
        raise UnreachableError(target.url, f"{target.host} has no address", kind="dns")
    for address in addresses:
        reason = judge_address(address)
        if reason and not (target.excepted and is_address(address)):
            found = "" if target.addresses else f"It has {address}. "
            hint = _hint_for(target.host, target.port, found)
            _refuse(target.url, _describe(target, address, reason), hint=hint)
    return Checked(
        url=target.url,
        scheme=target.scheme,
        host=target.host,
        port=target.port,
        authority=target.authority,
        addresses=tuple(dict.fromkeys(map(_normal, addresses))),
        excepted=target.excepted,
    )


def judge_key(checked: Checked) -> Checked:
    """The target, when a key may be sent there; raises RefusedError.

    Over plain http everybody on the way reads it: only this machine may be asked so.
    """
    if checked.scheme == "https" or all(ip_address(each).is_loopback for each in checked.addresses):
        return checked
    message = "a key is not sent over plain http to another machine"
    raise RefusedError(checked.url, message, kind="tls", hint="Write the address with https://")


# --- the URL's form ----------------------------------------------------------------------------


def refuse_odd(url: str) -> None:
    """Refuses what no address may have anywhere: the one rule that is not about the origin alone."""
    if len(url) > MAX_URL_LENGTH:
        _refuse(url, f"longer than {MAX_URL_LENGTH} characters")
    if _ODD.search(url):
        _refuse(url, "contains white space, a control character or a backslash")


def _parts(url: str) -> tuple[str, str, str]:
    """Scheme, host as written, and the digits of the port."""
    refuse_odd(url)
    web = _WEB.match(url)
    if web is None:
        _refuse(url, "not an http or https address")
    authority = web[2]
    if "@" in authority:
        _refuse(url, "contains user info")
    match = _HOST_AND_PORT.fullmatch(authority)
    if match is None:
        _refuse(url, "host and port cannot be told apart")
    return web[1].lower(), match[1], match[2] or ""


def _host(url: str, host: str) -> tuple[str, str]:
    """The host in its normal form, and its address when it is a literal one."""
    if not host:
        _refuse(url, "without a host")
    if "%" in host:
        _refuse(url, "host with an escape or a zone")
    if host.startswith("["):
        return _ipv6_literal(url, host)
    if host[-1] in _DOTS:
        _refuse(url, "host with a dot at its end")
    name = host.lower() if host.isascii() else _ascii_name(url, host)
    _refuse_bad_labels(url, name)
    if not _NUMBER.fullmatch(name.rpartition(".")[2]):
        return name, ""
    # A last label that is a number makes resolvers read the whole as an IPv4 address.
    if not host.isascii():
        _refuse(url, "address in other digits than 0-9")
    return name, _ipv4_literal(url, name)


def _ipv6_literal(url: str, host: str) -> tuple[str, str]:
    try:
        address = IPv6Address(host[1:-1])
        name = host_of(f"http://{host}/")
    except ValueError:
        _refuse(url, "not an IPv6 address in the brackets")
    return name, str(address)


def _ipv4_literal(url: str, name: str) -> str:
    try:
        address = str(IPv4Address(name))
    except AddressValueError:
        address = ""
    if address != name:
        _refuse(url, "IPv4 address in another form than four decimal numbers")
    return address


def _ascii_name(url: str, host: str) -> str:
    try:
        return host_of(f"http://{host}/")
    except ValueError as exc:
        _refuse(url, f"not an international host name ({exc})")


def _refuse_bad_labels(url: str, name: str) -> None:
    labels = name.split(".")
    if not all(labels):
        _refuse(url, "host with an empty label")
    if len(name) > MAX_HOST_LENGTH or max(map(len, labels)) > MAX_LABEL_LENGTH:
        _refuse(url, "host longer than DNS allows")
    if not _NAME.fullmatch(name):
        _refuse(url, "host with a character that no host name has")


def _port(url: str, written: str, default: int) -> int:
    if not written:
        return default
    if written.startswith("0"):
        _refuse(url, "port 0, or a port with a leading zero")
    if len(written) > len(str(MAX_PORT)) or int(written) > MAX_PORT:
        _refuse(url, f"port above {MAX_PORT}")
    return int(written)


def _refuse_inner(url: str, name: str, literal: str, port: int, ports: Collection[int]) -> None:
    """Refuses what only an exception of the operator's could permit, before any name is resolved."""
    if port not in ports:
        message = ", ".join(map(str, ports)) or "none"
        reason = f"port {port} is not among those that may be asked ({message})"
        _refuse(url, reason, hint=_hint_for(name, port))
    if literal:
        return
    if name.endswith(_INNER_ENDS) or name in INNER_NAMES:
        _refuse(url, f"{name} is a name of this machine or its network")
    if "." not in name:
        _refuse(url, f"{name} has no dot: a name of the inner network")


# --- exceptions --------------------------------------------------------------------------------


def _pinned(url: str, name: str, pinned: str) -> tuple[str, int]:
    address, port = _endpoint(pinned)
    if not port or not is_address(address):
        _refuse(url, f"{name} is pinned to something that is not address:port")
    return address, port


def _listed(name: str, port: int, allow_private: Collection[str]) -> bool:
    host = _comparable(name.strip("[]"))
    for entry in allow_private:
        listed, listed_port = _endpoint(entry)
        if port == listed_port and host == _comparable(listed):
            return True
    return False


def _endpoint(text: str) -> tuple[str, int]:
    """Host without brackets and port of `host:port`; port 0 when there is none."""
    host, _, port = text.strip().lower().rpartition(":")
    return host.strip("[]"), int(port) if port.isascii() and port.isdigit() else 0


def _comparable(host: str) -> str | IPv6Address:
    """IPv6 addresses have many spellings; names and IPv4 addresses one, by now."""
    try:
        return IPv6Address(host)
    except ValueError:
        return host


# --- answers -----------------------------------------------------------------------------------


def _resolved(target: Target, resolve: Resolve) -> Sequence[str]:
    try:
        return resolve(target.host)
    except (OSError, UnicodeError) as exc:
        raise UnreachableError(target.url, f"{target.host}: no such host", kind="dns") from exc


@lru_cache(maxsize=8192)  # as in judge_address, and for the same reason
def _normal(address: str) -> str:
    return str(ip_address(address))


def _describe(target: Target, address: str, reason: str) -> str:
    """What is kept and shown to whoever asked: not which address of our own network a name has."""
    if target.addresses:
        return f"{address} is {reason}"
    return f"{target.host} leads to {reason}"


def _hint_for(host: str, port: int, found: str = "") -> str:
    """For the operator, at a terminal."""
    return f"({found}If it is yours, list '{host}:{port}' in fetch.allow_private.)"


def _refuse(url: str, reason: str, *, hint: str = "") -> NoReturn:
    raise RefusedError(_shown(url), reason, hint=hint)


def _shown(url: str) -> str:
    """The address for an error: without a password, without control characters, not too long."""
    safe = _USER_INFO.sub(r"\1…@", url)[:_SHOWN]
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in safe)
