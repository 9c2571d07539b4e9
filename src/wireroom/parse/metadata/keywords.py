"""What an article is about: its tags, its section, its description, and who publishes it.

Pure. Tags of all places are joined, each once; of the other fields the surest place counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from wireroom.model import Claim
from wireroom.parse.metadata.jsonld import text_of
from wireroom.parse.metadata.metadata_sources import Sources, first_field
from wireroom.parse.metadata.person_names import name_key
from wireroom.parse.metadata.types import Field
from wireroom.parse.plain_text import line, line_without_tags

MAX_TAGS: Final = 60  # of one article; SEO lists go on for ever
MAX_TAG: Final = 80  # characters; longer ones are sentences
MAX_DESCRIPTION: Final = 2_000  # characters
MAX_SECTION: Final = 120  # characters
SHORTEST_DESCRIPTION: Final = 3  # characters

_SEPARATOR: Final = re.compile(r"(?:(?<!\s)\s++)?[,;|、，；]\s*+")


def tags(sources: Sources) -> Field[tuple[str, ...]]:
    """The tags of the surest places that have some, each once, in their order."""
    claims = [claim for claim in _tag_claims(sources) if claim.value]
    if not claims:
        return Field(value=())
    joined: dict[str, str] = {}
    for claim in claims:
        # A site's general keywords say nothing new beside an article's own tags.
        if joined and claim.confidence < 0.7:
            break
        for tag in claim.value:
            joined.setdefault(tag.casefold(), tag)
    return Field(
        value=tuple(joined.values())[:MAX_TAGS],
        source=claims[0].source,
        confidence=claims[0].confidence,
        claims=tuple(claims),
    )


def _tag_claims(sources: Sources) -> Iterator[Claim]:
    head = sources.head
    yield _tag_claim(sources.picked("tags", "keywords"), "selector", 1.0, sources)
    if sources.item is not None:
        yield _tag_claim(sources.item.tags, "feed", 0.9, sources)
    for name in (
        "news_keywords",
        "article:tag",
        "parsely-tags",
        "sailthru.tags",
        "og:article:tag",
        "video:tag",
    ):
        if name in head.metas:
            yield _tag_claim(_split(head.metas[name]), f"meta {name}", 0.9, sources)
    for node in sources.articles[:1]:
        yield _tag_claim(_keywords(node.get("keywords")), "json-ld keywords", 0.85, sources)
    for node in sources.items[:1]:
        yield _tag_claim(_keywords(node.get("keywords")), "microdata keywords", 0.8, sources)
    yield _tag_claim(sources.visible.tags, "rel=tag", 0.75, sources)
    for name in ("keywords", "citation_keywords", "dc.subject", "dcterms.subject"):
        if name in head.metas:
            yield _tag_claim(_split(head.metas[name]), f"meta {name}", 0.6, sources)


def _tag_claim(words: Iterable[str], source: str, confidence: float, sources: Sources) -> Claim:
    found: dict[str, str] = {}
    for word in words:
        tag = line_without_tags(word, MAX_TAG + 1).strip(" #,;")
        if tag and len(tag) <= MAX_TAG and not tag.startswith(("http:", "https:")):
            found.setdefault(tag.casefold(), tag)
        if len(found) >= MAX_TAGS:
            break
    kept = tuple(tag for tag in found.values() if name_key(tag) not in sources.publisher_keys)
    return Claim(value=kept, source=source, confidence=confidence)


def _split(values: Iterable[str]) -> Iterator[str]:
    for value in values:
        yield from _SEPARATOR.split(value)


def _keywords(value: Any) -> Iterator[str]:
    """Keywords come as a list, as nodes with names, or in one text."""
    for member in (value if isinstance(value, list) else [value])[: 2 * MAX_TAGS]:
        text = text_of(member, MAX_DESCRIPTION)
        # Some publishers put their internal marks among the keywords: "type: article".
        yield from (word for word in _SEPARATOR.split(text) if ":" not in word)


def section(sources: Sources) -> Field[str]:
    """The section of the paper it stands in."""
    return first_field(_sections(sources), "")


def _sections(sources: Sources) -> Iterator[Claim]:
    candidates = [(text, "selector", 1.0) for text in sources.picked("section")]
    for nodes, name in ((sources.articles[:1], "json-ld"), (sources.items[:1], "microdata")):
        candidates += [
            (text_of(node.get("articleSection"), MAX_SECTION), f"{name} articleSection", 0.9)
            for node in nodes
        ]
    for name in (
        "article:section",
        "parsely-section",
        "og:article:section",
        "sailthru.section",
        "category",
        "section",
    ):
        candidates.append((line(sources.head.first(name), MAX_SECTION), f"meta {name}", 0.9))
    return (
        Claim(value=text, source=source, confidence=sure)
        for text, source, sure in candidates
        if text
    )


def description(sources: Sources) -> Field[str]:
    """What the page says of itself in a sentence or two."""
    return first_field(_descriptions(sources), "")


def _descriptions(sources: Sources) -> Iterator[Claim]:
    candidates = [(text, "selector", 1.0) for text in sources.picked("description", "summary")]
    item = sources.item
    feed = [(item.summary, "feed", 0.8)] if item is not None else []
    if sources.precedence == "feed":
        candidates += feed
    for name in ("og:description", "description", "twitter:description"):
        candidates.append((sources.head.first(name), f"meta {name}", 0.9))
    for nodes, name in ((sources.articles[:1], "json-ld"), (sources.items[:1], "microdata")):
        candidates += [
            (text_of(node.get("description"), MAX_DESCRIPTION), f"{name} description", 0.85)
            for node in nodes
        ]
    for name in ("dc.description", "dcterms.description", "sailthru.description"):
        candidates.append((sources.head.first(name), f"meta {name}", 0.8))
    if sources.precedence == "page":
        candidates += feed
    for text, source, confidence in candidates:
        tidy = line_without_tags(text, MAX_DESCRIPTION)
        if len(tidy) >= SHORTEST_DESCRIPTION:
            yield Claim(value=tidy, source=source, confidence=confidence)


def publisher(sources: Sources) -> Field[str]:
    """The name by which the publisher goes."""
    return first_field(_publishers(sources), "")


def _publishers(sources: Sources) -> Iterator[Claim]:
    for node in sources.articles[:1]:
        if name := text_of(sources.data.follow(node.get("publisher")), MAX_SECTION):
            yield Claim(value=name, source="json-ld publisher", confidence=0.95)
    for name in ("og:site_name", "citation_publisher", "dc.publisher", "application-name"):
        if text := line(sources.head.first(name), MAX_SECTION):
            yield Claim(value=text, source=f"meta {name}", confidence=0.85)
    for node in sources.items[:1]:
        if name := text_of(node.get("publisher"), MAX_SECTION):
            yield Claim(value=name, source="microdata publisher", confidence=0.85)
