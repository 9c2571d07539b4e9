"""TDMRep of the W3C: whether text and data mining is reserved, and on what terms it is offered.

Pure. The file `/.well-known/tdmrep.json`, the values of headers and meta tags, and the policy (an ODRL
offer) that they may name. Which of them has the say is decided in `tdm_verdict`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from wireroom.errors import ParseError
from wireroom.parse.encoding import decode
from wireroom.parse.metadata.lenient_json import read_values
from wireroom.parse.page_tags import Fields, PageTags, values_of
from wireroom.parse.plain_text import line
from wireroom.parse.soft_404 import check_present
from wireroom.urls import web_link

# W3C community group final report of 2024-05-10; ODRL 2.2
MAX_BYTES: Final = 1_000_000  # the longest files seen have some hundred rules
MAX_RULES: Final = 2_000
MAX_PATTERN: Final = 2_048  # characters
MAX_PERMISSIONS: Final = 100  # of a policy
MAX_NAME: Final = 300  # characters of a contact

_RESERVATION: Final = re.compile(rb'"tdm-reservation"\s*+:')

TdmDuty = Literal["consent", "compensation"]
TdmPurpose = Literal["any", "research", "non-research"]
_DUTIES: Final[dict[str, TdmDuty]] = {"obtainconsent": "consent", "compensate": "compensation"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TdmWord:
    """What one place says; None where it says nothing that counts."""

    reservation: Literal[0, 1] | None = None
    policy_url: str = ""
    unclear: str = ""
    """A word that is neither 0 nor 1, as it is written: it may reserve."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TdmRule:
    """One entry of the file: a path pattern and what is said about it."""

    location: str
    reservation: Literal[0, 1] | None = None
    policy_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TdmFile:
    """The rules in their order, of which the first that fits has the say."""

    rules: tuple[TdmRule, ...] = ()
    skipped: int = 0
    """Entries that could not be read, or were past our limit."""
    unclear: int = 0
    """Rules whose word is neither 0 nor 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TdmPage:
    """What one page says of itself, in its headers and in its meta tags."""

    url: str
    header: TdmWord = TdmWord()
    meta: TdmWord = TdmWord()


@dataclass(frozen=True, slots=True, kw_only=True)
class TdmPermission:
    """One thing the policy offers: for which purpose, and what has to be done for it."""

    duties: tuple[TdmDuty, ...] = ()
    purpose: TdmPurpose = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class TdmPolicy:
    """An offer: who makes it, and on what terms."""

    url: str
    permissions: tuple[TdmPermission, ...] = ()
    assigner: str = ""
    email: str = ""
    contact_url: str = ""

    @property
    def duties(self) -> tuple[TdmDuty, ...]:
        """Everything that any of its permissions asks for, once."""
        return tuple(
            dict.fromkeys(duty for permission in self.permissions for duty in permission.duties)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TdmFacts:
    """The file, what pages say, and the policies that they name."""

    file_url: str = ""
    file_asked_url: str = ""
    """Where the file was asked for, if it was read elsewhere: it speaks for that host."""
    file: TdmFile | None = None
    pages: tuple[TdmPage, ...] = ()
    policies: tuple[TdmPolicy, ...] = ()


def page_of(tags: PageTags) -> TdmPage:
    """What one page says in its headers and its meta tags."""
    return TdmPage(
        url=tags.url,
        header=_word_of(tags.headers, tags.url),
        meta=_word_of(tags.metas, tags.base_url),
    )


def read_page(tags: PageTags) -> TdmFacts:
    """What an article's page says of itself."""
    return TdmFacts(pages=(page_of(tags),))


def _word_of(fields: Fields, base_url: str) -> TdmWord:
    """Header and meta tag have the same names; a 1 beside a 0 is a reservation."""
    written = [
        word.strip()
        for value in values_of(fields, "tdm-reservation")
        for word in value.split(",")  # headers of one name may come as one
    ]
    words = {read_reservation(word) for word in written}
    unclear = (word for word in written if word and read_reservation(word) is None)
    policies = (web_link(base_url, value) for value in values_of(fields, "tdm-policy"))
    return TdmWord(
        reservation=1 if 1 in words else 0 if 0 in words else None,
        policy_url=next(filter(None, policies), ""),
        unclear=line(next(unclear, ""), MAX_NAME),
    )


def read_reservation(value: object) -> Literal[0, 1] | None:
    """0 or 1 as written in a header, a meta tag or JSON; None for anything else."""
    if isinstance(value, bool):
        return None
    text = value.strip() if isinstance(value, str) else value
    if text in ("1", 1):
        return 1
    return 0 if text in ("0", 0) else None


def read_tdm_file(body: bytes, *, base_url: str = "", content_type: str = "") -> TdmFile:
    """The rules of a tdmrep.json; raises ParseError for whatever is no list of them."""
    value = _json(body, content_type, "tdmrep.json")
    if not isinstance(value, list):
        raise ParseError("tdmrep.json must be a list of rules, even of a single one")
    rules = tuple(_rules(value[:MAX_RULES], base_url))
    unclear = sum(map(_is_unclear, value[:MAX_RULES]))
    return TdmFile(rules=rules, skipped=len(value) - len(rules), unclear=unclear)


def read_tdm_policy(body: bytes, *, url: str, content_type: str = "") -> TdmPolicy:
    """The offer in these bytes; raises ParseError when there is none."""
    value = _json(body, content_type, "a TDM policy")
    if isinstance(value, list):
        value = next((entry for entry in value if isinstance(entry, dict)), None)
    if not isinstance(value, dict):
        raise ParseError("a TDM policy must be an ODRL offer, which is an object")
    assigner = value.get("assigner") or value.get("odrl:assigner")
    contact: Mapping[str, Any] = assigner if isinstance(assigner, dict) else {}
    permissions = tuple(_permissions(value))
    if not permissions and not contact:
        raise ParseError("a TDM policy without permissions and without a contact")
    return TdmPolicy(
        url=url,
        permissions=permissions,
        assigner=_word(contact, "vcard:fn", "vcard:organization-name", "fn", "name"),
        email=_word(contact, "vcard:hasEmail", "hasEmail", "email").removeprefix("mailto:"),
        contact_url=_word(contact, "vcard:hasURL", "hasURL", "vcard:url", "url"),
    )


def _json(body: bytes, content_type: str, what: str) -> Any:
    check_present(body, content_type, what, _RESERVATION)
    if len(body) > MAX_BYTES:
        raise ParseError(f"{what} is longer than {MAX_BYTES:,} bytes")
    values = read_values(decode(body, content_type=content_type, kind="json").text)
    if len(values) != 1:
        raise ParseError(f"{what} is no JSON")
    return values[0]


def _rules(entries: list[Any], base_url: str) -> Iterator[TdmRule]:
    for entry in entries:
        location = entry.get("location") if isinstance(entry, dict) else None
        if not isinstance(location, str) or not 0 < len(location.strip()) <= MAX_PATTERN:
            continue  # the beginning of a pattern fits more than the pattern
        policy = entry.get("tdm-policy")
        yield TdmRule(
            location=line(location, MAX_PATTERN),
            reservation=read_reservation(entry.get("tdm-reservation")),
            policy_url=web_link(base_url, policy) if isinstance(policy, str) else "",
        )


def _is_unclear(entry: object) -> bool:
    """Whether a rule reserves something by a word that is neither 0 nor 1."""
    if not isinstance(entry, dict) or not isinstance(entry.get("location"), str):
        return False
    written = entry.get("tdm-reservation")
    return written is not None and read_reservation(written) is None


def _permissions(policy: Mapping[str, Any]) -> Iterator[TdmPermission]:
    for permission in _many(policy.get("permission") or policy.get("odrl:permission")):
        duties = (
            _DUTIES.get(_local(duty.get("action") or duty.get("odrl:action")))
            for duty in _many(permission.get("duty") or permission.get("odrl:duty"))
        )
        yield TdmPermission(
            duties=tuple(dict.fromkeys(duty for duty in duties if duty is not None)),
            purpose=_purpose(permission),
        )


def _purpose(permission: Mapping[str, Any]) -> TdmPurpose:
    for constraint in _many(permission.get("constraint") or permission.get("odrl:constraint")):
        right = constraint.get("rightOperand") or constraint.get("odrl:rightOperand")
        name = _local(right)
        if name in {"research", "non-research"}:
            return "research" if name == "research" else "non-research"
    return "any"


def _many(value: object) -> list[Mapping[str, Any]]:
    many = value if isinstance(value, list) else [value]
    return [node for node in many[:MAX_PERMISSIONS] if isinstance(node, dict)]


def _local(value: object) -> str:
    """The last part of a name: `obtainconsent` of `odrl:obtainConsent`, an object or an address."""
    for _ in range(3):  # an action may be a list of an object of a value
        if isinstance(value, list):
            value = value[0] if value else ""
        elif isinstance(value, dict):
            value = value.get("@id") or value.get("rdf:value") or value.get("@value") or ""
    if not isinstance(value, str):
        return ""
    return value.strip().rpartition("#")[2].rpartition("/")[2].rpartition(":")[2].lower()


def _word(contact: Mapping[str, Any], *names: str) -> str:
    for name in names:
        value = contact.get(name)
        if isinstance(value, dict):
            value = value.get("@id") or value.get("@value")
        if isinstance(value, str) and value.strip():
            return line(value, MAX_NAME)
    return ""
