"""The images of an article: which of a page's are its own, where they are, and between which blocks they stand.

Asked for by few, so it runs only then. An image is the article's where its caption or its own words are, or where it
stands between kept blocks or between headline and text; what a link leads away with, icons, and images of boxes
beside the article are not. Addresses alone: nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from wireroom.parse.body.blocks import ALT, CAPTION, HEADING, Columns, tidy
from wireroom.parse.body.place import link_url
from wireroom.parse.body.types import ArticleImage

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_IMAGES: Final = 200  # of one article; the longest galleries have as many
CLOSE_BY: Final = 2  # blocks between an image and the text it belongs to
BEFORE: Final = 6  # blocks between headline and text among which an image may stand
SMALLEST: Final = 64  # pixels of a side, where the page says them; less is an icon or a counter
MAX_CLIMB: Final = 12  # elements around an image that are looked at
MAX_SOURCES: Final = 4_000  # characters of a list of sources that are read

_ELSEWHERE: Final = frozenset(("aside", "nav", "footer", "form", "button"))
_LATER: Final = ("data-src", "data-lazy-src", "data-original", "data-lazy", "data-url")
"""Where pages keep the address of an image that a script loads when it is seen."""
_SOURCES: Final = ("srcset", "data-srcset", "data-lazy-srcset")
_IMAGE_FILE: Final = re.compile(r"\.(?:jpe?g|png|gif|webp|avif)(?:[?#]|$)", re.IGNORECASE)
_NO_PICTURE: Final = re.compile(
    r"(?:^|[/_.-])(?:spacer|blank|pixel|placeholder|transparent|1x1|counter|beacon|loading|spinner)(?:[/_.-]|$)",
    re.IGNORECASE,
)
_WIDTH: Final = re.compile(r"\s(\d{1,5})(?:\.\d{1,3})?[wx]\s*$")


def article_images(
    columns: Columns, numbers: Sequence[int], keep: Sequence[bool], base_url: str
) -> tuple[ArticleImage, ...]:
    """The images of the article; `numbers` are those of the blocks that are given back, in order."""
    found: dict[str, ArticleImage] = {}
    for place, node, in_link in columns.images:
        if len(found) >= MAX_IMAGES:
            break
        if not _is_own(columns, keep, place, node, in_link):
            continue
        url = _address(node, base_url)
        if url and url not in found:
            before = sum(number < place for number in numbers)
            alt = tidy(node.attributes.get("alt") or "")
            found[url] = ArticleImage(url=url, alt=alt, before=before)
    return tuple(found.values())


def _is_own(
    columns: Columns, keep: Sequence[bool], place: int, node: LexborNode, in_link: bool
) -> bool:
    if _has_kept_words(columns, keep, place, node):
        return True
    if _is_small(node) or not _stands_by_text(columns, keep, place):
        return False
    around = node.parent
    for _ in range(MAX_CLIMB):
        if around is None:
            break
        if around.tag in _ELSEWHERE:
            return False
        if in_link and around.tag == "a":
            return bool(_IMAGE_FILE.search(around.attributes.get("href") or ""))
        around = around.parent
    return True


def _has_kept_words(columns: Columns, keep: Sequence[bool], place: int, node: LexborNode) -> bool:
    """Whether its caption, or what it says of itself, is one of the article's blocks."""
    alt = tidy(node.attributes.get("alt") or "")
    for block in range(place, min(place + CLOSE_BY, len(keep))):
        if columns.kind[block] == ALT and columns.text[block] == alt:
            if keep[block]:
                return True
        elif columns.kind[block] == CAPTION:
            return keep[block] and _holds(columns.node[columns.home[block]], node)
        else:
            break
    return False


def _holds(caption: LexborNode, image: LexborNode) -> bool:
    """Whether both stand in one box: the caption's own, or the one around it."""
    box = caption.parent
    around = image.parent
    for _ in range(MAX_CLIMB):
        if around is None or box is None:
            return False
        if around.mem_id == box.mem_id or (
            box.parent is not None and around.mem_id == box.parent.mem_id
        ):
            return True
        around = around.parent
    return False


def _stands_by_text(columns: Columns, keep: Sequence[bool], place: int) -> bool:
    """Between kept blocks, or between the headline and the first of them."""
    after = any(keep[place : place + 1 + CLOSE_BY])
    if after and any(keep[max(place - CLOSE_BY, 0) : place]):
        return True
    if any(keep[:place]):
        return False
    first = next((block for block, kept in enumerate(keep) if kept), 0)
    return first - place <= BEFORE and any(
        columns.kind[block] == HEADING and columns.tag[columns.home[block]] == "h1"
        for block in range(max(place - BEFORE, 0), place)
    )


def _is_small(node: LexborNode) -> bool:
    sides = (node.attributes.get("width") or "", node.attributes.get("height") or "")
    return any(
        side.isascii() and side.isdigit() and len(side) < 6 and int(side) < SMALLEST
        for side in (side.strip().removesuffix("px") for side in sides)
    )


def _address(node: LexborNode, base_url: str) -> str:
    """Where the image is: what a script would load before the picture that keeps its place."""
    for written in _written(node):
        if written.startswith("data:") or _NO_PICTURE.search(written):
            continue
        if url := link_url(base_url, written):
            return url
    return ""


def _written(node: LexborNode) -> Iterator[str]:
    attributes = node.attributes
    for name in (*_LATER, "src"):
        if value := (attributes.get(name) or "").strip():
            yield value
    for name in _SOURCES:
        yield from _widest(attributes.get(name) or "")
    around = node.parent
    if around is not None and around.tag == "picture":
        for source in around.css("source"):
            yield from _widest(
                source.attributes.get("srcset") or source.attributes.get("data-srcset") or ""
            )


def _widest(sources: str) -> Iterator[str]:
    """The largest of a list of sources, if there is one."""
    best, most = "", -1
    for part in re.split(r",\s+", sources[:MAX_SOURCES]):
        width = _WIDTH.search(part)
        size = int(width[1]) if width else 0
        if part.strip() and size > most:
            best, most = part.strip().split()[0].rstrip(","), size
    if best:
        yield best
