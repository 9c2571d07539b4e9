"""What the article is called: a vote of the places that say so.

Pure. The publisher's own name is taken off each title first; equal titles add up their weights. The
headline a reader sees weighs most, then linked data, then what was written for other services.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from selectolax.lexbor import LexborNode

from wireroom.model import Claim
from wireroom.parse.metadata.head import text_below
from wireroom.parse.metadata.headlines import (
    headline_parts,
    is_masthead,
    is_subtitle,
    without_kicker,
)
from wireroom.parse.metadata.jsonld import Node, text_of, types_of
from wireroom.parse.metadata.metadata_sources import MAX_CLAIMS, Sources
from wireroom.parse.metadata.person_names import name_key
from wireroom.parse.metadata.types import Field

MAX_TITLE: Final = 500  # characters
MAX_HEADLINES: Final = 6  # h1 elements that take part
SHORTEST_NAME: Final = 4  # letters by which a publisher's name is known inside a longer segment

FEWEST_WORDS: Final = (
    3  # of a headline behind the name of a section; "Free" before two words is none
)

H1: Final = 1.2
HEADLINE: Final = 1.15
OPENGRAPH: Final = 1.0
TITLE: Final = 0.6
TWITTER: Final = 0.5
SECOND_H1: Final = 0.3  # of several h1 elements, one that nobody else confirms
FEED: Final = 1.0  # the feed's own headline, beside a page that has one
ALIEN: Final = (
    0.1  # of the words: an h1 with fewer of those that head and feed agree on is no headline
)
COPY: Final = 0.04  # what all copies of a title together add to it: they decide between equals
CUT: Final = range(
    105, 112
)  # characters of a title that may be cut: search engines asked for no more than 110
ALL: Final = H1 + HEADLINE + OPENGRAPH + TITLE + TWITTER

_BREAK: Final = re.compile(
    r"(?<!\s)\s++(?:[|\-–—·•»«:~›‹>]|::|//|\\)\s++|(?:(?<!\s)\s++)?[|｜»«]\s*+|(?<=[^\W\d_])\s*[_＿]\s*(?=[^\W\d_])"
)
_SEPARATORS: Final = frozenset("|-–—·•»«:~›‹>/\\｜_＿")
"""One of these is in every break."""


_WORDS: Final = re.compile(r"[^\W_]{3,}|[\u3040-\ud7a3]")
"""Long words, and single signs of scripts without blanks."""
_BLOGS: Final = frozenset({"blogposting", "blog"})
_ANCHORS: Final = " ¶\uf0c1🔗"
"""Signs of links to a heading, which documentation writes behind it."""


class _Vote(NamedTuple):
    text: str
    source: str
    weight: float
    is_copied: bool = False
    """Whether the system that wrote it fills several fields from the same one."""


def title(sources: Sources) -> Field[str]:
    """The title with the most weight behind it; of equal ones, as the surest place spells it."""
    for text in sources.picked("title", "headline"):
        return _chosen([_Vote(text, "selector", ALL)], "selector", 1.0)
    votes = list(_votes(sources))
    if sources.item is not None and sources.item.title and sources.precedence == "feed":
        return _chosen([_Vote(sources.item.title, "feed", ALL), *votes], "feed", 0.9)
    if not votes:
        return Field(value="")
    votes = [_whole(vote, votes) for vote in votes]
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
    again: set[str] = set()
    for vote in sorted(votes, key=lambda vote: -vote.weight):
        key = name_key(vote.text)
        is_copy = vote.is_copied and key in copied
        if not is_copy:
            totals[key] = totals.get(key, 0.0) + vote.weight
        elif key not in again:
            totals[key] += COPY
            again.add(key)
        if vote.is_copied:
            copied.add(key)
    return totals


def _whole(vote: _Vote, votes: list[_Vote]) -> _Vote:
    """A title that was cut for its length, as another place has it in full."""
    text = vote.text.rstrip(" .…")
    if len(vote.text) not in CUT and not vote.text.endswith(("…", "...")):
        return vote
    longer = (other.text for other in votes if len(other.text) > len(vote.text))
    return next((vote._replace(text=full) for full in longer if full.startswith(text)), vote)


def _votes(sources: Sources) -> Iterator[_Vote]:
    known = list(_own_titles(sources))
    keys = {name_key(vote.text) for vote in known}
    item_title = sources.item.title if sources.item is not None else ""
    if item_title:
        keys.add(name_key(item_title))
    headlines, logos = _headlines(sources, keys)
    page_title = _page_title(sources, keys | {name_key(text) for text in headlines}, logos)
    if not known and not sources.visible.headlines:
        page_title = _alone(page_title, sources)
    if page_title:
        known.append(_Vote(page_title, "title", TITLE, is_copied=True))
        keys.add(name_key(page_title))
    votes = list(_headline_votes(headlines, keys))
    if item_title:
        is_shown = bool(votes) or any(vote.weight >= HEADLINE for vote in known)
        # Without a headline the page is a shell that a script fills: its title is that of every page.
        known.append(_Vote(item_title, "feed", FEED if is_shown else H1))
    if votes and all(name_key(vote.text) not in keys for vote in votes):
        votes = list(_doubted(votes, known, sources))
    yield from votes
    yield from known


def _headlines(sources: Sources, keys: set[str]) -> tuple[list[str], set[str]]:
    """The h1 elements that can be headlines; and the keys of those that are the publisher's name."""
    found, logos = [], set()
    named = {name_key(part) for part in _BREAK.split(sources.head.title[:MAX_TITLE])}
    for written, node in sources.visible.headlines[:MAX_HEADLINES]:
        text = written.rstrip(_ANCHORS)
        key = name_key(text)
        if key in keys and key not in sources.publisher_keys:
            found.append(text)
        elif key in sources.publisher_keys or _is_logo(text, node, sources):
            logos.add(key)
        elif name_key(bare := without_publisher(text, sources)) in keys - sources.publisher_keys:
            found.append(bare)
        else:
            found.append(_headline_itself(text, node, keys, named, sources.publisher_keys))
    return found, logos


def _headline_itself(
    text: str, node: LexborNode, keys: set[str], named: set[str], names: frozenset[str]
) -> str:
    """The headline without the name of a section or a publisher, or a subtitle, in elements of the same h1.

    The longest run of its elements that another place calls the title; all but the first where that is a part of
    the page's title (`named`); else what is left behind a kicker.
    """
    parts = headline_parts(node)
    runs = [
        " ".join(parts[start:end])
        for start in range(len(parts))
        for end in range(start + 1, len(parts) + 1)
    ]
    known = [run for run in runs if name_key(run) in keys - names]
    if known:
        return max(known, key=len)
    rest = " ".join(parts[1:])  # behind the name of a section
    if len(rest.split()) >= FEWEST_WORDS and name_key(rest) in named - names:
        return rest
    if len(parts) > 1 and name_key(parts[0]) in names and parts[1][0].isalnum():
        return " ".join(parts[1:])
    return without_kicker(node) or text


def _is_logo(text: str, node: LexborNode, sources: Sources) -> bool:
    """Whether an h1 is the publisher's name, with which the page's title begins or ends."""
    title = sources.head.title[:MAX_TITLE]
    breaks = list(_BREAK.finditer(title)) if not _SEPARATORS.isdisjoint(title) else []
    if not breaks:
        return False
    key = name_key(text)
    first, last = breaks[0], breaks[-1]
    at_end = name_key(title[last.end() :]) == key
    if not at_end and name_key(title[: first.start()]) != key:
        return False
    rest = name_key(title[: last.start()] if at_end else title[first.end() :])
    if is_masthead(node, sources.home):
        return True
    if not at_end:
        return False
    is_headed = rest in {name_key(heading) for heading in sources.visible.lesser_headings}
    return is_headed or len(rest) > len(key)  # the publisher's name is the shorter part of a title


def _headline_votes(headlines: list[str], keys: set[str]) -> Iterator[_Vote]:
    """The only h1 counts in full; of several, those that another place confirms."""
    confirmed = any(name_key(text) in keys for text in headlines)
    for place, text in enumerate(headlines):
        if name_key(text) in keys or (place == 0 and not confirmed):
            yield _Vote(text, "h1", H1)
        else:
            yield _Vote(text, "h1", SECOND_H1)


def _doubted(votes: list[_Vote], known: list[_Vote], sources: Sources) -> Iterator[_Vote]:
    """An h1 that no other place confirms: another element may be the headline, and the h1 a subtitle or a label.

    A title for search engines tells the same story in other words. What shares no word with the title that two
    of head and feed agree on, or is called a subtitle, tells something else.
    """
    keys = {name_key(vote.text): vote for vote in known}
    for name in sources.publisher_keys:
        keys.pop(name, None)
    for heading in _other_headings(sources) if keys else ():
        if vote := keys.get(name_key(heading)):
            yield _Vote(vote.text, "heading", H1)
            break
    agreed = _agreed(known)
    subtitles = {text for text, node in sources.visible.headlines if agreed and is_subtitle(node)}
    for vote in votes:
        is_alien = any(_shared_words(vote.text, text) < ALIEN for text in agreed)
        yield vote._replace(weight=SECOND_H1) if is_alien or vote.text in subtitles else vote


def _other_headings(sources: Sources) -> Iterator[str]:
    yield from sources.visible.lesser_headings
    yield from sources.visible.called_headlines


def _agreed(known: list[_Vote]) -> list[str]:
    """The titles that two of the page's title, its OpenGraph title and the feed have in common."""
    places: dict[str, set[str]] = {}
    for vote in known:
        if vote.source in ("title", "og:title", "feed"):
            places.setdefault(name_key(vote.text), set()).add(vote.source)
    return [vote.text for vote in known if len(places.get(name_key(vote.text), ())) > 1]


def _shared_words(left: str, right: str) -> float:
    """The share of the shorter one's words that the other has as well."""
    words, others = (set(_WORDS.findall(text.casefold())) for text in (left, right))
    return len(words & others) / max(1, min(len(words), len(others)))


def _own_titles(sources: Sources) -> Iterator[_Vote]:
    head = sources.head
    for nodes, name in ((sources.articles[:1], "json-ld"), (sources.items[:1], "microdata")):
        for node in nodes:
            if "question" in types_of(node) and _is_one_of_many(node, sources.articles):
                break
            text = text_of(node.get("headline") or node.get("name"), MAX_TITLE)
            if text:
                weight = HEADLINE if node.get("headline") else TITLE
                whole = without_publisher(text, sources)
                yield _Vote(whole, f"{name} headline", weight, name == "json-ld" and _is_blog(node))
                break
    for name, weight in (("og:title", OPENGRAPH), ("twitter:title", TWITTER)):
        if text := head.first(name)[:MAX_TITLE]:
            yield _Vote(without_publisher(text, sources), name, weight, is_copied=True)


def _is_one_of_many(question: Node, nodes: list[Node]) -> bool:
    """Whether a page asks several questions: those that people often have, of which none is its title."""
    return any("question" in types_of(node) for node in nodes if node is not question)


def _is_blog(node: Node) -> bool:
    """Whether a system for blogs wrote it: those fill the headline with the title for search engines, papers do not."""
    return not _BLOGS.isdisjoint(types_of(node))


def _page_title(sources: Sources, keys: set[str], logos: set[str]) -> str:
    """The page's title, or that part of it which another place confirms."""
    text = sources.head.title[:MAX_TITLE]
    if not text:
        return ""
    stripped = _without_names(text, sources.publisher_keys | logos)
    if name_key(stripped) in keys:
        return stripped
    for part in _BREAK.split(text):
        if part and name_key(part) in keys and name_key(part) not in sources.publisher_keys:
            return part.strip()
    return stripped


def _alone(text: str, sources: Sources) -> str:
    """A title that nothing confirms: what its headline says, or what stands before the last bar."""
    headline = sources.visible.headline
    shown = text_below(headline, MAX_TITLE) if headline is not None else ""
    front, bar, last = text.rpartition(" | ")
    is_masthead_shown = bool(bar) and name_key(shown) == name_key(last)
    if shown and not is_masthead_shown:
        return shown
    return front if bar and (is_masthead_shown or len(front) > len(last)) else text


def without_publisher(text: str, sources: Sources) -> str:
    """The title without the publisher's name before or after it."""
    return _without_names(text, sources.publisher_keys)


def _without_names(text: str, names: frozenset[str]) -> str:
    for _ in range(3):  # "Story | Section | Name"
        if _SEPARATORS.isdisjoint(text):  # most headlines: the pattern takes ten times as long
            break
        breaks = list(_BREAK.finditer(text))
        if not breaks:
            break
        last, first = breaks[-1], breaks[0]
        if _is_publisher(text[last.end() :], names):
            text = text[: last.start()].strip()
        elif _is_name(text[: first.start()], names):
            text = text[first.end() :].strip()
        else:
            break
    return text


def _is_name(front: str, names: frozenset[str]) -> bool:
    """Whether the beginning of a title is the name itself, or has a section behind it: "The Harbour Courier: news".

    A product may be called after its maker, so that a name is not enough which only begins like that.
    """
    name, _, section = front.partition(":")
    return name_key(front) in names or (
        name_key(name) in names and len(section.split()) < FEWEST_WORDS
    )


def _is_publisher(part: str, names: frozenset[str]) -> bool:
    key = name_key(part)
    if not key or key in names:
        return bool(key)
    return any(
        len(name) >= SHORTEST_NAME
        and (
            key.startswith(name)
            or (len(key) >= SHORTEST_NAME and (name.startswith(key) or name.endswith(key)))
        )
        for name in names
    )
