"""What can be measured of a page as a whole: a number per name in `MEASURES`, in that order.

Everything comes from what reading the body and the metadata has left behind; no tree is walked. The
weights know the measures by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from wireroom.parse.body import Body
from wireroom.parse.metadata import Metadata
from wireroom.parse.pages.declared_type import DeclaredType
from wireroom.parse.pages.url_shape import PATH_KINDS, UrlShape

BEGINNING: Final = 500  # characters of a text that show its script
IDEOGRAPH_LETTERS: Final = 3  # letters of an alphabet that one ideograph stands for, about
LETTERS_A_WORD: Final = 8  # with the blank; more than in most languages, so that blanks count first
_IDEOGRAPH: Final = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]"
)
_PARAGRAPHS: Final = ("paragraph", "text")
MANY_TYPES: Final = 3  # objects of one family from which on it does not matter how many

MEASURES: Final = {
    "path_depth": "segments of the address",
    "slug_words": "words in the end of the address",
    "slug_number": "a long number in the end of the address",
    "path_ending": "ending of the address",
    "path_article": "words for articles in the address",
    "path_product": "words for products in the address",
    "path_collection": "words for a shop's shelves in the address",
    "path_listing": "words for listings in the address",
    "path_service": "words for services in the address",
    "path_forum": "words for forums in the address",
    "path_documentation": "words for documentation in the address",
    "og_type": "og:type",
    "type_article": "objects that declare an article",
    "type_product": "objects that declare a product or an offer",
    "type_service": "objects that declare a service or a business",
    "type_forum": "objects that declare a discussion",
    "dated": "confidence in a date of publication",
    "changed": "confidence in a date of change",
    "authors": "confidence in an author",
    "author_count": "authors",
    "image": "an image of the page's own",
    "description": "letters of the description",
    "title_words": "words of the title",
    "title_length": "letters of the title",
    "confidence": "confidence in the text",
    "paragraphs": "paragraphs of the text",
    "paragraph_length": "letters of a paragraph",
    "longest_paragraph": "letters of the longest paragraph",
    "paragraph_share": "share of paragraphs in the text",
    "block_length": "letters of a block of the text",
    "kept_headings": "share of headings in the text",
    "kept_share": "share of the page that is the text",
    "blocks": "blocks of the page",
    "links": "share of link text",
    "signpost_share": "share of blocks that are links",
    "prose_share": "share of prose",
    "container_share": "share of the prose that stands together",
    "likelihood": "how much of the page looks like an article's text",
    "label_share": "share of short lines",
    "prices": "currency signs in short lines",
    "price_share": "currency signs to a block",
    "alike_share": "share of blocks that look like several others",
    "most_alike": "blocks that look the same",
    "sentence_share": "share of blocks that end like a sentence",
    "headings": "headings",
    "heading_share": "share of headings",
    "cells": "cells of tables",
    "images": "described images",
    "article_elements": "article elements",
    "forms": "forms",
}
"""Every measure with what it is in plain words, for whoever wants to know why."""

FEATURES: Final = tuple(MEASURES)


def measure_page(
    body: Body, metadata: Metadata, address: UrlShape, declared_type: DeclaredType
) -> list[float]:
    """The numbers of a page."""
    numbers = {
        **_by_address(address),
        **_by_word(declared_type),
        **_by_metadata(metadata),
        **_by_body(body),
        **_by_outline(body),
    }
    return [float(numbers[name]) for name in FEATURES]


def _letters(text: str) -> int:
    """The length of a text in letters; an ideograph stands for several."""
    if text.isascii():
        return len(text)
    return len(text) + (IDEOGRAPH_LETTERS - 1) * len(_IDEOGRAPH.findall(text[:BEGINNING]))


def _by_address(address: UrlShape) -> Mapping[str, float]:
    return {
        "path_depth": address.depth,
        "slug_words": address.slug_words,
        "slug_number": address.number,
        "path_ending": address.ending,
        **{f"path_{kind}": number for kind, number in zip(PATH_KINDS, address.words, strict=True)},
    }


def _by_word(declared_type: DeclaredType) -> Mapping[str, float]:
    return {
        "og_type": declared_type.og_type,
        **{
            f"type_{name}": min(count, MANY_TYPES) for name, count in declared_type.families.items()
        },
    }


def _by_metadata(metadata: Metadata) -> Mapping[str, float]:
    title = metadata.title.value
    return {
        "dated": metadata.published.confidence,
        "changed": metadata.modified.confidence,
        "authors": metadata.authors.confidence,
        "author_count": len(metadata.authors.value),
        "image": bool(metadata.image_url.value),
        "description": _letters(metadata.description.value),
        "title_words": max(len(title.split()), _letters(title) / LETTERS_A_WORD),
        "title_length": _letters(title),
    }


def _by_body(body: Body) -> Mapping[str, float]:
    kinds = [block.kind for block in body.blocks if block.kept]
    paragraphs = [
        len(block.text) for block in body.blocks if block.kept and block.kind in _PARAGRAPHS
    ]
    kept = len(kinds) or 1
    stretch = _letters(body.text[:BEGINNING]) / (len(body.text[:BEGINNING]) or 1)
    return {
        "confidence": body.confidence,
        "paragraphs": len(paragraphs),
        "paragraph_length": stretch * sum(paragraphs) / (len(paragraphs) or 1),
        "longest_paragraph": stretch * max(paragraphs, default=0),
        "paragraph_share": len(paragraphs) / kept,
        "block_length": stretch * len(body.text) / kept,
        "kept_headings": kinds.count("heading") / kept,
        "kept_share": len(body.text) / (body.outline.characters or 1),
    }


def _by_outline(body: Body) -> Mapping[str, float]:
    page = body.outline
    blocks, prose = page.blocks or 1, page.prose or 1
    return {
        "blocks": page.blocks,
        "links": page.linked_share,
        "signpost_share": page.signposts / blocks,
        "prose_share": page.prose / (page.characters or 1),
        "container_share": page.container_prose / prose,
        "likelihood": page.likelihood,
        "label_share": page.labels / blocks,
        "prices": page.prices,
        "price_share": page.prices / blocks,
        "alike_share": page.alike / blocks,
        "most_alike": page.most_alike,
        "sentence_share": page.sentences / blocks,
        "headings": page.headings,
        "heading_share": page.headings / blocks,
        "cells": page.cells,
        "images": page.images,
        "article_elements": page.articles,
        "forms": page.forms,
    }
