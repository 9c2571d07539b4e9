"""Who stands in front of a server: CDNs, bot managers and their challenges, by passive signs.

Pure: reads headers and bodies that came anyway and never sends anything. A CDN is not a block, and an
article *about* a bot manager is not a challenge: what a body says counts only when it came with a
refusal, or when it is tiny and says next to nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from re import compile as pattern
from typing import Literal

AS_OF = "2026-11"
"""When the tables below were last looked over."""

TINY_BODY = 20_000  # characters a challenge page stays under; articles with their page are larger
LOOKED_AT = 20_000  # bytes of a body that are searched for markers
FEW_LETTERS = 1_200  # of visible text; a challenge asks for patience in a sentence or two

Role = Literal["cdn", "bot_manager", "challenge"]


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """One recognised product, in which role, and the sign it was recognised by."""

    name: str
    role: Role
    sign: str


# name, role, header, how its value begins or what it contains (lower case); "" for any value
_HEADERS: tuple[tuple[str, Role, str, str], ...] = (
    ("Cloudflare", "challenge", "cf-mitigated", "challenge"),
    ("Cloudflare", "cdn", "server", "cloudflare"),
    ("Cloudflare", "cdn", "cf-ray", ""),
    ("Akamai", "cdn", "server", "akamaighost"),
    ("Akamai", "cdn", "akamai-grn", ""),
    ("AWS WAF", "challenge", "x-amzn-waf-action", "challenge"),
    ("AWS WAF", "challenge", "x-amzn-waf-action", "captcha"),
    ("AWS WAF", "bot_manager", "x-amzn-waf-action", ""),
    ("CloudFront", "cdn", "x-amz-cf-id", ""),
    ("Fastly", "cdn", "x-fastly-request-id", ""),
    ("Fastly", "cdn", "x-served-by", "cache-"),
    ("Imperva", "bot_manager", "x-iinfo", ""),
    ("Imperva", "cdn", "x-cdn", "imperva"),
    ("DataDome", "bot_manager", "x-datadome", ""),
    ("DataDome", "bot_manager", "x-dd-b", ""),
    ("HUMAN", "bot_manager", "x-px-authorization", ""),
    ("Kasada", "bot_manager", "x-kpsdk-ct", ""),
    ("Kasada", "bot_manager", "x-kpsdk-r", ""),
    ("Sucuri", "cdn", "x-sucuri-id", ""),
    ("Azure Front Door", "cdn", "x-azure-ref", ""),
    ("Vercel", "challenge", "x-vercel-mitigated", "challenge"),
    ("Vercel", "bot_manager", "x-vercel-mitigated", "deny"),
    ("Vercel", "cdn", "x-vercel-id", ""),
    ("Google Cloud", "cdn", "via", "1.1 google"),
    ("Varnish", "cdn", "x-varnish", ""),
)

# name, role, how a cookie's name begins
_COOKIES: tuple[tuple[str, Role, str], ...] = (
    ("Cloudflare", "bot_manager", "__cf_bm"),
    ("Cloudflare", "bot_manager", "cf_clearance"),
    ("Akamai", "bot_manager", "_abck"),
    ("Akamai", "bot_manager", "ak_bmsc"),
    ("Akamai", "bot_manager", "bm_sz"),
    ("AWS WAF", "bot_manager", "aws-waf-token"),
    ("Imperva", "bot_manager", "visid_incap_"),
    ("Imperva", "bot_manager", "incap_ses_"),
    ("DataDome", "bot_manager", "datadome"),
    ("HUMAN", "bot_manager", "_px"),
    ("Sucuri", "bot_manager", "sucuri_cloudproxy"),
    ("F5", "cdn", "BIGipServer"),
)

# name, what only its challenge page holds (lower case)
_MARKERS: tuple[tuple[str, bytes], ...] = (
    ("Cloudflare", b"<title>just a moment...</title>"),
    ("Cloudflare", b"/cdn-cgi/challenge-platform/"),
    ("Cloudflare", b"cf-browser-verification"),
    ("Cloudflare", b"cf-chl-"),
    ("Cloudflare", b"<title>attention required! | cloudflare</title>"),
    ("DataDome", b"captcha-delivery.com"),
    ("Imperva", b"_incapsula_resource"),
    ("HUMAN", b"px-captcha"),
    ("Akamai", b"sec-if-cpt-container"),
    ("Kasada", b"/ips.js?"),
    ("AWS WAF", b"awswafintegration"),
    ("AWS WAF", b"token.awswaf.com"),
    ("Vercel", b"vercel security checkpoint"),
    ("Sucuri", b"sucuri website firewall"),
    ("", b"checking your browser before accessing"),
    ("", b"please enable js and disable any ad blocker"),
    ("", b"verify you are human"),
    ("", b"access to this page has been denied"),
)
_REFUSALS = frozenset({403, 429, 503})
_UNSEEN = (b"script", b"style", b"noscript", b"svg")
_TAG = pattern(rb"<[^<>]*>")


def recognise(headers: Iterable[tuple[str, str]]) -> tuple[Fingerprint, ...]:
    """Every product these headers betray, challenges first; one line per product and role."""
    found: dict[tuple[str, Role], Fingerprint] = {}
    for name, value in headers:
        lower = name.lower()
        for print_ in (
            _cookie_prints(value) if lower == "set-cookie" else _header_prints(lower, value)
        ):
            found.setdefault((print_.name, print_.role), print_)
    order: Sequence[Role] = ("challenge", "bot_manager", "cdn")
    return tuple(sorted(found.values(), key=lambda print_: order.index(print_.role)))


def challenge_in(
    status: int, headers: Iterable[tuple[str, str]], body: bytes
) -> Fingerprint | None:
    """The challenge this answer is, if it is one: by a header that says so, or by its page."""
    known = recognise(headers)
    for print_ in known:
        if print_.role == "challenge":
            return print_
    if status not in _REFUSALS and len(body) > TINY_BODY:
        return None
    start = body[:LOOKED_AT].lower()
    for name, marker in _MARKERS:
        if marker in start:
            if status not in _REFUSALS and not _says_little(body):
                return None  # an article may well speak of such things
            # Makers copy each other's words; what the headers say goes before what the page says.
            managers = [print_.name for print_ in known if print_.role == "bot_manager"]
            maker = (managers or [name])[0] or (known[0].name if known else "unknown")
            return Fingerprint(maker, "challenge", f"page contains {marker.decode()!r}")
    return None


def _says_little(body: bytes) -> bool:
    seen = body.lower()
    for tag in _UNSEEN:
        first, *others = seen.split(b"<" + tag)
        seen = first + b"".join(other.partition(b"</" + tag)[2] for other in others)
    return len(b"".join(_TAG.sub(b"", seen).split())) <= FEW_LETTERS


def _header_prints(name: str, value: str) -> Iterable[Fingerprint]:
    for maker, role, header, part in _HEADERS:
        if name == header and part in value.lower():
            yield Fingerprint(maker, role, f"{header}: {value[:80]}")


def _cookie_prints(value: str) -> Iterable[Fingerprint]:
    cookie = value.partition("=")[0].strip()
    for maker, role, start in _COOKIES:
        if cookie.lower().startswith(start.lower()):
            yield Fingerprint(maker, role, f"cookie {cookie[:80]}")
