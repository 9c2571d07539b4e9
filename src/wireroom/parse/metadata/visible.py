"""What a reader sees near the headline: bylines, dates, tags.

Reads a tree that somebody else parsed: headlines and times at once; elements known only by
their class, and the lines around the headline, when somebody asks. Elements in footers, sidebars,
comments and boxes of other stories do not count. Everything is bounded; what the texts mean is for others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import compress, count, islice
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from wireroom.parse.elements import Attributes, TellingElements, telling_elements
from wireroom.parse.metadata.head import text_below
from wireroom.parse.metadata.headlines import MAX_HEADLINE, TOP_TAGS, headline_text, names_of
from wireroom.parse.metadata.nearby import APART_TAGS, lines_after, lines_before
from wireroom.parse.metadata.person_names import name_key
from wireroom.parse.metadata.vocabulary import listed
from wireroom.parse.plain_text import line

MAX_ELEMENTS: Final = 600  # looked at on one page; the typical page has 20
MAX_OF_A_KIND: Final = 20  # headings, times, bylines kept of one page
MAX_TEXT: Final = 300  # characters of a byline or a date
MAX_CLIMB: Final = 14  # elements looked at to learn in what box something stands
MAX_DEPTH: Final = 600  # elements around a headline; the page itself is cut at fewer
MAX_WALK: Final = 20_000  # nodes walked in search of the only date on a page
MAX_SHORT: Final = 40  # characters of a text that may be nothing but a date
SHORTEST_DATE: Final = 6  # characters
SHORTEST_WORD: Final = 3  # letters of a name that its address is searched for
NEAR: Final = 2  # boxes around an element whose names count as its own
LESSER_HEADINGS: Final = 12  # looked at when there is no h1
OLD_HEADINGS: Final = 30  # bold elements looked at when there is no heading at all
ENOUGH: Final = 0.4  # of a title; a heading that makes up less is a logo

# Where links to an author's page lead, as papers of many languages write it.
_AUTHOR_PATHS: Final = ("/author", "/autor", "/auteur", "/contributor", "/journalist")
_AUTHOR_QUERY: Final = 'a[href*="/aut"],a[href*="/contributor"],a[href*="/journalist"]'
"""Links that may lead there: each further condition of a query is one more search of every address."""
# Parts of class names, with their first letter left out where it may be a capital.
_NAMED: Final = ("yline", "uthor", "date", "Date", "ublish", "osted", "ublication")
_WALLS: Final = ("aywall", "egwall", "ubscriber-only", "remium-content", "ated-content", "meter-")
_WALL_ATTRIBUTES: Final = frozenset({"data-paywall", "subscriptions-section"})
_NO_WALL: Final = re.compile(
    r"no-?paywall|paywall-(?:free|none|disabled)|meter-?(?:bar|graph|value)|(?:para|dia|peri|ther|cent)meter-",
    re.IGNORECASE,
)
_APART: Final = re.compile(
    r"comment|related|sidebar|recommend|teaser|popular|trending|latest|recirc|newsletter|read-?(?:more|next)|more-(?:from|stories|posts)"
    r"|also-|widget|footer|carousel|slider|promo(?!t)|(?:^|[-_ ])cards?(?:$|[-_ ])|upcoming|similar|suggest|respond|reply|post-?list|entries-list|nav(?:bar|igation)|(?:^|[-_ ])loop(?:$|[-_ ])",
    re.IGNORECASE,
)
_MARGINS: Final = frozenset({"aside", "footer", "sidebar"})
_BYLINE_CLASS: Final = re.compile(
    r"(?:^|[\s_-])(?:by-?line|author|authors|writer|contributor)(?:$|[\s_-])|author-?name|byline|post-?author|entry-?author|article-?author|authorname",
    re.IGNORECASE,
)
_NOT_A_NAME_CLASS: Final = re.compile(
    r"bio|avatar|image|photo|img|social|desc|about|icon|title|role|job|follow|share|link-?list|position|date|time|box-content|picture|more|count|category",
    re.IGNORECASE,
)
_NEVER_NAMED: Final = frozenset(
    listed(
        """
        h1 time body html article main input img meta link script style noscript svg form
        """
    )
)
_HEADLINES: Final = ("eadline", "itle")
_IN_A_SENTENCE: Final = frozenset({"a", "b", "em", "i", "span", "strong", "button", "u"})
_NEVER_SHOWN: Final = frozenset({"script", "style", "noscript", "template"})
# "20" in the digits of Arabic, Persian, Hindi, Bengali; "25" in those of Thai, whose years are 543 ahead.
_CENTURY: Final = re.compile("٢٠|۲۰|२०|২০|૨૦|௨௦|๒๕|25")
_DATE_CLASS: Final = re.compile(
    r"(?:^|[\s_-])dates?(?:$|[\s_-])|date(?:$|\s)|Date|posted|publish", re.ASCII
)


@dataclass(frozen=True, slots=True)
class VisibleText:
    """A text and the box it stands in."""

    text: str
    stamp: str = ""
    """The `datetime` of a time element."""
    names: str = ""
    """Classes, id and properties of the element."""
    after_headline: bool = False
    apart: bool = False
    """In a footer, a sidebar, a comment or a box of other stories."""
    margin: bool = False
    """Apart, but in a mere margin, a footer or a sidebar, and no link beside it leads to another story."""
    node: LexborNode | None = field(default=None, repr=False, compare=False)
    """The element itself, for who asks what stands before it."""


class VisibleElements:
    """What can be seen on a page, each kind in the order of the page; looked for when asked for."""

    def __init__(
        self,
        tree: LexborHTMLParser,
        titles: Iterable[str] = (),
        elements: TellingElements | None = None,
    ) -> None:
        """`titles` are what the head calls the page: they tell the headline from a logo."""
        self._tree = tree
        self._telling = elements or telling_elements(tree)
        self.headlines: list[tuple[str, LexborNode]] = []
        self.properties: list[LexborNode] = []
        """Elements of microdata."""
        self.tags: list[str] = []
        self._times: list[tuple[LexborNode, bool]] = []
        self._links: list[tuple[LexborNode, bool]] = []
        self._walls: list[LexborNode] = []
        for tag, node, attributes in self._telling.marked[:MAX_ELEMENTS]:
            self._take(tag, node, attributes)
        self.headline = self._headline([key for title in titles if (key := name_key(title))])
        self._around = frozenset(_ancestors(self.headline))
        self._boxes: dict[int, tuple[str, str]] = {}

    def _take(self, tag: str, node: LexborNode, attributes: Attributes) -> None:
        if "itemprop" in attributes:
            self.properties.append(node)
        if not _WALL_ATTRIBUTES.isdisjoint(attributes):
            self._walls.append(node)
        if tag == "h1":
            if len(self.headlines) < MAX_OF_A_KIND and (text := headline_text(node)):
                self.headlines.append((text, node))
        elif tag == "time":
            self._times.append((node, bool(self.headlines)))
        elif tag != "link" and (relations := attributes.get("rel")):
            words = relations.lower().split()
            if "author" in words and "tag" not in words:
                self._links.append((node, bool(self.headlines)))
            elif "tag" in words and len(self.tags) < MAX_OF_A_KIND:
                self.tags.append(text_below(node, MAX_TEXT))

    def _headline(self, titles: list[str]) -> LexborNode | None:
        """The longest h1 that the head knows, else the first; a lesser heading if none will do."""
        best, share = _known(self.headlines, titles)
        if share >= ENOUGH:
            return best
        lesser = self._telling.lesser_headings[:LESSER_HEADINGS] if titles else []
        other, more = _known([(text_below(node, MAX_HEADLINE), node) for node in lesser], titles)
        if more >= ENOUGH:
            return other
        return best or (self.headlines[0][1] if self.headlines else self._old_headline(titles))

    @cached_property
    def lesser_headings(self) -> list[str]:
        """What the second and third headings say, for who doubts the first."""
        nodes = self._telling.lesser_headings[:LESSER_HEADINGS]
        return [text_below(node, MAX_HEADLINE) for node in nodes]

    @cached_property
    def called_headlines(self) -> list[str]:
        """What elements say whose class calls them a headline or a title."""
        named = self._classed.having(_HEADLINES)[:LESSER_HEADINGS]
        return [text_below(node, MAX_HEADLINE) for node, _ in named if node.tag != "h1"]

    def _old_headline(self, titles: list[str]) -> LexborNode | None:
        """Old pages have no headings: bold or large letters that say what the title says."""
        bold = self._tree.css("b,strong,font")[:OLD_HEADINGS] if titles else []
        found, share = _known([(text_below(node, MAX_HEADLINE), node) for node in bold], titles)
        return found if share >= ENOUGH else None

    @cached_property
    def times(self) -> list[VisibleText]:
        """The time elements."""
        return self._seen(self._times)

    @cached_property
    def author_links(self) -> list[VisibleText]:
        """Links to an author's page."""
        return self._seen(self._links)

    @cached_property
    def linked_authors(self) -> list[VisibleText]:
        """Links to what the address calls a page of that author: `/authors/jane-doe`."""
        links = filter(_leads_to_author, self._tree.css(_AUTHOR_QUERY))
        named = [(link, True) for link in islice(links, MAX_OF_A_KIND) if _leads_to_its_name(link)]
        return [seen for seen in self._seen(named) if not seen.apart]

    def _seen(self, nodes: list[tuple[LexborNode, bool]]) -> list[VisibleText]:
        found: list[VisibleText] = []
        for node, after in nodes[:MAX_OF_A_KIND]:
            self._add(found, node, node.attributes, after=after)
        return found

    @cached_property
    def _classed(self) -> Classed:
        return Classed(self._tree)

    @cached_property
    def _named(self) -> tuple[list[VisibleText], list[VisibleText]]:
        """Elements called a byline, and elements called a date."""
        bylines: list[VisibleText] = []
        dates: list[VisibleText] = []
        for node, after in self._classed.having(_NAMED)[:MAX_ELEMENTS]:
            if node.tag in _NEVER_NAMED:
                continue
            attributes = node.attributes
            names = names_of(attributes)
            if _is_byline(names):
                self._add(bylines, node, attributes, after=after)
            elif _DATE_CLASS.search(names):
                self._add(dates, node, attributes, after=after)
        return bylines, dates

    @property
    def bylines(self) -> list[VisibleText]:
        """Elements called a byline or an author."""
        return self._named[0]

    @property
    def dates(self) -> list[VisibleText]:
        """Elements called a date that are no time elements."""
        return self._named[1]

    @cached_property
    def walls(self) -> list[VisibleText]:
        """Elements called a paywall or the like, with their text."""
        found: list[VisibleText] = []
        marked = [node for node, _ in self._classed.having(_WALLS)]
        for node in (*self._walls, *marked)[:MAX_OF_A_KIND]:
            attributes = node.attributes
            names = f"{names_of(attributes)} {' '.join(_WALL_ATTRIBUTES.intersection(attributes))}"
            if node.tag not in ("html", "body") and not _NO_WALL.search(names):
                found.append(VisibleText(text_below(node, MAX_TEXT), names=names))
        return found

    def asking(self, glance: Iterable[str], words: re.Pattern[str]) -> str:
        """The first short text in the page itself that says one of these words; empty when none does.

        A glance at all the text, scripts included, spares nearly every page the walk.
        """
        body = self._tree.body
        everything = body.text().lower() if body is not None else ""
        if body is None or not any(word in everything for word in glance):
            return ""
        for node in islice(body.traverse(include_text=True), MAX_WALK):
            text = node.text_content
            if text is None or len(text) > MAX_TEXT or text.isspace():
                continue
            sentence = _sentence_around(node)
            if words.search(sentence) and not self._surroundings(node)[1]:
                return sentence
        return ""

    @cached_property
    def lines(self) -> tuple[list[str], list[str]]:
        """Short lines of text after the headline, up to the first paragraph, and before it."""
        if self.headline is None:
            return [], []
        return list(lines_after(self.headline)), lines_before(self.headline)

    @cached_property
    def short_texts(self) -> list[str]:
        """Every short text of the page outside of boxes that stand apart; a walk over all of it."""
        return list(self._short_texts())

    def _short_texts(self) -> Iterator[str]:
        body = self._tree.body
        nodes = body.traverse(include_text=True) if body is not None else ()
        for node in islice(nodes, MAX_WALK):
            text = node.text_content
            if (
                text is not None
                and SHORTEST_DATE <= len(text) <= 3 * MAX_SHORT
                and _may_be_dated(text)
            ):
                text = line(text, MAX_SHORT + 1)
                if len(text) <= MAX_SHORT and not self._surroundings(node)[1]:
                    yield text

    def _add(
        self, kind: list[VisibleText], node: LexborNode, attributes: Attributes, *, after: bool
    ) -> None:
        if len(kind) >= MAX_OF_A_KIND:
            return
        text = text_below(node, MAX_TEXT, apart=True)
        stamp = attributes.get("datetime") or ""
        if not text and not stamp:
            return
        around, box = self._surroundings(node)
        names = f"{names_of(attributes)} {around}"
        margin = box in _MARGINS and (node.parent is None or node.parent.css_first("a") is None)
        kind.append(VisibleText(text, line(stamp, MAX_TEXT), names, after, bool(box), margin, node))

    def _is_margin(self, box: LexborNode) -> bool:
        """Whether an aside or footer belongs to the article itself: its element holds the headline."""
        around = box.parent
        return around is not None and around.tag == "article" and around.mem_id in self._around

    def _surroundings(self, node: LexborNode) -> tuple[str, str]:
        """The names of the two nearest boxes, and what sets it apart from the article, if anything.

        A box that holds the headline as well is not apart, whatever it is called.
        """
        near: list[str] = []
        around = node.parent
        for step in range(MAX_CLIMB):
            if around is None or around.mem_id in self._around or around.tag in TOP_TAGS:
                break
            names, apart = self._box(around)
            if step < NEAR:
                near.append(names)
            if apart:
                return " ".join(near), apart
            around = around.parent
        return " ".join(near), ""

    def _box(self, node: LexborNode) -> tuple[str, str]:
        """The names of a box, and what in them or in its tag sets it apart; much stands in the same few boxes."""
        key = node.mem_id
        known = self._boxes.get(key)
        if known is None:
            attributes, tag = node.attributes, node.tag or ""
            names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
            apart = tag if tag in APART_TAGS and not self._is_margin(node) else ""
            known = self._boxes[key] = names, _apart_by_name(names) or apart
        return known


@lru_cache(maxsize=8192)  # pages of one publisher share their names
def _apart_by_name(names: str) -> str:
    """What in the names of a box sets it apart; empty for most."""
    found = _APART.search(names)
    return found[0].lower() if found else ""


def _sentence_around(text: LexborNode) -> str:
    """What the element says whose text, or part of whose text, this is."""
    around = text.parent
    while around is not None and around.tag in _IN_A_SENTENCE:
        around = around.parent
    if around is None or around.tag in TOP_TAGS or around.tag in _NEVER_SHOWN:
        return ""
    return text_below(around, MAX_TEXT)


def label_before(node: LexborNode | None) -> str:
    """What the element right before one says, or the one before its box."""
    around = node
    for _ in range(NEAR):
        before = around.prev if around is not None else None
        while before is not None and (before.text_content or "").isspace():
            before = before.prev
        if before is not None:
            return text_below(before, MAX_SHORT) or line(before.text_content or "", MAX_SHORT)
        around = around.parent if around is not None else None
    return ""


def _may_be_dated(text: str) -> bool:
    """Whether it may name a year of this century, in whatever digits."""
    return "20" in text or (not text.isascii() and _CENTURY.search(text) is not None)


def _known(
    headings: list[tuple[str, LexborNode]], titles: list[str]
) -> tuple[LexborNode | None, float]:
    """The heading that makes up most of a title, and how much of it."""
    best, most = None, 0.0
    for text, node in headings:
        key = name_key(text)
        share = max((len(key) / len(title) for title in titles if key in title), default=0.0)
        if share > most:
            best, most = node, share
    return best, most


def _ancestors(node: LexborNode | None) -> Iterator[int]:
    around = node.parent if node is not None else None
    for _ in range(MAX_DEPTH):
        if around is None:
            return
        yield around.mem_id
        around = around.parent


def _leads_to_author(link: LexborNode) -> bool:
    """Whether a link leads to what the address calls the page of an author."""
    href = link.attributes.get("href") or ""
    return any(path in href for path in _AUTHOR_PATHS)


def _leads_to_its_name(link: LexborNode) -> bool:
    """Whether a word of a link's text stands in its address."""
    href = (link.attributes.get("href") or "").lower()
    words = text_below(link, MAX_TEXT).lower().split()
    return any(len(word) >= SHORTEST_WORD and word in href for word in words)


@lru_cache(maxsize=8192)
def _is_byline(names: str) -> bool:
    """Whether one of the names means whoever wrote it, and not a picture or a biography of them."""
    return _BYLINE_CLASS.search(names) is not None and any(
        _BYLINE_CLASS.search(word) and not _NOT_A_NAME_CLASS.search(word) for word in names.split()
    )


# Elements by words in their class names: one query and one search for all words together.
#
# Reads a tree that somebody else parsed. Which words mean what is for others.

MAX_CLASSED: Final = 30_000  # elements with a class; the longest real pages have some 20,000
_BETWEEN: Final = "\0"  # names of a page; the parser lets none of it into a name


class Classed:
    """Every element with a class, to be asked which ones have certain words in it.

    One query for all words, and one search for each of them through all names of the page: a query for each
    word would look at every element again.
    """

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._nodes = tree.css("h1,[class]")[:MAX_CLASSED]
        self._names = [node.attrs.get("class") or "" for node in self._nodes]
        self._all_names = f"{_BETWEEN.join(dict.fromkeys(self._names))}{_BETWEEN}"

    @cached_property
    def _headline(self) -> int:
        """The place of the first h1."""
        places = (place for place, node in enumerate(self._nodes) if node.tag == "h1")
        return next(places, MAX_CLASSED)

    def having(self, words: Iterable[str]) -> list[tuple[LexborNode, bool]]:
        """The elements with one of these words in a class, in order, and whether after the headline."""
        speaking = set(self._having(words))
        if not speaking:
            return []
        found: list[tuple[LexborNode, bool]] = []
        last = 0
        for place in compress(count(), map(speaking.__contains__, self._names)):
            node = self._nodes[place]
            if node.mem_id != last:  # an h1 with a class comes twice
                found.append((node, place > self._headline))
                last = node.mem_id
        return found

    def _having(self, words: Iterable[str]) -> Iterator[str]:
        """The names with one of these words."""
        names = self._all_names
        for word in words:
            place = names.find(word)
            while place >= 0:
                end = names.find(_BETWEEN, place)
                yield names[names.rfind(_BETWEEN, 0, place) + 1 : end]
                place = names.find(word, end)
