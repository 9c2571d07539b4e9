"""What workers do for `run` and `reparse`: the answer of a feed to items, a page to a reading.

Wires the pure rooms together, in a process of its own: parse, rights, duplicates and what poll decides about
feeds and leads. Nothing here fetches or saves, and the time is that of the answer.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from wireroom.errors import NoArticleError, ParseError
from wireroom.model import (
    Article,
    Feed,
    Finding,
    Hints,
    Item,
    Lead,
    Polled,
    Problem,
    RawPage,
    Reading,
    Response,
    RobotsWord,
    Signal,
    Signature,
)
from wireroom.rights.policy import Policy
from wireroom.urls import article_id
from wireroom.workers.document_jobs import Unread, kind_of_error
from wireroom.workers.scout_jobs import DocumentRead

if TYPE_CHECKING:
    from wireroom.duplicates import ClusterOptions
    from wireroom.parse.article import ArticleReading, ExtractConfig
    from wireroom.parse.page_tags import PageTags
    from wireroom.rights.finding_index import FindingIndex


CONTEXTS_KEPT = 128  # publishers of which a worker knows the rights; each some 100 KB


@dataclass(frozen=True, slots=True)
class PublisherContext:
    """What is known of a publisher, packed once and opened once in each worker."""

    packed: bytes


def pack_context(findings: Iterable[Finding], boilerplate: Iterable[str]) -> PublisherContext:
    """What workers are to know of a publisher."""
    return PublisherContext(pickle.dumps((tuple(findings), frozenset(boilerplate)), 5))


@lru_cache(maxsize=CONTEXTS_KEPT)
def _opened(packed: bytes) -> tuple[FindingIndex, frozenset[str]]:
    from wireroom.rights.finding_index import FindingIndex

    findings, boilerplate = pickle.loads(packed)  # noqa: S301 - packed by `pack_context` in our parent
    return FindingIndex(findings), boilerplate


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedAnswer:
    """What a feed's server answered."""

    feed: Feed
    response: Response
    mirror: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAnswer:
    """What the server of a lead answered."""

    lead: Lead
    response: Response
    hints: Hints
    context: PublisherContext
    keep_raw: bool = False
    """The reading has an empty raw page where it may be kept; see `with_page`."""
    jitter: float = 0.0
    """Spreads the next attempt, if there has to be one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWords:
    """What a page answered that was asked for what it says of rights alone, or why it did not."""

    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    content_type: str = ""
    unread: str = ""
    url: str = ""
    """Where it was found in the end, if that is on another host: the text is judged there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemText:
    """A lead whose whole text stands in its feed: there is nothing to fetch."""

    lead: Lead
    hints: Hints
    context: PublisherContext
    at: datetime
    jitter: float = 0.0
    page: PageWords | None = None
    """None where nothing is allowed, whatever the page says."""
    problem: Problem | None = None
    """Why the page could not be fetched, where it should have been."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolledItems:
    """The items of a feed that are to be judged, each by what is known of its owner."""

    polled: Polled
    contexts: tuple[PublisherContext, ...]
    owners: tuple[int, ...]
    """For each item the place of its owner among the contexts."""
    at: datetime


def with_page(reading: Reading, response: Response) -> Reading:
    """The reading with the page itself, where that may be kept."""
    article = reading.article
    if article is None or article.raw is None:
        return reading
    raw = replace(article.raw, body=response.body)
    return replace(reading, article=replace(article, raw=raw))


Work: TypeAlias = FeedAnswer | PolledItems | PageAnswer | ItemText | DocumentRead


@dataclass(frozen=True, slots=True, kw_only=True)
class RunJob:
    """The work itself; called in a worker with one answer after another."""

    policy: Policy = field(default_factory=Policy)
    cluster: ClusterOptions | None = None
    """How texts are signed; none leaves duplicates alone."""

    def prepare(self) -> None:
        """Loads what every page needs, so that the first one does not pay for it.

        What only a scout reads is loaded by its first document: most workers of a run never get one.
        """
        from wireroom.signals import all_signals
        from wireroom.workers.document_jobs import Extraction

        Extraction().prepare()
        all_signals()

    def outcomes(self) -> tuple[type[Polled], type[Reading]]:
        """The types of what comes back; a document that is scouted names its own."""
        return Polled, Reading

    def __call__(self, work: Work) -> Any:
        """The items of a feed, the reading of a lead, or what a document of a scout says."""
        if isinstance(work, DocumentRead):
            return work.run()
        if isinstance(work, FeedAnswer):
            from wireroom.poll.ask_feed import read_answer

            return read_answer(work.feed, work.response, mirror=work.mirror)
        if isinstance(work, PolledItems):
            return self._reduced(work)
        if isinstance(work, ItemText):
            return self._read_item(work)
        return self._read_page(work)

    def _reduced(self, work: PolledItems) -> Polled:
        """The answer without texts of which the policy keeps no whole one."""
        from wireroom.rights import decide_storage
        from wireroom.rights.policy import reduce_item
        from wireroom.signals import judge

        items = []
        for item, owner in zip(work.polled.items, work.owners, strict=True):
            known, _ = _opened(work.contexts[owner].packed)
            verdicts = judge(known, item.url or work.polled.feed_url, now=work.at)
            items.append(reduce_item(item, decide_storage(self.policy, verdicts)))
        return replace(work.polled, items=tuple(items))

    def _read_page(self, work: PageAnswer) -> Reading:
        from wireroom.parse.article import read_article
        from wireroom.rights.finding_index import FindingIndex
        from wireroom.signals import item_findings, page_findings

        response, lead = work.response, work.lead
        known, boilerplate = _opened(work.context.packed)
        try:
            reading = read_article(
                response.body,
                url=response.final_url,
                content_type=response.content_type,
                fetched_at=response.fetched_at,
                config=_config(lead, work.hints, boilerplate),
                headers=response.headers,
            )
        except ParseError as exc:
            return _unread(work, exc, response.fetched_at)
        found: list[Finding] = []
        if reading.page_tags is not None:
            found += page_findings(reading.page_tags, now=response.fetched_at, known=known)
        if lead.item is not None:
            found += item_findings(lead.item, response.final_url, now=response.fetched_at)
        # Its bytes need not travel back: who sent them puts them in, if the page may be kept at all.
        article = reading.article
        if work.keep_raw:
            raw = RawPage(body=b"", content_type=response.content_type)
            article = replace(article, raw=raw)
        return self._kept(
            work,
            article,
            FindingIndex(found, parent=known),
            robots="allowed",
            blocks=_blocks(reading),
        )

    def _read_item(self, work: ItemText) -> Reading:
        from wireroom.parse.article import article_from_item
        from wireroom.poll.ask_feed import feed_headers
        from wireroom.rights.finding_index import FindingIndex, robots_word
        from wireroom.signals import feed_refusals, feed_unread, item_findings, page_findings

        lead = work.lead
        known, boilerplate = _opened(work.context.packed)
        assert lead.item is not None  # noqa: S101 - that is what makes it an ItemText
        try:
            article = article_from_item(
                lead.item, fetched_at=work.at, config=_config(lead, work.hints, boilerplate)
            )
        except ParseError as exc:
            return _unread(work, exc, work.at)
        if article is None:
            return _unread(work, NoArticleError("the item holds no text"), work.at)
        if work.problem is not None:
            article = _without_page(article, lead.item, work.problem)
        page = work.page or PageWords(unread=f"{lead.url} was not asked")
        article = replace(article, url=page.url or article.url)
        tags, unread = _page_tags(page, article.url)
        stated = page_findings(tags, now=work.at, known=known)
        fed = item_findings(lead.item, article.url, now=work.at)
        found = FindingIndex((*stated, *fed), parent=known)
        robots, _ = robots_word(known, page.url or lead.url) if lead.url else ("unknown", None)
        headers = feed_headers(lead.item)
        refusals = feed_refusals(headers, lead.item.feed_url, now=work.at) if headers else ()
        if headers and not unread:
            unread = feed_unread(headers, lead.item.feed_url, now=work.at)
        return self._kept(
            work, article, found, robots=robots, blocks=(), also=refusals, unread=unread
        )

    def _kept(
        self,
        work: PageAnswer | ItemText,
        article: Article,
        findings: FindingIndex,
        *,
        robots: RobotsWord,
        blocks: tuple[str, ...],
        also: tuple[Signal, ...] = (),
        unread: str = "",
    ) -> Reading:
        """The reading of an article: under whose rights it was taken, and how much of it stays."""
        from wireroom.poll.leads import after_article, after_error
        from wireroom.rights import decide_storage
        from wireroom.rights.policy import reduce_article
        from wireroom.signals import make_receipt
        from wireroom.signals.licence import licence_of

        lead, at = work.lead, article.fetched_at
        receipt = make_receipt(
            findings,
            article.url,
            robots_word=robots,
            now=at,
            page_read=True,
            page_unread=unread,
            also=also,
        )
        # The licence that counts: one that the text names may be that of a picture or of somebody else's text.
        receipt = replace(receipt, licence_url=licence_of(findings, article.url))
        answer = decide_storage(self.policy, receipt.verdicts)
        own = replace(
            article,
            id=article_id(lead.publisher, lead.url or article.url),
            publisher=lead.publisher,
            receipt=receipt,
        )
        kept = reduce_article(own, answer, self.policy)
        if kept is None:
            return after_error(lead, rights_problem(lead, answer.reason, at), at, work.jitter)
        signature = sign_article(own, self.cluster, work.hints)
        return after_article(lead, kept, at, signature=signature, blocks=blocks)


def _page_tags(page: PageWords, url: str) -> tuple[PageTags, str]:
    """What the page says of rights, and why that is not all of it."""
    from wireroom.parse.html import open_page
    from wireroom.parse.kind import kind_of
    from wireroom.parse.page_tags import read_page_tags

    by_headers = read_page_tags(None, url=url, headers=page.headers)
    if kind_of(page.body, page.content_type).name != "html":
        return by_headers, page.unread
    try:
        opened = open_page(page.body, url=url, content_type=page.content_type)
    except ParseError as exc:
        return by_headers, page.unread or f"{url} could not be read: {exc.message}"
    return read_page_tags(opened, url=url, headers=page.headers), page.unread


def _config(lead: Lead, hints: Hints, boilerplate: frozenset[str]) -> ExtractConfig:
    from wireroom.parse.article import ExtractConfig

    return ExtractConfig(hints=hints, item=lead.item, boilerplate=boilerplate)


def _without_page(article: Article, item: Item, problem: Problem) -> Article:
    """The article with a note that its page could not be fetched, and whether its text may be a part alone."""
    from wireroom.poll.leads import why_incomplete

    notes = [*article.extra.get("notes", ())]
    notes.append(f"page: not fetched ({problem.message}); the article is made from the feed")
    if why := why_incomplete(item):
        notes.append(f"text: the feed may not hold all of it ({why})")
    return replace(article, extra={**article.extra, "notes": notes, "page_problem": problem.kind})


def _blocks(reading: ArticleReading) -> tuple[str, ...]:
    """The blocks that were kept, each once."""
    from wireroom.parse.body import block_hash

    kept = (block_hash(block.text) for block in reading.body.blocks if block.kept)
    return tuple(dict.fromkeys(kept))


def _unread(work: PageAnswer | ItemText, error: ParseError, at: datetime) -> Reading:
    from wireroom.poll.leads import after_unread

    url = work.lead.url
    kind = kind_of_error(error)
    problem = Problem(kind=kind, message=error.message, subject_url=url, at=at, permanent=True)
    return after_unread(work.lead, problem, at, work.jitter)


def rights_problem(lead: Lead, reason: str, at: datetime) -> Problem:
    """Why a page may not be had, or nothing of it may be kept."""
    return Problem(kind="rights", message=reason, subject_url=lead.url, at=at, permanent=True)


# What workers do for `reparse`: a page that was kept is read anew, by today's extractor.
#
# Wires the pure rooms together, in a process of its own. Nothing is fetched: headers are not kept with a page, so
# the rights of an article stay those of its receipt.

_OF_THE_FEED = {
    "title": ("title",),
    "text": ("text", "layout", "captions", "text_hash", "word_count"),
    "authors": ("authors",),
    "tags": ("tags",),
    "description": ("description",),
    "published_at": ("published_at", "published_source"),
    "modified_at": ("modified_at",),
}
"""Field by its name in `sources` to what is held of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPage:
    """An article, the page it was read from, and what helped to read it."""

    held: Article
    page: RawPage
    item: Item | None = None
    """What the feed said of it, where that is still known."""
    hints: Hints = field(default_factory=Hints)
    boilerplate: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reparsed:
    """The article as it reads now, and the signature of its text."""

    article: Article
    signature: Signature | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reparsing:
    """The work itself; called in a worker with one page after another."""

    policy: Policy = field(default_factory=Policy)
    cluster: ClusterOptions | None = None
    """How texts are signed; none leaves duplicates alone."""

    def prepare(self) -> None:
        """Loads what every page needs, so that the first one does not pay for it."""
        from wireroom.workers.document_jobs import Extraction

        Extraction().prepare()

    def outcomes(self) -> tuple[type[Reparsed], type[Unread]]:
        """The types of what comes back."""
        return Reparsed, Unread

    def __call__(self, work: KeptPage) -> Reparsed | Unread:
        """The article as it reads now, or why there is none."""
        from wireroom.rights import decide_storage
        from wireroom.rights.policy import reduce_article

        try:
            read = _read(work)
        except ParseError as exc:
            return Unread(kind=kind_of_error(exc), message=exc.message)
        receipt = work.held.receipt
        answer = decide_storage(self.policy, receipt.verdicts if receipt is not None else ())
        kept = reduce_article(read, answer, self.policy)
        if kept is None:
            return Unread(kind="rights", message=answer.reason)
        return Reparsed(article=kept, signature=sign_article(read, self.cluster, work.hints))


def sign_article(
    article: Article, options: ClusterOptions | None, hints: Hints | None = None
) -> Signature | None:
    """What near-duplicates are found by; None where they are left alone."""
    if options is None:
        return None
    from wireroom.duplicates import sign

    return sign(
        article.id, article.text, article.language, article.fetched_at, options, hints=hints
    )


def _read(work: KeptPage) -> Article:
    from wireroom.parse.article import ExtractConfig, read_article

    held = work.held
    reading = read_article(
        work.page.body,
        url=held.url,
        content_type=work.page.content_type,
        fetched_at=held.fetched_at,
        config=ExtractConfig(hints=work.hints, item=work.item, boilerplate=work.boilerplate),
    )
    article = replace(
        reading.article,
        id=held.id,
        publisher=held.publisher,
        url=held.url,
        feed_url=held.feed_url,
        receipt=held.receipt,
        state=held.state,
        version=held.version,
    )
    return article if work.item is not None else _with_feed_fields(article, held)


def _with_feed_fields(article: Article, held: Article) -> Article:
    """The article with what only its feed had said, where the item is not known any more."""
    names = [name for name in _OF_THE_FEED if held.sources.get(name, "").startswith("feed")]
    if not names and "feed" not in held.extra:
        return article
    values: dict[str, Any] = {
        field: getattr(held, field) for name in names for field in _OF_THE_FEED[name]
    }
    sources = {**article.sources, **{name: held.sources[name] for name in names}}
    extra = {
        **article.extra,
        **{name: held.extra[name] for name in ("feed",) if name in held.extra},
    }
    return replace(article, sources=sources, extra=extra, **values)
