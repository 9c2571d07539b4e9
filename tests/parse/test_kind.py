"""What a body is: the body decides, the header is a hint."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.budget import cpu_within
from wireroom.parse.kind import kind_of

BODIES = {
    "html": b"<!DOCTYPE html><html><head><title>x</title></head></html>",
    "rss": b'<?xml version="1.0"?><rss version="2.0"><channel></channel></rss>',
    "atom": b'<feed xmlns="http://www.w3.org/2005/Atom"></feed>',
    "rdf": b'<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel/></rdf:RDF>',
    "json_feed": b'{"version": "https://jsonfeed.org/version/1.1", "items": []}',
    "json": b'{"articles": []}',
    "sitemap": b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>',
    "sitemap_index": b"<sitemapindex><sitemap/></sitemapindex>",
    "text_sitemap": b"https://courier.test/a\nhttps://courier.test/b\n",
    "robots": b"User-agent: *\nDisallow: /x\n",
    "pdf": b"%PDF-1.7\n",
    "gzip": b"\x1f\x8b\x08\x00",
    "empty": b"",
}
HEADERS = ["", "text/html", "application/xml; charset=utf-8", "application/json", "text/plain", "?"]


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("name", BODIES)
def test_the_body_decides_whatever_the_header_says(name: str, header: str) -> None:
    assert kind_of(BODIES[name], header).name == name


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b" \r\n\t", "empty"),
        (b"\xef\xbb\xbf\n  <rss/>", "rss"),
        (b"<!-- made by hand -->\n<?xml version='1.0'?>\n<feed>", "atom"),
        (b"<?xml version='1.0'?><!DOCTYPE html><feed xmlns='a'>", "atom"),
        (b"<!DOCTYPE rss [<!ENTITY a 'b'>]><rss>", "rss"),
        (b"Warning: line 3\n<?xml version='1.0'?><rss version='2.0'>", "rss"),
        (b"<br>Notice\n<rss version='2.0'>", "html"),
        (b"<?xml version='1.0'?><?xml-stylesheet href='a'?><atom:feed xmlns:atom='x'>", "atom"),
        (b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>", "html"),
        ("<?xml version='1.0' encoding='utf-16'?><urlset/>".encode("utf-16"), "sitemap"),
        ("<rss version='2.0'></rss>".encode("utf-16-le"), "rss"),
        (b"<CHANNEL HREF='http://courier.test/'><ITEM/></CHANNEL>", "cdf"),
        (b"<channel><item/></channel>", "rss"),
        (b"<rdf:RDF><foaf:Person/></rdf:RDF>", "xml"),
        (b"<opml version='2.0'><body/></opml>", "opml"),
        (b"<p>hello</p>", "html"),
        (b"<blockquote>hello</blockquote>", "html"),
        (b"<strong>hello</strong> world", "html"),
        (b"<figure><img src=a></figure>", "html"),
        (b"<?xml version='1.0'?><pre>hello</pre>", "html"),
        (b"<catalogue>hello</catalogue>", "xml"),
        (b"<invoice><total/></invoice>", "xml"),
        (b'{"items": [' + b'{"id": "1"},' * 900 + b'{}], "version": "https://jsonfeed.org/version/1"}', "json_feed"),
        (b"[1, 2]", "json"),
        (b"[draft] a note", "text"),
        (b"{not json}", "text"),
        (b"\x89PNG\r\n\x1a\n", "image"),
        (b"RIFF....WEBPVP8 ", "image"),
        (b"....ftypavif", "image"),
        (b"....ftypisom", "audio_video"),
        (b"PK\x03\x04", "zip"),
        (b"\x00\x01\x02\x03\x04\x05\x06" * 20, "binary"),
        (b"Just a few words.", "text"),
    ],
)  # fmt: skip
def test_kinds_by_body(body: bytes, name: str) -> None:
    kind = kind_of(body)
    assert kind.name == name
    assert kind.why


def test_the_header_settles_what_the_bytes_leave_open() -> None:
    body = b"<widget>hello</widget>"
    assert kind_of(body).name == "xml"
    assert kind_of(body, "text/html; charset=utf-8").name == "html"


@pytest.mark.parametrize(
    "body",
    [b"<!" * 2_000_000, b"<!--" * 2_000_000, b"<![[" * 9_000, b" " * 10_000_000, b"<rss xmlns" * 9_000],
)  # fmt: skip
def test_hostile_bodies_cost_nothing(body: bytes) -> None:
    with cpu_within(2):
        kind_of(body)


@given(st.binary(max_size=500), st.text(max_size=30))
def test_any_bytes_have_a_kind(body: bytes, header: str) -> None:
    assert kind_of(body, header).name
