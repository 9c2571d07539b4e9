"""Asking one feed: the requests for it, and what the answer says.

Pure: requests go out as values, answers come in as values. Reading is bounded by the room `parse` and may
run in a worker. Knows nothing of when to ask again, and nothing of what is held.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

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
from wireroom.parse.kind import FEED_KINDS, kind_of
from wireroom.parse.records import read_records
from wireroom.parse.sitemap import SitemapDocument, read_sitemap
from wireroom.poll import sitemap_feeds
from wireroom.poll.blame import NOT_FOUND, is_ours, parse_problem, problem_of
from wireroom.poll.completeness import mark_full_texts
from wireroom.poll.reliability import marks_of_poll
from wireroom.poll.stamps import without_stamps
from wireroom.urls import is_web_url

MAX_FEED: Final = 10_000_000  # decoded bytes; the reader of feeds takes no more
MAX_SITEMAP: Final = 50_000_000  # decoded bytes: what the protocol allows
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
    observations = marks_of_poll(feed, polled, response.fetched_at, elapsed=response.elapsed)
    return replace(polled, observations=(*observations, *polled.observations))


def answer_to_error(
    feed: Feed, error: FetchError, now: datetime, *, our_side: bool = False
) -> Polled:
    """A fetch that failed, as the outcome of a poll.

    404, 410 and 451 are "gone"; how often it takes until that is believed is decided when the poll is settled.
    With `our_side` the caller says that nobody can be reached: then nobody is to blame.
    """
    problem = problem_of(error, now=now, our_side=our_side)
    polled = Polled(
        feed_url=feed.url,
        result="gone" if problem.kind == "gone" else "failed",
        problem=problem,
        fetched_at=now,
    )
    return replace(polled, observations=marks_of_poll(feed, polled, now))


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
        items=tuple(items.values())[: sitemap_feeds.MAX_ITEMS],
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
    if feed.kind == "json_api":
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
        response.body, base_url=response.final_url, content_type=response.content_type
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
        items=mark_full_texts(items),
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
    kind = sitemap_feeds.kind_of(document, feed.kind)
    truncated = document.truncated or response.truncated
    if document.kind == "index":
        is_dated = sitemap_feeds.dates_its_children(document.entries)
        return replace(
            polled,
            result="items",
            kind=feed.kind if feed.kind in _SITEMAPS else kind,
            more_urls=sitemap_feeds.best_children(document.entries, now=response.fetched_at),
            validators=polled.validators if is_dated else Validators(),
            truncated=truncated,
        )
    items = sitemap_feeds.items_of(document, feed_url=feed.url)
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
