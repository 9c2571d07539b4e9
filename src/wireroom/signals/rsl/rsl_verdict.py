"""Really Simple Licensing: which of the contents that cover an address has the say, and what it says.

Among the contents that cover the address the most specific one sets permissions and payment, of equal
ones the strictest; but every covering prohibition stays. The list of permissions is closed: what is not on
it is denied. A document that is named and cannot be used makes nothing allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from wireroom.model import USES, Condition, Signal, Use, Word
from wireroom.parse.robots.rule_matching import matches
from wireroom.rights.finding_index import FindingIndex
from wireroom.rights.robots_rules import RobotsFacts, robots_found
from wireroom.rights.statements import (
    make_signals,
    page_scope,
    path_in,
    rooted,
    same_publisher,
    wire_path,
)
from wireroom.signals.rsl.rsl_offers import Offer, covers_use, offer_of
from wireroom.signals.rsl.rsl_types import RslContent, RslFacts, RslLicence, RslNotice
from wireroom.urls import same_page
from wireroom.version import TOKEN

NAME: Final = "rsl"
_STRICTEST: Final[tuple[Word, ...]] = ("deny", "paid", "unknown", "allow")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cover:
    """A content that covers the address, by which notice, and how closely."""

    content: RslContent
    notice: RslNotice
    rank: tuple[bool, int]
    """Whether the page itself names it, and how long its pattern is."""


def signals_for(findings: FindingIndex, url: str) -> tuple[Signal, ...]:
    """What the documents say of every use of this page."""
    notices = [
        notice
        for facts in findings.of(NAME, RslFacts)
        for notice in facts.notices
        if _speaks_of(notice, findings, url)
    ]
    usable = {notice.licence_url for notice in notices if notice.document is not None}
    unread = [
        notice
        for notice in notices
        if notice.document is None and (not notice.licence_url or notice.licence_url not in usable)
    ]
    covers = sorted(
        (cover for notice in notices for cover in _covers(notice, url)), key=_closest_first
    )
    decided = tuple(
        signal for use in USES for signal in _of_use(use, covers, in_doubt=bool(unread))
    )
    return (*decided, *(signal for notice in unread for signal in _unread(notice)))


# --- which notices and contents ----------------------------------------------------------------


def _speaks_of(notice: RslNotice, findings: FindingIndex, url: str) -> bool:
    if notice.place != "robots":
        return same_page(notice.page_url, url)
    lines = [
        line.line for _, robots in robots_found(findings, url) for line in robots.licences(TOKEN)
    ]
    if lines:
        return notice.line in lines
    if findings.of("robots", RobotsFacts):
        return False
    return not notice.agents or bool({"*", TOKEN} & {name.lower() for name in notice.agents})


def _covers(notice: RslNotice, url: str) -> Iterator[_Cover]:
    if notice.document is None:
        return
    own_page = notice.place != "robots"
    for content in notice.document.contents:
        pattern = _pattern(content, notice, url)
        if pattern is None:
            continue
        if not pattern and not own_page:
            continue  # an empty url takes its scope from the page that names it; robots.txt has none
        if not pattern or matches(wire_path(url), pattern):
            yield _Cover(content=content, notice=notice, rank=(own_page, len(pattern)))


def _closest_first(cover: _Cover) -> tuple[bool, int, str, int, str]:
    """One order whatever order the notices came in, so that the same place is always named."""
    own_page, length = cover.rank
    line = cover.content.line or 0
    return (not own_page, -length, cover.notice.licence_url, line, cover.content.url)


def _pattern(content: RslContent, notice: RslNotice, url: str) -> bytes | None:
    """The path pattern of a content; None where it speaks of somebody else's addresses."""
    if "://" not in content.url:
        return rooted(content.url)
    if not same_publisher(content.url, url):
        return None
    if notice.place == "feed" and not same_publisher(content.url, notice.licence_url):
        return None  # a feed speaks of its own origin alone
    return rooted(path_in(content.url))


# --- what they say -----------------------------------------------------------------------------


def _of_use(use: Use, covers: Sequence[_Cover], *, in_doubt: bool) -> tuple[Signal, ...]:
    for cover in covers:
        licence = _prohibiting(cover.content, use)
        if licence is not None:
            usages = " ".join(licence.prohibits_usage)
            return _signal(use, cover, Offer(word="deny", excerpt=f"prohibits usage: {usages}"))
    if not covers:
        return ()
    closest = max(cover.rank for cover in covers)
    offers = [
        (_doubted(offer_of(cover.content, use), cover, in_doubt=in_doubt), cover)
        for cover in covers
        if cover.rank == closest
    ]
    offer, cover = min(offers, key=lambda pair: _STRICTEST.index(pair[0].word))
    return _signal(use, cover, offer)


def _prohibiting(content: RslContent, use: Use) -> RslLicence | None:
    return next(
        (licence for licence in content.licences if covers_use(licence.prohibits_usage, use)), None
    )


def _doubted(offer: Offer, cover: _Cover, *, in_doubt: bool) -> Offer:
    """A permission that is half read, speaks of a part of the page, or may be limited elsewhere."""
    document = cover.notice.document
    mended = document is not None and document.mended
    if offer.word != "allow" or not (in_doubt or mended or cover.notice.part):
        return offer
    return Offer(word="unknown", excerpt=offer.excerpt, conditions=offer.conditions)


def _signal(use: Use, cover: _Cover, offer: Offer) -> tuple[Signal, ...]:
    notice, content = cover.notice, cover.content
    return make_signals(
        NAME,
        (use,),
        offer.word,
        url=notice.licence_url or notice.page_url,
        line_number=content.line,
        excerpt=offer.excerpt,
        scope=content.url or page_scope(notice.page_url),
        conditions=() if offer.word == "deny" else (*offer.conditions, *_token(content)),
    )


def _token(content: RslContent) -> tuple[Condition, ...]:
    if not content.server:
        return ()
    return (Condition(kind="payment", detail=f"a token from {content.server}"),)


def _unread(notice: RslNotice) -> tuple[Signal, ...]:
    return make_signals(
        NAME,
        USES,
        "unknown",
        url=notice.licence_url or notice.page_url,
        line_number=notice.line,
        excerpt=notice.problem or "the document was not read",
    )
