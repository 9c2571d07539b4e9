"""Who wrote it: a list of people, from the place that knows best.

Pure. Every place is asked in order; the first that names a person decides. Handles count only when no
person is known, organisations and the publisher itself only when nobody else is. Names read off the
page's text are marked as inferred. What a name looks like is known by `people`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from wireroom.model import Claim
from wireroom.parse.metadata.jsonld import Node, is_organisation, text_of
from wireroom.parse.metadata.metadata_sources import MAX_CLAIMS, Sources
from wireroom.parse.metadata.person_names import (
    MAX_NAMES,
    MAX_WORDS,
    Name,
    is_label,
    name_key,
    read_names,
    starts_byline,
)
from wireroom.parse.metadata.types import Field
from wireroom.parse.metadata.vocabulary import AUTHOR_METAS, PLAIN_AUTHOR_METAS, WRITTEN_BY

MAX_NAME: Final = 400  # characters of what stands where a name should
MAX_LINKS: Final = 4  # to authors; more of them belong to a list of stories
MAX_BYLINE: Final = 160  # characters of an element called a byline; longer ones are biographies
LONG_NAME: Final = 7  # letters; a shorter publisher's name may begin a person's
_SENTENCE_ENDS: Final = frozenset('.!?…。！？؟।"”»')
APART: Final = "visible box"  # the source of names that stand beside or below the article
INFERRED: Final = "inferred from the text of the page"


class _Byline(NamedTuple):
    names: tuple[Name, ...]
    source: str
    confidence: float


def authors(sources: Sources) -> Field[tuple[str, ...]]:
    """The people who wrote it, else a handle, else an organisation, else nobody."""
    bylines = [byline for byline in _bylines(sources) if byline.names]
    for places in (_near_headline, _elsewhere):  # what costs most comes last
        if not _names_person(bylines, sources):
            bylines += [byline for byline in places(sources) if byline.names]
    near = [byline for byline in bylines if byline.source != APART]
    chosen = (
        _choose(near, sources, "person")
        or _choose(near, sources, "handle")
        or _choose(bylines, sources, "person")
        or _anybody(near)
    )
    claims = tuple(
        Claim(
            value=tuple(name.text for name in byline.names),
            source=byline.source,
            confidence=byline.confidence,
        )
        for byline in bylines[:MAX_CLAIMS]
    )
    if chosen is None:
        return Field(value=())
    value = tuple(name.text for name in chosen.names)[:MAX_NAMES]
    notes = (INFERRED,) if chosen.source.startswith("visible") else ()
    return Field(
        value=value, source=chosen.source, confidence=chosen.confidence, claims=claims, notes=notes
    )


def _names_person(bylines: list[_Byline], sources: Sources) -> bool:
    return _choose(bylines, sources, "person") is not None


def _choose(bylines: list[_Byline], sources: Sources, kind: str) -> _Byline | None:
    """The first byline with a name of this kind, reduced to such names."""
    for byline in bylines:
        names = tuple(
            name for name in byline.names if name.kind == kind and not _is_publisher(name, sources)
        )
        if names:
            sure = byline.confidence if kind == "person" else 0.7 * byline.confidence
            return _Byline(_bare(names, byline, bylines), byline.source, round(sure, 3))
    return None


def _bare(names: tuple[Name, ...], byline: _Byline, bylines: list[_Byline]) -> tuple[Name, ...]:
    """A name read off a box may have a role glued to it; an inner box has the name alone."""
    if not byline.source.startswith("visible"):
        return names
    others = [name for byline in bylines for name in byline.names if name.kind == "person"]
    return tuple(
        min(
            (name, *(other for other in others if name.text.startswith(f"{other.text} "))),
            key=_length,
        )
        for name in names
    )


def _length(name: Name) -> int:
    return len(name.text)


def _is_publisher(name: Name, sources: Sources) -> bool:
    """The publisher's own name, also with a word glued to it: "Help Net Security Sponsored"."""
    key = name_key(name.text)
    return key in sources.publisher_keys or any(
        len(own) >= LONG_NAME and key.startswith(own) for own in sources.publisher_keys
    )


def _anybody(bylines: list[_Byline]) -> _Byline | None:
    """An organisation, or the publisher itself: only where a place meant for authors says so."""
    declared = [byline for byline in bylines if not byline.source.startswith("visible")]
    for chosen in declared or bylines:
        return _Byline(chosen.names, chosen.source, round(0.5 * chosen.confidence, 3))
    return None


# --- the places, surest first ---------------------------------------------------------------------


def _bylines(sources: Sources) -> Iterator[_Byline]:
    yield _Byline(_of_texts(sources.picked("author", "authors")), "selector", 1.0)
    if sources.precedence == "feed":
        yield from _feed(sources)
    yield from _of_nodes(sources.articles[:3], "json-ld", 0.95, sources)
    yield from _of_metas(AUTHOR_METAS, 0.93, sources)
    yield from _twitter_labels(sources)
    yield from _of_metas(PLAIN_AUTHOR_METAS, 0.85, sources)
    yield from _of_nodes(sources.items[:3], "microdata", 0.85, sources)
    if sources.precedence == "page":
        yield from _feed(sources)
    links = [
        author_link.text for author_link in sources.visible.author_links if not author_link.apart
    ]
    yield _Byline(_of_texts(links[:MAX_LINKS]), "rel=author", 0.8)


def _of_nodes(
    nodes: list[Node], name: str, confidence: float, sources: Sources
) -> Iterator[_Byline]:
    for node in nodes:
        for key in ("author", "creator"):
            if key in node:
                yield _Byline(_of_value(node[key], sources), f"{name} {key}", confidence)


def _of_metas(names: tuple[str, ...], confidence: float, sources: Sources) -> Iterator[_Byline]:
    for name in names:
        if name in sources.head.metas:
            yield _Byline(_of_texts(sources.head.metas[name]), f"meta {name}", confidence)


def _feed(sources: Sources) -> Iterator[_Byline]:
    if sources.item is not None:
        yield _Byline(_of_texts(sources.item.authors), "feed", 0.9)


def _twitter_labels(sources: Sources) -> Iterator[_Byline]:
    head = sources.head
    for number in "123":
        label = head.first(f"twitter:label{number}").casefold().strip(" :")
        if label in WRITTEN_BY:
            yield _Byline(_of_texts([head.first(f"twitter:data{number}")]), "twitter label", 0.9)


def _near_headline(sources: Sources) -> Iterator[_Byline]:
    """Elements called a byline, then lines that begin like one."""
    boxes = [
        byline
        for byline in sources.visible.bylines
        if not byline.apart and len(byline.text) <= MAX_BYLINE
    ]
    boxes.sort(key=lambda box: not box.after_headline)
    for box in boxes[:8]:
        yield _Byline(read_names(box.text), "visible byline", 0.7)
    after, before = sources.visible.lines
    for place, text in enumerate(after):
        if is_label(text):
            names = [line for line in after[place + 1 : place + 2] if not _is_sentence(line)]
            yield _Byline(_of_texts(names), "visible line", 0.6)
        elif len(text) <= MAX_BYLINE and starts_byline(text):
            yield _Byline(read_names(text), "visible line", 0.6)
    for text in before:
        if len(text) <= MAX_BYLINE and starts_byline(text):
            yield _Byline(read_names(text), "visible line", 0.55)


def _elsewhere(sources: Sources) -> Iterator[_Byline]:
    """Links to an author's page anywhere, then boxes about an author."""
    links = list(
        dict.fromkeys(linked_author.text for linked_author in sources.visible.linked_authors)
    )
    if len(links) <= MAX_LINKS:
        people = tuple(name for name in _of_texts(links) if name.kind == "person")
        yield _Byline(people, "visible link", 0.5)
    yield from _apart(sources)


def _is_sentence(text: str) -> bool:
    """Whether a line is one of the article: an empty byline is followed by its first paragraph."""
    return len(text) > MAX_BYLINE or (text[-1:] in _SENTENCE_ENDS and len(text.split()) > MAX_WORDS)


def _apart(sources: Sources) -> Iterator[_Byline]:
    """Boxes about an author beside or below the article: believed when all name the same person."""
    boxes = [*sources.visible.author_links, *sources.visible.bylines]
    names = _of_texts(box.text for box in boxes if len(box.text) <= MAX_BYLINE)
    people = tuple(name for name in names if name.kind == "person")
    if len(people) == 1:
        yield _Byline(people, APART, 0.45)


def _of_texts(texts: Iterable[str]) -> tuple[Name, ...]:
    found: dict[str, Name] = {}
    for text in texts:
        if not text.startswith(("http://", "https://")):
            for name in read_names(text):
                found.setdefault(name_key(name.text), name)
    return tuple(found.values())[:MAX_NAMES]


def _of_value(value: Any, sources: Sources) -> tuple[Name, ...]:
    """The names in an author's value: a text, a node, a reference, or a list of those."""
    found: dict[str, Name] = {}
    for person in value if isinstance(value, list) else [value]:
        for name in _of_one(sources.data.follow(person)):
            found.setdefault(name_key(name.text), name)
        if len(found) >= MAX_NAMES:
            break
    return tuple(found.values())


def _of_one(value: Any) -> tuple[Name, ...]:
    if isinstance(value, str):
        return _of_texts([value])
    if not isinstance(value, dict):
        return ()
    names = _of_texts(_full_names(value))
    if is_organisation(value):
        return tuple(name._replace(kind="organisation") for name in names)
    return names


def _full_names(node: Node) -> Iterator[str]:
    value = node.get("name")
    for part in value if isinstance(value, list) else [value]:
        if text := text_of(part, MAX_NAME):
            yield text
    if not value:
        parts = (text_of(node.get(key), MAX_NAME) for key in ("givenName", "familyName"))
        yield " ".join(filter(None, parts)) or text_of(node.get("alternateName"), MAX_NAME)
