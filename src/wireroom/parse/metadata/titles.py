"""What the article is called: a vote of the places that say so.

Pure. The publisher's own name is taken off each title first; equal titles add up their weights. The
headline a reader sees weighs most, then linked data, then what was written for other services.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from wireroom.model import Claim
from wireroom.parse.metadata.head import text_below
from wireroom.parse.metadata.jsonld import text_of
from wireroom.parse.metadata.metadata_sources import MAX_CLAIMS, Sources
from wireroom.parse.metadata.person_names import name_key
from wireroom.parse.metadata.types import Field

MAX_TITLE: Final = 500  # characters
MAX_HEADLINES: Final = 6  # h1 elements that take part
SHORTEST_NAME: Final = 4  # letters by which a publisher's name is known inside a longer segment

H1: Final = 1.2
HEADLINE: Final = 1.15
OPENGRAPH: Final = 1.0
TITLE: Final = 0.6
TWITTER: Final = 0.5
SECOND_H1: Final = 0.3  # of several h1 elements, one that nobody else confirms
COPY: Final = 0.1  # what is left of the weight of a copy
ALL: Final = H1 + HEADLINE + OPENGRAPH + TITLE + TWITTER

_BREAK: Final = re.compile(
    r"(?<!\s)\s++(?:[|\-–—·•»«:~›‹>]|::|//|\\)\s++|(?:(?<!\s)\s++)?[|｜»«]\s*+|(?<=[^\W\d_])\s*[_＿]\s*(?=[^\W\d_])"
)
_SEPARATORS: Final = frozenset("|-–—·•»«:~›‹>/\\｜_＿")
"""One of these is in every break."""


_SAME_FIELD: Final = frozenset(
    {"og:title", "title", "twitter:title", "parsely-title", "sailthru.title"}
)


class _Vote(NamedTuple):
    text: str
    source: str
    weight: float


def title(sources: Sources) -> Field[str]:
    """The title with the most weight behind it; of equal ones, as the surest place spells it."""
    for text in sources.picked("title", "headline"):
        return _chosen([_Vote(text, "selector", ALL)], "selector", 1.0)
    votes = list(_votes(sources))
    if sources.item is not None and sources.item.title and sources.precedence == "feed":
        return _chosen([_Vote(sources.item.title, "feed", ALL), *votes], "feed", 0.9)
    if not votes:
        return Field(value="")
    totals = _totals(votes)
    best = max(votes, key=lambda vote: (totals[name_key(vote.text)], vote.weight))
    share = totals[name_key(best.text)] / sum(totals.values())
    votes.sort(key=lambda vote: (totals[name_key(vote.text)], vote.weight), reverse=True)
    return _chosen(votes, best.source, round(share, 3))


def _chosen(votes: list[_Vote], source: str, confidence: float) -> Field[str]:
    claims = tuple(
        Claim(value=vote.text, source=vote.source, confidence=round(vote.weight / ALL, 3))
        for vote in votes[:MAX_CLAIMS]
    )
    return Field(value=votes[0].text, source=source, confidence=confidence, claims=claims)


def _totals(votes: list[_Vote]) -> dict[str, float]:
    """The weight behind each title. Copies of one field by one system count as little more than one.

    Otherwise a title written for search engines, which stands in three tags, would always outvote the
    headline that readers see.
    """
    totals: dict[str, float] = {}
    copied: set[str] = set()
    for vote in sorted(votes, key=lambda vote: -vote.weight):
        key = name_key(vote.text)
        weight = vote.weight
        if vote.source in _SAME_FIELD:
            weight *= COPY if key in copied else 1.0
            copied.add(key)
        totals[key] = totals.get(key, 0.0) + weight
    return totals


def _votes(sources: Sources) -> Iterator[_Vote]:
    known = list(_own_titles(sources))
    keys = {name_key(vote.text) for vote in known}
    headlines = [text for text, _ in sources.visible.headlines[:MAX_HEADLINES]]
    page_title = _page_title(sources, keys | {name_key(text) for text in headlines})
    if not known and not headlines:
        page_title = _alone(page_title, sources)
    if page_title:
        known.append(_Vote(page_title, "title", TITLE))
        keys.add(name_key(page_title))
    yield from _headline_votes(headlines, keys, sources)
    yield from known
    if sources.item is not None and sources.item.title:
        yield _Vote(sources.item.title, "feed", TITLE)


def _headline_votes(headlines: list[str], keys: set[str], sources: Sources) -> Iterator[_Vote]:
    """The only h1 counts in full; of several, those that another place confirms."""
    kept = [text for text in headlines if name_key(text) not in sources.publisher_keys]
    confirmed = any(name_key(text) in keys for text in kept)
    for place, text in enumerate(kept):
        if name_key(text) in keys or (place == 0 and not confirmed):
            yield _Vote(text, "h1", H1)
        else:
            yield _Vote(text, "h1", SECOND_H1)


def _own_titles(sources: Sources) -> Iterator[_Vote]:
    head = sources.head
    for nodes, name in ((sources.articles[:1], "json-ld"), (sources.items[:1], "microdata")):
        for node in nodes:
            text = text_of(node.get("headline") or node.get("name"), MAX_TITLE)
            if text:
                weight = HEADLINE if node.get("headline") else TITLE
                yield _Vote(without_publisher(text, sources), f"{name} headline", weight)
                break
    for name, weight in (
        ("og:title", OPENGRAPH),
        ("twitter:title", TWITTER),
        ("citation_title", HEADLINE),
        ("parsely-title", TWITTER),
        ("sailthru.title", TWITTER),
    ):
        if text := head.first(name)[:MAX_TITLE]:
            yield _Vote(without_publisher(text, sources), name, weight)


def _page_title(sources: Sources, keys: set[str]) -> str:
    """The page's title, or that part of it which another place confirms."""
    text = sources.head.title[:MAX_TITLE]
    if not text:
        return ""
    stripped = without_publisher(text, sources)
    if name_key(stripped) in keys:
        return stripped
    for part in _BREAK.split(text):
        if part and name_key(part) in keys and name_key(part) not in sources.publisher_keys:
            return part.strip()
    return stripped


def _alone(text: str, sources: Sources) -> str:
    """A title that nothing confirms: what its headline says, or what stands before the last bar."""
    headline = sources.visible.headline
    if headline is not None:
        return text_below(headline, MAX_TITLE)
    front, bar, last = text.rpartition(" | ")
    return front if bar and len(front) > len(last) else text


def without_publisher(text: str, sources: Sources) -> str:
    """The title without the publisher's name before or after it."""
    names = sources.publisher_keys
    for _ in range(3):  # "Story | Section | Name"
        if _SEPARATORS.isdisjoint(text):  # most headlines: the pattern takes ten times as long
            break
        breaks = list(_BREAK.finditer(text))
        if not breaks:
            break
        last, first = breaks[-1], breaks[0]
        if _is_publisher(text[last.end() :], names):
            text = text[: last.start()].strip()
        elif _is_publisher(text[: first.start()], names):
            text = text[first.end() :].strip()
        else:
            break
    return text


def _is_publisher(part: str, names: frozenset[str]) -> bool:
    key = name_key(part)
    if not key or key in names:
        return bool(key)
    return any(
        len(name) >= SHORTEST_NAME
        and (key.startswith(name) or (len(key) >= SHORTEST_NAME and name.startswith(key)))
        for name in names
    )
