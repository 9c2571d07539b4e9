"""Where the article lives, its picture and its licence: addresses that are plausible, or none.

Pure. A canonical address is believed only when it can be this very page: under the same registered
name, neither the home page nor a list. What is refused stays among the claims, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit

from wireroom.model import Claim
from wireroom.parse.metadata.jsonld import Node
from wireroom.parse.metadata.metadata_sources import Sources, first_field
from wireroom.parse.metadata.types import Field
from wireroom.parse.plain_text import line
from wireroom.urls import canonical_url as normal_url
from wireroom.urls import same_site

REFUSED: Final = 0.0  # the confidence of a claim that is kept only to be seen
MAX_SHOWN: Final = 200  # characters of an address that is none
MAX_IMAGES: Final = 8  # of one list in linked data

_LISTING: Final = re.compile(
    r"/(?:tags?|categor(?:y|ies)|topics?|search|archives?|authors?|sections?|page/\d+|feed|rss)(?:/[^/]*)?/?$",
    re.IGNORECASE,
)
_ERROR_PAGE: Final = re.compile(r"/(?:404|error|login|signin|not-?found)(?:[./]|$)", re.IGNORECASE)
_PLACEHOLDER: Final = re.compile(
    r"default[-_]?(?:image|share|og)|placeholder|spacer|blank\.|1x1|pixel\.(?:gif|png)",
    re.IGNORECASE,
)


def canonical_url(sources: Sources) -> Field[str]:
    """The address that the page calls its own, when it can be."""
    accepted: list[Claim] = []
    refused: list[Claim] = []
    notes: list[str] = []
    known: dict[str, str] = {}
    for href, source, confidence in _own_addresses(sources):
        url = sources.address(href)
        if url not in known:  # most pages say the same in three places
            known[url] = doubt(url, sources.url) if url else "not a web address"
        why = known[url]
        if why:
            refused.append(
                Claim(value=url or line(href, MAX_SHOWN), source=source, confidence=REFUSED)
            )
            notes.append(f"{source} refused: {why}")
        else:
            accepted.append(Claim(value=normal_url(url), source=source, confidence=confidence))
    if not accepted:
        return Field(value="", claims=tuple(refused), notes=tuple(notes))
    best = accepted[0]
    return Field(
        value=best.value,
        source=best.source,
        confidence=best.confidence,
        claims=(*accepted, *refused),
        notes=tuple(notes),
    )


def _own_addresses(sources: Sources) -> Iterator[tuple[str, str, float]]:
    links = dict.fromkeys(link.href for link in sources.head.links.get("canonical", ()))
    # Two different canonical links contradict each other: neither is sure.
    yield from ((href, "link canonical", 0.95 if len(links) == 1 else 0.5) for href in links)
    if href := sources.head.first("og:url"):
        yield href, "og:url", 0.85
    for node in sources.articles[:1]:
        around = node.get("mainEntityOfPage")
        address = (around.get("@id") if isinstance(around, dict) else around) or node.get("url")
        if isinstance(address, str):
            yield address, "json-ld url", 0.7


def doubt(url: str, page_url: str) -> str:
    """Why an address cannot be this page's own; empty when it can."""
    if not page_url:
        return ""
    if not same_site(url, page_url):
        return "another site"
    there, here = urlsplit(url), urlsplit(page_url)
    path = there.path.rstrip("/")
    if not path and not there.query and (here.path.rstrip("/") or here.query):
        return "the home page"
    if path == here.path.rstrip("/"):
        return ""
    if _LISTING.search(there.path) and not _LISTING.search(here.path):
        return "a list"
    if _ERROR_PAGE.search(there.path):
        return "an error page"
    if path and here.path.startswith(f"{path}/") and here.path.count("/") - path.count("/") > 1:
        return "a section above the page"
    return ""


def image_url(sources: Sources) -> Field[str]:
    """The picture that stands for the article."""
    return first_field(_images(sources), "")


def _images(sources: Sources) -> Iterator[Claim]:
    for text in sources.picked("image", "image_url"):
        if url := sources.address(text):
            yield Claim(value=url, source="selector", confidence=1.0)
    head = sources.head
    for name, confidence in (
        ("og:image:secure_url", 0.95),
        ("og:image", 0.95),
        ("og:image:url", 0.95),
        ("twitter:image", 0.9),
        ("twitter:image:src", 0.9),
    ):
        for value in head.metas.get(name, ())[:1]:
            yield from _image(sources, value, name, confidence)
    for nodes, name in ((sources.nodes, "json-ld"), (sources.items, "microdata")):
        for node in nodes[:2]:
            for href in _image_addresses(node, sources):
                yield from _image(sources, href, f"{name} image", 0.85)
    yield from _image(sources, head.link("image_src"), "link image_src", 0.8)


def _image(sources: Sources, href: str, source: str, confidence: float) -> Iterator[Claim]:
    url = sources.address(href)
    if url and not _PLACEHOLDER.search(url):
        yield Claim(value=url, source=source, confidence=confidence)


def _image_addresses(node: Node, sources: Sources) -> Iterator[str]:
    images: Any = node.get("image") or node.get("thumbnailUrl")
    for image in images[:MAX_IMAGES] if isinstance(images, list) else [images]:
        value = sources.data.follow(image)
        if isinstance(value, dict):
            value = value.get("url") or value.get("contentUrl") or value.get("@id")
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, str) and not value.startswith("#"):
            yield value


def licence_url(sources: Sources) -> Field[str]:
    """The licence that the page names for itself."""
    return first_field(_licences(sources), "")


def _licences(sources: Sources) -> Iterator[Claim]:
    candidates = [
        (link.href, f"link {rel}", 0.95)
        for rel in ("license", "licence")
        for link in sources.head.links.get(rel, ())
    ]
    for node in sources.articles[:1] + sources.items[:1]:
        value = sources.data.follow(node.get("license"))
        href = value.get("url") or value.get("@id") if isinstance(value, dict) else value
        if isinstance(href, str):
            candidates.append((href, "linked data license", 0.9))
    metas = sources.head.every("dcterms.license", "dc.rights.license", "dc.rights", "copyright")
    candidates += [(value, name, 0.7) for name, value in metas]
    for href, source, confidence in candidates:
        url = sources.address(href) if "/" in href and " " not in href else ""
        if url:
            yield Claim(value=url, source=source, confidence=confidence)
