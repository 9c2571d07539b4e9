"""Sections that are carried around the parser: nobody can tell from what comes out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.errors import ParseError
from wireroom.model import FeedDocument
from wireroom.parse.feed import read_feed
from wireroom.parse.feed.lift import lift

LONG = "<p>Some words of the harbour &amp; the long way to it.</p>\r\n" * 20
OTHER = "<p>Another text, which goes on for as long as the first one did.</p>" * 20


def _cdata(text: str) -> str:
    return f"<![CDATA[{text}]]>"


def _rss(inside: str) -> bytes:
    modules = 'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:x="urn:x"'
    return f'<rss version="2.0" {modules}><channel>{inside}</channel></rss>'.encode()


def _atom(inside: str) -> bytes:
    return f'<feed xmlns="http://www.w3.org/2005/Atom">{inside}</feed>'.encode()


def _read(body: bytes, *, lifting: bool) -> FeedDocument | str:
    with pytest.MonkeyPatch.context() as patch:
        if not lifting:
            patch.setattr("wireroom.parse.feed.feed_reader.lift", None)
        try:
            return read_feed(body, base_url="https://courier.test/feed")
        except ParseError as error:
            return str(error)


def test_a_long_section_is_taken_out_and_reaches_its_item() -> None:
    body = _rss(f"<item><guid>1</guid><description>{_cdata(LONG)}</description></item>")
    lifted = lift(body)
    assert lifted is not None
    assert len(lifted.source) < len(body) - len(LONG)
    (item,) = read_feed(body).items
    assert item.content_html == LONG.replace("\r\n", "\n").strip()
    assert item.summary.startswith("Some words of the harbour & the long way to it.")


@pytest.mark.parametrize(
    "body",
    [
        _rss(f"<description>{_cdata(LONG)}</description><item><guid>1</guid></item>"),
        _rss(f"<item><description> {_cdata(LONG)}\n</description><content:encoded>{_cdata(OTHER)}</content:encoded></item>"),
        _rss(f"<item><description>{_cdata(LONG)}{_cdata(OTHER)}</description></item>"),
        _rss(f"<item><description>{_cdata(LONG)} and more</description></item>"),
        _rss(f"<item><description/><summary>{_cdata(LONG)}</summary></item>"),
        _rss(f"<item><x:y><description>{_cdata(LONG)}</description></x:y></item>"),
        _rss(f"<item><guid>1</guid><description xmlns='urn:z'>{_cdata(LONG)}</description></item>"),
        _rss(f"<item><image><description>{_cdata(LONG)}</description></image><title>a</title></item>"),
        _rss(f"<item><title>a</title><!-- <description>{_cdata(LONG)}</description> --></item>"),
        _rss(f"<item><!-- <description><![CDATA[ --><title>{LONG}]]></title></item>"),
        _rss(f"<item><description>{_cdata(LONG + chr(0x7F) + chr(0x85) + chr(0xFFFE))}</description></item>"),
        _rss(f"<item><description>{_cdata(LONG)}</description><title>\ue0000\ue001</title></item>"),
        _rss(f"<item><description>{_cdata(LONG)}</description>"),
        _rss(f"<item><description><![CDATA[{LONG}</description></item>"),
        _rss(f"<item><description>{_cdata(LONG)}</description><title>a & b</title></item>"),
        _rss(f"<item><description>{_cdata(LONG)}</description></item>").replace(b"harbour", b"harb\xffur"),
        _rss(f"<item><description>{_cdata(LONG)}</description></item>").replace(b"harbour", b"harb\x01ur"),
        _atom(f"<entry><id>1</id><content type='html'>{_cdata(LONG)}</content></entry>"),
        _atom(f"<entry><id>1</id><content>{_cdata(LONG)}</content></entry>"),
        _atom(f"<entry><id>1</id><content type='text'>{_cdata(LONG)}</content><summary type='html'>{_cdata(OTHER)}</summary></entry>"),
        _atom(f"<entry><id>1</id><content type='text/html' mode='escaped'>{_cdata(LONG)}</content></entry>"),
        _atom(f"<entry><id>1</id><source><summary type='html'>{_cdata(LONG)}</summary></source></entry>"),
        f"<entry xmlns='http://www.w3.org/2005/Atom'><id>1</id><summary type='html'>{_cdata(LONG)}</summary></entry>".encode(),
    ],
)  # fmt: skip
def test_what_is_lifted_is_read_as_if_it_were_not(body: bytes) -> None:
    found = _read(body, lifting=True)
    assert found == _read(body, lifting=False) or _differs_only_by_dirt(body, found)
    assert "\ue001" not in str(found) or b"\xee\x80\x81" in body


def _differs_only_by_dirt(body: bytes, found: FeedDocument | str) -> bool:
    """A noncharacter ends a text for the parser; lifted, the text goes on without it."""
    return b"\xef\xbf\xbe" in body and "\ufffe" not in str(found) and "\x7f" not in str(found)


_PIECES = st.sampled_from(
    [
        "<item>",
        "</item>",
        "<description>",
        "</description>",
        "<content:encoded>",
        "</content:encoded>",
        _cdata(LONG),
        _cdata(OTHER),
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<title>a</title>",
        "<x:y>",
        "</x:y>",
        " ",
    ]
)


@given(st.lists(_PIECES, max_size=12))
def test_any_heap_of_sections_leaves_no_mark_behind(pieces: list[str]) -> None:
    found = _read(_rss("".join(pieces)), lifting=True)
    assert "\ue001" not in str(found)
