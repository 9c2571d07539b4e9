"""Articles out of a feed or an API that carries them whole: one per item.

The item's own words lead; its content is read like a page, for feeds put "read also" and share links into
it as pages do. What the feed tells only in a summary becomes an article of low quality, not of none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from html import escape
from typing import Final

from wireroom.errors import ParseError
from wireroom.languages import normal_tag
from wireroom.model import Article, FeedDocument, Item
from wireroom.parse.article.assemble import Parts, article_of
from wireroom.parse.article.bodies import Chosen
from wireroom.parse.article.judge import AN_ARTICLE
from wireroom.parse.article.nouns import ExtractConfig
from wireroom.parse.article.quality import quality_of
from wireroom.parse.article.read import DEFAULTS, metadata_of, moment_of_fetch
from wireroom.parse.article.told import ITEM_SOURCE, all_blocks, body_of
from wireroom.parse.body import read_body
from wireroom.parse.html import Page, open_page
from wireroom.parse.metadata import Field, Metadata

__all__ = ["article_from_item", "articles_from_feed"]

SUMMARY_SOURCE: Final = "feed summary"
SUMMARY_CONFIDENCE: Final = 0.4  # a summary is no article, and all there is
ITEM_CONFIDENCE: Final = 0.9  # of all that an item holds
SHORT: Final = 80  # words; a short item has no room for anything but itself
MAX_TAGS: Final = 48_000  # opened in all items of a feed: 1.7 s, and a document has two
TAGS_OF_AN_ITEM: Final = 30  # what an item costs besides its own tags: a millisecond
LOST_MUCH: Final = 0.5  # of an item's words: then the reader of pages was the wrong one


def articles_from_feed(
    document: FeedDocument,
    *,
    fetched_at: datetime | None = None,
    config: ExtractConfig | None = None,
) -> tuple[Article, ...]:
    """The articles of a feed, in its order; items without any text are left out.

    Where a feed holds more than can be read in time, a note of the last article says so.
    """
    config = config or DEFAULTS
    fetched_at = moment_of_fetch(fetched_at)
    affordable = _affordable(document.items)
    found = (
        article_from_item(item, language=document.language, fetched_at=fetched_at, config=config)
        for item in document.items[:affordable]
    )
    articles = [article for article in found if article is not None]
    left = len(document.items) - affordable
    if left and articles:
        articles[-1] = _noted(
            articles[-1], f"feed: {left:,} more {'item is' if left == 1 else 'items are'} not read"
        )
    return tuple(articles)


def _affordable(items: Sequence[Item]) -> int:
    """How many items can be read in the time that a document has; always the first."""
    tags = 0
    for count, item in enumerate(items):
        content = item.content_html
        tags += TAGS_OF_AN_ITEM + content.count("<") - content.count("</")
        if count and tags > MAX_TAGS:
            return count
    return len(items)


def _noted(article: Article, note: str) -> Article:
    notes = [*article.extra.get("notes", ()), note]
    return replace(article, extra={**article.extra, "notes": notes})


def article_from_item(
    item: Item,
    *,
    language: str = "",
    fetched_at: datetime | None = None,
    config: ExtractConfig | None = None,
) -> Article | None:
    """The article that an item holds, or None when it holds no text.

    `language` is what the feed says of all its items; an item may say otherwise.
    """
    config = replace(config or DEFAULTS, item=item, precedence="feed")
    fetched_at = moment_of_fetch(fetched_at)
    tag = normal_tag(str(item.extra.get("language") or language))
    try:
        page = _page(item, tag)
        chosen = _chosen(page, item, config)
        if not chosen.body.text:
            return None
        metadata = _said_by_feed(metadata_of(page, chosen, config, fetched_at), item)
    except ParseError:
        return None
    return article_of(
        Parts(
            page=page,
            chosen=chosen,
            metadata=metadata,
            quality=quality_of(page, chosen, metadata, AN_ARTICLE),
            config=config,
            notes=(*chosen.notes, *metadata.notes),
            fetched_at=fetched_at,
        )
    )


def _page(item: Item, tag: str) -> Page:
    """The item as a page: the readers of pages need no second way for it."""
    content = item.content_html or f"<p>{escape(item.summary)}</p>"
    markup = f'<html lang="{tag}"><body><article>{content}</article></body></html>'
    return open_page(markup, url=item.url)


def _chosen(page: Page, item: Item, config: ExtractConfig) -> Chosen:
    whole = all_blocks(page.tree, ITEM_SOURCE)
    if not item.content_html:
        body = body_of(whole, confidence=SUMMARY_CONFIDENCE, doubts=("only the feed's summary",))
        return Chosen(body=body, source=SUMMARY_SOURCE)
    read = read_body(
        page, mode=config.mode, titles=(item.title,), known_boilerplate=config.boilerplate
    )
    everything = body_of(whole, confidence=ITEM_CONFIDENCE)
    if everything.word_count < SHORT or read.word_count < LOST_MUCH * everything.word_count:
        return Chosen(body=everything, source=ITEM_SOURCE)
    return Chosen(body=read, source=ITEM_SOURCE)


def _said_by_feed(metadata: Metadata, item: Item) -> Metadata:
    """The metadata with what only the feed can have said under its name."""
    image_url = str(item.extra.get("image_url") or "")
    image = metadata.image_url
    if image_url and not image.value:
        image = Field(value=image_url, source="feed", confidence=0.8)
    return replace(
        metadata,
        image_url=image,
        language=_renamed(metadata.language),
        language_tag=_renamed(metadata.language_tag),
    )


def _renamed(field: Field[str]) -> Field[str]:
    return replace(field, source="feed") if field.source == "html lang" else field
