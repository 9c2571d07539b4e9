"""Feeds as they really are: what is wrong with each, and what must come out all the same."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from datetime import UTC, datetime

import pytest

from tests.budget import cpu_within
from tests.parse.sentences import SENTENCES
from wireroom.errors import ParseError, UnknownFormatError
from wireroom.model import Item
from wireroom.parse.feed import read_feed
from wireroom.parse.feed.compose import item_of
from wireroom.parse.feed.feed_context import (
    MAX_AUTHORS,
    MAX_CONTENT,
    MAX_ITEMS,
    MAX_SUMMARY,
    MAX_TAGS,
)
from wireroom.parse.feed.fields import MAX_FIELDS
from wireroom.parse.feed.shape import MAX_NAMES

BASE = "https://courier.test/news/feed.xml"


def rss(items: str, *, channel: str = "", root: str = 'version="2.0"') -> bytes:
    return f"<rss {root}><channel><title>T</title>{channel}{items}</channel></rss>".encode()


def only_item(body: bytes, base_url: str = BASE) -> Item:
    items = read_feed(body, base_url=base_url).items
    assert len(items) == 1
    return items[0]


# --- encodings ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "codec", "declared"),
    [
        ("ru", "windows-1251", "windows-1251"),
        ("ru", "windows-1251", "utf-8"),
        ("ja", "shift_jis", "Shift_JIS"),
        ("zh", "gbk", "gb2312"),
        ("zh", "utf-8", "gb2312"),
        ("fr", "utf-8", "utf-16"),
        ("de", "utf-8", "iso-8859-1"),
        ("ko", "euc-kr", "no-such-charset"),
        ("el", "utf-16", "utf-16"),
    ],
)
def test_declared_encodings_may_be_wrong(language: str, codec: str, declared: str) -> None:
    text = SENTENCES[language]
    head = f'<?xml version="1.0" encoding="{declared}"?>'
    body = head + rss(f"<item><title>{text}</title></item>").decode()
    assert only_item(body.encode(codec)).title == text


def test_one_bad_byte_does_not_turn_the_feed_into_another_language() -> None:
    text = SENTENCES["cs"]
    body = rss(f"<item><title>{text}</title><description>x?y</description></item>")
    item = only_item(body.replace(b"x?y", b"x\xe9y"))
    assert item.title == text


def test_what_was_decided_about_the_encoding_is_reported() -> None:
    body = rss(f"<item><title>{SENTENCES['ru']}</title></item>").decode().encode("windows-1251")
    extra = read_feed(body, content_type="application/rss+xml; charset=utf-8").extra
    assert (extra["encoding"], extra["encoding_fallback"]) == ("windows-1251", True)


# --- malformed documents -------------------------------------------------------------------------

ITEM = "<item><title>A</title><link>https://courier.test/a</link></item>"


@pytest.mark.parametrize(
    "body",
    [
        b"\n\n  <?xml version='1.0'?>" + rss(ITEM),
        b"\xef\xbb\xbf \n<?xml version='1.0'?>" + rss(ITEM),
        b"Warning: cannot modify header\n<?xml version='1.0'?>" + rss(ITEM),
        b"<br />\n<b>Notice</b>: undefined index in <b>feed.php</b>\n" + rss(ITEM),
        b"<!-- hello --><!-- again -->" + rss(ITEM),
        b'<?xml version="1.0" encoding="utf-8">' + rss(ITEM),
        b"<?xml version='1.0'?><!DOCTYPE rss [<!ENTITY a 'b'><!ENTITY c SYSTEM 'file:///etc/passwd'>]>"
        + rss(ITEM),
        rss(ITEM) + b"<script>analytics()</script>",
        rss(ITEM).replace(b"<title>A", b"<title>A\x00\x08\x1f"),
        rss(ITEM).replace(b"<title>A", b"<title>A&#0;&#xd800;&#x1F;"),
        rss(ITEM).replace(b"<channel>", b"<channel><img src=x>"),
        rss(ITEM, root='version="2.0" broken'),
        rss(ITEM, root="version=2.0"),
        rss(ITEM, root="rss:version=2.0")
        .replace(b"<item", b"<rss:item")
        .replace(b"/item", b"/rss:item"),
    ],
)
def test_malformed_documents_are_read(body: bytes) -> None:
    item = only_item(body)
    assert (item.title, item.url) == ("A", "https://courier.test/a")


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("caf&eacute;&nbsp;&mdash; open", "café — open"),
        ("R&D & more", "R&D & more"),
        ("AT&amp;amp;T", "AT&T"),
        ("<![CDATA[Fish & <b>chips</b>]]>", "Fish & chips"),
        ("5 < 6 and 7 > 2", "5 < 6 and 7 > 2"),
        ("It&#146;s &#8220;here&#8221;", "It’s “here”"),
        ("&unknown; thing", "&unknown; thing"),
        ("a\n   b\tc", "a b c"),
        ("one\u0085two\u0096three", "one two–three"),
        ("<b>Bold</b> move", "Bold move"),
        ("&lt;script&gt;x()&lt;/script&gt;News", "News"),
        ("un<b>bro</b>ken", "unbroken"),
    ],
)
def test_titles_become_plain_text(title: str, expected: str) -> None:
    assert only_item(rss(f"<item><title>{title}</title></item>")).title == expected


def test_undeclared_prefixes_mean_what_they_always_mean() -> None:
    item = only_item(
        rss("<item><title>A</title><dc:creator>Ida Bek</dc:creator><odd:x>1</odd:x></item>")
    )
    assert item.authors == ("Ida Bek",)
    assert item.extra["extensions"] == {"odd": {"x": "1"}}


def test_a_cut_document_keeps_whole_items_and_says_so() -> None:
    whole = rss("".join(f"<item><guid>{n}</guid><title>T{n}</title></item>" for n in range(5)))
    cut = read_feed(whole[: whole.index(b"T3")])
    assert [item.guid for item in cut.items] == ["0", "1", "2"]
    assert cut.truncated
    between = read_feed(whole[: whole.index(b"<item><guid>3")])
    assert [item.guid for item in between.items] == ["0", "1", "2"]
    assert between.truncated
    assert not read_feed(whole).truncated


def test_a_cut_atom_document_keeps_whole_entries() -> None:
    entry = "<a:entry><a:id>{0}</a:id><a:title>T{0}</a:title></a:entry>"
    body = '<a:feed xmlns:a="http://www.w3.org/2005/Atom">' + "".join(map(entry.format, range(3)))
    document = read_feed((body + "<a:entry><a:id>9</a:id><a:title>no").encode())
    assert [item.guid for item in document.items] == ["0", "1", "2"]
    assert document.truncated


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "empty"),
        (b"   \n", "empty"),
        (b"<!DOCTYPE html><html><body>Not here</body></html>", "HTML page"),
        (b"<html><head><title>404</title></head></html>", "HTML page"),
        (b'{"error": "gone"}', "no JSON Feed"),
        (b"<urlset><url><loc>https://a.test/</loc></url></urlset>", "sitemap"),
        (b"<opml><body/></opml>", "OPML"),
        (b"<invoice><total>3</total></invoice>", "<invoice>"),
        (b"http://169.254.169.254/latest/meta-data", "list of addresses"),
        (b"/etc/passwd", "no XML element"),
        (b"\x89PNG\r\n\x1a\n", "no XML element"),
        (b"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY", "has no end"),
    ],
)
def test_what_is_no_feed_is_called_what_it_is(body: bytes, message: str) -> None:
    with pytest.raises(UnknownFormatError, match=message):
        read_feed(body)


# --- links and identity --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "url"),
    [
        ("<link>https://courier.test/a</link>", "https://courier.test/a"),
        ("<link>\n https://courier.test/a \n</link>", "https://courier.test/a"),
        ("<link>/a?b=1</link>", "https://courier.test/a?b=1"),
        ("<link>story/7</link>", "https://courier.test/news/story/7"),
        ("<link>//cdn.test/a</link>", "https://cdn.test/a"),
        ("<link>courier.test/story</link>", "https://courier.test/story"),
        ("<link href='https://courier.test/a'/>", "https://courier.test/a"),
        ("<link/><guid>https://courier.test/g</guid>", "https://courier.test/g"),
        ("<guid isPermaLink='false'>https://courier.test/g</guid>", ""),
        ("<guid>urn:x</guid>", ""),
        ("<link>javascript:alert(1)</link>", ""),
        ("<link>file:///etc/passwd</link>", ""),
        ("<link>https://user:pw@courier.test/</link>", ""),
        ("<link>https://x.test/p</link><feedburner:origLink>https://courier.test/o</feedburner:origLink>", "https://courier.test/o"),
        ("<atom:link rel='alternate' href='https://courier.test/x'/>", "https://courier.test/x"),
        ("<atom:link rel='self' href='https://courier.test/self'/>", ""),
        ("<enclosure url='https://courier.test/a.mp3' type='audio/mpeg'/>", ""),
        ("<enclosure url='https://courier.test/a.html' type='text/html'/>", "https://courier.test/a.html"),
        ("<link>https://courier.test/ü?q=ä b</link>", "https://courier.test/ü?q=ä b"),
    ],
)  # fmt: skip
def test_where_an_item_leads(item: str, url: str) -> None:
    found = only_item(rss(f"<item><title>A</title>{item}</item>"))
    assert found.url == url
    assert found.guid


def test_relative_links_use_the_feeds_own_address_when_none_is_given() -> None:
    body = rss("<item><link>/a</link></item>", channel="<link>https://courier.test/</link>")
    assert only_item(body, base_url="").url == "https://courier.test/a"
    assert only_item(rss("<item><title>A</title><link>/a</link></item>"), base_url="").url == ""


def test_xml_base_is_followed_at_every_level() -> None:
    body = (
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://a.test/x/">'
        '<entry xml:base="y/"><id>1</id><link xml:base="z/" href="q"/></entry></feed>'
    )
    assert only_item(body.encode()).url == "http://a.test/x/y/z/q"


def test_an_item_without_a_mark_is_known_by_what_it_says() -> None:
    first = only_item(rss("<item><description>Same words</description></item>"))
    again = only_item(rss("<item><description>Same words</description></item>"))
    other = only_item(rss("<item><description>Other words</description></item>"))
    assert first.guid == again.guid != other.guid


# --- people, tags, dates, texts -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("author", "name"),
    [
        ("ida@courier.test (Ida Bek)", "Ida Bek"),
        ("Ida Bek &lt;ida@courier.test&gt;", "Ida Bek"),
        ("Ida Bek (ida@courier.test)", "Ida Bek"),
        ("ida@courier.test", "ida@courier.test"),
        ("mailto:ida@courier.test (Ida Bek)", "Ida Bek"),
        ("  Ida\n Bek ", "Ida Bek"),
    ],
)
def test_names_of_authors(author: str, name: str) -> None:
    assert only_item(rss(f"<item><title>A</title><author>{author}</author></item>")).authors == (
        name,
    )


@pytest.mark.parametrize(
    ("dates", "published", "updated"),
    [
        ("<pubDate>Fri, 13 Nov 2026 08:30:00 +0100</pubDate>", "2026-11-13T07:30", None),
        ("<dc:date>2026-11-13T08:30:00+01:00</dc:date>", "2026-11-13T07:30", None),
        (
            "<pubDate>rubbish</pubDate><dc:date>2026-11-13T07:30Z</dc:date>",
            "2026-11-13T07:30",
            None,
        ),
        ("<atom:updated>2026-11-13T07:30:00Z</atom:updated>", None, "2026-11-13T07:30"),
        ("<pubDate>Mon, 01 Jan 0001 00:00:00 +0000</pubDate>", None, None),
        ("<pubdate>Fri, 13 Nov 2026 07:30:00 GMT</pubdate>", "2026-11-13T07:30", None),
        ("", None, None),
    ],
)
def test_dates_of_items(dates: str, published: str | None, updated: str | None) -> None:
    item = only_item(rss(f"<item><title>A</title>{dates}</item>"))
    assert item.published_at == _utc(published)
    assert item.updated_at == _utc(updated)


def _utc(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None


def test_a_description_with_markup_serves_as_content_too() -> None:
    item = only_item(
        rss(
            "<item><description>&lt;p&gt;Long &lt;i&gt;read&lt;/i&gt;.&lt;/p&gt;</description></item>"
        )
    )
    assert (item.summary, item.content_html) == ("Long read.", "<p>Long <i>read</i>.</p>")


def test_markup_that_was_not_escaped_is_kept() -> None:
    item = only_item(rss("<item><description><p>One <b>two</b></p><p/></description></item>"))
    assert item.summary == "One two"
    assert item.content_html == "<p>One <b>two</b></p><p></p>"


# --- limits --------------------------------------------------------------------------------------


def test_too_many_items_are_cut_and_that_is_reported() -> None:
    document = read_feed(rss("<item><title>A</title></item>" * (MAX_ITEMS + 1)))
    assert len(document.items) == MAX_ITEMS
    assert document.truncated


def test_long_values_are_bounded() -> None:
    many = "".join(f"<category>c{n}</category><dc:creator>n{n}</dc:creator>" for n in range(240))
    item = only_item(
        rss(
            f"<item><title>{'t' * 9000}</title>{many}<description>{'d ' * 9000}</description>"
            f"<x:y xmlns:x='u'>{'e' * 9000}</x:y></item>"
        )
    )
    assert len(item.title) <= 1000
    assert len(item.summary) <= MAX_SUMMARY < len(item.content_html)
    assert len(item.tags) <= MAX_TAGS
    assert len(item.authors) <= MAX_AUTHORS
    assert len(item.extra["extensions"]["x"]["y"]) <= 2000


def test_fields_beyond_the_limit_are_left_out_and_that_is_reported() -> None:
    item = only_item(rss(f"<item><title>A</title>{'<x/>' * MAX_FIELDS}<guid>late</guid></item>"))
    assert item.title == "A"
    assert item.guid != "late"
    assert "fields" in item.extra["truncated"]


def test_content_that_is_cut_is_named() -> None:
    item = only_item(rss(f"<item><description>{'x' * (MAX_CONTENT + 1)}</description></item>"))
    assert len(item.content_html) == MAX_CONTENT
    assert item.extra["truncated"] == ["content_html"]


def test_entities_are_never_expanded() -> None:
    levels = "".join(f"<!ENTITY e{n + 1} '{f'&e{n};' * 10}'>" for n in range(9))
    bomb = f"<!DOCTYPE rss [<!ENTITY e0 'ha'>{levels}<!ENTITY f SYSTEM 'file:///etc/hostname'>]>"
    with cpu_within(2):
        item = only_item(bomb.encode() + rss("<item><title>&e9;</title><guid>&f;</guid></item>"))
    assert (item.title, item.guid) == ("&e9;", "&f;")


@pytest.mark.parametrize(
    "items",
    [b"[" * 100_000, b'[{"a":' * 500 + b"1", b"[NaN]}", b"{}}", b"[", b"[{}," * 400_000],
)
def test_hostile_json_is_refused(items: bytes) -> None:
    with pytest.raises(ParseError, match="JSON"):
        read_feed(b'{"version": "https://jsonfeed.org/version/1", "items": ' + items)


def test_endless_numbers_in_json_are_no_ids() -> None:
    body = b'{"version": "https://jsonfeed.org/version/1", "items": [{"id": %b, "title": "A"}]}'
    item = only_item(body % (b"9" * 3000))
    assert len(item.guid) < 100


def test_halves_of_characters_in_json_are_cleaned() -> None:
    body = b'{"version": "https://jsonfeed.org/version/1", "items": [{"id": "a\\ud800\\u0000b", "title": "x\\udfffy"}]}'
    item = only_item(body)
    assert (item.guid, item.title) == ("ab", "xy")
    assert item.guid.encode()


# --- items that differ -------------------------------------------------------------------------


def test_items_of_one_feed_may_say_different_things_in_any_order() -> None:
    modules = 'version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    first = "<item><title>1</title><pubDate>2026-11-01</pubDate><category>a</category></item>"
    other = "<item><dc:date>2026-11-02</dc:date><dc:creator>Ann Lee</dc:creator><dc:title>2</dc:title></item>"
    turned = "<item><category>b</category><pubDate>2026-11-03</pubDate><title>3</title></item>"
    items = read_feed(rss(first + other + turned + first, root=modules)).items
    assert [item.title for item in items] == ["1", "2", "3", "1"]
    assert [item.published_at.day for item in items if item.published_at] == [1, 2, 3, 1]
    assert [item.tags for item in items] == [("a",), (), ("b",), ("a",)]
    assert [item.authors for item in items] == [(), ("Ann Lee",), (), ()]


def test_an_item_of_hundreds_of_names_is_read_like_any_other() -> None:
    many = "".join(f"<n{number}>x</n{number}>" for number in range(3 * MAX_NAMES))
    item = only_item(rss(f"<item>{many}<title>Last</title></item>"))
    assert item.title == "Last"
    assert item.extra["extensions"]["rss"]["n1"] == "x"


@pytest.mark.parametrize("mark", ["\\u001b", "\\u001b \\u0007"])
def test_an_item_whose_mark_is_control_characters_is_known_by_what_else_it_says(mark: str) -> None:
    begin = '{"version": "https://jsonfeed.org/version/1.1", "title": "T", "items": [{"id": "'
    known = only_item(f'{begin}{mark}", "url": "https://courier.test/1"}}]}}'.encode())
    assert known.guid == "https://courier.test/1"
    assert len(only_item(f'{begin}{mark}", "title": "A"}}]}}'.encode()).guid) == 32


def test_an_item_made_the_short_way_is_one_like_any_other() -> None:
    at = datetime(2026, 11, 1, tzinfo=UTC)
    made = item_of("f", "g", "u", "t", "s", "c", ("a",), ("b",), at, None, {"k": 1})
    assert made == Item(
        feed_url="f",
        guid="g",
        url="u",
        title="t",
        summary="s",
        content_html="c",
        authors=("a",),
        tags=("b",),
        published_at=at,
        updated_at=None,
        extra={"k": 1},
    )
    with pytest.raises(FrozenInstanceError):
        setattr(made, "title", "other")  # noqa: B010 - mypy knows too that it cannot be done


def test_contributors_are_kept_apart_from_authors() -> None:
    helped = "<contributor><name>Sol Winter</name></contributor>"
    entry = f"<author><name>Hana Reed</name></author>{helped}<contributor><name>Ira Moss</name></contributor>"
    atom = (
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>Valley</title><entry><id>urn:1</id>"
        f"<title>Bridge</title>{entry}</entry><entry><id>urn:2</id><title>Ferry</title>{helped}</entry></feed>"
    )
    first, second = read_feed(atom.encode()).items
    assert (first.authors, first.extra["contributors"]) == (
        ("Hana Reed",),
        ["Sol Winter", "Ira Moss"],
    )
    assert (second.authors, second.extra["contributors"]) == ((), ["Sol Winter"])
    rss = (
        "<rss version='2.0' xmlns:dc='http://purl.org/dc/elements/1.1/'><channel><item><title>Bridge</title>"
        "<dc:creator>Hana Reed</dc:creator><dc:contributor>Sol Winter</dc:contributor></item></channel></rss>"
    )
    (item,) = read_feed(rss.encode()).items
    assert (item.authors, item.extra["contributors"]) == (("Hana Reed",), ["Sol Winter"])
