"""Really Simple Licensing: which of the contents that cover an address has the say, and what it says.

Among the contents that cover the address the most specific one sets permissions and payment, of equal
ones the strictest; but every covering prohibition stays. The list of permissions is closed: what is not on
it is denied. A document that is named and cannot be used makes nothing allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from wireroom.errors import ParseError
from wireroom.model import USES, Condition, Item, Signal, Use, Word
from wireroom.parse.page_tags import MAX_EXCERPT, MAX_LINKS, RSL_TYPE, LicenceTag, PageTags
from wireroom.parse.plain_text import line
from wireroom.parse.robots.rule_matching import matches
from wireroom.rights.finding_index import (
    FindingIndex,
    RobotsFacts,
    make_signals,
    page_scope,
    path_in,
    robots_found,
    rooted,
    same_publisher,
    wire_path,
)
from wireroom.signals.freshness import valid_until
from wireroom.signals.rsl.rsl_document import (
    USERS,
    RslContent,
    RslFacts,
    RslLicence,
    RslNotice,
    RslPayment,
    read_rsl,
)
from wireroom.urls import resolve, same_page
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
    notices = _notices(findings, url)
    unread = _unread_of(notices)
    covers = sorted(
        (cover for notice in notices for cover in _covers(notice, url)), key=_closest_first
    )
    decided = tuple(
        signal for use in USES for signal in _of_use(use, covers, in_doubt=bool(unread))
    )
    return (*decided, *(signal for notice in unread for signal in _unread(notice)))


def unseen(findings: FindingIndex, url: str) -> tuple[Signal, ...]:
    """Documents that are named for the page and could not be read: they might refuse every use.

    One that was read is as good as unread once its `max-age` is over; its refusals stand.
    """
    notices = _notices(findings, url)
    unread = [signal for notice in _unread_of(notices) for signal in _unread(notice)]
    return (*unread, *_over_later(findings, notices))


def _over_later(findings: FindingIndex, notices: Iterable[RslNotice]) -> Iterator[Signal]:
    until: dict[str, datetime] = {}
    for found in findings.findings(NAME):
        until |= valid_until(found)
    for notice in notices:
        if notice.document is not None and notice.licence_url in until:
            yield from make_signals(
                NAME,
                USES,
                "unknown",
                url=notice.licence_url,
                line_number=notice.line,
                excerpt=f"its max-age is over: {notice.document.max_age_days} days",
                holds_after=until[notice.licence_url],
            )


# --- which notices and contents ----------------------------------------------------------------


def _notices(findings: FindingIndex, url: str) -> list[RslNotice]:
    named = _named_in_robots(findings, url)
    return [
        notice
        for facts in findings.of(NAME, RslFacts)
        for notice in facts.notices
        if _speaks_of(notice, findings, url, named)
    ]


def _named_in_robots(findings: FindingIndex, url: str) -> frozenset[str]:
    """The documents that robots.txt names for us, by address: their lines move when others come and go.

    A line without a usable address is an empty one, as the notice of it is.
    """
    return frozenset(
        _resolved(robots_url, line.value)
        for robots_url, robots in robots_found(findings, url)
        for line in robots.licences(TOKEN)
    )


def _resolved(base: str, value: str) -> str:
    try:
        return resolve(base, value)
    except ValueError:
        return ""


def _unread_of(notices: Iterable[RslNotice]) -> list[RslNotice]:
    usable = {notice.licence_url for notice in notices if notice.document is not None}
    return [
        notice
        for notice in notices
        if notice.document is None and (not notice.licence_url or notice.licence_url not in usable)
    ]


def _speaks_of(notice: RslNotice, findings: FindingIndex, url: str, named: frozenset[str]) -> bool:
    if notice.place != "robots":
        return same_page(notice.page_url, url)
    if named:
        return notice.licence_url in named
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
    doubtful = in_doubt or mended or cover.notice.part or _is_strange(cover.notice)
    if offer.word != "allow" or not doubtful:
        return offer
    return Offer(word="unknown", excerpt=offer.excerpt, conditions=offer.conditions)


def _is_strange(notice: RslNotice) -> bool:
    """Whether a feed speaks of somebody else's page: it may refuse its own text, and permit nothing."""
    return notice.place == "feed" and not same_publisher(notice.licence_url, notice.page_url)


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


# Where a page or an item of a feed names an RSL document, or holds one.

MAX_ITEM_NOTICES: Final = 20  # RSL contents of one feed item; real ones have one


def page_notices(tags: PageTags) -> tuple[RslNotice, ...]:
    """Every place of the page, its headers first; one that was not read where a limit was met."""
    notices = (*_of_headers(tags), *_of_tags(tags))
    cut = tags.cut or (f"more than {MAX_LINKS} RSL links" if len(notices) > MAX_LINKS else "")
    return (*notices[:MAX_LINKS], *([_beyond(tags, cut)] if cut else []))


def _beyond(tags: PageTags, cut: str) -> RslNotice:
    problem = f"not looked at: {cut}"
    return RslNotice(place="beyond", page_url=tags.url, excerpt=problem, problem=problem)


def read_page(tags: PageTags) -> RslFacts | None:
    """What an article's page names; documents that it only names are not read."""
    notices = page_notices(tags)
    return RslFacts(notices=notices) if notices else None


def with_known(facts: object, known: FindingIndex) -> object:
    """The page's notices with the documents that a scout has read."""
    if not isinstance(facts, RslFacts):
        raise TypeError(f"facts of RSL, not {type(facts).__name__}")
    documents = {
        notice.licence_url: notice.document
        for read in known.of("rsl", RslFacts)
        for notice in read.notices
        if notice.document is not None and notice.licence_url
    }
    return RslFacts(
        notices=tuple(
            notice
            if notice.document is not None
            else replace(notice, document=documents.get(notice.licence_url))
            for notice in facts.notices
        )
    )


def named_documents(findings: FindingIndex, url: str) -> tuple[str, ...]:
    """The documents that the page names for itself, in its head, its text or its headers; not those of a part of it."""
    return tuple(
        notice.licence_url
        for facts in findings.of(NAME, RslFacts)
        for notice in facts.notices
        if notice.place not in {"robots", "feed"}
        and notice.licence_url
        and not notice.part
        and same_page(notice.page_url, url)
    )


def read_named(page_url: str, documents: Sequence[str]) -> RslFacts:
    """The facts of a page that names these documents."""
    return RslFacts(
        notices=tuple(
            RslNotice(place="html_link", licence_url=document, page_url=page_url)
            for document in documents
        )
    )


def read_item(item: Item) -> RslFacts | None:
    """The terms that a feed states for one item."""
    held = item.extra.get("rsl")
    terms = held if isinstance(held, list) else []
    problem = ""
    if len(terms) > MAX_ITEM_NOTICES:
        problem = f"not looked at: more than {MAX_ITEM_NOTICES} RSL contents of an item"
    elif "fields" in (item.extra.get("truncated") or ()):
        problem = "not looked at: an item with more elements than are read"
    if not terms and not problem:
        return None
    notices = tuple(_of_item(item, terms[:MAX_ITEM_NOTICES]))
    if problem:
        beyond = RslNotice(
            place="feed",
            licence_url=item.feed_url,
            page_url=item.url,
            excerpt=problem,
            problem=problem,
        )
        notices = (*notices, beyond)
    return RslFacts(notices=notices)


def _of_headers(tags: PageTags) -> Iterator[RslNotice]:
    for link in tags.header_licences:
        if link.type == RSL_TYPE:
            shown = f'Link: <{link.url}>; rel="license"; type="{RSL_TYPE}"'
            yield RslNotice(
                place="header",
                licence_url=link.url,
                page_url=tags.url,
                excerpt=line(shown, MAX_EXCERPT),
            )


def _of_tags(tags: PageTags) -> Iterator[RslNotice]:
    for tag in tags.licences:
        if tag.tag == "script":
            yield _of_script(tag, tags.url)
        elif tag.type == RSL_TYPE:
            yield RslNotice(
                place="html_link",
                licence_url=tag.url,
                page_url=tags.url,
                part=tag.part,
                excerpt=tag.shown,
            )


def _of_script(tag: LicenceTag, page_url: str) -> RslNotice:
    notice = RslNotice(
        place="html_script",
        page_url=page_url,
        part=tag.part,
        excerpt=line(tag.text, MAX_EXCERPT),
    )
    return _read(notice, tag.text)


def _of_item(item: Item, terms: Iterable[Any]) -> Iterator[RslNotice]:
    for term in terms:
        if isinstance(term, Mapping):
            notice = RslNotice(
                place="feed",
                # Another feed of the site may state terms for the same page.
                licence_url=str(term.get("feed_url") or item.feed_url),
                page_url=item.url,
                excerpt="<rsl:content> of an item",
            )
            yield _read(notice, str(term.get("xml", "")))


def _read(notice: RslNotice, xml: str) -> RslNotice:
    """The notice with the document that stands in its place, or why it cannot be read."""
    try:
        return replace(notice, document=read_rsl(xml.encode("utf-8", "replace")))
    except ParseError as exc:
        return replace(notice, problem=exc.message)


# What one content of an RSL document offers for one use: its licences are alternatives.
#
# A free licence comes before a paid one, a paid one before none. Without a list of permitted usages a licence
# says nothing, unless it has a price.

FREE: Final = frozenset({"free", "attribution"})  # every other way of paying is paying
_TOKENS: Final[dict[Use, frozenset[str]]] = {
    "search": frozenset({"search", "all"}),
    "ai-input": frozenset({"ai-input", "ai-all", "all"}),
    "ai-index": frozenset({"ai-index", "ai-all", "all"}),
    "ai-train": frozenset({"ai-train", "ai-all", "all"}),
    "archive": frozenset({"all"}),  # keeping a text has no word of its own
}
_BEST: Final[tuple[Word, ...]] = ("allow", "paid", "unknown", "deny")


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A word about one use, with what it depends on and how the licence puts it."""

    word: Word
    excerpt: str = ""
    conditions: tuple[Condition, ...] = ()


def covers_use(tokens: Iterable[str], use: Use) -> bool:
    """Whether a list of usages has the use in it, by its own name or a wider one."""
    return not _TOKENS[use].isdisjoint(tokens)


def offer_of(content: RslContent, use: Use) -> Offer:
    """The best that any licence of the content offers for the use."""
    if not content.licences:
        return Offer(word="unknown", excerpt="a content without a licence")
    offers = [_offer(licence, use) for licence in content.licences]
    # Of equal offers the one that asks for least; the first of those, so that order decides nothing else.
    return min(offers, key=lambda offer: (_BEST.index(offer.word), len(offer.conditions)))


def _offer(licence: RslLicence, use: Use) -> Offer:
    price = _price(licence)
    excerpt = _excerpt(licence, price)
    conditions = tuple(_conditions(licence, price))
    if licence.permits_usage is None:
        word: Word = "paid" if price.type not in FREE else "unknown"
        return Offer(word=word, excerpt=excerpt, conditions=conditions)
    if not covers_use(licence.permits_usage, use):
        return Offer(word="deny", excerpt=f"{excerpt}: {use} is not on the list")
    word = "allow" if price.type in FREE else "paid"
    return Offer(word=word, excerpt=excerpt, conditions=conditions)


def _price(licence: RslLicence) -> RslPayment:
    """The way to pay; of several the first that costs nothing, for they are alternatives."""
    if not licence.payments:
        return RslPayment()
    free = (payment for payment in licence.payments if payment.type in FREE)
    return next(free, licence.payments[0])


def _excerpt(licence: RslLicence, price: RslPayment) -> str:
    permitted = licence.permits_usage
    usage = "no list of usages" if permitted is None else f"permits usage: {' '.join(permitted)}"
    return f"{usage}; payment: {price.type}"


def _conditions(licence: RslLicence, price: RslPayment) -> Iterator[Condition]:
    if price.type == "attribution":
        yield Condition(kind="attribution", detail=", ".join(price.standard_urls))
    elif price.type not in FREE:
        yield Condition(kind="payment", detail=_price_tag(price))
    yield from _users(licence)
    if licence.permits_geo is not None:
        yield Condition(kind="territory", detail=" ".join(licence.permits_geo))
    if licence.prohibits_geo:
        yield Condition(kind="territory", detail=f"not {' '.join(licence.prohibits_geo)}")


def _users(licence: RslLicence) -> Iterator[Condition]:
    """Who may: without the commercial it is a condition of its own kind."""
    permitted = USERS if licence.permits_user is None else licence.permits_user
    left = [user for user in permitted if user not in licence.prohibits_user]
    if set(USERS) <= set(left):
        return
    if "commercial" not in left:
        yield Condition(kind="non-commercial", detail=" ".join(left))
    elif set(left) != {"commercial", "non-commercial"}:
        yield Condition(kind="users", detail=" ".join(left))


def _price_tag(price: RslPayment) -> str:
    where = price.custom_url or next(iter(price.standard_urls), "")
    amount = f"{price.amount} {price.currency}".strip()
    return ", ".join(filter(None, (price.type, amount, where)))
