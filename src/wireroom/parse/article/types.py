"""What reading an article takes and gives back. Frozen, hardly any logic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wireroom.dates.reader_clock import UTC_CLOCK
from wireroom.model import Article, Hints, Item
from wireroom.parse.body import Block, Body, Mode, to_html, to_markdown
from wireroom.parse.kind import BodyKind
from wireroom.parse.metadata import Metadata, Precedence, Undated
from wireroom.parse.page_tags import PageTags
from wireroom.parse.pages import PageJudgement


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractConfig:
    """How a page is to be read; the defaults suit a page nobody knows anything about."""

    mode: Mode = "balanced"
    """When in doubt about a block: rather leave out (precision), neither, rather keep (recall)."""
    hints: Hints = field(default_factory=Hints)
    """What the operator knows about the feed: selectors, language, zone, field map."""
    item: Item | None = None
    """The feed's entry for this page."""
    precedence: Precedence = "page"
    """Whom to believe where the page and the item differ."""
    boilerplate: frozenset[str] = frozenset()
    """The `block_hash` of blocks that repeat across the publisher's pages."""
    undated: Undated = "unknown"
    """What a page without a date gets: none, or the time of its fetch, marked as such."""
    captions: bool = False
    """Whether captions stand in the text, too; the same as the option of a feed."""
    images: bool = False
    """Whether the addresses of the article's images are kept; the same as the option of a feed."""
    any_page: bool = False
    """Whether a page that looks like no article is read all the same, with a low quality."""

    def wants_captions(self) -> bool:
        """Whether captions were asked for, here or for the feed."""
        return self.captions or self.hints.captions

    def wants_images(self) -> bool:
        """Whether images were asked for, here or for the feed."""
        return self.images or self.hints.images


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """In which encoding the bytes were, how that was known, and whether some were lost."""

    name: str
    source: str
    lossy: bool = False
    fallback: bool = False
    """What was declared did not hold, or nothing was known at all."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArticleReading:
    """An article with all that was thought on the way to it, for whoever wants to know why."""

    article: Article
    body: Body
    """With links and emphases when read `rich`, with the dropped blocks when read with `explain`."""
    metadata: Metadata
    """With every claim about every field."""
    kind: BodyKind
    encoding: Encoding
    judged: str
    """What kind of page it was taken for."""
    judgement: PageJudgement
    """How likely it is an article, and why."""
    quality_reasons: tuple[str, ...] = ()
    """Why the quality is not higher."""
    page_tags: PageTags | None = None
    """What of the page speaks of its use, when its headers were given."""
    notes: tuple[str, ...] = ()
    """What could not be read, was cut, or was done in another way than asked for."""

    def markdown(self) -> str:
        """Title, byline, date and body as Markdown; links are there when it was read `rich`."""
        return to_markdown((*heading_blocks(self.article), *self.body.with_images())) + "\n"

    def html(self) -> str:
        """The body as HTML of a dozen tags, safe to show."""
        return to_html(self.body.with_images())


def heading_blocks(article: Article, *, byline: bool = True) -> tuple[Block, ...]:
    """What stands above the text: the title, and who wrote it when, as far as that is known."""
    title = Block(
        kind="heading", text=article.title, kept=True, probability=1, reason="title", level=1
    )
    line = Block(
        kind="paragraph",
        text=byline_of(article) if byline else "",
        kept=True,
        probability=1,
        reason="byline",
    )
    return tuple(block for block in (title, line) if block.text)


def byline_of(article: Article) -> str:
    """`Jane Doe, John Roe · 2026-11-03 14:05 UTC`; a day alone where no more is known, as the page writes it."""
    return " · ".join(filter(None, (", ".join(article.authors), _date_of(article))))


def _date_of(article: Article) -> str:
    at, facts = article.published_at, article.extra.get("published")
    if at is None:
        return ""
    if isinstance(facts, Mapping) and facts.get("precision") == "day":
        return str(facts.get("local_day") or f"{at:%Y-%m-%d}")
    return UTC_CLOCK.named(at)
