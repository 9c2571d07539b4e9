"""The receipt that stays with an article: the rights it was taken under, as they stood.

Pure: the time is an argument, and so are the signals. What the article's own page and its feed item say is
part of it: `page_findings` and `item_findings` put that into the form that a scout's findings have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime

from wireroom.model import (
    Finding,
    Item,
    Receipt,
    RobotsWord,
    Signal,
    TypedFacts,
    Verdict,
)
from wireroom.parse.page_tags import Fields, PageTags, read_page_tags
from wireroom.ports import SignalPlug
from wireroom.rights.finding_index import AI_USES, REFUSALS, UNSCOUTED, FindingIndex, as_index
from wireroom.rights.verdicts import gather, unread_page, unseen, weigh


def make_receipt(
    plugs: Iterable[SignalPlug],
    findings: Iterable[Finding] | FindingIndex,
    url: str,
    *,
    robots_word: RobotsWord,
    licence_url: str = "",
    now: datetime,
    page_read: bool = False,
    page_unread: str = "",
    also: Iterable[Signal] = (),
) -> Receipt:
    """The verdicts for the page at this address; its licence, where it names one, counts as well.

    `page_read` says that the page itself was read, `page_unread` why it could not be; `also` are signals of other
    documents that count for it.
    """
    plugs = tuple(plugs)
    index = as_index(findings)
    page = index.of_page() if page_read else FindingIndex(())
    documents = _named_documents(plugs, page, url)
    if licence_url:
        own = [
            _finding(plug.name, facts, now)
            for plug in plugs
            if plug.read_licence is not None
            and (facts := plug.read_licence(url, licence_url)) is not None
        ]
        index = FindingIndex(own, parent=index)
    signals = {*gather(plugs, index, url), *also}

    def missing() -> tuple[Signal, ...]:
        of_page = unread_page(plugs, url, page_unread) if page_unread else ()
        return (*unseen(plugs, index, url, page_read=page_read), *of_page)

    return Receipt(
        verdicts=for_receipt(weigh(signals, unseen=missing, now=now)),
        robots=robots_word,
        licence_url=licence_url,
        checked_at=now,
        page_unread=page_unread or _why_unread(plugs, page, url, documents),
        unscouted=_is_unscouted(plugs, index),
        documents=documents,
    )


def _named_documents(plugs: Iterable[SignalPlug], page: FindingIndex, url: str) -> tuple[str, ...]:
    found = (plug.named_documents(page, url) for plug in plugs if plug.named_documents is not None)
    return tuple(dict.fromkeys(address for addresses in found for address in addresses))


def _why_unread(
    plugs: Iterable[SignalPlug], page: FindingIndex, url: str, documents: Collection[str]
) -> str:
    """Why a part of the page itself is not known; a document that it names may be read some other day."""
    missing = (signal.evidence for signal in unseen(plugs, page, url))
    return next((each.excerpt for each in missing if each.url not in documents), "")


def with_documents(
    plugs: Iterable[SignalPlug], receipt: Receipt, url: str, findings: FindingIndex
) -> FindingIndex:
    """The findings with what they know of the documents that the page named when it was read."""
    if not receipt.documents:
        return findings
    found = [
        _finding(plug.name, plug.with_known(facts, findings), receipt.checked_at)
        for plug in plugs
        if plug.read_named is not None and plug.with_known is not None
        for facts in (plug.read_named(url, receipt.documents),)
    ]
    return FindingIndex(found, parent=findings)


def _is_unscouted(plugs: Iterable[SignalPlug], index: FindingIndex) -> bool:
    steps = {step for plug in plugs for step in plug.steps}
    return any(found.facts.get(UNSCOUTED) for step in steps for found in index.findings(step))


def for_receipt(verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts as they are kept with every article: without those who decided nothing."""
    return tuple(
        replace(verdict, undecided=()) if verdict.undecided else verdict for verdict in verdicts
    )


def page_findings(
    plugs: Iterable[SignalPlug],
    tags: PageTags,
    *,
    now: datetime,
    known: Iterable[Finding] | FindingIndex | None = None,
) -> tuple[Finding, ...]:
    """What a page that was just read says of itself, as findings beside those of its publisher.

    Documents that the page names are taken from the `known` findings of a scout; one that is not among
    them counts as named and not read.
    """
    index = None if known is None else as_index(known)
    found = []
    for plug in plugs:
        facts = None if plug.read_page is None else plug.read_page(tags)
        if facts is not None and index is not None and plug.with_known is not None:
            facts = plug.with_known(facts, index)
        if facts is not None:
            found.append(_finding(plug.name, facts, now))
    return tuple(found)


def item_findings(
    plugs: Iterable[SignalPlug], item: Item, url: str, *, now: datetime
) -> tuple[Finding, ...]:
    """What the feed says of the page in its item, which was found at `url` in the end."""
    item = replace(item, url=url or item.url)
    return tuple(
        _finding(plug.name, facts, now)
        for plug in plugs
        if plug.read_item is not None and (facts := plug.read_item(item)) is not None
    )


def feed_refusals(
    plugs: Iterable[SignalPlug], headers: Fields, feed_url: str, *, now: datetime
) -> tuple[Signal, ...]:
    """What the headers of a feed refuse machines, for texts that were taken from the feed itself.

    Only uses by machines: `noindex` on a feed is about the feed as a search result, and common.
    """
    plugs = tuple(plugs)
    found = FindingIndex(page_findings(plugs, _header_tags(headers, feed_url), now=now))
    return tuple(
        replace(signal, scope="")
        for signal in gather(plugs, found, feed_url)
        if signal.value in REFUSALS and signal.use in AI_USES
    )


def feed_unread(
    plugs: Iterable[SignalPlug], headers: Fields, feed_url: str, *, now: datetime
) -> str:
    """Why the headers of a feed were not all read, which may refuse; empty where they were."""
    plugs = tuple(plugs)
    found = FindingIndex(page_findings(plugs, _header_tags(headers, feed_url), now=now))
    return next((signal.evidence.excerpt for signal in unseen(plugs, found, feed_url)), "")


def _header_tags(headers: Fields, feed_url: str) -> PageTags:
    return read_page_tags(None, url=feed_url, headers=headers)


def _finding(step: str, facts: object, now: datetime) -> Finding:
    return Finding(step=step, outcome="yes", facts=TypedFacts(facts), found_at=now)
