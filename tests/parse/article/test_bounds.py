"""Whatever comes in: an article or a ParseError, in time and in memory."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.parse.article.test_golden import PAGES
from tests.parse.bounds import MAX_MEGABYTES, MAX_SECONDS, Costs, short_form
from wireroom import ExtractConfig, extract_all, read_article
from wireroom.errors import ParseError
from wireroom.model import Hints

URL = "https://www.courier.test/a"
ANY_PAGE = ExtractConfig(any_page=True, undated="fetched", hints=Hints(body_selector="p"))
_BODIES = [page.read_bytes() for page in PAGES]
_PIECES = st.sampled_from(
    [
        b"<p>",
        b"</p>",
        b"<script type=application/ld+json>",
        b'{"articleBody": "',
        b"</script>",
        b"<!--",
        b"<![CDATA[",
        b"\x00",
        b"\xff\xfe",
        b"<table><tr>",
        b"<input type=password>",
        b"&#x110000;",
        b"words of a text that goes on for a while and tells of a ferry ",
        b'<meta property="og:title" content="',
        b"<html lang='",
        b"<rss version='2.0'><channel><item><title>",
    ]
)


def _read(body: bytes) -> None:
    """All doors; anything but a ParseError fails the test by itself."""
    for config in (None, ANY_PAGE):
        try:
            reading = read_article(body, url=URL, config=config, rich=True, explain=True)
        except ParseError:
            continue
        article = reading.article
        assert 0 <= article.quality <= 1
        assert article.id
        article.text.encode("utf-8")
        assert reading.markdown()
        assert isinstance(reading.html(), str)


@given(st.binary(max_size=400))
def test_any_bytes_give_an_article_or_a_parse_error(body: bytes) -> None:
    _read(body)


@given(st.text(max_size=400), st.text(max_size=30))
def test_any_text_gives_an_article_or_a_parse_error(body: str, content_type: str) -> None:
    try:
        articles = extract_all(body, content_type=content_type)
    except ParseError:
        return
    assert articles


@given(st.lists(_PIECES | st.binary(max_size=8), max_size=40))
def test_any_heap_of_markup_gives_an_article_or_a_parse_error(pieces: list[bytes]) -> None:
    _read(b"".join(pieces))


@given(st.sampled_from(_BODIES), st.integers(0, 2**32), st.integers(1, 30))
def test_mutated_pages_give_an_article_or_a_parse_error(body: bytes, seed: int, times: int) -> None:
    chance = random.Random(seed)
    pages = bytearray(body)
    for _ in range(times):
        place = chance.randrange(len(pages))
        kind = chance.randrange(4)
        if kind == 0:
            pages[place] = chance.randrange(256)
        elif kind == 1:
            del pages[place : place + chance.randrange(200)]
        elif kind == 2:
            start = chance.randrange(len(pages))
            pages[place:place] = pages[start : start + chance.randrange(300)]
        else:
            pages[place:place] = chance.choice([b"<", b">", b'"', b"&", b"\x00", b"</div>", b"<p"])
        if not pages:
            break
    _read(bytes(pages))


@pytest.mark.long
@given(st.text(max_size=60))
def test_any_url_and_selector_are_borne(odd: str) -> None:
    config = ExtractConfig(hints=Hints(body_selector=odd, language=odd, zone=odd))
    article = read_article(_BODIES[0], url=odd, content_type=odd, config=config).article
    assert article.title


HOSTILE = {
    "deep": "b'<div>' * 1_000_000 + b'text of it ' * 50",
    "one long text": "b'<p>' + b'word ' * 1_900_000",
    "many paragraphs": "b'<p>Some words of text here.' * 300_000",
    "many signs": "'<p>' .encode() + ''.join(map(chr, range(0x2000, 0xD000))).encode() * 40",
    "huge linked data": 'b\'<script type=application/ld+json>{"@type":"Article","articleBody":"\' + b\'word \' * 180_000 + b\'"}</script>\'',
    "linked data everywhere": 'b\'<script type=application/ld+json>{"@type":"Article","articleBody":"some words"}</script>\' * 80_000',
    "nested linked data": "b'<script type=application/ld+json>' + b'{\"articleBody\":' * 100_000 + b'</script><p>text'",
    "markup in the told text": 'b\'<script type=application/ld+json>{"@type":"Article","articleBody":"\' + b\'<i>w \' * 200_000 + b\'"}</script>\'',
    "plain text": "b'words of it\\n\\n' * 700_000",
    "links": "b'<a href=\"/x\">y</a> ' * 400_000",
    "metas": "b'<meta property=\"og:title\" content=\"x\">' * 200_000 + b'<p>text'",
    "zeros": "b'\\0' * 9_000_000",
}


HOSTILE_FEEDS = {
    "many items": "b'<rss><channel>' + b'<item><title>x</title><description>Some words of it.</description></item>' * 5_000",
    "long items": "b'<rss><channel>' + (b'<item><description>' + b'&lt;p&gt;Some words of the harbour and the long way to it.' * 400 + b'</description></item>') * 400",
    "records": """b'[' + b','.join([b'{"title": "x", "body": "Some words of it."}'] * 5_000) + b']'""",
}


FEW = ("deep", "one long text", "nested linked data", "markup in the told text")


@pytest.fixture(scope="module")
def costs() -> Costs:
    return Costs(_EXTRACT, "read", HOSTILE | HOSTILE_FEEDS, FEW)


@pytest.mark.parametrize("name", short_form(HOSTILE | HOSTILE_FEEDS, FEW))
def test_hostile_pages_stay_in_bounds(name: str, costs: Costs) -> None:
    assert costs[name].seconds < MAX_SECONDS, costs[name]
    assert costs[name].megabytes < MAX_MEGABYTES, costs[name]


_EXTRACT = """from wireroom import ExtractConfig, extract_all
from wireroom.parse.detect import load_detector
from wireroom.settings.secrets import cache_folder
load_detector(cache_folder())
def read(body):
    try:
        return extract_all(body, url="https://www.courier.test/a", config=ExtractConfig(any_page=True))
    except ParseError as error:
        return error
"""


@pytest.mark.parametrize("body", [b"<p>" + b"x" * 300, b"<title>only</title>"])
def test_tiny_pages_never_have_a_high_quality(body: bytes) -> None:
    assert read_article(body, config=ExtractConfig(any_page=True)).article.quality < 0.6
