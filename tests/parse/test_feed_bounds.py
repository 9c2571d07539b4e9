"""No feed of up to 10 MB takes more than 2 CPU seconds or 300 MB, and none raises but ParseError."""

from __future__ import annotations

import gzip
import runpy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.parse.bounds import MAX_MEGABYTES, MAX_SECONDS, Costs, short_form
from tests.parse.test_feed_golden import FEEDS
from tests.parts import REPOSITORY, SHARED_DATA
from wireroom.errors import ParseError
from wireroom.parse.feed import read_feed
from wireroom.urls import is_web_url

RSS = "b'<rss version=\"2.0\"><channel>' + {0} + b'</channel></rss>'"
ITEM = "b'<item><title>A</title>' + {0} + b'</item>'"
JSON = 'b\'{{"version": "https://jsonfeed.org/version/1", "items": [\' + {0} + b"]}}"'
HOSTILE = {
    "deep": "b'<rss>' + b'<a>' * 3_000_000",
    "deep in one item": RSS.format(ITEM.format("b'<a>' * 600_000 + b'</a>' * 600_000")),
    "tiny elements": RSS.format("b'<b/>' * 2_400_000"),
    "tiny elements with text": RSS.format("b'<b/>x' * 1_900_000"),
    "tiny items": RSS.format("b'<item><title>x</title></item>' * 320_000"),
    "items with everything": RSS.format(
        "b'<item><title>&lt;b&gt;x&lt;/b&gt; &amp;amp; y</title><link>a b</link><category>c</category>"
        "<pubDate>nothing</pubDate><author>a@b (c)</author></item>' * 64_000"
    ),
    "attributes": "b'<rss ' + b' '.join(b'a%d=\"\"' % n for n in range(880_000)) + b'/>'",
    "the same attribute": "b'<rss ' + b'a=\"\" ' * 1_900_000 + b'/>'",
    "namespaces": "b'<rss ' + b' '.join(b'xmlns:a%d=\"u%d\"' % (n, n) for n in range(390_000)) + b'/>'",
    "unknown entities": RSS.format("b'&x;' * 3_300_000"),
    "bare ampersands": RSS.format(ITEM.format("b'& ' * 4_900_000")),
    "one huge text": RSS.format(ITEM.format("b'x' * 9_900_000")),
    "one huge title": RSS.format("b'<item><title>' + b'&lt;b ' * 1_600_000 + b'</title></item>'"),
    "open comments": RSS.format(
        ITEM.format("b'<description>' + b'&lt;!-- ' * 1_200_000 + b'</description>'")
    ),
    "open CDATA": RSS.format("b'<![CDATA[' * 1_100_000"),
    "laughs": "b'<!DOCTYPE r [<!ENTITY a \"ha\">' + b''.join(b'<!ENTITY a%d \"%s\">' % (n, b'&a;' * 100)"
    " for n in range(25_000)) + b']><rss/>'",
    "control characters": RSS.format("b'\\x01' * 9_900_000"),
    "UTF-16": "'<rss><channel>'.encode('utf-16') + '<item/>é'.encode('utf-16-le') * 620_000",
    "broken UTF-8": RSS.format("'жил'.encode() * 1_600_000 + b'\\xff'"),
    "children of one item": RSS.format(ITEM.format("b'<x:y>1</x:y>' * 750_000")),
    "people": RSS.format(ITEM.format("b'<author>((((((((@((((((</author>' * 300_000")),
    "authors of mail": RSS.format(ITEM.format("b'<author>' + b'a@' * 4_900_000 + b'</author>'")),
    "prolog": "b'<!-- -->' * 1_200_000",
    "JSON lists": JSON.format("b'[],' * 3_300_000"),
    "JSON items": JSON.format('b\'{"id":"1","title":"x"},\' * 250_000 + b"1"'),
    "JSON depth": JSON.format("b'[' * 9_900_000"),
    "JSON strings": JSON.format("b'\"\\\\u00e9\",' * 1_000_000 + b'1'"),
}


FEW = ("deep", "items with everything", "JSON depth", "laughs", "the same attribute")


@pytest.fixture(scope="module")
def costs() -> Costs:
    return Costs("from wireroom.parse.feed import read_feed", "read_feed", HOSTILE, FEW)


@pytest.mark.parametrize("name", short_form(HOSTILE, FEW))
def test_hostile_feeds_stay_within_bounds(name: str, costs: Costs) -> None:
    assert costs[name].seconds < MAX_SECONDS, costs[name]
    assert costs[name].megabytes < MAX_MEGABYTES, costs[name]


def _check(body: bytes) -> None:
    """Reads what it can, raises ParseError or nothing, keeps no address but those of the web."""
    try:
        document = read_feed(body, base_url="https://courier.test/feed")
    except ParseError:
        return
    for item in document.items:
        assert item.guid
        assert not item.url or is_web_url(item.url)
        assert item.title == " ".join(item.title.split())
        for text in (
            item.title,
            item.summary,
            item.content_html,
            item.guid,
            *item.authors,
            *item.tags,
        ):
            text.encode()
            assert not any(ord(char) < 32 and char not in "\t\r\n" for char in text)


GOLDEN = st.sampled_from([path.read_bytes() for path in FEEDS])
PIECES = st.sampled_from(
    [
        *(b"<", b">", b"</", b"&", b"]]>", b"<![CDATA[", b"<!--", b'"', b"\x00", b"\xff", b"&#xd800;", b"&#x80;"),
        *(b"<item>", b"</item>", b"<entry/>", b"<link>", b"{", b"}", b",", b"\\ud800", b"xml:base='::'"),
    ]
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(GOLDEN, st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), PIECES), max_size=6))
def test_mutilated_feeds_are_read_or_refused(
    body: bytes, wounds: list[tuple[float, int, bytes]]
) -> None:
    for where, gone, piece in wounds:
        place = int(where * len(body))
        body = body[:place] + piece + body[place + gone :]
    _check(body)


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    _check(body)
    _check(b"<rss><channel><item>" + body + b"</item></channel></rss>")
    _check(b"<feed><entry><content>" + body)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "url", "title", "authors", "author", "name", "tags", "attachments", "content_text", "_x", "date_published"]), inner, max_size=5), max_leaves=15))  # fmt: skip
def test_any_json_is_read_or_refused(value: object) -> None:
    import json

    document = {"version": "https://jsonfeed.org/version/1.1", "items": [value], "authors": value}
    _check(json.dumps(document).encode())


@pytest.mark.long
@pytest.mark.shared_data
def test_real_feeds_are_all_read() -> None:
    counts = []
    for path in sorted((SHARED_DATA / "feeds").glob("*.gz")):
        body = gzip.decompress(path.read_bytes())
        _check(body)
        counts.append(len(read_feed(body).items))
    assert len(counts) >= 90
    assert all(counts), "every one of them has items"


@pytest.mark.long
@pytest.mark.shared_data
def test_real_feeds_are_read_like_others_read_them(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fastfeedparser", reason="the peers are in the bench extra")
    monkeypatch.syspath_prepend(REPOSITORY / "bench")
    bench = runpy.run_path(str(REPOSITORY / "bench" / "feeds.py"))
    compared, found = bench["differences"](bench["real_feeds"](False), bench["by_fastfeedparser"])
    unexplained = [
        difference for difference in found if bench["class_of"](difference) == bench["UNEXPLAINED"]
    ]
    assert compared > 2500
    assert len(unexplained) <= compared * 0.005, unexplained[:10]
