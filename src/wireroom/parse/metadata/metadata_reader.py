"""The metadata of a page from its one tree: gather, weigh, hand back.

Pure: no clock, no network, nothing is parsed twice. The fields' rules stand in their own modules; here
is only the order of work.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser

from wireroom.dates import Moment
from wireroom.model import Claim, Hints, Item
from wireroom.model.literals import Undated
from wireroom.parse.elements import TellingElements, telling_elements
from wireroom.parse.metadata import keywords as words
from wireroom.parse.metadata import page_urls as addresses
from wireroom.parse.metadata.authors import authors
from wireroom.parse.metadata.formats import format_table
from wireroom.parse.metadata.head import read_head
from wireroom.parse.metadata.jsonld import NO_DATA, Node, about_page, flat, link_scripts
from wireroom.parse.metadata.metadata_sources import Sources
from wireroom.parse.metadata.microdata import read_microdata
from wireroom.parse.metadata.organisations import Organisation, organisations
from wireroom.parse.metadata.page_language import language
from wireroom.parse.metadata.paywall_evidence import paywall
from wireroom.parse.metadata.selectors import select
from wireroom.parse.metadata.titles import title
from wireroom.parse.metadata.types import Field, Metadata, Precedence
from wireroom.parse.metadata.visible import VisibleElements
from wireroom.parse.metadata.when import modified, published

FETCHED_CONFIDENCE: Final = 0.1  # it was there by then, no more is known
_NO_HINTS: Final = Hints()


def read_metadata(
    tree: LexborHTMLParser,
    *,
    elements: TellingElements | None = None,
    url: str = "",
    fetched_at: datetime | None = None,
    hints: Hints | None = None,
    item: Item | None = None,
    precedence: Precedence = "page",
    detected: Claim | None = None,
    word_count: int = 0,
    undated: Undated = "unknown",
) -> Metadata:
    """Every field with its source, its confidence and all that was said about it.

    `elements` are those of the tree, where they are known. `item` is the feed's entry for this page; `precedence`
    says whom to believe where both speak. `detected` is what a language detector made of the body, `word_count`
    the body's length.
    """
    reader = MetadataReader(
        tree,
        elements=elements,
        url=url,
        fetched_at=fetched_at,
        hints=hints,
        item=item,
        precedence=precedence,
        undated=undated,
    )
    return reader.read(detected, word_count)


class MetadataReader:
    """The metadata of one page: what depends on its text is read anew for another text, the rest is not."""

    def __init__(
        self,
        tree: LexborHTMLParser,
        *,
        elements: TellingElements | None = None,
        url: str = "",
        fetched_at: datetime | None = None,
        hints: Hints | None = None,
        item: Item | None = None,
        precedence: Precedence = "page",
        undated: Undated = "unknown",
    ) -> None:
        elements = elements or telling_elements(tree)
        gathered = _gather(tree, elements, url, fetched_at, hints or _NO_HINTS, item, precedence)
        self._sources, self._notes = gathered
        self._undated = undated
        self._last: Metadata | None = None

    def read(self, detected: Claim | None = None, word_count: int = 0) -> Metadata:
        """Every field, for a text of this language and length."""
        sources = self._sources
        code, tag = language(sources, detected)
        wall = paywall(sources, word_count=word_count)
        if self._last is not None:
            return replace(self._last, language=code, language_tag=tag, paywall=wall)
        published_field = published(sources)
        if published_field.value is None and self._undated == "fetched" and sources.fetched_at:
            published_field = _by_fetch(sources.fetched_at)
        self._last = Metadata(
            title=title(sources),
            authors=authors(sources),
            published=published_field,
            modified=modified(sources, published_field.value),
            language=code,
            language_tag=tag,
            tags=words.tags(sources),
            section=words.section(sources),
            description=words.description(sources),
            image_url=addresses.image_url(sources),
            canonical_url=addresses.canonical_url(sources),
            licence_url=addresses.licence_url(sources),
            publisher=words.publisher(sources),
            paywall=wall,
            formats=format_table(sources),
            selected=sources.selected,
            json_ld=sources.data.objects,
            extra=_extra(sources),
            notes=self._notes,
        )
        return self._last


def read_organisations(tree: LexborHTMLParser) -> tuple[Organisation, ...]:
    """The organisations a page names, for whoever must decide which one publishes it."""
    elements = telling_elements(tree)
    data = link_scripts(read_head(tree, elements).data_scripts)
    visible = VisibleElements(tree, elements=elements)
    return organisations(data, read_microdata(visible.properties))


def _gather(
    tree: LexborHTMLParser,
    elements: TellingElements,
    url: str,
    fetched_at: datetime | None,
    hints: Hints,
    item: Item | None,
    precedence: Precedence,
) -> tuple[Sources, tuple[str, ...]]:
    head = read_head(tree, elements)
    data = link_scripts(head.data_scripts) if hints.json_ld else NO_DATA
    visible = VisibleElements(tree, (head.first("og:title"), head.title), elements)
    here = [url, head.link("canonical"), head.first("og:url")]
    selected, notes = (
        select(tree, hints.metadata_selectors) if hints.metadata_selectors else ({}, ())
    )
    if data.unread:
        notes = (*notes, f"json-ld: {data.unread} of {data.scripts} scripts could not be read")
    sources = Sources(
        url=url,
        head=head,
        data=data,
        nodes=about_page(data.nodes, here),
        items=about_page(_typed(visible), here),
        visible=visible,
        hints=hints,
        item=item,
        precedence=precedence,
        selected=selected,
        fetched_at=fetched_at,
    )
    return sources, notes


def _typed(visible: VisibleElements) -> list[Node]:
    """Microdata laid flat; properties outside of any item speak of the page."""
    items = read_microdata(visible.properties)
    return list(
        flat([item if "@type" in item else {"@type": "CreativeWork", **item} for item in items])
    )


def _by_fetch(fetched_at: datetime) -> Field[Moment | None]:
    at = fetched_at.astimezone(UTC)
    moment = Moment(at, "second", at.date(), "assumed", None, FETCHED_CONFIDENCE)
    return Field(value=moment, source="fetched", confidence=FETCHED_CONFIDENCE)


def _extra(sources: Sources) -> dict[str, Any]:
    """Other forms of the page, and what kind it says it is."""
    head = sources.head
    fields = {
        "amp_url": sources.address(head.link("amphtml")),
        "author_url": sources.address(head.link("author")),
        "og_type": head.first("og:type").lower()[:60],
    }
    return {name: value for name, value in fields.items() if value}
