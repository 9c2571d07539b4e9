"""Hostile pages: every one within two CPU seconds, nothing raised, nothing dirty handed on."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from tests.budget import cpu_within
from tests.parse.metadata.pages import FETCHED_AT, URL, article, meta, read, script
from tests.parts import examples
from wireroom.parse.metadata import Field, Metadata, read_metadata

MAX_SECONDS = 2.0

HOSTILE = {
    "deep json": script("[" * 10_000 + "]" * 10_000),
    "deep objects": script('{"@graph":' * 5_000 + "{}" + "}" * 5_000),
    "10 MB of json": script('{"a": "' + "x" * 10_000_000 + '"}'),
    "huge number": script('{"@type": "Article", "wordCount": ' + "9" * 100_000 + "}"),
    "a thousand scripts": article(headline="x") * 1_000,
    "a hundred thousand nodes": script(
        '{"@graph": [' + '{"@type":"Article","headline":"x"},' * 30_000 + "{}]}"
    ),
    "many authors": article(author=[f"Ada Lind{n}" for n in range(20_000)]),
    "many metas": meta(article__tag="x") * 20_000,
    "long meta": meta(og__title="x " * 1_000_000),
    "long byline": "<h1>x</h1><p class=byline>" + "By Ada and " * 100_000 + "</p>",
    "many bylines": "<h1>x</h1>" + "<p class=byline>By Ada Lind</p>" * 20_000,
    "many times": "<h1>x</h1>" + "<time datetime=2026-11-03>x</time>" * 20_000,
    "many dates": "<h1>x</h1>" + "<span>Nov 3, 2026</span>" * 20_000,
    "many headlines": "<h1>Ferry returns</h1>" * 20_000,
    "many properties": "<div itemscope>" + "<i itemprop=author>x</i>" * 20_000 + "</div>",
    "nested items": "<div itemscope itemprop=a>" * 400 + "x" + "</div>" * 400,
    "long quotes": "<h1>x</h1><p>" + "by " * 200_000 + "</p>",
    "unclosed comment in json": script('{"a": 1, /*' + "*" * 200_000),
    "quotes in json": script('{"a": "' + '\\"' * 200_000),
    "commas in json": script("[" + "," * 200_000),
    "open comments in json": script("{" + "/* " * 100_000),
    "open strings in json": script("{" + '"a\\\\" ' * 60_000),
    "long class": f'<h1>x</h1><p class="{"author " * 50_000}">Ada Lind</p>',
    "spaces": "<title>" + " | " * 100_000 + "</title>",
    "dashes": meta(og__title="- " * 2_000, og__site_name="-")
    + "<title>"
    + "a - " * 20_000
    + "</title>",
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_pages_cost_little(case: str) -> None:
    tree = LexborHTMLParser(f"<html><body>{HOSTILE[case]}</body></html>")
    with cpu_within(MAX_SECONDS):
        found = read_metadata(tree, url=URL, fetched_at=FETCHED_AT)
    assert isinstance(found, Metadata)


def _texts(found: Metadata) -> list[str]:
    held = [getattr(found, field.name) for field in fields(found)]
    values = [field.value for field in held if isinstance(field, Field)]
    flat = [part for value in values for part in (value if isinstance(value, tuple) else [value])]
    return [text for text in flat if isinstance(text, str)]


def test_control_characters_and_halves_are_cleaned_everywhere() -> None:
    head = article(
        headline="a\x00b\ud800", author="Ada\x07 Lind", keywords=["x\x01y"], description="d\x02e"
    )
    head += meta(og__title="a\x03b", og__description="c\x04d")
    found = read(head.encode("utf-8", "replace").decode(), "<h1>He\x05ad</h1>")
    assert all(text.isprintable() for text in _texts(found))
    assert found.authors.value == ("Ada Lind",)


@examples(150)
@given(st.text(max_size=400), st.text(max_size=200))
def test_nothing_raises_on_any_text(head: str, body: str) -> None:
    found = read(script(head) + meta(og__title="x"), f"<h1>{body}</h1><p class=byline>{body}</p>")
    assert isinstance(found, Metadata)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "@type",
                    "@id",
                    "@graph",
                    "author",
                    "name",
                    "datePublished",
                    "headline",
                    "image",
                    "url",
                    "hasPart",
                    "keywords",
                    "publisher",
                    "mainEntityOfPage",
                    "mainEntity",
                    "wordCount",
                    "isAccessibleForFree",
                    "license",
                    "inLanguage",
                    "articleSection",
                    "sameAs",
                    "logo",
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)


@pytest.mark.long
@examples(300)
@given(_JSON)
def test_nothing_raises_on_any_shape_of_linked_data(value: object) -> None:
    for held in (value, {"@type": "NewsArticle", "headline": "x", "author": value, "image": value}):
        assert isinstance(read(script(held)), Metadata)


@examples(200)
@given(
    st.text(max_size=80),
    st.sampled_from(["href", "content", "datetime", "lang", "itemprop", "class"]),
)
def test_nothing_raises_on_any_attribute(value: str, name: str) -> None:
    safe = value.replace('"', "")
    body = f'<link rel="canonical" {name}="{safe}"><time {name}="{safe}">x</time><a rel="author" {name}="{safe}">y</a>'
    assert isinstance(read(f'<meta name="author" {name}="{safe}">{body}', body), Metadata)
