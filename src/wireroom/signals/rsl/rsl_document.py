"""Documents of Really Simple Licensing: XML becomes what may be used, by whom, for what price.

Pure. No DOCTYPE, at most 1 MB and 1,024 contents; elements of other namespaces are passed over. A
document that breaks these rules raises ParseError: an unread licence is no licence. What the terms come
to for an address is decided in `rsl_verdict`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from wireroom.errors import ParseError, UnknownFormatError
from wireroom.parse.kind import kind_of
from wireroom.parse.plain_text import line
from wireroom.parse.xmltree import element_text, read_tree

# What reading a document of Really Simple Licensing gives back. No logic.
#
# Vocabulary of RSL 1.0, Recommendation of November 2025 with its errata up to June 2026.

NAMESPACE: Final = "https://rslstandard.org/rsl"
USAGES: Final = ("all", "ai-all", "ai-train", "ai-input", "ai-index", "search")
OLD_USAGES: Final = {
    "train-ai": "ai-train",
    "train-genai": "ai-train",
    "ai-inference": "ai-input",
    "inference": "ai-input",
    "ai-use": "ai-input",
    "ai-summarize": "ai-input",
}
"""Words of drafts, and what they are called now."""
USERS: Final = ("commercial", "non-commercial", "education", "government", "personal")
PAYMENTS: Final = (
    "purchase",
    "subscription",
    "training",
    "crawl",
    "use",
    "contribution",
    "attribution",
    "free",
    "inference",
    "royalty",
)
"""The last two are of drafts."""

RslPlace = Literal["robots", "header", "html_link", "html_script", "feed", "beyond"]
"""The last is what stands behind a limit of the page, whatever that is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RslPayment:
    """What a licence costs, and how it is paid."""

    type: str = "free"
    standard_urls: tuple[str, ...] = ()
    custom_url: str = ""
    amount: str = ""
    currency: str = ""
    accepts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RslLegal:
    """A statement about the licence: a warranty, a disclaimer, an attestation, a contact, a proof."""

    type: str
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RslReporting:
    """What has to be reported, and where."""

    type: str
    profile: str = ""
    endpoint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RslLicence:
    """One licence; None for a list that is not there, which is not the same as an empty one."""

    permits_usage: tuple[str, ...] | None = None
    permits_user: tuple[str, ...] | None = None
    permits_geo: tuple[str, ...] | None = None
    prohibits_usage: tuple[str, ...] = ()
    prohibits_user: tuple[str, ...] = ()
    prohibits_geo: tuple[str, ...] = ()
    payments: tuple[RslPayment, ...] = ()
    legal: tuple[RslLegal, ...] = ()
    reporting: tuple[RslReporting, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RslCopyright:
    """Who holds the rights."""

    name: str = ""
    type: str = ""
    email: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RslContent:
    """What a set of addresses may be used for; `url` is a path pattern or an address with one."""

    url: str = ""
    server: str = ""
    """Where a token has to be got before the content is used, even if it is free."""
    encrypted: bool = False
    lastmod: str = ""
    line: int | None = None
    licences: tuple[RslLicence, ...] = ()
    copyright: RslCopyright | None = None
    terms_url: str = ""
    schema_url: str = ""
    alternates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RslDocument:
    """A whole document."""

    contents: tuple[RslContent, ...] = ()
    max_age_days: int = 30
    mended: bool = False
    """Whether it was not well-formed: what it prohibits holds, what it permits may be half of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RslNotice:
    """A place that names a document, and the document when it could be had."""

    place: RslPlace
    licence_url: str = ""
    """Empty where the document stands in the page itself."""
    page_url: str = ""
    line: int | None = None
    agents: tuple[str, ...] = ()
    """Of the group of robots.txt it stands in; none outside of groups."""
    part: bool = False
    """Whether it speaks of an element of the page only."""
    excerpt: str = ""
    document: RslDocument | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RslFacts:
    """Every place that names an RSL document, with the document where it could be had."""

    notices: tuple[RslNotice, ...] = ()


MAX_BYTES: Final = 1_000_000  # the limit the recommendation gives readers
MAX_CONTENTS: Final = 1_024  # so does it here
MAX_LICENCES: Final = 64  # of one content; real ones have up to four
MAX_TERMS: Final = 64  # elements of one kind in a licence
MAX_TOKENS: Final = 300  # of one list: there are some 250 countries
MAX_LIST: Final = 40 * MAX_TOKENS  # characters of one list
MAX_TEXT: Final = 1_000  # characters of one value
DEFAULT_MAX_AGE: Final = 30  # days
LONGEST_MAX_AGE: Final = 3_650  # days; ten years are for ever

_DOCTYPE: Final = re.compile(rb"<!\s*(?:doctype|entity)", re.IGNORECASE)
_SEPARATOR: Final = re.compile(r"[\s,;]+")
_NAMESPACES: Final = frozenset({NAMESPACE, NAMESPACE + "/", NAMESPACE.replace("https:", "http:")})


def read_rsl(body: bytes, *, content_type: str = "") -> RslDocument:
    """The document in these bytes: a whole one, or a single `content` as feeds have it."""
    if len(body) > MAX_BYTES:
        raise ParseError(f"an RSL document of more than {MAX_BYTES:,} bytes")
    if kind_of(body).name in {"html", "empty"}:
        raise UnknownFormatError("a page, or nothing, instead of an RSL document")
    if _has_doctype(body):
        raise ParseError("an RSL document with a DOCTYPE, which the standard forbids")
    tree = read_tree(body, content_type=content_type)
    if tree.cut:
        raise ParseError("an RSL document whose end is missing")
    name = _name(tree.root)
    above = _lines_above(body, tree.source)
    if name == "content":
        return RslDocument(contents=(_content(tree.root, above),), mended=tree.mended)
    if name != "rsl":
        raise UnknownFormatError(f"no RSL document: its root is {line(str(tree.root.tag), 100)}")
    return _document(tree.root, above, mended=tree.mended)


def _has_doctype(body: bytes) -> bool:
    # UTF-16 has a zero beside each letter: without them one search does for every encoding.
    return _DOCTYPE.search(body.replace(b"\x00", b"") if b"\x00" in body else body) is not None


def _lines_above(body: bytes, source: bytes) -> int:
    """How many lines stand in front of the root, which the parser did not see."""
    return max(0, body.count(b"\n") - source.count(b"\n"))


def _document(root: Any, above: int, *, mended: bool) -> RslDocument:
    contents = [child for child in root if _name(child) == "content"]
    if len(contents) > MAX_CONTENTS:
        raise ParseError(f"an RSL document of more than {MAX_CONTENTS:,} contents")
    if not contents:
        raise ParseError("an RSL document without a single content")
    age = (root.get("max-age") or "").strip()
    days = int(age) if age.isascii() and age.isdigit() and len(age) < 6 else DEFAULT_MAX_AGE
    return RslDocument(
        contents=tuple(_content(element, above) for element in contents),
        max_age_days=min(days, LONGEST_MAX_AGE),
        mended=mended,
    )


def _name(element: Any) -> str:
    """The local name of an element of ours (or of no namespace), empty for any other."""
    if not isinstance(element.tag, str):
        return ""
    space, _, local = element.tag.rpartition("}")
    space = space.removeprefix("{")
    return str(local) if not space or space in _NAMESPACES else ""


def _children(element: Any, name: str, limit: int = MAX_TERMS) -> list[Any]:
    found = [child for child in element if _name(child) == name]
    if len(found) > limit:
        raise ParseError(f"more than {limit} elements {name} in one place of an RSL document")
    return found


def _text(element: Any) -> str:
    return line(element_text(element), MAX_TEXT)


def _first_text(element: Any, name: str) -> str:
    return next((_text(child) for child in _children(element, name)), "")


def _attribute(element: Any, name: str) -> str:
    return line(element.get(name) or "", MAX_TEXT)


def _content(element: Any, above: int) -> RslContent:
    if len(element.get("url") or "") > MAX_TEXT:
        # The beginning of a pattern fits more than the pattern.
        raise ParseError(f"an address of more than {MAX_TEXT:,} characters in an RSL document")
    return RslContent(
        url=_attribute(element, "url"),
        server=_attribute(element, "server"),
        encrypted=_attribute(element, "encrypted").lower() == "true",
        lastmod=_attribute(element, "lastmod"),
        line=element.sourceline + above if element.sourceline else None,
        licences=tuple(_licence(child) for child in _children(element, "license", MAX_LICENCES)),
        copyright=next((_copyright(child) for child in _children(element, "copyright")), None),
        terms_url=_first_text(element, "terms"),
        schema_url=_first_text(element, "schema"),
        alternates=tuple(_text(child) for child in _children(element, "alternate")),
    )


def _copyright(element: Any) -> RslCopyright:
    return RslCopyright(
        name=_text(element),
        type=_attribute(element, "type"),
        email=_attribute(element, "contactEmail"),
        url=_attribute(element, "contactUrl"),
    )


def _licence(element: Any) -> RslLicence:
    permits, prohibits = _children(element, "permits"), _children(element, "prohibits")
    usage = _listed(permits, "usage")
    return RslLicence(
        permits_usage=None if usage is None else _usages(usage),
        permits_user=_listed(permits, "user"),
        permits_geo=_places(_listed(permits, "geo")),
        prohibits_usage=_usages(_listed(prohibits, "usage") or ()),
        prohibits_user=_listed(prohibits, "user") or (),
        prohibits_geo=_places(_listed(prohibits, "geo")) or (),
        payments=tuple(_payment(child) for child in _children(element, "payment")),
        legal=tuple(
            RslLegal(type=_attribute(child, "type"), value=_text(child))
            for child in _children(element, "legal")
        ),
        reporting=tuple(_reporting(child) for child in _children(element, "reporting")),
    )


def _listed(elements: list[Any], kind: str) -> tuple[str, ...] | None:
    """The tokens of all elements of one type together; None when there is no such element."""
    own = [element for element in elements if _attribute(element, "type").lower() == kind]
    if not own:
        return None
    return tuple(dict.fromkeys(token for element in own for token in _tokens(element)))


def _tokens(element: Any) -> Iterator[str]:
    text = element_text(element)
    tokens = _SEPARATOR.split(text[: MAX_LIST + 1].lower())
    if len(text) > MAX_LIST or len(tokens) > MAX_TOKENS:
        raise ParseError(f"a list of more than {MAX_TOKENS} words in an RSL document")
    for token in tokens:
        if token:
            yield line(token, 60)


def _usages(tokens: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(OLD_USAGES.get(token, token) for token in tokens))


def _places(tokens: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return None if tokens is None else tuple(token.upper() for token in tokens)


def _payment(element: Any) -> RslPayment:
    amount = next(iter(_children(element, "amount")), None)
    return RslPayment(
        type=_attribute(element, "type").lower() or "free",
        standard_urls=tuple(_text(child) for child in _children(element, "standard")),
        custom_url=_first_text(element, "custom"),
        amount="" if amount is None else _text(amount),
        currency="" if amount is None else _attribute(amount, "currency").upper(),
        accepts=tuple(_attribute(child, "type") for child in _children(element, "accepts")),
    )


def _reporting(element: Any) -> RslReporting:
    return RslReporting(
        type=_attribute(element, "type"),
        profile=_attribute(element, "profile"),
        endpoint=_attribute(element, "endpoint"),
    )
