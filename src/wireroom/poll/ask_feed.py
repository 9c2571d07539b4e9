"""Asking one feed: the requests for it, and what the answer says.

Pure: requests go out as values, answers come in as values. Reading is bounded by the room `parse` and may
run in a worker. Knows nothing of when to ask again, and nothing of what is held.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from wireroom.dates import Moment, read_date
from wireroom.errors import FetchError, GoneError, ParseError, StatusError
from wireroom.model import (
    Feed,
    FeedDocument,
    FeedKind,
    Item,
    Observation,
    Polled,
    Request,
    Response,
    Validators,
)
from wireroom.parse.feed import read_feed
from wireroom.parse.feed.extras import keep_zones, zone_note
from wireroom.parse.kind import FEED_KINDS, kind_of
from wireroom.parse.page_tags import UNREAD_HEADERS
from wireroom.parse.records import read_records
from wireroom.parse.sitemap import SitemapDocument, SitemapEntry, read_sitemap
from wireroom.poll.leads import mark_full_texts
from wireroom.poll.reliability import (
    NOT_FOUND,
    is_ours,
    parse_problem,
    poll_observations,
    problem_of,
)
from wireroom.rights.policy import TERMS_EXTRA
from wireroom.urls import is_web_url, page_key

MAX_FEED: Final = 10_000_000  # decoded bytes; the reader of feeds takes no more
MAX_SITEMAP: Final = 50_000_000  # decoded bytes: what the protocol allows
FEED_HEADERS: Final = "feed_headers"
"""The extra of an item that holds what the headers of its feed said about rights."""
RIGHTS_HEADERS: Final = frozenset(
    {"x-robots-tag", "tdm-reservation", "tdm-policy", "content-usage", "content-signal"}
)
MAX_RIGHTS_HEADERS: Final = 20  # of one answer; real ones have up to three
STAMPED_VALUE: Final = 0.5  # for the stability of a feed without true dates: tiresome, not wrong

_SITEMAPS: Final[frozenset[FeedKind]] = frozenset({"sitemap", "news_sitemap"})
_SITEMAP_BODIES: Final = frozenset({"sitemap", "sitemap_index", "text_sitemap"})
_WHOLE: Final[frozenset[FeedKind]] = frozenset({"json", "json_api"})  # half of a JSON is none
_ACCEPT_FEED: Final = (
    "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml, "
    "application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5"
)
_ACCEPT_SITEMAP: Final = "application/xml, text/xml, application/gzip;q=0.9, */*;q=0.5"
_ACCEPT_RECORDS: Final = "application/json, */*;q=0.5"


# --- requests --------------------------------------------------------------------------------------


def requests_for(feed: Feed) -> tuple[Request, ...]:
    """The request for the feed, then those for its mirrors, to be tried in this order.

    Whoever tries them stops at the first answer after which `wants_next` says no; when none is good,
    what the feed itself answered counts. Validators go only to the address that gave them.
    """
    urls = dict.fromkeys((feed.url, *feed.mirrors))
    gave_validators = feed.standing.mirror or feed.url
    return tuple(
        _request(feed, url, feed.validators if url == gave_validators else Validators())
        for url in urls
    )


def child_requests(feed: Feed, polled: Polled) -> tuple[Request, ...]:
    """The requests for those sitemaps of an index that are worth asking."""
    return tuple(_request(feed, url, Validators()) for url in polled.more_urls if url != feed.url)


def mirror_of(feed: Feed, request: Request) -> str:
    """The mirror a request goes to; empty for the feed itself."""
    return "" if request.url == feed.url else request.url


def wants_next(polled: Polled) -> bool:
    """Whether a mirror should be tried: not after an answer, and not when we may or can not ask at all."""
    return polled.result in {"failed", "gone"} and not is_ours(polled.problem)


def _request(feed: Feed, url: str, validators: Validators) -> Request:
    return Request(
        url=url,
        purpose="poll",
        validators=validators,
        accept=_accept(feed.kind),
        max_bytes=MAX_SITEMAP if feed.kind in _SITEMAPS else MAX_FEED,
        take_start=feed.kind not in _WHOLE,
        proxy=feed.proxy,
    )


def _accept(kind: FeedKind) -> str:
    if kind in _SITEMAPS:
        return _ACCEPT_SITEMAP
    return _ACCEPT_RECORDS if kind == "json_api" else _ACCEPT_FEED


# --- answers ---------------------------------------------------------------------------------------


def read_answer(feed: Feed, response: Response, *, mirror: str = "") -> Polled:
    """What the answer says; bytes that are no feed are a failed poll, never an exception."""
    if response.status >= 400:
        return answer_to_error(feed, _status_error(response), response.fetched_at)
    polled = Polled(
        feed_url=feed.url,
        result="same",
        validators=_validators(response),
        server_hints=response.server_hints,
        moved_url=_moved_url(response, mirror),
        mirror=mirror,
        fetched_at=response.fetched_at,
    )
    if response.status != 304:
        try:
            polled = _with_document(feed, response, polled)
        except ParseError as error:
            problem = parse_problem(error, url=response.final_url, now=response.fetched_at)
            polled = replace(
                polled, result="failed", problem=problem, moved_url="", validators=Validators()
            )
    observations = poll_observations(feed, polled, response.fetched_at, elapsed=response.elapsed)
    return replace(polled, observations=(*observations, *polled.observations))


def feed_headers(item: Item) -> tuple[tuple[str, str], ...]:
    """What the headers of an item's feed said about rights when the item was read."""
    held = item.extra.get(FEED_HEADERS)
    if not isinstance(held, list):
        return ()
    return tuple((str(name), str(value)) for name, value in held)


def _with_headers(items: tuple[Item, ...], headers: Iterable[tuple[str, str]]) -> tuple[Item, ...]:
    """The items that hold a whole text, with those headers of the feed: they speak of that text, too."""
    found = dict.fromkeys(pair for pair in headers if pair[0] in RIGHTS_HEADERS)
    spoken = [[name, value] for name, value in found]
    if len(spoken) > MAX_RIGHTS_HEADERS:
        unread = f"more than {MAX_RIGHTS_HEADERS} headers of the feed about rights"
        spoken = [*spoken[:MAX_RIGHTS_HEADERS], [UNREAD_HEADERS, unread]]
    if not spoken:
        return items
    return tuple(
        replace(item, extra={**item.extra, FEED_HEADERS: spoken}) if item.content_html else item
        for item in items
    )


def _sharing_terms(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """The items, each with the terms that any of them states for its page: of several items of a page one is kept."""
    stated: dict[str, list[Any]] = {}
    for item in items:
        if terms := item.extra.get(TERMS_EXTRA):
            stated.setdefault(page_key(item.url), []).extend(terms)
    if not stated:
        return items
    return tuple(
        replace(item, extra={**item.extra, TERMS_EXTRA: stated[page]})
        if (page := page_key(item.url)) in stated and page
        else item
        for item in items
    )


def answer_to_error(
    feed: Feed, error: FetchError, now: datetime, *, our_side: bool = False
) -> Polled:
    """A fetch that failed, as the outcome of a poll.

    404, 410 and 451 are "gone"; how often it takes until that is believed is decided by `next_state`.
    With `our_side` the caller says that nobody can be reached: then nobody is to blame.
    """
    problem = problem_of(error, now=now, our_side=our_side)
    polled = Polled(
        feed_url=feed.url,
        result="gone" if problem.kind == "gone" else "failed",
        problem=problem,
        fetched_at=now,
    )
    return replace(polled, observations=poll_observations(feed, polled, now))


def with_children(polled: Polled, children: tuple[Polled, ...]) -> Polled:
    """The answer of an index together with those of its sitemaps; a page in two of them counts once."""
    items: dict[str, Item] = {item.guid: item for item in polled.items}
    for child in children:
        for item in child.items:
            items.setdefault(item.guid, item)
    kinds = [child.kind for child in children if child.kind is not None]
    unread = [child.problem for child in children if child.result in {"failed", "gone"}]
    return replace(
        polled,
        items=tuple(items.values())[:MAX_ITEMS],
        kind="news_sitemap" if "news_sitemap" in kinds else polled.kind,
        # "Not modified" for the index must not hide a sitemap that could not be fetched this time.
        validators=Validators() if unread else polled.validators,
        problem=polled.problem or next(iter(unread), None),
        truncated=polled.truncated or any(child.truncated for child in children),
    )


def _status_error(response: Response) -> FetchError:
    kind = GoneError if response.status in {NOT_FOUND, 410} else StatusError
    return kind(response.url, response.status)


def _validators(response: Response) -> Validators:
    """Those of the address that was asked; those of another place only if it has moved there for good."""
    at_home = _origin(response.url) == _origin(response.final_url)
    return response.validators if at_home or response.moved else Validators()


def _origin(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ("", url)
    return (parts.scheme, parts.netloc.lower())


def _moved_url(response: Response, mirror: str) -> str:
    """Where the feed lives now; where a mirror has gone is its own affair."""
    is_elsewhere = response.moved and not mirror and response.final_url != response.url
    return response.final_url if is_elsewhere and is_web_url(response.final_url) else ""


# --- documents -------------------------------------------------------------------------------------


def _with_document(feed: Feed, response: Response, polled: Polled) -> Polled:
    found = kind_of(response.body, response.content_type).name
    if feed.kind == "json_api" or (found == "json" and feed.hints.field_map):
        document = read_records(
            response.body,
            field_map=feed.hints.field_map,
            base_url=response.final_url,
            content_type=response.content_type,
            zone=feed.hints.zone,
        )
        return _with_feed(feed, response, polled, document)
    if found not in FEED_KINDS and _may_be_sitemap(feed, found):
        sitemap = read_sitemap(
            response.body, base_url=response.final_url, content_type=response.content_type
        )
        return _with_sitemap(feed, response, polled, sitemap)
    document = read_feed(
        response.body,
        base_url=response.final_url,
        content_type=response.content_type,
        zone=feed.hints.zone,
    )
    return _with_feed(feed, response, polled, document)


def _may_be_sitemap(feed: Feed, found: str) -> bool:
    """A feed that never brought anything may turn out to be a sitemap; one that did has broken."""
    return feed.kind in _SITEMAPS or (found in _SITEMAP_BODIES and feed.standing.new_at is None)


def _with_feed(feed: Feed, response: Response, polled: Polled, document: FeedDocument) -> Polled:
    items = tuple(_owned(item, feed.url, document.language) for item in document.items)
    items, observations = _dated(feed, items, response.fetched_at)
    return replace(
        polled,
        result="items",
        items=_with_headers(_sharing_terms(mark_full_texts(items)), response.headers),
        kind=document.kind,
        title=document.title,
        language=document.language,
        hints=document.hints,
        truncated=document.truncated or response.truncated,
        observations=observations,
    )


def _with_sitemap(
    feed: Feed, response: Response, polled: Polled, document: SitemapDocument
) -> Polled:
    kind = sitemap_kind(document, feed.kind)
    truncated = document.truncated or response.truncated
    if document.kind == "index":
        is_dated = dates_its_children(document.entries)
        return replace(
            polled,
            result="items",
            kind=feed.kind if feed.kind in _SITEMAPS else kind,
            more_urls=best_children(document.entries, now=response.fetched_at),
            validators=polled.validators if is_dated else Validators(),
            truncated=truncated,
        )
    items = items_of(document, feed_url=feed.url, zone=feed.hints.zone)
    items, observations = _dated(feed, items, response.fetched_at)
    return replace(
        polled,
        result="items",
        items=items,
        kind=kind,
        truncated=truncated or len(document.entries) > len(items),
        observations=observations,
    )


def _owned(item: Item, feed_url: str, language: str) -> Item:
    """The item as one of the feed it was asked of, with the feed's language if it names none."""
    if language and not item.extra.get("language"):
        return replace(item, feed_url=feed_url, extra={**item.extra, "language": language})
    return replace(item, feed_url=feed_url)


def _dated(
    feed: Feed, items: tuple[Item, ...], fetched_at: datetime
) -> tuple[tuple[Item, ...], tuple[Observation, ...]]:
    """The items without dates that are none, and the note of it."""
    kept, dropped = without_stamps(items, fetched_at=fetched_at)
    if not dropped:
        return kept, ()
    observation = Observation(
        feed_url=feed.url,
        about="stability",
        value=STAMPED_VALUE,
        reason=f"{dropped} items are stamped by a clock: their dates are left out",
        at=fetched_at,
    )
    return kept, (observation,)


# Feeds that stamp their items with a clock instead of a date. Pure.
#
# Some systems write the moment at which the document was made, or was asked for, on every item. Such a
# date is no news: kept, it would make every item of every poll look changed, and every article new.

FEWEST: Final = 3  # dates; two items of one moment are a coincidence
MOST: Final = (
    0.8  # of the dates: one pinned item with a date of its own does not make the others true
)
AT_ONCE: Final = timedelta(minutes=2)  # around the fetch; a ticker's whole feed is older than that


def without_stamps(items: Sequence[Item], *, fetched_at: datetime) -> tuple[tuple[Item, ...], int]:
    """The items without dates that only a clock has written, and how many dates were dropped."""
    published = _stamps([item.published_at for item in items], fetched_at)
    updated = _stamps([item.updated_at for item in items], fetched_at)
    if not published and not updated:
        return tuple(items), 0
    dropped = 0
    kept = []
    for item in items:
        bare = replace(
            item,
            published_at=None if item.published_at in published else item.published_at,
            updated_at=None if item.updated_at in updated else item.updated_at,
        )
        dropped += (bare.published_at, bare.updated_at) != (item.published_at, item.updated_at)
        kept.append(bare)
    return tuple(kept), dropped


def _stamps(dates: Sequence[datetime | None], fetched_at: datetime) -> set[datetime]:
    """The dates among these that say nothing."""
    known = [at for at in dates if at is not None]
    if len(known) < FEWEST:
        return set()
    fresh = [at for at in known if abs(at - fetched_at) <= AT_ONCE]
    if len(fresh) >= MOST * len(known):
        return set(fresh)
    stamp, times = Counter(known).most_common(1)[0]
    return {stamp} if times >= MOST * len(known) and not _is_a_day(stamp) else set()


def _is_a_day(at: datetime) -> bool:
    """Whether only the day was written, as a daily's issue does: equal, and true all the same."""
    return (at.hour, at.minute, at.second) == (0, 0, 0)


# Sitemaps as feeds: their entries as items, and which sitemaps of an index are worth asking. Pure.

MAX_CHILDREN: Final = 3  # of an index; it may name thousands, and the newest stand in the first few
MAX_ITEMS: Final = (
    1_000  # of one sitemap, newest first: as many as a news sitemap may have; what is
)
# older is the business of a backfill, not of following

_NEWS: Final = re.compile(r"news|latest|today|recent|current|aktuell", re.IGNORECASE)
_NEVER: Final = datetime(1, 1, 1, tzinfo=UTC)


def items_of(document: SitemapDocument, *, feed_url: str, zone: str = "") -> tuple[Item, ...]:
    """The newest entries of a sitemap as items; each is known by its address. `zone` is for dates that name none."""
    return tuple(_item(entry, feed_url, zone) for entry in _newest(document.entries))


def sitemap_kind(document: SitemapDocument, held: FeedKind) -> FeedKind:
    """What the sitemap is; one without entries stays what it was."""
    if document.news_entries:
        return "news_sitemap"
    is_known = held in {"sitemap", "news_sitemap"}
    return held if is_known and not document.entries else "sitemap"


def best_children(entries: Sequence[SitemapEntry], *, now: datetime) -> tuple[str, ...]:
    """The sitemaps of an index that most likely hold news: by name, by date, by place; then cut."""
    months = (f"{now:%Y-%m}", f"{now:%Y%m}", f"{now:%Y/%m}")
    places = range(len(entries))
    ranked = sorted(places, key=lambda at: _promise(at, entries[at], months), reverse=True)
    return tuple(dict.fromkeys(entries[at].url for at in ranked))[:MAX_CHILDREN]


def dates_its_children(entries: Iterable[SitemapEntry]) -> bool:
    """Whether the index changes when one of its sitemaps does; if not, "not modified" says nothing."""
    return all(entry.lastmod_text for entry in entries)


def _promise(
    place: int, entry: SitemapEntry, months: Sequence[str]
) -> tuple[bool, bool, datetime, int]:
    path = entry.url.partition("://")[2].partition("/")[2]
    changed = entry.lastmod
    of_this_month = any(month in path for month in months)
    return bool(_NEWS.search(path)), of_this_month, changed.at if changed else _NEVER, place


def _newest(entries: Sequence[SitemapEntry]) -> Sequence[SitemapEntry]:
    """All entries, or the newest of very many; without dates the last in the file count as newest."""
    if len(entries) <= MAX_ITEMS:
        return entries
    aged = sorted(((_date_of(entry), place) for place, entry in enumerate(entries)), reverse=True)
    return [entries[place] for _, place in aged[:MAX_ITEMS]]


def _date_of(entry: SitemapEntry) -> datetime:
    moment = (entry.news.published if entry.news else None) or entry.lastmod
    return moment.at if moment else _NEVER


def _item(entry: SitemapEntry, feed_url: str, zone: str) -> Item:
    news, changed = entry.news, entry.lastmod
    published = news.published if news else None
    if zone and news is not None:
        published = _in_zone(published, news.published_text, zone)
    if zone:
        changed = _in_zone(changed, entry.lastmod_text, zone)
    extra: dict[str, Any] = {}
    keep_zones(extra, zone_note(published), zone_note(changed))
    if news and news.language:
        extra["language"] = news.language
    if news and news.name:
        extra["publication"] = news.name
    return Item(
        feed_url=feed_url,
        guid=entry.url,
        url=entry.url,
        title=news.title if news else "",
        published_at=published.at if published else None,
        updated_at=changed.at if changed else None,
        extra=extra,
    )


def _in_zone(moment: Moment | None, text: str, zone: str) -> Moment | None:
    """The moment by the operator's clock, where the date names no zone."""
    if moment is None or moment.zone_from != "assumed":
        return moment
    return read_date(text, zone=zone)
