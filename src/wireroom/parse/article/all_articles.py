"""All articles in a body, whatever it is: one for a page, several for a feed or the records of an API."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from wireroom.errors import NoArticleError
from wireroom.model import Article, FeedDocument
from wireroom.parse.article.article_reader import DEFAULTS, MAX_LOOK, extract
from wireroom.parse.article.item_articles import articles_from_feed
from wireroom.parse.article.types import ExtractConfig
from wireroom.parse.feed import read_feed
from wireroom.parse.kind import FEED_KINDS, kind_of
from wireroom.parse.records import read_records

_OF_TEXT: Final = "text/plain; charset=utf-8"


def extract_all(
    body: bytes | str,
    *,
    url: str = "",
    content_type: str = "",
    fetched_at: datetime | None = None,
    config: ExtractConfig | None = None,
) -> tuple[Article, ...]:
    """The articles in a body, at least one; raises as `extract` does.

    A feed's items are read from what the feed carries of them. JSON that is no feed is read by the
    `field_map` of the configuration's hints, or by the usual names where it says nothing.
    """
    config = config or DEFAULTS
    start = body[:MAX_LOOK].encode("utf-8", "replace") if isinstance(body, str) else body
    kind = kind_of(start, content_type)
    if kind.name not in FEED_KINDS and kind.name != "json":
        article = extract(
            body, url=url, content_type=content_type, fetched_at=fetched_at, config=config
        )
        return (article,)
    document = _document(body, kind.name == "json", url, content_type, config)
    articles = articles_from_feed(document, fetched_at=fetched_at, config=config)
    if not articles:
        raise NoArticleError("no article: a feed whose items hold no text", page_kind="feed")
    return articles


def _document(
    body: bytes | str, is_api: bool, url: str, content_type: str, config: ExtractConfig
) -> FeedDocument:
    if isinstance(body, str):
        body, content_type = body.encode("utf-8", "replace"), _OF_TEXT
    if not is_api:
        return read_feed(body, base_url=url, content_type=content_type, zone=config.hints.zone)
    return read_records(
        body,
        field_map=config.hints.field_map,
        base_url=url,
        content_type=content_type,
        zone=config.hints.zone,
    )
