"""Articles out of a feed or an API that carries them whole: one per item.

The item's own words lead; its content is read like a page, for feeds put "read also" and share links into
it as pages do. What the feed tells only in a summary becomes an article of low quality, not of none.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from html import escape
from typing import Final

from wireroom.errors import ParseError
from wireroom.languages import normal_tag
from wireroom.model import Article, FeedDocument, Item
from wireroom.parse.article.article_reader import (
    AN_ARTICLE,
    DEFAULTS,
    metadata_of,
    moment_of_fetch,
    with_title,
)
from wireroom.parse.article.assemble import ArticleParts, article_of
from wireroom.parse.article.body_choice import ChosenBody
from wireroom.parse.article.declared_body import ITEM_SOURCE, all_blocks, all_images, body_of
from wireroom.parse.article.extraction_quality import quality_of
from wireroom.parse.article.types import ExtractConfig
from wireroom.parse.body import count_words, read_body
from wireroom.parse.html import Page, open_page
from wireroom.parse.metadata import Field, Metadata

SUMMARY_SOURCE: Final = "feed summary"
SUMMARY_CONFIDENCE: Final = 0.4  # a summary is no article, and all there is
ITEM_CONFIDENCE: Final = 0.9  # of all that an item holds
SHORT: Final = 80  # words; a short item has no room for anything but itself
MAX_TAGS: Final = (
    50_000  # opened in all items of a feed: a second at the worst, and a document has two
)
TAGS_OF_AN_ITEM: Final = 40  # what an item costs besides its own tags: half a millisecond
NO_TEXT: Final = frozenset(
    ("", "null", "none", "nil", "undefined", "nan", "n/a", "ok", "true", "false")
)
"""What a machine writes where a text should stand."""
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
    articles: list[Article] = []
    spent = read = empty = 0
    for item in document.items:
        cost = _tags(item)
        if read and spent + cost > MAX_TAGS:
            break
        article, looks = _read_item(item, document.language, fetched_at, config)
        spent += cost * looks
        read += 1
        if article is not None:
            articles.append(article)
        else:
            empty += 1
    if empty and articles:
        what = "item holds" if empty == 1 else "items hold"
        articles[-1] = _noted(articles[-1], f"feed: {empty:,} {what} no text, and no article")
    left = len(document.items) - read
    if left and articles:
        articles[-1] = _noted(
            articles[-1], f"feed: {left:,} more {'item is' if left == 1 else 'items are'} not read"
        )
    return tuple(articles)


def _tags(item: Item) -> int:
    """What it costs to read an item once."""
    content = item.content_html
    return TAGS_OF_AN_ITEM + content.count("<") - content.count("</")


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
    article, _ = _read_item(item, language, moment_of_fetch(fetched_at), config or DEFAULTS)
    return article


def _read_item(
    item: Item, language: str, fetched_at: datetime, config: ExtractConfig
) -> tuple[Article | None, int]:
    """The article of an item, if any, and how often the item was gone through for it."""
    config = replace(config, item=item, precedence="feed")
    tag = normal_tag(str(item.extra.get("language") or language))
    looks = 1
    try:
        page = _page(item, tag)
        chosen, looks = _chosen(page, item, config)
        if chosen.body.text.strip(" .!\"'").casefold() in NO_TEXT:
            return None, looks
        metadata = _with_feed_claims(metadata_of(page, chosen, config, fetched_at), item)
    except ParseError:
        return None, looks
    parts = ArticleParts(
        page=page,
        chosen=chosen,
        metadata=with_title(metadata, chosen.body.text),
        quality=quality_of(page, chosen, metadata, AN_ARTICLE),
        config=config,
        notes=(*chosen.notes, *metadata.notes),
        fetched_at=fetched_at,
    )
    return article_of(parts), looks


def _page(item: Item, tag: str) -> Page:
    """The item as a page: the readers of pages need no second way for it."""
    content = item.content_html or f"<p>{escape(item.summary)}</p>"
    markup = f'<html lang="{tag}"><body><article>{content}</article></body></html>'
    return open_page(markup, url=item.url)


def _chosen(page: Page, item: Item, config: ExtractConfig) -> tuple[ChosenBody, int]:
    """The text of an item as the reader of pages sees it, or all of it where that one is wrong.

    The words are counted first: the reader of pages is for long items, and all the blocks are needed
    only where it may have lost something. How many of the two looked at the item comes back as well.
    """
    most = _words_at_most(page) if item.content_html else 0
    if most < SHORT:
        return _whole(page, item, config), 1
    read = read_body(
        page,
        mode=config.mode,
        titles=(item.title,),
        known_boilerplate=config.boilerplate,
        captions=config.wants_captions(),
        images=config.wants_images(),
    )
    as_read = ChosenBody(body=read, source=ITEM_SOURCE)
    if read.word_count >= max(SHORT, LOST_MUCH * most):
        return as_read, 1
    whole = _whole(page, item, config)
    words = whole.body.word_count
    return (whole if words < SHORT or read.word_count < LOST_MUCH * words else as_read), 2


def _whole(page: Page, item: Item, config: ExtractConfig) -> ChosenBody:
    """All that an item holds, or its summary where it holds nothing else."""
    blocks = all_blocks(page.tree, ITEM_SOURCE)
    if item.content_html:
        body = body_of(blocks, confidence=ITEM_CONFIDENCE, captions=config.wants_captions())
        if config.wants_images():
            body = replace(body, images=all_images(page.tree, page.url))
        return ChosenBody(body=body, source=ITEM_SOURCE)
    body = body_of(blocks, confidence=SUMMARY_CONFIDENCE, doubts=("only the feed's summary",))
    return ChosenBody(body=body, source=SUMMARY_SOURCE)


def _words_at_most(page: Page) -> int:
    """The words of an item, of its pictures, and the marks that stand before items and cells of a text.

    Scripts and the like are counted as well: it may be fewer.
    """
    body = page.tree.body
    if body is None:
        return 0
    words = count_words(body.text(separator=" "))
    for element in page.tree.css("li, td, th, img[alt]"):
        words += 1 + count_words(element.attributes.get("alt") or "")
    return words


def _with_feed_claims(metadata: Metadata, item: Item) -> Metadata:
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
