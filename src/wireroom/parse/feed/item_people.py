"""Who wrote an item, and under which headings it was filed.

Knows the many places where feeds put names and tags; says each once, in the order of the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from wireroom.parse.feed.feed_context import MAX_AUTHORS, MAX_NAME, MAX_TAGS, MAX_WORDS, FeedContext
from wireroom.parse.feed.fields import ElementNames, Fields, first_text, gather
from wireroom.parse.plain_text import line_of_html

_CREDIT = "media:credit"
AUTHORS = (
    "author",
    "dc:creator",
    "atom:author",
    "dcterms:creator",
    "dc:author",
    _CREDIT,
    "itunes:author",
    "googleplay:author",
)
"""Where authors are named; those who helped them stand in the extras."""
_KEYWORDS = ("media:keywords", "itunes:keywords", "keywords")  # several in one, with commas between
TAGS = (
    "category",
    "dc:subject",
    "atom:category",
    "dcterms:subject",
    "itunes:category",
    *_KEYWORDS,
)
"""Where tags stand."""
_WRITING_ROLES = frozenset({"author", "writer", "journalist", "reporter"})

_MAIL = r"[^\s@<>()\"]{1,64}@[^\s@<>()\"]{1,190}"
_MAIL_THEN_NAME = re.compile(rf"(?:mailto:)?{_MAIL}\s*\((.{{1,300}})\)")
_NAME_THEN_MAIL = re.compile(rf"\"?([^<>\"]{{1,300}}?)\"?\s*[<(]\s*(?:mailto:)?{_MAIL}\s*[>)]")
_SCHEME_OF_KINDS = "#kind"  # Blogger and YouTube file every entry under "this is an entry"


def authors(
    fields: Fields, context: FeedContext, names: tuple[str, ...] = AUTHORS
) -> tuple[str, ...]:
    """Every author named in fields of these names, once each."""
    found: list[str] = []
    for name in names:
        if name in fields:
            if name == _CREDIT:
                found += _credited(fields[name])
            else:
                found += [_person(element, context) for element in fields[name]]
    return distinct(found, MAX_AUTHORS) if found else ()


def people(elements: list[Any], context: FeedContext) -> tuple[str, ...]:
    """The names in these elements, once each."""
    return distinct([_person(element, context) for element in elements], MAX_AUTHORS)


def distinct(names: list[str], limit: int) -> tuple[str, ...]:
    """The names that say something, each once whatever its case, at most so many."""
    if len(names) == 1:
        return (names[0],) if names[0] else ()
    seen: dict[str, str] = {}
    for name in names:
        if name:
            seen.setdefault(name.casefold(), name)
    return tuple(seen.values())[:limit]


def person_name(text: str) -> str:
    """The name in `mail (Name)`, `Name <mail>` or a plain name; the mail address if that is all."""
    text = line_of_html(text, MAX_NAME)
    if "@" not in text:
        return text
    match = _MAIL_THEN_NAME.fullmatch(text) or _NAME_THEN_MAIL.fullmatch(text)
    return match[1].strip() if match and match[1].strip() else text.removeprefix("mailto:")


def _person(element: Any, context: FeedContext) -> str:
    text = (_named(element, context.names) if len(element) else element.text) or ""
    name = context.people.get(text)
    if name is None:
        name = person_name(text)
        if len(context.people) < MAX_WORDS and len(text) <= MAX_NAME:
            context.people[text] = name
    return name


def _named(element: Any, names: ElementNames) -> str:
    parts = gather(element, names)
    name = first_text(parts, "name", "atom:name", "itunes:name", "rdf:description")
    return name or first_text(parts, "email", "atom:email")


def _credited(elements: list[Any]) -> Iterator[str]:
    for element in elements:
        if (element.get("role") or "").strip().lower() in _WRITING_ROLES:
            yield person_name(element.text or "")


def tags(
    fields: Fields, context: FeedContext, names: tuple[str, ...]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The tags in fields of these names, each once, and the scheme of those that name one."""
    if not names:
        return (), {}
    found: list[str] = []
    schemes: dict[str, str] = {}
    for name in names:
        if name in _KEYWORDS:
            for element in fields[name]:
                found += map(context.word, (element.text or "").split(","))
            continue
        for element in fields[name]:
            tag, scheme = _tag(element, context)
            if scheme and tag and not scheme.endswith(_SCHEME_OF_KINDS):
                found.append(tag)
                if len(schemes) < MAX_TAGS:
                    schemes[tag] = scheme
            elif tag and not scheme:
                found.append(tag)
    return (distinct(found, MAX_TAGS) if found else ()), schemes


def _tag(element: Any, context: FeedContext) -> tuple[str, str]:
    text = element.text
    if text and not text.isspace():
        scheme = element.get("domain")
    else:
        text = element.get("label") or element.get("term") or element.get("text") or ""
        scheme = element.get("scheme")
    return context.word(text), context.word(scheme) if scheme else ""
