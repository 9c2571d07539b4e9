"""Addresses: which two are the same, which one to keep, which one to ask for.

Pure: no network, no clock, no settings. Three forms of one address are kept apart:

* the *identity key* says whether two addresses mean one page. It is never fetched: not every host
  answers without `www.` or over TLS;
* the *canonical* address is kept and shown: scheme and host as published, fragment and tracking gone;
* the *fetch* address goes over the wire: as published, with only the escaping that HTTP asks for.

Whatever is not an http or https address with a host raises `ValueError` and nothing else; the
yes/no questions (`is_web_url`, `same_site`) never raise.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import NamedTuple

__all__ = [
    "MAX_URL_LENGTH",
    "TRACKING_PARAMETERS",
    "TRACKING_PREFIXES",
    "article_id",
    "canonical_url",
    "fetch_url",
    "host_of",
    "identity_key",
    "is_web_url",
]

MAX_URL_LENGTH = 2048  # what servers and sitemaps accept; longer ones are traps or inlined data
MAX_HOST_LENGTH = 253  # DNS: the longest name that can be asked for
MAX_LABEL_LENGTH = 63  # DNS: the longest part between two dots
MAX_PORT = 65_535  # TCP: two bytes

TRACKING_PREFIXES = ("utm_",)
_TRACKING_BY_SENDER = {  # as of 2026-11; lower case, compared without regard to case
    "Google": ("gclid", "gclsrc", "dclid", "gbraid", "wbraid"),
    "Meta": ("fbclid", "igshid"),
    "Microsoft, X, Yandex": ("msclkid", "twclid", "yclid", "_openstat"),
    "LinkedIn": ("trk", "trkcampaign", "trkinfo"),
    "letters": ("mc_cid", "mc_eid", "oly_anon_id", "oly_enc_id", "vero_id", "mkt_tok"),
    "others": ("wickedid", "rb_clickid", "s_cid"),
}
TRACKING_PARAMETERS = frozenset(name for names in _TRACKING_BY_SENDER.values() for name in names)
# A visit, not a page: left out of the key alone, for the address may not work without it.
VISIT_PARAMETERS = frozenset({"jsessionid", "phpsessid"})

_DEFAULT_PORTS = {"http": 80, "https": 443}
_ID_BYTES = 12  # 24 hex digits: a collision is unlikely before 10^14 articles

# Most links of most pages: lower-case host, nothing escaped, no dot segment, no path parameter.
_PLAIN = re.compile(
    r"https?://(?:www\.)?(?!www\.)"
    r"((?:[a-z0-9_-]{1,63}\.)+[a-z][a-z0-9-]{0,61}[a-z])"
    r"(?![^?]*/\.)(/[A-Za-z0-9._~!$&'()*+,=:@/-]*)?"
    r"(?:\?([A-Za-z0-9._~!$&'()*+,;=:@/?-]*))?(?:#(?![!\t\r\n])[^\t\r\n]*)?"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?=:)")
_AUTHORITY = re.compile(r"//([^/]*)")
_HOST_AND_PORT = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(?::([0-9]*))?")
# What WHATWG forbids in a domain, "%" included: an escaped host is a disguise.
_FORBIDDEN_IN_HOST = re.compile(r"[\x00-\x20\x7f#%/:<>?@\[\\\]^`{|}\"]")
_EDGES = "".join(map(chr, range(0x21)))
_BREAKS = str.maketrans("", "", "\t\n\r")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_NEEDS_CARE = re.compile(r"[^A-Za-z0-9._~!$&'()*+,;=:@/?-]")
_NOT_IN_URL = re.compile(r"[^A-Za-z0-9._~!$&'()*+,;=:@/?%-]+")
_NOT_ON_WIRE = re.compile(r"[^!$-;=?-_a-z|~\[\]^]+")  # what browsers leave alone may stay
_PATH_VISIT = re.compile(r";jsessionid=[^;/]*", re.IGNORECASE)


class _Parts(NamedTuple):
    scheme: str
    host: str
    port: int | None
    """None for the scheme's own."""
    path: str
    query: str
    fragment: str

    @property
    def authority(self) -> str:
        return self.host if self.port is None else f"{self.host}:{self.port}"


def identity_key(url: str) -> str:
    """What stands for the page in comparisons: equal for two addresses that mean one page.

    The key is itself an address, and its own key. http and https are alike, so are `www.` and none,
    any order of differently named parameters, and any spelling of what need not be escaped.
    """
    plain = _PLAIN.fullmatch(url)
    if plain is None or len(url) >= MAX_URL_LENGTH or len(plain[1]) > MAX_HOST_LENGTH:
        return _careful_key(url)
    host, path, query = plain.groups()
    if not query:
        return f"https://{host}{path or '/'}"
    return _with_query(f"https://{host}{path or '/'}", _key_query(query))


def canonical_url(url: str) -> str:
    """The address to keep and to show: as published, without fragment and tracking."""
    parts = _split(url)
    address = f"{parts.scheme}://{parts.authority}{_normal_path(parts.path)}"
    address = _with_query(address, "&".join(_untracked(_normal(parts.query))))
    return _within_limit(address + _route(parts.fragment))


def fetch_url(url: str) -> str:
    """The address to ask a server for: as published, escaped as HTTP needs it, no fragment."""
    parts = _split(url)
    path = _without_dots(_wire(parts.path)) or "/"
    return _within_limit(
        _with_query(f"{parts.scheme}://{parts.authority}{path}", _wire(parts.query))
    )


def host_of(url: str) -> str:
    """The host in lower-case ASCII, with `:port` only where it is not the scheme's own."""
    return _split(url).authority


def article_id(publisher: str, url: str) -> str:
    """The id of the article that this publisher has at this address, whatever its spelling."""
    name = f"{publisher}\n{identity_key(url)}"
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_ID_BYTES).hexdigest()


def is_web_url(url: str) -> bool:
    """Whether this is an http or https address with a host, without user info, not too long."""
    try:
        _split(url)
    except ValueError:
        return False
    return True


def _careful_key(url: str) -> str:
    parts = _split(url)
    host = _without_www(parts.host)
    # http on 443 must not become https on 443, which is another server's door.
    scheme = parts.scheme if parts.port == _DEFAULT_PORTS["https"] else "https"
    authority = host if parts.port is None else f"{host}:{parts.port}"
    path = _normal_path(_PATH_VISIT.sub("", _normal(parts.path)))
    key = _with_query(f"{scheme}://{authority}{path}", _key_query(_normal(parts.query)))
    return _within_limit(key + _route(parts.fragment))


def _with_query(address: str, query: str) -> str:
    return f"{address}?{query}" if query else address


def _within_limit(address: str) -> str:
    if len(address) > MAX_URL_LENGTH:
        raise ValueError(f"address longer than {MAX_URL_LENGTH} characters")
    return address


# --- taking an address apart -------------------------------------------------------------------


def _split(url: str) -> _Parts:
    url = _tidy(url)
    scheme = _scheme(url)
    rest, _, fragment = url[len(scheme) + 1 :].partition("#")
    rest, _, query = rest.partition("?")
    rest = rest.replace("\\", "/")
    authority = _AUTHORITY.match(rest)
    if authority is None or scheme not in _DEFAULT_PORTS:
        raise ValueError("not an http or https address")
    host, port = _host_and_port(authority[1])
    if port == _DEFAULT_PORTS[scheme]:
        port = None
    return _Parts(scheme, host, port, rest[authority.end() :], query, fragment)


def _tidy(url: str) -> str:
    """The address as browsers take it: no blanks around it, no breaks inside, no half characters."""
    url = url.strip(_EDGES).translate(_BREAKS)
    if len(url) > MAX_URL_LENGTH:
        raise ValueError(f"address longer than {MAX_URL_LENGTH} characters")
    if url.isascii():
        return url
    return url.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _scheme(url: str) -> str:
    match = _SCHEME.match(url)
    return match[0].lower() if match else ""


def _host_and_port(authority: str) -> tuple[str, int | None]:
    if "@" in authority:
        raise ValueError("address with user info")
    match = _HOST_AND_PORT.fullmatch(authority)
    if match is None or not match[1]:
        raise ValueError("address without a readable host")
    digits = (match[2] or "").lstrip("0")
    if len(digits) > len(str(MAX_PORT)) or int(digits or 0) > MAX_PORT:
        raise ValueError("port out of range")
    return _host(match[1]), int(digits or 0) if match[2] else None


def _host(text: str) -> str:
    if text.startswith("["):
        return f"[{_ipv6(text[1:-1])}]"
    if len(text) > MAX_HOST_LENGTH + 1:
        raise ValueError("host too long")
    host = text.lower() if text.isascii() else _ascii_host(text)
    host = host.removesuffix(".")
    labels = host.split(".")
    if not all(labels) or len(host) > MAX_HOST_LENGTH or max(map(len, labels)) > MAX_LABEL_LENGTH:
        raise ValueError("not a host name")
    if _FORBIDDEN_IN_HOST.search(host):
        raise ValueError("host with a forbidden character")
    return host


def _ascii_host(text: str) -> str:
    """The name as DNS knows it. Like browsers, and unlike strict IDNA 2008, it takes emoji."""
    import idna

    try:
        mapped = idna.uts46_remap(text, std3_rules=False, transitional=False)
    except idna.IDNAError as exc:
        raise ValueError("not a host name") from exc
    return ".".join(
        label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")
        for label in mapped.split(".")
    ).lower()


def _ipv6(text: str) -> str:
    """The shortest spelling, always in hexadecimal: Python's own differs between versions."""
    from ipaddress import IPv6Address

    if "%" in text:
        raise ValueError("address with a zone")
    number = int(IPv6Address(text))
    groups = ":".join(f"{number >> shift & 0xFFFF:x}" for shift in range(112, -1, -16))
    runs = re.findall(r"(?:\b0\b(?::0\b)+)", groups)
    if not runs:
        return groups
    head, tail = groups.split(max(runs, key=len), 1)
    return f"{head.removesuffix(':')}::{tail.removeprefix(':')}"


def _without_www(host: str) -> str:
    while host.startswith("www.") and "." in host[4:] and not host[-1].isdigit():
        host = host[4:]
    return host


# --- spelling ----------------------------------------------------------------------------------


def _normal(text: str) -> str:
    """One spelling per meaning: what need not be escaped is not, the rest in upper-case hex."""
    if not _NEEDS_CARE.search(text):
        return text
    text = _ESCAPE.sub(_normal_escape, text)
    return _NOT_IN_URL.sub(_escaped, text)


def _normal_escape(match: re.Match[str]) -> str:
    digits = match[1]
    if digits is None:
        return "%25"  # a lone percent sign means itself; left alone it could join what follows
    code = int(digits, 16)
    return chr(code) if code in _UNRESERVED else f"%{digits.upper()}"


def _escaped(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def _wire(text: str) -> str:
    return _NOT_ON_WIRE.sub(_escaped, text)


def _normal_path(path: str) -> str:
    return _without_dots(_normal(path)) or "/"


def _without_dots(path: str) -> str:
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in {".", ".."}:
        kept.append("")
    return "/" + "/".join(kept)


def _route(fragment: str) -> str:
    """A `#!` fragment chooses the page in old script-driven sites; any other a place on it."""
    return f"#{_normal(fragment)}" if fragment.startswith("!") and fragment != "!" else ""


# --- parameters --------------------------------------------------------------------------------


def _name(pair: str) -> str:
    return pair.partition("=")[0]


def _is_tracking(name: str) -> bool:
    return name in TRACKING_PARAMETERS or name.startswith(TRACKING_PREFIXES)


def _untracked(query: str) -> list[str]:
    return [pair for pair in query.split("&") if pair and not _is_tracking(_name(pair).lower())]


def _key_query(query: str) -> str:
    """Sorted by name where every part has one; parts of one name keep their order."""
    pairs = [p for p in _untracked(query) if _name(p).lower() not in VISIT_PARAMETERS]
    if len(pairs) > 1 and all("=" in pair for pair in pairs):
        pairs.sort(key=_name)
    return "&".join(pairs)
