"""From bytes to an article: open, choose the body, read the metadata, judge, put together.

Here is only the order of work, and the door's promise: `ParseError` and what is under it, nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from html import escape
from typing import Final

from wireroom.errors import NoArticleError, UnknownFormatError
from wireroom.model import Article
from wireroom.parse.article.assemble import ArticleParts, article_of
from wireroom.parse.article.body_choice import PAGE_SOURCE, SELECTOR_SOURCE, ChosenBody, choose_body
from wireroom.parse.article.declared_body import all_blocks, body_of
from wireroom.parse.article.extraction_quality import quality_of
from wireroom.parse.article.types import ArticleReading, Encoding, ExtractConfig
from wireroom.parse.body import count_words
from wireroom.parse.body.blocks import lay_out
from wireroom.parse.detect import detect_language
from wireroom.parse.encoding import decode
from wireroom.parse.html import MAX_BYTES, Page, open_page
from wireroom.parse.kind import FEED_KINDS, BodyKind, kind_of
from wireroom.parse.metadata import Field, Metadata
from wireroom.parse.metadata.metadata_reader import MetadataReader
from wireroom.parse.page_tags import PageTags, read_page_tags
from wireroom.parse.pages import DOUBT_BELOW, REFUSE_BELOW, PageJudgement, judge_page
from wireroom.parse.plain_text import clean

MAX_LOOK: Final = 8_192  # characters of a text whose kind is asked
MAX_NOTES: Final = 30  # kept with an article
LONGEST_TITLE: Final = 150  # characters of a first line or sentence that stands for a title
FEWEST_WORDS: Final = (
    15  # of a plain text: "OK" and "Service unavailable, try again" are the answer of a machine
)
MAX_SENTENCE: Final = 1_000  # characters that are searched for its end
BY_SENTENCE: Final = 0.2  # how sure such a title is: it names the article, and nobody gave it
# Behind a short word or before a small letter a full stop is that of an abbreviation, before a digit that of a number.
_SENTENCE: Final = re.compile(
    r".{10,}?(?:(?:(?<=\w{3})\.|[!?।؟۔])[\"'”’»)]*(?=\s+[^\da-zß-öø-ÿа-яά-ώ]|\s*$)|[。！？][」』”]*)",
    re.DOTALL,
)
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
    read = partial(choose_body, config=config, rich=rich, explain=explain)
    if kind.name == "text":
        page = open_text(body, url=url, content_type=content_type)
        chosen = choose_text(page)
    else:
        page, chosen = _opened(body, url, content_type, read)
    read_metadata = _metadata_by_text(page, config, fetched_at)
    metadata = read_metadata(chosen)
    if kind.name == "text" and chosen.body.word_count < FEWEST_WORDS and not config.any_page:
        raise NoArticleError("no article: a few words of plain text", page_kind="text")
    if kind.name == "text" and metadata.title.value:
        metadata = replace(metadata, title=replace(metadata.title, source="first line"))
    judged = judge(page, chosen, metadata, in_feed=config.item is not None)
    if not config.any_page:
        refuse(judged, _cut_notes(page))
    if chosen.source == PAGE_SOURCE and judged.kind != "article":  # read as what it is
        again = read(page, any_kind=True, shift=SHIFTS.get(judged.kind, 0.0))
        chosen = replace(again, notes=(*dict.fromkeys((*chosen.notes, *again.notes)),))
        metadata = read_metadata(chosen)
    quality = quality_of(page, chosen, metadata, judged)
    metadata = with_title(metadata, chosen.body.text)
    parts = ArticleParts(
        page=page,
        chosen=chosen,
        metadata=metadata,
        quality=quality,
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
    body: bytes | str, url: str, content_type: str, read: Callable[[Page], ChosenBody]
) -> tuple[Page, ChosenBody]:
    """The page and its body; a page that is empty but for readers without scripts is read as theirs."""
    page = open_page(body, url=url, content_type=content_type)
    chosen = read(page)
    bare = shown_without_scripts(page, body, chosen)
    if bare is None:
        return page, chosen
    page = open_page(bare, url=url, content_type=content_type)
    chosen = read(page)
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
    return _metadata_by_text(page, config, fetched_at)(chosen)


def _metadata_by_text(
    page: Page, config: ExtractConfig, fetched_at: datetime
) -> Callable[[ChosenBody], Metadata]:
    """The same for one text of the page or another: most of it is read but once."""
    root = page.tree.root
    declared = (root.attributes.get("lang") if root is not None else "") or config.hints.language
    reader = MetadataReader(
        page.tree,
        elements=page.elements,
        url=page.url,
        fetched_at=fetched_at,
        hints=config.hints,
        item=config.item,
        precedence=config.precedence,
        undated=config.hints.undated if config.undated == "unknown" else config.undated,
    )

    def read(chosen: ChosenBody) -> Metadata:
        detected = detect_language(chosen.body.text, declared=declared)
        return reader.read(detected, chosen.body.word_count)

    return read


def with_title(metadata: Metadata, text: str) -> Metadata:
    """The metadata with the first sentence of the text as title, where nothing else names one."""
    if metadata.title.value or not text:
        return metadata
    first = text.partition("\n")[0][:MAX_SENTENCE]
    end = _SENTENCE.match(first)
    sentence = end[0] if end else first
    if len(sentence) > LONGEST_TITLE:
        words = sentence[:LONGEST_TITLE].rpartition(" ")[0] or sentence[:LONGEST_TITLE]
        sentence = f"{words} …"
    title = Field(value=sentence, source="first sentence", confidence=BY_SENTENCE)
    return replace(metadata, title=title)


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


# Whether a page is an article at all: what the judge of pages says, and when it is asked.
#
# The operator's selector, a text in the linked data and a feed's item are stronger than any guess by looks:
# with the first two the judge is not asked, with the last only what is certainly no article is refused.

AN_ARTICLE: Final = PageJudgement(article=1.0, kind="article")
EMPTY: Final = PageJudgement(article=0.0, kind="empty", reasons=("the page holds no text",))
SHIFTS: Final[Mapping[str, float]] = {"listing": -0.1, "collection": -0.1, "forum": 0.1}
"""How much likelier than on other pages a block has to be: lists are all labels, members have signatures."""
_NEVER_AN_ARTICLE: Final = frozenset({"empty", "login", "consent", "error"})


def judge(page: Page, chosen: ChosenBody, metadata: Metadata, *, in_feed: bool) -> PageJudgement:
    """What kind of page this is; `in_feed` when a feed has an item for it."""
    if chosen.source != PAGE_SOURCE:
        return AN_ARTICLE if chosen.body.text else EMPTY
    judged = judge_page(page, chosen.body, metadata, page.url)
    if not chosen.body.text and judged.article >= REFUSE_BELOW:
        return EMPTY
    if in_feed and judged.article < DOUBT_BELOW and judged.kind not in _NEVER_AN_ARTICLE:
        return replace(judged, article=DOUBT_BELOW)
    return judged


ANY_PAGE_HINT: Final = "ExtractConfig(any_page=True) reads it all the same."


def refuse(judged: PageJudgement, notes: Sequence[str] = ()) -> None:
    """Raises `NoArticleError` for a page that is none, with what it is and why, and what was not read of it."""
    if judged.article < REFUSE_BELOW:
        why = "; ".join((*judged.reasons, *notes))
        raise NoArticleError(
            f"no article: {judged.kind}{f' ({why})' if why else ''}",
            page_kind=judged.kind,
            hint="" if judged.kind == "empty" else ANY_PAGE_HINT,
        )


# A plain text as a page: its paragraphs, and a first line that stands alone as the title.

TEXT_SOURCE: Final = "plain text"
MAX_PARAGRAPHS: Final = 20_000  # more are a log or a table
CONFIDENCE: Final = 0.8  # nothing in a plain text says what it is
_APART: Final = re.compile(r"\n[ \t]*\n\s*")
_NO_TITLE: Final = ".,;:。．"  # how sentences end, and titles do not


def open_text(body: bytes | str, *, url: str, content_type: str) -> Page:
    """The page that a plain text would be."""
    body = body[:MAX_BYTES]
    if isinstance(body, str):
        return open_page(_markup(body), url=url)
    decoded = decode(body, content_type=content_type, kind="text")
    return replace(
        open_page(_markup(decoded.text), url=url),
        encoding=decoded.encoding,
        encoding_source=decoded.source,
        encoding_fallback=decoded.fallback,
        lossy=decoded.lossy,
    )


def choose_text(page: Page) -> ChosenBody:
    """All of it but the title."""
    blocks = all_blocks(page.tree, TEXT_SOURCE)
    if blocks and blocks[0].kind == "heading":
        blocks = blocks[1:]
    return ChosenBody(body=body_of(blocks, confidence=CONFIDENCE), source=TEXT_SOURCE)


def _markup(text: str) -> str:
    text = clean(text).replace("\r\n", "\n").replace("\r", "\n").strip()
    parts = _APART.split(text, maxsplit=MAX_PARAGRAPHS)
    heading = ""
    first = parts[0]
    if len(parts) > 1 and len(first) <= LONGEST_TITLE and first[-1:] not in _NO_TITLE:
        heading, parts = f"<h1>{escape(first)}</h1>", parts[1:]
    return heading + "".join(f"<p>{escape(part)}</p>" for part in parts)


# The text that a page shows only to readers without scripts, where it shows next to nothing else.
#
# Some forums and shops send an empty shell, and the text for those who run no script. A reader sees one of
# the two, never both: it is read only where the page holds hardly any other text.

NOSCRIPT_NOTE: Final = "text: what is shown without scripts, for there is next to none otherwise"
LITTLE: Final = 50  # words of a body; with more, the page has a text of its own
WORTH_IT: Final = 100  # words; less is a request to turn scripts on
TIMES_MORE: Final = (
    4  # as many words as the page shows to everybody: a notice, a menu, a few buttons
)
MAX_ELEMENTS: Final = 50  # of that kind; most hold a counter's picture
MAX_MARKUP: Final = 500_000  # characters of them that are looked at

_TAG: Final = re.compile(r"<[^<>]{0,2000}>")
_NOSCRIPT: Final = re.compile(rb"</?noscript(?:\s[^<>]{0,500})?>", re.IGNORECASE)
_BODY: Final = re.compile(rb"<body[\s>]|</head\s*>", re.IGNORECASE)


def shown_without_scripts(page: Page, body: bytes | str, chosen: ChosenBody) -> bytes | str | None:
    """The page with that text among the rest, or None where it is not needed or not there."""
    if chosen.body.word_count >= LITTLE or chosen.source == SELECTOR_SOURCE:
        return None
    if page.encoding.startswith(("utf-16", "utf-32")):  # its tags are not written in ASCII
        return None
    hidden = _hidden_words(page)
    if hidden < WORTH_IT or hidden < TIMES_MORE * _shown_words(page):
        return None
    markup = body.encode("utf-8", "replace") if isinstance(body, str) else body
    start = _BODY.search(markup)
    place = start.end() if start else 0
    bare = markup[:place] + _NOSCRIPT.sub(b"", markup[place:])
    return bare.decode("utf-8", "replace") if isinstance(body, str) else bare


def _shown_words(page: Page) -> int:
    """All words that the page shows to everybody, menus and footers included."""
    return sum(map(count_words, lay_out(page.tree.body, everything=True, marks=False).text))


def _hidden_words(page: Page) -> int:
    """The words in these elements, which a parser that runs scripts takes for plain text."""
    elements = page.tree.css("body noscript")[:MAX_ELEMENTS]
    markup = " ".join(element.text() for element in elements)[:MAX_MARKUP]
    return count_words(_TAG.sub(" ", markup))
