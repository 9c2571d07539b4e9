"""Addresses: which two are the same, which one to keep, which one to ask for.

Pure: no network, no clock, no settings. Three forms of one address are kept apart:

* the *identity key* says whether two addresses mean one page. It is never fetched: not every host
  answers without `www.` or over TLS;
* the *canonical* address is kept and shown: scheme and host as published, fragment and tracking gone;
* the *fetch* address goes over the wire: as published, with only the escaping that HTTP asks for.

Whatever is not an http or https address with a host raises `ValueError` and nothing else; `page_key`, `web_link`,
`registered_domain` and the yes/no questions (`is_web_url`, `same_page`, `same_site`) never raise.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from publicsuffixlist import PublicSuffixList

MAX_URL_LENGTH = 2048  # what servers and sitemaps accept; longer ones are traps or inlined data
MAX_UNTIDY_LENGTH = 2 * MAX_URL_LENGTH  # with the blanks that markup may have around it
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
# They name a session, not a page: left out of the key alone, for the address may need them.
SESSION_PARAMETERS = frozenset({"jsessionid", "phpsessid"})
_TRACKING_OR_SESSION = TRACKING_PARAMETERS | SESSION_PARAMETERS

_KEYS_KEPT = 4096  # identity keys kept: a batch asks for each of its pages several times
_DEFAULT_PORTS = {"http": 80, "https": 443}
_ID_BYTES = 12  # 24 hex digits: two articles share an id once in 10^14
_SPLIT_KEPT = (
    2048  # addresses kept taken apart: each is asked about a dozen times while it is worked on
)

# The escapes that must be: of all but letters, digits and "-._~", in upper-case hex.
_NORMAL_ESCAPE = r"%(?:[01][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF]|[89A-F][0-9A-F])"
# Most links of most pages: lower-case host, spelt normally, no dot segment, no path parameter.
_PATH_SIGNS = r"[A-Za-z0-9._~!$&'()*+,=:@/-]*"
_QUERY_SIGNS = r"[A-Za-z0-9._~!$&'()*+,;=:@/?-]*"
_PLAIN = re.compile(
    r"https?://(?:www\.)?(?!www\.)((?:[a-z0-9_-]{1,63}\.)+[a-z][a-z0-9-]{0,61}[a-z])"
    rf"(?![^?]*/\.)(/{_PATH_SIGNS}(?:{_NORMAL_ESCAPE}{_PATH_SIGNS})*)?"
    rf"(?:\?({_QUERY_SIGNS}(?:{_NORMAL_ESCAPE}{_QUERY_SIGNS})*))?"
    r"(?:#(?![!\t\r\n])[^\t\r\n]*)?"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?=:)")
_HOST_AND_PORT = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(?::([0-9]*))?")
# What browsers forbid in a host, "%" included: an escaped host is a disguise.
_FORBIDDEN_IN_HOST = re.compile(r"[\x00-\x20\x7f#%/:<>?@\[\\\]^`{|}\"]")
_EDGES = "".join(map(chr, range(0x21)))
_BREAKS = str.maketrans("", "", "\t\n\r")
_DOTS = {".": 1, "%2e": 1, "..": 2, ".%2e": 2, "%2e.": 2, "%2e%2e": 2}
_HEX = tuple(f"%{byte:02X}" for byte in range(256))
_ESCAPE = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+|%(?:[0-9A-Fa-f]{2})?")
_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
# A lone percent sign means itself; left alone it could join what follows.
_UNESCAPED = {"%": "%25"} | {_HEX[ord(char)]: char for char in _UNRESERVED}
_NEEDS_CARE = re.compile(rf"%(?!{_NORMAL_ESCAPE[1:]})|[^A-Za-z0-9._~!$&'()*+,;=:@/?%-]")
_NOT_IN_URL = re.compile(r"[^A-Za-z0-9._~!$&'()*+,;=:@/?%-]+")
_PATH_SESSION = re.compile(r";jsessionid=[^;/]*", re.IGNORECASE)


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


# --- the three forms, and the id -----------------------------------------------------------------


def identity_key(url: str) -> str:
    """What identifies the page in comparisons: equal for two addresses that mean one page.

    The key is itself an address, and its own key. http and https are alike, so are `www.` and none,
    any order of differently named parameters, and any spelling of what need not be escaped.
    """
    plain = _PLAIN.fullmatch(url) if len(url) < MAX_URL_LENGTH else None
    if plain is None or len(plain[1]) > MAX_HOST_LENGTH:
        return _careful_key(url)
    host, path, query = plain.groups("")
    return _joined("https", host, path or "/", _key_query(query) if query else "")


@lru_cache(maxsize=_KEYS_KEPT)
def page_key(url: str) -> str:
    """The identity key of the page at this address, empty when it is no web address; never raises."""
    try:
        return identity_key(url) if url else ""
    except ValueError:
        return ""


def address_key(url: str) -> str:
    """The key of the page at this address; what is no web address is its own key."""
    return page_key(url) or url


def is_front_page(url: str) -> bool:
    """Whether this is the web address of a host alone, without a path or a query."""
    return is_web_url(url) and _split(url).path in {"", "/"} and not _split(url).query


def same_page(url: str, other_url: str) -> bool:
    """Whether two addresses mean one page; what is no address is the same as itself alone."""
    return url == other_url or "" != page_key(url) == page_key(other_url)


def canonical_url(url: str) -> str:
    """The address to keep and to show: as published, without fragment and tracking."""
    parts = _split(url)
    query = "&".join(_kept(_normal(parts.query), TRACKING_PARAMETERS))
    address = _joined(parts.scheme, parts.authority, _normal_path(parts.path), query)
    return _within_limit(address + _route(parts.fragment))


def fetch_url(url: str) -> str:
    """The address to ask a server for: as published, escaped as HTTP needs it, no fragment."""
    return _wire_address(_split(url)._replace(fragment=""))


def article_id(publisher: str, url: str) -> str:
    """The id of the article that this publisher has at this address, whatever its spelling."""
    name = f"{publisher}\n{identity_key(url)}"
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_ID_BYTES).hexdigest()


def resolve(base_url: str, href: str) -> str:
    """The address a link on the page at `base_url` leads to, its fragment kept.

    Blanks, line breaks and backslashes are taken as browsers take them. A link with a scheme of its
    own that is not of the web (`mailto:`, `javascript:`) comes back as it is: ask `is_web_url`.
    """
    base, href = _split(base_url), _tidy(href)
    scheme = _scheme(href)
    if scheme and scheme not in _DEFAULT_PORTS:
        return href
    rest = href[len(scheme) + 1 :] if scheme else href
    if rest[:2].replace("\\", "/") == "//":
        return _wire_address(_split_rest(scheme or base.scheme, rest))
    if scheme and scheme != base.scheme:
        raise ValueError("address without a host")
    return _wire_address(_relative(base, rest))


def web_link(base_url: str, href: str) -> str:
    """The web address a link leads to, `base_url` being empty where it is not known; empty for any other.

    Never raises.
    """
    try:
        url = resolve(base_url, href) if base_url else href.strip()
    except ValueError:
        return ""
    return url if is_web_url(url) else ""


# --- hosts and who stands behind them ------------------------------------------------------------


def is_web_url(url: str) -> bool:
    """Whether this is an http or https address with a host, without user info, not too long."""
    try:
        _split(url)
    except ValueError:
        return False
    return True


def host_of(url: str) -> str:
    """The host in lower-case ASCII, with `:port` only where it is not the scheme's own."""
    return _split(url).authority


def publisher_domain(url: str) -> str:
    """The host a publisher goes by: without `www.` and port, other subdomains kept."""
    return _without_www(_split(url).host)


def is_within(domain: str, domains: Iterable[str]) -> bool:
    """Whether a domain is one of these, or a host below one of them."""
    return any(domain == name or domain.endswith(f".{name}") for name in domains)


def registered_domain(host: str) -> str:
    """The name somebody registered (`bote.co.uk` of `news.bote.co.uk:81`), empty for none.

    Addresses, single words and public suffixes have none. Names let by others count as registered:
    two papers on one blog host (`a.github.io`, `b.github.io`) are two.
    """
    name = host.partition(":")[0].lower().removesuffix(".")
    if name.startswith("[") or name.rpartition(".")[2].isdigit():
        return ""
    return _suffixes().privatesuffix(name) or ""


def same_site(url: str, other_url: str) -> bool:
    """Whether both addresses stand under one registered name, or else on one host."""
    try:
        host, other = publisher_domain(url), publisher_domain(other_url)
    except ValueError:
        return False
    return host == other or "" != registered_domain(host) == registered_domain(other)


@cache
def _suffixes() -> PublicSuffixList:
    """The list that comes with the package; it is never fetched. Loading it takes 60 ms."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()


def _without_www(host: str) -> str:
    """`www.com` and `www.10.0.0.1` stay: what would be left is no name, or another thing."""
    while host.startswith("www.") and "." in host[4:] and not host[-1].isdigit():
        host = host[4:]
    return host


# --- putting an address together -----------------------------------------------------------------


def _joined(scheme: str, authority: str, path: str, query: str) -> str:
    address = f"{scheme}://{authority}{path}"
    return f"{address}?{query}" if query else address


def _careful_key(url: str) -> str:
    parts = _split(url)
    parts = parts._replace(host=_without_www(parts.host))
    # http on port 443 must not become https on 443, which is another service.
    scheme = parts.scheme if parts.port == _DEFAULT_PORTS["https"] else "https"
    path = _normal_path(_PATH_SESSION.sub("", _normal(parts.path)))
    key = _joined(scheme, parts.authority, path, _key_query(_normal(parts.query)))
    return _within_limit(key + _route(parts.fragment))


def _wire_address(parts: _Parts) -> str:
    path = _without_dots(_escape(parts.path)) or "/"
    address = _joined(parts.scheme, parts.authority, path, _escape(parts.query))
    return _within_limit(f"{address}#{_escape(parts.fragment)}" if parts.fragment else address)


def _within_limit(address: str) -> str:
    if len(address) > MAX_URL_LENGTH:
        raise ValueError(f"address longer than {MAX_URL_LENGTH} characters")
    return address


# --- taking an address apart ---------------------------------------------------------------------


@lru_cache(maxsize=_SPLIT_KEPT)
def _split(url: str) -> _Parts:
    url = _tidy(url)
    scheme = _scheme(url)
    return _split_rest(scheme, url[len(scheme) + 1 :])


def _split_rest(scheme: str, rest: str) -> _Parts:
    if scheme not in _DEFAULT_PORTS:
        raise ValueError("not an http or https address")
    front, query, fragment = _ends(rest)
    if not front.startswith("//"):
        raise ValueError("address without a host")
    authority, slash, path = front[2:].partition("/")
    host, port = _host_and_port(authority)
    if port == _DEFAULT_PORTS[scheme]:
        port = None
    return _Parts(scheme, host, port, slash + path, query or "", fragment)


def _ends(rest: str) -> tuple[str, str | None, str]:
    """What stands before the query, the query (None without `?`), the fragment."""
    rest, _, fragment = rest.partition("#")
    front, mark, query = rest.partition("?")
    return front.replace("\\", "/"), query if mark else None, fragment


def _relative(base: _Parts, rest: str) -> _Parts:
    path, query, fragment = _ends(rest)
    if not path:
        query = base.query if query is None else query
        return base._replace(query=query, fragment=fragment)
    if not path.startswith("/"):
        path = f"{base.path.rpartition('/')[0]}/{path}"
    return base._replace(path=path, query=query or "", fragment=fragment)


def _tidy(url: str) -> str:
    """The address as browsers take it: no blanks around it, no breaks inside, no half characters."""
    url = _within_limit(url.strip(_EDGES) if len(url) <= MAX_UNTIDY_LENGTH else url)
    if url.isascii() and url.isprintable():
        return url
    url = url.translate(_BREAKS)
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
        raise ValueError("address with a port out of range")
    return _host(match[1]), int(digits or 0) if match[2] else None


def _host(text: str) -> str:
    if text.startswith("["):
        return f"[{_ipv6(text[1:-1])}]"
    if len(text) > MAX_HOST_LENGTH + 1:
        raise ValueError("host too long")
    host = (text.lower() if text.isascii() else _ascii_host(text)).removesuffix(".")
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
        label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}"
        for label in mapped.split(".")
    ).lower()


def _ipv6(text: str) -> str:
    """The shortest spelling, always in hexadecimal: Python's own differs between versions."""
    from ipaddress import IPv6Address

    try:
        number = int(IPv6Address(text))
    except ValueError as exc:
        raise ValueError("host is no IPv6 address") from exc
    if "%" in text:
        raise ValueError("host with a zone")
    groups = ":".join(f"{number >> shift & 0xFFFF:x}" for shift in range(112, -1, -16))
    runs = re.findall(r"\b0(?::0)+\b", groups)
    if not runs:
        return groups
    head, tail = re.split(rf":?\b{max(runs, key=len)}\b:?", groups, maxsplit=1)
    return f"{head}::{tail}"


# --- spelling ------------------------------------------------------------------------------------


def _normal(text: str) -> str:
    """One spelling per meaning: what need not be escaped is not, the rest in upper-case hex."""
    if not _NEEDS_CARE.search(text):
        return text
    return _escape(_ESCAPE.sub(_normal_escape, text))


def _normal_escape(match: re.Match[str]) -> str:
    escape = match[0].upper()
    return _UNESCAPED.get(escape, escape)


def _escape(text: str) -> str:
    return _NOT_IN_URL.sub(lambda odd: "".join(map(_HEX.__getitem__, odd[0].encode())), text)


def _normal_path(path: str) -> str:
    return _without_dots(_normal(path)) or "/"


def _without_dots(path: str) -> str:
    if "/." not in path and "/%2" not in path:
        return path
    kept: list[str] = []
    for segment in path.split("/")[1:]:
        dots = _DOTS.get(segment.lower(), 0)
        if dots == 0:
            kept.append(segment)
        elif dots == 2:
            del kept[-1:]
    if path.rpartition("/")[2].lower() in _DOTS:
        kept.append("")
    return "/" + "/".join(kept)


def _route(fragment: str) -> str:
    """A `#!` fragment chooses the page in old script-driven sites; any other a place on it."""
    return f"#{_normal(fragment)}" if fragment.startswith("!") and fragment != "!" else ""


def _kept(query: str, unwanted: frozenset[str]) -> list[str]:
    """The parameters that neither track nor bear an unwanted name, in their own order."""
    return [
        pair
        for pair in query.split("&")
        if pair
        and (name := pair.partition("=")[0].lower()) not in unwanted
        and not name.startswith(TRACKING_PREFIXES)
    ]


def _key_query(query: str) -> str:
    """Sorted by name where every parameter has one; those of one name keep their order."""
    pairs = _kept(query, _TRACKING_OR_SESSION)
    # A nameless parameter may mean something by its place.
    if len(pairs) > 1 and all("=" in pair for pair in pairs):
        pairs.sort(key=_name)
    return "&".join(pairs)


def _name(pair: str) -> str:
    return pair.partition("=")[0]
