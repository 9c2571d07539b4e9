"""Sitemaps: every form, as a stream, within bounds, and truthful about what is missing."""

from __future__ import annotations

import gzip
import io
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.parse.bounds import MAX_MEGABYTES, MAX_SECONDS, Costs, short_form
from wireroom.errors import ParseError, UnknownFormatError
from wireroom.parse.sitemap import SitemapDocument, read_sitemap
from wireroom.parse.sitemap.plain_sitemap import plain_reader
from wireroom.urls import is_web_url

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
NEWS = "http://www.google.com/schemas/sitemap-news/0.9"
HOST = "https://courier.test/"


def urlset(entries: str, attributes: str = NS) -> bytes:
    return f"<urlset {attributes}>{entries}</urlset>".encode()


def entry(name: str, more: str = "") -> str:
    return f"<url><loc>{HOST}{name}</loc>{more}</url>"


def names(document: SitemapDocument) -> list[str]:
    return [entry.url.removeprefix(HOST) for entry in document.entries]


@pytest.mark.parametrize(
    "body",
    [
        urlset(entry("a") + entry("b")),
        urlset(entry("a") + entry("b"), ""),
        urlset(entry("a") + entry("b"), 'xmlns="https://www.sitemaps.org/schemas/sitemap/0.9"'),
        urlset(entry("a") + entry("b"), 'xmlns="http://www.google.com/schemas/sitemap/0.84"'),
        b"\xef\xbb\xbf \n<?xml version='1.0'?>" + urlset(entry("a") + entry("b")),
        b"<?xml version='1.0'?><!DOCTYPE urlset [<!ENTITY x 'y'>]>" + urlset(entry("a") + entry("b")),
        ("<?xml version='1.0' encoding='utf-16'?>" + urlset(entry("a") + entry("b")).decode()).encode("utf-16"),
        b"<s:urlset xmlns:s='x'><s:url><s:loc> https://courier.test/a\n</s:loc></s:url><s:url><s:loc>https://courier.test/b</s:loc></s:url></s:urlset>",
        urlset("<url><loc><![CDATA[https://courier.test/a]]></loc></url><URL><LOC>/b</LOC></URL>"),
        gzip.compress(urlset(entry("a") + entry("b"))),
        gzip.compress(gzip.compress(urlset(entry("a") + entry("b")))),
        gzip.compress(b"<urlset>" + entry("a").encode()) + gzip.compress(entry("b").encode() + b"</urlset>") + b"\0\0",
        urlset(entry("a") + entry("b")) + b"<!-- served in 3 ms -->\n\0\0",
        b"https://courier.test/a\r\n\r\nhttps://courier.test/b",
        b"\xef\xbb\xbfhttps://courier.test/a\nhttps://courier.test/b\n",
        b"<rss version='2.0'><channel><item><link>https://courier.test/a</link></item><item><link>/b</link></item></channel></rss>",
        b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='/a'/></entry><entry><link href='/b'/></entry></feed>",
    ],
)  # fmt: skip
def test_every_form_gives_the_same_addresses(body: bytes) -> None:
    document = read_sitemap(body, base_url=HOST + "sitemap.xml")
    assert names(document) == ["a", "b"]
    assert not document.truncated


def test_a_stream_gives_what_bytes_give() -> None:
    body = gzip.compress(urlset("".join(entry(str(n)) for n in range(5000))))
    assert read_sitemap(io.BytesIO(body)) == read_sitemap(body)


@pytest.mark.long
def test_reading_stops_when_there_is_enough() -> None:
    stream = io.BytesIO(gzip.compress(urlset("".join(entry(f"{n}" * 9) for n in range(90_000)))))
    document = read_sitemap(stream, limit=50)
    assert len(document.entries) == 50
    assert document.truncated
    assert stream.tell() < 200_000


def test_a_limit_that_is_just_met_is_not_truncation() -> None:
    body = urlset("".join(entry(str(n)) for n in range(10)))
    assert not read_sitemap(body, limit=10).truncated
    assert read_sitemap(body, limit=9).truncated


def test_an_index_names_its_sitemaps() -> None:
    body = (
        f"<sitemapindex {NS}><sitemap><loc>{HOST}1.xml</loc><lastmod>2026-11-01</lastmod></sitemap>"
        f"<sitemap><loc>/2.xml.gz</loc></sitemap></sitemapindex>"
    )
    document = read_sitemap(body.encode(), base_url=HOST)
    assert document.kind == "index"
    assert names(document) == ["1.xml", "2.xml.gz"]


@pytest.mark.parametrize(
    ("lastmod", "at", "precision"),
    [
        ("2026-02-17", datetime(2026, 2, 17, tzinfo=UTC), "day"),
        ("2026-02", datetime(2026, 2, 1, tzinfo=UTC), "month"),
        ("2026", datetime(2026, 1, 1, tzinfo=UTC), "year"),
        ("2026-02-17T10:00Z", datetime(2026, 2, 17, 10, tzinfo=UTC), "minute"),
        (" 2026-02-17T10:00:05+02:00\n", datetime(2026, 2, 17, 8, 0, 5, tzinfo=UTC), "second"),
        ("Tue, 17 Feb 2026 10:00:00 GMT", datetime(2026, 2, 17, 10, tzinfo=UTC), "second"),
        ("junk", None, ""),
        ("", None, ""),
    ],
)
def test_dates_have_a_precision(lastmod: str, at: datetime | None, precision: str) -> None:
    (found,) = read_sitemap(urlset(entry("a", f"<lastmod>{lastmod}</lastmod>"))).entries
    moment = found.lastmod
    assert (moment.at if moment else None) == at
    assert (moment.precision if moment else "") == precision


NEWS_FIELDS = (
    "<{0}news><{0}publication><{0}name>The Courier</{0}name><{0}language>en</{0}language></{0}publication>"
    "<{0}publication_date>2026-11-14T08:00:00Z</{0}publication_date><{0}title>Ferry &amp; fog</{0}title></{0}news>"
)


@pytest.mark.parametrize(
    ("attributes", "prefix"),
    [
        (f'{NS} xmlns:news="{NEWS}"', "news:"),
        (f'{NS} xmlns:n="{NEWS}"', "n:"),
        (f'{NS} xmlns:news="{NEWS.replace("http:", "https:")}"', "news:"),
    ],
)
def test_news_is_news_when_the_element_is_used(attributes: str, prefix: str) -> None:
    body = urlset(entry("a", NEWS_FIELDS.format(prefix)) + entry("b"), attributes)
    document = read_sitemap(body)
    assert (document.news_entries, document.news_declared) == (1, True)
    news = document.entries[0].news
    assert news is not None
    assert (news.name, news.language, news.title) == ("The Courier", "en", "Ferry & fog")
    assert news.published is not None
    assert news.published.at == datetime(2026, 11, 14, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("body", "declared"),
    [
        (urlset(entry("a"), f'{NS} xmlns:news="{NEWS}"'), True),
        (urlset(f"<!-- {NEWS} <news:news> -->" + entry("a")), False),
        (urlset(entry("a", "<news><title>x</title></news>")), False),
        (urlset(entry("a", "<i:image xmlns:i='http://www.google.com/schemas/sitemap-image/1.1'><i:loc>https://x.test/i.jpg</i:loc><i:title>t</i:title></i:image>")), False),
    ],
)  # fmt: skip
def test_a_declared_namespace_alone_is_no_news(body: bytes, declared: bool) -> None:
    document = read_sitemap(body)
    assert (document.news_entries, document.news_declared) == (0, declared)
    assert names(document) == ["a"]


def test_a_cut_file_keeps_what_is_whole_and_says_so() -> None:
    body = urlset("".join(entry(str(n)) for n in range(3000)))
    document = read_sitemap(body[:-30])
    assert len(document.entries) == 2999
    assert document.truncated
    packed = gzip.compress(body)
    document = read_sitemap(packed[: len(packed) // 2])
    assert 100 < len(document.entries) < 3000
    assert document.truncated


@pytest.mark.parametrize("wound", ["&nbsp;", "&", "<", "</wrong>", "<n:x>", "\x01", "<a b=1>"])
def test_broken_files_are_scanned(wound: str) -> None:
    middle = entry("x") + f"<url><loc>{HOST}y</loc><priority>{wound}</priority></url>"
    body = urlset("".join(entry(str(n)) for n in range(2000)) + middle + entry("z"))
    document = read_sitemap(body)
    found = names(document)
    assert len(found) == len(set(found)) == 2003
    assert found[-3:] == ["x", "y", "z"]
    assert document.broken
    assert not document.truncated


def test_broken_news_is_scanned_with_its_fields() -> None:
    body = urlset(entry("a", NEWS_FIELDS.format("news:")) + entry("b"), NS)
    document = read_sitemap(body)
    assert document.broken
    assert document.news_entries == 1
    assert document.entries[0].news is not None
    assert document.entries[0].news.title == "Ferry & fog"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "empty"),
        (b"<!doctype html><html><body>404</body></html>", "html"),
        (b'{"a": 1}', "json"),
        (b"%PDF-1.4", "pdf"),
        (gzip.compress(b"<html></html>", mtime=0), "html"),
        (b"\x1f\x8bnothing", "empty"),
        (b"just words", "text"),
    ],
)
def test_what_is_no_sitemap_is_called_what_it_is(body: bytes, message: str) -> None:
    with pytest.raises(UnknownFormatError, match=message):
        read_sitemap(body)


def test_only_addresses_of_the_web_are_kept() -> None:
    bad = ["javascript:x()", "file:///etc/passwd", "https://u:p@courier.test/", "ftp://a.test/", ""]
    body = urlset("".join(f"<url><loc>{loc}</loc></url>" for loc in bad) + entry("good"))
    assert names(read_sitemap(body)) == ["good"]


HOSTILE = {
    "deep": "b'<urlset>' + b'<a>' * 16_000_000",
    "deep with entries": "b'<urlset>' + (b'<a>' * 20_000 + b'<url><loc>https://a.test/</loc></url>') * 800",
    "tiny elements": "b'<urlset>' + b'<b/>' * 12_000_000",
    "one text": "b'<urlset><url><loc>' + b'x' * 49_000_000",
    "one text with a wide letter now and then": "b'<urlset><url><loc>' + (b'x' * 8000 + '😀'.encode()) * 6000",
    "one tag": "b'<urlset ' + b'x' * 48_000_000",
    "one attribute": "b'<urlset><a b=\"' + b'>' * 48_000_000",
    "one comment": "b'<urlset><!-- ' + b'x' * 48_000_000",
    "entries": "b'<urlset>' + b'<url><loc>https://a.test/</loc></url>' * 1_300_000",
    "broken entries": "b'<urlset>&x;' + b'<url><loc>https://a.test/</loc></url>' * 1_300_000",
    "broken, open entries": "b'<urlset>&x;' + b'<url ' * 9_000_000",
    "entities": "b'<!DOCTYPE u [<!ENTITY a \"' + b'x' * 200_000 + b'\">]><urlset>' + b'&a;' * 9_000_000",
    "bomb": "__import__('gzip').compress(bytes(60_000_000), 1) * 5",
    "bomb of entries": "__import__('gzip').compress(b'<urlset>' + b'<url><loc>https://a.test/</loc></url>' * 1_500_000, 1)",
    "lines": "b'https://a.test/x\\n' * 3_000_000",
    "one line": "b'https://a.test/x\\nhttps://a.test/' + b'x' * 49_000_000",
}


FEW = ("deep", "one attribute", "entries", "entities", "broken, open entries")


@pytest.fixture(scope="module")
def costs() -> Costs:
    reader = "from wireroom.parse.sitemap import read_sitemap"
    return Costs(reader, "read_sitemap", HOSTILE, FEW)


@pytest.mark.parametrize("name", short_form(HOSTILE, FEW))
def test_hostile_sitemaps_stay_within_bounds(name: str, costs: Costs) -> None:
    assert costs[name].seconds < MAX_SECONDS, costs[name]
    assert costs[name].megabytes < MAX_MEGABYTES, costs[name]


@pytest.mark.long
def test_a_bomb_is_unpacked_no_further_than_the_cap() -> None:
    body = gzip.compress(b"<urlset>" + b" " * 60_000_000 + entry("late").encode() + b"</urlset>")
    document = read_sitemap(body)
    assert document.entries == ()
    assert document.truncated


def _check(body: bytes) -> None:
    try:
        document = read_sitemap(body, base_url=HOST)
    except ParseError:
        return
    assert all(is_web_url(entry.url) for entry in document.entries)
    assert all(entry.lastmod is None or entry.lastmod.at.tzinfo for entry in document.entries)


SOUND = urlset(entry("a", "<lastmod>2026-11-01</lastmod>") * 3 + entry("b", NEWS_FIELDS.format("news:")), f'{NS} xmlns:news="{NEWS}"')  # fmt: skip


@given(st.floats(0, 1), st.integers(0, 60), st.binary(max_size=20), st.booleans())
def test_mutilated_sitemaps_are_read_or_refused(
    where: float, gone: int, piece: bytes, packed: bool
) -> None:
    body = gzip.compress(SOUND, mtime=0) if packed else SOUND
    place = int(where * len(body))
    _check(body[:place] + piece + body[place + gone :])


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    _check(body)
    _check(b"<urlset>" + body)
    _check(b"\x1f\x8b" + body)


@pytest.mark.parametrize("junk", [b"<a>" * 200_000, b"<!-- " + b"x" * 600_000, b"< <"])
def test_no_entry_comes_twice_when_reading_stops(junk: bytes) -> None:
    entries = [b"<url><loc>https://courier.test/%d</loc></url>" % n for n in range(3_000)]
    found = read_sitemap(b"<urlset>" + b"".join(entries) + junk)
    urls = [entry.url for entry in found.entries]
    assert len(urls) == len(set(urls))
    assert len(urls) > 2_500  # of the piece in which a trap begins nothing is read
    assert found.truncated


# --- blocks that need no parser ----------------------------------------------------------------

IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
_USUAL = [entry(f"u{n}", f"\n<lastmod>2026-11-{n % 28 + 1:02}</lastmod>") for n in range(1_500)]


def _parsed(body: bytes, monkeypatch: pytest.MonkeyPatch) -> SitemapDocument:
    """The document as the parser alone reads it."""
    with monkeypatch.context() as patch:
        patch.setattr("wireroom.parse.sitemap.xml_entries.plain_reader", lambda _: None)
        return read_sitemap(body)


def test_usual_entries_are_read_without_the_parser() -> None:
    plain = plain_reader(f"<urlset {NS} {IMAGE}>".encode())
    assert plain is not None
    picture = "<image:image><image:loc>https://courier.test/a.png</image:loc></image:image>"
    block = f"\n<url>\n<priority>1</priority><loc> {HOST}?a=1&amp;b=2\n</loc>\n{picture}</url>\n"
    assert plain.read(block.encode()) == [(f"{HOST}?a=1&b=2", "", None)]


@pytest.mark.parametrize(
    "odd",
    [
        "<!-- " + entry("no") + " -->",
        "<!--" + entry("no") * 3_000 + "-->",
        "<!--" + "x" * 140_000 + entry("no") * 2_000 + "-->",
        "<note><![CDATA[" + entry("no") * 3_000 + "]]></note>",
        "<url><loc><![CDATA[" + HOST + "c]]></loc></url>",
        "<url><loc>&#104;ttps://courier.test/number</loc></url>",
        entry("late") + "<wrap>" + entry("inner") * 2_000 + "</wrap>",
        "<url><lastmod>2026-11-01</lastmod><loc>https://courier.test/first</loc></url>",
        "<url><loc>https://courier.test/1</loc><loc>https://courier.test/2</loc></url>",
        "<url></url>",
        "<url><loc>/a]]></loc></url>",
        "<url><loc>/\x0b</loc></url>",
        "<url><loc>/\uffff</loc></url>",
        "<url><image:loc>/x</image:loc></url>",
        "<url><loc>/open</url>",
        "</urlset>" + entry("behind"),
        "&unknown;",
        "<!DOCTYPE a [<!ENTITY b 'c'>]>",
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", [0, 700, 1_500])
def test_what_is_odd_is_read_as_the_parser_reads_it(
    odd: str, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = urlset("".join([*_USUAL[:place], odd, *_USUAL[place:]]))
    assert read_sitemap(body) == _parsed(body, monkeypatch)


@pytest.mark.parametrize(
    "attributes",
    [
        "xmlns='http://www.google.com/schemas/sitemap-image/1.1'",
        "xmlns='http://www.google.com/schemas/sitemap-news/0.9'",
        f"{NS} {NS}",
        f"{NS} a='>'",
        f"{NS} {IMAGE.replace('image/1.1', 'other')}",
    ],
)
def test_names_that_mean_something_else_are_left_to_the_parser(
    attributes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = "<image:image><image:loc>https://courier.test/a.png</image:loc></image:image>"
    body = urlset(entry("a", picture) + entry("b"), attributes)
    assert read_sitemap(body) == _parsed(body, monkeypatch)


@pytest.mark.long
@given(st.binary(max_size=12), st.integers(0, 90_000), st.integers(0, 40))
def test_a_wound_anywhere_gives_what_the_parser_finds(junk: bytes, at: int, lost: int) -> None:
    whole = urlset("".join(_USUAL))
    body = whole[:at] + junk + whole[at + lost :]
    with pytest.MonkeyPatch.context() as patch:
        found = _outcome(body)
        patch.setattr("wireroom.parse.sitemap.xml_entries.plain_reader", lambda _: None)
        assert found == _outcome(body)


def _outcome(body: bytes) -> tuple[object, ...]:
    """What comes of it, each address once: a scan may leave out one that stands there twice."""
    try:
        document = read_sitemap(body)
    except ParseError as error:
        return (str(error),)
    return document.truncated, document.broken, *dict.fromkeys(names(document))
