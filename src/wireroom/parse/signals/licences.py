"""Licences known by their address, and the fields of schema.org that speak of rights.

Pure. `https://creativecommons.org/licenses/by-nc/4.0/deed.de` is `CC BY-NC 4.0`; other well-known
licences have a code and no more. What a code permits is decided in `wireroom.rights`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from wireroom.parse.plain_text import line_of_html

LicencePlace = Literal["html_link", "html_anchor", "json_ld", "header", "feed", "robots", "article"]
RIGHTS_FIELDS: Final = (
    "license",
    "usageInfo",
    "acquireLicensePage",
    "copyrightNotice",
    "creditText",
    "conditionsOfAccess",
)
MAX_FIELDS: Final = 50  # of one page
MAX_FIELD: Final = 500  # characters
MAX_URL: Final = 500  # characters of an address that is looked at

_CC: Final = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/licen[cs]es/([a-z+-]{2,20})(?:/(\d\.\d))?(?:/([a-z]{2,10}))?(?:[/?#]|$)",
    re.IGNORECASE,
)
_CC_PUBLIC: Final = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/publicdomain/(zero|mark)(?:/(\d\.\d))?(?:[/?#]|$)",
    re.IGNORECASE,
)
_ELEMENTS: Final = ("by", "nc", "nd", "sa")
_NOT_A_PLACE: Final = frozenset({"deed", "legalcode", "rdf"})
# Well-known others by the beginning of their address, as of November 2026.
_OTHERS: Final = (
    ("nationalarchives.gov.uk/doc/open-government-licence", "OGL"),
    ("www.govdata.de/dl-de/by-2-0", "DL-DE-BY-2.0"),
    ("www.govdata.de/dl-de/zero-2-0", "DL-DE-ZERO-2.0"),
    ("www.etalab.gouv.fr/licence-ouverte", "ETALAB"),
    ("opendatacommons.org/licenses/by", "ODC-BY"),
    ("opendatacommons.org/licenses/odbl", "ODBL"),
    ("opendatacommons.org/licenses/pddl", "PDDL"),
    ("www.gnu.org/licenses/fdl", "GFDL"),
    ("www.gnu.org/copyleft/fdl", "GFDL"),
    ("data.norge.no/nlod", "NLOD"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LicenceNotice:
    """A licence that was named, where, and its code when its address is known."""

    url: str
    code: str = ""
    place: LicencePlace
    excerpt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LicenceField:
    """One field of schema.org about rights, as said."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LicencePage:
    """What one page says of its licence."""

    url: str
    notices: tuple[LicenceNotice, ...] = ()
    fields: tuple[LicenceField, ...] = ()


def licence_code(url: str) -> str:
    """The code of a well-known licence (`CC BY-NC 4.0`, `CC0 1.0`, `OGL`), empty for any other."""
    url = url.strip()[:MAX_URL]
    if public := _CC_PUBLIC.match(url):
        name = "CC0" if public[1].lower() == "zero" else "PDM"
        return f"{name} {public[2]}" if public[2] else name
    if match := _CC.match(url):
        return _cc_code(match)
    address = url.lower().partition("://")[2].removeprefix("www.")
    for start, code in _OTHERS:
        if address.startswith(start.removeprefix("www.")):
            return code
    return ""


def _cc_code(match: re.Match[str]) -> str:
    parts = set(match[1].lower().split("-"))
    if not parts <= set(_ELEMENTS):
        return ""  # sampling and developing nations: withdrawn, and nothing we could map
    kind = "-".join(name.upper() for name in _ELEMENTS if name in parts)
    place = match[3] or ""
    place = "" if place.lower() in _NOT_A_PLACE else place.upper()
    return " ".join(word for word in ("CC", kind, match[2] or "", place) if word)


def creative_commons(code: str) -> frozenset[str] | None:
    """The elements of a Creative Commons code (`by`, `nc`, `nd`, `sa`; none for CC0), else None."""
    words = code.lower().split()
    if words[:1] == ["cc0"]:
        return frozenset()
    if words[:1] != ["cc"] or len(words) < 2:
        return None
    return frozenset(words[1].split("-"))


def rights_fields(nodes: Iterable[Mapping[str, Any]]) -> tuple[LicenceField, ...]:
    """What the nodes of linked data about a page say of rights, each once."""
    found = dict.fromkeys(_fields(nodes))
    return tuple(found)[:MAX_FIELDS]


def _fields(nodes: Iterable[Mapping[str, Any]]) -> Iterator[LicenceField]:
    for node in nodes:
        for name in RIGHTS_FIELDS:
            for value in _texts(node.get(name)):
                yield LicenceField(name=name, value=value)


def _texts(value: object) -> Iterator[str]:
    for one in (value if isinstance(value, list) else [value])[:MAX_FIELDS]:
        said = one
        if isinstance(said, dict):
            said = said.get("url") or said.get("@id") or said.get("name")
        if isinstance(said, str) and (text := line_of_html(said, MAX_FIELD)):
            yield text
