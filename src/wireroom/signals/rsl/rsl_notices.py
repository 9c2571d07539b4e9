"""Where a page or an item of a feed names an RSL document, or holds one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from wireroom.errors import ParseError
from wireroom.model import Item
from wireroom.parse.page_tags import MAX_EXCERPT, MAX_LINKS, RSL_TYPE, LicenceTag, PageTags
from wireroom.parse.plain_text import line
from wireroom.rights.finding_index import FindingIndex
from wireroom.signals.rsl.rsl_document import read_rsl
from wireroom.signals.rsl.rsl_types import RslFacts, RslNotice

MAX_ITEM_NOTICES: Final = 20  # RSL contents of one feed item; real ones have one


def page_notices(tags: PageTags) -> tuple[RslNotice, ...]:
    """Every place of the page, its headers first."""
    return (*_of_headers(tags), *_of_tags(tags))[:MAX_LINKS]


def read_page(tags: PageTags) -> RslFacts | None:
    """What an article's page names; documents that it only names are not read."""
    notices = page_notices(tags)
    return RslFacts(notices=notices) if notices else None


def with_known(facts: object, known: FindingIndex) -> object:
    """The page's notices with the documents that a scout has read."""
    if not isinstance(facts, RslFacts):
        raise TypeError(f"facts of RSL, not {type(facts).__name__}")
    documents = {
        notice.licence_url: notice.document
        for read in known.of("rsl", RslFacts)
        for notice in read.notices
        if notice.document is not None and notice.licence_url
    }
    return RslFacts(
        notices=tuple(
            notice
            if notice.document is not None
            else replace(notice, document=documents.get(notice.licence_url))
            for notice in facts.notices
        )
    )


def read_item(item: Item) -> RslFacts | None:
    """The terms that a feed states for one item."""
    terms = item.extra.get("rsl")
    if not isinstance(terms, list) or not terms:
        return None
    return RslFacts(notices=tuple(_of_item(item, terms[:MAX_ITEM_NOTICES])))


def _of_headers(tags: PageTags) -> Iterator[RslNotice]:
    for link in tags.header_licences:
        if link.type == RSL_TYPE:
            shown = f'Link: <{link.url}>; rel="license"; type="{RSL_TYPE}"'
            yield RslNotice(
                place="header",
                licence_url=link.url,
                page_url=tags.url,
                excerpt=line(shown, MAX_EXCERPT),
            )


def _of_tags(tags: PageTags) -> Iterator[RslNotice]:
    for tag in tags.licences:
        if tag.tag == "script":
            yield _of_script(tag, tags.url)
        elif tag.type == RSL_TYPE:
            yield RslNotice(
                place="html_link",
                licence_url=tag.url,
                page_url=tags.url,
                part=tag.part,
                excerpt=tag.shown,
            )


def _of_script(tag: LicenceTag, page_url: str) -> RslNotice:
    notice = RslNotice(
        place="html_script",
        page_url=page_url,
        part=tag.part,
        excerpt=line(tag.text, MAX_EXCERPT),
    )
    return _read(notice, tag.text)


def _of_item(item: Item, terms: Iterable[Any]) -> Iterator[RslNotice]:
    for term in terms:
        if isinstance(term, Mapping):
            notice = RslNotice(
                place="feed",
                licence_url=item.feed_url,
                page_url=item.url,
                excerpt="<rsl:content>",
            )
            yield _read(notice, str(term.get("xml", "")))


def _read(notice: RslNotice, xml: str) -> RslNotice:
    """The notice with the document that stands in its place, or why it cannot be read."""
    try:
        return replace(notice, document=read_rsl(xml.encode("utf-8", "replace")))
    except ParseError as exc:
        return replace(notice, problem=exc.message)
