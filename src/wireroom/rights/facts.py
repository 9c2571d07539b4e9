"""The shape of what scouting steps save for the judgement of rights: one frozen value per step.

`to_facts` makes plain JSON of a value, `facts_of` the value of a finding's JSON. This is the contract
between steps and families; docs/extend/facts.md shows it as a table. Steps may add keys of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import msgspec

from wireroom.model import ConditionKind, Finding
from wireroom.parse.robots.robots_lines import cut_to_size, split_lines, without_bom, without_nul
from wireroom.parse.robots.rule_matching import escaped
from wireroom.parse.signals.licences import LicencePage
from wireroom.parse.signals.page import HeaderPage
from wireroom.parse.signals.robots_tag import RobotsTagPage
from wireroom.parse.signals.rsl_nouns import RslNotice
from wireroom.parse.signals.tdmrep import TdmFile, TdmPage, TdmPolicy
from wireroom.parse.signals.trust_txt import TrustTxt

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsFacts:
    """robots.txt of the publisher: `text` is empty unless it was found."""

    url: str
    """The address that was asked for: rules hold for its host, wherever they came from."""
    state: Literal["found", "absent", "unreachable"] = "found"
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFacts:
    """A file in the form of robots.txt, kept as its text."""

    url: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderFacts:
    """The headers of one name on the pages that were looked at."""

    pages: tuple[HeaderPage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RslFacts:
    """Every place that names an RSL document, with the document where it could be had."""

    notices: tuple[RslNotice, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TdmFacts:
    """TDMRep: the file, what pages say, and the policies that they name."""

    file_url: str = ""
    file: TdmFile | None = None
    pages: tuple[TdmPage, ...] = ()
    policies: tuple[TdmPolicy, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsTagFacts:
    """X-Robots-Tag and meta robots of the pages that were looked at."""

    pages: tuple[RobotsTagPage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustFacts:
    """trust.txt of the publisher."""

    url: str
    file: TrustTxt = field(default_factory=TrustTxt)


@dataclass(frozen=True, slots=True, kw_only=True)
class LicenceFacts:
    """Licences that pages, feeds or robots.txt name."""

    pages: tuple[LicencePage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservationNote:
    """Rights reserved in prose, quoted."""

    url: str
    quote: str
    line: int | None = None
    last_line: int | None = None
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentFacts:
    """Reservations in comments of other files than robots.txt."""

    reservations: tuple[ReservationNote, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedCondition:
    """A condition that a sentence of the terms states."""

    kind: ConditionKind
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsWord:
    """What the terms of service say of one activity, with the sentence that says it."""

    word: Literal["permitted", "prohibited", "conditional", "silent"] = "silent"
    quote: str = ""
    url: str = ""
    conditions: tuple[StatedCondition, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsFacts:
    """The terms of service, activity by activity; others than ours are passed over."""

    activities: Mapping[str, TermsWord] = field(default_factory=dict)


def to_facts(value: object) -> dict[str, Any]:
    """The value as plain JSON, for `Finding.facts`."""
    facts: dict[str, Any] = msgspec.to_builtins(value)
    return facts


def facts_of(finding: Finding, kind: type[T]) -> T | None:
    """The finding's facts as this kind of value; None when nobody looked or they cannot be read."""
    if finding.verdict in {"failed", "skipped"}:
        return None
    try:
        return msgspec.convert(dict(finding.facts), kind)
    except msgspec.ValidationError:
        return None


def robots_text(body: bytes) -> str:
    """A robots.txt as text that can be stored and reads the same: every rule, every line number.

    Bytes that are no UTF-8 are escaped in rules, as addresses have them, and taken for windows-1252 in
    comments. What no reader looks at (past the limit, behind a NUL) is left out.
    """
    sound = without_nul(cut_to_size(without_bom(body))[0])
    return "\n".join(map(_line_text, split_lines(sound)))


def _line_text(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        rule, mark, comment = line.partition(b"#")
        said = comment.decode("cp1252", "replace")
        return escaped(rule).decode("ascii", "replace") + mark.decode("ascii") + said
