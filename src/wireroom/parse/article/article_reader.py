"""From bytes to an article: open, choose the body, read the metadata, judge, put together.

Here is only the order of work, and the door's promise: `ParseError` and what is under it, nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Final

from wireroom.errors import NoArticleError, UnknownFormatError
from wireroom.model import Article
from wireroom.parse.article.article_check import judge, refuse
from wireroom.parse.article.assemble import ArticleParts, article_of
from wireroom.parse.article.body_choice import ChosenBody, choose_body
from wireroom.parse.article.extraction_quality import quality_of
from wireroom.parse.article.noscript import NOSCRIPT_NOTE, shown_without_scripts
from wireroom.parse.article.plaintext import choose_text, open_text
from wireroom.parse.article.types import ArticleReading, Encoding, ExtractConfig
from wireroom.parse.detect import detect_language
from wireroom.parse.html import Page, open_page
from wireroom.parse.kind import FEED_KINDS, BodyKind, kind_of
from wireroom.parse.metadata import Metadata, read_metadata
from wireroom.parse.page_tags import PageTags, read_page_tags

MAX_LOOK: Final = 8_192  # characters of a text whose kind is asked
MAX_NOTES: Final = 30  # kept with an article
DEFAULTS: Final = ExtractConfig()
_IS_A: Final = {
    "pdf": "a PDF document",
    "image": "an image",
    "audio_video": "sound or film",
    "gzip": "a gzip archive",
    "zip": "a zip archive",
    "binary": "no text",
    "json": "JSON",
    "robots": "a robots.txt",
    "sitemap": "a sitemap",
    "sitemap_index": "an index of sitemaps",
    "text_sitemap": "a list of addresses",
    "opml": "an OPML file",
    "xml": "XML of an unknown vocabulary",
}


def extract(
    body: bytes | str,
    *,
    url: str = "",
    content_type: str = "",
    fetched_at: datetime | None = None,
    config: ExtractConfig | None = None,
) -> Article:
    """The article on a page.

    Raises `NoArticleError`, which says what the page is instead; `UnknownFormatError` for what is no
    page at all; `ParseError` for what cannot be read. `fetched_at` is when the page was had; without
    it the clock is asked, and a date of the page more than a day later is no date.
    """
    reading = read_article(
        body, url=url, content_type=content_type, fetched_at=fetched_at, config=config
    )
    return reading.article


def read_article(
    body: bytes | str,
    *,
    url: str = "",
    content_type: str = "",
    fetched_at: datetime | None = None,
    config: ExtractConfig | None = None,
    headers: Iterable[tuple[str, str]] | None = None,
    rich: bool = False,
    explain: bool = False,
) -> ArticleReading:
    """The article on a page with everything that was thought on the way; raises as `extract` does.

    With `rich` the blocks carry their links and emphases, for Markdown and HTML; with `explain` the
    dropped blocks are there as well, each with its reason. Who gives the `headers` of the answer is also told
    what the page says about its use.
    """
    config = config or DEFAULTS
    fetched_at = moment_of_fetch(fetched_at)
    kind = _page_kind(body, content_type)
    if kind.name == "text":
        page = open_text(body, url=url, content_type=content_type)
        chosen = choose_text(page)
    else:
        read = partial(choose_body, config=config, rich=rich, explain=explain)
        page, chosen = _opened(body, url, content_type, read)
    metadata = metadata_of(page, chosen, config, fetched_at)
    if kind.name == "text" and metadata.title.value:
        metadata = replace(metadata, title=replace(metadata.title, source="first line"))
    judged = judge(page, chosen, metadata, in_feed=config.item is not None)
    if not config.any_page:
        refuse(judged, _cut_notes(page))
    parts = ArticleParts(
        page=page,
        chosen=chosen,
        metadata=metadata,
        quality=quality_of(page, chosen, metadata, judged),
        config=config,
        notes=(*chosen.notes, *metadata.notes, *_cut_notes(page), *_parser_notes(page))[:MAX_NOTES],
        fetched_at=fetched_at,
    )
    return ArticleReading(
        article=article_of(parts),
        body=chosen.body,
        metadata=metadata,
        kind=kind,
        encoding=_encoding(page),
        judged=judged.kind,
        judgement=judged,
        page_tags=None if headers is None else _page_tags(parts, headers),
        quality_reasons=parts.quality.reasons,
        notes=parts.notes,
    )


def _opened(
    body: bytes | str, url: str, content_type: str, read: Callable[[Page, bytes | str], ChosenBody]
) -> tuple[Page, ChosenBody]:
    """The page and its body; a page that is empty but for readers without scripts is read as theirs."""
    page = open_page(body, url=url, content_type=content_type)
    chosen = read(page, body)
    bare = shown_without_scripts(page, body, chosen)
    if bare is None:
        return page, chosen
    page = open_page(bare, url=url, content_type=content_type)
    chosen = read(page, bare)
    return page, replace(chosen, notes=(*chosen.notes, NOSCRIPT_NOTE))


def _page_kind(body: bytes | str, content_type: str) -> BodyKind:
    start = body[:MAX_LOOK].encode("utf-8", "replace") if isinstance(body, str) else body
    kind = kind_of(start, content_type)
    if kind.name == "empty":
        raise NoArticleError(f"no article: empty ({kind.why})", page_kind="empty")
    if kind.name in FEED_KINDS or kind.name in _IS_A:
        several = kind.name in FEED_KINDS or kind.name == "json"
        raise UnknownFormatError(
            f"not a page: this is {_IS_A.get(kind.name, 'a feed')} ({kind.why})",
            hint="extract_all reads what it carries." if several else "",
        )
    return kind


def _page_tags(parts: ArticleParts, headers: Iterable[tuple[str, str]]) -> PageTags:
    json_ld = parts.metadata.json_ld if parts.config.hints.json_ld else None
    return read_page_tags(parts.page, url=parts.page.url, headers=headers, json_ld=json_ld)


def moment_of_fetch(fetched_at: datetime | None) -> datetime:
    """When the body was had, in UTC; the clock is asked when nobody says, and a time without a zone is UTC."""
    if fetched_at is None:
        return datetime.now(UTC)
    return fetched_at.replace(tzinfo=fetched_at.tzinfo or UTC).astimezone(UTC)


def metadata_of(
    page: Page, chosen: ChosenBody, config: ExtractConfig, fetched_at: datetime
) -> Metadata:
    """What the page says of itself, once the language of its text is known."""
    root = page.tree.root
    declared = config.hints.language or (root.attributes.get("lang") if root is not None else "")
    return read_metadata(
        page.tree,
        url=page.url,
        fetched_at=fetched_at,
        hints=config.hints,
        item=config.item,
        precedence=config.precedence,
        detected=detect_language(chosen.body.text, declared=declared or ""),
        word_count=chosen.body.word_count,
        undated=config.undated,
    )


def _encoding(page: Page) -> Encoding:
    return Encoding(
        name=page.encoding,
        source=page.encoding_source,
        lossy=page.lossy,
        fallback=page.encoding_fallback,
    )


def _cut_notes(page: Page) -> tuple[str, ...]:
    return tuple(f"cut: more {what} than are read" for what in page.cut)


def _parser_notes(page: Page) -> tuple[str, ...]:
    return ("parser: the second one, for the first saw no text",) if page.parser == "lxml" else ()
