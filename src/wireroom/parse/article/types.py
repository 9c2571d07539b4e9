"""What reading an article takes and gives back. Frozen, hardly any logic."""

from __future__ import annotations

from dataclasses import dataclass, field

from wireroom.model import Article, Hints, Item
from wireroom.parse.body import Body, Mode, to_html, to_markdown
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
    any_page: bool = False
    """Whether a page that looks like no article is read all the same, with a low quality."""

    def wants_captions(self) -> bool:
        """Whether captions were asked for, here or for the feed."""
        return self.captions or self.hints.captions


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
        """The title and the body as Markdown; links are there when it was read `rich`."""
        heading = to_markdown_heading(self.article.title)
        return "\n\n".join(filter(None, (heading, to_markdown(self.body.blocks)))) + "\n"

    def html(self) -> str:
        """The body as HTML of a dozen tags, safe to show."""
        return to_html(self.body.blocks)


def to_markdown_heading(title: str) -> str:
    """The title as a heading of the first level, empty for none."""
    from wireroom.parse.body import Block

    heading = Block(kind="heading", text=title, kept=True, probability=1, reason="", level=1)
    return to_markdown([heading]) if title else ""
